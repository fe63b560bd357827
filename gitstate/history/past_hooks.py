"""Code commits that came past the hooks: pulls, am, hooks switched off."""

from __future__ import annotations

import os
import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from gitstate.errors import GitFailed, ObjectDamaged, ObjectMissing
from gitstate.git.environment import git
from gitstate.history import rule
from gitstate.history.line import read_line
from gitstate.history.look import load_memory, look
from gitstate.history.moment import SLACK_S, task_of
from gitstate.history.note import Note
from gitstate.history.numbers import Numbers, Row, row_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitstate.git.engine import Engine
    from gitstate.git.objects import Commit
    from gitstate.history.linking import Run
    from gitstate.workspace import Workspace

_ENTRIES = 2_000  # of the reflog
_REVERT = re.compile(r"^This reverts commit [0-9a-f]{40}", re.MULTILINE)
_REPLAYED = re.compile(
    r"(am|cherry-pick|revert)\b|.*\((pick|squash|fixup|reword|edit|continue|merge)\)"
)


class Reflog:
    """What HEAD's reflog says of how commits came about in this worktree; read once.

    Where it is switched off, nothing is known of any commit.
    """

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws

    @cached_property
    def _actions(self) -> dict[str, str]:
        """Commit id -> the action that brought it to HEAD first."""
        args = [
            "log",
            "--walk-reflogs",
            f"--max-count={_ENTRIES}",
            "--no-show-signature",
        ]
        try:
            done = git(
                [*args, "--format=%H%x00%gs%x00", "HEAD", "--"],
                cwd=self._ws.root,
                check=False,
            )
        except GitFailed:
            return {}
        fields = done.stdout.decode("utf-8", "replace").split("\0")
        found: dict[str, str] = {}
        rebasing = False
        for commit, words in zip(fields[0::2], fields[1::2], strict=False):
            action = words.partition(":")[0]
            if action.endswith("(finish)"):
                rebasing = True
            elif action.endswith(("(start)", "(abort)")):
                rebasing = False
            elif rebasing and action.startswith("commit"):
                action = "rebase (edit)"
            found[commit.strip()] = action
        return found

    @property
    def known(self) -> bool:
        """Is there a reflog."""
        return bool(self._actions)

    def replayed(self, commit: Commit) -> str | None:
        """The operation that made a commit of another one, such as ``rebase``."""
        if not self.known and _REVERT.search(commit.message):
            return "revert"
        found = _REPLAYED.match(self._actions.get(commit.id, ""))
        if found is None:
            return None
        return found[1] or "rebase"

    def made_here(self, commit: str) -> bool:
        """Was it made in this worktree, as far as is known."""
        action = self._actions.get(commit, "")
        return action.startswith("commit") or _REPLAYED.match(action) is not None


def changed_paths(ws: Workspace, parent: str, commit: str) -> list[str]:
    """The paths that differ between two commits."""
    args = ["diff-tree", "-r", "--name-only", "-z", "--no-renames", "--no-commit-id"]
    done = git([*args, "--ignore-submodules=none", parent, commit, "--"], cwd=ws.root)
    return [os.fsdecode(path) for path in done.stdout.split(b"\0") if path]


def link_unseen(run: Run, tips: Sequence[str]) -> None:
    """Link the commits on the way to HEAD, and to ``tips``, that have no note."""
    head = run.engine.head().commit
    rows = _Rows(run.ws, run.engine)
    nearest: dict[str, rule.Linked | None] = {}  # what many tips share is walked once
    for tip in dict.fromkeys([*([head] if head else []), *tips]):
        below: rule.Linked | None = None
        line: list[Commit] = []
        # all of them, not only down to the first linked one: git gives a commit that
        # was added inside a rebase the note of the one at which it stopped
        for commit in _reachable(run.engine, tip):
            if commit.id in nearest:
                below = nearest[commit.id]
                break
            line.append(commit)
        for commit in reversed(line):
            known = run.linked(commit.id)
            if known is None:
                note = _note(run, rows, commit, below)
                if note is not None:
                    run.new[commit.id] = note
                    known = run.linked(commit.id)
            below = nearest[commit.id] = known or below


