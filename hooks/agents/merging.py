"""What is ours in a file of others: put in and cut out, as text; pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gitstate.errors import Refused, printable
from gitstate.hooks.agents import block, json_text, layouts

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
    if [(way, _as_put(one)) for way, one in _ours(text, path)] == ways:
        return old or b""  # where a person moved them, they stay
    text = _cut(text, path)
    try:
        for way, value in ways:
            text = json_text.appended(text, way, value)
    except Refused as error:
        raise Refused(f"{printable(path)}: {error}; nothing was changed") from error
    return text.encode()


def _ours(text: str, path: str) -> list[tuple[tuple[str, ...], object]]:
    """What is ours in a file, with the way to it, in order."""
    found = []
    whole = _loaded(text, path)
    for way in _ways(whole):
        value: Any = whole
        for key in way:
            value = value[key]
        found += [(way, one) for one in value if layouts.is_ours(one)]
    return found


def _as_put(value: object) -> object:
    """A value of ours without what a person may set in it: how much Codex lets through."""
    if isinstance(value, dict):
        return {
            key: _as_put(one)
            for key, one in value.items()
            if key != "additionalContextLimit"
        }
    return [_as_put(one) for one in value] if isinstance(value, list) else value


def _ways(whole: object) -> list[tuple[str, ...]]:
    """The ways to the arrays that may have something of ours."""
    ways: list[tuple[str, ...]] = []
    hooks = whole.get("hooks") if isinstance(whole, dict) else None
    for event, value in hooks.items() if isinstance(hooks, dict) else ():
        if isinstance(value, list):
            ways.append(("hooks", event))
    way = ("context", "fileFiltering", "customIgnoreFilePaths")
    value = whole
    for key in way:
        value = value.get(key) if isinstance(value, dict) else None
    return [*ways, way] if isinstance(value, list) else ways


def _cut(text: str, path: str) -> str:
    for way in _ways(_loaded(text, path)):
        text = json_text.without(text, way, layouts.is_ours)
    return text


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
        return _cut(_decoded(path, old), path).encode()
    except Refused:
        return old  # no JSON any more: nothing in it is known to be ours


def _decoded(path: str, old: bytes | None) -> str:
    try:
        return (old or b"").decode()
    except UnicodeDecodeError as error:
        raise Refused(f"{printable(path)} is not UTF-8; nothing was changed") from error


def _loaded(text: str, path: str) -> object:
    try:
        return json_text.load(text)
    except Refused as error:
        raise Refused(f"{printable(path)}: {error}; nothing was changed") from error
