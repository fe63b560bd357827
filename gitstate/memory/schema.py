"""The JSON Schema of the task, and what of a document does not fit it; pure.

A validator of its own, for the few words that our schema uses, because a command that
imports a task must name the wrong field and should not cost a library. The tests hold
it against ``jsonschema``.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_KINDS: dict[str, Callable[[object], bool]] = {
    "object": lambda one: isinstance(one, dict),
    "array": lambda one: isinstance(one, list),
    "string": lambda one: isinstance(one, str),
    "null": lambda one: one is None,
    "boolean": lambda one: isinstance(one, bool),
    "integer": lambda one: (
        (isinstance(one, int) and not isinstance(one, bool))
        or (isinstance(one, float) and one.is_integer())
    ),
}
_NAMES = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "null": "null",
    "boolean": "true or false",
    "integer": "a whole number",
}


@cache
def task_schema() -> dict[str, Any]:
    """The schema of ``long_mem/task-state.json``."""
    from importlib.resources import files  # noqa: PLC0415 10 ms that few verbs pay

    text = (files(__package__) / "task-state.schema.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def problems(
    found: object, schema: dict[str, Any], path: str = "$"
) -> Iterator[tuple[str, str]]:
    """Where a document does not fit: the JSON path of the field, and what is wrong."""
    kinds = schema.get("type")
    allowed = [kinds] if isinstance(kinds, str) else kinds
    if allowed is not None and not any(_KINDS[kind](found) for kind in allowed):
        wanted = " or ".join(_NAMES[kind] for kind in allowed)
        yield path, f"{shown(found)} where {wanted} belongs"
        return
    if "const" in schema and found != schema["const"]:
        yield path, f"{shown(found)} where {shown(schema['const'])} belongs"
    if "enum" in schema and found not in schema["enum"]:
        known = ", ".join(map(str, schema["enum"]))
        yield path, f"{shown(found)} is none of {known}"
    if isinstance(found, str):
        yield from _text(found, schema, path)
    elif isinstance(found, dict):
        yield from _object(found, schema, path)
    elif isinstance(found, list):
        for number, item in enumerate(found):
            yield from problems(item, schema.get("items", {}), f"{path}[{number}]")
    elif isinstance(found, int | float) and found < schema.get("minimum", found):
        yield path, f"{shown(found)} is less than {schema['minimum']}"


def _text(found: str, schema: dict[str, Any], path: str) -> Iterator[tuple[str, str]]:
    if len(found) < schema.get("minLength", 0):
        yield path, "it is empty"
    elif "pattern" in schema and not re.search(schema["pattern"], found):
        yield path, f"{shown(found)} does not look like {schema['pattern']}"


def _object(
    found: dict[str, Any], schema: dict[str, Any], path: str
) -> Iterator[tuple[str, str]]:
    known: dict[str, Any] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in found:
            yield f"{path}.{name}", "it is missing"
    for name, value in found.items():
        if name in known:
            yield from problems(value, known[name], f"{path}.{name}")
        elif schema.get("additionalProperties") is False:
            names = ", ".join(known)
            yield f"{path}.{name}", f"no such field; the fields are: {names}"


def shown(found: object) -> str:
    """A value as JSON, cut where it is long."""
    text = json.dumps(found, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:37]}..."  # noqa: PLR2004 columns
