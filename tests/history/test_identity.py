"""Which repository this is."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from gitstate.history.anchor import read_anchors
from gitstate.history.identity import ensure_id, read_life, repository_id
from gitstate.workspace import Workspace
from tests.engines import begun, edit
from tests.support import Repo

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def ws(repo: Repo) -> Workspace:
    return begun(repo)


def test_the_id_knows_its_place(repo: Repo, ws: Workspace) -> None:
    found = json.loads((ws.shared / "id").read_text())
    status = (repo.path / ".git").stat()

    assert found.keys() == {"id", "dev", "inode", "path"}
    assert (found["dev"], found["inode"]) == (status.st_dev, status.st_ino)
    assert found["path"] == str(repo.path / ".git")
    assert len(found["id"]) == 32
    assert ensure_id(ws) is None


def test_a_removed_id_is_found_again_by_place_and_life(ws: Workspace) -> None:
    before = repository_id(ws)
    (ws.shared / "id").unlink()

    assert read_anchors(ws)["agent-state"].version == 1
    edit(ws, "two\n")

    assert repository_id(ws) == before


def test_across_file_systems_the_old_place_decides(repo: Repo, ws: Workspace) -> None:
    """A copy on another device, or the same place seen from inside a container."""
    path = ws.shared / "id"
    found = json.loads(path.read_text())
    path.write_text(json.dumps({**found, "dev": 1, "inode": 2, "path": "/gone/.git"}))
    assert ensure_id(ws) is None
    assert json.loads(path.read_text()) == found

    copy = repo.path.parent / "copy"
    shutil.copytree(repo.path, copy, symlinks=True)
    there = Workspace.open(copy)
    assert repository_id(there) is None
    assert ensure_id(there) == (
        f"this repository is a copy of {ws.common_dir}; it got an id of its own"
    )
    assert repository_id(there) not in {None, found["id"]}
    assert ensure_id(there) is None


def test_a_life_is_one_worktrees(repo: Repo, ws: Workspace, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", str(tmp_path / "side"))
    side = begun(Repo(tmp_path / "side"))

    assert len(read_life(ws)) == 32
    assert read_life(side) not in {"", read_life(ws)}
    (side.runtime / "life").write_bytes(b"\xff")
    assert read_life(side) == ""
