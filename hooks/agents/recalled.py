"""What is taken from ``gitstate.recall``, loaded when it is said."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitstate.recall.briefing import Briefing, Unit
    from gitstate.workspace import Workspace

_SHORT = (
    "Keep word for word: the goal with its file or function, what is done with its "
    "conclusion, what is in progress and where it is stuck, the next step with its file "
    "and line, and the whole paths of the files changed. Leave failed attempts out. End "
    "with: Full state: {dir}/ (v{version}); run `gitstate brief` before reading code."
)


def briefing(
    ws: Workspace, *, limit: int, unit: Unit, after: int | None, lean: bool
) -> Briefing:
    """The state as text; raises as ``briefing.brief_for``."""
    from gitstate.recall.briefing import brief_for  # noqa: PLC0415 when it is said

    return brief_for(ws, limit=limit, unit=unit, after=after, lean=lean)


def template(ws: Workspace, version: int) -> str:
    """What a summariser is to keep: of the state itself where that can be said."""
    try:
        module = importlib.import_module("gitstate.recall.handoff")
    except ImportError:
        return _SHORT.format(dir=ws.settings.dir, version=version)
    return str(module.template(ws))


def first_edit_line(ws: Workspace, path: str, since: float) -> str:
    """What is known of a file that was changed in this task; "" for nothing."""
    from gitstate.recall import file_states  # noqa: PLC0415 when it is said

    return file_states.first_edit_line(ws, path, since) or ""
