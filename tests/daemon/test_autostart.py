from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitstate import background
from gitstate.daemon import autostart
from gitstate.daemon.instance import holder
from gitstate.daemon.presence import presence
from gitstate.errors import CannotWrite, Refused
from gitstate.workspace import Workspace, state_home
from tests.support import command, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.daemon.conftest import Daemon

PROC = Path("/proc")
needs_proc = pytest.mark.skipif(not PROC.is_dir(), reason="reads /proc")


def test_start_and_stop(daemon: Daemon) -> None:
    assert autostart.stop() == autostart.Stopped(pid=None)
    started = autostart.start()
    assert started == autostart.Started(pid=daemon.pid, how="detached")
    assert autostart.start() == autostart.Started(pid=started.pid, how="running")
    assert autostart.stop() == autostart.Stopped(pid=started.pid)
    assert holder(state_home()) is None
    assert daemon.said("stopped") == ["everything is saved"]
    assert not presence().running


@needs_proc
def test_the_daemon_is_nobody_s_child_and_keeps_nothing(daemon: Daemon) -> None:
    read, write = os.pipe()
    os.set_inheritable(write, True)  # noqa: FBT003 os's own
    try:
        pid = daemon.start()
    finally:
        os.close(write)
    try:
        assert os.read(read, 1) == b""  # nobody holds the other end: not the daemon
    finally:
        os.close(read)
    fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    parent, session, terminal = int(fields[1]), int(fields[3]), int(fields[4])
    assert parent != os.getpid()
    assert session not in {os.getsid(0), pid}
    assert terminal == 0
    streams = {(PROC / f"{pid}/fd/{number}").readlink() for number in range(3)}
    assert streams == {Path(os.devnull)}
    assert (PROC / str(pid) / "cwd").readlink() == Path("/")
    status = (PROC / str(pid) / "status").read_text()
    mask = os.umask(0o022)
    os.umask(mask)
    assert f"Umask:\t{mask | 0o022:04o}\n" in status
    assert not _children(pid)


def _children(pid: int) -> str:
    return (PROC / str(pid) / "task" / str(pid) / "children").read_text()


