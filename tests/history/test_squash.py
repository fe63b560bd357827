"""Days that are over become one commit each, and every version stays within reach."""

from __future__ import annotations

import shutil
import sys
import time
from datetime import date
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import Refused
from gitstate.git.packs import PackStore
from gitstate.history import rewriting, squash_words
from gitstate.history.identity import repository_id
from gitstate.history.integrity import check
from gitstate.history.line import engine_for
from gitstate.history.numbers import Numbers
from gitstate.history.repair import repair
from gitstate.history.snapshot import session
from gitstate.workspace import Workspace, state_home
from tests.engines import begun, init, line_of, numbers, snap
from tests.history.simulated import (
    at,
    on_line,
    require_resolved,
    spans,
    squashed,
    trees,
    undone,
    version,
)
from tests.killed import killed_at
from tests.support import Repo, make_repo

if TYPE_CHECKING:
    from pathlib import Path

    from tests.engines import Kind

NIGHT = "2026-11-30T00:10:00+01:00"


MOMENTS = (
    *("2026-11-27T10:00:00+01:00", "2026-11-27T23:59:59+01:00"),
    *("2026-11-28T00:00:00+01:00", "2026-11-28T12:00:00+01:00"),
    *("2026-11-29T12:00:00+01:00", "2026-11-30T00:05:00+01:00"),
)


def three_days(repo: Repo, *, nightly: bool = False) -> Workspace:
    """v1-v3 on the 27th, v4-v5 on the 28th, v6 on the 29th, v7 on the 30th."""
    with at("2026-11-27T09:00:00+01:00"):
        ws = begun(repo)
    for moment in MOMENTS:
        version(ws, moment)
        if nightly:
            squashed(ws, moment[:11] + "23:59:59+01:00")
    return ws


def sound(ws: Workspace) -> None:
    """Nothing is wrong with the line, and git agrees."""
    with engine_for(ws) as engine, at(NIGHT):
        assert check(ws, engine).problems == ()
    assert line_of(ws).trouble is None
    Repo(ws.root).git("fsck", "--strict")


def test_each_day_is_one_commit_and_every_name_stays(repo: Repo) -> None:
    ws = three_days(repo)
    names = trees(ws)
    tip = repo.git("rev-parse", "agent-state")

    done = squashed(ws, NIGHT)

    assert spans(done) == [
        ("2026-11-27", 1, 3),
        ("2026-11-28", 4, 5),
        ("2026-11-29", 6, 6),
    ]
    assert on_line(ws) == [
        *("2026-11-27 v1-v3", "2026-11-28 v4-v5", "2026-11-29 v6-v6", "v7"),
    ]
    archives = {
        name.rpartition("/")[2]: identity
        for identity, name in (
            row.split()
            for row in repo.git(
                "for-each-ref",
                "--format=%(objectname) %(refname)",
                "refs/gitstate/archive",
            ).splitlines()
        )
    }
    assert sorted(archives) == ["2026-11-27", "2026-11-28", "2026-11-29"]
    assert archives["2026-11-27"] == tip
    assert [one.archive for one in done.days] == [
        f"refs/gitstate/archive/agent-state/{name}" for name in sorted(archives)
    ]
    assert numbers(ws) == [7, 6, 5, 4, 3, 2, 1]
    after = trees(ws)
    assert squashed(ws, NIGHT).days == ()
    assert trees(ws) == after
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    (ws.runtime / "numbers").unlink()
    require_resolved(ws, {**names, **after})
    sound(ws)
    assert version(ws, "2026-11-30T08:00:00+01:00") == 8


def test_a_days_commit_has_the_last_versions_people_and_times(repo: Repo) -> None:
    ws = three_days(repo)
    form = "--format=%T%n%an%n%ae%n%ad%n%cn%n%ce%n%cd"
    before = repo.git("log", "-1", form, "agent-state~2")
    v7 = repo.git("log", "-1", form + "%n%B", "agent-state")
    done = squashed(ws, NIGHT)
    assert repo.git("log", "-1", form, done.days[1].commit) == before
    assert repo.git("log", "-1", form + "%n%B", "agent-state") == v7
    assert repo.git("log", "-1", "--format=%P", "agent-state") == done.days[2].commit


