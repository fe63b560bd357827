"""The real daemon, in a process of its own, and real repositories for it."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from gitstate.daemon import autostart, registry
from gitstate.daemon.instance import holder, terminate, wait_until_gone
from gitstate.daemon.logs import tail
from gitstate.daemon.presence import presence
from gitstate.workspace import Workspace, state_home
from tests.engines import begun
from tests.support import Repo, make_repo, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True)
class Kept(Repo):
    """A repository that gitstate is set up in, and its line as plain git shows it."""

    line: str = "agent-state"

    def count(self) -> int:
        return int(self.git("rev-list", "--count", f"refs/heads/{self.line}"))

    def shows(self, name: str = "02-current-task.md") -> str:
        return self.git(
            "show", f"refs/heads/{self.line}:.agent-state/{name}", check=False
        )

    def edit(self, text: str, name: str = "02-current-task.md") -> None:
        self.write(name, text)

    def wait(self, text: str, *, limit_s: float = 20.0) -> None:
        wait_for(lambda: self.shows() == text, limit_s=limit_s, what=f"{text!r} kept")


@dataclass(frozen=True)
class Daemon:
    """The daemon of this test's user."""

    tmp_path: Path

    def repository(self, name: str = "repo", *, object_format: str = "sha1") -> Kept:
        """A registered repository whose v1 is made; scans come too late to help."""
        made = make_repo(self.tmp_path / name, object_format=object_format)
        made.git("config", "gitstate.scanSeconds", "600")
        registry.add(begun(made))
        return Kept(made.path)

    def worktree(self, of: Kept, name: str) -> Kept:
        """A linked worktree of a repository, registered too."""
        of.git("worktree", "add", "-q", f"../{name}")
        made = Kept(of.path.parent / name, line=f"agent-state.{name}")
        registry.add(begun(made))
        return made

    def start(self) -> int:
        return autostart.start().pid

    def watching(self, *repos: Repo) -> None:
        """Wait until the daemon watches all of them."""

        def all_watched() -> bool:
            now = presence()
            found = [now.of(Workspace.open(repo.path).root) for repo in repos]
            return all(item is not None and item.watching for item in found)

        wait_for(all_watched, what="watching")

    def said(self, event: str) -> list[str]:
        rows = tail(state_home(), 1000)
        return [row["message"] for row in rows if row["event"] == event]

    @property
    def pid(self) -> int:
        found = holder(state_home())
        assert found, "no daemon"
        return found

    def kill(self) -> None:
        pid = self.pid
        os.kill(pid, signal.SIGKILL)
        assert wait_until_gone(state_home(), pid, timeout_s=10)


@pytest.fixture
def daemon(tmp_path: Path, home: Path) -> Iterator[Daemon]:
    assert home.is_dir()
    yield Daemon(tmp_path)
    pid = holder(state_home())
    if pid and terminate(state_home(), pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
        if not wait_until_gone(state_home(), pid, timeout_s=30):
            os.kill(pid, signal.SIGKILL)
            pytest.fail("the daemon did not end")
