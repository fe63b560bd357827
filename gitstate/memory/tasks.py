"""What happens to a task, as edits of the text of ``02-current-task.md``; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.documents import current_task
from gitstate.documents.edit_steps import add_step, set_step
from gitstate.documents.edit_task import (
    add_blocker,
    add_constraint,
    drop_blocker,
    set_anchor,
    set_goal,
    set_next,
)
from gitstate.errors import Refused, printable
from gitstate.memory import wording

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitstate.documents.anchors import Anchor
    from gitstate.documents.steps import Step

DONE = 'gitstate task done 1 "root cause in parseExpr, src/core/parser.ts:142"'


def start(  # noqa: PLR0913 what a task begins with
    text: str,
    goal: str,
    *,
    constraints: Sequence[str] = (),
    steps: Sequence[str] = (),
    next_step: str | None = None,
    anchor: Anchor | None = None,
) -> str:
    """The task file with a new task; raises ``Refused`` where there is one already."""
    require_no_task(text)
    text = set_goal(text, wording.goal(goal))
    for constraint in constraints:
        text = add_constraint(text, constraint)
    for step in steps:
        text = add_step(text, wording.step(step))
    if next_step is not None:
        text = set_next(text, wording.next_step(next_step))
    return text if anchor is None else set_anchor(text, anchor)


def require_no_task(text: str) -> None:
    """Raise ``Refused`` where there is a task."""
    there = current_task.parse(text).goal
    if there is not None:
        raise Refused(
            f"there is a task already: {printable(there.text)}; "
            "`gitstate task finish` moves it to completed/"
        )


def require_task(text: str) -> str:
    """The goal of the task there is; raises ``Refused`` where there is none."""
    goal = current_task.parse(text).goal
    if goal is None:
        raise Refused(
            "there is no task; begin one, like: "
            'gitstate task start "Fix nested brackets in src/core/parser.ts parseExpr"'
        )
    return goal.text


def step_of(text: str, number: int) -> Step:
    """The step of that number; raises ``Refused`` where there is none."""
    steps = current_task.parse(text).steps
    found = next((one for one in steps if one.number == number), None)
    if found is None:
        there = ", ".join(str(one.number) for one in steps) or "none"
        raise Refused(f"there is no step {number}; the steps are: {there}")
    return found


def begin(text: str, number: int, files: Sequence[str] = ()) -> str:
    """The task file with a step in progress; one is at a time."""
    steps = current_task.parse(text).steps
    busy = [one for one in steps if one.status == "in_progress"]
    if busy and busy[0].number != number:
        other = busy[0].number
        raise Refused(
            f"step {other} is in progress: end it first, like: "
            f"{DONE.replace(' 1 ', f' {other} ')}"
        )
    step = step_of(text, number)
    return set_step(
        text,
        number,
        status="in_progress",
        conclusion="" if step.status == "blocked" and step.conclusion else None,
        files=_with(step, files),
    )


def done(
    text: str, number: int, conclusion: str | None, files: Sequence[str] = ()
) -> str:
    """The task file with a step done, and what came of it."""
    step = step_of(text, number)
    if conclusion is None and step.status == "in_progress" and step.conclusion:
        conclusion = step.conclusion
    said = wording.conclusion(conclusion, DONE.replace(" 1 ", f" {number} "))
    return set_step(
        text, number, status="done", conclusion=said, files=_with(step, files)
    )


def block(text: str, number: int, waits_for: str | None) -> str:
    """The task file with a step that cannot go on, and what it waits for."""
    step_of(text, number)
    example = f'gitstate task block {number} "the CI runner has no node 20"'
    if waits_for is None:
        raise Refused(f"what does step {number} wait for? Say it like: {example}")
    said = wording.within(
        wording.one_line(waits_for, "reason", example), "reason", example
    )
    return set_step(text, number, status="blocked", conclusion=said)


def add_block(text: str, blocker: str) -> str:
    """The task file with something more that stops the work."""
    example = 'gitstate task block "ops must update the CI runner to node 20"'
    return add_blocker(text, wording.one_line(blocker, "blocker", example))


def drop_block(text: str, words: str) -> tuple[str, str]:
    """The task file without the one blocker that has ``words`` in it, and that one."""
    blockers = current_task.parse(text).blockers
    found = [one for one in blockers if words.casefold() in one.text.casefold()]
    if len(found) != 1:
        many = f"{len(found)} blockers have" if found else "no blocker has"
        there = "; ".join(printable(one.text) for one in blockers) or "none"
        raise Refused(f"{many} {printable(words)} in it; the blockers are: {there}")
    return drop_blocker(text, found[0]), found[0].text


def _with(step: Step, files: Sequence[str]) -> tuple[str, ...] | None:
    """A step's files with these, or ``None`` where there is nothing to add."""
    new = [one for one in files if one not in step.files]
    return (*step.files, *new) if new else None
