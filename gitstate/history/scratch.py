"""``.gitstate-tmp``: where new files wait and displaced files are kept.

Each run has a folder of its own, named by a random token::

    .gitstate-tmp/.gitignore         hides it all from the user's git
    .gitstate-tmp/<token>.part/      being staged; nothing in it was ever in the state
    .gitstate-tmp/<token>/new/PATH   staged whole, or what an exchange put in its place
    .gitstate-tmp/<token>/old/PATH   renamed aside

The rename from ``.part`` comes after the last byte is staged, and nothing is displaced
before it. So whatever a crash leaves, a ``.part`` is nobody's bytes, and every file of
a whole run is PATH's bytes from before or after: both are treated alike, as bytes that
may go when a version has them (``settle``).
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import stat
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gitstate.errors import CannotWrite, Refused
from gitstate.git.objects import EXECUTABLE, LINK
from gitstate.history.primitives import At, write_all, write_out
from gitstate.history.reading import FOLDER_FLAGS, folder, is_gone
from gitstate.workspace import SCRATCH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.history.reading import Content

SCRATCH_NAME = os.fsencode(SCRATCH)
NEW, OLD = b"new", b"old"
PART = b".part"
_IGNORE = b".gitignore"
_TOKEN = re.compile(rb"[0-9a-f]{16}")
_ATTEMPTS = 5
_ABANDONED_S = 600  # far longer than any run takes


class Run:
    """One run's folder; ``fd`` is open for as long as the run lasts."""

    def __init__(self, scratch: int, token: bytes) -> None:
        self._scratch = scratch
        self.token = token
        self._published = False
        os.mkdir(token + PART, 0o700, dir_fd=scratch)
        self.fd = os.open(token + PART, FOLDER_FLAGS, dir_fd=scratch)
        try:
            with contextlib.suppress(OSError):  # no flock here: see `finished_runs`
                fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for tree in (NEW, OLD):
                os.mkdir(tree, 0o700, dir_fd=self.fd)
        except OSError:
            self.close()
            raise

    @contextmanager
    def at(self, tree: bytes, path: bytes, *, make: bool = False) -> Iterator[At]:
        """Where ``path`` stands in one of the run's trees; ``make``: with its folders."""
        *parts, name = path.split(b"/")
        with folder(self.fd, [tree, *parts], made=[] if make else None) as fd:
            yield At(fd, name)

    def stage(self, path: bytes, content: Content, *, durable: bool) -> None:
        """Write a new content; raises ``OSError``, ``FileExistsError`` for a twin name."""
        data = content.data or b""
        with self.at(NEW, path, make=True) as at:
            if content.mode == LINK:
                os.symlink(data, at.name, dir_fd=at.fd)
                return
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            mode = 0o777 if content.mode == EXECUTABLE else 0o666  # the umask's, as git
            fd = os.open(at.name, flags, mode, dir_fd=at.fd)
            try:
                write_all(fd, data)
                if durable:
                    write_out(fd)
            finally:
                os.close(fd)

    def prepare(self, path: bytes) -> None:
        """Make the folders that a displaced ``path`` will need, while nothing is done."""
        with self.at(OLD, path, make=True):
            pass

    def publish(self) -> None:
        """All is staged: from here on the folder may hold displaced files."""
        os.rename(
            self.token + PART,
            self.token,
            src_dir_fd=self._scratch,
            dst_dir_fd=self._scratch,
        )
        self._published = True

    def drop(self, path: bytes) -> None:
        """Remove a staged file that was never put into the state directory."""
        with contextlib.suppress(OSError), self.at(NEW, path) as at:
            os.unlink(at.name, dir_fd=at.fd)

    def close(self) -> None:
        """Remove what is empty, all of it if nothing was ever put in place."""
        name = self.token if self._published else self.token + PART
        if not self._published:
            remove_tree(self._scratch, name)
        else:
            prune(self._scratch, name)
        os.close(self.fd)


