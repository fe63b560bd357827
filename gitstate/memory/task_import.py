"""A task in its JSON form -> the text of the task file; pure.

The form is that of ``task-state.json``. What is not said in it (a step's conclusion, the
anchor) need not be there.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gitstate.documents import current_task
from gitstate.documents.anchors import Anchor
from gitstate.documents.attempts import Attempt
from gitstate.documents.edit_steps import add_step, set_step
from gitstate.documents.edit_task import (
    add_blocker,
    add_constraint,
    set_anchor,
    set_goal,
    set_next,
)
from gitstate.errors import Refused, printable
from gitstate.memory import wording
from gitstate.memory.schema import problems, shown, task_schema
from gitstate.memory.task_state import SCHEMA
from gitstate.memory.tasks import require_no_task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_DEFAULTS: dict[str, Any] = {
    "schema": SCHEMA,
    "source": "0" * 40,
    "constraints": [],
    "subtasks": [],
    "next": None,
    "anchor": None,
    "blockers": [],
    "failed_attempts": [],
}
_STEP: dict[str, Any] = {"status": "todo", "conclusion": None, "files_touched": []}
_EXAMPLE = "root cause in parseExpr, line 142"


def read(data: bytes) -> dict[str, Any]:
    """The document in a file's bytes, with all its fields.

    Raises ``Refused``, which names the field that is wrong by its JSON path.
    """
    try:
        found = json.loads(data)
    except RecursionError as error:
        raise Refused("no task: it is nested too deep") from error
    except UnicodeDecodeError as error:
        raise Refused(f"no task: not UTF-8 at byte {error.start}") from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Refused(f"no JSON: {error.msg} in {where}") from error
    if isinstance(found, dict):
        found = _DEFAULTS | found
        if isinstance(found["subtasks"], list):
            found["subtasks"] = [_step(one) for one in found["subtasks"]]
        if isinstance(found["anchor"], dict):
            found["anchor"] = {"line": None} | found["anchor"]
        if isinstance(found["failed_attempts"], list):
            found["failed_attempts"] = [
                {"reason": None} | one if isinstance(one, dict) else one
                for one in found["failed_attempts"]
            ]
    for path, what in problems(found, task_schema()):
        raise _wrong(path, what)
    _check(found)
    return dict(found)


def _step(one: object) -> object:
    return _STEP | one if isinstance(one, dict) else one


def _wrong(path: str, what: str) -> Refused:
    return Refused(f"{printable(path)}: {printable(what)}")


def _check(found: dict[str, Any]) -> None:
    """What a schema does not say: nothing in it is vague."""
    if found["goal"] is None:
        raise _wrong("$.goal", "a task has a goal")
    for number, step in enumerate(found["subtasks"]):
        path = f"$.subtasks[{number}]"
        if step["id"] != number + 1:
            said = (
                f"{shown(step['id'])} where {number + 1} belongs: number them 1, 2, 3"
            )
            raise _wrong(f"{path}.id", said)
        if step["status"] == "done" and step["conclusion"] is None:
            said = f"a done step has one, like: {_EXAMPLE}"
            raise _wrong(f"{path}.conclusion", said)


def written(
    text: str, found: dict[str, Any], whole: Callable[[str], str]
) -> tuple[str, list[Attempt]]:
    """The task file with the task that ``read`` found in it, and the failed attempts.

    ``whole`` looks at a path, and raises ``Refused`` where it is not whole. Raises
    ``Refused`` where there is a task already, and names the field that is wrong.
    """
    require_no_task(text)
    if current_task.parse(text).steps:
        raise Refused("there are steps already: take them out of the file first")
    with _field("$.goal"):
        text = set_goal(text, wording.goal(found["goal"]))
    for number, constraint in enumerate(found["constraints"]):
        with _field(f"$.constraints[{number}]"):
            text = add_constraint(text, constraint)
    for number, step in enumerate(found["subtasks"]):
        text = _with_step(text, step, f"$.subtasks[{number}]", whole)
    if found["next"] is not None:
        with _field("$.next"):
            text = set_next(text, wording.next_step(found["next"]))
    if (anchor := found["anchor"]) is not None:
        with _field("$.anchor.file"):
            text = set_anchor(text, Anchor(whole(anchor["file"]), anchor["line"]))
    for number, blocker in enumerate(found["blockers"]):
        with _field(f"$.blockers[{number}]"):
            text = add_blocker(text, blocker)
    attempts = []
    for number, one in enumerate(found["failed_attempts"]):
        with _field(f"$.failed_attempts[{number}].reason"):
            reason = wording.reason(
                one["reason"], "a failed attempt", "it broke a branch"
            )
        attempts.append(Attempt(one["approach"], reason))
    return text, attempts


def _with_step(
    text: str, step: dict[str, Any], path: str, whole: Callable[[str], str]
) -> str:
    with _field(f"{path}.desc"):
        text = add_step(text, wording.step(step["desc"]), status=step["status"])
    conclusion = step["conclusion"]
    if conclusion is not None:
        with _field(f"{path}.conclusion"):
            conclusion = wording.conclusion(conclusion, _EXAMPLE)
    files = []
    for number, file in enumerate(step["files_touched"]):
        with _field(f"{path}.files_touched[{number}]"):
            files.append(whole(file))
    if conclusion is None and not files:
        return text
    with _field(path):
        return set_step(text, step["id"], conclusion=conclusion, files=files or None)


@contextmanager
def _field(path: str) -> Iterator[None]:
    """What is refused inside is that field's."""
    try:
        yield
    except Refused as error:
        raise Refused(f"{path}: {error}") from error