@needs_proc
@pytest.mark.report(7)
def test_a_hook_s_environment_does_not_reach_the_daemon(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, other = daemon.repository("repo"), daemon.repository("other")
    monkeypatch.setenv("GITSTATE_QUIET_MS", "50")
    inherited = {
        "GIT_DIR": str(repo.path / ".git"),
        "GIT_INDEX_FILE": str(repo.path / ".git/index.lock"),
        "GIT_WORK_TREE": str(repo.path),
        "CLAUDECODE": "1",
        "GITSTATE_NOW": "2001-01-01T00:00:00+00:00",
    }
    for key, value in inherited.items():
        monkeypatch.setenv(key, value)
    pid = daemon.start()
    for key in inherited:
        monkeypatch.delenv(key)
    environ = (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    names = {os.fsdecode(item.partition(b"=")[0]) for item in environ if item}
    assert names <= {
        "HOME",
        "PATH",
        "USER",
        "LOGNAME",
        "LANG",
        "LC_ALL",
        "TZ",
        "TMPDIR",
        "GITSTATE_QUIET_MS",
        *(name for name in names if name.startswith(("XDG_", "LC_"))),
    }
    assert "GITSTATE_QUIET_MS" in names
    daemon.watching(repo, other)
    before = repo.count()
    other.edit("for the other one\n")
    other.wait("for the other one")
    assert repo.count() == before
    assert other.git("log", "-1", "--format=%ad", "--date=format:%Y", "agent-state") > (
        "2001"
    )


@pytest.mark.report(7)
def test_a_commit_in_a_worktree_may_start_it(daemon: Daemon) -> None:
    main = daemon.repository("main")
    linked = daemon.worktree(main, "linked")
    other = daemon.repository("other")
    hook = main.path / ".git/hooks/post-commit"
    hook.parent.mkdir(exist_ok=True)
    words = " ".join(f"'{word}'" for word in command("daemon", "start"))
    hook.write_text(f"#!/bin/sh\n{words} >/dev/null 2>&1\n")
    hook.chmod(0o755)
    linked.commit("code.py")
    daemon.watching(main, linked, other)
    counts = main.count(), linked.count()
    other.edit("other\n")
    other.wait("other")
    assert (main.count(), linked.count()) == counts
    linked.edit("linked\n")
    linked.wait("linked")
    assert main.count() == counts[0]
    for repo in (main, linked, other):
        repo.git("fsck", "--strict")


@pytest.mark.report(21)
def test_of_eight_that_start_at_once_there_is_one(daemon: Daemon) -> None:
    with ThreadPoolExecutor(8) as pool:
        done = list(
            pool.map(
                lambda _: subprocess.run(
                    command("daemon", "start"), capture_output=True, check=False
                ),
                range(8),
            )
        )
    assert [run.returncode for run in done] == [0] * 8
    pid = daemon.pid
    assert all(f"process {pid}".encode() in run.stdout for run in done)
    assert daemon.said("started") == [daemon.said("started")[0]]


@pytest.mark.report(21)
def test_of_eight_that_run_at_once_there_is_one(daemon: Daemon) -> None:
    repo = daemon.repository()
    running = [
        subprocess.Popen(
            autostart.command(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(8)
    ]
    ended = threading.Semaphore(0)
    words: list[str] = []

    def watch(process: subprocess.Popen[str]) -> None:
        words.append(process.communicate()[1])
        ended.release()

    threads = [threading.Thread(target=watch, args=(item,)) for item in running]
    for thread in threads:
        thread.start()
    for _ in range(7):
        assert ended.acquire(timeout=60)
    assert sorted(process.poll() is None for process in running) == [False] * 7 + [True]
    assert [process.returncode for process in running if process.returncode] == [1] * 7
    assert all("running already" in line for line in words)
    repo.edit("kept by the one\n")
    repo.wait("kept by the one")
    autostart.stop()
    for thread in threads:
        thread.join(30)
    assert sum(process.returncode == 0 for process in running) == 1


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(["sleep", "120"])
    yield process
    process.kill()
    process.wait()


@pytest.mark.report(20)
def test_a_pid_file_from_before_a_reboot(
    daemon: Daemon, stranger: subprocess.Popen[bytes]
) -> None:
    state_home().mkdir(parents=True)
    (state_home() / "daemon.pid").write_text(f"{stranger.pid}\n")
    assert autostart.stop().pid is None
    assert daemon.start() == daemon.pid != stranger.pid
    (state_home() / "daemon.pid").write_text(f"{stranger.pid}\n")
    assert autostart.stop().pid not in {None, stranger.pid}
    assert stranger.poll() is None


def test_a_killed_daemon_is_started_again(daemon: Daemon) -> None:
    repo = daemon.repository()
    first = daemon.start()
    daemon.watching(repo)
    daemon.kill()
    assert not presence().running
    repo.edit("written while nobody looked\n")
    assert daemon.start() != first
    repo.wait("written while nobody looked")


def test_a_daemon_of_another_version_is_replaced(daemon: Daemon) -> None:
    repo = daemon.repository()
    first = daemon.start()
    daemon.watching(repo)
    path = state_home() / "heartbeat.json"
    beat = json.loads(path.read_text())
    path.write_text(json.dumps({**beat, "version": "0.0.1"}))
    again = autostart.start()
    assert (again.how, again.restarted) == ("detached", True)
    assert again.pid == daemon.pid != first
    repo.edit("seen by the new one\n")
    repo.wait("seen by the new one")


def test_a_daemon_that_does_not_end_is_said(daemon: Daemon) -> None:
    pid = daemon.start()
    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(Refused, match=f"process {pid}.*has not ended within 0.3 s"):
            autostart.stop(timeout_s=0.3)
        assert holder(state_home()) == pid
    finally:
        os.kill(pid, signal.SIGCONT)
    wait_for(lambda: holder(state_home()) is None)


def test_a_daemon_that_does_not_start_is_said(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert daemon.tmp_path.is_dir()
    monkeypatch.setattr(autostart, "START_S", 0.5)
    monkeypatch.setattr(autostart, "command", lambda: ["true"])
    with pytest.raises(Refused, match="did not start"):
        autostart.start()


def test_a_home_that_cannot_be_made_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with pytest.raises(CannotWrite, match="make gitstate's folder"):
        autostart.start()


def test_nothing_starts_by_itself_under_ci(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    assert not autostart.wanted()
    assert autostart.ensure() is None
    assert holder(state_home()) is None
    assert autostart.start().pid == daemon.pid  # asked for in so many words
    autostart.stop()
    monkeypatch.delenv("CI")
    started = autostart.ensure()
    assert started is not None
    assert started.pid == daemon.pid


def test_systemd_starts_it_where_it_is_installed(
    daemon: Daemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    """A systemctl that does what the unit says."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "systemctl"
    script.write_text(
        f"#!{sys.executable}\n"
        "import os, shlex, subprocess, sys\n"
        "if sys.argv[2] != 'restart': sys.exit(0)\n"
        f"lines = open('{home}/.config/systemd/user/gitstate.service').read().split('\\n')\n"
        "env = dict(shlex.split(l.partition('=')[2])[0].split('=', 1) for l in lines "
        "if l.startswith('Environment='))\n"
        "run = next(l for l in lines if l.startswith('ExecStart=')).partition('=')[2]\n"
        "null = subprocess.DEVNULL\n"
        f"subprocess.Popen(shlex.split(run), env={{'HOME': '{home}', **env}}, stdin=null,"
        " stdout=null, stderr=null, start_new_session=True)\n"
    )
    script.chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    name, path = autostart.install()
    assert (name, path) == (
        "systemd",
        home / ".config/systemd/user/gitstate.service",
    )
    repo = daemon.repository()
    assert autostart.start().how == "systemd"
    daemon.watching(repo)
    assert autostart.uninstall() == [path]
    assert autostart.uninstall() == []


def test_where_nothing_answers_nothing_is_installed(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert autostart.install() == (None, None)
    assert not (home / ".config").exists()


# after a restart of the machine


@pytest.fixture
def restarted(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A worktree whose daemon was killed, and the machine was restarted since."""
    ws = Workspace.open(daemon.repository().path)
    daemon.start()
    daemon.kill()
    later = (state_home() / "heartbeat.json").stat().st_mtime + 1
    monkeypatch.setattr(autostart, "_booted", lambda: later)
    return ws


def test_a_daemon_that_ran_before_is_started_again(
    restarted: Workspace, daemon: Daemon
) -> None:
    assert background.revive(restarted)
    assert daemon.pid
    assert not background.revive(restarted)


def test_one_that_was_stopped_stays_stopped(
    restarted: Workspace, daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon.start()
    autostart.stop(for_now=True)
    monkeypatch.setattr(autostart, "_booted", lambda: time.time() + 1)
    assert not background.revive(restarted)
    daemon.start()  # wanted again
    daemon.kill()
    assert background.revive(restarted)


def test_one_that_was_killed_is_started_again_after_some_seconds(
    restarted: Workspace, daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(autostart, "_booted", lambda: 0.0)
    monkeypatch.setattr(autostart, "_REST_S", 3600.0)
    assert not background.revive(restarted)
    monkeypatch.setattr(autostart, "_REST_S", 0.0)
    assert background.revive(restarted)
    assert daemon.pid


def test_a_restart_starts_none_that_was_not_wanted(
    restarted: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "1")
    assert not background.revive(restarted)
    monkeypatch.delenv("CI")
    background.unregister(restarted)
    assert not background.revive(restarted)
    background.register(restarted)
    (state_home() / "heartbeat.json").unlink()  # it never ran
    assert not background.revive(restarted)


def test_when_the_machine_was_started() -> None:
    assert 0 < autostart._booted() < time.time()  # noqa: SLF001 nothing else tells


def test_stopping_what_never_was_leaves_nothing(home: Path) -> None:
    assert autostart.stop(for_now=True).pid is None
    assert not (home / ".state" / "gitstate").exists()
