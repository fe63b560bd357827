"""At the end of a day the files of each worktree are tidied, and its line is squashed."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

import pytest

from gitstate import reminders
from gitstate.daemon import registry
from gitstate.daemon.logs import tail
from gitstate.daemon.service import Service
from gitstate.documents import DECISION_LOG
from gitstate.history.bounding import last_day
from gitstate.history.derived import take
from gitstate.workspace import Workspace, state_home
from tests.daemon.fakes import FakeClockwork
from tests.engines import begun
from tests.support import Repo, make_repo, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ARCHIVE = f"archive/{DECISION_LOG}"


class Days:
    """A daemon of real versions, whose clock the test sets."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tmp_path, self.monkeypatch = tmp_path, monkeypatch
        self.tick: Callable[[], None] = lambda: None
        self.at("2026-11-28T23:00:00+00:00")
        self.service = Service(state_home(), take=take, pack=lambda _: None)
        self.thread = threading.Thread(target=self.service.run, args=(self._jobs,))

    @contextlib.contextmanager
    def _jobs(
        self, pack_soon: Callable[[], None], _: Callable[[], None]
    ) -> Iterator[FakeClockwork]:
        self.tick = pack_soon
        yield FakeClockwork()

    def at(self, moment: str) -> None:
        self.monkeypatch.setenv("GITSTATE_NOW", moment)

    def repository(self, name: str, count: int) -> Repo:
        repo = make_repo(self.tmp_path / name)
        ws = begun(repo)
        repo.write(
            DECISION_LOG,
            "".join(
                f"## D-{n:04d} Use thing {n}\n\n- Reason: because\n\n"
                for n in range(1, count + 1)
            ),
        )
        take(ws, verb="test")
        registry.add(ws)
        return repo

    def ended(self, repo: Repo, day: str) -> None:
        """Wait until that day has begun for the daemon."""
        ws = Workspace.open(repo.path)

        def told() -> bool:
            self.tick()
            return last_day(ws) == day

        wait_for(told, what=f"{day} in {repo.path.name}")

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        if self.thread.is_alive():
            self.service.stop()
            self.thread.join(30)
        self.service.close()


@pytest.fixture
def days(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Days]:
    assert home.is_dir()
    made = Days(tmp_path, monkeypatch)
    yield made
    made.stop()


def archived(repo: Repo) -> int:
    path = repo.state / ARCHIVE
    return path.read_text().count("## D-") if path.exists() else 0


def subjects(repo: Repo) -> list[str]:
    return repo.git("log", "--format=%s", "agent-state").splitlines()


def test_a_day_that_ends_is_tidied_in_one_version(days: Days) -> None:
    over, within = days.repository("over", 23), days.repository("within", 20)
    days.start()
    for repo in (over, within):
        days.ended(repo, "2026-11-28")
    assert archived(over) == 0  # the day is not over yet
    days.at("2026-11-29T00:05:00+00:00")
    for repo in (over, within):
        days.ended(repo, "2026-11-29")
    wait_for(
        lambda: len(subjects(over)) == 2 and subjects(over)[0].startswith("state v3")
    )
    assert subjects(over)[1] == "state 2026-11-28: 23 decisions (v1–v2)"  # noqa: RUF001 a range
    assert archived(over) == 3
    assert over.git("show", f"agent-state:.agent-state/{ARCHIVE}").count("## D-") == 3
    assert len(subjects(within)) == 1
    assert not (within.state / "archive").exists()


def test_one_that_fails_stops_no_other_and_is_tried_again(days: Days) -> None:
    bad, good = days.repository("bad", 22), days.repository("good", 22)
    days.start()
    for repo in (bad, good):
        days.ended(repo, "2026-11-28")
    seen = Workspace.open(bad.path).runtime / "days"
    seen.unlink()
    seen.mkdir()
    days.at("2026-11-30T12:00:00+00:00")
    days.ended(good, "2026-11-30")
    assert archived(good) == 2

    def complained() -> bool:
        days.tick()
        rows = [row for row in tail(state_home(), 99) if row["event"] == "tidy"]
        return any(row["repository"] == str(bad.path) for row in rows)

    wait_for(complained)
    seen.rmdir()
    days.ended(bad, "2026-11-30")


def test_what_stands_against_a_squash_is_one_reminder_until_it_is_gone(
    days: Days,
) -> None:
    repo = days.repository("shop", 2)
    repo.git("worktree", "add", "-q", str(days.tmp_path / "there"), "agent-state")
    days.start()
    days.at("2026-11-29T12:00:00+00:00")
    ws = Workspace.open(repo.path)

    def told() -> list[str]:
        days.tick()
        return [one.text for one in reminders.read(ws) if one.kind == "squash"]

    wait_for(told)
    assert len(told()) == len(told()) == 1  # also after another round
    (text,) = told()
    assert text.startswith(
        "the days that are over could not be squashed yet: the branch"
    )
    assert "is checked out in" in text
    repo.git("worktree", "remove", "--force", str(days.tmp_path / "there"))
    wait_for(lambda: not told())
    assert subjects(repo)[0].startswith("state 2026-11-28: 2 decisions")


def test_a_day_that_ended_while_no_daemon_ran_is_squashed_when_one_begins(
    days: Days,
) -> None:
    """At the start, and without waiting for a round that comes by the clock."""
    repo = days.repository("shop", 2)
    days.at("2026-11-30T12:00:00+00:00")
    days.start()
    wait_for(lambda: subjects(repo)[0].startswith("state 2026-11-28: 2 decisions"))


def test_one_pass_squashes_too(days: Days) -> None:
    repo = days.repository("shop", 2)
    days.at("2026-11-30T12:00:00+00:00")
    assert days.service.run_once() == []
    assert subjects(repo) == ["state 2026-11-28: 2 decisions (v1–v2)"]  # noqa: RUF001 a range


def test_no_version_waits_for_a_command_that_words_the_day(days: Days) -> None:
    repo = days.repository("shop", 2)
    script = "touch asked; until [ -e go ]; do sleep 0.05; done; echo told by it"
    repo.git("config", "gitstate.messageCommand", f"sh -c '{script}'")
    days.at("2026-11-30T12:00:00+00:00")
    days.start()
    wait_for((repo.path / "asked").exists)
    repo.write("02-current-task.md", "written while it thinks\n")
    wait_for(lambda: subjects(repo)[0].startswith("state v3: "))
    assert subjects(repo)[1].startswith("state v2: ")
    (repo.path / "go").touch()
    wait_for(lambda: subjects(repo)[1].startswith("state 2026-11-28: 2 decisions"))
    assert subjects(repo)[0].startswith("state v3: ")
    assert "told by it" in repo.git("log", "-1", "--format=%b", "agent-state~1")
