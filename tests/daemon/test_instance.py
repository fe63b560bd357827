from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gitstate.daemon.instance import (
    AlreadyRunning,
    Claim,
    holder,
    terminate,
    wait_until_gone,
)
from gitstate.errors import CannotWrite
from tests.support import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOLD = """
import sys, signal
from pathlib import Path
from gitstate.daemon.instance import Claim
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
with Claim(Path(sys.argv[1])):
    print("held", flush=True)
    signal.pause()
"""


@pytest.fixture
def other(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that is the daemon of ``tmp_path``."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == b"held\n"
        yield process
    process.kill()
    process.wait()


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(["sleep", "60"])
    yield process
    process.kill()
    process.wait()


def test_nobody_is_the_daemon_where_nothing_is(tmp_path: Path) -> None:
    assert holder(tmp_path) is None
    assert holder(tmp_path / "absent") is None


def test_the_kernel_names_the_holder(
    tmp_path: Path, other: subprocess.Popen[bytes]
) -> None:
    assert holder(tmp_path) == other.pid
    with pytest.raises(AlreadyRunning, match=f"running already .process {other.pid}"):
        Claim(tmp_path).take()
    assert terminate(tmp_path, other.pid)
    assert wait_until_gone(tmp_path, other.pid, timeout_s=10)
    assert other.wait(10) == 0
    with Claim(tmp_path):
        assert holder(tmp_path) == os.getpid()
    assert holder(tmp_path) is None


def test_a_killed_holder_leaves_nothing_behind(
    tmp_path: Path, other: subprocess.Popen[bytes]
) -> None:
    other.kill()
    other.wait()
    assert holder(tmp_path) is None
    with Claim(tmp_path):
        pass


@pytest.mark.report(20)
def test_a_stranger_in_the_pid_file_is_neither_believed_nor_signalled(
    tmp_path: Path, stranger: subprocess.Popen[bytes]
) -> None:
    (tmp_path / "daemon.pid").write_text(f"{stranger.pid}\n")
    assert holder(tmp_path) is None
    assert not terminate(tmp_path, stranger.pid)
    with Claim(tmp_path):
        assert not terminate(tmp_path, stranger.pid)
    assert stranger.poll() is None


@pytest.mark.report(20)
def test_a_holder_that_the_file_does_not_name_is_found(
    tmp_path: Path, other: subprocess.Popen[bytes], stranger: subprocess.Popen[bytes]
) -> None:
    (tmp_path / "daemon.pid").write_text(f"{stranger.pid}\n")
    assert holder(tmp_path) == other.pid
    assert terminate(tmp_path, other.pid)
    assert other.wait(10) == 0
    assert stranger.poll() is None


def test_either_lock_is_enough_to_refuse(
    tmp_path: Path, other: subprocess.Popen[bytes]
) -> None:
    (tmp_path / "daemon.pid").unlink()
    with pytest.raises(AlreadyRunning, match=r"running already$"):
        Claim(tmp_path).take()
    (tmp_path / "daemon.pid").unlink()
    other.terminate()
    other.wait(10)


def test_a_lost_lock_file_does_not_make_two(
    tmp_path: Path, other: subprocess.Popen[bytes]
) -> None:
    (tmp_path / "daemon.lock").unlink()
    with pytest.raises(AlreadyRunning, match=f"process {other.pid}"):
        Claim(tmp_path).take()


def test_only_a_process_that_is_there_is_signalled(tmp_path: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    for pid in (gone.pid, 0, -1, os.getpid()):
        assert not terminate(tmp_path, pid)


def test_a_stopped_holder_is_still_the_holder(
    tmp_path: Path, other: subprocess.Popen[bytes]
) -> None:
    other.send_signal(signal.SIGSTOP)
    assert holder(tmp_path) == other.pid
    assert terminate(tmp_path, other.pid)
    assert not wait_until_gone(tmp_path, other.pid, timeout_s=0.1)
    other.send_signal(signal.SIGCONT)
    assert wait_until_gone(tmp_path, other.pid, timeout_s=10)


def test_a_lost_lock_file_is_noticed_and_a_lost_pid_file_made_anew(
    tmp_path: Path,
) -> None:
    with Claim(tmp_path) as claim:
        assert claim.holds()
        (tmp_path / "daemon.pid").unlink()
        assert claim.holds()
        asked = subprocess.run(
            [sys.executable, "-c", ASK, str(tmp_path)], capture_output=True, check=True
        )
        assert int(asked.stdout) == os.getpid()
        # read by another process: to close the file here would let go of the lock
        text = subprocess.run(
            ["cat", tmp_path / "daemon.pid"], capture_output=True, check=True
        )
        assert int(text.stdout) == os.getpid()
        (tmp_path / "daemon.lock").unlink()
        assert not claim.holds()


ASK = """
import sys
from pathlib import Path
from gitstate.daemon.instance import holder
print(holder(Path(sys.argv[1])))
"""


def test_of_eight_one_wins(tmp_path: Path) -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-c", HOLD, str(tmp_path)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(8)
    ]
    wait_for(lambda: sum(process.poll() is None for process in running) == 1)
    winner = next(process for process in running if process.poll() is None)
    wait_for(lambda: holder(tmp_path) == winner.pid)
    assert terminate(tmp_path, winner.pid)
    assert winner.wait(10) == 0


@pytest.mark.parametrize("name", ["daemon.lock", "daemon.pid"])
def test_a_link_in_the_place_of_a_lock_is_refused(tmp_path: Path, name: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    home = tmp_path / "home"
    home.mkdir()
    (home / name).symlink_to(victim)
    with pytest.raises(CannotWrite, match="cannot take the daemon's lock"):
        Claim(home).take()
    assert victim.read_text() == "precious"
    assert holder(home) is None
