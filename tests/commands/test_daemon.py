from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

import gitstate as package
from gitstate.commands import daemon as verb
from gitstate.daemon import autostart, registry
from gitstate.daemon.instance import holder
from gitstate.daemon.logs import Log
from gitstate.daemon.presence import presence
from gitstate.workspace import Workspace, state_home
from tests.engines import begun
from tests.support import command, gitstate, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support import Repo


@pytest.fixture
def stopped(home: Path) -> Iterator[None]:
    """Whatever a test starts is stopped after it."""
    assert home.is_dir()
    yield
    autostart.stop()


def registered(repo: Repo) -> Workspace:
    ws = begun(repo)
    registry.add(ws)
    return ws


def test_help_has_examples_for_every_verb(tmp_path: Path) -> None:
    text = gitstate("daemon", "--help", cwd=tmp_path).stdout
    assert "Examples:" in text
    assert "...\n" not in text.partition("Commands:")[2]  # what click cuts off
    for name in ("run", "start", "stop", "status", "logs", "install", "uninstall"):
        assert f"\n  {name} " in text
        assert gitstate("daemon", name, "--help", cwd=tmp_path).returncode == 0


@pytest.mark.usefixtures("stopped")
def test_start_status_stop(repo: Repo) -> None:
    ws = registered(repo)
    done = gitstate("daemon", "start", cwd=repo.path)
    pid = holder(state_home())
    assert done.stdout == f"started (process {pid})\n"
    again = gitstate("daemon", "start", cwd=repo.path)
    assert again.stdout == f"running already (process {pid})\n"
    wait_for(lambda: (seen := presence().of(ws.root)) and seen.version == 1)
    lines = gitstate("daemon", "status", cwd=repo.path).stdout.splitlines()
    assert lines[0].startswith(
        f"running (process {pid}, gitstate {package.__version__}, heartbeat "
    )
    assert lines[1].split("looked")[0] == f"  {ws.root}  v1  watching  "
    document = json.loads(gitstate("daemon", "status", "--json", cwd=repo.path).stdout)
    assert document.pop("heartbeat_age_s") < 60
    assert document.pop("executable")
    assert document["repositories"][0].pop("last_scan_age_s") < 60
    assert document == {
        "running": True,
        "pid": pid,
        "version": package.__version__,
        "repositories": [
            {
                "root": str(ws.root),
                "watching": True,
                "mode": "watch",
                "version": 1,
                "healthy": True,
                "problem": None,
            }
        ],
    }
    done = gitstate("daemon", "stop", cwd=repo.path)
    assert done.stdout == f"stopped (process {pid})\n"
    done = gitstate("daemon", "stop", cwd=repo.path)
    assert done.stdout == "not running\n"


def test_status_without_a_daemon(repo: Repo) -> None:
    ws = registered(repo)
    done = gitstate("daemon", "status", cwd=repo.path, check=False)
    assert (done.returncode, done.stdout.splitlines()) == (
        1,
        [
            "not running; `gitstate daemon start` starts it",
            f"  {ws.root}  -  -  -  the daemon is not running",
        ],
    )
    done = gitstate("daemon", "status", "--json", cwd=repo.path, check=False)
    assert done.returncode == 1
    assert json.loads(done.stdout) == {
        "running": False,
        "pid": None,
        "version": None,
        "executable": None,
        "heartbeat_age_s": None,
        "repositories": [
            {
                "root": str(ws.root),
                "watching": False,
                "mode": None,
                "last_scan_age_s": None,
                "version": None,
                "healthy": False,
                "problem": "the daemon is not running",
            }
        ],
    }


