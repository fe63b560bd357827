"""Proving that hooks run: a throw-away commit in a scratch clone, and counting what ran.

The clone has no remote, borrows the repository's objects, and has its hooks exactly as
they are: the files, the folder that is set, ours, and everybody else's. What git itself
tells of the hooks it started is the count (trace2), what ours leave behind the proof.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from gitstate.errors import CannotWrite, printable
from gitstate.git.environment import git
from gitstate.hooks.git import leading, places
from gitstate.hooks.git.changes import Plan
from gitstate.values import dataclass
from gitstate.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.hooks.git.places import Place

OURS = ("pre-commit", "post-commit")  # those that a commit runs
DURING = (*OURS, "prepare-commit-msg", "commit-msg", "reference-transaction")
_GRACE_S = 5.0
_TASK = "02-current-task.md"
_FILE = "gitstate-proof.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What one commit ran: hooks as git started them, with their exit codes, and ours.

    ``code`` is git's own, ``None`` when the time was up; ``said`` its last line.
    """

    started: tuple[tuple[str, int | None], ...]
    ours: tuple[str, ...]
    code: int | None
    said: str

    @property
    def proved(self) -> bool:
        """Did ours run, and the commit go through."""
        return self.code == 0 and self.ours == OURS

    @property
    def text(self) -> str:
        """One line for people."""
        ran = ", ".join(
            f"{name} ({'no end' if code is None else code})"
            for name, code in self.started
        )
        ours = ", ".join(self.ours)
        parts = [f"git ran {ran or 'no hook'}", f"ours among them: {ours or 'none'}"]
        if self.code is None:
            parts.append("the time was up")
        elif self.code:
            parts.append(f"git commit ended with {self.code}: {self.said}")
        return "; ".join(parts)


def prove(ws: Workspace, *, limit_s: float = 120.0) -> Proof:
    """Make a commit in a scratch clone, within ``limit_s`` seconds.

    Raises ``GitFailed`` and ``CannotWrite`` where there can be no clone.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="gitstate-proof-") as name:
            clone = _clone(ws, Path(name).resolve() / ws.root.name, limit_s)
            _dress(ws, clone)
            return _commit(clone, Path(name), limit_s)
    except OSError as error:
        raise CannotWrite.from_os(error, doing="make a scratch clone") from error


def _clone(ws: Workspace, path: Path, limit_s: float) -> Workspace:
    """A clone of what HEAD names; an empty repository where there is no commit yet."""
    head = git(["rev-parse", "--quiet", "--verify", "HEAD"], cwd=ws.root, check=False)
    if head.returncode != 0:
        made = ["init", "--quiet", f"--object-format={ws.object_format}", str(path)]
        git(made, cwd=ws.root)
    else:
        shared = ["clone", "--quiet", "--shared", "--no-tags", "--no-checkout"]
        git([*shared, str(ws.root), str(path)], cwd=ws.root, timeout_s=limit_s)
        git(["remote", "remove", "origin"], cwd=path)
        commit = head.stdout.decode("ascii").strip()
        wanted = ["checkout", "--quiet", "--detach", commit]
        git(wanted, cwd=path, timeout_s=limit_s)
    for key in ("user.name", "user.email"):
        value = (ws.config.get(key) or [""])[-1]
        if value:
            git(["config", key, value], cwd=path)
    return Workspace.open(path)


def _dress(ws: Workspace, clone: Workspace) -> None:
    """Give the clone the hooks of the repository, and what ours look for."""
    place = places.choose(ws)
    _copy(ws.common_dir / places.ORDINARY, clone.common_dir / places.ORDINARY)
    # lefthook keeps there what it wrote, and writes all hooks anew where it is missing
    _copy(ws.common_dir / "info", clone.common_dir / "info")
    _copy(ws.shared / "shims", clone.shared / "shims")
    if place.theirs is not None:
        _stand_in(ws, clone, place)
    clone.make_folders()
    (clone.runtime / "links").mkdir(exist_ok=True)
    if ws.initialised:
        (clone.runtime / "life").write_text("proof\n")
    # nobody links what is thrown away
    (clone.runtime / "daemon").write_text(f"{os.getpid()}\n")
    (clone.runtime / "state-dir").write_text(f"{ws.settings.dir}\n")
    state = clone.root / ws.settings.dir
    state.mkdir(parents=True, exist_ok=True)
    (state / _TASK).write_text("proof\n")
    (clone.root / _FILE).write_text("proof\n")


def _stand_in(ws: Workspace, clone: Workspace, place: Place) -> None:
    assert place.theirs is not None  # noqa: S101 seen by the caller
    base = places.resolve(ws, place.theirs)
    if base.is_relative_to(ws.root) and not Path(place.theirs).is_absolute():
        _copy(base, clone.root / base.relative_to(ws.root))
    git(["config", "core.hooksPath", place.theirs], cwd=clone.root)
    if places.is_stand_in(ws, places.looked_in(ws)):
        there = places.stand_in(clone.common_dir, place.theirs, only_here=False)
        _copy(place.folder, there.folder)
        _copy(place.shims, there.shims)
        plan = Plan()
        leading.lead(Workspace.open(clone.root), there, plan)
        plan.do()


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)


def _commit(clone: Workspace, folder: Path, limit_s: float) -> Proof:
    trace = folder / "trace"
    # the user's own environment and settings: his hooks are to run as they do for him
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("GIT_") or key.startswith("GIT_CONFIG")
    }
    environment["GIT_TRACE2_EVENT"] = str(trace)
    command = ["git", "-c", "commit.gpgsign=false", "commit", "--quiet"]
    git(["add", "--force", "--", _FILE], cwd=clone.root)
    with (folder / "said").open("w+b") as said:
        process = subprocess.Popen(
            [*command, "-m", "gitstate: a throw-away commit"],
            cwd=clone.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
        code = _wait(process, limit_s)
        said.seek(0)
        lines = said.read().decode("utf-8", "replace").split("\n")
    last = next((line for line in reversed(lines) if line.strip()), "")
    signs = {
        "pre-commit": (clone.runtime / "gate-by").exists(),
        "post-commit": any((clone.runtime / "links").glob("*.v")),
    }
    return Proof(
        started=tuple(_started(trace)),
        ours=tuple(name for name in OURS if signs[name]),
        code=code,
        said=printable(last),
    )


def _wait(process: subprocess.Popen[bytes], limit_s: float) -> int | None:
    """The exit code; ``None`` where the time was up, and all that it started is ended."""
    try:
        return process.wait(limit_s)
    except subprocess.TimeoutExpired:
        for end in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, end)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE_S)
        return None


def _started(trace: Path) -> Iterator[tuple[str, int | None]]:
    """The hooks that this very git started, in order; not those of git's own children."""
    names: dict[int, str] = {}
    codes: dict[int, int] = {}
    try:
        lines = trace.read_text("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        with contextlib.suppress(ValueError, KeyError, TypeError):
            event = json.loads(line)
            if "/" in event["sid"]:
                continue
            if event["event"] == "child_start" and event.get("child_class") == "hook":
                names[event["child_id"]] = str(event["hook_name"])
            elif event["event"] == "child_exit" and event["child_id"] in names:
                codes[event["child_id"]] = int(event["code"])
    for child, name in names.items():
        yield name, codes.get(child)
