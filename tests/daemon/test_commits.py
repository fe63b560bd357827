from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitstate.daemon import commits as commits_module
from gitstate.daemon import registry
from gitstate.daemon.commits import MARK, SETTLED_S, Commits, birth
from gitstate.daemon.logs import Log, Teller, tail
from gitstate.daemon.watching import make_watcher
from gitstate.errors import LockHeld
from gitstate.history import links, spool
from gitstate.workspace import Workspace
from tests.daemon.fakes import Deaf
from tests.hooks.git.coding import Coder
from tests.support import make_repo, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitstate.daemon.hints import Watcher
    from tests.daemon.conftest import Daemon

NO_HOOKS = ("core.hooksPath=/dev/null",)


class Clock:
    now = 10_000.0

    def __call__(self) -> float:
        return self.now


class Stage:
    """The commits of one worktree, linked by the real thing; the clock stands still."""

    def __init__(self, coder: Coder, home: Path, watcher: Watcher) -> None:
        self.coder = coder
        self.home = home
        self.clock = Clock()
        self.looks: list[bool] = []
        self.refuse: Exception | None = None
        self.meanwhile: Callable[[], None] = lambda: None
        self.commits = Commits(
            watcher=watcher,
            wake=lambda: None,
            link=self.link,
            teller=Teller(Log(home), coder.repo.path),
            clock=self.clock,
        )

    def link(self, ws: Workspace, /, *, look: bool) -> None:
        self.looks.append(look)
        self.meanwhile()
        if self.refuse is not None:
            raise self.refuse
        links.process(ws, look=look)

    def work(self, *, leaving: bool = False) -> float:
        """Work once; returns the seconds until the next time is due."""
        self.commits.begin()
        self.commits.work(self.coder.ws(), leaving=leaving)
        return self.commits.due() - self.clock.now

    @property
    def mark(self) -> str:
        path = self.coder.runtime / MARK
        return path.read_text() if path.exists() else ""

    def said(self) -> list[str]:
        rows = tail(self.home, 100)
        return [row["message"] for row in rows if row["event"] == "links"]


@pytest.fixture
def watcher() -> Iterator[Watcher]:
    made = make_watcher()
    yield made
    made.close()


@pytest.fixture
def coder(tmp_path: Path) -> Coder:
    made = Coder.begin(tmp_path)
    (made.runtime / MARK).unlink()
    return made


@pytest.fixture
def stage(coder: Coder, tmp_path: Path, watcher: Watcher) -> Iterator[Stage]:
    made = Stage(coder, tmp_path, watcher)
    yield made
    made.commits.close()


OURS = f"{os.getpid()} {birth()}".strip() + "\n"


# what waits in the spool


def test_an_entry_is_heard_of_and_linked(stage: Stage) -> None:
    assert stage.work() == math.inf
    assert stage.mark == OURS
    stage.coder.commit(updated=True)
    wait_for(lambda: stage.commits.due() < math.inf, what="an event")
    stage.work()
    assert stage.coder.check() == "updated"
    assert not (stage.coder.runtime / "linking").exists()
    assert spool.names(stage.coder.ws()) == []


def test_where_nothing_is_heard_the_scan_finds_it(coder: Coder, tmp_path: Path) -> None:
    stage = Stage(coder, tmp_path, Deaf())
    stage.work()
    coder.commit(updated=True)
    stage.clock.now += 30
    stage.work()
    assert coder.check() == "updated"


def test_a_look_without_anything_links_nothing(stage: Stage) -> None:
    stage.work()
    assert stage.looks == [True]  # the first one, for what came while nobody looked
    assert not stage.commits.work(stage.coder.ws())
    assert stage.looks == [True]


def test_what_is_being_written_is_looked_at_again(stage: Stage) -> None:
    stage.work()
    stage.coder.commit(updated=True)
    entry = stage.coder.runtime / "links" / f"{stage.coder.head()}.v"
    text = entry.read_text()
    entry.write_text(text.rstrip())
    assert stage.work() == pytest.approx(1)
    assert stage.coder.text() == ""
    entry.write_text(text)
    stage.work()
    assert stage.coder.check() == "updated"


def test_what_stays_is_not_looked_at_again_and_again(stage: Stage) -> None:
    stage.work()
    folder = stage.coder.runtime / "links"
    (folder / "of-nobody.v").write_text("?")
    wait_for(lambda: stage.work() == math.inf)  # when all of its events were heard
    (folder / f"{'a' * 40}.v").write_text("upd")  # its writer was killed
    assert stage.work() == pytest.approx(1)
    wait_for(lambda: stage.work() == math.inf)


