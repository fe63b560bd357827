"""The state files kept within their limits: what ``memory.capacity`` says has to go."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from gitstate import clock
from gitstate.files import read_json, write_json
from gitstate.history.editing import edit, viewed

_SEEN = "days"  # in the worktree's runtime folder: the last day that was ended

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from gitstate.history.editing import Files
    from gitstate.memory.capacity import Tidied
    from gitstate.workspace import Workspace


def has_to_go(ws: Workspace, files: Files) -> Tidied:
    """What has to go from these files; raises ``CannotWrite`` where one cannot be read."""
    from gitstate.memory import capacity  # noqa: PLC0415 the daemon parses seldom

    settings = ws.settings
    now = clock.now(settings.timezone)
    return capacity.tidy(
        files,
        log_before=now - timedelta(days=settings.log_keep_days),
        log_turns=settings.log_keep_turns,
        max_size=settings.max_file_size,
    )


def tidy(ws: Workspace) -> Tidied:
    """Move what has to go; makes no version. Raises as ``editing.edit`` does."""
    with viewed(ws) as files:
        found = has_to_go(ws, files)
    if not found.moves:
        return found
    done = [found]

    def change(files: Files) -> Mapping[str, str]:
        done[:] = [has_to_go(ws, files)]
        return done[0].texts

    edit(ws, change)
    return done[0]


def day_of(now: datetime, at: str) -> str:
    """The day that began last, where days begin at ``at`` (``00:05``): YYYY-MM-DD."""
    begun = now if now.strftime("%H:%M") >= at else now - timedelta(days=1)
    return begun.date().isoformat()


def last_day(ws: Workspace) -> str | None:
    """The day up to which the files were tidied; ``None`` where none was ever ended."""
    found = (read_json(ws.runtime / _SEEN) or {}).get("tidied")
    return found if isinstance(found, str) else None


def mark_day(ws: Workspace, day: str) -> None:
    """Keep in mind that the files were tidied up to ``day``; raises ``CannotWrite``."""
    write_json(ws.runtime / _SEEN, {"tidied": day}, mode=ws.file_mode)
