"""Does a code commit come with an update of the task file: by content; pure, and light.

The gate asks before the commit, the linking after it; both ask here. A task file is
named by its blob id (``-``: there is none).
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing's, which costs a hook 10 ms
if TYPE_CHECKING:
    from collections.abc import Sequence

UPDATED, STALE, EXEMPT, BYPASSED = "updated", "stale", "exempt", "bypassed"
CHECKS = (STALE, BYPASSED, EXEMPT, UPDATED)  # weakest first: of several it counts
TASK = "02-current-task.md"
NO_TASK = "-"
LOOKED_AT = 200  # ancestors on the first-parent line, at most

NO_BASELINE = "no baseline"
ONLY_EXEMPT = "only exempt paths"
EMPTY = "empty commit"
GATE_OFF = "gate off"
FIRST = "first commit"
# An amended commit may be another one in these respects: it is judged anew.
_MAY_END = frozenset({NO_BASELINE, ONLY_EXEMPT, EMPTY, GATE_OFF, FIRST})


class Linked:
    """A commit's task file as it was linked, and what the check came to."""

    __slots__ = ("check", "commit", "reason", "task")

    def __init__(
        self, commit: str, task: str, check: str = "", reason: str = ""
    ) -> None:
        self.commit = commit
        self.task = task
        self.check = check
        self.reason = reason


class Replaced:
    """The commit that an amend replaces: its id, and its record where it has one."""

    __slots__ = ("commit", "record")

    def __init__(self, commit: str, record: Linked | None) -> None:
        self.commit = commit
        self.record = record


def judge(  # noqa: PLR0911 one a reason
    task: str,
    *,
    below: Linked,
    last: Linked | None,
    replaced: Replaced | None = None,
) -> tuple[str, str]:
    """``updated``, ``stale`` or ``exempt``, and why (for ``stale``: the commit in question).

    ``below``: the nearest linked ancestor; of an amended commit, an ancestor of its
    parent. ``last``: the commit that was linked last in this worktree.
    """
    if task == below.task:
        return STALE, below.commit
    if replaced is None:
        if last is not None and task == last.task:
            return STALE, last.commit
        return UPDATED, ""
    own = replaced.record
    if own is not None and task == own.task:
        # nothing was written since: what it came to still holds
        if own.check == EXEMPT and own.reason not in _MAY_END:
            return EXEMPT, own.reason
        if own.check in {STALE, BYPASSED}:
            return STALE, replaced.commit
        return UPDATED, own.reason if own.check == UPDATED else ""
    if own is not None and own.check == UPDATED:
        return UPDATED, ""  # it had an update of its own
    if last is not None and last.commit != replaced.commit and task == last.task:
        return STALE, last.commit
    return UPDATED, ""


def is_exempt(path: str, state_dir: str, patterns: Sequence[str]) -> bool:
    """Is a path the state's own, or one that ``gateExempt`` names.

    A pattern is a shell pattern on the whole path from the worktree's top, where ``*``
    also matches ``/`` and ``**/`` no folder too; one without wildcards names a file, or a
    folder with everything below it.
    """
    if path == state_dir or path.startswith(f"{state_dir}/"):
        return True
    if not patterns:
        return False
    from fnmatch import fnmatchcase  # noqa: PLC0415 only where patterns are set

    for given in patterns:
        pattern = given.removeprefix("/").rstrip("/")
        if pattern and (
            fnmatchcase(path, pattern)
            or fnmatchcase(path, f"{pattern}/*")
            or ("**/" in pattern and fnmatchcase(path, pattern.replace("**/", "")))
        ):
            return True
    return False
