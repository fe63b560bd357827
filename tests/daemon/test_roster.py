from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.daemon import registry
from gitstate.daemon.logs import Log
from gitstate.daemon.registry import Entry
from gitstate.daemon.roster import Roster
from gitstate.workspace import Workspace, state_home
from tests.support import Repo, make_repo

if TYPE_CHECKING:
    from pathlib import Path


def test_a_registry_that_was_garbled_meanwhile_loses_no_worktree(
    repo: Repo, tmp_path: Path
) -> None:
    ws = Workspace.open(repo.path)
    other = Workspace.open(make_repo(tmp_path / "other").path)
    registry.add(ws)
    roster = Roster(state_home(), Log(state_home()))
    assert roster.changed() == {ws.root: Entry.of(ws)}
    assert roster.changed() is None
    (state_home() / "registry.json").write_bytes(b"garbage")
    assert roster.changed() == {ws.root: Entry.of(ws)}
    assert registry.listing().entries == (Entry.of(ws),)
    registry.add(other)
    found = roster.changed()
    assert found == {ws.root: Entry.of(ws), other.root: Entry.of(other)}
    registry.remove(ws.root)
    assert roster.changed() == {other.root: Entry.of(other)}


def test_what_a_command_mended_first_loses_no_worktree_either(
    repo: Repo, tmp_path: Path
) -> None:
    ws = Workspace.open(repo.path)
    other = Workspace.open(make_repo(tmp_path / "other").path)
    registry.add(ws)
    roster = Roster(state_home(), Log(state_home()))
    assert roster.changed() == {ws.root: Entry.of(ws)}
    (state_home() / "registry.json").write_bytes(b"garbage")
    registry.add(other)
    both = {ws.root: Entry.of(ws), other.root: Entry.of(other)}
    assert roster.changed() == both
    registry.remove(ws.root)
    assert roster.changed() == {other.root: Entry.of(other)}
    assert roster.changed() is None
