"""The archive refs of a line: whole tips that a squash, an undo or a repair replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.errors import RefMoved
from gitstate.history.moving import move_alone

if TYPE_CHECKING:
    from collections.abc import Container

    from gitstate.git.engine import Engine
    from gitstate.workspace import Workspace


def archive(ws: Workspace, engine: Engine, commit: str, day: str) -> str:
    """Keep a commit, and all below it, under the archive ref of a day; its name.

    Where one of the line's archive refs has it already, that one's. Killed before a
    squash moved the branch, the next run so finds what was archived.
    """
    taken = engine.refs(ws.archive_prefix)
    for name, held in taken.items():
        if held == commit:
            return name
    while True:
        name = free_name(f"{ws.archive_prefix}{day}", taken)
        try:
            move_alone(
                ws, engine, name, old=None, new=commit, reason="gitstate: archive"
            )
        except RefMoved:
            taken[name] = ""  # another one was faster
        else:
            return name


def free_name(name: str, taken: Container[str]) -> str:
    """``name``, or with the first ``.1``, ``.2``, … that is not taken."""
    count, found = 0, name
    while found in taken:
        count += 1
        found = f"{name}.{count}"
    return found