def test_clones_come_to_the_same_ids_night_by_night_or_at_once(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2026-11-26T10:00:00Z")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-11-26T10:00:00Z")
    late, early = (
        make_repo(tmp_path / name, object_format=kind.object_format)
        for name in ("late", "early")
    )
    one, two = three_days(late), three_days(early, nightly=True)
    # all that may differ between two people, for the squash alone
    late.git("clone", "-q", str(late.path), str(tmp_path / "clone"))
    clone = Repo(tmp_path / "clone")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another home"))
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    for key, value in (
        *(("lang", "zh"), ("timezone", "America/New_York"), ("durable", "false")),
        *(("maxFileSize", "7"), ("squashPushed", "true")),
    ):
        clone.git("config", f"gitstate.{key}", value)
    clone.git("config", "user.name", "Somebody Else")
    three = init(clone)
    monkeypatch.undo()
    time.tzset()
    night = "2026-11-30T08:00:00+01:00"
    done = [squashed(ws, night) for ws in (one, two, three)]

    assert [len(one.days) for one in done] == [3, 0, 3]
    tips = {repo.git("rev-parse", "agent-state") for repo in (late, early, clone)}
    assert len(tips) == 1
    assert on_line(three)[-2:] == ["2026-11-29 v6-v6", "v7"]


STEPS = ["add", "archive", "move", "write_anchor", "withdraw", "load"]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_killed_at_any_step_the_next_run_finishes(
    tmp_path: Path, step: str, when: str
) -> None:
    repo = make_repo(tmp_path / "repo")
    ws = three_days(repo)
    names = trees(ws)
    owner: object = {"add": PackStore, "load": Numbers}.get(step, rewriting)
    killed_at(owner, step, when, lambda: squashed(ws, NIGHT))

    require_resolved(ws, names)
    assert line_of(ws).trouble is None
    squashed(ws, NIGHT)
    assert on_line(ws)[-2:] == ["2026-11-29 v6-v6", "v7"]
    require_resolved(ws, names)
    assert version(ws, NIGHT) == 8
    assert sorted(
        repo.git(
            "for-each-ref", "--format=%(refname:lstrip=4)", "refs/gitstate"
        ).splitlines()
    ) == [
        *("2026-11-27", "2026-11-28", "2026-11-29"),
    ]
    sound(ws)


def test_a_copy_has_an_id_of_its_own_before_it_is_squashed(
    repo: Repo, tmp_path: Path
) -> None:
    """Else a kill would leave a lock of git's of which nobody knows whose it is."""
    ws = three_days(repo)
    shutil.copytree(repo.path, tmp_path / "copy", symlinks=True)
    copy = Workspace.open(tmp_path / "copy")
    assert repository_id(copy) is None

    done = squashed(copy, NIGHT)

    assert len(done.days) == 3
    (notice,) = done.notices
    assert notice == (
        f"this repository is a copy of {repo.path / '.git'}; it got an id of its own"
    )
    assert repository_id(copy) not in {None, repository_id(ws)}
    assert squashed(copy, NIGHT).notices == ()
    sound(copy)
    sound(ws)


def test_archive_refs_that_vanished_are_made_again(repo: Repo) -> None:
    ws = three_days(repo)
    squashed(ws, NIGHT)
    names = trees(ws)
    refs = repo.git("for-each-ref", "--format=%(refname)", "refs/gitstate").splitlines()
    for ref in refs:
        repo.git("update-ref", "-d", ref)
    repo.git("gc", "-q", "--prune=now")
    spans = ["v1-v3 of 2026-11-27", "v4-v5 of 2026-11-28", "v6-v6 of 2026-11-29"]
    with engine_for(ws) as engine, at(NIGHT):
        assert [one.text for one in check(ws, engine).problems] == [
            f"no ref keeps {span}; `gitstate fsck --repair` makes one" for span in spans
        ]
    with session(ws, verb="fsck", wait_s=5.0) as engine, at(NIGHT):
        report = repair(ws, engine)
    assert report.ok
    assert report.repaired == tuple(
        f"kept the versions of {ref[-10:]} as {ref}" for ref in refs
    )
    require_resolved(ws, names)
    sound(ws)
    repo.git("config", "gitstate.archiveKeep", "30d")  # then they may be gone
    repo.git("update-ref", "-d", refs[0])
    sound(Workspace.open(repo.path))


def test_an_undone_day_is_squashed_again_only_when_named(repo: Repo) -> None:
    ws = three_days(repo)
    names = trees(ws)
    squashed(ws, NIGHT)
    names |= trees(ws)

    done = undone(ws, NIGHT, "2026-11-28")

    assert spans(done) == [("2026-11-28", 4, 5)]
    opened = ["2026-11-27 v1-v3", "v4", "v5", "2026-11-29 v6-v6", "v7"]
    assert on_line(ws) == opened
    names |= trees(ws)
    left = squashed(ws, "2026-12-01T00:10:00+01:00")
    assert spans(left) == [("2026-11-30", 7, 7)]
    assert left.left == (
        (
            "2026-11-28",
            "it was undone; `gitstate squash --day 2026-11-28` squashes it again",
        ),
    )
    names |= trees(ws)
    again = squashed(ws, NIGHT, day=date(2026, 11, 28))
    assert spans(again) == [("2026-11-28", 4, 5)]
    assert on_line(ws) == [
        *("2026-11-27 v1-v3", "2026-11-28 v4-v5", "2026-11-29 v6-v6"),
        "2026-11-30 v7-v7",
    ]
    require_resolved(ws, names)
    assert squashed(ws, "2026-12-01T00:10:00+01:00").left == ()
    sound(ws)


