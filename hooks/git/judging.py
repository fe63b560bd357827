"""The judgement of a code commit that is about to be made: what it is, and by content."""

from __future__ import annotations

import os
import time

from gitstate.git.environment import run_here
from gitstate.history import rule
from gitstate.history.rule import Linked, Replaced
from gitstate.hooks.git.ancestry import is_amend

TYPE_CHECKING = False  # as typing's, which costs 10 ms
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitstate.hooks.git.config import Config

NOTES = "refs/notes/gitstate"
_FEW = 8  # ancestors that are looked at first: the nearest link is rarely farther
_MOST_FILES = 10_000
_SHA256_HEX = 64
_OPERATIONS = (
    ("MERGE_HEAD", "merge"),
    ("rebase-merge", "rebase"),
    ("rebase-apply/applying", "am"),
    ("rebase-apply", "rebase"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
)


class Verdict:
    """What the check came to and why, in words for the note; and the two lines."""

    __slots__ = ("check", "lines", "reason", "refused")

    def __init__(
        self,
        check: str,
        reason: str = "",
        lines: Sequence[str] = (),
        *,
        refused: bool = False,
    ) -> None:
        self.check = check
        self.reason = reason
        self.lines = lines
        self.refused = refused


class Ancestor:
    """A commit on the first-parent line: its parents, and its link where it has one."""

    __slots__ = ("id", "link", "parents", "time", "version")

    def __init__(self, identity: str, parents: list[str], when: str) -> None:
        self.id = identity
        self.parents = parents
        self.time = when
        self.version = ""
        self.link: Linked | None = None


def judge(git_dir: str, head: str, config: Config) -> Verdict:  # noqa: PLR0911 one a reason
    """Judge the commit that is about to be made on ``head`` (empty: the first one).

    In the current directory, the worktree's top. Raises ``GitFailed``.
    """
    if config.gate == "off":
        return Verdict(rule.EXEMPT, rule.GATE_OFF)
    for sign, name in _OPERATIONS:
        if os.path.exists(os.path.join(git_dir, sign)):
            return Verdict(rule.EXEMPT, f"during {name}")
    if not head:
        return Verdict(rule.EXEMPT, rule.FIRST)
    amend = is_amend()
    waiting = Waiting(git_dir)
    near = _ancestors(head, waiting, 0, _FEW)
    replaced = near[0] if amend else None
    if replaced is not None and len(replaced.parents) > 1:
        return Verdict(rule.EXEMPT, "merge")
    if replaced is not None and not replaced.parents:
        return Verdict(rule.EXEMPT, rule.FIRST)
    base = replaced.parents[0] if replaced is not None else head
    staged = _staged(base)
    if not staged:
        return Verdict(rule.EXEMPT, rule.EMPTY)
    if all(rule.is_exempt(path, config.dir, config.exempt) for path in staged):
        return Verdict(rule.EXEMPT, rule.ONLY_EXEMPT)
    below = _nearest_linked(near[1:] if amend else near) or _nearest_linked(
        _ancestors(head, waiting, _FEW, rule.LOOKED_AT - _FEW)
    )
    if below is None:
        return Verdict(rule.EXEMPT, rule.NO_BASELINE)
    refusable = config.gate == "block" and amend is not None
    return _by_content(git_dir, config, staged, below, replaced, refusable=refusable)


def _by_content(  # noqa: PLR0913 one decision from all that it needs
    git_dir: str,
    config: Config,
    staged: list[str],
    below: Ancestor,
    replaced: Ancestor | None,
    *,
    refusable: bool,
) -> Verdict:
    link = below.link
    assert link is not None  # noqa: S101 it was chosen for having one
    task_path = os.path.join(config.dir, rule.TASK)
    check, cause = rule.judge(
        blob_id(task_path, sha256=len(below.id) == _SHA256_HEX),
        below=link,
        last=_last_linked(git_dir, sha256=len(below.id) == _SHA256_HEX),
        replaced=Replaced(replaced.id, replaced.link) if replaced else None,
    )
    if check != rule.STALE:
        return Verdict(check, cause)
    if _older_than_task(staged, task_path):
        return Verdict(rule.UPDATED, "the files are older than the task file")
    since = f"code commit {cause[:12]}"
    if cause == below.id:
        version = f"v{below.version}, " if below.version else ""
        since += f" ({version}{_age(below.time)} ago)"
    files = "1 file" if len(staged) == 1 else f"{len(staged)} files"
    task = f"{config.dir}/{rule.TASK}"
    mend = (
        f"refused: update {task} and commit again, or pass once with GITSTATE_SKIP=1 git commit"
        if refusable
        else f"update {task}, then: git commit --amend --no-edit"
    )
    lines = [f"{task} has not changed since {since}; this commit changes {files}", mend]
    reason = f"unchanged since code commit {cause[:12]}"
    return Verdict(rule.STALE, reason, lines, refused=refusable)


class Waiting:
    """What post-commit left and nobody has linked yet (``gitstate.history.spool``)."""

    def __init__(self, git_dir: str) -> None:
        self._folder = os.path.join(git_dir, "gitstate", "links")
        try:
            self._names = frozenset(os.listdir(self._folder))
        except OSError:
            self._names = frozenset()

    def link(self, commit: str) -> Linked | None:
        """What waits for a commit; its check is empty where the gate did not see it."""
        if f"{commit}.v" not in self._names:
            return None
        try:
            with open(os.path.join(self._folder, f"{commit}.v"), "rb") as file:
                check, _, reason = os.fsdecode(file.read()).strip().partition(" ")
        except OSError:
            return None  # it was linked in this moment
        if check not in rule.CHECKS:
            check = rule.EXEMPT if reason.startswith("during ") else ""
        sha256 = len(commit) == _SHA256_HEX
        task = blob_id(os.path.join(self._folder, commit), sha256=sha256)
        return Linked(commit, task, check, reason)

    @property
    def rewrites(self) -> bool:
        """Did post-rewrite tell of commits that are to be decided anew."""
        return any(name.startswith("rewrite.") for name in self._names)

    def check(self, commit: str) -> str:
        """What the gate said of a commit that waits; else empty."""
        found = self.link(commit)
        return found.check if found else ""


def _ancestors(head: str, waiting: Waiting, skipped: int, count: int) -> list[Ancestor]:
    """Commits on the first-parent line from ``head``, nearest first."""
    done = run_here(
        [
            "log",
            "--first-parent",
            f"--skip={skipped}",
            f"--max-count={count}",
            f"--notes={NOTES}",
            "--no-show-signature",
            "--encoding=UTF-8",
            "--format=%H %P%x00%ct%x00%N%x00",
            head,
            "--",
        ]
    )
    fields = done.decode("utf-8", "surrogateescape").split("\0")
    found = []
    for ids, when, text in zip(fields[0::3], fields[1::3], fields[2::3], strict=False):
        identity, *parents = ids.split()
        ancestor = Ancestor(identity, parents, when)
        ancestor.link = waiting.link(identity)
        if ancestor.link is None:
            _take_note(ancestor, text)
        found.append(ancestor)
    return found


def records_of(text: str) -> list[dict[str, str]]:
    """The records in a note; git's own ``notes.rewriteRef`` joins several."""
    found: list[dict[str, str]] = []
    for line in text.splitlines():
        key, colon, value = line.partition(": ")
        if not colon or not key.startswith("State-"):
            continue
        if key == "State-Line" or not found or key in found[-1]:
            found.append({})
        found[-1][key] = value.strip()
    return [row for row in found if row.get("State-Check") in rule.CHECKS]


def check_of(text: str) -> str:
    """The check in a note: of several records the weakest; empty where there is none."""
    found = {row["State-Check"] for row in records_of(text)}
    return next((check for check in rule.CHECKS if check in found), "")


def _take_note(ancestor: Ancestor, text: str) -> None:
    """Read a note; of several records in it the newest version and the weakest check."""
    newest = -1
    records = records_of(text)
    for row in records:
        version = row.get("State-Version", "")
        if version.isdecimal() and int(version) > newest and "State-Task" in row:
            newest, ancestor.version = int(version), version
            ancestor.link = Linked(ancestor.id, row["State-Task"])
    if ancestor.link is not None:
        ancestor.link.check = check_of(text)
        ancestor.link.reason = next(
            row.get("State-Reason", "")
            for row in records
            if row["State-Check"] == ancestor.link.check
        )


def _nearest_linked(ancestors: list[Ancestor]) -> Ancestor | None:
    return next((item for item in ancestors if item.link is not None), None)


def _staged(base: str) -> list[str]:
    """The paths the commit changes, from the index that git commits from.

    ``commit -a`` and ``commit PATH`` use an index of their own (known report 6).
    """
    index = os.environ.get("GIT_INDEX_FILE")
    out = run_here(
        [
            "diff-index",
            "--cached",
            "--name-only",
            "-z",
            "--no-renames",
            "--ignore-submodules=none",
            base,
            "--",
        ],
        variables={"GIT_INDEX_FILE": index} if index else None,
    )
    return [os.fsdecode(path) for path in out.split(b"\0") if path]


def blob_id(path: str, *, sha256: bool) -> str:
    """The id of a file as a blob; ``-`` where there is no file."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(fd, "rb") as file:
            data = file.read()
    except OSError:
        return rule.NO_TASK
    return _digest(b"blob %d\0" % len(data) + data, sha256=sha256)


def _digest(data: bytes, *, sha256: bool) -> str:
    """The hash that git names objects by, without OpenSSL: loading that costs 5 ms."""
    modules = ("_sha2", "_sha256") if sha256 else ("_sha1",)  # by Python's version
    name = "sha256" if sha256 else "sha1"
    for module in modules:
        try:
            digest: str = getattr(__import__(module), name)(data).hexdigest()
        except ImportError:
            continue  # a Python without its own
        return digest
    import hashlib  # noqa: PLC0415 only where nothing else is there

    return hashlib.new(name, data, usedforsecurity=False).hexdigest()


def _last_linked(git_dir: str, *, sha256: bool) -> Linked | None:
    """The commit that was made last in this worktree, and its task file."""
    folder = os.path.join(git_dir, "gitstate")
    try:
        with open(os.path.join(folder, "baseline"), encoding="ascii") as file:
            commit = file.read().strip()
    except (OSError, UnicodeDecodeError):
        return None
    path = os.path.join(folder, "baseline-task")
    try:
        empty = os.stat(path).st_size == 0  # how post-commit says that there was none
    except OSError:
        empty = True
    return Linked(commit, rule.NO_TASK if empty else blob_id(path, sha256=sha256))


def _older_than_task(staged: list[str], task_path: str) -> bool:
    """Were all the commit's files last modified before the task file was.

    Several commits cut from one piece of work belong to one update: the one place
    where times count, and only to be lenient.
    """
    if len(staged) > _MOST_FILES:
        return False
    try:
        limit = os.lstat(task_path).st_mtime_ns
    except OSError:
        return False
    seen = False
    for path in staged:
        try:
            if os.lstat(path).st_mtime_ns >= limit:
                return False
        except OSError:
            continue  # deleted: it has no time of its own
        seen = True
    return seen


def _age(when: str) -> str:
    seconds = max(0, int(time.time()) - int(when)) if when.isdecimal() else 0
    for limit, size, unit in ((60, 1, "s"), (3600, 60, "min"), (172800, 3600, "h")):
        if seconds < limit:
            return f"{seconds // size} {unit}"
    return f"{seconds // 86400} days"
