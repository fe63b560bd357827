from __future__ import annotations

import os
import shutil
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from watchdog.observers.inotify_c import InotifyFD

from gitstate.daemon.hints import UnwatchableError
from gitstate.daemon.inotify import Inotify
from tests.daemon.watches import (
    arm,
    hears,
    is_deaf_to,
    settle,
    state_directory,
    watched,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def inotify() -> Iterator[Inotify]:
    if sys.platform != "linux":
        pytest.skip("inotify is Linux's")
    made = Inotify()
    yield made
    made.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return state_directory(tmp_path)


@pytest.mark.report(19)
def test_a_root_that_moved_away_and_back_is_heard_again(
    inotify: Inotify, root: Path
) -> None:
    watch = watched(inotify, root)
    away = root.with_name("away")
    hears(watch, lambda: root.rename(away))
    arm(watch, root)
    is_deaf_to(watch, lambda: (away / "02-current-task.md").write_text("not ours"))
    hears(watch, lambda: away.rename(root))
    assert arm(watch, root) == 2
    hears(watch, lambda: (root / "02-current-task.md").write_text("ours"))


@pytest.mark.report(19)
def test_churn_of_folders_ends_with_every_folder_watched(
    inotify: Inotify, root: Path
) -> None:
    watch = watched(inotify, root)
    for number in range(300):
        folder = root / f"f{number}"
        folder.mkdir()
        if number % 3:
            folder.rename(root / f"g{number % 7}-{number}")
        if number % 5 == 0:
            shutil.rmtree(folder, ignore_errors=True)
        if number % 10 == 0:
            arm(watch, root)
    settle(watch)
    arm(watch, root)
    assert arm(watch, root) == 0
    for folder in sorted(root.iterdir())[::20]:
        if folder.is_dir():
            hears(watch, (folder / "file").touch)


def test_a_folder_that_does_not_exist_yet_is_awaited(
    inotify: Inotify, tmp_path: Path
) -> None:
    top = tmp_path / "repo"
    root = top / "docs" / "state"
    top.mkdir()
    watch = inotify.watch(os.fsencode(root), os.fsencode(top), lambda: None)
    assert arm(watch, root) == 0
    assert watch.alive()
    is_deaf_to(watch, (top / "code").touch)
    hears(watch, (top / "docs").mkdir)
    arm(watch, root)
    hears(watch, root.mkdir)
    assert arm(watch, root) == 1


def test_neighbours_of_the_root_wake_nobody(inotify: Inotify, root: Path) -> None:
    watch = watched(inotify, root)
    is_deaf_to(watch, lambda: (root.parent / "code.py").write_text("x"))
    is_deaf_to(watch, (root.parent / "build").mkdir)


def test_two_repositories_may_share_a_folder(inotify: Inotify, root: Path) -> None:
    inner = root / "inner" / "state"
    inner.mkdir(parents=True)
    outer_watch = watched(inotify, root)
    inner_watch = watched(inotify, inner)
    hears(outer_watch, lambda: (inner / "file").write_text("x"))
    hears(inner_watch, lambda: (inner / "file").write_text("y"))
    outer_watch.close()
    hears(inner_watch, lambda: (inner / "file").write_text("z"))


def test_a_lost_queue_is_a_hint(inotify: Inotify, root: Path) -> None:
    watch = watched(inotify, root)
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    told = threading.Event()
    reached = threading.Event()
    held = threading.Event()

    class Slow:
        """A neighbour that holds the reader up until the queue is full."""

        def on_event(self, _: object) -> None:
            reached.set()
            held.wait(100)

        def on_watch_deleted(self, _: object) -> None: ...

        def on_queue_overflow(self) -> None:
            told.set()

    busy = root.parent / "busy"
    busy.mkdir()
    reader = inotify.reader()
    reader.add_callback(os.fsencode(busy), 0x100, Slow(), 1)  # type: ignore[arg-type]
    (busy / "first").touch()
    assert reached.wait(20)
    for number in range(limit + 100):
        (busy / str(number)).touch()
    before = watch.events
    held.set()
    assert told.wait(60)
    assert watch.events > before


def test_a_dead_reader_is_noticed_and_replaced(inotify: Inotify, root: Path) -> None:
    watch = watched(inotify, root)
    assert inotify.alive()
    reader = inotify.reader()
    reader.stop()
    reader.join()
    assert not inotify.alive()
    assert not watch.alive()
    assert arm(watch, root) == 2
    assert watch.alive()
    hears(watch, lambda: (root / "02-current-task.md").write_text("x"))


def test_no_instance_left_is_said(
    inotify: Inotify, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object = None) -> int:
        raise OSError(24, "inotify instance limit reached")

    monkeypatch.setattr(InotifyFD, "_create_inotify_fd", refuse)
    with pytest.raises(UnwatchableError, match="max_user_instances"):
        watched(inotify, root)


def test_no_watch_left_is_said_and_nothing_stays_half_watched(
    inotify: Inotify, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [2]
    add = InotifyFD.add_callback

    def scarce(*args: object) -> object:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "inotify watch limit reached")
        return add(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(InotifyFD, "add_callback", scarce)
    watch = inotify.watch(os.fsencode(root), os.fsencode(root.parent), lambda: None)
    with pytest.raises(UnwatchableError, match="max_user_watches"):
        arm(watch, root)
    assert not watch.alive()
    left[0] = 1000
    assert arm(watch, root) == 2
    assert watch.alive()
