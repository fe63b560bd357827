"""How the line grows: one version at a time, by compare-and-swap alone."""

from __future__ import annotations

import contextlib
import random
import time
from typing import TYPE_CHECKING

from gitstate import clock
from gitstate.errors import CannotWrite, RefLocked, RefMoved, printable
from gitstate.git.objects import NewObject, Signature, encode_commit, make, parse_commit
from gitstate.history import numbers
from gitstate.history.anchor import Anchor, read_anchors, write_anchor
from gitstate.history.announcements import arrived
from gitstate.history.identity import read_life
from gitstate.history.line import number_of, read_line
from gitstate.history.moving import move, move_alone, require_unlocked
from gitstate.history.tidying import tidy_up
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitstate.git.engine import Engine
    from gitstate.git.objects import Commit
    from gitstate.history.line import Line
    from gitstate.workspace import Workspace

_TRIES = 25
_PAUSE_S = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A version to be: its tree, new objects, and its message by number and gap below it."""

    tree: str
    objects: Sequence[NewObject]
    message: Callable[[int, str | None], str]


def write_version(
    ws: Workspace,
    engine: Engine,
    draft: Callable[[Line], Draft | None],
) -> Commit | None:
    """Add one version to the line; ``None`` where ``draft`` finds nothing to add.

    ``draft`` is asked again for the fresh tip whenever another writer was faster.
    The version's objects are in a kept pack and were read back before the ref moves.
    Raises ``RefMoved`` when the line moves faster than versions can be made.
    """
    for attempt in range(_TRIES):
        line = settle_pending(ws, engine, read_line(ws, engine))
        planned = draft(line)
        if planned is None:
            _keep_known(ws, engine, line)
            return None
        name, old = (
            (ws.pending_ref, line.pending) if line.waits else (ws.ref, line.branch)
        )
        require_unlocked(ws, name)
        number = line.version + 1
        moment = clock.now(ws.settings.timezone)
        offset = moment.utcoffset()
        minutes = int(offset.total_seconds() // 60) if offset else 0
        seconds = max(0, int(moment.timestamp()))  # git knows no time before 1970
        who = Signature(*ws.identity(), seconds, minutes)
        parents = [line.tip] if line.tip else []
        below = number_of(engine, line.tip)
        gap = f"{below + 1}-{line.version}" if below < line.version else None
        data = encode_commit(
            planned.tree, parents, who, who, planned.message(number, gap)
        )
        made = make("commit", data, ws.object_format)
        objects = [*planned.objects, made]
        engine.write(objects, durable=ws.settings.durable)
        engine.check_written([item.id for item in objects])
        try:
            move(
                ws,
                engine,
                name,
                old=old,
                new=made.id,
                reason=f"gitstate: v{number}",
                durable=ws.settings.durable,
            )
        except RefMoved:
            time.sleep(_PAUSE_S * random.random() * (attempt + 1))  # noqa: S311 back-off
            continue
        commit = parse_commit(made.id, data)
        _remember(ws, engine, line, commit, number)
        tidy_up(ws, engine, number)
        return commit
    message = f"the line {printable(ws.line)} moves faster than a version can be made; try again"
    raise RefMoved(message)


def _remember(
    ws: Workspace, engine: Engine, line: Line, commit: Commit, number: int
) -> None:
    if not numbers.append(ws, line.tip, commit):
        numbers.Numbers.load(ws, engine, commit.id)
    with contextlib.suppress(CannotWrite, OSError):
        # The version stands. The numbers cache is the second anchor until the
        # folder outside can be written again; `status` and `doctor` tell.
        arrived(ws, _anchor(ws, line, commit.id, number))


def _anchor(ws: Workspace, line: Line, head: str, number: int) -> Anchor:
    branch = None
    if line.trouble is not None:
        branch = line.on_branch
    elif line.holder is not None:
        branch = line.branch or ""
    return Anchor(head, number, read_life(ws), line.strangers, branch)


def _keep_known(ws: Workspace, engine: Engine, line: Line) -> None:
    """Know the head from now on, where a new home or a lost file does not.

    A branch that is deleted before the next version is told then, too.
    """
    if line.tip is None or line.trouble is not None:
        return
    if ws.line not in read_anchors(ws):
        with contextlib.suppress(CannotWrite, OSError):
            write_anchor(ws, ws.line, _anchor(ws, line, line.tip, line.version))
    cached = numbers.last_known(ws)
    if cached is None or cached.commit != line.tip:
        numbers.Numbers.load(ws, engine, line.tip)


def settle_pending(ws: Workspace, engine: Engine, line: Line) -> Line:
    """Move the branch up to the pending versions once it is free; same commits, same numbers."""
    if line.waits or line.pending is None or line.tip != line.pending:
        return line
    durable = ws.settings.durable
    if line.branch != line.pending:
        try:
            move_alone(
                ws,
                engine,
                ws.ref,
                old=line.branch,
                new=line.pending,
                reason="gitstate: pending versions",
                durable=durable,
            )
        except (RefMoved, RefLocked):
            return read_line(ws, engine)
    move_alone(
        ws,
        engine,
        ws.pending_ref,
        old=line.pending,
        new=None,
        reason="gitstate: on the branch",
        durable=durable,
    )
    return read_line(ws, engine)
