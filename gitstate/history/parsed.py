"""A numbered file's bytes -> its typed values, each text parsed once; never fails.

Nothing of ``documents`` is loaded before the first text is parsed (70 ms of a cold
process that most commands and every hook do without).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from gitstate.documents.attempts import Attempt
    from gitstate.documents.conventions import Conventions
    from gitstate.documents.current_task import CurrentTask
    from gitstate.documents.decision_log import DecisionLog
    from gitstate.documents.file_map import FileMap
    from gitstate.documents.known_issues import KnownIssues
    from gitstate.documents.project_context import ProjectContext
    from gitstate.memory.conclusions import Conclusion

Kind = Literal[
    "context", "rules", "task", "issues", "decisions", "map", "attempts", "conclusions"
]
_BY_NAME: dict[bytes, Kind] = {
    b"project-context": "context",
    b"coding-conventions": "rules",
    b"current-task": "task",
    b"known-issues": "issues",
    b"decision-log": "decisions",
    b"file-map": "map",
}
_NAME = re.compile(rb"[0-9]{1,6}[-_. ]+(.+)\.md")

FAILED = b"long_mem/failed-attempts.md"
CONCLUSIONS = b"long_mem/conclusions.md"
_MOVED = (b"archive/", b"resolved/", b"completed/")

# A file's own limit is 16 KiB at most; what is far above it is compared by its headings
# alone: a version must not wait for it (1 MiB takes a second and more).
MAX_BYTES = 64 << 10
_SMALL = 16 << 10


def kind_of(path: bytes) -> Kind | None:
    """What a file holds, by its name: ``02-current-task.md`` is the task."""
    found = _NAME.fullmatch(path)
    return _BY_NAME.get(found[1]) if found else None


def took_in(path: bytes) -> bool:
    """Does a file lie where capacity limits move things to."""
    return path.startswith(_MOVED) and path.endswith(b".md")


def concerns(path: bytes) -> bool:
    """Whether a file can say something in words of state, or explain it."""
    return kind_of(path) is not None or path in {FAILED, CONCLUSIONS} or took_in(path)


def task(data: bytes) -> CurrentTask | None:
    """The task a file tells of; ``None`` where it cannot be read as one."""
    return cast("CurrentTask | None", _parsed("task", data))


def decisions(data: bytes) -> DecisionLog | None:
    """The decisions in a file."""
    return cast("DecisionLog | None", _parsed("decisions", data))


def issues(data: bytes) -> KnownIssues | None:
    """The issues in a file."""
    return cast("KnownIssues | None", _parsed("issues", data))


def rules(data: bytes) -> Conventions | None:
    """The rules in a file."""
    return cast("Conventions | None", _parsed("rules", data))


def context(data: bytes) -> ProjectContext | None:
    """The facts, commands and prohibitions in a file."""
    return cast("ProjectContext | None", _parsed("context", data))


def file_map(data: bytes) -> FileMap | None:
    """The entries of a file map."""
    return cast("FileMap | None", _parsed("map", data))


def attempts(data: bytes) -> tuple[Attempt, ...] | None:
    """The failed attempts of all tasks in ``long_mem/failed-attempts.md``."""
    found = cast(
        "list[tuple[str, tuple[Attempt, ...]]] | None", _parsed("attempts", data)
    )
    return None if found is None else tuple(one for _, these in found for one in these)


def conclusions(data: bytes) -> tuple[Conclusion, ...] | None:
    """All that ``long_mem/conclusions.md`` holds."""
    found = cast(
        "list[tuple[str, tuple[Conclusion, ...]]] | None", _parsed("conclusions", data)
    )
    return None if found is None else tuple(one for _, these in found for one in these)


def _parsed(kind: Kind, data: bytes) -> object:
    if len(data) > MAX_BYTES:
        return None
    return parsed_small(kind, data) if len(data) <= _SMALL else _large(kind, data)


# What was the newer text of one version is the older text of the next. The bounds keep
# a daemon of a hundred worktrees small; both caches are safe between threads.
@lru_cache(maxsize=48)
def parsed_small(kind: Kind, data: bytes) -> object:
    """A text of a usual size, as it is read; the newest ones are remembered."""
    return _parse(kind, data)


@lru_cache(maxsize=4)
def _large(kind: Kind, data: bytes) -> object:
    return _parse(kind, data)


def _parse(kind: Kind, data: bytes) -> object:
    try:
        return _reader(kind)(data.decode("utf-8"))
    except Exception:  # noqa: BLE001 no text may keep a version from being made
        return None


def _reader(kind: Kind) -> Callable[[str], object]:  # noqa: PLR0911 one a kind of file
    """The function that reads such a file; only what it needs is loaded."""
    if kind == "task":
        from gitstate.documents.current_task import parse as task_of  # noqa: PLC0415

        return task_of
    if kind == "decisions":
        from gitstate.documents.decision_log import parse as log_of  # noqa: PLC0415

        return log_of
    if kind == "issues":
        from gitstate.documents.known_issues import parse as issues_of  # noqa: PLC0415

        return issues_of
    if kind == "rules":
        from gitstate.documents.conventions import parse as rules_of  # noqa: PLC0415

        return rules_of
    if kind == "context":
        from gitstate.documents.project_context import parse as facts_of  # noqa: PLC0415

        return facts_of
    if kind == "conclusions":
        from gitstate.memory.conclusions import parse as notes_of  # noqa: PLC0415

        return notes_of
    if kind == "attempts":
        from gitstate.memory.attempts import sections  # noqa: PLC0415

        return sections
    from gitstate.documents.file_map import parse as map_of  # noqa: PLC0415

    return map_of
