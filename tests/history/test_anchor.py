"""What is known of a repository's lines outside of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gitstate.history.anchor import Anchor, read_anchors, write_anchor
from gitstate.history.announcements import announce, announced
from gitstate.history.identity import heads_folder, read_life, repository_id
from gitstate.workspace import Workspace
from tests.engines import begun, edit, versions

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo

HEAD = "3f2a" * 10


@pytest.fixture
def ws(repo: Repo) -> Workspace:
    return begun(repo)


def heads(ws: Workspace) -> Path:
    return heads_folder() / str(repository_id(ws))


def test_each_version_moves_the_anchor(repo: Repo, ws: Workspace, home: Path) -> None:
    edit(ws, "two\n")
    newest = versions(ws)[0].commit.id

    assert heads_folder() == home / ".state" / "gitstate" / "heads"
    assert json.loads(heads(ws).read_text()) == {
        "path": str(repo.path / ".git"),
        "lines": {"agent-state": {"head": newest, "version": 2, "life": read_life(ws)}},
    }
    assert read_anchors(ws) == {"agent-state": Anchor(newest, 2, read_life(ws))}
    assert heads(ws).stat().st_mode & 0o777 == 0o600
    assert heads_folder().stat().st_mode & 0o777 == 0o700
    assert announced(ws) == {}


def test_before_init_there_is_none(repo: Repo) -> None:
    ws = Workspace.open(repo.path)

    assert repository_id(ws) is None
    assert read_anchors(ws) == {}
    write_anchor(ws, "agent-state", Anchor(HEAD, 1, ""))
    announce(ws, HEAD)
    assert not heads_folder().exists()


def test_anchors_of_several_lines(ws: Workspace) -> None:
    own = read_anchors(ws)["agent-state"]
    other = Anchor(HEAD, 7, "x", ("a1" * 20,), "b2" * 20)
    write_anchor(ws, "agent-state.side", other)

    assert read_anchors(ws) == {"agent-state": own, "agent-state.side": other}
    write_anchor(ws, "agent-state.side", Anchor(HEAD, 8, "x", (), ""))
    assert read_anchors(ws)["agent-state.side"].branch == ""
    write_anchor(ws, "agent-state.side", None)
    assert read_anchors(ws) == {"agent-state": own}


@pytest.mark.parametrize(
    "line",
    [
        3,
        [],
        {},
        {"head": HEAD},
        {"head": HEAD, "version": "x"},
        {"head": "no hex", "version": 1},
        {"head": HEAD, "version": 1, "strangers": 3},
        {"head": HEAD, "version": 1, "strangers": ["x"]},
        {"head": HEAD, "version": 1, "branch": "x"},
        {"head": None, "version": 1},
    ],
)
def test_a_line_that_is_garbled_is_not_known(ws: Workspace, line: object) -> None:
    own = read_anchors(ws)["agent-state"]
    found = json.loads(heads(ws).read_text())
    found["lines"]["broken"] = line
    heads(ws).write_text(json.dumps(found))

    assert read_anchors(ws) == {"agent-state": own}


def test_only_the_first_strangers_are_kept(ws: Workspace) -> None:
    many = tuple(f"{at:040x}" for at in range(40))
    write_anchor(ws, "agent-state", Anchor(HEAD, 9, "", many))

    assert read_anchors(ws)["agent-state"].strangers == many[:16]


def test_a_folder_outside_that_cannot_be_written(repo: Repo, home: Path) -> None:
    """Versions are made all the same, and the cache inside is the second anchor."""
    (home / ".state").mkdir(exist_ok=True)
    (home / ".state" / "gitstate").write_text("in the way\n")
    ws = begun(repo)

    assert edit(ws, "two\n").version == 2
    assert read_anchors(ws) == {}
    repo.git("branch", "-D", "agent-state")
    outcome = edit(ws, "three\n")
    assert outcome.version == 3
    assert outcome.notices[0].startswith("the branch agent-state is gone")
