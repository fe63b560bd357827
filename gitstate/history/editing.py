"""Edits of files in the state directory: texts in, texts out, and nobody's bytes lost.

Whoever edits holds a flock on the state directory itself: no lock file, and nothing in
the git dir, which may be read-only. People and agents who edit by hand hold no lock.
So a new text is exchanged for the very bytes that it was made from; when others stand
there by then, or somebody has the file open for writing, what is there stays, is read
again, and the edit is made anew on it.
"""

from __future__ import annotations

import os
import stat
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gitstate import lock
from gitstate.errors import CannotWrite, Refused, printable
from gitstate.git.objects import LINK
from gitstate.history.putting import New, parts_of, put_all
from gitstate.history.reading import (
    FOLDER_FLAGS,
    Content,
    Entry,
    Unread,
    folder,
    is_gone,
    read_entry,
    reason_of,
    size_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gitstate.workspace import Workspace

    Edit = Callable[["Files"], Mapping[str, str]]

_PAUSE_S = 0.002
_LONGEST_PAUSE_S = 0.05


class Files:
    """The state directory's files as an edit sees them, by name: ``long_mem/a.md``.

    Each is read once, so that an edit has one view of all of them.
    """

    def __init__(self, ws: Workspace, state: int) -> None:
        self._ws = ws
        self._state = state
        self._seen: dict[str, Content | None] = {}

    def content(self, name: str) -> Content | None:
        """A file's bytes and their blob id; ``None`` where there is no such file.

        Raises ``Refused`` for what is no file, or is too large to be kept.
        """
        if name not in self._seen:
            self._seen[name] = self._read(name)
        return self._seen[name]

    def text(self, name: str) -> str | None:
        """A file's text, its line ends as they are; ``None`` where there is none."""
        found = self.content(name)
        data = None if found is None else found.data
        try:
            return None if data is None else data.decode()
        except UnicodeDecodeError as error:
            line = (data or b"").count(b"\n", 0, error.start) + 1
            where = printable(f"{self._ws.settings.dir}/{name}")
            raise Refused(
                f"{where} is not UTF-8 in line {line}: mend that line first"
            ) from error

    def required(self, name: str) -> str:
        """The text of a file that ``init`` makes; raises ``Refused`` where it is gone."""
        text = self.text(name)
        if text is None:
            where = printable(f"{self._ws.settings.dir}/{name}")
            raise Refused(
                f"{where} is missing: `gitstate restore HEAD {name}` brings it back, "
                "`gitstate init` makes a new one"
            )
        return text

    def names(self, parent: str) -> list[str]:
        """The names in a folder ("": of the state directory), sorted; none without it."""
        try:
            with folder(self._state, parts_of(parent) if parent else []) as fd:
                return sorted(map(os.fsdecode, os.listdir(fd)))  # noqa: PTH208 an open folder
        except OSError as error:
            if is_gone(error):
                return []
            raise

    def written(self, name: str) -> int | None:
        """When a file was written last, in ns since 1970; ``None`` where there is none."""
        *parts, last = parts_of(name)
        try:
            with folder(self._state, parts) as fd:
                return os.stat(last, dir_fd=fd, follow_symlinks=False).st_mtime_ns
        except OSError as error:
            if is_gone(error):
                return None
            raise

    def are_as_read(self) -> bool:
        """Are all files that were read as they were then."""
        return all(
            _data(self._read(name)) == _data(seen) for name, seen in self._seen.items()
        )

    def _read(self, name: str) -> Content | None:
        *parts, last = parts_of(name)
        where = printable(f"{self._ws.settings.dir}/{name}")
        try:
            with folder(self._state, parts) as fd:
                found = read_entry(
                    fd,
                    last,
                    object_format=self._ws.object_format,
                    max_size=self._ws.settings.max_file_size,
                )
        except FileNotFoundError:
            return None
        except OSError as error:
            if not is_gone(error):
                raise
            raise Refused(f"a folder of {where} is a link or a file") from error
        if isinstance(found, Unread):
            reason = "a folder" if found.kind == stat.S_IFDIR else found.reason
            raise Refused(f"{where}: {reason}; it is not edited")
        if isinstance(found, Entry) and found.content.mode == LINK:
            raise Refused(f"{where} is a link: gitstate edits real files only")
        return found.content if isinstance(found, Entry) else None


def edit(ws: Workspace, change: Edit, *, wait_s: float = 5.0) -> tuple[str, ...]:
    """Edit files of the state directory; returns the names of those that changed.

    ``change`` is given the files and returns new texts by name, which are put in that
    order; it is called again when somebody wrote one of these files meanwhile. What it
    raises goes through, and nothing is written then. Raises ``LockHeld`` when another
    edit does not end within ``wait_s`` seconds, ``Refused`` and ``CannotWrite``.
    """
    with locked(ws, wait_s=wait_s) as state:
        return edit_locked(ws, state, change, wait_s=wait_s)


@contextmanager
def locked(ws: Workspace, *, wait_s: float = 5.0) -> Iterator[int]:
    """Be the one who edits; yields the state directory. Raises as ``edit`` does."""
    with (
        _system_errors(ws),
        opened(ws) as state,
        lock.folder_held(state, ws.state_dir, wait_s=wait_s),
    ):
        yield state


def edit_locked(
    ws: Workspace, state: int, change: Edit, *, wait_s: float = 5.0
) -> tuple[str, ...]:
    """``edit``, inside ``locked``."""
    deadline = time.monotonic() + wait_s
    pause = _PAUSE_S
    while True:
        files = Files(ws, state)
        try:
            texts = change(files)
        except Refused:
            # of a text that somebody is just writing half may have been read
            time.sleep(_PAUSE_S)
            if files.are_as_read() or time.monotonic() > deadline:
                raise
            continue
        new = [
            New(name, _encoded(ws, name, text), _data(files.content(name)))
            for name, text in texts.items()
        ]
        new = [one for one in new if one.data != one.old]
        if not new:
            return ()
        if put_all(ws, state, new):
            return tuple(one.name for one in new)
        if time.monotonic() > deadline:
            names = ", ".join(printable(one.name) for one in new)
            raise Refused(
                f"somebody writes {names} without pause: nothing was changed, try again"
            )
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_S)


