"""What is said where nothing can be kept: on a full disk, or one that is read-only.

The state can be read there, and an agent whose context is gone needs it. Only what the
event itself asks for is said: any other answer would come again and again.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gitstate.hooks.agents import recalled, sessions
from gitstate.hooks.agents.events import (
    BeforeCompaction,
    Compacted,
    Reply,
    SessionStarted,
)
from gitstate.hooks.agents.saying import Saying
from gitstate.workspace import Workspace

if TYPE_CHECKING:
    from gitstate.hooks.agents.adapter import Adapter
    from gitstate.hooks.agents.events import Event
    from gitstate.hooks.agents.place import Place


def answer(place: Place, adapter: Adapter, event: Event) -> Reply | None:
    """The answer to a start, a compaction or the moment before one; ``None`` to others.

    Raises ``GitstateError`` and ``OSError``.
    """
    ws = Workspace.open(Path(place.root))
    if isinstance(event, BeforeCompaction):
        if not adapter.announces:
            return None
        return Reply(instructions=recalled.template(ws))
    if not event.carries:
        return None
    if isinstance(event, SessionStarted):
        why = event.source
    elif isinstance(event, Compacted):
        why = "compact"
    else:
        return None
    session = sessions.known(place, adapter.name, event.session)
    session.track.pending = why
    return Reply(context=Saying(adapter, session, event, lambda: ws).briefing())
