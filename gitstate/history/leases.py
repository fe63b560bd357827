"""Has anybody a file open for writing: the kernel's leases know (Linux).

A read lease is granted only while there is no writer, and a writer that comes while it
is held waits and is seen. Elsewhere, and where a file system grants no leases, a file
that was left alone for a minute counts as closed.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import signal
import time

from gitstate.history.scratch import PART, remove_tree

UNCHANGED_S = 60.0


class Leases:
    """The leases of one file system, asked through its scratch folder."""

    def __init__(self, scratch: int) -> None:
        self._scratch = scratch
        self._work: bool | None = None

    def nobody_writes(self, fd: int, data: bytes) -> bool:
        """Is nobody writing, and are the bytes of ``fd``, open to read, still ``data``.

        True stays true until ``fd`` is closed, unless a writer comes in that very
        moment. Raises ``OSError``.
        """
        leased = _take(fd)
        if leased is False and not self._are_granted():
            leased = None
        if leased is False:
            return False
        if leased is None:
            found = os.fstat(fd)
            if time.time() - max(found.st_mtime, found.st_ctime) < UNCHANGED_S:
                return False
        if os.pread(fd, len(data) + 1, 0) != data:
            return False
        return leased is None or fcntl.fcntl(fd, fcntl.F_GETLEASE) == fcntl.F_RDLCK

    def alone(self, fd: int) -> bool | None:
        """Is ``fd``, open to read, open for writing nowhere; ``None`` where nobody knows.

        True holds a lease until ``fd`` is closed: ``still_alone`` says if one came.
        """
        leased = _take(fd)
        if leased is False and not self._are_granted():
            return None
        return leased

    def still_alone(self, fd: int) -> bool:
        """Since ``alone`` was true: has no writer come, who waits for the lease to end."""
        return fcntl.fcntl(fd, fcntl.F_GETLEASE) == fcntl.F_RDLCK

    def _are_granted(self) -> bool:
        # NFS refuses a lease with the same error as a file that is being written
        if self._work is None:
            self._work = _probe(self._scratch)
        return self._work


def _take(fd: int) -> bool | None:
    """Take a read lease: ``False`` when refused, ``None`` where there are none."""
    if not hasattr(fcntl, "F_SETLEASE"):
        return None
    try:
        # its breaking is told by a signal; SIGIO, the default, would end the process
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        return False if error.errno in {errno.EAGAIN, errno.EWOULDBLOCK} else None
    return True


def _probe(scratch: int) -> bool:
    """Does a file that is surely not open for writing get a lease here."""
    name = os.urandom(8).hex().encode() + PART  # swept like staged files
    try:
        os.mkdir(name, 0o700, dir_fd=scratch)
        path = name + b"/probe"
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, dir_fd=scratch))
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC, dir_fd=scratch)
        try:
            return _take(fd) is True
        finally:
            os.close(fd)
    except OSError:
        return False
    finally:
        with contextlib.suppress(OSError):
            remove_tree(scratch, name)
