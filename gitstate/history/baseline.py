"""What the next code commit is compared with: the one that was linked last here.

``<git-dir>/gitstate/linked`` holds its id and its task file's blob id, for the linking;
``baseline`` and ``baseline-task`` its id and the bytes, for the hooks.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from gitstate.files import replace_file
from gitstate.history import notes, rule
from gitstate.history.line import read_line
from gitstate.history.moment import task_of
from gitstate.history.note import FIRST_BASELINE, Note
from gitstate.history.rule import Linked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from gitstate.git.engine import Engine
    from gitstate.history.spool import Rewrite
    from gitstate.workspace import Workspace


def remember(ws: Workspace, last: Linked | None, told: Sequence[Rewrite]) -> None:
    """Keep which commit was linked last here, and let the hooks' baseline follow."""
    if last is not None:
        line = f"{last.commit} {last.task}\n"
        replace_file(_last_path(ws), line.encode(), mode=ws.file_mode)
    renamed = {old: new for rewrite in told for old, new in rewrite.pairs}
    path = ws.runtime / "baseline"
    with contextlib.suppress(OSError, UnicodeDecodeError):
        base = path.read_text("ascii").strip()
        after = base
        for _ in range(len(told)):
            after = renamed.get(after, after)
        if after != base:
            replace_file(path, f"{after}\n".encode(), mode=ws.file_mode)


def _last_path(ws: Workspace) -> Path:
    return ws.runtime / "linked"


def last_linked(ws: Workspace) -> Linked | None:
    """The commit that was linked last in this worktree, and its task file."""
    try:
        commit, task = _last_path(ws).read_text("ascii").split()
    except (OSError, ValueError):
        return None
    return Linked(commit, task)


def first_baseline(ws: Workspace, engine: Engine) -> bool:
    """Link HEAD to the newest version, where it has no note; inside a ``session``.

    Also leaves the baseline that the hooks' fast path compares with.
    """
    head = engine.head().commit
    line = read_line(ws, engine)
    if head is None or line.tip is None:
        return False
    note = Note(
        line=ws.line,
        version=line.version,
        commit=line.tip,
        check=rule.EXEMPT,
        reason=FIRST_BASELINE,
        task=task_of(ws, engine, line.tip),
    )

    def decide(tree: str | None) -> Mapping[str, str | None]:
        return {} if notes.read(engine, tree, [head]) else {head: note.text()}

    added = notes.update(ws, engine, decide, reason=FIRST_BASELINE) > 0
    baseline = ws.runtime / "baseline"
    if note.task != rule.NO_TASK and not baseline.exists():
        task = engine.blob(note.task)
        replace_file(ws.runtime / "baseline-task", task, mode=ws.file_mode)
        replace_file(baseline, f"{head}\n".encode(), mode=ws.file_mode)
        line_ = f"{head} {note.task}\n"
        replace_file(_last_path(ws), line_.encode(), mode=ws.file_mode)
    return added
