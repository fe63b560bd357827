from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from gitstate.daemon.surroundings import scrubbed, stopped_by_signals

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.report(7)
def test_only_what_a_daemon_needs_is_kept() -> None:
    kept = {
        "HOME": "/home/a",
        "PATH": "/bin",
        "USER": "a",
        "LOGNAME": "a",
        "LANG": "C",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "TMPDIR": "/t",
        "XDG_STATE_HOME": "/s",
        "XDG_RUNTIME_DIR": "/r",
        "GITSTATE_QUIET_MS": "50",
    }
    dropped = {
        "GIT_DIR": "/x",
        "GIT_INDEX_FILE": "index.lock",
        "GIT_CONFIG_GLOBAL": "/x",
        "GITSTATE_NOW": "2026-01-01T00:00:00+00:00",
        "GITSTATE_SKIP": "1",
        "CLAUDECODE": "1",
        "ANTHROPIC_API_KEY": "secret",
        "PYTHONPATH": "/x",
        "LD_PRELOAD": "x.so",
        "SSH_AUTH_SOCK": "/x",
        "OLDPWD": "/x",
    }
    assert scrubbed({**kept, **dropped}) == kept


LEAVE = """
import os, signal, sys
from gitstate.daemon.surroundings import leave_behind
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
os.umask(int(sys.argv[1], 8))
leave_behind()
print(os.getcwd(), oct(os.umask(0)), signal.pthread_sigmask(signal.SIG_BLOCK, ()))
print(sorted(os.environ))
"""


@pytest.mark.parametrize(
    ("mask", "then"), [("0", "0o22"), ("22", "0o22"), ("27", "0o27"), ("77", "0o77")]
)
def test_what_is_left_behind(tmp_path: Path, mask: str, then: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LEAVE, mask],
        cwd=tmp_path,
        env={"HOME": "/h", "GIT_DIR": "/x", "PATH": "/bin", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"/ {then} set()\n['HOME', 'LC_ALL', 'PATH']\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_stops_and_wakes(number: signal.Signals) -> None:
    read, write = os.pipe()
    os.set_blocking(read, False)
    os.set_blocking(write, False)
    stopped = threading.Event()
    before = signal.getsignal(number)
    try:
        with stopped_by_signals(stopped.set, write):
            os.kill(os.getpid(), number)
            assert stopped.wait(10)
            assert os.read(read, 10) == bytes([number])
        assert signal.getsignal(number) is before
    finally:
        os.close(read)
        os.close(write)
