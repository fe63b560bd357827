"""Line, archive and notes to and from a remote, and never anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitstate.errors import GitFailed, Refused
from gitstate.history.remote import fetch, push, remote_name
from gitstate.workspace import Workspace
from tests.engines import (
    begun,
    cloned,
    edit,
    files_on_disk,
    init,
    line_of,
    numbers,
    snap,
)
from tests.support import Repo, make_repo

if TYPE_CHECKING:
    from pathlib import Path

    from tests.engines import Kind


def test_versions_go_over_and_the_files_follow(repo: Repo, remote: Repo) -> None:
    ws = Workspace.open(repo.path)
    clone = cloned(remote)
    there = init(clone)
    edit(there, "four, in the clone\n")
    (there.state_dir / "sub" / "run.sh").unlink()
    snap(there)
    pushed = push(there, "origin")
    assert pushed.refs == ("refs/heads/agent-state",)

    done = fetch(ws, "origin")

    assert (done.before, done.after) == (3, 5)
    assert numbers(ws) == [5, 4, 3, 2, 1]
    assert files_on_disk(ws) == files_on_disk(there)
    assert line_of(ws).trouble is None
    assert not snap(ws).changed
    again = fetch(ws, "origin")
    assert (again.before, again.after) == (5, 5)
    repo.git("branch", "-D", "agent-state")
    assert edit(ws, "six\n").version == 6


def test_nothing_else_is_pushed(repo: Repo, remote: Repo) -> None:
    repo.git("checkout", "-q", "-b", "secret")
    repo.commit("secret.txt")
    repo.git("tag", "t1")
    repo.git("config", "push.followTags", "true")
    repo.git("config", "push.default", "matching")
    before = remote.git("for-each-ref", "--format=%(refname)").splitlines()
    ws = Workspace.open(repo.path)
    edit(ws, "four\n")

    push(ws, "origin")

    assert remote.git("for-each-ref", "--format=%(refname)").splitlines() == before
    assert before == ["refs/heads/agent-state", "refs/heads/main"]
    assert remote.git("rev-parse", "agent-state") == repo.git(
        "rev-parse", "agent-state"
    )
    assert repo.git("rev-parse", "origin/agent-state") == repo.git(
        "rev-parse", "agent-state"
    )


def test_diverged_lines_are_refused_both_ways(repo: Repo, remote: Repo) -> None:
    ws = Workspace.open(repo.path)
    clone = cloned(remote)
    there = init(clone)
    edit(there, "four, in the clone\n")
    push(there, "origin")
    edit(ws, "four, here\n")
    before = files_on_disk(ws), repo.git("rev-parse", "agent-state")

    with pytest.raises(Refused) as caught:
        push(ws, "origin")
    assert str(caught.value).startswith(
        "origin has versions that this repository lacks: nothing of the line was "
        "overwritten; run `gitstate fetch origin` first"
    )
    with pytest.raises(Refused) as caught:
        fetch(ws, "origin")
    theirs = clone.git("rev-parse", "agent-state")[:12]
    assert str(caught.value) == (
        "the line here (v4) and the one of origin (v4) went different ways after v3: "
        f"`gitstate diff HEAD {theirs}` compares them, `gitstate fetch --theirs origin` "
        "goes on from the remote's and keeps ours within reach"
    )

    assert before == (files_on_disk(ws), repo.git("rev-parse", "agent-state"))
    assert remote.git("rev-parse", "agent-state") == clone.git(
        "rev-parse", "agent-state"
    )
    assert repo.git("rev-parse", "origin/agent-state") == clone.git(
        "rev-parse", "agent-state"
    )


def test_edits_here_keep_the_line_where_it_is(repo: Repo, remote: Repo) -> None:
    ws = Workspace.open(repo.path)
    clone = cloned(remote)
    there = init(clone)
    edit(there, "four, in the clone\n")
    push(there, "origin")
    (ws.state_dir / "02-current-task.md").write_text("not yet in a version\n")

    with pytest.raises(Refused, match="the files differ from v3"):
        fetch(ws, "origin")

    assert (ws.state_dir / "02-current-task.md").read_text() == "not yet in a version\n"
    assert numbers(ws) == [3, 2, 1]


def test_a_remote_without_a_line(repo: Repo, kind: Kind, tmp_path: Path) -> None:
    ws = begun(repo)
    empty = make_repo(tmp_path / "empty", object_format=kind.object_format)
    repo.git("remote", "add", "origin", str(empty.path))

    with pytest.raises(Refused, match="origin has no line agent-state"):
        fetch(ws, "origin")


def test_a_refusal_of_the_remotes_hook_is_told_as_one(repo: Repo, remote: Repo) -> None:
    hook = remote.path / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho no state here >&2\nexit 1\n")
    hook.chmod(0o755)
    ws = Workspace.open(repo.path)
    edit(ws, "four\n")

    with pytest.raises(Refused) as caught:
        push(ws, "origin")

    assert "pre-receive hook declined" in str(caught.value)
    assert "versions that this repository lacks" not in str(caught.value)


def test_the_users_hooks_do_not_see_the_push(repo: Repo, remote: Repo) -> None:
    ran = repo.path / ".git" / "ran"
    hook = repo.path / ".git" / "hooks" / "pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {ran}\nexit 1\n")
    hook.chmod(0o755)
    ws = Workspace.open(repo.path)
    edit(ws, "four\n")

    push(ws, "origin")

    assert not ran.exists()
    assert remote.git("rev-parse", "agent-state") == repo.git(
        "rev-parse", "agent-state"
    )


def test_archives_and_notes_go_over(repo: Repo, remote: Repo) -> None:
    ws = Workspace.open(repo.path)
    head = repo.git("rev-parse", "HEAD")
    old = repo.git("rev-parse", "agent-state~1")
    repo.git("update-ref", "refs/gitstate/archive/agent-state/2026-11-28", old)
    repo.git("notes", "--ref=gitstate", "add", "-m", "State-Version: 3", head)
    clone = cloned(remote)
    there = init(clone)

    pushed = push(ws, "origin")
    fetch(there, "origin")

    assert pushed.refs == (  # the line was there already
        "refs/gitstate/archive/agent-state/2026-11-28",
        "refs/notes/gitstate",
    )
    assert push(ws, "origin").refs == ()
    assert clone.git("rev-parse", "refs/gitstate/archive/agent-state/2026-11-28") == old
    assert "State-Version: 3" in clone.git("notes", "--ref=gitstate", "show", head)


def test_with_prune_configured_nothing_of_ours_is_pruned(
    repo: Repo, remote: Repo
) -> None:
    for key in ("fetch.prune", "fetch.pruneTags", "remote.origin.prune"):
        repo.git("config", key, "true")
    old = repo.git("rev-parse", "agent-state~1")
    repo.git("update-ref", "refs/gitstate/archive/agent-state/2026-11-28", old)
    repo.git("tag", "mine")
    ws = Workspace.open(repo.path)

    fetch(ws, "origin")

    assert repo.git("rev-parse", "refs/gitstate/archive/agent-state/2026-11-28") == old
    assert repo.git("tag") == "mine"
    assert remote.git("tag") == ""


def test_while_the_branch_is_checked_out_nothing_moves(
    repo: Repo, remote: Repo, tmp_path: Path
) -> None:
    ws = Workspace.open(repo.path)
    clone = cloned(remote)
    there = init(clone)
    edit(there, "four, in the clone\n")
    push(there, "origin")
    repo.git("worktree", "add", "-q", str(tmp_path / "x"), "agent-state")
    before = repo.git("rev-parse", "agent-state"), files_on_disk(ws)

    with pytest.raises(Refused, match="agent-state"):
        fetch(ws, "origin")

    assert before == (repo.git("rev-parse", "agent-state"), files_on_disk(ws))
    assert Repo(tmp_path / "x").git("status", "--porcelain") == ""


def test_which_remote(repo: Repo) -> None:
    ws = begun(repo)
    with pytest.raises(Refused, match="this repository has no remote; add one"):
        remote_name(ws, None)
    repo.git("remote", "add", "backup", "/nowhere")
    assert remote_name(ws, None) == "backup"
    repo.git("remote", "add", "fork", "/nowhere")
    with pytest.raises(Refused, match="which remote\\? name one of backup, fork"):
        remote_name(ws, None)
    repo.git("remote", "add", "origin", "/nowhere")
    assert remote_name(ws, None) == "origin"
    assert remote_name(ws, "fork") == "fork"
    with pytest.raises(Refused) as caught:
        remote_name(ws, "banana")
    assert str(caught.value) == (
        "there is no remote 'banana' (known: backup, fork, origin)"
    )


def test_a_remote_that_cannot_be_reached(repo: Repo) -> None:
    repo.git("remote", "add", "origin", "/nowhere/at/all")
    ws = begun(repo)

    for exchange in (push, fetch):
        with pytest.raises(GitFailed) as caught:
            exchange(ws, "origin")
        assert "\n" not in str(caught.value)
        assert "/nowhere/at/all" in str(caught.value)
    assert numbers(ws) == [1]
