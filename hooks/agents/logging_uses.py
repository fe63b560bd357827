"""The spool of tool uses -> the operations log, and what a session is told by them."""

from __future__ import annotations

import time as clock_time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from gitstate import clock
from gitstate.history import batches
from gitstate.history.editing import viewed
from gitstate.hooks.agents import adapters, spool, undone
from gitstate.hooks.agents.events import ToolUsed
from gitstate.hooks.agents.hook import tell
from gitstate.hooks.agents.place import is_elsewhere
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

Run = tuple[str, bool]  # a command's digest, and whether it failed
_OTHERS_S = 600.0
_FAILED = 20  # commands that are counted


class Found(NamedTuple):
    """A file of the spool: is it this session's, the files used, the commands run.

    ``known``: it is a tool use.
    """

    mine: bool
    noted: list[Noted]
    runs: list[Run]
    known: bool = True


def drain(
    place: Place, ws: Workspace, session: Session, *, turn: bool, flush: bool
) -> None:
    """Log what waits: all sessions' uses, and that a turn of this one begins.

    ``flush``: write it now, not when there is a batch. Raises ``GitstateError``.
    """
    log, done = _Lines(ws), []
    edits: list[Edit] = []
    runs: list[Run] = []
    for one in spool.waiting(place):
        found = _uses(place, session, one)
        if not found.mine and clock_time.time() - one.time < _OTHERS_S:
            continue  # the session that they are of logs them soon
        done.append(one.path)
        noted = found.noted
        if not found.known:
            tell(place, f"{one.agent} {one.event}: a tool use that is none")
        if found.mine:
            noted = list(undone.spread(place, session, edits, noted))
            edits += _edited(ws, session, noted)
            runs += found.runs
        for use in noted:
            log.add(use)
    lines = log.lines
    kept = undone.look(ws, session, edits)
    if turn:
        now = clock.now(ws.settings.timezone).isoformat(timespec="seconds")
        lines.append(operations_log.turn_line(now))
    if lines or flush:
        batches.log_all(ws, lines, flush_now=flush)
    for path in done:
        spool.done(path)
    # only now: what could not be logged is looked at again
    session.blobs, session.undone = kept
    for command, failed in runs:
        count_run(session, command, failed=failed)


def waits(place: Place, session: Session) -> bool:
    """Does a tool use of a session wait to be logged."""
    return any(_uses(place, session, one).mine for one in spool.waiting(place))


class _Lines:
    """The lines of uses, without what was told twice."""

    def __init__(self, ws: Workspace) -> None:
        self.lines: list[str] = []
        self._ws = ws
        self._read: set[str] = set()
        self._blobs: dict[str, str | None] = {}

    def add(self, use: Noted) -> None:
        """One more use; nothing where it is of the state, or stands there already."""
        path, reads = use.path, use.action == "read"
        if _is_state(self._ws, use) or (reads and path in self._read):
            return
        if use.blob is not None and self._blobs.get(path) == use.blob:
            return  # told twice, or written as it was
        self._blobs[path] = use.blob
        (self._read.add if reads else self._read.discard)(path)
        if line := _line(self._ws, use):
            self.lines.append(line)


def _is_state(ws: Workspace, use: Noted) -> bool:
    return use.path.startswith(f"{ws.settings.dir}/")


def _edited(ws: Workspace, session: Session, noted: list[Noted]) -> Iterator[Edit]:
    """What a session changed, which is kept for the end of its turn too."""
    for use in noted:
        if use.action == "read" or _is_state(ws, use):
            continue
        if use.action != GIT and use.path not in session.edits:
            session.edits = [*session.edits[-500:], use.path]
        if use.action != GIT and use.path not in session.worked:
            session.worked = [*session.worked[-500:], use.path]
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


def _uses(place: Place, session: Session, one: Waiting) -> Found:
    """What a file of the spool comes to."""
    if "uses" in one.said and "hook_event_name" not in one.said:
        mine = one.said.get("session") == session.session
        command = one.said.get("command")
        runs = [(str(command), bool(one.said.get("failed")))] if command else []
        return Found(mine, list(_noted(one.said.get("uses"))), runs)
    adapter = adapters.get(one.agent)
    try:
        event = adapter and adapter.event(one.event, one.said)
    except (TypeError, ValueError, AttributeError, LookupError):
        event = None  # whatever it is: the others are logged all the same
    if not isinstance(event, ToolUsed):
        return Found(mine=False, noted=[], runs=[], known=False)
    mine = event.session == session.session and one.agent == session.agent
    if event.cwd and is_elsewhere(place, event.cwd):
        return Found(mine, [], [])
    runs = []
    if event.command and event.failed is not None:
        runs = [(spool.digest(event.command), event.failed)]
    return Found(mine, spool.note(place, event, one.time), runs)


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
        known = operations_log.known(files.text(OPERATIONS), batches.waiting(ws))
    return {one.path for one in known if one.action in {"edit", "create"}}
