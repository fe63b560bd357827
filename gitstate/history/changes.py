"""Two states of the documents -> what changed, in words of state; pure.

Net: what was done and undone between the two does not show. Over more than two (a day's
versions), what was opened and closed in between shows as that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.history import parsed
from gitstate.history.change import NOTHING, Change, Changes, strongest_first
from gitstate.history.compare_entries import compare_decisions, compare_issues
from gitstate.history.compare_lists import compare_context, compare_map, compare_rules
from gitstate.history.compare_task import compare_task, place
from gitstate.history.matching import bare
from gitstate.history.moved import Moved

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gitstate.documents.current_task import CurrentTask
    from gitstate.history.parsed import Kind

__all__ = ["NOTHING", "Change", "Changes", "between"]

_TASK_STATE = b"long_mem/task-state.json"


def between(before: Mapping[bytes, bytes], after: Mapping[bytes, bytes]) -> Changes:
    """What changed from one state to the other: path -> bytes of the files that differ.

    A file that is missing in one of them was not there. What cannot be read as what its
    name says, or is larger than ``parsed.MAX_BYTES``, says nothing.
    """
    moved = Moved(before, after)
    items: list[Change] = []
    progress: tuple[int, int] | None = None
    tasks: list[tuple[bytes, CurrentTask, CurrentTask]] = []
    for path in sorted(before.keys() | after.keys()):
        kind = parsed.kind_of(path)
        old, new = before.get(path, b""), after.get(path, b"")
        if kind is None or old == new:
            continue
        if kind != "task":
            items += _compared(kind, path, old, new, moved)
            continue
        task_before, task_after = parsed.task(old), parsed.task(new)
        if task_before and task_after:
            items += compare_task(path, task_before, task_after, moved)
            tasks.append((path, task_before, task_after))
            done = sum(one.status == "done" for one in task_after.steps)
            progress = (done, len(task_after.steps)) if task_after.steps else None
    items += _attempts(before, after, tasks)
    all_tasks = [one[1] for one in tasks] + [one[2] for one in tasks]
    all_tasks += [task for _, task in moved.tasks]
    items += _conclusions(before, after, all_tasks)
    told = {one.path for one in items} | moved.used
    if any(one.subject in {"task", "step", "next", "anchor"} for one in items):
        told.add(_TASK_STATE)  # derived from the task file: it says the same
    return Changes(tuple(strongest_first(items)), progress, frozenset(told))


def _compared(
    kind: Kind, path: bytes, old: bytes, new: bytes, moved: Moved
) -> Iterator[Change]:
    if kind == "decisions":
        if (a := parsed.decisions(old)) and (b := parsed.decisions(new)):
            yield from compare_decisions(path, a, b, moved)
    elif kind == "issues":
        if (c := parsed.issues(old)) and (d := parsed.issues(new)):
            yield from compare_issues(path, c, d, moved)
    elif kind == "rules":
        if (e := parsed.rules(old)) and (f := parsed.rules(new)):
            yield from compare_rules(path, e.rules, f.rules, moved)
    elif kind == "context":
        if (g := parsed.context(old)) and (h := parsed.context(new)):
            yield from compare_context(path, g, h, moved)
    elif kind == "map" and (i := parsed.file_map(old)) and (j := parsed.file_map(new)):
        yield from compare_map(path, i.entries, j.entries, moved)


def _attempts(
    before: Mapping[bytes, bytes],
    after: Mapping[bytes, bytes],
    tasks: Sequence[tuple[bytes, CurrentTask, CurrentTask]],
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
