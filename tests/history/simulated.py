"""Simulated days: a clock that the test sets, and versions that it dates."""

from __future__ import annotations

import os
from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING

from gitstate.history.line import engine_for, read_line
from gitstate.history.numbers import Numbers
from gitstate.history.squash import squash, undo
from gitstate.history.versions import newest_first, resolve
from gitstate.workspace import Workspace
from tests.engines import edit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.history.squash import Squashed


@contextmanager
def at(moment: str) -> Iterator[None]:
    """The clock of everything in here, as ``2026-11-27T10:00:00+01:00``."""
    before = os.environ.get("GITSTATE_NOW")
    os.environ["GITSTATE_NOW"] = moment
    try:
        yield
    finally:
        if before is None:
            del os.environ["GITSTATE_NOW"]
        else:
            os.environ["GITSTATE_NOW"] = before


def version(ws: Workspace, moment: str, text: str | None = None) -> int:
    """One version at a moment; its text is the moment where none is given."""
    with at(moment):
        number = edit(ws, text or f"# Task\n\n{moment}\n").version
    assert number is not None
    return number


def squashed(ws: Workspace, moment: str, **words: object) -> Squashed:
    """Squash at a moment, with the settings as they are now."""
    with at(moment):
        return squash(Workspace.open(ws.root), **words)  # type: ignore[arg-type]


def undone(ws: Workspace, moment: str, day: str) -> Squashed:
    """Undo a day at a moment."""
    with at(moment):
        return undo(Workspace.open(ws.root), date.fromisoformat(day))


def spans(found: Squashed) -> list[tuple[str, int, int]]:
    """Day, first and last number of what was done."""
    return [(one.day, one.first, one.last) for one in found.days]


def on_line(ws: Workspace) -> list[str]:
    """The line, oldest first: ``2026-11-27 v1-v3`` of a day, ``v4`` of a version."""
    with engine_for(ws) as engine:
        tip = read_line(ws, engine).tip
        assert tip is not None
        rows = [one.record for one in newest_first(engine, tip, days=True)]
    return [
        f"v{row.version}"
        if row.day is None
        else f"{row.day} v{row.first}-v{row.version}"
        for row in reversed(rows)
    ]


def trees(ws: Workspace) -> dict[str, str]:
    """Each number and each commit id that is known now, and the tree that it names."""
    with engine_for(ws) as engine:
        tip = read_line(ws, engine).tip
        found: dict[str, str] = {}
        for row in Numbers.load(ws, engine, tip):
            tree = engine.commit(row.commit).tree
            found |= {f"v{row.version}": tree, row.commit: tree, row.commit[:12]: tree}
        assert tip is not None
        for commit in engine.walk(tip):
            found[commit.id] = commit.tree
    return found


def require_resolved(ws: Workspace, names: dict[str, str]) -> None:
    """Every name still leads to the same tree."""
    with engine_for(ws) as engine:
        there = {name: resolve(ws, engine, name).commit.tree for name in names}
    assert there == names
