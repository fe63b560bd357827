"""Versions that are just being put on a line."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from typing import TYPE_CHECKING

import pytest

from gitstate import lock
from gitstate.errors import CannotWrite
from gitstate.history import anchor, announcements
from gitstate.history.anchor import Anchor, read_anchors, write_anchor
from gitstate.history.announcements import announce, announced, arrived, withdraw
from gitstate.history.identity import heads_folder, read_life, repository_id
from gitstate.history.line import engine_for, read_line
from tests.engines import begun, edit, versions
from tests.support import Repo

if TYPE_CHECKING:
    from pathlib import Path

    from gitstate.workspace import Workspace

HEAD = "3f2a" * 10


@pytest.fixture
def ws(repo: Repo) -> Workspace:
    return begun(repo)


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
    read = anchor.read_heads

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
        patch.setattr(announcements, "read_heads", held_up)
        slow.start()
        assert has_read.wait(30)
        with contextlib.suppress(CannotWrite):
            arrived(ws, Anchor(three, 3, read_life(ws)))
        may_write.set()
        slow.join()

    with engine_for(ws) as engine:
        line = read_line(ws, engine)
    assert (line.trouble, line.strangers, line.version) == (None, (), 3)


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
    folder = heads_folder() / f"{repository_id(ws)}.coming"
    announce(ws, "a" * 40)
    announce(side, "b" * 40)
    for path in folder.iterdir():
        os.utime(path, (1, 1))
    announce(ws, "c" * 40)

    withdraw(ws, "d" * 40)

    assert list(announced(ws)) == ["b" * 40, "c" * 40]
    assert announced(ws)["c" * 40] > time.time() - 60
