"""Real operations of git, stopped half-way: what is under way, who holds the branch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitstate.git.operations import (
    holder_of,
    under_way,
    worktree_dirs,
    worktree_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support import Repo

STATE = "refs/heads/agent-state"


def conflict(repo: Repo) -> None:
    """Two branches that changed one line: ``main`` and ``side``."""
    repo.git("checkout", "-q", "-b", "side")
    repo.commit(text="theirs\n")
    repo.commit(text="theirs again\n")
    repo.git("checkout", "-q", "main")
    repo.commit(text="ours\n")


def rebase(repo: Repo) -> None:
    conflict(repo)
    repo.git("checkout", "-q", "side")
    repo.git("rebase", "main", check=False)


def rebase_apply(repo: Repo) -> None:
    conflict(repo)
    repo.git("checkout", "-q", "side")
    repo.git("rebase", "--apply", "main", check=False)


def merge(repo: Repo) -> None:
    conflict(repo)
    repo.git("merge", "side", check=False)


def cherry_pick(repo: Repo) -> None:
    conflict(repo)
    repo.git("cherry-pick", "main..side", check=False)


def cherry_pick_between(repo: Repo) -> None:
    cherry_pick(repo)
    repo.git("reset", "-q", "--hard")  # CHERRY_PICK_HEAD goes, the sequencer stays


def revert(repo: Repo) -> None:
    repo.commit(text="2\n")
    repo.commit(text="3\n")
    repo.git("revert", "--no-edit", "HEAD~1", check=False)


def am(repo: Repo) -> None:
    conflict(repo)
    patch = repo.git("format-patch", "--stdout", "main..side")
    repo.git("am", check=False, stdin=patch.encode() + b"\n")


def bisect(repo: Repo) -> None:
    repo.commit(text="2\n")
    repo.commit(text="3\n")
    repo.git("bisect", "start", "HEAD", "HEAD~2")


OPERATIONS: dict[Callable[[Repo], None], str] = {
    rebase: "rebase",
    rebase_apply: "rebase",
    merge: "merge",
    cherry_pick: "cherry-pick",
    cherry_pick_between: "cherry-pick or revert",
    revert: "revert",
    am: "am",
    bisect: "bisect",
}


@pytest.mark.parametrize("start", OPERATIONS, ids=lambda start: start.__name__)
def test_an_operation_is_known_while_it_is_under_way(
    repo: Repo, start: Callable[[Repo], None]
) -> None:
    git_dir = repo.path / ".git"
    assert under_way(git_dir) is None

    start(repo)

    assert under_way(git_dir) == OPERATIONS[start]
    command = OPERATIONS[start].split(" ", maxsplit=1)[0]
    repo.git(command, "reset" if command == "bisect" else "--abort")
    assert under_way(git_dir) is None


def test_an_operation_is_one_worktrees(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    merge(repo)
    linked = repo.path / ".git" / "worktrees" / "linked"

    assert under_way(repo.path / ".git") == "merge"
    assert under_way(linked) is None
    assert worktree_dirs(repo.path / ".git") == [repo.path / ".git", linked]


def test_nobody_holds_a_branch_that_is_not_checked_out(repo: Repo) -> None:
    repo.git("branch", "agent-state")
    repo.git("branch", "agent-state-2")
    repo.git("checkout", "-q", "agent-state-2")

    assert holder_of(repo.path / ".git", STATE) is None


def test_a_checked_out_branch_is_held(repo: Repo, tmp_path: Path) -> None:
    git_dir = repo.path / ".git"
    repo.git("worktree", "add", "-q", "-b", "agent-state", str(tmp_path / "x"))
    assert holder_of(git_dir, STATE) == git_dir / "worktrees" / "x"
    assert (
        worktree_of(git_dir / "worktrees" / "x") == (repo.path.parent / "x").resolve()
    )
    assert worktree_of(git_dir) == repo.path

    repo.git("worktree", "remove", str(tmp_path / "x"))
    assert holder_of(git_dir, STATE) is None
    repo.git("checkout", "-q", "agent-state")
    assert holder_of(git_dir, STATE) == git_dir


@pytest.mark.parametrize("how", ["merge", "apply"])
def test_a_branch_is_held_while_it_is_rebased(repo: Repo, how: str) -> None:
    conflict(repo)
    repo.git("checkout", "-q", "side")
    repo.git("branch", "-m", "agent-state")
    repo.git("rebase", f"--{how}", "main", check=False)

    assert repo.git("symbolic-ref", "-q", "HEAD", check=False) == ""
    assert holder_of(repo.path / ".git", STATE) == repo.path / ".git"
    repo.git("rebase", "--abort")
    repo.git("checkout", "-q", "main")
    assert holder_of(repo.path / ".git", STATE) is None


def test_a_branch_is_held_while_it_is_bisected(repo: Repo) -> None:
    repo.commit(text="2\n")
    repo.commit(text="3\n")
    repo.git("checkout", "-q", "-b", "agent-state")
    repo.git("bisect", "start", "HEAD", "HEAD~2")

    assert repo.git("symbolic-ref", "-q", "HEAD", check=False) == ""
    assert holder_of(repo.path / ".git", STATE) == repo.path / ".git"
    repo.git("bisect", "reset")
    repo.git("checkout", "-q", "main")
    assert holder_of(repo.path / ".git", STATE) is None


def test_an_unborn_branch_is_held_too(repo: Repo) -> None:
    repo.git("checkout", "-q", "--orphan", "agent-state")

    assert holder_of(repo.path / ".git", STATE) == repo.path / ".git"
