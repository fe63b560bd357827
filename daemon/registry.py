"""Which worktrees this user's daemon looks after: ``registry.json``.

``{"format": 1, "repositories": [{"root", "git_dir", "common_dir", "mount"}, …]}``, all
absolute paths; ``mount`` is the mount point that ``root`` lies below, so that a file
system that is not mounted now is not taken for a repository that is gone. Bytes that
are no UTF-8 stand as lone surrogates, as ``os.fsdecode`` writes them. What cannot be
understood is kept beside the file under another name, and said once; whoever does that
writes ``"mended": true``, which stands until a daemon has put back what it still knows.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitstate import lock
from gitstate.daemon.files import NotPlainError, make_home, read_plain
from gitstate.errors import CannotWrite, LockHeld, Refused, printable
from gitstate.files import write_json
from gitstate.values import dataclass, field
from gitstate.workspace import state_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gitstate.workspace import Workspace

NAME = "registry.json"
FORMAT = 1
_LOCK = "registry.lock"
_WAIT_S = 5.0


@dataclass(frozen=True, slots=True)
class Entry:
    """One worktree: where it, its git dir and its repository are."""

    root: Path
    git_dir: Path
    common_dir: Path
    mount: Path | None = None

    @classmethod
    def of(cls, workspace: Workspace) -> Entry:
        """The entry of an open workspace."""
        return cls(
            workspace.root,
            workspace.git_dir,
            workspace.common_dir,
            mount_point(workspace.root),
        )

    def mounted(self) -> bool:
        """Is the file system there that the worktree lay on."""
        return self.mount is not None and os.path.ismount(self.mount)


@dataclass(frozen=True, slots=True)
class Listing:
    """What the registry holds, and one line for each thing that was wrong with it.

    ``mended``: it was damaged, and lacks what only a running daemon still knows.
    """

    entries: tuple[Entry, ...]
    warnings: tuple[str, ...] = ()
    mended: bool = field(default=False, compare=False)


def mount_point(path: Path) -> Path:
    """The mount point that ``path`` lies below."""
    current = Path(os.path.realpath(path))
    while not os.path.ismount(current) and current != current.parent:
        current = current.parent
    return current


def listing(home: Path | None = None) -> Listing:
    """The registered worktrees; a damaged registry is mended on the way.

    Raises ``Refused`` when a newer gitstate wrote it, ``CannotWrite`` when it cannot
    be read at all (which is not the same as empty).
    """
    home = home or state_home()
    entries, problem, lacking = _read(home / NAME)
    if problem is None:
        return Listing(entries, mended=lacking)
    try:
        with _changing(home) as (mended, warnings, write):
            write(mended)
            return Listing(mended, warnings, mended=True)
    except (CannotWrite, LockHeld):  # then it stays as it is, and is said again
        return Listing(entries, (f"{printable(home / NAME)}: {problem}",))


def add(workspace: Workspace, home: Path | None = None) -> tuple[bool, tuple[str, ...]]:
    """Register a worktree; was it new, and the registry's warnings."""
    entry = Entry.of(workspace)
    with _changing(home or state_home()) as (entries, warnings, write):
        others = tuple(known for known in entries if known.root != entry.root)
        if entry not in entries or warnings:
            write((*others, entry))
        return len(others) == len(entries), warnings


def keep(known: Iterable[Entry], home: Path | None = None) -> tuple[Entry, ...]:
    """Put back what a damaged registry lost of ``known``; returns all entries."""
    with _changing(home or state_home(), lacking=False) as (entries, _, write):
        there = {entry.root for entry in entries}
        whole = (*entries, *(entry for entry in known if entry.root not in there))
        write(whole)
        return whole


def remove(root: Path, home: Path | None = None) -> tuple[bool, tuple[str, ...]]:
    """Take a worktree out; was it registered, and the registry's warnings."""
    home = home or state_home()
    if not home.is_dir():
        return False, ()
    with _changing(home) as (entries, warnings, write):
        others = tuple(known for known in entries if known.root != root)
        if len(others) != len(entries) or warnings:
            write(others)
        return len(others) != len(entries), warnings


