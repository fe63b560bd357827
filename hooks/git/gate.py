"""The check of a code commit: does it come with an update of the task file.

The shims start this file (``python -I -S gate.py …``) only where their own fast path
could not tell. It imports no site-packages and little else: 40 ms is the budget,
git's processes included. Whatever goes wrong here, the user's commit goes through.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":  # started as a file: find the package this file lies in
    sys.path[:0] = [
        os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))
    ]

import time

from gitstate.git.environment import git
from gitstate.hooks.git.ancestry import is_amend

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

TASK = "02-current-task.md"
NOTES = "refs/notes/gitstate"
LOOKED_AT = 200
_MOST_FILES = 10_000
_NO_TASK = "-"
_OPERATIONS = (
    ("MERGE_HEAD", "merge"),
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase or am"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
)


class Verdict:
    """What the check came to: ``updated``, ``stale``, ``exempt`` or ``bypassed``, and why."""

    def __init__(self, check: str, reason: str = "", lines: Sequence[str] = ()) -> None:
        self.check = check
        self.reason = reason
        self.lines = lines


class Config:
    """The few settings that count here; a bad value is the default."""

    def __init__(self, root: str) -> None:
        done = git(
            ["config", "--list", "--includes", "-z"],
            cwd=root,
            settings=True,
            timeout_s=5,
        )
        self.gate = "warn"
        self.gate_push = "warn"
        self.push = False
        self.dir = ".agent-state"
        self.branch = "agent-state"
        self.exempt: list[str] = []
        for record in done.stdout.decode("utf-8", "surrogateescape").split("\0"):
            key, _, value = record.partition("\n")
            self._take(key, value)
        for key in ("gate", "gatePush", "dir", "branch", "push"):
            variable = f"GITSTATE_{'GATE_PUSH' if key == 'gatePush' else key.upper()}"
            if variable in os.environ:
                self._take(f"gitstate.{key.lower()}", os.environ[variable])

    def _take(self, key: str, value: str) -> None:
        lowered = value.lower()
        if key == "gitstate.gate" and lowered in {"warn", "block", "off"}:
            self.gate = lowered
        elif key == "gitstate.gatepush" and lowered in {"warn", "block", "off"}:
            self.gate_push = lowered
        elif key == "gitstate.push":
            self.push = lowered in {"true", "yes", "on", "1", ""}
        elif key == "gitstate.gateexempt":
            self.exempt.append(value)
        elif key == "gitstate.dir" and value and not value.startswith("/"):
            self.dir = value.rstrip("/")
        elif key == "gitstate.branch" and value:
            self.branch = value


def judge(root: str, git_dir: str, head: str, config: Config) -> Verdict:  # noqa: PLR0911 one a reason
    """Judge the commit that is about to be made on ``head`` (empty: the first one)."""
    if config.gate == "off":
        return Verdict("exempt", "gate off")
    if os.environ.get("GITSTATE_SKIP") == "1":
        return Verdict("bypassed", "GITSTATE_SKIP=1")
    for sign, name in _OPERATIONS:
        if os.path.exists(os.path.join(git_dir, sign)):
            return Verdict("exempt", f"during {name}")
    if not head:
        return Verdict("exempt", "first commit")
    amend = is_amend()
    base = _first_parent(root, head) if amend else head
    if base is None:
        return Verdict("exempt", "first commit")
    staged = _staged(root, base)
    if not staged:
        return Verdict("exempt", "empty commit")
    if all(is_exempt(path, config) for path in staged):
        return Verdict("exempt", "only exempt paths")
    linked = _nearest_linked(root, base)
    if linked is None:
        return Verdict("exempt", "no baseline")
    return _by_content(root, git_dir, head, config, staged, linked, amend=amend)


def _by_content(  # noqa: PLR0913, PLR0917 one decision from all that it needs
    root: str,
    git_dir: str,
    head: str,
    config: Config,
    staged: list[str],
    linked: dict[str, str],
    *,
    amend: bool | None,
) -> Verdict:
    task_path = os.path.join(root, config.dir, TASK)
    now = _hash(task_path, linked["State-Task"])
    last_commit, last = _last_linked(git_dir, linked["State-Task"])
    same_as_last = now == last and not (amend and last_commit == head)
    if now != linked["State-Task"] and not same_as_last:
        return Verdict("updated")
    if _older_than_task(root, staged, task_path):
        return Verdict("updated", "the files are older than the task file")
    if same_as_last and now != linked["State-Task"]:
        since = f"code commit {last_commit[:12]}"
    else:
        since = f"code commit {linked['commit'][:12]}"
        if linked.get("State-Version"):
            since += f" (v{linked['State-Version']}, {_age(linked['time'])} ago)"
    count = len(staged)
    files = "1 file" if count == 1 else f"{count} files"
    what = f"{config.dir}/{TASK} has not changed since {since}; this commit changes {files}"
    if amend is None:
        return Verdict(
            "stale", "unchanged since " + since, [what, _mend(config, "warn")]
        )
    return Verdict(
        "stale", "unchanged since " + since, [what, _mend(config, config.gate)]
    )


def _mend(config: Config, gate: str) -> str:
    task = f"{config.dir}/{TASK}"
    if gate == "block":
        return f"refused: update {task} and commit again, or pass once with GITSTATE_SKIP=1 git commit"
    return f"update {task}, then: git commit --amend --no-edit"


def _first_parent(root: str, head: str) -> str | None:
    done = git(["rev-parse", "--verify", "--quiet", f"{head}^1"], cwd=root, check=False)
    return done.stdout.decode("ascii").strip() or None


def _staged(root: str, base: str) -> list[str]:
    """The paths the commit changes, from the index that git commits from."""
    index = os.environ.get("GIT_INDEX_FILE")
    done = git(
        [
            "diff",
            "--cached",
            "--name-only",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            base,
            "--",
        ],
        cwd=root,
        variables={"GIT_INDEX_FILE": index} if index else None,
        timeout_s=20,
    )
    return [os.fsdecode(path) for path in done.stdout.split(b"\0") if path]


def is_exempt(path: str, config: Config) -> bool:
    """Is a path the state's own, or one that ``gateExempt`` names.

    A pattern is a shell pattern on the whole path from the root, where ``*`` also
    matches ``/``; one that ends in ``/`` names everything below that folder.
    """
    if path == config.dir or path.startswith(config.dir + "/"):
        return True
    if not config.exempt:
        return False
    from fnmatch import fnmatchcase  # noqa: PLC0415 only where patterns are set

    return any(
        path.startswith(pattern)
        if pattern.endswith("/")
        else fnmatchcase(path, pattern)
        for pattern in config.exempt
    )


def _nearest_linked(root: str, base: str) -> dict[str, str] | None:
    """The note of the nearest linked commit from ``base`` on the first-parent line."""
    done = git(
        [
            "log",
            "--first-parent",
            f"--max-count={LOOKED_AT}",
            f"--notes={NOTES}",
            "--no-show-signature",
            "--format=%H%x00%ct%x00%N%x00",
            base,
            "--",
        ],
        cwd=root,
        timeout_s=10,
    )
    fields = done.stdout.decode("utf-8", "replace").split("\0")
    for commit, when, text in zip(
        fields[0::3], fields[1::3], fields[2::3], strict=False
    ):
        if "State-Task: " not in text:
            continue
        found = {"commit": commit.strip(), "time": when}
        newest = -1
        for row in text.splitlines():
            key, _, value = row.partition(": ")
            if key == "State-Version" and value.isdigit():
                newest = max(newest, int(value))
            found[key] = value.strip()
        return found
    return None


def _hash(path: str, like: str) -> str:
    """The blob id of a file, in the format of the id ``like``; ``-`` where there is none."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(fd, "rb") as file:
            data = file.read()
    except OSError:
        return _NO_TASK
    return _blob_id(data, like)


