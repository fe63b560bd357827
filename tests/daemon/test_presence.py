from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitstate.daemon.instance import Claim
from gitstate.daemon.presence import SILENT_S, Presence, Tending, presence

if TYPE_CHECKING:
    from collections.abc import Iterator

ROW = {
    "root": "/a\n\udcff",
    "watching": True,
    "mode": "watch",
    "last_scan": 1_000_000_000.0,
    "version": 7,
    "healthy": True,
    "problem": None,
}


@pytest.fixture
def claimed(tmp_path: Path) -> Iterator[Path]:
    with Claim(tmp_path):
        yield tmp_path


def beat(home: Path, **changes: object) -> None:
    document = {
        "pid": os.getpid(),
        "version": "1.2.3",
        "executable": "/python",
        "repositories": [ROW],
        **changes,
    }
    (home / "heartbeat.json").write_text(json.dumps(document))


def test_no_daemon_whatever_its_heartbeat_says(tmp_path: Path) -> None:
    beat(tmp_path)
    assert presence(tmp_path) == Presence(running=False)
    assert presence(tmp_path / "absent") == Presence(running=False)


def test_a_daemon_that_has_just_begun(claimed: Path) -> None:
    assert presence(claimed) == Presence(running=True, pid=os.getpid())
    beat(claimed, pid=1)  # the heartbeat of the one before
    assert presence(claimed) == Presence(running=True, pid=os.getpid())


def test_what_it_tells(claimed: Path) -> None:
    beat(claimed)
    now = presence(claimed)
    assert now.heartbeat_age_s is not None
    assert now.heartbeat_age_s < 10
    tending = now.of(Path(str(ROW["root"])))
    assert tending is not None
    assert tending.last_scan_age_s is not None
    assert abs(tending.last_scan_age_s - (time.time() - 1_000_000_000)) < 10
    assert now == Presence(
        running=True,
        pid=os.getpid(),
        version="1.2.3",
        executable="/python",
        heartbeat_age_s=now.heartbeat_age_s,
        repositories=(
            Tending(
                root="/a\n\udcff",
                watching=True,
                mode="watch",
                last_scan_age_s=tending.last_scan_age_s,
                version=7,
                healthy=True,
                problem=None,
            ),
        ),
    )
    assert now.of(Path("/other")) is None
    document = json.loads(json.dumps(now.as_json()))
    assert set(document) == {
        "running",
        "pid",
        "version",
        "executable",
        "heartbeat_age_s",
        "repositories",
    }
    assert {**ROW, "last_scan_age_s": tending.last_scan_age_s} == {
        **document["repositories"][0],
        "last_scan": ROW["last_scan"],
    }


@pytest.mark.report(19)
def test_a_silent_daemon_is_not_healthy(claimed: Path) -> None:
    beat(claimed)
    moment = time.time() - SILENT_S - 5
    os.utime(claimed / "heartbeat.json", (moment, moment))
    (tending,) = presence(claimed).repositories
    assert not tending.healthy
    assert not tending.watching
    assert tending.problem == f"the daemon has not answered for {int(SILENT_S) + 5} s"


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        b'{"pid": "x"}',
        b'{"pid": PID}',
        b'{"pid": PID, "version": 3, "repositories": 7}',
        b'{"pid": PID, "repositories": [7, {}, {"root": 7, "version": "x"}]}',
        b'{"pid": PID, "repositories": [{"last_scan": true, "mode": []}]}',
    ],
)
def test_a_hostile_heartbeat_is_no_failure(claimed: Path, text: bytes) -> None:
    (claimed / "heartbeat.json").write_bytes(text.replace(b"PID", b"%d" % os.getpid()))
    now = presence(claimed)
    assert now.running
    assert now.version is None
    assert all(not row.watching and not row.healthy for row in now.repositories)


def test_asking_is_cheap() -> None:
    code = (
        "import sys; from gitstate.daemon.presence import presence; presence();"
        "print([name for name in ('watchdog', 'apscheduler', 'pygit2', 'click')"
        " if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout == b"[]\n"
