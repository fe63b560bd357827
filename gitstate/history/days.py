"""Squashed days: one commit of the line stands for the versions that it names.

``State-Archive`` of a day's commit is the last of its versions; the others are below
that one, down to the number with which the day begins. An archive ref keeps them.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from gitstate.errors import ObjectDamaged, ObjectMissing
from gitstate.history.record import record_of
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.git.engine import Engine
    from gitstate.git.objects import Commit
    from gitstate.history.record import Record


@dataclass(frozen=True, slots=True)
class Step:
    """A version, and the commit of the line that it is or is squashed into."""

    on_line: Commit
    commit: Commit

    @property
    def first(self) -> int:
        """The lowest number of the commit on the line (0 where it is no version)."""
        record = record_of(self.on_line)
        return 0 if record is None else record.first


def own_versions(engine: Engine, record: Record) -> Iterator[Commit] | None:
    """The versions of a squashed day, newest first; ``None`` where they are not here.

    They are not in a clone that has not fetched the archive, and when they have expired.
    """
    if record.archive is None or not engine.has(record.archive):
        return None
    return _down_to(engine, record.archive, record.first)


def _down_to(engine: Engine, tip: str, first: int) -> Iterator[Commit]:
    for commit in engine.walk(tip):
        record = record_of(commit)
        if record is not None and record.version < first:
            return
        yield commit


def steps(engine: Engine, tip: str) -> Iterator[Step]:
    """Every version below a tip, newest first, squashed days opened.

    A day whose versions are not here is one step; so is a commit that is no version.
    Raises ``ObjectMissing`` or ``ObjectDamaged``.
    """
    for commit in engine.walk(tip):
        record = record_of(commit)
        inside = None if record is None else own_versions(engine, record)
        if inside is None:
            yield Step(commit, commit)
        else:
            for one in inside:
                yield Step(commit, one)


def opened(engine: Engine, tip: str) -> Iterator[Commit]:
    """The commits of ``steps``."""
    return (step.commit for step in steps(engine, tip))


def day_of(commit: Commit, before: date) -> date:
    """The day of a version: by its own clock, never earlier than the one before it.

    A squashed day is that day, whatever its last version's clock said.
    """
    record = record_of(commit)
    said = None if record is None else record.day
    try:
        own = date.fromisoformat(said) if said else commit.author.moment().date()
    except (ValueError, OverflowError, OSError):
        own = before  # a time that no calendar has
    return max(own, before)


def stands_for(engine: Engine, tip: str, head: str, version: int) -> bool:
    """Does the line that ends in ``tip`` hold all versions up to ``head``, as they were.

    A squash gives later versions another parent, and one commit stands for a day; files,
    message, people and times stay; a commit that is no version ends it. ``version`` is
    the number of ``head``.
    """
    try:
        return _same(_from(steps(engine, tip), version), steps(engine, head))
    except (ObjectMissing, ObjectDamaged):
        return False


def _from(found: Iterator[Step], version: int) -> Iterator[Step]:
    begun = False
    for step in found:
        record = record_of(step.commit)
        if record is None:
            return  # what is no version came onto the line
        begun = begun or record.version <= version
        if begun:
            yield step


def _same(ours: Iterator[Step], theirs: Iterator[Step]) -> bool:
    mine, other = next(ours, None), next(theirs, None)
    while mine is not None and other is not None:
        if mine.on_line.id == other.on_line.id:
            return True
        whole = _is_whole(mine) or _is_whole(other)
        same = mine.commit.tree == other.commit.tree if whole else _alike(mine, other)
        if not same or _number(mine) != _number(other):
            return False
        if whole or mine.commit.id == other.commit.id:
            # all of that day is the same: on below it
            first = _day_begins(mine, other, whole=whole)
            mine, other = _below(ours, first), _below(theirs, first)
        else:
            mine, other = next(ours, None), next(theirs, None)
    return mine is None and other is None


def _day_begins(mine: Step, other: Step, *, whole: bool) -> int:
    """The number down to which the two agree."""
    both = (mine, other)
    if whole:
        return min(step.first for step in both if _is_whole(step))
    return max(step.first for step in both if step.on_line is not step.commit)


def _is_whole(step: Step) -> bool:
    """Is it a day whose own versions are not here."""
    record = record_of(step.commit)
    return record is not None and record.archive is not None


def _number(step: Step) -> int:
    record = record_of(step.commit)
    return 0 if record is None else record.version


def _alike(mine: Step, other: Step) -> bool:
    one, two = mine.commit, other.commit
    return (one.tree, one.author, one.committer, one.message) == (
        two.tree,
        two.author,
        two.committer,
        two.message,
    )


def _below(found: Iterator[Step], first: int) -> Step | None:
    for step in found:
        if _number(step) < first:
            return step
    return None