def test_a_spool_that_is_removed_is_watched_again(stage: Stage) -> None:
    stage.work()
    shutil.rmtree(stage.coder.runtime / "links")
    stage.work()
    stage.coder.commit(updated=True)
    wait_for(lambda: stage.commits.due() < math.inf, what="an event")
    stage.work()
    assert stage.coder.check() == "updated"


# who is at it


def test_leaving_works_off_what_was_left_to_it(stage: Stage) -> None:
    stage.work()
    stage.coder.commit(updated=True)
    stage.work(leaving=True)
    assert stage.mark == ""
    assert stage.coder.check() == "updated"


def test_one_that_cannot_link_leaves_it_to_others(stage: Stage) -> None:
    stage.work()
    stage.refuse = LockHeld("process 1 holds gitstate's lock")
    (stage.coder.runtime / "links" / "look").touch()
    stage.work()
    assert stage.mark == ""
    stage.work()
    assert stage.said() == ["process 1 holds gitstate's lock"]
    stage.refuse = None
    stage.work()
    assert stage.mark == OURS


def test_a_full_disk_is_said(stage: Stage) -> None:
    stage.refuse = OSError(28, "No space left on device")
    stage.work()
    assert stage.mark == ""
    assert stage.said() == [
        "cannot link code commits: the disk is full; nothing was recorded"
    ]


def test_a_mark_of_another_stays(stage: Stage) -> None:
    stage.work()
    (stage.coder.runtime / MARK).write_text("1 1\n")
    stage.commits.close()
    assert stage.mark == "1 1\n"


def test_one_that_is_let_go_while_it_works_leaves_no_mark(stage: Stage) -> None:
    stage.meanwhile = stage.commits.close
    stage.work()
    assert stage.looks == [True]
    assert stage.mark == ""


def test_a_mark_that_was_removed_comes_back(stage: Stage) -> None:
    stage.work()
    (stage.coder.runtime / MARK).unlink()
    stage.work()
    assert stage.mark == OURS


def test_before_init_nothing_is_written(tmp_path: Path, watcher: Watcher) -> None:
    repo = make_repo(tmp_path / "plain")
    commits = Commits(
        watcher=watcher,
        wake=lambda: None,
        link=lambda *_, **__: pytest.fail("linked"),
        teller=Teller(Log(tmp_path), repo.path),
    )
    assert not commits.work(Workspace.open(repo.path))
    assert not (repo.path / ".git" / "gitstate").exists()


# what came past the hooks


def test_a_commit_past_the_hooks_is_linked_when_it_has_settled(stage: Stage) -> None:
    stage.work()
    stage.coder.commit(settings=NO_HOOKS)
    assert stage.work() == pytest.approx(SETTLED_S)
    assert stage.coder.text() == ""
    stage.clock.now += SETTLED_S
    assert stage.work() == math.inf
    assert stage.coder.check() == "bypassed: made past the hooks"
    assert stage.looks == [True, True]


def test_commits_that_came_while_nobody_looked(stage: Stage) -> None:
    stage.coder.commit(settings=NO_HOOKS)
    stage.work()
    assert stage.coder.check() == "bypassed: made past the hooks"


def test_an_am_is_caught_up_with(stage: Stage, tmp_path: Path) -> None:
    stage.coder.commit(updated=True)
    stage.work()
    patch = stage.coder.repo.git("format-patch", "-1", "-o", str(tmp_path))
    stage.coder.git("reset", "-q", "--hard", "HEAD~1")
    other = {"GIT_COMMITTER_NAME": "Other"}  # else it may be the same commit again
    assert stage.coder.git("am", "-q", patch, env=other).code == 0
    stage.work()
    stage.clock.now += SETTLED_S
    stage.work()
    assert stage.coder.check() == "exempt: during am"


def test_a_branch_without_a_reflog(stage: Stage) -> None:
    stage.coder.repo.git("config", "core.logAllRefUpdates", "false")
    shutil.rmtree(stage.coder.repo.path / ".git" / "logs")
    stage.work()
    stage.coder.commit(settings=NO_HOOKS)
    stage.work()
    stage.clock.now += SETTLED_S
    stage.work()
    assert stage.coder.check().startswith("bypassed")


def test_while_an_operation_is_under_way_nothing_is_caught_up_with(
    stage: Stage,
) -> None:
    stage.work()
    stage.coder.commit(settings=NO_HOOKS)
    folder = stage.coder.repo.path / ".git" / "rebase-merge"
    folder.mkdir()
    stage.work()
    stage.clock.now += 10 * SETTLED_S
    stage.work()
    assert stage.coder.text() == ""
    folder.rmdir()
    stage.work()
    assert stage.coder.text() != ""


