"""What holds for every watcher."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from gitstate.daemon.inotify import Inotify
from gitstate.daemon.observing import Observing
from gitstate.daemon.watching import make_watcher
from gitstate.workspace import SCRATCH
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
    from pathlib import Path

    from gitstate.daemon.hints import Watcher

LINUX = sys.platform == "linux"


@pytest.fixture(params=[Inotify, Observing] if LINUX else [Observing])
def watcher(request: pytest.FixtureRequest) -> Iterator[Watcher]:
    made: Watcher = request.param()
    yield made
    made.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return state_directory(tmp_path)


def save(path: Path, text: str) -> None:
    beside = path.with_name("beside")
    beside.write_text(text)
    beside.replace(path)


def test_every_kind_of_change_is_heard(watcher: Watcher, root: Path) -> None:
    task = root / "02-current-task.md"
    watch = watched(watcher, root)
    hears(watch, lambda: task.write_text("more"))
    hears(watch, lambda: save(task, "saved"))
    hears(watch, (root / "archive" / "old.md").touch)
    hears(watch, task.unlink)
    hears(watch, (root / "resolved").mkdir)
    assert watch.alive()


def test_reads_and_the_scratch_folder_wake_nobody(watcher: Watcher, root: Path) -> None:
    watch = watched(watcher, root)
    is_deaf_to(watch, (root / "02-current-task.md").read_text)
    is_deaf_to(watch, (root / SCRATCH).mkdir)
    arm(watch, root)
    is_deaf_to(watch, lambda: list(root.iterdir()))
    is_deaf_to(watch, lambda: (root / SCRATCH / "displaced").write_text("x"))


def test_the_waker_is_called_once_until_it_is_noticed(
    watcher: Watcher, root: Path
) -> None:
    woken = threading.Semaphore(0)
    watch = watcher.watch(os.fsencode(root), os.fsencode(root.parent), woken.release)
    arm(watch, root)
    for number in range(20):
        (root / "02-current-task.md").write_text(str(number))
    assert woken.acquire(timeout=10)
    settle(watch)
    assert watch.pending
    assert not woken.acquire(blocking=False)
    watch.pending = False
    hears(watch, lambda: (root / "02-current-task.md").write_text("again"))
    assert woken.acquire(timeout=10)


def test_a_closed_watch_hears_nothing(watcher: Watcher, root: Path) -> None:
    watch = watched(watcher, root)
    watch.close()
    assert not watch.alive()
    is_deaf_to(watch, lambda: (root / "02-current-task.md").write_text("x"))


@pytest.mark.report(19)
def test_a_replaced_root_is_heard_again(watcher: Watcher, root: Path) -> None:
    watch = watched(watcher, root)

    def replace() -> None:
        shutil.rmtree(root)
        root.mkdir()

    hears(watch, replace)
    settle(watch)
    assert arm(watch, root) == 1
    assert watch.alive()
    hears(watch, lambda: (root / "new.md").write_text("x"))


def test_the_watcher_of_this_system(root: Path) -> None:
    watcher = make_watcher()
    watch = watched(watcher, root)
    hears(watch, lambda: (root / "02-current-task.md").write_text("x"))
    watcher.close()
