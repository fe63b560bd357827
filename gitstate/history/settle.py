"""What a restore displaced: kept until a version has it and nobody can still write to it.

An agent may hold a descriptor of a file that was displaced under it, and write through
it minutes later. So a displaced file is looked at again and again, and goes only when
its bytes are in a version and the kernel says that nobody has it open for writing.
"""

from __future__ import annotations

import contextlib
import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gitstate.git.objects import LINK
from gitstate.history.leases import Leases
from gitstate.history.primitives import At
from gitstate.history.reading import (
    FILE_FLAGS,
    folder,
    git_mode,
    open_state,
)
from gitstate.history.scratch import (
    NEW,
    OLD,
    finished_runs,
    open_scratch,
    prune,
    remove_if_empty,
)
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

# larger ones are kept and named, not read: no version can hold them
LARGEST = 64 << 20


@dataclass(frozen=True, slots=True)
class Displaced:
    """A file that a restore took out of the state directory, or had staged for it.

    ``path`` is where it was, ``name`` where it is kept inside the scratch folder, both
    raw. ``data`` is ``None`` when it cannot be read or is larger than ``LARGEST``.
    """

    path: bytes
    mode: int
    data: bytes | None
    name: bytes


def leftovers(state_dir: Path) -> tuple[Displaced, ...]:
    """Everything kept in the scratch folder by runs that have ended, sorted by name.

    Raises ``Refused`` where the state directory is a link or a file.
    """
    with _opened(state_dir) as (state, scratch):
        if scratch is None:
            return ()
        return tuple(item for _, item in _kept(state, scratch, tidy=False))


def settle(
    state_dir: Path, known: Callable[[Displaced], bool]
) -> tuple[Displaced, ...]:
    """Remove what ``known`` says is in a version and nobody has open for writing.

    Returns those that are not known: they are kept, and belong in a version. Known ones
    that somebody may still write to are kept in silence. Raises as ``leftovers``.
    """
    unknown: list[Displaced] = []
    with _opened(state_dir) as (state, scratch):
        if scratch is None:
            return ()
        leases = Leases(scratch)
        for at, item in _kept(state, scratch, tidy=True):
            if item.data is None or not known(item):
                unknown.append(item)
            else:
                with contextlib.suppress(OSError):
                    _remove_unwritten(at, item, leases)
        for token, _ in finished_runs(scratch):
            prune(scratch, token)
        remove_if_empty(state, scratch)
    return tuple(unknown)


@contextmanager
def _opened(state_dir: Path) -> Iterator[tuple[int, int | None]]:
    state = open_state(state_dir)
    if state is None:
        yield -1, None
        return
    try:
        with open_scratch(state) as scratch:
            yield state, scratch
    finally:
        os.close(state)


def _kept(state: int, scratch: int, *, tidy: bool) -> Iterator[tuple[At, Displaced]]:
    for token, run in finished_runs(scratch):
        for tree in (NEW, OLD):
            for at, path in _files(run, [tree], b""):
                item = _displaced(at, path, b"/".join((token, tree, path)))
                if item is not None and not _is_live(state, at, path, tidy=tidy):
                    yield at, item


def _files(start: int, parts: list[bytes], prefix: bytes) -> Iterator[tuple[At, bytes]]:
    with contextlib.suppress(OSError), folder(start, parts) as opened:
        fd: int = opened
        for name in sorted(map(os.fsencode, os.listdir(fd))):
            try:
                found = os.stat(name, dir_fd=fd, follow_symlinks=False)
            except OSError:
                continue
            if stat.S_ISDIR(found.st_mode):
                yield from _files(fd, [name], prefix + name + b"/")
            elif stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode):
                yield At(fd, name), prefix + name


def _displaced(at: At, path: bytes, name: bytes) -> Displaced | None:
    try:
        found = os.stat(at.name, dir_fd=at.fd, follow_symlinks=False)
        if stat.S_ISLNK(found.st_mode):
            return Displaced(path, LINK, os.readlink(at.name, dir_fd=at.fd), name)
    except OSError:
        return None
    data = None
    if found.st_size <= LARGEST:
        with contextlib.suppress(OSError):
            data = _bytes_at(at)
    return Displaced(path, git_mode(found), data, name)


def _bytes_at(at: At) -> bytes | None:
    fd = os.open(at.name, FILE_FLAGS, dir_fd=at.fd)
    with os.fdopen(fd, "rb") as file:
        data = file.read(LARGEST + 1)
    return data if len(data) <= LARGEST else None


def _is_live(state: int, at: At, path: bytes, *, tidy: bool) -> bool:
    """Is it one more name of the very file in the state directory.

    A crash between ``link`` and ``unlink`` leaves that; such a name holds no bytes.
    """
    *parts, name = path.split(b"/")
    try:
        ours = os.stat(at.name, dir_fd=at.fd, follow_symlinks=False)
        with folder(state, parts) as fd:
            live = os.stat(name, dir_fd=fd, follow_symlinks=False)
        if (ours.st_dev, ours.st_ino) != (live.st_dev, live.st_ino):
            return False
        if tidy:
            os.unlink(at.name, dir_fd=at.fd)
    except OSError:
        return False
    return True


def _remove_unwritten(at: At, item: Displaced, leases: Leases) -> None:
    if item.mode == LINK:
        if os.readlink(at.name, dir_fd=at.fd) == item.data:
            os.unlink(at.name, dir_fd=at.fd)
        return
    fd = os.open(at.name, FILE_FLAGS, dir_fd=at.fd)
    try:
        if leases.nobody_writes(fd, item.data or b""):
            os.unlink(at.name, dir_fd=at.fd)
    finally:
        os.close(fd)  # and with it the lease
