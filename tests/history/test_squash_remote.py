"""Squashed lines to and from a remote, and the archives of old days given up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitstate.errors import Refused, UnknownVersion
from gitstate.history.expiry import expire
from gitstate.history.integrity import check
from gitstate.history.line import engine_for
from gitstate.history.remote import fetch, push
from gitstate.history.versions import resolve
from gitstate.workspace import Workspace
from tests.engines import begun, files_on_disk, init, line_of, numbers
from tests.history.simulated import (
    at,
    on_line,
    require_resolved,
    squashed,
    trees,
    undone,
    version,
)
from tests.support import Repo, make_repo

if TYPE_CHECKING:
    from pathlib import Path

NIGHT = "2026-11-29T00:10:00+01:00"
SQUASHED = ["2026-11-27 v1-v2", "2026-11-28 v3-v4"]


@pytest.fixture
def line(tmp_path: Path) -> Workspace:
    """v1-v2 on the 27th, v3-v4 on the 28th, and a bare remote."""
    repo = make_repo(tmp_path / "repo")
    with at("2026-11-27T09:00:00+01:00"):
        ws = begun(repo)
    for moment in ("27T10", "28T10", "28T11"):
        version(ws, f"2026-11-{moment}:00:00+01:00")
    repo.git("clone", "-q", "--bare", str(repo.path), "../remote.git")
    repo.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    repo.git("config", "gitstate.squashPushed", "true")
    return Workspace.open(repo.path)


def joined(line: Workspace) -> Workspace:
    """A clone that has adopted the line."""
    place = line.root.parent
    Repo(place).git("clone", "-q", "--no-local", str(place / "remote.git"), "clone")
    clone = Repo(place / "clone")
    clone.git("config", "gitstate.squashPushed", "true")
    return init(clone)


def test_a_line_that_was_squashed_there_is_taken_over(line: Workspace) -> None:
    push(line, "origin")
    other = joined(line)
    names = trees(other)
    squashed(line, NIGHT)
    push(line, "origin")

    done = fetch(other, "origin")

    assert (done.before, done.after) == (4, 4)
    assert on_line(other) == SQUASHED
    assert numbers(other) == [4, 3, 2, 1]
    names |= trees(line) | trees(other)
    Repo(other.root).git("reflog", "expire", "--expire=now", "--all")
    Repo(other.root).git("gc", "-q", "--prune=now")
    require_resolved(other, names)
    assert line_of(other).trouble is None
    with engine_for(other) as engine:
        assert check(other, engine).ok
    assert files_on_disk(other) == files_on_disk(line)
    assert version(other, NIGHT) == 5
    assert push(other, "origin").refs[0] == "refs/heads/agent-state"
    assert fetch(line, "origin").after == 5


def test_a_line_that_was_squashed_here_is_ahead_of_the_same_not_squashed(
    line: Workspace,
) -> None:
    push(line, "origin")
    squashed(line, NIGHT)
    assert fetch(line, "origin").after == 4
    assert on_line(line) == SQUASHED


def test_what_the_remote_has_more_is_never_replaced(line: Workspace) -> None:
    push(line, "origin")
    other = joined(line)
    version(other, "2026-11-29T00:01:00+01:00", "theirs\n")
    push(other, "origin")
    squashed(line, NIGHT)
    with pytest.raises(Refused, match="has versions that this repository lacks"):
        push(line, "origin")
    fetch(line, "origin")  # they stand on the days as they were: taken over as they are
    assert on_line(line) == ["v1", "v2", "v3", "v4", "v5"]
    squashed(line, NIGHT)
    assert on_line(line) == [*SQUASHED, "v5"]
    push(line, "origin")
    assert fetch(other, "origin").after == 5
    assert on_line(other) == [*SQUASHED, "v5"]


def test_archives_of_one_name_go_over_beside_each_other(line: Workspace) -> None:
    push(line, "origin")
    other = joined(line)
    for ws in (line, other):
        squashed(ws, NIGHT)
        undone(ws, NIGHT, "2026-11-27")
        version(ws, NIGHT, "the same\n")
        names = trees(ws)
    Repo(line.root).git(
        "update-ref", "-d", "refs/gitstate/archive/agent-state/2026-11-28"
    )
    push(line, "origin")
    fetch(other, "origin")
    require_resolved(other, names)


def test_a_clone_without_the_archives_says_how_to_get_them(line: Workspace) -> None:
    squashed(line, NIGHT)
    with pytest.raises(Refused, match="run `gitstate fetch origin` first"):
        push(line, "origin")  # what it has was never seen
    fetch(line, "origin")
    push(line, "origin")
    other = joined(line)
    with engine_for(other) as engine:
        assert [one.kind for one in check(other, engine).problems] == ["archive"] * 2
        with pytest.raises(
            UnknownVersion,
            match=r"v1 is one of the own versions of 2026-11-27, which are not here: they "
            r"were not fetched \(`gitstate fetch`\); v2, that day's last, is",
        ):
            resolve(other, engine, "v1")
    assert numbers(other) == [4, 2]
    with pytest.raises(Refused, match="the own versions of 2026-11-27 are not here"):
        undone(other, NIGHT, "2026-11-27")
    fetch(other, "origin")
    assert numbers(other) == [4, 3, 2, 1]
    require_resolved(other, trees(line))
    with engine_for(other) as engine:
        assert check(other, engine).ok


def test_what_was_caught_up_at_once_is_kept_as_long_as_its_newest_day(
    line: Workspace,
) -> None:
    repo = Repo(line.root)
    names = trees(line)
    squashed(line, NIGHT)
    repo.git("config", "gitstate.archiveKeep", "30d")
    ws = Workspace.open(repo.path)
    for moment in ("2026-12-28T12:00:00+01:00", "2026-12-29T12:00:00+01:00"):
        repo.git("reflog", "expire", "--expire=now", "--all")
        repo.git("gc", "-q", "--prune=now")
        require_resolved(ws, names)
        with at(moment):
            gone = expire(ws)
    prefix = "refs/gitstate/archive/agent-state/"
    assert gone == [f"{prefix}2026-11-27", f"{prefix}2026-11-28"]


def test_archives_that_are_too_old_are_given_up(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    with at("2026-11-27T09:00:00+01:00"):
        line = begun(repo)
    version(line, "2026-11-27T10:00:00+01:00")
    squashed(line, "2026-11-28T00:10:00+01:00")
    for hour in (10, 11):
        version(line, f"2026-11-28T{hour}:00:00+01:00")
    squashed(line, NIGHT)
    repo.git("config", "gitstate.archiveKeep", "30d")
    ws = Workspace.open(repo.path)
    prefix = "refs/gitstate/archive/agent-state/"
    with at("2026-12-27T12:00:00+01:00"):
        assert expire(ws) == []
    with at("2026-12-28T12:00:00+01:00"):
        assert expire(ws) == [f"{prefix}2026-11-27"]
    kept = version(ws, "2026-12-28T12:00:00+01:00", "after that\n")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    with engine_for(ws) as engine:
        with pytest.raises(UnknownVersion, match="they have expired"):
            resolve(ws, engine, "v1")
        for name, number in (("v2", 2), ("2026-11-27", 2), ("v3", 3), ("HEAD", kept)):
            assert resolve(ws, engine, name).number == number
        assert check(ws, engine).problems == ()
    assert numbers(ws) == [5, 4, 3, 2]
    assert line_of(ws).trouble is None
    repo.git("fsck", "--strict")
