"""The spool of tool uses -> the operations log, and what a session is told by them."""

from __future__ import annotations

import time as clock_time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gitstate import clock
from gitstate.history import batches
from gitstate.history.editing import viewed
from gitstate.hooks.agents import adapters, spool, undone
from gitstate.hooks.agents.events import ToolUsed
from gitstate.hooks.agents.shell_words import GIT
from gitstate.hooks.agents.undone import Edit
from gitstate.memory import operations_log
from gitstate.memory.operations_log import OPERATIONS, Operation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.hooks.agents.place import Place
    from gitstate.hooks.agents.sessions import Session
    from gitstate.hooks.agents.spool import Noted, Waiting
    from gitstate.workspace import Workspace

_OTHERS_S = 600.0
_FAILED = 20  # commands that are counted


def drain(
    place: Place, ws: Workspace, session: Session, *, turn: bool, flush: bool
) -> None:
    """Log what waits: all sessions' uses, and that a turn of this one begins.

    ``flush``: write it now, not when there is a batch. Raises ``GitstateError``.
    """
    lines: list[str] = []
    done: list[str] = []
    read: set[str] = set()
    blobs: dict[str, str | None] = {}
    edits: list[Edit] = []
    for one in spool.waiting(place):
        mine, noted = _uses(place, session, one)
        if not mine and clock_time.time() - one.time < _OTHERS_S:
            continue  # the session that they are of logs them soon
        done.append(one.path)
        if mine:
            noted = list(undone.spread(place, session, edits, noted))
            edits += _edited(ws, session, noted)
        for use in noted:
            if _is_state(ws, use) or (use.action == "read" and use.path in read):
                continue
            if use.blob is not None and blobs.get(use.path) == use.blob:
                continue  # told twice, or written as it was
            blobs[use.path] = use.blob
            read = read | {use.path} if use.action == "read" else read - {use.path}
            line = _line(ws, use)
            lines += [line] if line else []
    undone.look(ws, session, edits)
    if turn:
        now = clock.now(ws.settings.timezone).isoformat(timespec="seconds")
        lines.append(operations_log.turn_line(now))
    if lines or flush:
        batches.log_all(ws, lines, flush_now=flush)
    for path in done:
        spool.done(path)


def _is_state(ws: Workspace, use: Noted) -> bool:
    return use.path.startswith(f"{ws.settings.dir}/")


def _edited(ws: Workspace, session: Session, noted: list[Noted]) -> Iterator[Edit]:
    """What a session changed, which is kept for the end of its turn too."""
    for use in noted:
        if use.action == "read" or _is_state(ws, use):
            continue
        if use.action != GIT and use.path not in session.edits:
            session.edits = [*session.edits[-500:], use.path]
        if use.blob is not None:
            yield Edit(use.path, use.blob, use.before, by_git=use.action == GIT)


def _line(ws: Workspace, use: Noted) -> str | None:
    from gitstate.errors import Refused  # noqa: PLC0415 hardly ever

    when = datetime.fromtimestamp(use.time, UTC).astimezone(
        clock.zone(ws.settings.timezone)
    )
    time = when.isoformat(timespec="seconds")
    try:
        action = "edit" if use.action == GIT else use.action
        if not use.path:
            return None  # what git put back of another session is not known
        return operations_log.line_of(Operation(time, use.path, action, "", use.blob))  # type: ignore[arg-type]
    except Refused:
        return None  # a name with a line break: it cannot stand on a line


def _uses(
    place: Place, session: Session, one: Waiting
) -> tuple[bool, Iterator[Noted] | list[Noted]]:
    """Are they this session's, and what they are."""
    if "uses" in one.said and "hook_event_name" not in one.said:
        mine = one.said.get("session") == session.session
        if mine and one.said.get("command"):
            failed = bool(one.said.get("failed"))
            count_run(session, str(one.said.get("command")), failed=failed)
        return mine, list(_noted(one.said.get("uses")))
    adapter = adapters.get(one.agent)
    try:
        event = adapter and adapter.event(one.event, one.said)
    except (TypeError, ValueError, AttributeError, LookupError):
        event = None  # whatever it is: the others are logged all the same
    if not isinstance(event, ToolUsed):
        return False, []
    mine = event.session == session.session and one.agent == session.agent
    if mine and event.command and event.failed is not None:
        count_run(session, spool.digest(event.command), failed=event.failed)
    return mine, spool.note(place, event, one.time)


def _noted(rows: object) -> Iterator[Noted]:
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, list) and len(row) in {
            4,
            5,
        }:  # as `leave` writes it, and did
            when, action, path, blob, before = [*row, None][:5]
            if (
                isinstance(when, int | float)
                and action in (*operations_log.ACTIONS, GIT)
                and isinstance(path, str)
                and (blob is None or isinstance(blob, str))
                and (before is None or isinstance(before, str))
            ):
                yield spool.Noted(float(when), action, path, blob, before)


def count_run(session: Session, command: str, *, failed: bool) -> None:
    """The same command failing in a row is worth a word."""
    if not failed:
        session.failed.pop(command, None)
        return
    count = session.failed.pop(command, 0) + 1
    kept = list(session.failed.items())[1 - _FAILED :]
    session.failed = {**dict(kept), command: count}


def changed(ws: Workspace) -> set[str]:
    """The files that the log says were changed; raises ``GitstateError``."""
    with viewed(ws) as files:
        text = files.text(OPERATIONS) or ""
    return {
        one.path
        for one in operations_log.parse(text)
        if one.action in {"edit", "create"}
    }