def test_a_failed_look_is_made_again(stage: Stage) -> None:
    stage.coder.commit(settings=NO_HOOKS)
    stage.refuse = LockHeld("held")
    stage.work()
    stage.refuse = None
    stage.clock.now += SETTLED_S
    stage.work()
    assert stage.coder.check() == "bypassed: made past the hooks"


# the hooks and a real daemon


@pytest.fixture
def tended(daemon: Daemon, coder: Coder) -> Coder:
    coder.repo.git("config", "gitstate.scanSeconds", "600")
    registry.add(coder.ws())
    daemon.start()
    wait_for((coder.runtime / MARK).exists, what="the mark")
    return coder


def linked(coder: Coder) -> bool:
    return coder.text() != ""


def test_the_daemon_links_and_no_process_is_started(
    tended: Coder, daemon: Daemon
) -> None:
    assert (tended.runtime / MARK).read_text().split()[0] == str(daemon.pid)
    tended.commit(updated=True)
    assert not (tended.runtime / "linking").exists()
    wait_for(lambda: linked(tended), what="the note")
    tended.commit()
    wait_for(lambda: linked(tended), what="the note")
    assert [check.partition(":")[0] for check in tended.checks(2)] == [
        "stale",
        "updated",
    ]
    assert not (tended.runtime / "linking").exists()


def test_a_daemon_that_stops_says_so(tended: Coder, daemon: Daemon) -> None:
    pid = daemon.pid
    from gitstate.daemon import autostart  # noqa: PLC0415 beside its use

    assert autostart.stop().pid == pid
    assert not (tended.runtime / MARK).exists()
    tended.commit(updated=True)
    wait_for(lambda: linked(tended), what="the note, by a process of its own")


def test_a_daemon_that_was_killed_is_missed_by_nobody(
    tended: Coder, daemon: Daemon
) -> None:
    daemon.kill()
    assert (tended.runtime / MARK).exists()
    tended.commit(updated=True)
    wait_for(lambda: linked(tended), what="the note, by a process of its own")


def test_no_longer_looked_after(tended: Coder) -> None:
    registry.remove(tended.ws().root)
    wait_for(lambda: not (tended.runtime / MARK).exists(), what="no mark")
    tended.commit(updated=True)
    wait_for(lambda: linked(tended), what="the note, by a process of its own")


def test_the_next_daemon_works_off_what_waits(daemon: Daemon, coder: Coder) -> None:
    coder.scene.let_nobody_link()
    coder.commit(updated=True)
    coder.commit(settings=NO_HOOKS)
    registry.add(coder.ws())
    daemon.start()
    wait_for(lambda: linked(coder), what="the note")
    assert coder.checks(2) == ["bypassed: made past the hooks", "updated"]


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=-1)
    yield process
    process.communicate(b"\n")


@pytest.mark.report(20)
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc here")
@pytest.mark.parametrize("name", [MARK, "linking"])
def test_a_number_that_is_a_strangers_by_now(
    coder: Coder, stranger: subprocess.Popen[bytes], name: str
) -> None:
    """After a restart of the machine the number of a killed daemon is given again."""
    (coder.runtime / name).write_text(f"{stranger.pid} {int(birth()) + 1}\n")
    coder.commit(updated=True)
    wait_for(lambda: linked(coder), what="the note")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc here")
def test_the_hooks_read_the_same_birth(
    coder: Coder, stranger: subprocess.Popen[bytes]
) -> None:
    (coder.runtime / MARK).write_text(f"{stranger.pid} {birth(stranger.pid)}\n")
    coder.commit(updated=True)
    assert not (coder.runtime / "linking").exists()
    assert coder.verdict() == "updated"


def test_where_births_are_not_told_a_pile_is_noticed(coder: Coder) -> None:
    coder.scene.let_nobody_link()  # as on a system without /proc: a number alone
    folder = coder.runtime / "links"
    for number in range(30):
        (folder / f"{number:040x}.v").write_text("unseen\n")
    coder.commit(updated=True)
    wait_for(lambda: linked(coder), what="the note")
    wait_for(lambda: spool.names(coder.ws()) == [])


def test_a_birth_is_found_behind_any_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = f"1 (a) b (c) S {' '.join(map(str, range(4, 60)))}\n"
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "stat").write_text(text)
    monkeypatch.setattr(
        commits_module, "Path", lambda name: tmp_path / name.removeprefix("/proc/")
    )
    assert birth(1) == "22"
    assert birth(2) == ""
