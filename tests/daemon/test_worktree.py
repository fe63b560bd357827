from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from gitstate.daemon.registry import Entry
from gitstate.daemon.worktree import REOPEN_S, MissingError, Worktree
from gitstate.errors import GitFailed
from gitstate.workspace import Workspace
from tests.support import Repo, make_repo

if TYPE_CHECKING:
    from pathlib import Path


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def entry(repo: Repo) -> Entry:
    return Entry.of(Workspace.open(repo.path))


def test_it_is_opened_once(repo: Repo) -> None:
    worktree = Worktree(entry(repo))
    first, anew = worktree.workspace()
    assert anew
    assert worktree.workspace() == (first, False)
    assert worktree.workspace()[0] is first
    assert worktree.opened is first


@pytest.mark.parametrize("scope", ["--local", "--global", "--worktree"])
def test_changed_settings_are_read_anew(repo: Repo, scope: str) -> None:
    repo.git("config", "extensions.worktreeConfig", "true")
    worktree = Worktree(entry(repo))
    assert worktree.workspace()[0].settings.quiet_ms == 300
    repo.git("config", scope, "gitstate.quietMs", "50")
    ws, anew = worktree.workspace()
    assert (ws.settings.quiet_ms, anew) == (50, True)
    assert worktree.workspace()[1] is False


def test_an_included_file_counts(repo: Repo, home: Path) -> None:
    (home / "more").write_text("[gitstate]\n\tquietMs = 60\n")
    repo.git("config", "--global", "include.path", "~/more")
    worktree = Worktree(entry(repo))
    assert worktree.workspace()[0].settings.quiet_ms == 60
    (home / "more").write_text("[gitstate]\n\tquietMs = 7000\n")
    assert worktree.workspace()[0].settings.quiet_ms == 7000


def test_it_is_opened_anew_now_and_then(repo: Repo) -> None:
    clock = Clock()
    worktree = Worktree(entry(repo), clock=clock)
    worktree.workspace()
    clock.now += REOPEN_S - 1
    assert worktree.workspace()[1] is False
    clock.now += 2
    assert worktree.workspace()[1] is True


def test_what_is_deleted_is_gone(repo: Repo) -> None:
    worktree = Worktree(entry(repo))
    worktree.workspace()
    shutil.rmtree(repo.path)
    with pytest.raises(MissingError, match="is gone") as caught:
        worktree.workspace()
    assert caught.value.gone
    assert worktree.opened is None


def test_what_lost_its_git_dir_is_gone(tmp_path: Path) -> None:
    make_repo(tmp_path / "outer")
    inner = make_repo(tmp_path / "outer" / "inner")
    worktree = Worktree(entry(inner))
    shutil.rmtree(inner.path / ".git")  # it lies in the outer repository now
    with pytest.raises(MissingError) as caught:
        worktree.workspace()
    assert caught.value.gone
    (inner.path / ".git").mkdir()
    with pytest.raises(MissingError, match="no worktree of its own") as caught:
        worktree.workspace()
    assert caught.value.gone


def test_what_lies_on_a_file_system_that_is_not_mounted_is_not_gone(
    repo: Repo, tmp_path: Path
) -> None:
    known = replace(entry(repo), root=tmp_path / "usb" / "repo", mount=tmp_path / "usb")
    (tmp_path / "usb").mkdir()
    with pytest.raises(MissingError, match="usb is not mounted") as caught:
        Worktree(known).workspace()
    assert not caught.value.gone


def test_what_git_refuses_is_a_failure_and_opens_later(repo: Repo) -> None:
    worktree = Worktree(entry(repo))
    config = repo.path / ".git" / "config"
    text = config.read_text()
    config.write_text("[broken")
    with pytest.raises(GitFailed):
        worktree.workspace()
    config.write_text(text)
    assert worktree.workspace()[1]
