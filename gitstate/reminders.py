"""Reminders for whoever works here: in the runtime folder, shown by ``status`` and agents' hooks.

One a kind and standstill: a reminder that was raised is not repeated, and goes by itself
when what it asked for was done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate import clock
from gitstate.files import read_json, write_json
from gitstate.values import dataclass

if TYPE_CHECKING:
    from gitstate.workspace import Workspace

_FILE = "reminders"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """One reminder: its kind, what it says, since when, and what it stands for.

    ``standstill`` identifies the situation: the same one is not raised twice.
    """

    kind: str
    text: str
    since: float
    standstill: str


def read(ws: Workspace) -> list[Reminder]:
    """The reminders that wait, oldest first."""
    found = read_json(ws.runtime / _FILE) or {}
    reminders = []
    for kind, row in found.items():
        try:
            reminder = Reminder(
                kind=str(kind),
                text=str(row["text"]),
                since=float(row["since"]),
                standstill=str(row["standstill"]),
            )
        except (TypeError, KeyError, ValueError):
            continue
        reminders.append(reminder)
    return sorted(reminders, key=lambda item: item.since)


def find(ws: Workspace, kind: str) -> Reminder | None:
    """The reminder of a kind that waits."""
    return next((item for item in read(ws) if item.kind == kind), None)


def raise_once(
    ws: Workspace, kind: str, text: str, *, standstill: str
) -> Reminder | None:
    """Raise a reminder; ``None`` where it stands already. Raises ``CannotWrite``."""
    waiting = {item.kind: item for item in read(ws)}
    known = waiting.get(kind)
    if known is not None and known.standstill == standstill:
        return None
    raised = Reminder(
        kind=kind, text=text, since=clock.epoch_now(), standstill=standstill
    )
    _write(ws, {**waiting, kind: raised})
    return raised


def clear(ws: Workspace, kind: str) -> bool:
    """Take a reminder away; says whether it stood. Raises ``CannotWrite``."""
    waiting = {item.kind: item for item in read(ws)}
    if waiting.pop(kind, None) is None:
        return False
    _write(ws, waiting)
    return True


def _write(ws: Workspace, waiting: dict[str, Reminder]) -> None:
    path = ws.runtime / _FILE
    if not waiting:
        path.unlink(missing_ok=True)
        return
    rows = {
        item.kind: {
            "text": item.text,
            "since": item.since,
            "standstill": item.standstill,
        }
        for item in waiting.values()
    }
    write_json(path, rows, mode=ws.file_mode)
