"""The daemon's log: one JSON object a line, turned over by size, for the user alone.

``{"time", "level", "event", "message", "repository", …}``. It never holds text of a
state file: only paths, numbers and the program's own words.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from gitstate.daemon.files import LARGEST, read_plain, stamp
from gitstate.errors import printable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "daemon.log"
MOST_BYTES = 1 << 20
KEPT = 3

Level = Literal["info", "warning", "error"]

_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class Log:
    """Lines for ``daemon.log``; a log that cannot be written stops nobody."""

    def __init__(
        self, home: Path, *, most_bytes: int = MOST_BYTES, kept: int = KEPT
    ) -> None:
        self.path = home / NAME
        self._most_bytes = most_bytes
        self._kept = kept
        self._lock = threading.Lock()

    def write(self, level: Level, event: str, message: str, **fields: object) -> None:
        """Add one line; ``fields`` are further values of it, paths as text."""
        moment = datetime.now(UTC).astimezone().isoformat(timespec="milliseconds")
        row = {
            "time": moment,
            "level": level,
            "event": event,
            "message": message,
            **fields,
        }
        line = json.dumps(row, default=str).encode("ascii") + b"\n"
        with self._lock, contextlib.suppress(OSError):
            self._append(line)

    def _append(self, line: bytes) -> None:
        fd = os.open(self.path, _FLAGS, 0o600)
        try:
            size = os.fstat(fd).st_size
            if size and size + len(line) > self._most_bytes:
                os.close(fd)
                fd = -1
                self._turn_over()
                fd = os.open(self.path, _FLAGS, 0o600)
            os.write(fd, line)
        finally:
            if fd >= 0:
                os.close(fd)

    def _turn_over(self) -> None:
        for number in range(self._kept - 1, 0, -1):
            with contextlib.suppress(FileNotFoundError):
                _numbered(self.path, number).replace(_numbered(self.path, number + 1))
        self.path.replace(_numbered(self.path, 1))


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.{number}")


class Teller:
    """One worktree's lines: each distinct thing is said once, and once that it is over."""

    def __init__(self, log: Log, root: Path) -> None:
        self._log = log
        self._root = str(root)
        self._said: dict[str, str] = {}

    def say(self, level: Level, event: str, message: str, **fields: object) -> None:
        """Write a line about the worktree."""
        self._log.write(level, event, message, repository=self._root, **fields)

    def now(self, event: str, text: str | None, *, healed: str = "") -> None:
        """``text`` is how it is now; ``None`` when all is well, which ``healed`` says."""
        before = self._said.get(event)
        if text is None:
            self._said.pop(event, None)
            if before is not None and healed:
                self.say("info", event, healed)
        elif text != before:
            self._said[event] = text
            self.say("warning", event, text)


def bug(error: Exception) -> str:
    """Leave a report of a bug of ours; returns one line that names its place."""
    from gitstate import bugs  # noqa: PLC0415 only for a bug

    line = f"a bug of gitstate: {bugs.describe(error)}"
    with contextlib.suppress(Exception):
        line += f" (report: {printable(bugs.write_report(error, ['daemon', 'run']))})"
    return line


class _Library(logging.Handler):
    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        level: Level = "error" if record.levelno >= logging.ERROR else "warning"
        self._log.write(level, "library", str(record.msg), library=record.name)


@contextlib.contextmanager
def library_warnings(log: Log) -> Iterator[None]:
    """Have the warnings of the libraries in the log.

    Only the fixed words of each: their arguments may hold anything.
    """
    handler = _Library(log)
    loggers = [logging.getLogger(name) for name in ("watchdog", "apscheduler")]
    for logger in loggers:
        logger.addHandler(handler)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(handler)


def tail(home: Path, count: int) -> list[dict[str, Any]]:
    """The last ``count`` lines of the log, oldest first; what is not JSON is left out."""
    rows: list[dict[str, Any]] = []
    path = home / NAME
    for part in (path, *(_numbered(path, number) for number in range(1, KEPT + 1))):
        if len(rows) >= count:
            break
        try:
            data = read_plain(part)
        except OSError:
            continue
        rows = [*parse(data), *rows]
    return rows[-count:] if count > 0 else []


def parse(data: bytes) -> list[dict[str, Any]]:
    """The rows in some bytes of a log."""
    rows = []
    for line in data[-LARGEST:].splitlines():
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            rows.append(row)
    return rows


class Follower:
    """The lines that come after a moment, also across a turn-over."""

    def __init__(self, home: Path) -> None:
        self._path = home / NAME
        found = stamp(self._path)
        self._inode = found[1] if found else 0
        self._offset = found[2] if found else 0

    def fresh(self) -> list[dict[str, Any]]:
        """The rows that were written since the last call."""
        rows: list[dict[str, Any]] = []
        found = stamp(self._path)
        inode = found[1] if found else 0
        if inode != self._inode:
            rows = self._rest_of(_numbered(self._path, 1))
            self._inode, self._offset = inode, 0
        return rows + self._rest_of(self._path)

    def _rest_of(self, path: Path) -> list[dict[str, Any]]:
        try:
            data = read_plain(path)[self._offset :]
        except OSError:
            return []
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        return parse(whole)
