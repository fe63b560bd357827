from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING

import pytest

from gitstate.daemon import hearing
from gitstate.daemon import scan as scan_module
from gitstate.daemon.hearing import POLL_S
from gitstate.daemon.inotify import Inotify
from gitstate.daemon.logs import Log, tail
from gitstate.daemon.registry import Entry
from gitstate.daemon.taking import Report
from gitstate.daemon.tending import Tended
from gitstate.workspace import Workspace
from tests.daemon.fakes import Deaf, Outcome, Refusal, Taking
from tests.support import Repo, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Clock:
    now = 10_000.0

    def __call__(self) -> float:
        return self.now


class Stage:
    """One tended worktree; its clock stands still unless it is moved."""

    def __init__(self, repo: Repo, home: Path, watcher: Inotify | Deaf) -> None:
        self.repo = repo
        self.home = home
        self.watcher = watcher
        self.take = Taking()
        self.clock = Clock()
        repo.git("config", "gitstate.scanSeconds", "32")
        self.tended = Tended(
            Entry.of(Workspace.open(repo.path)),
            watcher=watcher,
            take=self.take,
            log=Log(home),
            wake=lambda: None,
            clock=self.clock,
            gone_s=60.0,
        )

    def look(self, **words: bool) -> float:
        """Look once; returns the seconds until the next look is due."""
        self.tended.look(hinted=self.tended.begin(), **words)
        return self.tended.due() - self.clock.now

    def said(self, *events: str) -> list[str]:
        return [
            row["message"] for row in tail(self.home, 100) if row["event"] in events
        ]

    @property
    def report(self) -> Report:
        return self.tended.report()


@pytest.fixture
def inotify() -> Iterator[Inotify]:
    made = Inotify()
    yield made
    made.close()


@pytest.fixture
def stage(repo: Repo, tmp_path: Path, inotify: Inotify) -> Stage:
    repo.write("02-current-task.md", "one")
    return Stage(repo, tmp_path, inotify)


