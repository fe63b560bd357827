"""The one lock: named holders, stopped holders, and file systems without flock."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from gitstate import lock
from gitstate.errors import CannotWrite, LockHeld
from gitstate.workspace import Workspace
from tests import shims
from tests.engines import begun, edit, numbers, snap
from tests.support import Repo, gitstate, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOLDER = """
import sys, time
from pathlib import Path
from gitstate import lock
with lock.held(Path(sys.argv[1]), verb=sys.argv[2], wait_s=5.0):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the lock at ``tmp_path / 'lock'``."""
    yield from holding(tmp_path / "lock", "snapshot")


def holding(path: Path, verb: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path), verb],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_it_is_held_and_let_go(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    assert not lock.is_held(path)
    with lock.held(path, verb="snapshot", wait_s=0) as has_flock:
        assert has_flock
        assert path.read_text().split() == [str(os.getpid()), "snapshot"]
        assert lock.is_held(path)
        with (
            pytest.raises(LockHeld, match=rf"process {os.getpid()} \(snapshot\)"),
            lock.held(path, verb="other", wait_s=0),
        ):
            raise AssertionError
    assert not lock.is_held(path)
    # a shorter name leaves nothing of the longer one that stood there
    with lock.held(path, verb="log", wait_s=0):
        assert path.read_text().split() == [str(os.getpid()), "log"]


def test_it_is_let_go_when_the_work_fails(tmp_path: Path) -> None:
    with pytest.raises(KeyError), lock.held(tmp_path / "lock", verb="x", wait_s=0):
        raise KeyError
    assert not lock.is_held(tmp_path / "lock")


def test_it_is_waited_for(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    started = time.monotonic()
    os.kill(holder.pid, signal.SIGKILL)

    with lock.held(tmp_path / "lock", verb="x", wait_s=20):
        assert time.monotonic() - started < 20


def test_a_stopped_holder_is_named_and_not_waited_for_for_ever(
    tmp_path: Path, holder: subprocess.Popen[str]
) -> None:
    os.kill(holder.pid, signal.SIGSTOP)
    started = time.monotonic()

    with (
        pytest.raises(LockHeld) as caught,
        lock.held(tmp_path / "lock", verb="x", wait_s=0.3),
    ):
        raise AssertionError

    assert 0.3 <= time.monotonic() - started < 30
    assert str(caught.value) == (
        f"process {holder.pid} (snapshot) holds gitstate's lock {tmp_path / 'lock'}; "
        "nothing was recorded, try again"
    )


def test_a_command_gives_up_after_five_seconds_and_names_the_holder(
    repo: Repo,
) -> None:
    ws = begun(repo)
    repo.write("02-current-task.md", "two\n")
    for process in holding(ws.lock_path, "daemon"):
        os.kill(process.pid, signal.SIGSTOP)
        started = time.monotonic()

        done = gitstate("snapshot", cwd=repo.path, check=False)

        assert 5 <= time.monotonic() - started < 60
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == (
            f"gitstate: process {process.pid} (daemon) holds gitstate's lock "
            f"{ws.lock_path}; nothing was recorded, try again\n"
        )
        with pytest.raises(LockHeld):
            snap(ws, wait_s=0.0)
        # reading needs no lock
        assert gitstate("log", cwd=repo.path).stdout.count("\n") == 1
        os.kill(process.pid, signal.SIGCONT)
    assert snap(ws).version == 2


def test_a_holders_text_that_is_garbled(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with lock.held(path, verb="x\n\x1b[31m", wait_s=0):
        for text in (b"", b"\xff\xfe", b"x" * 5000, b"12 a\x1b[31m\n"):
            path.write_bytes(text)
            with (
                pytest.raises(LockHeld) as caught,
                lock.held(path, verb="y", wait_s=0),
            ):
                raise AssertionError
            assert str(caught.value).isprintable()


@pytest.mark.parametrize("what", ["folder", "link", "no folder"])
def test_a_lock_that_cannot_be_opened(tmp_path: Path, what: str) -> None:
    path = tmp_path / "lock"
    if what == "folder":
        path.mkdir()
    elif what == "link":
        path.symlink_to(tmp_path / "elsewhere")
    else:
        path = tmp_path / "none" / "lock"

    with (
        pytest.raises(CannotWrite, match="cannot take gitstate's lock: "),
        lock.held(path, verb="x", wait_s=0),
    ):
        raise AssertionError
    assert not (tmp_path / "elsewhere").exists()


def test_no_child_inherits_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with lock.held(path, verb="x", wait_s=0):
        child = subprocess.Popen(["sleep", "600"], close_fds=False)
    try:
        assert not lock.is_held(path)
    finally:
        child.kill()
        child.wait()


def test_without_flock_versions_are_made_and_doctor_says_so(
    repo: Repo, tmp_path: Path
) -> None:
    library = shims.build("no_flock", tmp_path)
    env = {"LD_PRELOAD": str(library)}
    repo.write_six()
    gitstate("init", "--no-hooks", "--no-daemon", cwd=repo.path, env=env)
    writers = []
    for at in range(6):
        repo.write(f"{at}.md", f"{at}\n")
        writers.append(
            subprocess.Popen(
                [sys.executable, "-m", "gitstate", "snapshot"],
                cwd=repo.path,
                env={**os.environ, **env},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
    for writer in writers:
        out, err = writer.communicate(timeout=60)
        assert (writer.returncode, err) == (0, ""), out

    ws = Workspace.open(repo.path)
    found = numbers(ws)
    assert found == list(range(len(found), 0, -1))
    assert repo.git("show", "agent-state:.agent-state/5.md") == "5"
    said = gitstate("doctor", cwd=repo.path, env=env, check=False).stdout
    rows = [line.split(maxsplit=2) for line in said.splitlines()]
    (row,) = (text for word, name, text in rows if (word, name) == ("ok", "flock"))
    assert "the compare-and-swap alone protects the line" in row
    fsck = gitstate("fsck", cwd=repo.path, env=env)
    assert fsck.stdout == f"ok: {len(found)} versions\n"
    repo.git("fsck", "--full", "--strict", "--no-dangling")


def test_a_holder_that_is_killed_leaves_no_lock(repo: Repo) -> None:
    ws = begun(repo)
    for process in holding(ws.lock_path, "daemon"):
        process.kill()
        process.wait()
    wait_for(lambda: not lock.is_held(ws.lock_path))

    assert edit(ws, "two\n").version == 2


MAKER = """
import sys, time
from pathlib import Path
from gitstate import lock
with lock.made(Path(sys.argv[1]), wait_s=5.0):
    print("made", flush=True)
    time.sleep(600)
