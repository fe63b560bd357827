from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING

import pytest

from gitstate.daemon import hearing as hearing_module
from gitstate.daemon.hearing import Hearing
from gitstate.daemon.logs import Log, Teller, tail
from tests.daemon.fakes import Deaf, DeafWatch
from tests.daemon.watches import state_directory

if TYPE_CHECKING:
    from pathlib import Path


class Stage:
    """One state directory that is listened to in vain."""

    def __init__(self, tmp_path: Path) -> None:
        self.home = tmp_path
        self.root = state_directory(tmp_path)
        self.task = self.root / "02-current-task.md"
        self.watcher = Deaf()
        self.hearing = Hearing(
            watcher=self.watcher,
            wake=lambda: None,
            teller=Teller(Log(tmp_path), self.root),
        )

    def scan(self, root: Path | None = None) -> bool:
        """Scan; did something change of which nothing was heard."""
        root = root or self.root
        return self.hearing.scan(os.fsencode(root), os.fsencode(root.parent))[1]

    @property
    def watch(self) -> DeafWatch:
        return self.watcher.watches[-1]

    def said(self) -> list[str]:
        return [row["message"] for row in tail(self.home, 100)]


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setattr(hearing_module, "_HEARING_S", 0.05)
    return Stage(tmp_path)


def test_every_folder_is_watched_before_the_scan_that_counts(stage: Stage) -> None:
    assert not stage.hearing.hears
    found, unheard = stage.hearing.scan(
        os.fsencode(stage.root), os.fsencode(stage.root.parent)
    )
    assert not unheard
    assert stage.watch.armed == set(found.directories)
    assert len(found.directories) == 2
    assert stage.hearing.hears


def test_a_hint_is_noticed_once(stage: Stage) -> None:
    assert stage.hearing.notice() is None
    stage.scan()
    assert stage.hearing.pending is None
    stage.watch.hear()
    assert stage.hearing.pending == stage.watch.heard_at
    assert stage.hearing.notice() == stage.watch.heard_at
    assert stage.hearing.notice() is None


def test_a_change_that_was_heard_is_no_surprise(stage: Stage) -> None:
    stage.scan()
    stage.task.write_text("something else")
    stage.watch.hear()
    assert not stage.scan()
    stage.task.write_text("yet something else")
    assert stage.scan()


def test_who_hears_nothing_of_a_change_is_deaf(stage: Stage) -> None:
    stage.scan()
    stage.task.write_text("something else")
    assert stage.scan()
    stage.hearing.check()
    assert not stage.hearing.hears
    assert stage.watch.closed
    stage.task.write_text("yet something else")
    assert not stage.scan()
    assert stage.said() == [
        "its file system tells nothing of changes: looking every 2 s instead"
    ]


def test_an_event_that_comes_late_is_an_event(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hearing_module, "_HEARING_S", 20.0)
    stage.scan()
    stage.task.write_text("something else")
    assert stage.scan()
    monkeypatch.setattr(time, "sleep", lambda _: stage.watch.hear())
    stage.hearing.check()
    assert stage.hearing.hears


def test_a_new_link_elsewhere_is_no_proof_of_deafness(
    stage: Stage, tmp_path: Path
) -> None:
    stage.scan()
    (tmp_path / "elsewhere").hardlink_to(stage.task)
    assert not stage.scan()


def test_another_directory_is_listened_to_anew(stage: Stage, tmp_path: Path) -> None:
    stage.scan()
    stage.task.write_text("something else")
    assert stage.scan()
    stage.hearing.check()
    other = tmp_path / "other"
    shutil.copytree(stage.root, other)
    assert not stage.scan(other)
    assert stage.hearing.hears
    assert [watch.root for watch in stage.watcher.watches] == [
        os.fsencode(stage.root),
        os.fsencode(other),
    ]


def test_a_dead_watcher_is_not_alive(stage: Stage) -> None:
    assert not stage.hearing.alive()
    stage.scan()
    assert stage.hearing.alive()
    stage.watcher.running = False
    assert not stage.hearing.alive()
    stage.watcher.running = True
    stage.hearing.close()
    assert not stage.hearing.alive()