@contextmanager
def new_run(state: int) -> Iterator[Run]:
    """A new run in the state directory's scratch folder.

    Raises ``Refused`` where a link or a file is in the folder's place, else ``OSError``.
    """
    scratch, run = _begin(state)
    try:
        yield run
    finally:
        run.close()
        remove_if_empty(state, scratch)
        os.close(scratch)


def _begin(state: int) -> tuple[int, Run]:
    for attempt in range(_ATTEMPTS):
        with contextlib.suppress(FileExistsError):
            os.mkdir(SCRATCH_NAME, 0o700, dir_fd=state)
        try:
            scratch = os.open(SCRATCH_NAME, FOLDER_FLAGS, dir_fd=state)
        except OSError as error:
            if error.errno == errno.ENOENT and attempt + 1 < _ATTEMPTS:
                continue  # another process found it empty and removed it
            if not is_gone(error):
                raise
            raise Refused(
                f"{SCRATCH} in the state directory is a link or a file; gitstate keeps "
                "its own folder there: move it away"
            ) from error
        try:
            hide(scratch)
            return scratch, Run(scratch, os.urandom(8).hex().encode())
        except OSError as error:
            os.close(scratch)
            if error.errno != errno.ENOENT or attempt + 1 == _ATTEMPTS:
                raise
    raise CannotWrite(f"{SCRATCH} in the state directory vanishes as it is made")


def hide(scratch: int) -> None:
    """Keep the open scratch folder out of the user's git."""
    # where the state directory is tracked, `git add -A` during a restore would take it
    with contextlib.suppress(FileExistsError):
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        fd = os.open(_IGNORE, flags, 0o600, dir_fd=scratch)
        try:
            write_all(fd, b"*\n")
        finally:
            os.close(fd)


def remove_if_empty(state: int, scratch: int) -> None:
    """Remove the scratch folder when nothing is kept in it."""
    with contextlib.suppress(OSError):
        if set(map(os.fsencode, os.listdir(scratch))) <= {_IGNORE}:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(_IGNORE, dir_fd=scratch)
            try:
                os.rmdir(SCRATCH_NAME, dir_fd=state)
            except OSError:  # another run has just begun in it
                hide(scratch)


@contextmanager
def open_scratch(state: int) -> Iterator[int | None]:
    """The scratch folder, or ``None`` where there is none that is ours to look into."""
    try:
        scratch = os.open(SCRATCH_NAME, FOLDER_FLAGS, dir_fd=state)
    except OSError:
        yield None
        return
    try:
        yield scratch
    finally:
        os.close(scratch)


def finished_runs(scratch: int) -> Iterator[tuple[bytes, int]]:
    """The runs that no process is at work in, with an open folder.

    Those that never got beyond staging are removed here.
    """
    for entry in sorted(map(os.fsencode, os.listdir(scratch))):
        token = entry.removesuffix(PART)
        if not _TOKEN.fullmatch(token):
            continue
        try:
            fd = os.open(entry, FOLDER_FLAGS, dir_fd=scratch)
        except OSError:
            continue
        try:
            if not _is_finished(fd):
                continue
            if entry != token:
                remove_tree(scratch, entry)
            else:
                yield entry, fd
        finally:
            os.close(fd)


def _is_finished(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without flock
        return time.time() - os.fstat(fd).st_mtime > _ABANDONED_S
    return True


def prune(parent: int, name: bytes) -> None:
    """Remove a folder of ours with all its empty sub-folders; keep what holds a file."""
    _sweep(parent, name, files=False)


def remove_tree(parent: int, name: bytes) -> None:
    """Remove a folder of ours with everything in it."""
    _sweep(parent, name, files=True)


def _sweep(parent: int, name: bytes, *, files: bool) -> None:
    with contextlib.suppress(OSError):
        fd: int = os.open(name, FOLDER_FLAGS, dir_fd=parent)
        try:
            for entry in map(os.fsencode, os.listdir(fd)):
                found = os.stat(entry, dir_fd=fd, follow_symlinks=False)
                if stat.S_ISDIR(found.st_mode):
                    _sweep(fd, entry, files=files)
                elif files:
                    os.unlink(entry, dir_fd=fd)
        finally:
            os.close(fd)
        os.rmdir(name, dir_fd=parent)