@pytest.fixture
def deaf(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setattr(hearing, "_HEARING_S", 0.05)
    repo.write("02-current-task.md", "one")
    return Stage(repo, tmp_path, Deaf())


@pytest.fixture
def nothing_is_young(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_module, "_YOUNG_NS", -(10**18))


def test_the_first_look_takes_whatever_is_there(stage: Stage) -> None:
    assert 0 < stage.look() <= 32
    assert stage.take.newest(stage.repo.path) == {"02-current-task.md": b"one"}
    assert stage.report == Report(
        root=str(stage.repo.path),
        watching=True,
        mode="watch",
        last_scan=stage.tended.last_scan,
        version=1,
        healthy=True,
        problem=None,
    )
    assert time.time() - (stage.report.last_scan or 0) < 10


@pytest.mark.usefixtures("nothing_is_young")
def test_a_scan_without_a_change_takes_nothing(stage: Stage) -> None:
    for _ in range(4):
        stage.look()
    assert len(stage.take.calls) == 1


def test_what_is_young_is_taken_again_at_the_next_scan(stage: Stage) -> None:
    stage.look()
    stage.look()
    assert len(stage.take.calls) == 2


@pytest.mark.usefixtures("nothing_is_young")
def test_a_hint_takes_even_when_the_scan_sees_nothing(stage: Stage) -> None:
    stage.look()
    stage.tended.look(hinted=True)
    assert len(stage.take.calls) == 2


def test_scans_of_all_worktrees_fall_together(stage: Stage) -> None:
    for moment in (10_000.0, 10_003.25, 10_007.5):
        stage.clock.now = moment
        assert stage.clock.now + stage.look() == 10_016.0  # 32 * 313


def test_many_files_do_not_take_much_of_a_core(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent = iter(range(100))
    monkeypatch.setattr(time, "thread_time", lambda: float(next(spent)))
    assert stage.look() == 100.0


def test_an_edit_is_a_hint(stage: Stage) -> None:
    stage.look()
    stage.repo.write("02-current-task.md", "two")
    wait_for(stage.tended.begin)


def test_a_hint_is_due_after_the_quiet_time(deaf: Stage) -> None:
    deaf.look()
    watcher = deaf.watcher
    assert isinstance(watcher, Deaf)
    (watch,) = watcher.watches
    assert deaf.tended.due() == 10_016.0
    watch.hear()
    watch.heard_at = 10_001.0
    assert deaf.tended.due() == pytest.approx(10_001.3)
    watch.heard_at = 10_001.2
    assert deaf.tended.due() == pytest.approx(10_001.5)
    watch.heard_at = 10_002.9
    assert deaf.tended.due() == pytest.approx(10_003.0)
    assert deaf.tended.begin()
    assert not deaf.tended.begin()
    assert deaf.tended.due() == 10_016.0


@pytest.mark.usefixtures("nothing_is_young")
@pytest.mark.parametrize(
    "open_end",
    [
        Outcome(version=1, vanished=(b"a.md",)),
        Outcome(version=1, skipped=("big.bin",)),
        Outcome(version=1, notices=("the branch is checked out",)),
    ],
)
def test_what_is_held_or_waits_is_tried_at_every_scan(
    stage: Stage, open_end: Outcome
) -> None:
    stage.take.answers[stage.repo.path] = open_end
    for _ in range(3):
        stage.look()
    assert len(stage.take.calls) == 3
    stage.take.answers[stage.repo.path] = Outcome(version=1)
    for _ in range(3):
        stage.look()
    assert len(stage.take.calls) == 4


def test_a_notice_is_a_problem_but_not_ill_health(stage: Stage) -> None:
    stage.take.answers[stage.repo.path] = Outcome(version=1, notices=("it waits",))
    stage.look()
    stage.look()
    assert (stage.report.healthy, stage.report.problem) == (True, "it waits")
    assert stage.said("notice") == ["it waits"]


@pytest.mark.report(8)
def test_a_failure_is_said_once_and_tried_again_ever_more_seldom(stage: Stage) -> None:
    stage.take.refuse[stage.repo.path] = Refusal("the ref is locked")
    pauses = [stage.look() for _ in range(8)]
    assert pauses == [1, 2, 4, 8, 16, 32, 32, 32]
    assert (stage.report.healthy, stage.report.problem) == (False, "the ref is locked")
    assert stage.said("problem") == ["the ref is locked"]
    stage.take.refuse[stage.repo.path] = Refusal("the disk is full")
    stage.look()
    del stage.take.refuse[stage.repo.path]
    stage.look()
    assert (stage.report.healthy, stage.report.problem) == (True, None)
    assert stage.said("problem") == [
        "the ref is locked",
        "the disk is full",
        "well again",
    ]


def test_a_bug_is_reported_without_its_values(stage: Stage) -> None:
    stage.take.refuse[stage.repo.path] = ValueError("a secret of the state")
    stage.look()
    (line,) = stage.said("problem")
    assert line.startswith("a bug of gitstate: ValueError")
    assert "secret" not in line
    assert "report:" in line


def test_news_is_told_once(stage: Stage) -> None:
    stage.look()
    assert stage.tended.take_news()
    stage.look()
    assert not stage.tended.take_news()
    stage.take.refuse[stage.repo.path] = Refusal("no")
    stage.look()
    assert stage.tended.take_news()


def test_settings_change_the_pace(stage: Stage) -> None:
    stage.look()
    stage.repo.git("config", "gitstate.scanSeconds", "4")
    stage.repo.git("config", "gitstate.unknownKey", "4")
    assert 0 < stage.look() <= 4
    (warning,) = stage.said("settings")
    assert "unknownkey" in warning


def test_another_state_directory_is_watched_from_then_on(stage: Stage) -> None:
    stage.look()
    other = stage.repo.path / "docs" / "state"
    stage.repo.git("config", "gitstate.dir", "docs/state")
    stage.look()
    other.mkdir(parents=True)
    wait_for(stage.tended.begin)
    stage.look()
    (other / "a.md").write_text("a")
    wait_for(stage.tended.begin)
    stage.look()
    assert stage.take.newest(stage.repo.path) == {"a.md": b"a"}


# a file system that tells nothing


@pytest.mark.usefixtures("nothing_is_young")
def test_a_deaf_watch_is_found_out_by_the_scan(deaf: Stage) -> None:
    deaf.look()
    assert (deaf.report.mode, deaf.report.watching) == ("watch", True)
    deaf.repo.write("02-current-task.md", "two")
    assert deaf.look() == POLL_S
    assert deaf.take.newest(deaf.repo.path) == {"02-current-task.md": b"two"}
    assert (deaf.report.mode, deaf.report.watching) == ("poll", False)
    assert deaf.report.healthy
    deaf.repo.write("02-current-task.md", "three")
    assert deaf.look() == POLL_S
    assert deaf.said("watch") == [
        "its file system tells nothing of changes: looking every 2 s instead"
    ]
    watcher = deaf.watcher
    assert isinstance(watcher, Deaf)
    assert [watch.closed for watch in watcher.watches] == [True]


def test_watches_that_cannot_be_had_are_said_once_and_tried_again(deaf: Stage) -> None:
    watcher = deaf.watcher
    assert isinstance(watcher, Deaf)
    watcher.unwatchable = "the limit of watches is reached"
    assert [deaf.look(), deaf.look()] == [POLL_S, POLL_S]
    assert (deaf.report.mode, deaf.report.watching) == ("poll", False)
    watcher.unwatchable = None
    assert deaf.look() > POLL_S
    assert (deaf.report.mode, deaf.report.watching) == ("watch", True)
    assert deaf.said("watch") == [
        "no events (the limit of watches is reached): looking every 2 s instead",
        "watching again",
    ]


# what is not there


def test_a_state_directory_that_comes_back_is_watched_again(stage: Stage) -> None:
    stage.look()
    shutil.rmtree(stage.repo.state)
    stage.look()
    assert stage.report.watching
    stage.repo.write("02-current-task.md", "back")
    wait_for(stage.tended.begin)
    stage.look()
    assert stage.take.newest(stage.repo.path) == {"02-current-task.md": b"back"}
    stage.look()
    assert stage.said("watch", "problem") == []


def test_a_repository_is_gone_only_after_a_while(stage: Stage) -> None:
    stage.look()
    away = stage.repo.path.with_name("away")
    stage.repo.path.rename(away)
    stage.look()
    assert not stage.report.healthy
    stage.clock.now += 59
    stage.look()
    assert not stage.tended.gone
    away.rename(stage.repo.path)
    stage.look()
    assert stage.report.healthy
    assert stage.report.watching
    shutil.rmtree(stage.repo.path)
    stage.look()
    stage.clock.now += 59
    stage.look()
    assert not stage.tended.gone
    stage.clock.now += 2
    stage.look()
    assert stage.tended.gone


def test_the_last_look_needs_no_watch(stage: Stage) -> None:
    stage.look(leaving=True)
    assert stage.take.newest(stage.repo.path) == {"02-current-task.md": b"one"}
    assert stage.report.mode == "poll"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_worktree_that_cannot_be_read_is_kept(stage: Stage) -> None:
    stage.look()
    parent = stage.repo.path.parent
    mode = parent.stat().st_mode
    parent.chmod(0)
    try:
        stage.look()
        stage.clock.now += 1000
        stage.look()
        assert not stage.tended.gone
        assert "permission denied" in (stage.report.problem or "")
    finally:
        parent.chmod(mode)
