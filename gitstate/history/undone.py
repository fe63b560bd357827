"""The days that were undone: they keep their own commits until ``squash --day`` names them.

In the worktree's runtime folder, by line; written before the branch moves, so that no
kill in between lets the daemon squash such a day again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.files import read_json, write_json

if TYPE_CHECKING:
    from gitstate.workspace import Workspace

_FILE = "undone"


def undone_days(ws: Workspace) -> frozenset[str]:
    """The undone days of the workspace's line, as YYYY-MM-DD."""
    found = (read_json(ws.runtime / _FILE) or {}).get(ws.line)
    return frozenset(map(str, found)) if isinstance(found, list) else frozenset()


def keep_undone(ws: Workspace, day: str) -> None:
    """Remember a day; raises ``CannotWrite``."""
    _write(ws, undone_days(ws) | {day})


def forget_undone(ws: Workspace, day: str) -> None:
    """The day was squashed again; raises ``CannotWrite``."""
    if day in undone_days(ws):
        _write(ws, undone_days(ws) - {day})


def _write(ws: Workspace, days: frozenset[str]) -> None:
    known = read_json(ws.runtime / _FILE) or {}
    write_json(ws.runtime / _FILE, {**known, ws.line: sorted(days)}, mode=ws.file_mode)
