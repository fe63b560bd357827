"""Do the files that the operations log says were changed still look as recorded."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from gitstate.documents import CURRENT_TASK
from gitstate.errors import GitstateError
from gitstate.history import batches
from gitstate.history.editing import viewed
from gitstate.history.worktree_files import blob_id
from gitstate.memory import operations_log
from gitstate.memory.operations_log import OPERATIONS
from gitstate.recall.fence import line_of
from gitstate.recall.words import word
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitstate.history.editing import Files
    from gitstate.memory.operations_log import Operation
    from gitstate.workspace import Workspace

Look = Literal["same", "changed", "gone", "unknown"]
_WRITES = {"edit", "create"}


@dataclass(frozen=True, slots=True)
class FileState:
    """One file that was changed: its last writing operation, and how it looks now.

    ``unknown``: nothing was recorded to compare with, or it is too large.
    """

    path: str
    look: Look
    last: Operation


def last_writes(operations: Iterable[Operation]) -> dict[str, Operation]:
    """The last operation that wrote or deleted each file, newest first."""
    found: dict[str, Operation] = {}
    for one in operations:
        if one.action in _WRITES or one.action == "delete":
            found.pop(one.path, None)
            found[one.path] = one
    return dict(reversed(found.items()))


def states_of(ws: Workspace, operations: Iterable[Operation]) -> list[FileState]:
    """Each file that was written, newest first, as it looks now; no link is followed."""
    return [
        FileState(path, _look(ws, one), one)
        for path, one in last_writes(operations).items()
    ]


def told(states: Iterable[FileState], lang: str) -> list[tuple[str, str]]:
    """The path of each file that no longer looks as recorded, and a line of it."""
    return [
        (
            line_of(one.path),
            word(
                lang,
                one.look,
                path=line_of(one.path),
                when=line_of(one.last.time),
                what=line_of(one.last.summary) or one.last.action,
            ),
        )
        for one in states
        if one.look in {"changed", "gone"}
    ]


def first_edit_line(ws: Workspace, path: str, since: float) -> str | None:
    """When, in which step and how a file was changed before ``since`` (s since 1970).

    The step is the last one whose files it is among; where there is none, the one that
    is in progress now is named as such. ``None`` where the log knows of no change.
    """
    with suppress(GitstateError, OSError), viewed(ws) as files:
        waiting = batches.waiting(ws)
        found = operations_log.known(files.text(OPERATIONS), waiting)
        one = last_writes(
            each for each in found if each.path == path and _before(each, since)
        ).get(path)
        if one is not None:
            what = line_of(one.summary) or one.action
            lang = ws.settings.lang
            step = _step(files, path, lang)
            when = line_of(one.time)
            return word(
                lang, "edit", path=line_of(path), when=when, what=what, step=step
            )
    return None


def _step(files: Files, path: str, lang: str) -> str:
    """Which step a file belongs to, in words that go before what was done; "" for none."""
    from gitstate.documents import current_task  # noqa: PLC0415 a briefing can do without parsers

    with suppress(GitstateError):
        steps = current_task.parse(files.text(CURRENT_TASK) or "").steps
        theirs = [one for one in steps if path in one.files]
        doing = [one for one in steps if one.status == "in_progress"]
        if found := (theirs or doing)[-1:]:
            key, one = ("step" if theirs else "doing"), found[0]
            return word(lang, key, number=one.number, text=line_of(one.text))
    return ""


def _before(one: Operation, since: float) -> bool:
    try:
        return datetime.fromisoformat(one.time).timestamp() < since
    except (ValueError, OverflowError):
        return True


def _look(ws: Workspace, one: Operation) -> Look:
    now = blob_id(ws, one.path)
    if one.action == "delete":
        return "same" if now is None else "changed"
    if now is None:
        return "gone"
    if not now or not one.blob:
        return "unknown"
    return "same" if now.startswith(one.blob) else "changed"
