"""What tests share: real repositories, and waiting for a condition with a limit."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gitstate.values import replace
from tests.copied import Copied, plain
from tests.warm import Warm

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from gitstate.workspace import Workspace

_WARM = Warm()
_MADE: dict[tuple[object, ...], Copied] = {}
NUMBERED = (
    "00-project-context.md",
    "01-coding-conventions.md",
    "02-current-task.md",
    "03-known-issues.md",
    "04-decision-log.md",
    "05-file-map.md",
)


@dataclass(frozen=True)
class Repo:
    """A real git repository in a temporary directory."""

    path: Path

    @property
    def state(self) -> Path:
        return self.path / ".agent-state"

    def git(self, *args: str, check: bool = True, stdin: bytes | None = None) -> str:
        """The user's own git: hooks, configuration and all. Returns stripped stdout."""
        done = subprocess.run(
            ["git", *args], cwd=self.path, input=stdin, capture_output=True, check=False
        )
        if check and done.returncode != 0:
            raise AssertionError(f"git {args}: {done.stderr.decode()}")
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def commit(self, name: str = "code.txt", text: str = "code\n") -> str:
        """Commit one code file; returns the commit's id."""
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        self.git("add", "--", name)
        self.git("commit", "-q", "-m", f"change {name}")
        return self.git("rev-parse", "HEAD")

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file of the state directory."""
        target = self.state / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
        return target

    def write_six(self, tag: str = "one") -> None:
        """The six numbered files, each with ``tag`` in it."""
        for name in NUMBERED:
            self.write(name, f"# {name}\n\n{tag}\n")


def make_repo(path: Path, *, object_format: str = "sha1", commit: bool = True) -> Repo:
    """A repository at ``path`` with one code commit.

    git makes the first of each kind; where it would make the same again, its files are
    written again.
    """
    path.mkdir(parents=True, exist_ok=True)
    repo = Repo(path)
    key = (object_format, commit, os.environ["PATH"])
    usual = plain() and not any(path.iterdir())
    if usual and key in _MADE:
        _MADE[key].put(path)
        return repo
    repo.git("init", "-q", "-b", "main", f"--object-format={object_format}")
    if commit:
        repo.commit()
    if usual:
        _MADE[key] = Copied.of(path)
    return repo


def gitstate(
    *args: str,
    cwd: Path,
    check: bool = True,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
) -> subprocess.CompletedProcess[str]:
    """The real command in a process of its own, which a warm one forks."""
    whole = {**os.environ, **(env or {})}
    done = _WARM.run(args, cwd=cwd, env=whole, stdin=stdin) or subprocess.run(
        command(*args),
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        check=False,
        env=whole,
    )
    if check and done.returncode != 0:
        raise AssertionError(
            f"gitstate {args}: exit {done.returncode}\n{done.stdout}{done.stderr}"
        )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def command(*args: str) -> Sequence[str]:
    """The argument list that runs gitstate as installed in this environment."""
    return [sys.executable, "-P", "-m", "gitstate", *args]


def wait_for(
    condition: Callable[[], object], *, limit_s: float = 20.0, what: str = ""
) -> None:
    """Wait until ``condition()`` is true; fails after ``limit_s`` seconds."""
    deadline = time.monotonic() + limit_s
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {limit_s} s: {what or condition}")
        time.sleep(0.02)


def with_settings(ws: Workspace, **changes: object) -> Workspace:
    """The same workspace with some settings replaced."""
    return replace(ws, settings=replace(ws.settings, **changes))  # type: ignore[arg-type]  # the callers' keywords
