"""Version number -> commit, without walking the line: a cache in the runtime folder.

Fixed-size rows, ascending: number, author time and offset, commit id. It is never
believed beyond what it can prove: its last row must be the line's tip, or it is
completed from the commits themselves; a missing or garbled file is made anew.
"""

from __future__ import annotations

import contextlib
import os
import struct
from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Self

from gitstate.errors import CannotWrite
from gitstate.files import replace_file
from gitstate.history.days import opened
from gitstate.history.record import record_of
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gitstate.git.engine import Engine
    from gitstate.git.objects import Commit
    from gitstate.workspace import Workspace

_MAGIC = b"gitstate numbers 1\n".ljust(32, b"\0")


@dataclass(frozen=True, slots=True)
class Row:
    """One version: its number, author time (seconds, minutes east) and commit id."""

    version: int
    time: int
    offset: int
    commit: str

    def moment(self) -> datetime:
        """The author time in its own offset."""
        return datetime.fromtimestamp(
            self.time, timezone(timedelta(minutes=self.offset))
        )


def row_of(commit: Commit) -> Row | None:
    """The row of a version's commit; ``None`` for a commit that is no version."""
    record = record_of(commit)
    if record is None:
        return None
    return Row(record.version, commit.author.time, commit.author.offset, commit.id)


class Numbers:
    """The rows of one line up to one tip."""

    def __init__(self, data: bytes, width: int) -> None:
        self.packer = struct.Struct(f">Qqi{width}s")
        self.data = data

    @classmethod
    def load(cls, ws: Workspace, engine: Engine, tip: str | None) -> Self:
        """The rows of the line that ends in ``tip``, completed where the cache lags."""
        width = 32 if ws.object_format == "sha256" else 20
        path = _path(ws)
        cached = cls.cached(ws)
        if tip is None:
            return cls(b"", width)
        last = cached.last()
        if last is not None and last.commit == tip:
            return cached
        fresh: list[Row] = []
        keep = 0
        for commit in opened(engine, tip):
            row = row_of(commit)
            if row is None:
                continue
            position = cached.position(row.version)
            if position is not None and cached.row(position) == row:
                keep = position + 1
                break
            fresh.append(row)
        size = cached.packer.size
        rows = b"".join(cached.pack(row) for row in reversed(fresh))
        completed = cls(cached.data[: keep * size] + rows, width)
        if completed.data != cached.data:
            with contextlib.suppress(CannotWrite):  # a cache: read-only is no failure
                replace_file(path, _MAGIC + completed.data, mode=ws.file_mode)
        return completed

    @classmethod
    def rebuild(cls, ws: Workspace, engine: Engine, tip: str) -> Self:
        """The rows from the commits alone; raises what reading them raises."""
        rows = [row for row in map(row_of, opened(engine, tip)) if row is not None]
        found = cls(b"", 32 if ws.object_format == "sha256" else 20)
        found.data = b"".join(found.pack(row) for row in reversed(rows))
        with contextlib.suppress(CannotWrite):
            replace_file(_path(ws), _MAGIC + found.data, mode=ws.file_mode)
        return found

    @classmethod
    def cached(cls, ws: Workspace) -> Self:
        """What the cache says, not compared with anything."""
        found = cls(_read(_path(ws)), 32 if ws.object_format == "sha256" else 20)
        found._cut_torn()
        return found

    def __len__(self) -> int:
        return len(self.data) // self.packer.size

    def __iter__(self) -> Iterator[Row]:
        for version, time, offset, raw in self.packer.iter_unpack(self.data):
            yield Row(version, time, offset, raw.hex())

    def last(self) -> Row | None:
        """The newest row."""
        return self.row(len(self) - 1) if len(self) else None

    def find(self, version: int) -> Row | None:
        """The row of a number."""
        position = self.position(version)
        return None if position is None else self.row(position)

    def before(self, row: Row, count: int) -> Row | None:
        """The row ``count`` places before ``row``."""
        position = self.position(row.version)
        if position is None or position - count < 0:
            return None
        return self.row(position - count)

    def with_prefix(self, prefix: str) -> list[Row]:
        """The rows whose commit id starts with ``prefix``."""
        return [row for row in self if row.commit.startswith(prefix)]

    def last_of_day(self, day: date) -> Row | None:
        """The last version of a day; a day never runs backwards along the line."""
        found = None
        latest = date.min
        for row in self:
            latest = max(latest, row.moment().date())
            if latest == day:
                found = row
        return found

    def at(self, moment: datetime) -> Row | None:
        """The newest version that is not younger than ``moment``."""
        limit = int(moment.astimezone(UTC).timestamp())
        found = None
        for row in self:
            if row.time <= limit:
                found = row
        return found

    def pack(self, row: Row) -> bytes:
        """A row's bytes in the file."""
        return self.packer.pack(
            row.version, row.time, row.offset, bytes.fromhex(row.commit)
        )

    def row(self, position: int) -> Row:
        """The row at a place, counted from the oldest."""
        at = position * self.packer.size
        version, time, offset, raw = self.packer.unpack_from(self.data, at)
        return Row(version, time, offset, raw.hex())

    def position(self, version: int) -> int | None:
        """The place of a number, counted from the oldest."""
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.row(middle).version < version:
                low = middle + 1
            else:
                high = middle
        if low < len(self) and self.row(low).version == version:
            return low
        return None

    def _cut_torn(self) -> None:
        self.data = self.data[: len(self) * self.packer.size]


def append(ws: Workspace, parent: str | None, commit: Commit) -> bool:
    """Add the newest version to the cache, if the cache ends with its parent."""
    row = row_of(commit)
    width = 32 if ws.object_format == "sha256" else 20
    if row is None:
        return False
    numbers = Numbers(b"", width)
    size = numbers.packer.size
    path = _path(ws)
    with contextlib.suppress(OSError, CannotWrite):
        if parent is None:
            replace_file(path, _MAGIC + numbers.pack(row), mode=ws.file_mode)
            return True
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            end = os.fstat(fd).st_size
            last = os.pread(fd, size, end - size) if end >= len(_MAGIC) + size else b""
            if (end - len(_MAGIC)) % size == 0 and last.endswith(bytes.fromhex(parent)):
                os.pwrite(fd, numbers.pack(row), end)
                return True
        finally:
            os.close(fd)
    return False


def last_known(ws: Workspace) -> Row | None:
    """The newest version this worktree ever cached: a second anchor."""
    return next(iter(newest_rows(ws, 1)), None)


def newest_rows(ws: Workspace, count: int) -> list[Row]:
    """The last rows of the cache as they are, newest first; none is proven."""
    numbers = Numbers(b"", 32 if ws.object_format == "sha256" else 20)
    size = numbers.packer.size
    try:
        with _path(ws).open("rb") as file:
            whole = (os.fstat(file.fileno()).st_size - len(_MAGIC)) // size
            if file.read(len(_MAGIC)) != _MAGIC or whole <= 0:
                return []
            count = min(count, whole)
            file.seek(len(_MAGIC) + (whole - count) * size)
            numbers.data = file.read(count * size)
    except OSError:
        return []
    return list(numbers)[::-1]


def _path(ws: Workspace) -> Path:
    return ws.runtime / "numbers"


def _read(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except OSError:
        return b""
    return data[len(_MAGIC) :] if data.startswith(_MAGIC) else b""
