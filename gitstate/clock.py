"""The one clock: ``GITSTATE_NOW`` stands for it, as git's own date variables do."""

from __future__ import annotations

import os
from datetime import UTC, datetime, tzinfo

from gitstate.errors import UsageError


def zone(name: str | None) -> tzinfo | None:
    """The time zone of ``gitstate.timezone``; ``None`` means the machine's."""
    if not name:
        return None
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415 2 ms

    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def now(timezone: str | None = None) -> datetime:
    """The present moment with its offset.

    Raises ``UsageError`` when ``GITSTATE_NOW`` is not ISO 8601 with an offset.
    """
    text = os.environ.get("GITSTATE_NOW")
    if text:
        try:
            fixed = datetime.fromisoformat(text)
        except ValueError:
            fixed = datetime.min  # noqa: DTZ901 naive on purpose: refused just below
        if fixed.tzinfo is None:
            message = (
                f"GITSTATE_NOW is {text!r}; it must be ISO 8601 with an offset, "
                "like 2026-11-29T14:05:00+01:00"
            )
            raise UsageError(message)
        return fixed.astimezone(zone(timezone)) if timezone else fixed
    return datetime.now(UTC).astimezone(zone(timezone))


def epoch_now() -> float:
    """Seconds since 1970 by the same clock as ``now``."""
    return now().timestamp()


def age_text(seconds: float) -> str:
    """A rounded age for people: ``12 s``, ``5 min``, ``3 h``, ``2 days``."""
    seconds = max(0, int(seconds))
    for limit, size, unit in ((60, 1, "s"), (3600, 60, "min"), (172800, 3600, "h")):
        if seconds < limit:
            return f"{seconds // size} {unit}"
    return f"{seconds // 86400} days"
