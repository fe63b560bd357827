"""The real daemon, with real files under it and real processes beside it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from tests.reports.support import held, newest, sound, status
from tests.support import Repo, command, gitstate, make_repo, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


REGISTER = """
import sys
from pathlib import Path
from gitstate import background
from gitstate.workspace import Workspace
background.register(Workspace.open(Path(sys.argv[1])))
"""


def replaced(repo: Repo) -> None:
    shutil.rmtree(repo.state)
    repo.state.mkdir()
    repo.write_six("three")


def away_and_back(repo: Repo) -> None:
    aside = repo.path / "aside"
    repo.state.rename(aside)
    wait_for(lambda: status(repo)["vanished"])
    aside.rename(repo.state)


def away_and_made_anew(repo: Repo) -> None:
    aside = repo.path.parent / "aside"
    repo.state.rename(aside)
    repo.write_six("three")
    (aside / "02-current-task.md").write_text("of nobody any more")


def stashed_and_popped(repo: Repo) -> None:
    repo.git("stash", "push", "--quiet", "--all")
    repo.git("stash", "pop", "--quiet")


def churned(repo: Repo) -> None:
    for turn in range(300):
        folder = repo.state / f"churn{turn % 7}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "file.md").write_text(str(turn))
    for turn in range(7):
        shutil.rmtree(repo.state / f"churn{turn}")


def repository_moved_and_back(repo: Repo) -> None:
    aside = repo.path.with_name("elsewhere")
    repo.path.rename(aside)
    aside.rename(repo.path)


@pytest.mark.report(19)
@pytest.mark.parametrize(
    "happens",
    [
        replaced,
        away_and_back,
        away_and_made_anew,
        stashed_and_popped,
        churned,
        repository_moved_and_back,
    ],
)
def test_what_is_written_after_the_folder_was_replaced_is_kept(
    watched: Repo, happens: Callable[[Repo], None]
) -> None:
    watched.write("02-current-task.md", "before")
    wait_for(lambda: held(watched) == "before")
    happens(watched)
    watched.write("02-current-task.md", "after")
    wait_for(lambda: held(watched) == "after", limit_s=10)
    wait_for(lambda: status(watched)["daemon"]["watching"])
    watched.write("02-current-task.md", "and later")
    wait_for(lambda: held(watched) == "and later", limit_s=10)
    wait_for(lambda: status(watched)["problems"] == [])
    sound(watched)


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    """A process of somebody else's."""
    process = subprocess.Popen(["sleep", "600"])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.report(20)
def test_a_pid_file_of_before_the_restart_names_a_stranger(
    repo: Repo, home: Path, stranger: subprocess.Popen[bytes]
) -> None:
    state = home / ".state" / "gitstate"
    state.mkdir(parents=True)
    (state / "daemon.pid").write_text(f"{stranger.pid}\n")
    assert gitstate("daemon", "status", cwd=repo.path, check=False).returncode == 1
    assert gitstate("daemon", "stop", cwd=repo.path).stdout == "not running\n"
    assert stranger.poll() is None
    try:
        gitstate("daemon", "start", cwd=repo.path)
        found = json.loads(gitstate("daemon", "status", "--json", cwd=repo.path).stdout)
        assert found["running"]
        assert found["pid"] != stranger.pid
        (state / "daemon.pid").write_text(f"{stranger.pid}\n")
    finally:
        gitstate("daemon", "stop", cwd=repo.path)
    assert gitstate("daemon", "status", cwd=repo.path, check=False).returncode == 1
    assert stranger.poll() is None


@pytest.mark.report(20)
def test_a_daemon_that_was_killed_is_started_again(watched: Repo) -> None:
    pid = status(watched)["daemon"]["pid"]
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not status(watched)["daemon"]["running"])
    watched.write("02-current-task.md", "meanwhile")
    gitstate("daemon", "start", cwd=watched.path)
    wait_for(lambda: held(watched) == "meanwhile")
    assert status(watched)["daemon"]["pid"] != pid


@pytest.mark.report(21)
@pytest.mark.usefixtures("quick")
def test_of_eight_daemons_one_is_left(tmp_path: Path) -> None:
    repos = [make_repo(tmp_path / name) for name in ("a", "b")]
    for repo in repos:
        repo.write_six()
        gitstate("init", "--no-daemon", cwd=repo.path)
        subprocess.run([sys.executable, "-c", REGISTER, str(repo.path)], check=True)
    try:
        with ThreadPoolExecutor(8) as pool:
            done = list(
                pool.map(
                    lambda _: subprocess.run(
                        command("daemon", "start"),
                        cwd=tmp_path,
                        capture_output=True,
                        text=True,
                        check=False,
                    ),
                    range(8),
                )
            )
        assert [one.returncode for one in done] == [0] * 8, done
        pid = status(repos[0])["daemon"]["pid"]
        assert {word for one in done for word in one.stdout.split() if ")" in word} == {
            f"{pid})"
        }
        second = subprocess.run(
            command("daemon", "run"),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert second.returncode == 1
        assert str(pid) in second.stderr
        for repo in repos:
            repo.write("02-current-task.md", "two")
            wait_for(lambda repo=repo: held(repo) == "two")  # type: ignore[misc]
            assert newest(repo) == 2
            sound(repo)
    finally:
        gitstate("daemon", "stop", cwd=tmp_path)
