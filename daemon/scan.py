"""The truth about a state directory, cheaply: what ``lstat`` says of everything in it.

Events of the file system are hints that may be lost; two equal scans mean that nothing
changed between them. No file is opened.
"""

from __future__ import annotations

import os
import stat
import time
from hashlib import blake2b

from gitstate.values import dataclass
from gitstate.workspace import SCRATCH

# A file that was written within this time of the scan could be written again without
# a difference in its times (the kernel's clock ticks every 4 ms, FAT's every 2 s).
_YOUNG_NS = 2_500_000_000

_SCRATCH = os.fsencode(SCRATCH)

Identity = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Scan:
    """What one look at a state directory found.

    ``digest`` covers everything that can tell of a change; ``visible`` leaves out what
    changes without an event of the directory (the change time: a hard link made
    elsewhere). ``directories`` are the folders, by device and inode, root first;
    empty where there is no directory. ``settled`` is false when something is so young
    that it could still change without a trace.
    """

    digest: bytes
    visible: bytes
    directories: dict[Identity, bytes]
    settled: bool


def scan(root: bytes) -> Scan:
    """Look at the state directory ``root``; never raises for what it finds there.

    A folder that is a repository of its own, and the scratch folder of a restore, are
    not entered; neither are links.
    """
    return _Walk(root).walk()


class _Walk:
    def __init__(self, root: bytes) -> None:
        self._root = root
        self._everything = blake2b(digest_size=16)
        self._visible = blake2b(digest_size=16)
        self._directories: dict[Identity, bytes] = {}
        self._newest_ns = 0

    def walk(self) -> Scan:
        started_ns = time.time_ns()
        try:
            top = os.lstat(self._root)
        except OSError as error:
            self._row(b"absent %d" % (error.errno or 0))
        else:
            pending = [(b"", top)]
            while pending:
                pending += self._enter(*pending.pop())
        return Scan(
            self._everything.digest(),
            self._visible.digest(),
            self._directories,
            settled=self._newest_ns < started_ns - _YOUNG_NS,
        )

    def _enter(
        self, relative: bytes, found: os.stat_result
    ) -> list[tuple[bytes, os.stat_result]]:
        """Take in a folder; returns the folders in it."""
        path = self._root + relative
        self._row(b"%s\0%d %d" % (relative, found.st_mode, found.st_ino))
        try:
            names = sorted(os.listdir(path))  # noqa: PTH208 raw bytes, and hot
        except OSError as error:  # also: the root is a file or a link
            self._row(b"unreadable %d" % (error.errno or 0))
            return []
        if stat.S_ISLNK(found.st_mode) or (relative and b".git" in names):
            return []
        self._directories[found.st_dev, found.st_ino] = path
        # a deletion leaves its trace here alone
        self._newest_ns = max(self._newest_ns, found.st_ctime_ns)
        folders = []
        for name in names:
            if not relative and name == _SCRATCH:
                continue
            inner = relative + b"/" + name
            try:
                status = os.lstat(self._root + inner)
            except OSError:  # gone since the listing: the next scan sees it
                continue
            if stat.S_ISDIR(status.st_mode):
                folders.append((inner, status))
            else:
                self._file(inner, status)
        return folders

    def _file(self, relative: bytes, found: os.stat_result) -> None:
        self._row(
            b"%s\0%d %d %d %d"
            % (
                relative,
                found.st_mode,
                found.st_ino,
                found.st_size,
                found.st_mtime_ns,
            )
        )
        self._everything.update(b"%d\0" % found.st_ctime_ns)
        self._newest_ns = max(self._newest_ns, found.st_ctime_ns)

    def _row(self, row: bytes) -> None:
        self._everything.update(row + b"\0")
        self._visible.update(row + b"\0")
