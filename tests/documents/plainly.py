"""Values as plain JSON: what a field has by default is left out, lines are a text."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from gitstate.documents.fields import Lines


def plain(value: Any) -> Any:
    if isinstance(value, Lines):
        first, last = value
        return str(first) if first == last else f"{first}-{last}"
    if is_dataclass(value):
        said = {}
        for field in fields(value):
            inner = getattr(value, field.name)
            if field.default is MISSING or inner != field.default:
                said[field.name] = plain(inner)
        return said
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {
            key: plain(one) for key, one in value._asdict().items() if one is not None
        }
    if isinstance(value, tuple):
        return [plain(one) for one in value]
    return value
