"""The line on its way to another form: its commits by day, made anew, put into place.

Everything that the new line needs is in a kept pack, and the old tip under an archive
ref, before the branch moves; it moves once, by compare-and-swap. Killed anywhere, the
line is the old one or the new one, and the next run comes to the same commits.
"""

from __future__ import annotations

import contextlib
from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING

from gitstate.errors import CannotWrite, GitstateError, RefLocked, RefMoved
from gitstate.git.objects import NewObject
from gitstate.git.packing import consolidate, overdue
from gitstate.history import numbers
from gitstate.history.anchor import Anchor, write_anchor
from gitstate.history.announcements import withdraw
from gitstate.history.archive import archive
from gitstate.history.day_commit import Kept, kept
from gitstate.history.days import day_of, own_versions
from gitstate.history.identity import read_life
from gitstate.history.moving import move, move_alone, require_unlocked
from gitstate.values import dataclass, field

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitstate.git.engine import Engine
    from gitstate.history.line import Line
    from gitstate.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Group:
    """The commits of the line that belong to one day, oldest first.

    A squashed day is one commit; with others beside it, more versions came since whose
    clock said an earlier time.
    """

    day: date
    commits: tuple[Kept, ...]

    @property
    def squashed(self) -> bool:
        """Is all of the day one commit."""
        return len(self.commits) == 1 and self.holds_squashed

    @property
    def holds_squashed(self) -> bool:
        """Is one of the commits a squashed day's."""
        return any(one.record and one.record.day for one in self.commits)

    @property
    def first(self) -> int:
        """The lowest number in it."""
        return min((one.record.first for one in self.commits if one.record), default=0)

    @property
    def last(self) -> int:
        """The highest number in it."""
        return max(
            (one.record.version for one in self.commits if one.record), default=0
        )


@dataclass(slots=True)
class Rewritten:
    """The new line: its tip, the objects that it needs, and what is to be archived.

    ``archives``: commits and the days under which they are kept, in order.
    """

    tip: str
    objects: list[NewObject] = field(default_factory=list)
    archives: list[tuple[str, str]] = field(default_factory=list)

    def add(self, made: Sequence[Kept]) -> None:
        """Commits that the new line needs; those that there are already are not written."""
        self.objects += [NewObject(one.commit.id, "commit", one.data) for one in made]


def groups_of(
    engine: Engine, tip: str, progress: Callable[[int], object] | None = None
) -> list[Group]:
    """The line by days, oldest first; raises what reading it raises."""
    found: list[Kept] = []
    following: str | None = tip
    while following is not None:
        _, data = engine.read(following)
        found.append(kept(following, data))
        following = engine.before(found[-1].commit)
        if progress is not None:
            progress(len(found))
    found.reverse()
    latest = date.min
    dated: list[tuple[date, Kept]] = []
    for one in found:
        latest = day_of(one.commit, latest)
        dated.append((latest, one))
    return [
        Group(day, tuple(one for _, one in rows))
        for day, rows in groupby(dated, key=lambda row: row[0])
    ]


def versions_of(engine: Engine, group: Group) -> list[Kept] | None:
    """A day's own versions, oldest first; ``None`` where a squashed day's are not here."""
    found: list[Kept] = []
    for one in group.commits:
        if one.record is None or one.record.day is None:
            found.append(one)
            continue
        inside = own_versions(engine, one.record)
        if inside is None:
            return None
        ids = [commit.id for commit in inside]
        found += [kept(name, engine.read(name)[1]) for name in reversed(ids)]
    return found


def put_in_place(
    ws: Workspace, engine: Engine, line: Line, made: Rewritten, *, reason: str
) -> list[str]:
    """Move the branch from the line's tip to the new one; the names of the archive refs.

    Inside a ``session``. Raises ``RefMoved`` where a version was made meanwhile, which
    then stands, and ``RefLocked``.
    """
    assert line.branch is not None  # noqa: S101 asked before
    durable = ws.settings.durable
    require_unlocked(ws, ws.ref)
    engine.write(made.objects, durable=durable)
    engine.check_written([item.id for item in made.objects])
    before = engine.refs(ws.archive_prefix)
    names = [archive(ws, engine, commit, day) for commit, day in made.archives]
    try:
        move(
            ws,
            engine,
            ws.ref,
            old=line.branch,
            new=made.tip,
            reason=reason,
            durable=durable,
        )
    except (RefMoved, RefLocked):
        # nothing was replaced: what was archived for it is on the line, or on none
        for (commit, _), name in zip(made.archives, names, strict=True):
            if name not in before:
                with contextlib.suppress(RefMoved, RefLocked):
                    move_alone(ws, engine, name, old=commit, new=None, reason=reason)
        raise
    settle(ws, engine, line, made.tip)
    return names


def settle(ws: Workspace, engine: Engine, line: Line, tip: str) -> None:
    """Let the anchor and the cache follow. Killed before, the line is still known for ours."""
    with contextlib.suppress(CannotWrite, OSError):
        write_anchor(
            ws, ws.line, Anchor(tip, line.version, read_life(ws), line.strangers)
        )
    withdraw(ws, tip)
    numbers.Numbers.load(ws, engine, tip)
    with contextlib.suppress(GitstateError, OSError):
        if overdue(engine.packs):
            consolidate(engine.packs, root=ws.root, scratch=ws.shared)
