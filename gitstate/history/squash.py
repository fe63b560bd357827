"""Each day that is over becomes one commit; its own versions stay within reach.

Strictly in order: a day is put on the squashed day before it, and then squashed. So a
clone that squashed night by night and one that catches up come to the same commits.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from gitstate import clock
from gitstate.errors import RefMoved, Refused, printable
from gitstate.git.operations import worktree_of
from gitstate.history.choosing import choose, require_unpushed
from gitstate.history.day_commit import Before, day_commit, kept, rechained
from gitstate.history.growth import settle_pending
from gitstate.history.identity import ensure_id
from gitstate.history.line import engine_for, read_line
from gitstate.history.record import subject_of
from gitstate.history.recovery import resume
from gitstate.history.rewriting import (
    Rewritten,
    groups_of,
    put_in_place,
    settle,
    versions_of,
)
from gitstate.history.snapshot import require_initialised, session
from gitstate.history.squash_words import Words
from gitstate.history.undone import forget_undone, keep_undone
from gitstate.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import date

    from gitstate.git.engine import Engine
    from gitstate.history.day_commit import Kept
    from gitstate.history.line import Line
    from gitstate.history.rewriting import Group
    from gitstate.workspace import Workspace

    Progress = Callable[[int], object]

_TRIES = 25
_PAUSE_S = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class SquashedDay:
    """A day that was squashed or undone; ``commit`` is the day's, ``archive`` a ref."""

    day: str
    commit: str
    first: int
    last: int
    archive: str | None
    subject: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Squashed:
    """What a run did; ``left``: days that stay as they are, and why, where one may wonder."""

    days: tuple[SquashedDay, ...]
    left: tuple[tuple[str, str], ...] = ()
    notices: tuple[str, ...] = ()


def squash(  # noqa: PLR0913 what a person may say
    ws: Workspace,
    *,
    day: date | None = None,
    until: date | None = None,
    dry_run: bool = False,
    wait_s: float = 5.0,
    progress: Progress | None = None,
) -> Squashed:
    """Squash every day that is over (before ``until``, else today), or ``day`` alone.

    Raises ``Refused`` where the line cannot be rewritten now, or ``day`` not squashed;
    ``LockHeld``, ``CannotWrite``, ``RefLocked``: nothing changed then.
    """
    today = clock.now(ws.settings.timezone).date()
    if day is not None and day >= today:
        raise Refused(f"{day} is not over yet; a day is squashed when it is")
    words = Words(ws)

    def make(engine: Engine, line: Line) -> tuple[Rewritten, Squashed]:
        groups = groups_of(engine, line.tip, progress) if line.tip else []
        limit = min(until or today, today)
        chosen, left = choose(ws, engine, groups, day=day, until=limit)
        made, done = _squashed(ws, engine, line, groups, chosen, words)
        return made, Squashed(days=tuple(done), left=tuple(left))

    if dry_run or words.by_command:
        require_initialised(ws)
        with engine_for(ws) as engine:
            line = read_line(ws, engine)
            _require_movable(ws, line)
            planned = make(engine, line)[1]
            if dry_run:
                return planned
    found = _in_place(ws, make, reason="gitstate: squash", wait_s=wait_s)
    for one in found.days if day is not None else ():
        forget_undone(ws, one.day)
    return replace(found, notices=(*found.notices, *words.notices))


def undo(
    ws: Workspace, day: date, *, dry_run: bool = False, wait_s: float = 5.0
) -> Squashed:
    """Put a squashed day's own commits back; it is squashed again only when named.

    Raises ``Refused`` where no such day is squashed or its versions are not here, and
    as ``squash`` does.
    """

    def make(engine: Engine, line: Line) -> tuple[Rewritten, Squashed]:
        groups = groups_of(engine, line.tip) if line.tip else []
        made, done = _opened(engine, line, groups, day)
        require_unpushed(ws, engine, groups, day)
        if not dry_run:
            keep_undone(ws, day.isoformat())
        return made, Squashed(days=(done,))

    if dry_run:
        require_initialised(ws)
        with engine_for(ws) as engine:
            line = read_line(ws, engine)
            _require_movable(ws, line)
            return make(engine, line)[1]
    return _in_place(ws, make, reason="gitstate: squash --undo", wait_s=wait_s)


def _in_place(
    ws: Workspace,
    make: Callable[[Engine, Line], tuple[Rewritten, Squashed]],
    *,
    reason: str,
    wait_s: float,
) -> Squashed:
    with session(ws, verb="squash", wait_s=wait_s) as engine:
        notice = ensure_id(ws)  # else nothing of a copy is known outside of it
        resume(ws, engine)  # what a restore noted names versions by their ids
        for attempt in range(_TRIES):
            line = settle_pending(ws, engine, read_line(ws, engine))
            _require_movable(ws, line)
            made, found = make(engine, line)
            found = replace(found, notices=(notice,) if notice else ())
            if line.tip is None:
                return found
            if made.tip == line.tip:
                if line.known is None or line.known.head != line.tip:
                    settle(ws, engine, line, line.tip)  # a run was killed before this
                return found
            try:
                names = put_in_place(ws, engine, line, made, reason=reason)
            except RefMoved:  # a version was made meanwhile, where there is no flock
                time.sleep(_PAUSE_S * random.random() * (attempt + 1))  # noqa: S311 back-off
                continue
            return _named(found, made, names)
    message = (
        f"the line {printable(ws.line)} moves faster than it can be squashed; try again"
    )
    raise RefMoved(message)


