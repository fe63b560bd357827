"""One numbered file, before and after; pure.

First its changed sections alone are read, where that tells it all: a line that is added
to a long file costs no more than one that is added to a short one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from gitstate.history import parsed
from gitstate.history.compare_entries import compare_decisions, compare_issues
from gitstate.history.compare_lists import compare_context, compare_map, compare_rules
from gitstate.history.compare_task import compare_task
from gitstate.history.parts import changed_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitstate.documents.current_task import CurrentTask
    from gitstate.history.change import Change
    from gitstate.history.moved import Moved
    from gitstate.history.parsed import Kind


class TaskPair(NamedTuple):
    """The task file, before and after."""

    path: bytes
    old: CurrentTask
    new: CurrentTask


_KINDS: dict[
    Kind,
    tuple[
        Callable[[bytes], Any | None],
        Callable[[bytes, Any, Any, Moved], Iterator[Change]],
    ],
] = {
    "task": (parsed.task, compare_task),
    "decisions": (parsed.decisions, compare_decisions),
    "issues": (parsed.issues, compare_issues),
    "rules": (
        parsed.rules,
        lambda path, old, new, moved: compare_rules(path, old.rules, new.rules, moved),
    ),
    "context": (parsed.context, compare_context),
    "map": (
        parsed.file_map,
        lambda path, old, new, moved: compare_map(
            path, old.entries, new.entries, moved
        ),
    ),
}


# in the others, an item can be a part of the one before it
_LISTS: frozenset[Kind] = frozenset({"task", "rules", "context"})


def in_file(  # noqa: PLR0913 two texts of a file, and how to look at them
    kind: Kind, path: bytes, old: bytes, new: bytes, moved: Moved, *, whole: bool
) -> tuple[list[Change], TaskPair | None]:
    """What changed in a file; with ``whole``, all of it is looked at."""
    found = None
    if not whole and (parts := changed_parts(old, new, items=kind in _LISTS)):
        found = _compared(kind, path, *parts, moved)
        if found and not _hangs_together(*found):
            return found
    all_of_it = _compared(kind, path, old, new, moved)
    if all_of_it is None and found and kind == "decisions":
        return found  # too large to be parsed whole: what is said of it stands there
    return all_of_it or ([], None)


def _hangs_together(found: list[Change], task: TaskPair | None) -> bool:
    """Whether sections that did not change have a say in it, too."""
    if task and (task.old.failed or task.new.failed):
        return True
    return any(
        one.act in {"superseded", "withdrawn", "reinstated"}
        if one.subject == "decision"
        else one.subject in {"task", "step", "next", "anchor"}
        for one in found
    )


def _compared(
    kind: Kind, path: bytes, old: bytes, new: bytes, moved: Moved
) -> tuple[list[Change], TaskPair | None] | None:
    """What changed between two texts; ``None`` where one cannot be read."""
    read, compare = _KINDS[kind]
    before, after = read(old), read(new)
    if before is None or after is None:
        return None
    task = TaskPair(path, before, after) if kind == "task" else None
    return list(compare(path, before, after, moved)), task
