"""Somebody who commits code beside a state directory, with git's real hooks."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gitstate.history import links
from gitstate.history.note import Note, parse
from gitstate.history.rule import TASK
from gitstate.workspace import Workspace
from tests.hooks.git.effects import Scene
from tests.support import make_repo

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.support import Repo

NOTES = "refs/notes/gitstate"


@dataclass(frozen=True)
class Ran:
    """One run of git: its exit code, and what it said on stderr."""

    code: int
    err: str


@dataclass
class Coder:
    """A repository whose hooks run; nobody links unless ``link`` is called."""

    scene: Scene
    _count: int = field(default=0, init=False)

    @classmethod
    def begin(
        cls, folder: Path, *, commit: bool = True, object_format: str = "sha1"
    ) -> Coder:
        """A repository in which gitstate was just set up; ``HEAD`` is its baseline."""
        repo = make_repo(folder / "repo", object_format=object_format)
        shutil.rmtree(repo.path / ".git" / "hooks")
        scene = Scene(repo, folder / "log")
        if not commit:
            scene.repo.git("update-ref", "-d", "HEAD")
            scene.repo.git("rm", "-rq", "--cached", ".")
        scene.repo.write_six()
        coder = cls(scene)
        coder.backdate(coder.task, 3600)
        scene.init()
        return coder

    @property
    def repo(self) -> Repo:
        return self.scene.repo

    @property
    def task(self) -> Path:
        return self.repo.state / TASK

    @property
    def runtime(self) -> Path:
        return self.scene.runtime

    @staticmethod
    def backdate(path: Path, seconds: float) -> None:
        """Have a file written so long ago."""
        when = time.time() - seconds
        os.utime(path, (when, when), follow_symlinks=False)

    def update(self, text: str | None = None) -> None:
        """Write the task file, a minute ago: before any code is written."""
        self._count += 1
        self.repo.write(TASK, text or f"task {self._count}\n")
        self.backdate(self.task, 60)

    def code(self, name: str = "code.txt") -> None:
        """Write and stage one code file, now."""
        self._count += 1
        path = self.repo.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"code {self._count}\n")
        self.repo.git("add", "-f", "--", name)

    def commit(
        self,
        *words: str,
        updated: bool = False,
        name: str = "code.txt",
        env: Mapping[str, str] | None = None,
        settings: tuple[str, ...] = (),
    ) -> Ran:
        """A commit of one more line of code."""
        if updated:
            self.update()
        self.code(name)
        return self.git(
            "commit", "-q", "-m", "more", *words, env=env, settings=settings
        )

    def git(
        self,
        *words: str,
        env: Mapping[str, str] | None = None,
        settings: tuple[str, ...] = (),
    ) -> Ran:
        """Run git as a user does; ``settings`` are ``key=value`` for this run."""
        flags = [part for item in settings for part in ("-c", item)]
        done = subprocess.run(
            ["git", *flags, *words],
            cwd=self.repo.path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            env={**os.environ, **(env or {})},
        )
        return Ran(done.returncode, done.stderr.decode("utf-8", "replace"))

    def ws(self) -> Workspace:
        return Workspace.open(self.repo.path)

    def link(self, *, look: bool = False, tips: tuple[str, ...] = ()) -> list[str]:
        """Work off what the hooks left; what was linked."""
        return list(links.process(self.ws(), look=look, tips=tips).linked)

    def head(self, name: str = "HEAD") -> str:
        return self.repo.git("rev-parse", f"{name}^{{commit}}")

    def text(self, name: str = "HEAD") -> str:
        """The note of a commit as git shows it."""
        return self.repo.git("notes", f"--ref={NOTES}", "show", name, check=False)

    def note(self, name: str = "HEAD") -> Note:
        found = parse(self.text(name))
        assert found is not None, f"{name} has no note"
        return found

    def check(self, name: str = "HEAD") -> str:
        """What the note says: the check, and the reason where there is one."""
        text = self.text(name)
        if not text:
            return ""
        assert text.count("State-Check: ") == 1, text
        found = self.note(name)
        return f"{found.check}: {found.reason}" if found.reason else found.check

    def checks(self, count: int) -> list[str]:
        """The checks of the newest commits of HEAD, newest first."""
        return [self.check(f"HEAD~{steps}") for steps in range(count)]

    def verdict(self) -> str:
        """What waits in the spool for HEAD."""
        path = self.runtime / "links" / f"{self.head()}.v"
        return path.read_text().removesuffix("\n")
