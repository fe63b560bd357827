"""When a file need not be read again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from gitstate.history.cache import RECHECK_S, SETTLED_S, Cache
from gitstate.history.directory import Scan, scan

if TYPE_CHECKING:
    from pathlib import Path


class Clock:
    """A monotonic clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir()
    (folder / "02-current-task.md").write_text("one\n")
    return folder


def look(state: Path, cache: Cache, object_format: str = "sha1") -> Scan:
    return scan(state, object_format=object_format, max_file_size=1 << 20, cache=cache)


def was_read(found: Scan) -> bool:
    return found.files[b"02-current-task.md"].data is not None


def test_a_file_is_trusted_after_a_second_reading_and_not_for_ever(
    state: Path, clock: Clock
) -> None:
    cache = Cache(clock)
    expected = look(state, cache).files[b"02-current-task.md"]
    assert was_read(look(state, cache))  # in the same moment as the first
    clock.now += SETTLED_S - 0.01
    assert was_read(look(state, cache))  # still too soon
    clock.now += 0.02
    assert was_read(look(state, cache))  # the reading that counts
    found = look(state, cache)
    assert not was_read(found)
    trusted = found.files[b"02-current-task.md"]
    assert (trusted.mode, trusted.id) == (expected.mode, expected.id)
    clock.now += RECHECK_S + 0.01
    assert was_read(look(state, cache))
    assert not was_read(look(state, cache))


def test_the_same_size_and_time_stamp_within_one_tick_is_not_missed(
    state: Path, clock: Clock
) -> None:
    cache = Cache(clock)
    path = state / "02-current-task.md"
    look(state, cache)
    before = path.stat()
    path.write_text("two\n")  # a second write in the tick of the first
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert look(state, cache).files[b"02-current-task.md"].data == b"two\n"


@pytest.mark.parametrize("change", ["bytes", "mode", "inode", "times", "format"])
def test_every_sign_of_a_change_is_believed(
    state: Path, clock: Clock, change: str
) -> None:
    cache = Cache(clock)
    path = state / "02-current-task.md"
    look(state, cache)
    clock.now += SETTLED_S
    look(state, cache)
    assert not was_read(look(state, cache))
    if change == "bytes":
        path.write_text("two\n")
    elif change == "mode":
        path.chmod(0o755)
    elif change == "inode":
        (state / "other").write_text("one\n")
        (state / "other").rename(path)
    elif change == "times":
        os.utime(path, ns=(0, 0))
    assert was_read(look(state, cache, "sha256" if change == "format" else "sha1"))


def test_a_changed_file_is_learned_anew(state: Path, clock: Clock) -> None:
    cache = Cache(clock)
    look(state, cache)
    clock.now += SETTLED_S
    look(state, cache)
    (state / "02-current-task.md").write_text("two\n")
    look(state, cache)
    assert was_read(look(state, cache))
    clock.now += SETTLED_S
    look(state, cache)
    assert not was_read(look(state, cache))


def test_a_path_that_is_gone_is_forgotten(state: Path, clock: Clock) -> None:
    cache = Cache(clock)
    look(state, cache)
    clock.now += SETTLED_S
    look(state, cache)
    path = state / "02-current-task.md"
    path.rename(state.parent / "away")
    assert look(state, cache).files == {}
    (state.parent / "away").rename(path)
    assert was_read(look(state, cache))


def test_a_lower_limit_counts_for_what_is_known_too(state: Path, clock: Clock) -> None:
    cache = Cache(clock)
    look(state, cache)
    clock.now += SETTLED_S
    look(state, cache)
    found = scan(state, object_format="sha1", max_file_size=3, cache=cache)
    assert found.files == {}
    assert [row.reason for row in found.skipped] == ["larger than the limit of 3 bytes"]