def test_a_damaged_registry_is_one_line(tmp_path: Path) -> None:
    state_home().mkdir(parents=True)
    (state_home() / "registry.json").write_bytes(b"\xff")
    done = gitstate("daemon", "status", cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "is kept as registry.json.damaged-" in done.stderr


def test_in_the_foreground_until_interrupted(repo: Repo) -> None:
    ws = registered(repo)
    process = subprocess.Popen(
        command("daemon", "run"),
        cwd=repo.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: (seen := presence().of(ws.root)) and seen.watching)
    repo.write("02-current-task.md", "written just before\n")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")
    assert out == f"running as process {process.pid}; Ctrl-C stops it\n"
    assert repo.git("show", "agent-state:.agent-state/02-current-task.md") == (
        "written just before"
    )


@pytest.mark.usefixtures("stopped")
def test_there_is_room_for_one(repo: Repo) -> None:
    pid = autostart.start().pid
    done = gitstate("daemon", "run", cwd=repo.path, check=False)
    assert (done.returncode, done.stderr) == (
        1,
        f"gitstate: the gitstate daemon is running already (process {pid})\n",
    )
    done = gitstate("daemon", "run", "--once", cwd=repo.path)
    assert done.stdout == (
        f"the gitstate daemon is running already (process {pid}): nothing to do\n"
    )


def test_once(repo: Repo) -> None:
    registered(repo)
    repo.write("02-current-task.md", "two\n")
    done = gitstate("daemon", "run", "--once", cwd=repo.path)
    assert (done.stdout, done.stderr) == ("", "")
    assert repo.git("rev-list", "--count", "agent-state") == "2"
    (repo.path / ".git/HEAD").write_text("garbage")
    done = gitstate("daemon", "run", "--once", cwd=repo.path, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"gitstate: {repo.path}: ")
    assert len(done.stderr.splitlines()) == 1


def test_the_log(tmp_path: Path) -> None:
    assert gitstate("daemon", "logs", cwd=tmp_path).stdout == ""
    state_home().mkdir(parents=True)
    log = Log(state_home())
    for number in range(30):
        log.write("info", "version", f"v{number}", repository="/a\nb")
    log.write("warning", "problem", "the disk is full")
    lines = gitstate("daemon", "logs", "-n", "2", cwd=tmp_path).stdout.splitlines()
    assert [line.partition("  ")[2] for line in lines] == [
        "version: v29  /a\\nb",
        "problem: ! the disk is full",
    ]
    assert len(gitstate("daemon", "logs", cwd=tmp_path).stdout.splitlines()) == 20
    text = gitstate("daemon", "logs", "--json", "-n1", cwd=tmp_path).stdout
    row = json.loads(text)
    assert row.pop("time")
    assert row == {
        "level": "warning",
        "event": "problem",
        "message": "the disk is full",
    }


def test_following_the_log(tmp_path: Path) -> None:
    state_home().mkdir(parents=True)
    log = Log(state_home())
    log.write("info", "version", "v1")
    process = subprocess.Popen(
        command("daemon", "logs", "-f"),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    with process.stdout as stream:
        assert "v1" in stream.readline()
        log.write("info", "version", "v2")
        assert "v2" in stream.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130


def test_install_where_nothing_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert verb.install() == 1
    assert "neither systemd's user instance nor launchd" in capsys.readouterr().err
    assert verb.uninstall() == 0
    assert capsys.readouterr().out == "not installed\n"


def test_a_daemon_that_does_not_answer_is_shown(
    repo: Repo, stopped: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert stopped is None
    ws = registered(repo)
    pid = autostart.start().pid
    wait_for(lambda: (seen := presence().of(ws.root)) and seen.watching)
    os.kill(pid, signal.SIGSTOP)
    try:
        moment = time.time() - 300
        os.utime(state_home() / "heartbeat.json", (moment, moment))
        capsys.readouterr()
        assert verb.status(as_json=False) == 0
        headline, row = capsys.readouterr().out.splitlines()
        assert "heartbeat 5 min ago" in headline
        assert row.startswith(f"  {ws.root}  v1  deaf  ")
        assert "the daemon has not answered for 30" in row
    finally:
        os.kill(pid, signal.SIGCONT)