def test_undone_and_squashed_again_it_has_the_same_id(repo: Repo) -> None:
    ws = three_days(repo)
    first = squashed(ws, NIGHT)
    tip = repo.git("rev-parse", "agent-state")
    for day in ("2026-11-27", "2026-11-29"):
        undone(ws, NIGHT, day)
        assert repo.git("rev-parse", "agent-state") != tip
        done = squashed(ws, NIGHT, day=date.fromisoformat(day))
        assert done.days[0].commit in {one.commit for one in first.days}
        assert repo.git("rev-parse", "agent-state") == tip
    sound(ws)


def test_what_cannot_be_squashed_or_undone_is_said(repo: Repo) -> None:
    ws = three_days(repo)
    for day, said in (
        ("2026-11-30", "2026-11-30 is not over yet; a day is squashed when it is"),
        (
            "2026-11-20",
            "no version was made on 2026-11-20; `gitstate log` lists the days",
        ),
    ):
        with pytest.raises(Refused, match=said):
            squashed(ws, NIGHT, day=date.fromisoformat(day))
    with pytest.raises(Refused, match="2026-11-27 is not squashed"):
        undone(ws, NIGHT, "2026-11-27")
    assert on_line(ws) == [f"v{number}" for number in range(1, 8)]
    repo.git("worktree", "add", "-q", "../beside", "agent-state")
    with pytest.raises(Refused, match=r"is checked out in .*nothing is squashed"):
        squashed(ws, NIGHT)
    assert version(ws, NIGHT) == 8
    repo.git("worktree", "remove", "../beside")
    squashed(ws, NIGHT)  # the waiting version is put on the branch first
    assert on_line(ws)[-3:] == ["2026-11-29 v6-v6", "v7", "v8"]
    repo.git("update-ref", "refs/heads/agent-state", "agent-state~1")
    with pytest.raises(Refused, match="was moved back to v7"):
        squashed(ws, NIGHT)


def test_days_by_the_versions_own_clocks(repo: Repo) -> None:
    """A step back, another zone, the hour that comes twice: a day never runs backwards."""
    with at("2026-10-24T23:00:00+02:00"):
        ws = begun(repo)
    for moment in (
        "2026-10-25T02:30:00+02:00",  # and an hour later it is half past two again
        "2026-10-25T02:30:00+01:00",
        "2026-10-24T10:00:00+02:00",  # the clock was set back: still the 25th
        "2026-10-26T01:00:00+09:00",  # flown east
        "2026-10-25T20:00:00-08:00",  # and west: later, and still the 26th
        "2026-10-28T00:00:00+00:00",
    ):
        version(ws, moment)
    squashed(ws, "2026-10-28T12:00:00+00:00")
    assert on_line(ws) == [
        *("2026-10-24 v1-v1", "2026-10-25 v2-v4", "2026-10-26 v5-v6", "v7"),
    ]
    # over by the clock that is set: at this moment it is the 28th still in New York
    repo.git("config", "gitstate.timezone", "America/New_York")
    assert squashed(ws, "2026-10-29T03:00:00+00:00").days == ()
    assert spans(squashed(ws, "2026-10-29T04:00:00+00:00")) == [("2026-10-28", 7, 7)]
    sound(ws)


def test_a_version_whose_clock_was_years_ahead_is_said_to_hold_up_its_day(
    repo: Repo,
) -> None:
    with at("2026-10-24T23:00:00+02:00"):
        ws = begun(repo)
    for moment in ("2036-01-01T00:00:00+01:00", "2026-10-25T10:00:00+02:00"):
        version(ws, moment)
    done = squashed(ws, "2026-10-27T10:00:00+01:00")
    assert spans(done) == [("2026-10-24", 1, 1)]
    assert done.left == (
        ("2036-01-01", "by the clock of its versions it is not over yet"),
    )
    assert numbers(ws) == [3, 2, 1]
    assert squashed(ws, "2026-10-27T10:00:00+01:00", until=date(2026, 10, 27)).left
    assert spans(squashed(ws, "2036-01-02T10:00:00+01:00")) == [("2036-01-01", 2, 3)]
    sound(ws)


