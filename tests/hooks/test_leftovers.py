from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from gitstate.hooks.leftovers import sweep

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def dead() -> int:
    """The id of a process that is gone."""
    with subprocess.Popen(["true"]) as ended:
        return ended.pid


def beside(path: Path, pid: int) -> Path:
    made = path.with_name(f"{path.name}.{pid}-0123abcd.tmp")
    made.write_text("half")
    return made


def test_only_what_a_dead_process_left_goes(tmp_path: Path, dead: int) -> None:
    ours = tmp_path / "settings.json"
    ours.write_text("{}")
    other = beside(tmp_path / "notes.txt", dead)
    living = [beside(ours, os.getpid()), beside(ours, os.getppid())]
    left = beside(ours, dead)

    sweep([tmp_path, tmp_path / "none"], [ours.name])

    assert set(tmp_path.iterdir()) == {ours, other, *living}
    assert not left.exists()


def test_gits_lock_goes_where_it_is_the_dead_ones(tmp_path: Path, dead: int) -> None:
    config, theirs = tmp_path / "config", tmp_path / "config.worktree"
    lock = config.with_name("config.lock")
    lock.hardlink_to(beside(config, dead))
    stranger = theirs.with_name("config.worktree.lock")
    stranger.write_text("half")
    beside(theirs, dead)

    sweep([tmp_path], [config.name, theirs.name])

    assert list(tmp_path.iterdir()) == [stranger]
