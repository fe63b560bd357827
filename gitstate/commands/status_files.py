"""The files on the screen of ``gitstate status``: age, and size against the limit."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gitstate import clock, output
from gitstate.documents.header import MAX_CHARS, UNNUMBERED, from_name, read
from gitstate.errors import printable

if TYPE_CHECKING:
    from collections.abc import Container

    from gitstate.history.look import Look
    from gitstate.workspace import Workspace

LONGEST_NAME = 48  # columns
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def rows(ws: Workspace, look: Look, edited: Container[bytes]) -> list[dict[str, Any]]:
    """A file each: ``bytes`` and ``age_s`` are ``None`` where it vanished meanwhile."""
    found = []
    for path in sorted(look.scan.files):
        place = os.path.join(os.fsencode(ws.state_dir), path)  # noqa: PTH118 raw bytes
        stat = None
        with suppress(OSError):
            stat = os.lstat(place)
        found.append(
            {
                "path": printable(path),
                "bytes": stat.st_size if stat else None,
                "limit": _limit(ws, path, place),
                "age_s": max(0, int(clock.epoch_now() - stat.st_mtime))
                if stat
                else None,
                "edited": path in edited,
            }
        )
    return found


def _limit(ws: Workspace, path: bytes, place: bytes) -> int:
    """Bytes: what a numbered file's header allows it, else what a version takes."""
    most = ws.settings.max_file_size
    name = printable(path)
    if b"/" in path or from_name(name).order == UNNUMBERED:
        return most
    try:
        file = os.open(place, _FLAGS)
        try:
            start = os.read(file, MAX_CHARS * 4).decode("utf-8", "replace")
        finally:
            os.close(file)
    except OSError:
        return most
    own = read(name, start).header.capacity.size
    return most if own is None else min(own, most)


def table(found: list[dict[str, Any]]) -> list[str]:
    """The rows for a person."""
    cells = []
    for row in found:
        over = row["bytes"] is not None and row["bytes"] > row["limit"]
        limit = f"of {size_text(row['limit'])}"
        marks = [*(["over its limit"] if over else []), *(["edited"] * row["edited"])]
        cells.append(
            [
                shortened(row["path"]),
                "?" if row["bytes"] is None else size_text(row["bytes"]),
                output.paint(limit, "yellow") if over else limit,
                "?" if row["age_s"] is None else clock.age_text(row["age_s"]),
                ", ".join(marks),
            ]
        )
    return output.aligned(cells, right={1, 3}, indent=2)


def shortened(name: str) -> str:
    """A name that leaves room for the columns beside it."""
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[: LONGEST_NAME - 1]}…"


def size_text(count: int) -> str:
    """Bytes for a person."""
    if count < 1024:  # noqa: PLR2004 bytes of a KiB
        return f"{count} B"
    if count < 1 << 20:
        return f"{count / 1024:.1f} KiB"
    return f"{count / (1 << 20):.1f} MiB"