def test_a_version_that_comes_after_its_day_was_squashed(repo: Repo) -> None:
    ws = three_days(repo)
    squashed(ws, "2026-11-29T01:00:00+01:00")
    names = trees(ws)
    with at("2026-11-26T10:00:00+01:00"):  # the clock is set back by days
        assert on_line(ws)[:2] == ["2026-11-27 v1-v3", "2026-11-28 v4-v5"]
    squashed(ws, "2026-12-01T00:10:00+01:00")
    version(ws, "2026-11-28T10:00:00+01:00", "late\n")
    names |= trees(ws)
    done = squashed(ws, "2026-12-01T00:10:00+01:00")
    assert spans(done) == [("2026-11-30", 7, 8)]
    assert on_line(ws)[-1] == "2026-11-30 v7-v8"
    require_resolved(ws, names)
    sound(ws)


def test_a_pushed_line_is_left_unless_that_is_permitted(
    repo: Repo, tmp_path: Path
) -> None:
    ws = three_days(repo)
    there = Repo(tmp_path / "there.git")
    repo.git("clone", "-q", "--bare", str(repo.path), str(there.path))
    repo.git("remote", "add", "origin", str(there.path))
    repo.git("update-ref", "refs/remotes/origin/agent-state", "agent-state~2")
    why = "it was pushed; git config gitstate.squashPushed true permits it"
    done = squashed(ws, NIGHT)
    assert spans(done) == [("2026-11-29", 6, 6)]
    assert done.left == (("2026-11-27", why), ("2026-11-28", why))
    with pytest.raises(Refused, match="2026-11-28 stays as it is: it was pushed"):
        squashed(ws, NIGHT, day=date(2026, 11, 28))
    repo.git("config", "gitstate.squashPushed", "true")
    assert spans(squashed(ws, NIGHT)) == [("2026-11-27", 1, 3), ("2026-11-28", 4, 5)]
    sound(ws)


def test_a_lost_anchor_and_a_new_home_know_the_squashed_line(repo: Repo) -> None:
    ws = three_days(repo)
    old = repo.git("rev-parse", "agent-state")
    squashed(ws, NIGHT)
    for path in (state_home() / "heads").iterdir():
        if path.is_file():
            path.unlink()
    assert line_of(ws).trouble is None
    assert version(ws, NIGHT) == 8
    # who lacks a day that stands squashed lacks versions, whatever the tip looks like
    lost = repo.git(
        "commit-tree",
        "-m",
        repo.git("log", "-1", "--format=%B", "agent-state"),
        "agent-state^{tree}",
    )
    repo.git("update-ref", "refs/heads/agent-state", lost)
    assert "rewritten" in (line_of(ws).trouble or "")
    with session(ws, verb="test", wait_s=5) as engine, at(NIGHT):
        assert repair(ws, engine).ok
    repo.git("update-ref", "refs/heads/agent-state", old)  # the line before the squash
    assert "moved back to v7" in (line_of(ws).trouble or "")


def test_a_day_is_opened_in_the_language_and_words_of_a_command(repo: Repo) -> None:
    ws = three_days(repo)
    repo.git(
        "config",
        "gitstate.messageCommand",
        "sh -c 'echo Reviewed-by: all is well; cat >/dev/null'",
    )
    done = squashed(ws, "2026-11-28T00:10:00+01:00")
    assert done.notices == ()
    body = repo.git("log", "-1", "--format=%B", done.days[0].commit).split("\n\n")
    assert body[1] == "  Reviewed-by: all is well"
    repo.git("config", "gitstate.messageCommand", "false")
    done = squashed(ws, NIGHT)
    assert done.notices == (
        "gitstate.messageCommand (false): exit code 1; the day is told as without it",
    )
    assert len(done.days) == 2
    assert not snap(ws).changed


def test_a_command_that_takes_too_long_is_asked_once_in_a_run(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws = three_days(repo)
    repo.git(
        "config", "gitstate.messageCommand", "sh -c 'echo x >> asked; exec sleep 600'"
    )
    monkeypatch.setattr(squash_words, "TIMEOUT_S", 2.0)

    done = squashed(ws, NIGHT)

    assert (repo.path / "asked").read_text() == "x\n"
    (notice,) = done.notices
    assert notice == (
        "gitstate.messageCommand (sh) took too long and was stopped; the day is told as "
        "without it"
    )
    assert len(done.days) == 3
    assert "first version" not in repo.git("log", "--format=%B", "agent-state~1")


def test_a_gitstate_that_the_command_starts_does_not_start_it_again(repo: Repo) -> None:
    ws = three_days(repo)
    again = f"GITSTATE_NOW={NIGHT} {sys.executable} -m gitstate squash --dry-run"
    few = "test $(wc -l < asked) -lt 9"  # else a machine would be full of them
    script = f"echo x >> asked; {few} && {again}"
    repo.git("config", "gitstate.messageCommand", f"sh -c '{script}'")

    done = squashed(ws, NIGHT)

    assert done.notices == ()
    assert (repo.path / "asked").read_text() == 3 * "x\n"
    for day in done.days:
        assert "(v1–v3)" in repo.git("log", "-1", "--format=%b", day.commit)  # noqa: RUF001
