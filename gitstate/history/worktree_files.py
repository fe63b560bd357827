"""Files of the worktree that the state names: are they there, and how long."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from gitstate.git.objects import object_id

if TYPE_CHECKING:
    from collections.abc import Callable

    from gitstate.workspace import Workspace

_LARGEST = 64 << 20  # bytes that are read to count lines
_LARGEST_HASHED = 16 << 20  # bytes that are read to tell whether a file changed
_MANY = 1 << 40  # lines of what is there and cannot be counted


def line_counter(ws: Workspace) -> Callable[[str], int | None]:
    """How many lines a file has, by its path from the root; each is read once.

    0 for what is no file of lines (a folder), ``None`` where nothing is, or where the
    path leads out of the worktree.
    """
    known: dict[str, int | None] = {}

    def lines_of(path: str) -> int | None:
        if path not in known:
            known[path] = _count(ws, path)
        return known[path]

    return lines_of


def _count(ws: Workspace, path: str) -> int | None:
    parts = path.rstrip("/").split("/")
    if path.startswith(("/", "~")) or ".." in parts or "\0" in path or not path.strip():
        return None
    place = os.path.join(os.fsencode(ws.root), os.fsencode(path.rstrip("/")))  # noqa: PTH118 bytes
    try:
        fd = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return _MANY if os.path.lexists(place) else None
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            return 0
        if found.st_size > _LARGEST:
            return _MANY
        with os.fdopen(fd, "rb", closefd=False) as file:
            data = file.read()
    except OSError:
        return _MANY
    finally:
        os.close(fd)
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


def blob_id(ws: Workspace, path: str) -> str | None:
    """Git's id of a file's bytes, by its path from the root; ``None`` where it is gone.

    "" for what is no file, too large, or where the path leads out of the worktree.
    """
    parts = path.split("/")
    if not path or path.startswith(("/", "~")) or ".." in parts or "\0" in path:
        return ""
    place = os.path.join(os.fsencode(ws.root), os.fsencode(path))  # noqa: PTH118 bytes
    try:
        fd = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return ""
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST_HASHED:
            return ""
        with os.fdopen(fd, "rb", closefd=False) as file:
            return object_id("blob", file.read(), ws.object_format)
    except OSError:
        return ""
    finally:
        os.close(fd)