"""


def test_being_alone_by_a_file(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    with lock.made(path, wait_s=0.1):
        assert path.exists()
    assert not path.exists()
    with (
        pytest.raises(CannotWrite),
        lock.made(tmp_path / "none" / "x.lock", wait_s=0.1),
    ):
        raise AssertionError


def test_who_is_held_up_in_it_stays_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    maker = subprocess.Popen(
        [sys.executable, "-c", MAKER, path], stdout=subprocess.PIPE, text=True
    )
    assert maker.stdout is not None
    try:
        assert maker.stdout.readline() == "made\n"
        maker.send_signal(signal.SIGSTOP)
        with pytest.raises(CannotWrite, match="keeps"), lock.made(path, wait_s=0.1):
            raise AssertionError
        assert path.exists()
    finally:
        maker.kill()
        maker.wait()
        maker.stdout.close()
    with lock.made(path, wait_s=0.1):  # it is gone: at once
        assert path.exists()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["", "17 another-host x", "no process"])
def test_what_nobody_is_known_to_hold_is_kept_for_a_minute(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "x.lock"
    path.write_text(text)
    with pytest.raises(CannotWrite), lock.made(path, wait_s=0.1):
        raise AssertionError
    os.utime(path, (time.time() - 61, time.time() - 61))
    with lock.made(path, wait_s=0.1):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_was_taken_away_is_not_removed_by_who_made_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "x.lock"
    with lock.made(path, wait_s=0.1):
        path.write_text("another's")
    assert path.read_text() == "another's"
