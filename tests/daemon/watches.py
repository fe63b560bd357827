"""Watches of real directories, and what is heard of them."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from gitstate.daemon.scan import scan
from tests.support import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gitstate.daemon.hints import Watch, Watcher


def state_directory(tmp_path: Path) -> Path:
    """A state directory with a file and a subfolder, in a folder of its own."""
    root = tmp_path / "repo" / ".agent-state"
    (root / "archive").mkdir(parents=True)
    (root / "02-current-task.md").write_text("task")
    return root


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
