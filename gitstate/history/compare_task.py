"""The current task, before and after: what was begun, done, blocked, finished; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.history.change import Change
from gitstate.history.matching import alike, bare, keeps_words, pair_up

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitstate.documents.anchors import Anchor
    from gitstate.documents.current_task import CurrentTask
    from gitstate.documents.items import Item
    from gitstate.documents.steps import Step
    from gitstate.history.change import Act, Subject
    from gitstate.history.moved import Moved


def same_task(old: CurrentTask, new: CurrentTask) -> bool:
    """Whether two states of the file tell of one task: its goal, or a step, is the same."""
    if old.goal is None or new.goal is None:
        return old.goal is new.goal
    if alike(old.goal.text, new.goal.text):
        return True
    steps = {bare(one.text) for one in old.steps}
    return any(bare(one.text) in steps for one in new.steps)


def compare_task(
    path: bytes, old: CurrentTask, new: CurrentTask, moved: Moved
) -> Iterator[Change]:
    """What changed in the task, in the order in which it is told."""
    gone = old.goal is not None and not same_task(old, new)
    put_away = _put_away(path, old, new, moved)
    if gone and old.goal and not any(one.act == "finished" for one in put_away):
        yield _task(path, "ended", old.goal, was=True)
    yield from put_away
    if new.goal and (gone or old.goal is None):
        yield _task(path, "started", new.goal)
    elif new.goal and old.goal and bare(new.goal.text) != bare(old.goal.text):
        yield Change(
            subject="task",
            act="changed",
            text=new.goal.text,
            was=old.goal.text,
            path=path,
            lines=new.goal.lines,
            was_lines=old.goal.lines,
        )
    # of a task that is not there any more nothing is taken away
    yield from compare_steps(path, () if gone else old.steps, new.steps)
    yield from _next(path, old, new)
    constraints, blockers = ((), ()) if gone else (old.constraints, old.blockers)
    yield from _items(path, "constraint", constraints, new.constraints, moved)
    yield from _items(path, "blocker", blockers, new.blockers, moved)


def _put_away(
    path: bytes, old: CurrentTask, new: CurrentTask, moved: Moved
) -> list[Change]:
    """Tasks that went to ``completed/``, with the steps that were done in them."""
    found: list[Change] = []
    for file, task in moved.tasks:
        assert task.goal is not None  # noqa: S101 `tasks` has no others
        if new.goal and bare(new.goal.text) == bare(task.goal.text):
            continue  # a copy of what still goes on
        moved.used.add(file)
        known = old.goal is not None and same_task(old, task)
        if known and old.goal:
            found.append(_task(path, "finished", old.goal, was=True))
        else:
            found.append(_task(file, "started and finished", task.goal))
        steps = compare_steps(file, old.steps if known else (), task.steps)
        found += [one for one in steps if one.act == "done"]
    return found


def _task(path: bytes, act: Act, goal: Item, *, was: bool = False) -> Change:
    return Change(
        subject="task",
        act=act,
        text=goal.text,
        path=path,
        lines=None if was else goal.lines,
        was_lines=goal.lines if was else None,
    )


def compare_steps(
    path: bytes, before: Sequence[Step], after: Sequence[Step]
) -> Iterator[Change]:
    """What became of each step; a step that is worded anew is the same one."""
    pairs, gone = pair_up(
        before, after, lambda one: bare(one.text), lambda one: one.text
    )
    for old, new in pairs:
        act = _act(old, new)
        if act is None:
            continue
        yield Change(
            subject="step",
            act=act,
            text=new.text,
            was=old.text if act == "changed" and old and old.text != new.text else None,
            id=str(new.number),
            conclusion=new.conclusion,
            path=path,
            lines=new.lines,
            was_lines=old.lines if old else None,
        )
    for one in gone:
        yield Change(
            subject="step",
            act="removed",
            text=one.text,
            id=str(one.number),
            path=path,
            was_lines=one.lines,
        )


def _act(old: Step | None, new: Step) -> Act | None:
    acts: dict[str, Act] = {
        "in_progress": "begun",
        "done": "done",
        "blocked": "blocked",
    }
    if old is None:
        return acts.get(new.status, "added")
    if old.status != new.status:
        if old.status == "done" and new.status != "blocked":
            return "reopened"
        return acts.get(new.status, "put back")
    if bare(old.text) != bare(new.text) or (
        new.conclusion is not None and old.conclusion != new.conclusion
    ):
        return "changed"
    return None


def _next(path: bytes, old: CurrentTask, new: CurrentTask) -> Iterator[Change]:
    if new.next and (old.next is None or old.next.text != new.next.text):
        yield Change(
            subject="next",
            act="changed",
            text=new.next.text,
            path=path,
            lines=new.next.lines,
        )
    if new.anchor and new.anchor != old.anchor:
        yield Change(
            subject="anchor",
            act="changed",
            text=place(new.anchor),
            path=path,
            lines=new.anchor.lines,
        )


def place(anchor: Anchor) -> str:
    """An anchor as a text: ``src/a.ts:142``."""
    return anchor.file if anchor.line is None else f"{anchor.file}:{anchor.line}"


def _items(
    path: bytes,
    subject: Subject,
    before: Sequence[Item],
    after: Sequence[Item],
    moved: Moved,
) -> Iterator[Change]:
    from gitstate.documents.rules import force_of  # noqa: PLC0415 with the parsers alone

    def fits(old: Item, new: Item) -> bool:
        # of two constraints that forbid, one whose words are gone is another one
        forbid = subject == "constraint" and force_of(old.text) == "never"
        forbid = forbid and force_of(new.text) == "never"
        return not forbid or keeps_words(old.text, new.text)

    pairs, gone = pair_up(
        before, after, lambda one: bare(one.text), lambda one: one.text, fits
    )
    for old, new in pairs:
        if old is not None and bare(old.text) == bare(new.text):
            continue
        forbade = old is not None and force_of(old.text) == "never"
        yield Change(
            subject=subject,
            act="changed" if old else "added",
            text=new.text,
            was=old.text if old else None,
            path=path,
            prohibition=subject == "constraint"
            and forbade
            and force_of(new.text) != "never",
            lines=new.lines,
            was_lines=old.lines if old else None,
        )
    for one in gone:
        archived = moved.holds(one.text)
        yield Change(
            subject=subject,
            act="archived" if archived else "removed",
            text=one.text,
            path=path,
            prohibition=subject == "constraint"
            and not archived
            and force_of(one.text) == "never",
            was_lines=one.lines,
        )