@contextlib.contextmanager
def _changing(
    home: Path, *, lacking: bool = True
) -> Iterator[
    tuple[tuple[Entry, ...], tuple[str, ...], Callable[[tuple[Entry, ...]], None]]
]:
    """The registry under its lock: entries, warnings, and how to write it.

    Not ``lacking``: nobody knows more than what is written now.
    """
    path = home / NAME

    def write(entries: tuple[Entry, ...]) -> None:
        rows = [_row(entry) for entry in sorted(entries, key=lambda entry: entry.root)]
        mark = {"mended": True} if lacking and (problem or mended) else {}
        document = {"format": FORMAT, "repositories": rows, **mark}
        write_json(path, document, durable=True)

    try:
        make_home(home)
    except OSError as error:
        raise CannotWrite.from_os(error, doing="make gitstate's folder") from error
    with lock.held(home / _LOCK, verb="registry", wait_s=_WAIT_S):
        entries, problem, mended = _read(path)
        warnings: tuple[str, ...] = ()
        if problem is not None:
            kept = _keep_aside(path)
            line = (
                f"{printable(path)}: {problem}; it is kept as {printable(kept.name)}, and "
                f"{len(entries)} of its repositories could be read: run `gitstate init` "
                "in each one that is missing"
            )
            warnings = (line,)
        yield entries, warnings, write


def _read(path: Path) -> tuple[tuple[Entry, ...], str | None, bool]:
    """The entries that can be understood, what is wrong with the rest, and the mark."""
    try:
        data = read_plain(path)
    except FileNotFoundError:
        return (), None, False
    except NotPlainError as error:
        return (), f"it is {error.strerror}", False
    except OSError as error:
        raise CannotWrite.from_os(error, doing="read the daemon's registry") from error
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return (), "it is not JSON", False
    if not isinstance(found, dict) or not isinstance(found.get("repositories"), list):
        return (), "it holds no list of repositories", False
    number = found.get("format")
    if isinstance(number, int) and number > FORMAT:
        message = (
            f"{printable(path)} was written by a newer gitstate (format {number}; this "
            f"one knows {FORMAT}): upgrade gitstate"
        )
        raise Refused(message)
    rows = found["repositories"]
    entries: dict[Path, Entry] = {}
    for row in rows:
        entry = _entry(row)
        if entry is not None:
            entries[entry.root] = entry
    bad = sum(1 for row in rows if _entry(row) is None)
    problem = f"{bad} of its entries cannot be understood" if bad else None
    return tuple(entries.values()), problem, found.get("mended") is True


def _entry(row: Any) -> Entry | None:  # noqa: ANN401 whatever JSON holds
    if not isinstance(row, dict):
        return None
    paths = [_path(row.get(key)) for key in ("root", "git_dir", "common_dir")]
    root, git_dir, common_dir = paths
    if root is None or git_dir is None or common_dir is None:
        return None
    return Entry(root, git_dir, common_dir, _path(row.get("mount")))


def _path(value: Any) -> Path | None:  # noqa: ANN401 whatever JSON holds
    if not isinstance(value, str) or not value.startswith("/") or "\0" in value:
        return None
    try:
        os.fsencode(value)
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        return None
    return Path(value)


def _row(entry: Entry) -> dict[str, str]:
    row = {
        "root": str(entry.root),
        "git_dir": str(entry.git_dir),
        "common_dir": str(entry.common_dir),
    }
    return row if entry.mount is None else {**row, "mount": str(entry.mount)}


def _keep_aside(path: Path) -> Path:
    """Give the damaged file another name that nothing has."""
    stem = f"{path.name}.damaged-{time.strftime('%Y%m%dT%H%M%S')}"
    number = 0
    while True:
        aside = path.with_name(stem if number == 0 else f"{stem}.{number}")
        if not os.path.lexists(aside):  # under the lock: nobody makes it now
            break
        number += 1
    try:
        path.rename(aside)
    except OSError as error:
        raise CannotWrite.from_os(
            error, doing="keep the damaged registry aside"
        ) from error
    return aside
