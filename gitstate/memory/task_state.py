"""``long_mem/task-state.json``: the task file as data, derived from it and never edited.

Its form is ``task-state.schema.json`` beside this module. ``source`` is the blob id of
the task file that it was derived from: who reads it compares the two, and derives it
anew where they differ.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitstate.documents.attempts import Attempt
    from gitstate.documents.current_task import CurrentTask
    from gitstate.documents.steps import Step

TASK_STATE = "long_mem/task-state.json"
SCHEMA = "task-state/1"


def derived(task_text: str, attempts_text: str | None, source: str) -> dict[str, Any]:
    """The document that the task file and the file of failed attempts come to.

    ``source`` is the task file's blob id.
    """
    from gitstate.documents import current_task  # noqa: PLC0415 40 ms that a look spares
    from gitstate.memory.attempts import of_task  # noqa: PLC0415 the same

    task = current_task.parse(task_text)
    goal = task.goal.text if task.goal else None
    return document(task, of_task(attempts_text, goal), source)


def document(
    task: CurrentTask, attempts: Sequence[Attempt], source: str
) -> dict[str, Any]:
    """A task as the document; its own failed attempts, then ``attempts``."""
    failed = dict.fromkeys((*task.failed, *attempts))
    anchor = task.anchor
    return {
        "schema": SCHEMA,
        "source": source,
        "goal": task.goal.text if task.goal else None,
        "constraints": [item.text for item in task.constraints],
        "subtasks": [_subtask(step) for step in task.steps],
        "next": task.next.text if task.next else None,
        "anchor": {"file": anchor.file, "line": anchor.line} if anchor else None,
        "blockers": [item.text for item in task.blockers],
        "failed_attempts": [
            {"approach": one.approach, "reason": one.reason} for one in failed
        ],
    }


def _subtask(step: Step) -> dict[str, Any]:
    return {
        "id": step.number,
        "desc": step.text,
        "status": step.status,
        "conclusion": step.conclusion,
        "files_touched": list(step.files),
    }


def rendered(found: dict[str, Any]) -> str:
    """The document as the file's text."""
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def read(text: str | None) -> dict[str, Any] | None:
    """The document in a file's text; ``None`` where it is none of ours."""
    try:
        found = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        return None
    return found


def is_of(text: str | None, source: str) -> bool:
    """Was the file derived from the task file of that blob id."""
    found = read(text)
    return found is not None and found.get("source") == source


def says_something(found: dict[str, Any]) -> bool:
    """Is there anything in it: a template's is empty."""
    return any(found[key] for key in found.keys() - {"schema", "source"})
