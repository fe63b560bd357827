"""Small files of the daemon's own, read with suspicion."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LARGEST = 16 << 20


class NotPlainError(OSError):
    """The path is not a regular file of a sensible size."""


def make_home(home: Path) -> None:
    """Make the folder for this user's files, for the user alone."""
    home.parent.mkdir(parents=True, exist_ok=True)
    home.mkdir(mode=0o700, exist_ok=True)


def read_plain(path: Path) -> bytes:
    """The bytes of a regular file; raises ``OSError``, and ``NotPlainError`` for what is none.

    A link is not followed and a FIFO does not block.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        fd = os.open(path, flags)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotPlainError(errno.ELOOP, "a symbolic link", str(path)) from error
        raise
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, fd)
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise NotPlainError(errno.EINVAL, "not a regular file", str(path))
        if found.st_size > LARGEST:
            raise NotPlainError(errno.EFBIG, "too large", str(path))
        with os.fdopen(fd, "rb", closefd=False) as stream:
            return stream.read(LARGEST + 1)


def same_file(fd: int, path: Path) -> bool:
    """Is ``path`` still the file that ``fd`` has open."""
    try:
        there = path.lstat()
    except OSError:
        return False
    return os.path.samestat(os.fstat(fd), there)


def stamp(path: str | Path) -> tuple[int, ...] | None:
    """What changes when a file is written or replaced; ``None`` where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 hot: pathlib costs more than the call
    except (OSError, ValueError):
        return None
    return (
        found.st_dev,
        found.st_ino,
        found.st_size,
        found.st_mtime_ns,
        found.st_ctime_ns,
    )
