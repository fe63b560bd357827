"""Two states of the documents -> what changed, in words of state; pure.

Net: what was done and undone between the two does not show. Over more than two (a day's
versions), what was opened and closed in between shows as that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.history import parsed
from gitstate.history.change import NOTHING, Change, Changes, strongest_first
from gitstate.history.compare_file import in_file
from gitstate.history.compare_task import place
from gitstate.history.matching import bare
from gitstate.history.moved import Moved

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gitstate.documents.current_task import CurrentTask
    from gitstate.history.compare_file import TaskPair

__all__ = ["NOTHING", "Change", "Changes", "between"]

_TASK_STATE = b"long_mem/task-state.json"
_IN_TASK_STATE = {"task", "step", "next", "anchor", "constraint", "blocker", "attempt"}


def between(before: Mapping[bytes, bytes], after: Mapping[bytes, bytes]) -> Changes:
    """What changed from one state to the other: path -> bytes of the files that differ.

    A file that is missing in one of them was not there. Of those that are the same in
    both, the task and the issues count where another file took in what stood in them.
    What cannot be read as what its name says, or is too large for that
    (``parsed.MAX_BYTES``), says nothing.
    """
    moved = Moved(before, after)
    # a thing that moved between files, or is told in one because of another
    whole = bool(moved.texts or {parsed.FAILED, parsed.CONCLUSIONS} & after.keys())
    items: list[Change] = []
    progress: tuple[int, int] | None = None
    tasks: list[TaskPair] = []
    for path in sorted(before.keys() | after.keys()):
        kind = parsed.kind_of(path)
        old, new = before.get(path, b""), after.get(path, b"")
        if kind is None or (old == new and not _passed_through(kind, moved)):
            continue
        found, task = in_file(kind, path, old, new, moved, whole=whole)
        items += found
        if task:
            tasks.append(task)
            steps = task.new.steps
            done = sum(one.status == "done" for one in steps)
            progress = (done, len(steps)) if steps else None
    items += _attempts(before, after, tasks)
    all_tasks = [task for one in tasks for task in (one.old, one.new)]
    all_tasks += [task for _, task in moved.tasks]
    items += _conclusions(before, after, all_tasks)
    told = {one.path for one in items} | moved.used
    if any(one.subject in _IN_TASK_STATE for one in items):
        told.add(_TASK_STATE)  # derived from the task file: it says the same
    return Changes(tuple(strongest_first(items)), progress, frozenset(told))


def _passed_through(kind: parsed.Kind, moved: Moved) -> bool:
    """Did something come and go in a file that says the same again."""
    return bool((kind == "task" and moved.tasks) or (kind == "issues" and moved.issues))


def _attempts(
    before: Mapping[bytes, bytes],
    after: Mapping[bytes, bytes],
    tasks: Sequence[TaskPair],
) -> Iterator[Change]:
    """Failed attempts that stood nowhere before, in the task file or their own."""
    there = [(path, one) for path, _, task in tasks for one in task.failed]
    there += [
        (parsed.FAILED, one)
        for one in parsed.attempts(after.get(parsed.FAILED, b"")) or ()
    ]
    known = [one for _, task, _ in tasks for one in task.failed]
    known += parsed.attempts(before.get(parsed.FAILED, b"")) or ()
    said = {bare(one.approach) for one in known}
    for path, one in there:
        if bare(one.approach) not in said:
            said.add(bare(one.approach))
            yield Change(
                subject="attempt",
                act="added",
                text=one.approach,
                reason=one.reason,
                path=path,
                lines=one.lines,
            )


def _conclusions(
    before: Mapping[bytes, bytes],
    after: Mapping[bytes, bytes],
    tasks: Sequence[CurrentTask],
) -> Iterator[Change]:
    """Conclusions that were not there before; a step's own are told with the step."""
    known = {bare(step.text) for task in tasks for step in task.steps}
    old = parsed.conclusions(before.get(parsed.CONCLUSIONS, b"")) or ()
    known |= {bare(one.text) for one in old}
    for one in parsed.conclusions(after.get(parsed.CONCLUSIONS, b"")) or ():
        if bare(one.text) not in known:
            known.add(bare(one.text))
            yield Change(
                subject="conclusion",
                act="added",
                text=one.text,
                conclusion=one.conclusion,
                anchor=place(one.anchor) if one.anchor else None,
                path=parsed.CONCLUSIONS,
            )