def _named(found: Squashed, made: Rewritten, names: Sequence[str]) -> Squashed:
    by_day = {day: name for (_, day), name in zip(made.archives, names, strict=True)}
    days = tuple(
        replace(one, archive=by_day.get(one.day, names[0])) for one in found.days
    )
    return replace(found, days=days)


def _require_movable(ws: Workspace, line: Line) -> None:
    """Raise ``Refused`` where the branch must not be moved now."""
    if line.trouble:
        raise Refused(line.trouble)
    if line.holder is not None:
        where = printable(worktree_of(line.holder))
        raise Refused(
            f"the branch {printable(ws.line)} is checked out in {where}; nothing is squashed "
            "before that worktree is on another branch"
        )
    if line.pending is not None:
        raise Refused(
            f"versions wait at {printable(ws.pending_ref)}; nothing is squashed before they "
            "are on the branch (`gitstate snapshot` puts them there)"
        )


def _squashed(  # noqa: PLR0913, PLR0917 all that it is made of
    ws: Workspace,
    engine: Engine,
    line: Line,
    groups: Sequence[Group],
    chosen: Sequence[Group],
    words: Words,
) -> tuple[Rewritten, list[SquashedDay]]:
    """The line with the chosen days squashed, and what was done to them."""
    made = Rewritten(line.tip or "")
    done: list[SquashedDay] = []
    last: Kept | None = None
    for group in groups:
        own = list(group.commits)
        if group in chosen:
            if not done:
                made.archives.append((made.tip, group.day.isoformat()))
            last = _squash_one(ws, engine, group, last, made, words)
            done.append(_told(last))
            continue
        if done:
            own = rechained(own, last.commit.id if last else None, engine.object_format)
            made.add(own)
        last = own[-1]
    if done and last is not None:
        made.tip = last.commit.id
    return made, done


def _squash_one(  # noqa: PLR0913, PLR0917 as `_squashed`
    ws: Workspace,
    engine: Engine,
    group: Group,
    below: Kept | None,
    made: Rewritten,
    words: Words,
) -> Kept:
    """The commit of a day; what it needs is added to ``made``."""
    own = versions_of(engine, group)
    if own is None:
        raise Refused(
            f"versions were added to {group.day} after it was squashed, and its own are not "
            "here; `gitstate fetch` gets them where a remote has them"
        )
    there = {one.commit.id for one in own}
    own = rechained(own, below.commit.id if below else None, engine.object_format)
    made.add([one for one in own if one.commit.id not in there])
    if own[-1].commit.id != group.commits[-1].commit.id:
        made.archives.append((own[-1].commit.id, group.day.isoformat()))
    new = day_commit(
        engine,
        own,
        Before(commit=below.commit if below else None),
        group.day,
        tree_path=ws.tree_path,
        wording=words.word if words.by_command else None,
    )
    made.objects.append(new)
    return kept(new.id, new.data)


def _opened(
    engine: Engine, line: Line, groups: Sequence[Group], day: date
) -> tuple[Rewritten, SquashedDay]:
    """The line with a squashed day's own commits in its place."""
    made = Rewritten(line.tip or "")
    done: SquashedDay | None = None
    last: Kept | None = None
    for group in groups:
        own: list[Kept] | None = list(group.commits)
        if group.day == day and group.holds_squashed:
            done = _told(
                next(one for one in group.commits if one.record and one.record.day)
            )
            made.archives.append((made.tip, day.isoformat()))
            own = versions_of(engine, group)
        if own is None:
            raise Refused(
                f"the own versions of {day} are not here: they have expired (gitstate.archiveKeep), "
                "or were not fetched (`gitstate fetch`)"
            )
        if done is not None:
            there = {one.commit.id for one in own}
            own = rechained(own, last.commit.id if last else None, engine.object_format)
            made.add([one for one in own if one.commit.id not in there])
        last = own[-1]
    if done is None or last is None:
        raise Refused(f"{day} is not squashed; `gitstate log` lists the days that are")
    made.tip = last.commit.id
    return made, done


def _told(one: Kept) -> SquashedDay:
    assert one.record is not None  # noqa: S101 a day's commit
    return SquashedDay(
        day=one.record.day or "",
        commit=one.commit.id,
        first=one.record.first,
        last=one.record.version,
        archive=None,
        subject=subject_of(one.commit),
    )