def _blob_id(data: bytes, like: str) -> str:
    import hashlib  # noqa: PLC0415 only where content decides

    name = "sha256" if len(like) == 64 else "sha1"  # noqa: PLR2004 hex digits
    return hashlib.new(
        name, b"blob %d\0" % len(data) + data, usedforsecurity=False
    ).hexdigest()


def _last_linked(git_dir: str, like: str) -> tuple[str, str]:
    """The commit last linked in this worktree, and the id of its task file."""
    folder = os.path.join(git_dir, "gitstate")
    try:
        with open(os.path.join(folder, "baseline"), encoding="ascii") as file:
            commit = file.read().strip()
    except (OSError, UnicodeDecodeError):
        return "", ""
    return commit, _hash(os.path.join(folder, "baseline-task"), like)


def _older_than_task(root: str, staged: list[str], task_path: str) -> bool:
    """Were all the commit's files last modified before the task file was.

    Several commits cut from one piece of work belong to one update: the one place
    where times count, and only to be lenient.
    """
    try:
        limit = os.lstat(task_path).st_mtime_ns
    except OSError:
        return False
    seen = False
    for path in staged[:_MOST_FILES]:
        try:
            if os.lstat(os.path.join(root, path)).st_mtime_ns >= limit:
                return False
        except OSError:
            continue  # deleted: no time of its own
        seen = True
    return seen and len(staged) <= _MOST_FILES


def _age(when: str) -> str:
    seconds = max(0, int(time.time()) - int(when)) if when.isdigit() else 0
    for limit, size, unit in ((60, 1, "s"), (3600, 60, "min"), (172800, 3600, "h")):
        if seconds < limit:
            return f"{seconds // size} {unit}"
    return f"{seconds // 86400} days"


def leave(git_dir: str, verdict: Verdict) -> None:
    """Leave the verdict for post-commit."""
    path = os.path.join(git_dir, "gitstate", "gate")
    with open(path, "w", encoding="utf-8", errors="replace") as file:
        file.write(f"{verdict.check} {verdict.reason}\n")


def pre_commit(root: str, git_dir: str, head: str) -> int:
    """Exit code 1 only where the gate is ``block`` and the commit is stale."""
    config = Config(root)
    verdict = judge(root, git_dir, head, config)
    leave(git_dir, verdict)
    for line in verdict.lines:
        sys.stderr.write(f"gitstate: {line}\n")
    refused = verdict.check == "stale" and config.gate == "block"
    return 1 if refused and "refused" in verdict.lines[-1] else 0


def main(words: list[str]) -> int:
    """``gate.py pre-commit GIT_DIR HEAD`` or ``gate.py pre-push REMOTE URL``."""
    root = os.getcwd()
    if words[:1] == ["pre-commit"]:
        return pre_commit(root, words[1], words[2] if len(words) > 2 else "")  # noqa: PLR2004 unborn
    if words[:1] == ["pre-push"]:
        from gitstate.hooks.git.outgoing import pre_push  # noqa: PLC0415 only at a push

        return pre_push(root, words[1], words[2] if len(words) > 2 else "")  # noqa: PLR2004 git gives both
    return 0


if __name__ == "__main__":
    try:
        CODE = main(sys.argv[1:])
    except Exception as error:  # noqa: BLE001 a broken check never blocks a commit
        sys.stderr.write(
            f"gitstate: the check failed ({type(error).__name__}: {error}); it was passed; "
            "`gitstate doctor` says more\n"
        )
        CODE = 0
    sys.exit(CODE)
