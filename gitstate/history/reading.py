"""Folders and single entries of the state directory, read without following a link.

Everything goes through descriptors of folders that were opened part by part with
``O_NOFOLLOW``: whatever is swapped for a link meanwhile, nothing outside is reached.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from typing import TYPE_CHECKING

from gitstate.errors import Refused, printable
from gitstate.git.objects import EXECUTABLE, FILE, LINK, object_id
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: a FIFO put in a file's place between lstat and open must not block
FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_ATTEMPTS = 4
_WAITS_S = (0.001, 0.003, 0.009)  # between the attempts at a file being written
_REPLACED = {errno.ELOOP, errno.EMLINK, errno.EINVAL, errno.ENXIO}
_NO_FILE = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe, not a file",
    stat.S_IFSOCK: "a socket, not a file",
    stat.S_IFCHR: "a device, not a file",
    stat.S_IFBLK: "a device, not a file",
}


@dataclass(frozen=True, slots=True)
class Content:
    """What a version holds of one path: git's mode, the blob's id and its bytes.

    ``data`` is ``None`` where a cache knew the id and the file was not read.
    """

    mode: int
    id: str
    data: bytes | None


@dataclass(frozen=True, slots=True)
class Unread:
    """Something that is there and gives no content; ``reason`` says why, in words.

    ``kind`` is its ``S_IFMT``.
    """

    reason: str
    kind: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A content with the ``fstat`` that held still while it was read.

    ``steady`` is ``None`` for a link, and for a file that was written all the time.
    """

    content: Content
    steady: os.stat_result | None


class Patience:
    """How long one scan waits, all its files together, for writers to finish."""

    def __init__(self, limit_s: float) -> None:
        self._left_s = limit_s

    def wait(self, seconds: float) -> bool:
        """Wait, or return false when the patience is used up."""
        if self._left_s <= 0:
            return False
        self._left_s -= seconds
        time.sleep(seconds)
        return True


def open_state(state_dir: Path) -> int | None:
    """A descriptor of the state directory; ``None`` where there is nothing.

    Raises ``Refused`` for a link or a file in its place, or when it cannot be read.
    """
    try:
        return os.open(state_dir, FOLDER_FLAGS)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(_why_not(state_dir, error)) from error


def _why_not(state_dir: Path, error: OSError) -> str:
    try:
        mode = os.lstat(state_dir).st_mode
    except OSError:
        mode = stat.S_IFDIR
    if stat.S_ISDIR(mode):
        return f"{printable(state_dir)} cannot be read: {reason_of(error)}"
    what = "link" if stat.S_ISLNK(mode) else "file"
    return (
        f"{printable(state_dir)} is a {what}; gitstate keeps a real folder there: "
        "move it away, or set gitstate.dir to another name"
    )


@contextlib.contextmanager
def folder(
    start: int, parts: Sequence[bytes], *, made: list[bytes] | None = None
) -> Iterator[int]:
    """A descriptor of the folder ``parts`` below ``start``, no part of it a link.

    With ``made`` the folders that are missing are made, and their paths added to it.
    Raises ``OSError``: ``ENOTDIR`` or ``ELOOP`` where a part is no folder.
    """
    fd = os.dup(start)
    try:
        for position, part in enumerate(parts):
            if made is not None:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, dir_fd=fd)
                    made.append(b"/".join(parts[: position + 1]))
            below = os.open(part, FOLDER_FLAGS, dir_fd=fd)
            os.close(fd)
            fd = below
        yield fd
    finally:
        os.close(fd)


def read_entry(
    folder_fd: int,
    name: bytes,
    *,
    object_format: str,
    max_size: int,
    patience: Patience | None = None,
) -> Entry | Unread | None:
    """What stands under ``name`` in a folder; ``None`` for nothing.

    A file that changes while it is read is read again a few times, and then taken as
    it was read last. One that is larger than ``max_size`` bytes is not read.
    """
    kind = stat.S_IFREG
    for _ in range(_ATTEMPTS):
        try:
            seen = os.stat(name, dir_fd=folder_fd, follow_symlinks=False)
            kind = stat.S_IFMT(seen.st_mode)
            if kind == stat.S_IFREG:
                return _read_file(folder_fd, name, object_format, max_size, patience)
            return _read_other(folder_fd, name, object_format, kind)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno not in _REPLACED:  # by another kind of thing: look again
                return Unread(f"cannot be read: {reason_of(error)}", kind)
    return Unread("cannot be read: replaced without pause", kind)


def _read_other(
    folder_fd: int, name: bytes, object_format: str, kind: int
) -> Entry | Unread:
    if kind == stat.S_IFLNK:
        target = os.readlink(name, dir_fd=folder_fd)
        identity = object_id("blob", target, object_format)
        return Entry(Content(LINK, identity, target), None)
    return Unread(_NO_FILE.get(kind, "not a file"), kind)


def _read_file(
    folder_fd: int,
    name: bytes,
    object_format: str,
    max_size: int,
    patience: Patience | None,
) -> Entry | Unread:
    fd = os.open(name, FILE_FLAGS, dir_fd=folder_fd)
    try:
        for wait_s in (*_WAITS_S, None):
            before = os.fstat(fd)
            if not stat.S_ISREG(before.st_mode):
                raise OSError(errno.ELOOP, "replaced")
            large = before.st_size > max_size
            data = b"" if large else _read_all(fd, max_size)
            if large or len(data) > max_size:
                reason = f"larger than the limit of {size_text(max_size)}"
                return Unread(reason, stat.S_IFREG)
            after = os.fstat(fd)
            steady = moment(before) == moment(after) and len(data) == after.st_size
            if steady or wait_s is None or not (patience and patience.wait(wait_s)):
                break
    finally:
        os.close(fd)
    content = Content(git_mode(after), object_id("blob", data, object_format), data)
    return Entry(content, after if steady else None)


def _read_all(fd: int, max_size: int) -> bytes:
    data = bytearray()
    while chunk := os.pread(fd, min(1 << 20, max_size + 1 - len(data)), len(data)):
        data += chunk
    return bytes(data)


def moment(found: os.stat_result) -> tuple[int, int, int]:
    """What changes when a file's bytes are written: size, mtime and ctime."""
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns


def git_mode(found: os.stat_result) -> int:
    """Return git's mode of a regular file: the owner's execute bit decides."""
    return EXECUTABLE if found.st_mode & stat.S_IXUSR else FILE


def is_gone(error: OSError) -> bool:
    """Does the error say that there is nothing, or no folder where one is needed."""
    # a link opened with O_NOFOLLOW and O_DIRECTORY: ENOTDIR on Linux, ELOOP elsewhere
    return error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EMLINK}


def reason_of(error: OSError) -> str:
    """An operating system's error in words, as the end of a sentence."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


def size_text(size: int) -> str:
    """A size for people: ``1 MiB``, ``512 KiB``, ``1000 bytes``."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.4g} {name}"
    return f"{size} bytes"
