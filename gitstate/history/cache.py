"""Which files need not be read again: path -> what ``fstat`` said -> the blob's id.

git's racy index problem: a file that is written twice within one tick of the file
system's clock looks the same to ``stat`` after the second write as before it. git
compares the file's time with its index's; that trusts two clocks to agree, which a
network file system's do not. Here the same signature must have been seen, and the bytes
read again, ``SETTLED_S`` later by the monotonic clock: a write after that reading comes
at least so long after the write that made the signature, whatever clock stamps it, and
so gets another time stamp. The span is above the coarsest clock in use (FAT: 2 s;
ext3 and HFS+: 1 s; the kernel's own tick: 10 ms).

Stores through a shared mapping change no time stamp until the page is written back, so
nothing is trusted for longer than ``RECHECK_S``.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gitstate.values import dataclass

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Container

SETTLED_S = 3.0
RECHECK_S = 600.0

_Signature = tuple[str, int, int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class _Row:
    signature: _Signature
    id: str
    first_seen: float
    read: float

    def trusted(self, now: float) -> bool:
        return self.read - self.first_seen >= SETTLED_S and now - self.read <= RECHECK_S


class Cache:
    """What one state directory's files held when they were last read.

    In memory only; ``clock`` is monotonic, in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._rows: dict[bytes, _Row] = {}

    def find(
        self, path: bytes, found: os.stat_result, object_format: str
    ) -> str | None:
        """The id of the file that ``lstat`` describes so, or ``None``: read it."""
        row = self._rows.get(path)
        if row is None or row.signature != _signature(found, object_format):
            return None
        return row.id if row.trusted(self.clock()) else None

    def learn(
        self,
        path: bytes,
        steady: os.stat_result,
        identity: str,
        *,
        object_format: str,
        started: float,
    ) -> None:
        """Remember a reading that began at ``started``, and what ``fstat`` said in it."""
        signature = _signature(steady, object_format)
        row = self._rows.get(path)
        if row is not None and row.signature == signature and row.id == identity:
            first = row.first_seen
        else:
            first = self.clock()  # now, after fstat: its write was before this
        self._rows[path] = _Row(signature, identity, first, started)

    def keep_only(self, paths: Container[bytes]) -> None:
        """Forget every other path."""
        self._rows = {path: row for path, row in self._rows.items() if path in paths}


def _signature(found: os.stat_result, object_format: str) -> _Signature:
    return (
        object_format,
        found.st_dev,
        found.st_ino,
        found.st_size,
        found.st_mtime_ns,
        found.st_ctime_ns,
        found.st_mode,
    )
