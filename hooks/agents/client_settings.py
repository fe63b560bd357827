"""What clients' own settings say: read, merged as the client does, never written.

A file that is missing, no file, too large or not to be parsed says nothing.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitstate.errors import Refused
from gitstate.hooks.agents import foreign, json_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LARGEST = 4 << 20  # bytes


def home(environ: Mapping[str, str] = os.environ) -> Path:
    """The user's home."""
    return Path(environ.get("HOME") or Path.home())


def read(path: Path) -> bytes:
    """A settings file's bytes; empty where there is none to be read, or it is too large."""
    data = foreign.head(path, _LARGEST + 1)
    return data if len(data) <= _LARGEST else b""


def of_json(paths: Iterable[Path]) -> dict[str, Any]:
    """JSON files (comments allowed) merged, the later ones over the earlier ones."""
    merged: dict[str, Any] = {}
    for path in paths:
        try:
            found = json_text.load(read(path).decode("utf-8-sig"))
        except (UnicodeDecodeError, Refused, RecursionError):
            continue
        if isinstance(found, dict):
            merged = _merged(merged, found)
    return merged


def of_toml(paths: Iterable[Path]) -> dict[str, Any]:
    """The same of TOML files."""
    merged: dict[str, Any] = {}
    for path in paths:
        try:
            found = tomllib.loads(read(path).decode())
        except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError):
            continue
        merged = _merged(merged, found)
    return merged


def _merged(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        if isinstance(below, dict) and isinstance(value, dict):
            merged[key] = _merged(below, value)
        else:
            merged[key] = value
    return merged


def at(settings: object, *keys: str) -> object:
    """The value at a way of keys; ``None`` where it does not lead anywhere."""
    for key in keys:
        settings = settings.get(key) if isinstance(settings, dict) else None
    return settings


def number(value: object) -> float | None:
    """A number above 0, also one that stands in a text; ``None`` for anything else."""
    if isinstance(value, bool):
        return None
    try:
        found = float(value) if isinstance(value, int | float | str) else 0.0
    except (ValueError, OverflowError):
        return None
    return found if 0 < found < float("inf") else None


def switched_on(value: object) -> bool:
    """Is a switch on, as an environment variable or a setting says it."""
    return str(value).strip().lower() in {"1", "true", "yes", "on"}
