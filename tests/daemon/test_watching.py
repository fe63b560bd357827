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
from gitstate.daemon.scan import scan
from gitstate.daemon.watching import Inotify, Observing, make_watcher
from gitstate.workspace import SCRATCH
from tests.support import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitstate.daemon.hints import Watch, Watcher

LINUX = sys.platform == "linux"


@pytest.fixture(params=[Inotify, Observing] if LINUX else [Observing])
def watcher(request: pytest.FixtureRequest) -> Iterator[Watcher]:
    made: Watcher = request.param()
    yield made
    made.close()


@pytest.fixture
def inotify() -> Iterator[Inotify]:
    if not LINUX:
        pytest.skip("inotify is Linux's")
    made = Inotify()
    yield made
    made.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repo" / ".agent-state"
    (folder / "archive").mkdir(parents=True)
    (folder / "02-current-task.md").write_text("task")
    return folder


def arm(watch: Watch, root: Path) -> int:
    return watch.arm(scan(os.fsencode(root)).directories)


def watched(watcher: Watcher, root: Path) -> Watch:
    watch = watcher.watch(
        os.fsencode(root), os.fsencode(root.parent), threading.Event().set
    )
    arm(watch, root)
    return watch


def hears(watch: Watch, act: Callable[[], object]) -> None:
    settle(watch)
    before = watch.events
    act()
    wait_for(lambda: watch.events > before, what="an event")


def settle(watch: Watch) -> None:
    """Wait until nothing more is heard of what was done before."""
    quiet = threading.Event()
    while True:
        before = watch.events
        quiet.wait(0.15)
        if watch.events == before:
            return


def is_deaf_to(watch: Watch, act: Callable[[], object]) -> None:
    settle(watch)
    before = watch.events
    act()
    settle(watch)
    assert watch.events == before


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


def test_the_watcher_of_this_system(root: Path) -> None:
    watcher = make_watcher()
    watch = watched(watcher, root)
    hears(watch, lambda: (root / "02-current-task.md").write_text("x"))
    watcher.close()
