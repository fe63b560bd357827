"""What is to be done to files of others: planned as values, shown as a diff, then done.

Each change is one atomic step, and doing it twice is harmless: a kill between any two
leaves a folder in which git still runs what it ran before, or that and ours.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import stat
from typing import TYPE_CHECKING

from gitstate.errors import CannotWrite, Refused, printable
from gitstate.files import replace_file
from gitstate.hooks.git.replacing import replace_as_git
from gitstate.values import dataclass, field

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_EXECUTE = 0o111


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A regular file as it is: its bytes and permission bits."""

    data: bytes
    mode: int

    @property
    def executable(self) -> bool:
        """Would git run it."""
        return bool(self.mode & _EXECUTE)


def read(path: Path) -> File | None:
    """The regular file at ``path``; ``None`` where there is none (a link is none).

    Raises ``CannotWrite`` where it cannot be read.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if path.is_symlink():
            return None
        raise CannotWrite.from_os(error, doing="read a hook") from error
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode):  # a folder cannot even be opened as a file
        os.close(fd)
        return None
    with os.fdopen(fd, "rb") as file:
        return File(data=file.read(), mode=stat.S_IMODE(found.st_mode))


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """Have ``new`` at ``path``, where ``old`` is now, or a link.

    ``locked``: the file is git's, which changes it while it holds ``<path>.lock``.
    """

    path: Path
    new: File
    old: File | None = None
    over_link: bool = False
    locked: bool = False

    def do(self) -> None:
        """Replace the file at once; refuses where it changed since it was looked at."""
        if self.locked:
            new = self.new
            replace_as_git(self.path, new.data, new.mode, self._require_unchanged)
            return
        self._require_unchanged()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CannotWrite.from_os(error, doing="make a folder of hooks") from error
        replace_file(self.path, self.new.data, mode=self.new.mode)
        _set_mode(self.path, self.new.mode)

    def _require_unchanged(self) -> None:
        if read(self.path) != self.old or self.path.is_symlink() != self.over_link:
            message = (
                f"{printable(self.path)} changed meanwhile; nothing was done to it"
            )
            raise Refused(message)

    def diff(self) -> list[str]:
        """The change as a diff."""
        mode = f"{0o100000 | self.new.mode:o}"
        new = self.old is None and not self.over_link
        said = [f"new file mode {mode}"] if new else []
        if self.old is not None and self.old.mode != self.new.mode:
            said = [f"old mode {0o100000 | self.old.mode:o}", f"new mode {mode}"]
        old = self.old.data if self.old else None
        return _diff(self.path, said, old, self.new.data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove:
    """Have nothing at ``path``, which holds nothing but ours; ``old`` of a link is none."""

    path: Path
    old: File | None

    def do(self) -> None:
        """Remove it, unless it changed since it was looked at."""
        if read(self.path) == self.old:
            self.path.unlink(missing_ok=True)

    def diff(self) -> list[str]:
        """The change as a diff."""
        if self.old is None:
            return [f"remove {printable(self.path)}"]
        said = [f"deleted file mode {0o100000 | self.old.mode:o}"]
        return _diff(self.path, said, self.old.data, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """Have what stands at ``path`` at ``kept`` too, as it is: link, bytes and mode.

    The name at ``path`` is then taken by an atomic ``Write``: at no moment does git
    find nothing there.
    """

    path: Path
    kept: Path

    def do(self) -> None:
        """Make the second name."""
        if os.path.lexists(self.kept):
            return  # a kill came between the two steps
        if self.path.is_symlink():
            self.kept.symlink_to(self.path.readlink())
            return
        try:
            os.link(self.path, self.kept)
        except OSError as error:  # a file system without hard links
            file = read(self.path)
            if file is None:
                raise CannotWrite.from_os(error, doing="keep a hook") from error
            replace_file(self.kept, file.data, mode=file.mode)
            _set_mode(self.kept, file.mode)

    def diff(self) -> list[str]:
        """The change in words."""
        return [f"move {printable(self.path)}", f"  to {printable(self.kept)}"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Have what stands at ``path`` at ``target`` instead, over what is there."""

    path: Path
    target: Path

    def do(self) -> None:
        """Rename it."""
        self.target.parent.mkdir(parents=True, exist_ok=True)
        self.path.rename(self.target)

    def diff(self) -> list[str]:
        """The change in words."""
        return [f"move {printable(self.path)}", f"  to {printable(self.target)}"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveFolder:
    """Have no folder at ``path``, if it is empty by then."""

    path: Path

    def do(self) -> None:
        """Remove it where it is empty."""
        with contextlib.suppress(OSError):
            self.path.rmdir()

    def diff(self) -> list[str]:
        """Nothing: a folder is no content."""
        return []


Change = Write | Remove | Copy | Move | RemoveFolder


@dataclass(slots=True)
class Plan:
    """Changes in their order, and what a person is told of them."""

    changes: list[Change] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def do(self) -> None:
        """Make every change; raises ``CannotWrite`` or ``Refused`` at the first that fails."""
        for change in self.changes:
            try:
                change.do()
            except OSError as error:
                raise CannotWrite.from_os(error, doing="change a hook") from error

    def diff(self) -> list[str]:
        """All of it as one diff."""
        return [line for change in self.changes for line in change.diff()]

    def in_short(self) -> list[str]:
        """What would be done, and told: of files that are ours alone no more than the name."""
        said: list[str] = []
        whole: list[str] = []
        for change in self.changes:
            if (
                isinstance(change, Write)
                and change.old is None
                and not change.over_link
            ):
                whole.append(f"would put in {printable(change.path)}")
            elif isinstance(change, Remove):
                whole.append(f"would remove {printable(change.path)}")
            else:
                said += change.diff()
        names = tuple(line.rpartition(" ")[2] for line in whole)
        told = [f"# {line}" for line in self.lines if not line.endswith(names)]
        return [*said, *whole, *told]


def _set_mode(path: Path, mode: int) -> None:
    """The exact bits: the umask took some away where the file was made."""
    try:
        if stat.S_IMODE(path.stat().st_mode) != mode:
            path.chmod(mode)
    except OSError as error:
        raise CannotWrite.from_os(error, doing="make a hook executable") from error


def _diff(
    path: Path, said: list[str], old: bytes | None, new: bytes | None
) -> list[str]:
    name = printable(path)
    lines = [f"diff --git {name} {name}", *said]
    lines += _hunks(
        "/dev/null" if old is None else name,
        "/dev/null" if new is None else name,
        old or b"",
        new or b"",
    )
    return lines


def _hunks(before: str, after: str, old: bytes, new: bytes) -> Iterator[str]:
    if b"\0" in old + new:
        yield f"Binary files {before} and {after} differ"
        return
    rows = difflib.unified_diff(_rows(old), _rows(new), before, after, n=3, lineterm="")
    yield from rows


def _rows(data: bytes) -> list[str]:
    rows = [printable(row) for row in data.replace(b"\t", b"    ").split(b"\n")]
    return rows[:-1] if rows[-1] == "" else [*rows[:-1], rows[-1] + " (no newline)"]
