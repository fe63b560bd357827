"""What is derived from the state files, and kept beside them: ``task-state.json``.

It is made before the look at the directory, so that one edit of the task file makes one
version, which has both.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from gitstate.documents import CURRENT_TASK
from gitstate.errors import CannotWrite, GitstateError, Refused
from gitstate.files import read_bytes, replace_file
from gitstate.history.editing import Files, edit, viewed
from gitstate.memory import task_state
from gitstate.memory.shelf import FAILED_ATTEMPTS
from gitstate.memory.task_state import TASK_STATE
from gitstate.workspace import RESTORING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gitstate.history.snapshot import Outcome
    from gitstate.workspace import Workspace


def derive(ws: Workspace) -> bool:
    """Make ``task-state.json`` anew where the task is another; says whether it did.

    Costs a few small reads where it is not. A task file that cannot be read as text
    has none: what is there stays. Raises ``CannotWrite`` and ``LockHeld``.
    """
    if (ws.runtime / RESTORING).exists():
        return False  # a restore is under way, which brings both files
    try:
        with viewed(ws) as files:
            if _is_fresh(files):
                return False
            seen = _sight(files)
            if _found_fresh(ws) == seen:
                return False
        if edit(ws, _change):
            return True
    except Refused:
        return False
    with contextlib.suppress(CannotWrite):  # then it is found out once more
        replace_file(_found_path(ws), seen.encode(), mode=ws.file_mode)
    return False


def _sight(files: Files) -> str:
    """The blob ids of what is derived, and of what it is derived from."""
    found = map(files.content, (CURRENT_TASK, FAILED_ATTEMPTS, TASK_STATE))
    return " ".join("-" if item is None else item.id for item in found)


def _found_path(ws: Workspace) -> Path:
    return ws.runtime / "derived"


def _found_fresh(ws: Workspace) -> str:
    """What was found to need nothing, by parsing it, though it did not look so."""
    try:
        return read_bytes(_found_path(ws)).decode("ascii", "replace")
    except OSError:
        return ""


def task_document(files: Files) -> dict[str, Any]:
    """The task as data, as it is now, whatever ``task-state.json`` says; writes nothing.

    Raises ``Refused`` where there is no task file.
    """
    task = files.content(CURRENT_TASK)
    text = files.required(CURRENT_TASK)
    failed = files.text(FAILED_ATTEMPTS)
    return task_state.derived(text, failed, task.id if task else "")


def _is_fresh(files: Files) -> bool:
    task = files.content(CURRENT_TASK)
    if task is None:
        return True
    if not task_state.is_of(files.text(TASK_STATE), task.id):
        return False
    made, failed = files.written(TASK_STATE), files.written(FAILED_ATTEMPTS)
    return failed is None or made is None or failed <= made


def _change(files: Files) -> Mapping[str, str]:
    task, text = files.content(CURRENT_TASK), files.text(CURRENT_TASK)
    if task is None or text is None:
        return {}
    old = files.text(TASK_STATE)
    new = task_state.derived(text, files.text(FAILED_ATTEMPTS), task.id)
    if old is None and not task_state.says_something(new):
        return {}  # nobody needs the state of a task that there is not
    if task_state.read(old) == new:
        return {}
    return {TASK_STATE: task_state.rendered(new)}


def take(ws: Workspace, *, verb: str, **words: Any) -> Outcome:  # noqa: ANN401 as `snapshot.take`
    """``snapshot.take`` with what is derived from the files made first."""
    from gitstate.history import snapshot  # noqa: PLC0415 a reader needs no engine

    snapshot.require_initialised(ws)
    with contextlib.suppress(GitstateError):  # what is derived can be so later
        derive(ws)
    return snapshot.take(ws, verb=verb, **words)
