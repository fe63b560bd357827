"""New texts into the places of the very bytes that they were made from; for ``editing``.

As a restore does it: staged whole in the scratch folder, then exchanged with what is
there. What was displaced is looked at before it goes: when it is not what the text was
made from, it is put back.
"""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from gitstate.errors import Refused, printable
from gitstate.git.objects import FILE, object_id
from gitstate.history.leases import Leases
from gitstate.history.primitives import (
    At,
    UnsupportedError,
    Way,
    exchange,
    place,
    rename,
)
from gitstate.history.reading import FILE_FLAGS, Content, folder, is_gone
from gitstate.history.scratch import NEW, SCRATCH_NAME, new_run, open_scratch

if TYPE_CHECKING:
    from gitstate.history.scratch import Run
    from gitstate.workspace import Workspace


class New(NamedTuple):
    """A text that is to be put: the file's name, its bytes, and those it replaces."""

    name: str
    data: bytes
    old: bytes | None


def parts_of(name: str) -> list[bytes]:
    """The parts of a file's name in the state directory; raises ``Refused`` for others."""
    parts = os.fsencode(name).split(b"/")
    bad = any(part in {b"", b".", b".."} for part in parts)
    if bad or parts[0] == SCRATCH_NAME:
        raise Refused(f"not a file of the state directory: {printable(name)}")
    return parts


def put_all(ws: Workspace, state: int, new: list[New]) -> bool:
    """Put every text in its place, or none; false when somebody wrote meanwhile."""
    with new_run(state) as run:
        durable = ws.settings.durable
        for one in new:
            identity = object_id("blob", one.data, ws.object_format)
            content = Content(FILE, identity, one.data)
            run.stage(os.fsencode(one.name), content, durable=durable)
        run.publish()  # from here on it holds what was displaced
        done: list[New] = []
        with open_scratch(state) as scratch:
            leases = Leases(scratch) if scratch is not None else None
            try:
                while len(done) < len(new) and _put(state, run, new[len(done)], leases):
                    done.append(new[len(done)])
            finally:
                if len(done) < len(new):
                    for one in reversed(done):
                        _take_back(state, run, one)
        for one in new:
            run.drop(os.fsencode(one.name))
    return len(done) == len(new)


def _put(state: int, run: Run, one: New, leases: Leases | None) -> bool:
    *parts, name = parts_of(one.name)
    with (
        folder(state, parts, made=[]) as fd,
        run.at(NEW, os.fsencode(one.name)) as staged,
    ):
        live = At(fd, name)
        if one.old is not None:
            return _replace(staged, live, one.old, leases)
        try:
            place(staged, live, Way.EXCHANGE)
        except FileExistsError:
            return False
        return True


def _replace(staged: At, live: At, old: bytes, leases: Leases | None) -> bool:
    """Exchange a staged text for the bytes it was made from, and for no others."""
    try:
        fd = os.open(live.name, FILE_FLAGS, dir_fd=live.fd)
    except OSError as error:
        if is_gone(error):
            return False
        raise
    try:
        alone = leases.alone(fd) if leases is not None else None
        if alone is False:
            return False
        if _bytes_of(fd, len(old)) != old:
            return False
        _keep_mode(fd, staged)
        try:
            exchange(staged, live)
        except UnsupportedError:
            # the bytes were right a moment ago: as good as it gets here
            rename(staged, live)
            return True
        same = _is(staged, fd) and _bytes_of(fd, len(old)) == old
        if same and (alone is None or leases is None or leases.still_alone(fd)):
            return True
        exchange(staged, live)
        return False
    finally:
        os.close(fd)


def _is(at: At, fd: int) -> bool:
    """Is it the very file that is open."""
    there = os.stat(at.name, dir_fd=at.fd, follow_symlinks=False)
    ours = os.fstat(fd)
    return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)


def _take_back(state: int, run: Run, one: New) -> None:
    """Undo what was put, unless somebody has written there since."""
    *parts, name = parts_of(one.name)
    with (
        contextlib.suppress(OSError, UnsupportedError),
        folder(state, parts) as fd,
        run.at(NEW, os.fsencode(one.name)) as staged,
    ):
        live = os.open(name, FILE_FLAGS, dir_fd=fd)
        try:
            if _bytes_of(live, len(one.data)) != one.data:
                return
        finally:
            os.close(live)
        if one.old is None:
            rename(At(fd, name), staged)
        else:
            exchange(staged, At(fd, name))


def _bytes_of(fd: int, expected: int) -> bytes:
    """An open file's bytes; one more than ``expected`` of a longer one."""
    data = bytearray()
    while chunk := os.pread(fd, expected + 1 - len(data), len(data)):
        data += chunk
    return bytes(data)


def _keep_mode(fd: int, staged: At) -> None:
    """Give a staged file the mode, and where that is allowed the owner, of the old one."""
    found = os.fstat(fd)
    ours = os.open(staged.name, FILE_FLAGS, dir_fd=staged.fd)
    try:
        mine = os.fstat(ours)
        if (mine.st_uid, mine.st_gid) != (found.st_uid, found.st_gid):
            with contextlib.suppress(OSError):
                os.fchown(ours, found.st_uid, found.st_gid)
        if stat.S_IMODE(mine.st_mode) != stat.S_IMODE(found.st_mode):
            os.fchmod(ours, stat.S_IMODE(found.st_mode))
    finally:
        os.close(ours)