def _reachable(engine: Engine, tip: str) -> Iterator[Commit]:
    """The first-parent line of a commit, as far as it is looked at and is there."""
    try:
        yield from islice(engine.walk(tip), rule.LOOKED_AT)
    except (ObjectMissing, ObjectDamaged):  # a shallow clone, an id that vanished
        return


class _Rows:
    """The versions by time, and what was written since the newest one."""

    def __init__(self, ws: Workspace, engine: Engine) -> None:
        self._ws, self._engine = ws, engine
        self.line = read_line(ws, engine)
        self._rows = Numbers.load(ws, engine, self.line.tip)
        self._seen = look(ws, engine, self.line, load_memory(ws))

    def at(self, commit: Commit) -> tuple[Row, bool] | None:
        """The version at the time of a commit, and whether that is known for certain."""
        first = next(iter(self._rows), None)
        when = commit.committer.time
        if first is None or self.line.tip is None or when + SLACK_S < first.time:
            return None  # from before `gitstate init`
        if self._unwritten_since(when):
            row = row_of(self._engine.commit(self.line.tip))
            return None if row is None else (row, True)
        found = None
        for row in self._rows:
            if row.time <= when + SLACK_S:
                found = row
        return (found or first), False

    def _unwritten_since(self, when: int) -> bool:
        limit = (when + 1) * 1_000_000_000
        state = os.fsencode(self._ws.state_dir)
        for path in self._seen.scan.files:
            try:
                if os.lstat(os.path.join(state, path)).st_mtime_ns > limit:  # noqa: PTH118 raw bytes
                    return False
            except OSError:
                return False
        return True


def _note(
    run: Run, rows: _Rows, commit: Commit, below: rule.Linked | None
) -> Note | None:
    found = rows.at(commit)
    if found is None:
        return None
    row, exact = found
    task = task_of(run.ws, run.engine, row.commit)
    check, reason = _check(run, commit, task, below)
    return Note(
        line=run.ws.line,
        version=row.version,
        commit=row.commit,
        check=check,
        reason=reason,
        task=task,
        approximate=not exact,
    )


def _check(  # noqa: PLR0911 one a reason
    run: Run, commit: Commit, task: str, below: rule.Linked | None
) -> tuple[str, str]:
    if len(commit.parents) > 1:
        return rule.EXEMPT, "merge"
    replayed = run.reflog.replayed(commit)
    if replayed is not None:
        return rule.EXEMPT, f"during {replayed}"
    if not _made_here(run, commit):
        return rule.EXEMPT, "came from elsewhere"
    if run.ws.settings.gate == "off":
        return rule.EXEMPT, rule.GATE_OFF
    if not commit.parents:
        return rule.EXEMPT, rule.FIRST
    if below is None:
        return rule.EXEMPT, rule.NO_BASELINE
    if task != below.task:
        return rule.UPDATED, ""
    paths = changed_paths(run.ws, commit.parents[0], commit.id)
    if not paths:
        return rule.EXEMPT, rule.EMPTY
    settings = run.ws.settings
    if all(rule.is_exempt(path, settings.dir, settings.gate_exempt) for path in paths):
        return rule.EXEMPT, rule.ONLY_EXEMPT
    return rule.BYPASSED, "made past the hooks"


def _made_here(run: Run, commit: Commit) -> bool:
    if run.reflog.known:
        return run.reflog.made_here(commit.id)
    # no reflog: a commit of this user's that nobody replayed since
    return (
        commit.committer.email == run.ws.identity()[1]
        and commit.author.time == commit.committer.time
        and commit.author.email == commit.committer.email
    )
