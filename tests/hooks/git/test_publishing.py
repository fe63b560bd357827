"""The agent's state goes out by a plain push only where that was allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.hooks.git.coding import NOTES, Coder, Ran
from tests.hooks.git.effects import Scene
from tests.hooks.git.pushing import Pusher, check, names, pusher, said, stale
from tests.support import Repo

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["pusher"]


def stopped(*refs: str, to: str = "origin") -> str:
    return (
        f"nothing was sent: this push would publish the agent's state to {to} "
        f"({', '.join(refs)}); allow it with `git config gitstate.push true`, or send it "
        "with `gitstate push`"
    )


LINE = "refs/heads/agent-state"
ARCHIVE = "refs/gitstate/archive/agent-state/2026-11-28"


@pytest.mark.parametrize(
    ("words", "refs"),
    [
        (["--all"], [LINE]),
        (["--mirror"], [ARCHIVE, LINE, NOTES]),
        (["agent-state"], [LINE]),
        (["main", "agent-state:refs/heads/backup"], ["refs/heads/backup"]),
        (["main", "HEAD:refs/heads/agent-state.x"], ["refs/heads/agent-state.x"]),
        ([ARCHIVE], [ARCHIVE]),
        (["refs/notes/*:refs/notes/*"], [NOTES]),
    ],
)
def test_our_refs_do_not_go_out_by_accident(
    pusher: Pusher, words: list[str], refs: list[str]
) -> None:
    coder = pusher.coder
    coder.repo.git("update-ref", ARCHIVE, "agent-state")
    coder.commit(updated=True)
    before = pusher.there()
    ran = pusher.push(*words, settings=("gitstate.gatePush=off",))
    assert (ran.code, said(ran)) == (1, [stopped(*refs)])
    assert pusher.push(*words, env={"GITSTATE_SKIP": "1"}).code == 1
    assert pusher.there() == before
    assert pusher.push(*words, settings=("gitstate.push=true",)) == Ran(0, "")
    assert set(refs) <= pusher.there().keys()


def test_what_gitstate_push_has_sent_plain_git_may_send_again(pusher: Pusher) -> None:
    coder = pusher.coder
    coder.scene.gitstate("push")
    coder.commit(updated=True)
    coder.link()
    assert pusher.push("--all") == Ran(0, "")
    assert pusher.there()[LINE] == coder.repo.git("rev-parse", "agent-state")
    assert pusher.push("--delete", "agent-state") == Ran(0, "")
    assert said(pusher.push("--all")) == [stopped(LINE)]


def test_a_branch_with_a_like_name_is_code(pusher: Pusher) -> None:
    pusher.coder.git("switch", "-q", "-c", "agent-stateful")
    stale(pusher, "code")
    ran = pusher.push("agent-stateful")
    assert (ran.code, names(ran)) == (1, ["code"])


def test_the_branch_has_the_name_that_is_set(pusher: Pusher) -> None:
    coder = pusher.coder
    coder.repo.git("branch", "elsewhere", "agent-state")
    coder.repo.git("config", "gitstate.branch", "elsewhere")
    assert said(pusher.push("elsewhere")) == [stopped("refs/heads/elsewhere")]
    stale(pusher, "one")
    assert names(pusher.push("main")) == ["one"]


def test_versions_are_no_code_under_any_name(pusher: Pusher) -> None:
    coder = pusher.coder
    coder.commit(updated=True)
    coder.link()
    version = coder.repo.git("rev-parse", "agent-state")
    assert pusher.push(f"{version}:refs/heads/copy") == Ran(0, "")
    assert coder.text(version) == ""


@pytest.mark.parametrize("there", [True, False])
def test_from_a_worktree_that_is_not_set_up(
    tmp_path: Path, pusher: Pusher, *, there: bool
) -> None:
    """The state of one worktree can go out with a push from any other."""
    coder = pusher.coder
    coder.git("worktree", "add", "-q", "../tree")
    tree = Coder(Scene(Repo(tmp_path / "tree"), tmp_path / "log"))
    refs = [LINE]
    if there:
        tree.scene.gitstate("init", "--no-daemon")
        refs.append("refs/heads/agent-state.tree")
        (coder.runtime / "life").unlink()
        tree = coder
    tree.code()
    tree.git("commit", "-q", "-m", "not judged")
    ran = Pusher(tree, pusher.remote).push("--all")
    assert (ran.code, said(ran)) == (1, [stopped(*refs)])
    assert Pusher(tree, pusher.remote).push("HEAD") == Ran(0, "")


def test_where_gitstate_never_was_nothing_is_stopped(pusher: Pusher) -> None:
    pusher.coder.scene.gitstate("uninstall")
    stale(pusher, "one")
    assert pusher.push("--mirror") == Ran(0, "")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://me:secret@host/x@y.git", "https://host/x@y.git"),
        ("https://me@host:1/x.git", "https://host:1/x.git"),
        ("git@host:x.git", "git@host:x.git"),
        ("../a\nb", r"../a\nb"),
    ],
)
def test_a_password_in_a_url_is_not_shown(pusher: Pusher, url: str, shown: str) -> None:
    line = f"{LINE} {'1' * 40} {LINE} {'0' * 40}\n"
    done = check(pusher, url, line)
    assert (done.returncode, done.stderr) == (
        1,
        f"gitstate: {stopped(LINE, to=shown)}\n",
    )
