"""Freshness under the real daemon: one reminder, and it goes by itself."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import pytest

from gitstate import freshness, reminders
from gitstate.daemon import registry
from gitstate.workspace import Workspace
from tests.engines import begun
from tests.hooks.git.coding import Coder
from tests.support import Repo, make_repo, wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from tests.daemon.conftest import Daemon

TASK = "02-current-task.md"


def impatient(repo: Repo) -> None:
    repo.git("config", "gitstate.freshnessInterval", "1")
    repo.git("config", "gitstate.freshnessThreshold", "2")


def registered(path: Path) -> Repo:
    """A worktree that the daemon is to look after, and that wants to be fresh."""
    repo = make_repo(path)
    impatient(repo)
    registry.add(begun(repo))
    return repo


@pytest.fixture
def tended(daemon: Daemon, tmp_path: Path) -> Repo:
    repo = registered(tmp_path / "repo")
    daemon.start()
    daemon.watching(repo)
    return repo


def waiting(repo: Repo) -> list[str]:
    return [item.text for item in reminders.read(Workspace.open(repo.path))]


def test_one_reminder_and_an_update_clears_it(tended: Repo, daemon: Daemon) -> None:
    (tended.path / "code.txt").write_text("edited\n")
    wait_for(lambda: waiting(tended), what="the reminder")
    (text,) = waiting(tended)
    assert "(code.txt): bring it up to date" in text
    assert daemon.said("reminder") == [text]
    (tended.path / "code.txt").write_text("edited again\n")
    tended.write(TASK, "up to date\n")
    wait_for(lambda: not waiting(tended), what="no reminder")
    assert daemon.said("reminder") == [text]


def test_a_daemon_that_is_started_anew_does_not_repeat_it(
    tended: Repo, daemon: Daemon, tmp_path: Path
) -> None:
    (tended.path / "code.txt").write_text("edited\n")
    wait_for(lambda: waiting(tended), what="the reminder")
    (first,) = daemon.said("reminder")
    daemon.kill()
    other = registered(tmp_path / "other")
    (other.path / "other.txt").write_text("edited\n")
    daemon.start()
    wait_for(lambda: waiting(other), what="the other's reminder")
    assert daemon.said("reminder") == [first, *waiting(other)]
    tended.write(TASK, "up to date\n")
    wait_for(lambda: not waiting(tended), what="no reminder")


@pytest.mark.skipif(sys.platform == "darwin", reason="notify-send is not macOS's")
def test_on_the_desktop_where_that_is_wanted(
    daemon: Daemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = tmp_path / "said"
    program = tmp_path / "bin" / "notify-send"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\nimport json, sys\n"
        f"with open({str(said)!r}, 'a') as file:\n"
        "    file.write(json.dumps(sys.argv[1:]) + '\\n')\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    repo = registered(tmp_path / "repo")
    repo.git("config", "gitstate.notify", "true")
    daemon.start()
    daemon.watching(repo)
    (repo.path / "code.txt").write_text("edited\n")
    wait_for(said.exists, what="the notification")
    wait_for(lambda: said.read_text().endswith("\n"))
    (words,) = [json.loads(line) for line in said.read_text().splitlines()]
    assert words == ["--app-name=gitstate", "--", "gitstate: repo", *waiting(repo)]


def test_with_the_daemon_off_a_commit_makes_the_check(tmp_path: Path) -> None:
    coder = Coder.begin(tmp_path)
    (coder.runtime / "daemon").unlink()
    coder.repo.git("config", "gitstate.freshnessThreshold", "60")
    coder.backdate(coder.task, 3600)
    late = coder.repo.path / "other.txt"
    late.write_text("written long ago\n")
    coder.backdate(late, 120)
    coder.commit()
    wait_for(lambda: waiting(coder.repo), what="the reminder")
    assert "(other.txt)" in waiting(coder.repo)[0]
    coder.commit(updated=True)
    late.unlink()
    wait_for(lambda: not waiting(coder.repo), what="no reminder")


def test_with_the_daemon_off_status_makes_the_check(tmp_path: Path) -> None:
    coder = Coder.begin(tmp_path)
    coder.repo.git("config", "gitstate.freshnessThreshold", "60")
    (coder.repo.path / "code.txt").write_text("written a while ago\n")
    coder.backdate(coder.repo.path / "code.txt", 120)

    def shown() -> list[str]:
        said = coder.scene.gitstate("status", "--json")
        found: list[str] = json.loads(said)["reminders"]
        return found

    (text,) = shown()
    assert text.endswith("(code.txt): bring it up to date")
    assert f"reminder: {text}" in coder.scene.gitstate("status")
    coder.update()
    coder.backdate(coder.task, 1)
    assert shown() == []
    assert freshness.check(coder.ws()) is None
