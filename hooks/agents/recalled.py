"""What is taken from ``gitstate.recall``, loaded when it is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitstate.recall.briefing import Briefing, Unit
    from gitstate.workspace import Workspace


def briefing(
    ws: Workspace, *, limit: int, unit: Unit, after: int | None, lean: bool
) -> Briefing:
    """The state as text; raises as ``briefing.brief_for``."""
    from gitstate.recall.briefing import brief_for  # noqa: PLC0415 when it is said

    return brief_for(ws, limit=limit, unit=unit, after=after, lean=lean)


def measure(text: str, unit: Unit) -> int:
    """How much of a limit a text takes."""
    from gitstate.recall import briefing as made  # noqa: PLC0415 when it is said

    return made.measure(text, unit)


def template(ws: Workspace) -> str:
    """What a summariser is to keep, as the state says it."""
    from gitstate.recall import handoff  # noqa: PLC0415 when it is said

    return handoff.template(ws)


def first_edit_line(ws: Workspace, path: str, since: float) -> str:
    """What is known of a file that was changed in this task; "" for nothing."""
    from gitstate.recall import file_states  # noqa: PLC0415 when it is said

    return file_states.first_edit_line(ws, path, since) or ""
