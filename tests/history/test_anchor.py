"""What is known of a repository outside of it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import threading
import time
from typing import TYPE_CHECKING

import pytest

from gitstate import lock
from gitstate.errors import CannotWrite
from gitstate.history import anchor
from gitstate.history.anchor import (
    Anchor,
    announce,
    announced,
    arrived,
    ensure_id,
    heads_folder,
    read_anchors,
    read_life,
    repository_id,
    withdraw,
    write_anchor,
)
from gitstate.history.line import engine_for, read_line
from gitstate.workspace import Workspace
from tests.engines import begun, edit, versions
from tests.support import Repo

if TYPE_CHECKING:
    from pathlib import Path

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


def test_a_writer_that_is_held_up_without_flock_undoes_no_others_anchor(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has read the file of all lines, and writes it after another version came."""
    for number in (2, 3):
        edit(ws, f"{number}\n")
    three, two, _ = (one.commit.id for one in versions(ws))
    write_anchor(ws, ws.line, None)
    announce(ws, two)
    announce(ws, three)
    has_read, may_write = threading.Event(), threading.Event()
    read = anchor._read  # noqa: SLF001 where it is held up

    def held_up(path: Path) -> dict[str, Anchor]:
        found = read(path)
        if threading.current_thread() is slow:
            has_read.set()
            assert may_write.wait(30)
        return found

    slow = threading.Thread(target=arrived, args=(ws, Anchor(two, 2, read_life(ws))))
    with monkeypatch.context() as patch:
        patch.setattr(lock, "is_held", lambda _: False)
        patch.setattr(anchor, "_WAIT_S", 0.1)
        patch.setattr(anchor, "_read", held_up)
        slow.start()
        assert has_read.wait(30)
        with contextlib.suppress(CannotWrite):
            arrived(ws, Anchor(three, 3, read_life(ws)))
        may_write.set()
        slow.join()

    with engine_for(ws) as engine:
        line = read_line(ws, engine)
    assert (line.trouble, line.strangers, line.version) == (None, (), 3)


def test_the_id_knows_its_place(repo: Repo, ws: Workspace) -> None:
    found = json.loads((ws.shared / "id").read_text())
    status = (repo.path / ".git").stat()

    assert found.keys() == {"id", "dev", "inode", "path"}
    assert (found["dev"], found["inode"]) == (status.st_dev, status.st_ino)
    assert found["path"] == str(repo.path / ".git")
    assert len(found["id"]) == 32
    assert ensure_id(ws) is None


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


def test_a_later_version_is_not_written_over(ws: Workspace) -> None:
    write_anchor(ws, "agent-state", Anchor(HEAD, 9, ""))

    arrived(ws, Anchor("b" * 40, 8, ""))

    assert read_anchors(ws)["agent-state"] == Anchor(HEAD, 9, "")


def test_announcements_come_and_go(ws: Workspace) -> None:
    announce(ws, "a" * 40)
    announce(ws, "b" * 40)
    assert list(announced(ws)) == ["a" * 40, "b" * 40]

    arrived(ws, Anchor("a" * 40, 9, ""))
    assert list(announced(ws)) == ["b" * 40]
    withdraw(ws, "b" * 40)
    withdraw(ws, "c" * 40)
    assert announced(ws) == {}


def test_old_announcements_of_this_line_are_forgotten(
    repo: Repo, ws: Workspace, tmp_path: Path
) -> None:
    repo.git("worktree", "add", "-q", str(tmp_path / "side"))
    side = begun(Repo(tmp_path / "side"))
    folder = heads(ws).with_name(f"{heads(ws).name}.coming")
    announce(ws, "a" * 40)
    announce(side, "b" * 40)
    for path in folder.iterdir():
        os.utime(path, (1, 1))
    announce(ws, "c" * 40)

    withdraw(ws, "d" * 40)

    assert list(announced(ws)) == ["b" * 40, "c" * 40]
    assert announced(ws)["c" * 40] > time.time() - 60


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