@contextmanager
def viewed(ws: Workspace) -> Iterator[Files]:
    """The files as they are, for those who only read; takes no lock."""
    with _system_errors(ws), opened(ws) as state:
        yield Files(ws, state)


@contextmanager
def opened(ws: Workspace) -> Iterator[int]:
    """A descriptor of the state directory, no part of the way to it a link.

    Raises ``Refused`` where there is none.
    """
    # the worktree itself may be reached through links: they are the user's
    root = os.open(ws.root, FOLDER_FLAGS & ~os.O_NOFOLLOW)
    try:
        try:
            with folder(root, os.fsencode(ws.settings.dir).split(b"/")) as state:
                fd = os.dup(state)
        except OSError as error:
            if not is_gone(error):
                raise
            raise Refused(
                f"{printable(ws.state_dir)} is no folder ({reason_of(error)}): "
                "`gitstate init` says why, or makes it"
            ) from error
        try:
            yield fd
        finally:
            os.close(fd)
    finally:
        os.close(root)


@contextmanager
def _system_errors(ws: Workspace) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = printable(ws.state_dir)
        raise CannotWrite.from_os(error, doing=f"write in {where}") from error


def _encoded(ws: Workspace, name: str, text: str) -> bytes:
    if "\0" in text:
        raise Refused(f"a NUL character cannot stand in {printable(name)}")
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        bad = printable(text[max(0, error.start - 20) : error.start + 1])
        raise Refused(f"this is not UTF-8 text: {bad}") from error
    if len(data) > ws.settings.max_file_size:
        limit = size_text(ws.settings.max_file_size)
        raise Refused(
            f"{printable(name)} would be larger than {limit} (gitstate.maxFileSize), "
            "and be left out of the versions"
        )
    return data


def _data(content: Content | None) -> bytes | None:
    return None if content is None else content.data
