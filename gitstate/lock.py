"""The one lock of a repository: ``<common-dir>/gitstate/lock``, held by flock.

The kernel lets go of it when its holder dies, so no lock is ever stale. Where the
file system has no flock, the compare-and-swap of the line alone protects.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import time
from typing import TYPE_CHECKING

from gitstate.errors import CannotWrite, LockHeld, printable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_POLL_S = 0.01
_FORGOTTEN_S = 60.0  # work of milliseconds is over by then, whoever began it
_TEXT = 200  # bytes of the holder's name
# EBADF: NFS locks nothing that is not open for writing, as a folder never is
_NO_FLOCK = {
    errno.ENOLCK,
    errno.ENOTSUP,
    errno.ENOSYS,
    errno.EOPNOTSUPP,
    errno.EBADF,
}


@contextlib.contextmanager
def held(path: Path, *, verb: str, wait_s: float, mode: int = 0o600) -> Iterator[bool]:
    """Hold the lock at ``path``; yields whether the file system has flock at all.

    Waits ``wait_s`` seconds at most (0: tries once) and then raises ``LockHeld``,
    which names the holder. The file's text, pid and verb, is only for that message.
    """
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
    except OSError as error:
        raise CannotWrite.from_os(error, doing="take gitstate's lock") from error
    try:
        if mode & 0o066:  # core.sharedRepository beats the umask
            with contextlib.suppress(OSError):  # its maker did, where that is another
                os.fchmod(fd, mode)
        has_flock = _acquire(fd, path, wait_s)
        if has_flock:
            with contextlib.suppress(OSError):  # a full disk must not refuse the lock
                # over all that stood there: to cut the file costs a millisecond on ext4
                os.pwrite(fd, f"{os.getpid()} {verb}".encode().ljust(_TEXT), 0)
        yield has_flock
    finally:
        os.close(fd)


def _acquire(fd: int, path: Path, wait_s: float) -> bool:
    deadline = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _NO_FLOCK:
                return False
            if error.errno not in {
                errno.EWOULDBLOCK,
                errno.EAGAIN,
                errno.EACCES,
                errno.EINTR,
            }:
                raise CannotWrite.from_os(
                    error, doing="take gitstate's lock"
                ) from error
            if time.monotonic() >= deadline:
                raise LockHeld(_holder(fd, path)) from error
            time.sleep(_POLL_S)
        else:
            return True


@contextlib.contextmanager
def folder_held(fd: int, path: Path, *, wait_s: float) -> Iterator[bool]:
    """Hold a lock on an open folder itself: for edits of what is in it; no file is made.

    Yields whether the file system has such locks. Waits as ``held`` does; ``path``
    names the folder in the message.
    """
    has_flock = _acquire(fd, path, wait_s)
    try:
        yield has_flock
    finally:
        if has_flock:
            with contextlib.suppress(OSError):
                fcntl.flock(fd, fcntl.LOCK_UN)


@contextlib.contextmanager
def made(path: Path, *, wait_s: float) -> Iterator[None]:
    """Be alone by making a file, where there is no flock; for work of milliseconds.

    A process that is held up in it keeps it; one that is gone does not. Waits ``wait_s``
    seconds at most, then raises ``CannotWrite``.
    """
    mine = f"{os.getpid()} {os.uname().nodename} {os.urandom(8).hex()}".encode()
    deadline = time.monotonic() + wait_s
    while not _make(path, mine):
        if _take_away(path):
            continue
        if time.monotonic() >= deadline:
            raise CannotWrite(f"another process keeps {printable(path)}; try again")
        time.sleep(_POLL_S / 5)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            if path.read_bytes() == mine:
                path.unlink()


def _make(path: Path, mine: bytes) -> bool:
    """Make a lock file, unless there is one; raises ``CannotWrite``."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return False
    except OSError as error:
        raise CannotWrite.from_os(error, doing="take gitstate's lock") from error
    with contextlib.suppress(OSError):  # on a full disk it is nobody's for a minute
        os.write(fd, mine)
    os.close(fd)
    return True


def _take_away(path: Path) -> bool:
    """Remove a lock file that nobody holds any more; says whether it may be gone."""
    try:
        seen, age_s = path.read_bytes(), time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return True
    except OSError:
        return False
    if (
        abs(age_s) < _FORGOTTEN_S
        and lives(seen.decode("utf-8", "replace")) is not False
    ):
        return False
    aside = path.with_name(f"{path.name}.{os.getpid()}-{os.urandom(4).hex()}")
    with contextlib.suppress(OSError):
        path.rename(aside)  # of two that look at it, one takes it
        if aside.read_bytes() != seen:  # it is another one's by now
            with contextlib.suppress(FileExistsError):
                os.link(aside, path)
        aside.unlink()
    return True


def lives(owner: str) -> bool | None:
    """Is a process still there that a lock file names by ``pid host``; ``None``: who knows."""
    pid, _, rest = owner.strip().partition(" ")
    if not pid.isdigit() or rest.split(" ")[0] != os.uname().nodename:
        return None
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def is_held(path: Path) -> bool:
    """Does anybody hold the lock; false also where the file system has no flock."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _NO_FLOCK
    else:
        return False
    finally:
        os.close(fd)


def _holder(fd: int, path: Path) -> str:
    text = ""
    with contextlib.suppress(OSError):
        text = os.pread(fd, _TEXT, 0).decode("utf-8", "replace").strip()
    pid, _, verb = text.partition(" ")
    who = f"process {pid} ({printable(verb)})" if pid.isdigit() else "another process"
    return f"{who} holds gitstate's lock {printable(path)}; nothing was recorded, try again"
