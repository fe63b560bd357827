"""The state directory's own side of an exchange: open places, and what stands there."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from gitstate.history.primitives import At
from gitstate.history.reading import Content, Entry, Unread, folder, is_gone, read_entry
from gitstate.history.settle import LARGEST

if TYPE_CHECKING:
    from contextlib import ExitStack


class Live:
    """An open state directory."""

    def __init__(self, state: int, object_format: str) -> None:
        self._state = state
        self._format = object_format

    def open(
        self, stack: ExitStack, path: bytes, *, made: list[bytes] | None = None
    ) -> At | None:
        """The place of a path; ``None`` where its folder is missing or is no folder.

        With ``made`` missing folders are made, and their paths added to it.
        """
        *parts, name = path.split(b"/")
        try:
            return At(stack.enter_context(folder(self._state, parts, made=made)), name)
        except OSError as error:
            if is_gone(error):
                return None
            raise

    def look(self, at: At) -> Content | Unread | None:
        """What stands there, with its bytes."""
        entry = read_entry(at.fd, at.name, object_format=self._format, max_size=LARGEST)
        return entry.content if isinstance(entry, Entry) else entry


def same(found: Content | Unread | None, wanted: Content | None) -> bool:
    """Is that what stands there, in mode and bytes."""
    if found is None or wanted is None:
        return found is wanted
    return isinstance(found, Content) and (found.mode, found.id) == (
        wanted.mode,
        wanted.id,
    )


def is_folder(found: Content | Unread | None) -> bool:
    """Does a folder stand there."""
    return isinstance(found, Unread) and found.kind == stat.S_IFDIR


def head_of(path: bytes) -> bytes:
    """The folder of a path; empty for the state directory itself."""
    return path.rpartition(b"/")[0]
