"""One daemon a user: who is it, asked of the kernel and of nothing else.

Two locks are held for life. ``daemon.lock`` by flock: it decides who is the daemon.
``daemon.pid`` by a POSIX record lock, because of those the kernel tells the holder's
process id (``F_GETLK``): a number in a file may name a stranger by now, the kernel's
answer may not (known report 20). A POSIX lock goes when its process closes any
descriptor of the file, so the daemon itself never opens ``daemon.pid`` a second time.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import signal
import struct
import sys
import time
from typing import TYPE_CHECKING, Self

from gitstate.daemon.files import make_home, same_file
from gitstate.errors import CannotWrite, Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LOCK = "daemon.lock"
PID = "daemon.pid"

_OPEN = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
_TAKEN = {errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK}
_NO_LOCKS = {errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}

# struct flock: type, whence, start, length, pid on Linux; start, length, pid first on macOS
_FLOCK = "qqihh" if sys.platform == "darwin" else "hhqqi"

# pid files this very process holds: F_GETLK does not tell of one's own locks
_mine: set[str] = set()


class AlreadyRunning(Refused):
    """Another process is this user's daemon."""


class Claim:
    """Being the daemon; made by ``claim``."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._lock = -1
        self._pid = -1

    def take(self) -> Self:
        """Take both locks; raises ``AlreadyRunning`` or ``CannotWrite``."""
        try:
            make_home(self._home)
            self._lock = os.open(self._home / LOCK, _OPEN, 0o600)
            self._pid = os.open(self._home / PID, _OPEN, 0o600)
            _exclusive(self._lock, fcntl.flock)
            _exclusive(self._pid, fcntl.lockf)
            self._write_pid()
        except BlockingIOError as error:
            self.release()
            pid = holder(self._home)
            who = f" (process {pid})" if pid else ""
            message = f"the gitstate daemon is running already{who}"
            raise AlreadyRunning(message) from error
        except OSError as error:
            self.release()
            raise CannotWrite.from_os(error, doing="take the daemon's lock") from error
        return self

    def holds(self) -> bool:
        """Are the locked files still the ones that others look at.

        A lost pid file is made anew; a lost lock file means that another may be the
        daemon by now.
        """
        if not same_file(self._lock, self._home / LOCK):
            return False
        if not same_file(self._pid, self._home / PID):
            with contextlib.suppress(OSError):
                fresh = os.open(self._home / PID, _OPEN, 0o600)
                os.close(self._pid)
                self._pid = fresh
                _exclusive(self._pid, fcntl.lockf)
                self._write_pid()
        return True

    def _write_pid(self) -> None:
        _mine.add(str(self._home / PID))
        with contextlib.suppress(OSError):  # only for people; a full disk is no reason
            os.ftruncate(self._pid, 0)
            os.pwrite(self._pid, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Give both locks back."""
        _mine.discard(str(self._home / PID))
        for fd in (self._pid, self._lock):
            if fd >= 0:
                os.close(fd)
        self._pid = self._lock = -1

    def __enter__(self) -> Self:
        return self.take()

    def __exit__(self, *exc: object) -> None:
        self.release()


def _exclusive(fd: int, lock: Callable[[int, int], object]) -> None:
    """Lock ``fd``; raises ``BlockingIOError`` when another holds it.

    A file system without such locks lets everyone pass: the other lock, and the
    compare-and-swap of each line, still protect.
    """
    try:
        lock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _TAKEN:
            raise BlockingIOError(error.errno, "taken") from error
        if error.errno not in _NO_LOCKS:
            raise


def holder(home: Path) -> int | None:
    """The process id of this user's daemon as the kernel knows it, or ``None``.

    0 when it runs where its number means nothing here (another container or host).
    """
    path = home / PID
    if str(path) in _mine:
        return os.getpid()
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        question = {"l_type": fcntl.F_WRLCK, "l_pid": 0}
        answer = _unpack(fcntl.fcntl(fd, fcntl.F_GETLK, _pack(question)))
    except OSError:
        return None
    finally:
        os.close(fd)
    if answer["l_type"] == fcntl.F_UNLCK:
        return None
    return max(0, answer["l_pid"])


def _pack(values: dict[str, int]) -> bytes:
    if sys.platform == "darwin":
        return struct.pack(_FLOCK, 0, 0, values["l_pid"], values["l_type"], os.SEEK_SET)
    return struct.pack(_FLOCK, values["l_type"], os.SEEK_SET, 0, 0, values["l_pid"])


def _unpack(data: bytes) -> dict[str, int]:
    size = struct.calcsize(_FLOCK)
    fields = struct.unpack(_FLOCK, data[:size])
    if sys.platform == "darwin":
        return {"l_type": fields[3], "l_pid": fields[2]}
    return {"l_type": fields[0], "l_pid": fields[4]}


def terminate(home: Path, pid: int) -> bool:
    """Send SIGTERM to the daemon if it still is process ``pid``; was it sent.

    Never to anybody else: where there are pidfds the process is pinned first, and asked
    for again.
    """
    if pid <= 0 or pid == os.getpid():
        return False
    with contextlib.suppress(ProcessLookupError), _pinned(pid) as pinned:
        if holder(home) == pid:
            if pinned is None:
                os.kill(pid, signal.SIGTERM)
            else:
                signal.pidfd_send_signal(pinned, signal.SIGTERM)
            return True
    return False


@contextlib.contextmanager
def _pinned(pid: int) -> Iterator[int | None]:
    """A descriptor that means this very process, or ``None`` (macOS, old kernels)."""
    if sys.platform != "linux":
        yield None
        return
    try:
        pinned = os.pidfd_open(pid)
    except OSError as error:
        if error.errno != errno.ENOSYS:
            raise
        yield None
        return
    try:
        yield pinned
    finally:
        os.close(pinned)


def wait_until_gone(home: Path, pid: int, *, timeout_s: float) -> bool:
    """Wait until ``pid`` is no longer the daemon; false after ``timeout_s`` seconds."""
    deadline = time.monotonic() + timeout_s
    while holder(home) == pid:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
