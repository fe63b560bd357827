"""The system calls that put a file in another's place without losing either.

``EXCHANGE`` swaps two names at once (Linux ``renameat2``, macOS ``renameatx_np``).
Where the system or the file system has no such call, ``ASIDE`` renames the old file
away and links the new one in, which fails when somebody made a file there meanwhile.
Both need one file system.
"""

from __future__ import annotations

import contextlib
import enum
import errno
import fcntl
import functools
import os
import stat
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

# what says "not on this system or file system"; EPERM: a sandbox that filters the call
_NOT_HERE = {
    errno.EINVAL,
    errno.ENOSYS,
    errno.ENOTSUP,
    errno.EOPNOTSUPP,
    errno.ENOTTY,
    errno.EPERM,
}
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
_LINUX = {"no_replace": 1, "exchange": 2}  # linux/fs.h
_MACOS = {"no_replace": 4, "exchange": 2}  # sys/stdio.h: RENAME_EXCL, RENAME_SWAP
_WRITE_AND_WAIT = 1 | 2 | 4  # SYNC_FILE_RANGE_WAIT_BEFORE | _WRITE | _WAIT_AFTER


class Way(enum.Enum):
    """How a file takes another's place."""

    EXCHANGE = enum.auto()
    ASIDE = enum.auto()


class At(NamedTuple):
    """A name in an open folder."""

    fd: int
    name: bytes


class UnsupportedError(Exception):
    """The system or the file system has no such rename."""


def exchange(one: At, other: At) -> None:
    """Swap two names at once; raises ``UnsupportedError`` or ``OSError``."""
    _special_rename(one, other, "exchange")


def place(source: At, target: At, way: Way) -> None:
    """Move a file or link to a free name; raises ``FileExistsError`` if it is taken.

    Where there are no hard links either, it is copied and ``source`` stays.
    """
    if way is Way.EXCHANGE:
        try:
            _special_rename(source, target, "no_replace")
        except UnsupportedError:
            pass
        else:
            return
    try:
        os.link(
            source.name,
            target.name,
            src_dir_fd=source.fd,
            dst_dir_fd=target.fd,
            follow_symlinks=False,
        )
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _copy(source, target)
    else:
        os.unlink(source.name, dir_fd=source.fd)


def rename(source: At, target: At) -> None:
    """Rename; ``target`` must be a name of our own, where nothing can be lost."""
    os.rename(source.name, target.name, src_dir_fd=source.fd, dst_dir_fd=target.fd)


def give_back(source: At, target: At, way: Way) -> None:
    """Move anything, folders too, back to a free name; raises ``FileExistsError``."""
    kind = os.stat(source.name, dir_fd=source.fd, follow_symlinks=False).st_mode
    if not stat.S_ISDIR(kind):
        place(source, target, way)
        return
    try:
        _special_rename(source, target, "no_replace")
    except UnsupportedError:
        # a folder's rename replaces nothing but an empty folder
        rename(source, target)


def _copy(source: At, target: At) -> None:
    found = os.stat(source.name, dir_fd=source.fd, follow_symlinks=False)
    if stat.S_ISLNK(found.st_mode):
        text = os.readlink(source.name, dir_fd=source.fd)
        os.symlink(text, target.name, dir_fd=target.fd)
        return
    flags = os.O_NOFOLLOW | os.O_CLOEXEC
    origin = os.open(source.name, os.O_RDONLY | flags, dir_fd=source.fd)
    try:
        mode = stat.S_IMODE(found.st_mode) & 0o777
        copy = os.open(
            target.name,
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | flags,
            mode,
            dir_fd=target.fd,
        )
        try:
            while chunk := os.read(origin, 1 << 20):
                write_all(copy, chunk)
        except OSError:
            with contextlib.suppress(OSError):  # a part of it is no file of anybody's
                os.unlink(target.name, dir_fd=target.fd)
            raise
        finally:
            os.close(copy)
    finally:
        os.close(origin)


def write_all(fd: int, data: bytes) -> None:
    """Write every byte; raises ``OSError``."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def write_out(fd: int) -> None:
    """Bring a file's pages to the device, without a flush of the device's own cache.

    As git's ``core.fsyncMethod=batch``: many of these, then one ``flush``.
    """
    call = _library_call("sync_file_range")
    if call is None or call(fd, 0, 0, _WRITE_AND_WAIT) != 0:
        os.fsync(fd)


def flush(fd: int) -> None:
    """Make a file or folder survive a power cut, with all that was written out before."""
    full = getattr(fcntl, "F_FULLFSYNC", None)
    if full is not None:
        with contextlib.suppress(OSError):
            fcntl.fcntl(fd, full)
            return
    try:
        os.fsync(fd)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:  # folders of some systems
            raise


def _special_rename(one: At, other: At, what: str) -> None:
    if sys.platform == "darwin":
        call, flag = _library_call("renameatx_np"), _MACOS[what]
    else:
        call, flag = _library_call("renameat2"), _LINUX[what]
    if call is None:
        raise UnsupportedError
    if call(one.fd, one.name, other.fd, other.name, flag) == 0:
        return
    import ctypes  # noqa: PLC0415 3 ms that only a restore needs

    number = ctypes.get_errno()
    if number in _NOT_HERE:
        raise UnsupportedError
    raise OSError(number, os.strerror(number), os.fsdecode(one.name))


@functools.cache
def _library_call(name: str) -> Callable[..., int] | None:
    import ctypes  # noqa: PLC0415 3 ms that only a restore needs

    kinds: dict[str, list[Any]] = {
        "sync_file_range": [ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint]
    }
    renames: list[Any] = [ctypes.c_int, ctypes.c_char_p] * 2 + [ctypes.c_uint]
    call = getattr(ctypes.CDLL(None, use_errno=True), name, None)
    if call is None:
        return None
    call.argtypes = kinds.get(name, renames)
    call.restype = ctypes.c_int
    found: Callable[..., int] = call
    return found
