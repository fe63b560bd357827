"""Did briefings arrive: sessions as they are now, their transcripts read to the end."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from gitstate.hooks.agents import adapters, sessions, transcript
from gitstate.hooks.agents.place import Place
from gitstate.hooks.agents.telling import end_mark, mark

if TYPE_CHECKING:
    from gitstate.hooks.agents.sessions import Receipt, Session
    from gitstate.workspace import Workspace

_LAG_S = 5.0  # a client writes its transcript a little later


def current(ws: Workspace, name: str) -> list[Session]:
    """An agent's sessions in this worktree, the newest first; nothing is written."""
    place = Place(str(ws.root), str(ws.runtime))
    adapter = adapters.get(name)
    found = [one for one in sessions.all_of(place) if one.agent == name]
    for one in found:
        if adapter is None or not adapter.needles or not one.transcript:
            continue
        for fact in transcript.read(adapter, one):
            if fact.context:
                settle(one, fact.context)
        if not Path(one.transcript).is_file():
            continue
        for item in one.receipts:
            later = one.ended > item.turn or time.time() - one.seen > _LAG_S
            if is_late(one, item) and later:
                item.received = False
    return found


def settle(session: Session, text: str) -> None:
    """A text that reached the model: the briefings that are whole in it arrived."""
    for one in session.receipts:
        begin = text.find(mark(one.id))
        end = text.find(end_mark(one.id))
        if begin >= 0 and end + len(end_mark(one.id)) - begin >= one.chars:
            one.received = True


def is_late(session: Session, receipt: Receipt) -> bool:
    """Has the turn ended in which it would have been used: it would stand there by now."""
    return receipt.received is None and session.ended >= receipt.turn
