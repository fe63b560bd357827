"""What is taken from ``gitstate.recall``, loaded when it is said."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gitstate.workspace import Workspace


def briefing(ws: Workspace, **words: Any) -> Any:  # noqa: ANN401 a Briefing
    """The state as text; ``words`` as ``briefing.brief_for`` has them."""
    try:
        module = importlib.import_module("gitstate.recall.briefing")
    except ImportError:
        module = importlib.import_module("gitstate.hooks.agents.stand_in")
    return module.brief_for(ws, **words)


def template(ws: Workspace) -> str:
    """What a summariser is to keep."""
    try:
        module = importlib.import_module("gitstate.recall.handoff")
    except ImportError:
        return "gitstate brief"
    return str(module.template(ws))


def first_edit_line(ws: Workspace, path: str, since: float) -> str:
    """What is known of a file that was changed in this task; "" for nothing."""
    try:
        module = importlib.import_module("gitstate.recall.file_states")
    except ImportError:
        return ""
    return module.first_edit_line(ws, path, since) or ""
