"""What is ours in a file of others: put in and cut out, as text; pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gitstate.errors import Refused, printable
from gitstate.hooks.agents import block, entries, layouts

if TYPE_CHECKING:
    from gitstate.hooks.agents.layouts import Layout


_TAKES_OUT = f"gitstate agent uninstall {layouts.ANY}"


def with_ours(layout: Layout, path: str, old: bytes | None) -> bytes:
    """A file with what is ours in it, as this version puts it in."""
    own = layout.files.get(path, layout.texts.get(path))
    if own is not None:
        return own.encode()
    text = _decoded(path, old)
    if path in layout.blocks:
        if "\0" in text:
            raise Refused(f"{printable(path)} is no text; nothing was changed")
        try:
            return block.put(old, layout.blocks[path], _TAKES_OUT)
        except Refused as error:
            raise Refused(f"{printable(path)}: {error}") from error
    ways = [(way, value) for file, way, value in layout.entries if file == path]
    try:
        return entries.put(text, ways).encode()
    except UnicodeEncodeError as error:
        raise Refused("the path of this Python is not UTF-8") from error
    except Refused as error:
        raise Refused(f"{printable(path)}: {error}; nothing was changed") from error


def is_empty(text: bytes) -> bool:
    """Is nothing in a settings file but the number of its form.

    Qwen Code writes that into each one that it finds.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and set(found) <= {"$version"}


def without_ours(layout: Layout, path: str, old: bytes) -> bytes | None:
    """A file without what is ours; ``None`` where nothing is left of it."""
    if path in layout.files or path in layout.texts:
        return None
    if path in layout.blocks:
        return block.cut(old)
    try:
        return entries.cut(_decoded(path, old)).encode()
    except Refused:
        return old  # no JSON any more: nothing in it is known to be ours


def _decoded(path: str, old: bytes | None) -> str:
    try:
        return (old or b"").decode()
    except UnicodeDecodeError as error:
        raise Refused(f"{printable(path)} is not UTF-8; nothing was changed") from error
