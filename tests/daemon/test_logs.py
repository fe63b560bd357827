from __future__ import annotations

import json
import logging
import stat
import threading
from typing import TYPE_CHECKING

from gitstate.daemon.logs import Follower, Log, Teller, library_warnings, tail

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def rows(home: Path) -> list[dict[str, object]]:
    return [
        {key: value for key, value in row.items() if key != "time"}
        for row in tail(home, 1000)
    ]


def test_a_line_is_one_json_object_for_the_user_alone(tmp_path: Path) -> None:
    Log(tmp_path).write("info", "version", "v1", repository="/a\n\udcff", version=1)
    path = tmp_path / "daemon.log"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_bytes().count(b"\n") == 1
    assert rows(tmp_path) == [
        {
            "level": "info",
            "event": "version",
            "message": "v1",
            "repository": "/a\n\udcff",
            "version": 1,
        }
    ]


def test_the_log_is_turned_over_by_size(tmp_path: Path) -> None:
    log = Log(tmp_path, most_bytes=1000, kept=2)
    for number in range(100):
        log.write("info", "version", f"v{number}")
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["daemon.log", "daemon.log.1", "daemon.log.2"]
    assert all(path.stat().st_size <= 1000 for path in tmp_path.iterdir())
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}
    found = [row["message"] for row in tail(tmp_path, 15)]
    assert found == [f"v{number}" for number in range(85, 100)]


def test_many_threads_write_whole_lines(tmp_path: Path) -> None:
    log = Log(tmp_path, most_bytes=20_000, kept=3)

    def write() -> None:
        for _ in range(50):
            log.write("info", "x", "y" * 50)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for path in tmp_path.iterdir():
        for line in path.read_text().splitlines():
            assert json.loads(line)["message"] == "y" * 50


def test_a_log_that_cannot_be_written_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "daemon.log").symlink_to("/etc/hostname")
    Log(tmp_path).write("info", "version", "v1")
    Log(tmp_path / "absent").write("info", "version", "v1")
    assert tail(tmp_path, 5) == []


def test_what_is_no_row_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "daemon.log").write_bytes(b'\xff\n[]\n{"a": 1}\n{"torn": ')
    assert tail(tmp_path, 5) == [{"a": 1}]
    assert tail(tmp_path, 0) == []


def test_a_thing_is_said_once_and_once_that_it_is_over(tmp_path: Path) -> None:
    teller = Teller(Log(tmp_path), tmp_path)
    for text in ("a", "a", "b", "b", None, None, "a"):
        teller.now("problem", text, healed="well again")
    said = [(row["level"], row["message"]) for row in rows(tmp_path)]
    assert said == [
        ("warning", "a"),
        ("warning", "b"),
        ("info", "well again"),
        ("warning", "a"),
    ]


def test_libraries_are_heard_without_their_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logger = logging.getLogger("watchdog.observers.inotify_c")
    with library_warnings(Log(tmp_path)):
        logger.warning("lost below %r", "the text of a secret")
        logger.info("not worth a line")
    assert rows(tmp_path) == [
        {
            "level": "warning",
            "event": "library",
            "message": "lost below %r",
            "library": logger.name,
        }
    ]
    assert capsys.readouterr().err == ""


def test_following_goes_on_across_a_turn_over(tmp_path: Path) -> None:
    log = Log(tmp_path, most_bytes=1000, kept=2)
    log.write("info", "version", "before")
    follower = Follower(tmp_path)
    assert follower.fresh() == []
    seen = []
    for number in range(30):
        log.write("info", "version", f"v{number}")
        if number % 4 == 0:
            seen += follower.fresh()
    seen += follower.fresh()
    assert [row["message"] for row in seen] == [f"v{number}" for number in range(30)]
