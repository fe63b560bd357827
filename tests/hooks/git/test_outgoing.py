"""Before a push: what of it came without an update, and what must not go out by accident."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.hooks.git.coding import NOTES, Ran
from tests.hooks.git.effects import add_hook
from tests.hooks.git.pushing import BLOCK, Pusher, check, names, pusher, said, stale
from tests.support import Repo

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["pusher"]
TASK = ".agent-state/02-current-task.md"
OFF = ("core.hooksPath=/dev/null",)
SETTLE = "settle one with: gitstate flags --resolve COMMIT --reason TEXT"
REFUSED = (
    "refused: settle each with gitstate flags --resolve COMMIT --reason TEXT, "
    "or push once with GITSTATE_SKIP=1 git push"
)


# what it says, and what it stops


def test_a_push_with_updates_is_silent(pusher: Pusher) -> None:
    pusher.coder.commit(updated=True)
    assert pusher.push("main") == Ran(0, "")


def test_warn_is_the_default_and_the_push_goes_on(pusher: Pusher) -> None:
    commit = stale(pusher, "one")
    what = f"1 commit goes out without an update of {TASK}: {commit[:12]} (one)"
    ran = pusher.push("main", settings=())
    assert (ran.code, said(ran)) == (0, [what, SETTLE])
    assert pusher.there()["refs/heads/main"] == commit


def test_block_sends_nothing_until_each_is_settled(pusher: Pusher) -> None:
    before = pusher.there()
    one, two = stale(pusher, "one"), stale(pusher, "two")
    what = (
        f"2 commits go out without an update of {TASK}: "
        f"{two[:12]} (two), {one[:12]} (one)"
    )
    ran = pusher.push("main")
    assert (ran.code, said(ran)) == (1, [what, REFUSED])
    assert pusher.there() == before
    for commit in (one, two):
        pusher.coder.scene.gitstate("flags", "--resolve", commit, "--reason", "small")
    assert pusher.push("main") == Ran(0, "")
    assert pusher.there()["refs/heads/main"] == two


def test_many_are_counted_and_five_are_named(pusher: Pusher) -> None:
    for number in range(7):
        stale(pusher, f"number {number} {'x' * 50}\x1b[31m")
    ran = pusher.push("main")
    assert names(ran) == [f"number {n} {'x' * 31}" for n in (6, 5, 4, 3, 2)]
    assert said(ran)[0].startswith("7 commits go out without")
    assert said(ran)[0].endswith(") and 2 more")


@pytest.mark.parametrize("how", ["off", "skip", "environment", "bad value"])
def test_ways_past_it(pusher: Pusher, how: str) -> None:
    stale(pusher, "one")
    env = {
        "skip": {"GITSTATE_SKIP": "1"},
        "environment": {"GITSTATE_GATE_PUSH": "off"},
    }.get(how)
    value = {"off": "off", "bad value": "banana"}.get(how, "block")
    ran = pusher.push("main", settings=(f"gitstate.gatePush={value}",), env=env)
    assert (ran.code, len(said(ran))) == (0, 2 if how == "bad value" else 0)


# which commits


def test_what_the_remote_has_is_not_told_again(pusher: Pusher) -> None:
    stale(pusher, "one")
    pusher.push("main", settings=())
    assert pusher.push("main:other", "main:third") == Ran(0, "")
    stale(pusher, "two")
    assert names(pusher.push("main")) == ["two"]
    assert names(pusher.push("main", "main:new", "HEAD:refs/x/y")) == ["two"]
    pusher.coder.repo.git("update-ref", "-d", "refs/remotes/origin/main")
    pusher.coder.repo.git("update-ref", "-d", "refs/remotes/origin/other")
    pusher.coder.repo.git("update-ref", "-d", "refs/remotes/origin/third")
    assert names(pusher.push("main")) == ["two"]  # by what git tells of the remote


@pytest.mark.report(25)
def test_several_refs_at_once(pusher: Pusher) -> None:
    """A deletion, a new branch, a tag and our own refs, each by what it is."""
    coder = pusher.coder
    pusher.push("main:gone")
    coder.commit(updated=True)
    coder.git("switch", "-q", "-c", "new")
    stale(pusher, "of the new branch")
    coder.git("switch", "-q", "--detach", "main")
    stale(pusher, "only tagged")
    coder.git("tag", "v1")
    coder.git("switch", "-q", "main")
    coder.link()
    before = pusher.there()
    refs = ["main", ":gone", "new", "v1", "agent-state", NOTES]
    allowed = (*BLOCK, "gitstate.push=true")

    ran = pusher.push(*refs, settings=allowed)
    assert (ran.code, names(ran)) == (1, ["of the new branch"])
    assert pusher.there() == before

    ran = pusher.push(*[ref for ref in refs if ref != "new"], settings=allowed)
    assert ran == Ran(0, "")
    assert sorted(pusher.there()) == [
        "refs/heads/agent-state",
        "refs/heads/main",
        NOTES,
        "refs/tags/v1",
    ]


@pytest.mark.report(25)
@pytest.mark.parametrize("fetched", [True, False])
def test_a_rebase_and_a_forced_push(pusher: Pusher, *, fetched: bool) -> None:
    """The commits that were made anew, and none of those they were put on."""
    coder = pusher.coder
    coder.git("switch", "-q", "-c", "topic")
    for name in ("one", "two"):
        coder.code(f"{name}.txt")
        coder.git("commit", "-q", "-m", name)
    pusher.push("topic", settings=())
    coder.git("switch", "-q", "main")
    stale(pusher, "of main")
    pusher.push("main", settings=())
    coder.git("switch", "-q", "topic")
    coder.link()
    assert coder.git("rebase", "-q", "main").code == 0
    if not fetched:  # somebody else has pushed there since, and nothing is known of it
        tree = pusher.remote.git("rev-parse", "topic^{tree}")
        other = pusher.remote.git(
            "-c", "user.name=A", "-c", "user.email=a@b",
            "commit-tree", "-p", "topic", "-m", "theirs", tree,
        )  # fmt: skip
        pusher.remote.git("update-ref", "refs/heads/topic", other)
    ran = pusher.push("--force", "topic")
    assert (ran.code, names(ran)) == (1, ["two", "one"])
    for name in ("HEAD", "HEAD~1"):
        coder.scene.gitstate("flags", "--resolve", name, "--reason", "small")
    assert pusher.push("--force", "topic") == Ran(0, "")


def test_a_deletion_is_none_of_our_business(pusher: Pusher) -> None:
    stale(pusher, "one")
    pusher.push("main:gone", settings=())
    assert pusher.push("--delete", "gone") == Ran(0, "")


def test_a_tag_is_exempt_and_a_branch_made_of_one_is_not(pusher: Pusher) -> None:
    stale(pusher, "one")
    pusher.coder.git("tag", "light")
    pusher.coder.git("tag", "-m", "x", "full")
    assert names(pusher.push("light:refs/heads/b")) == ["one"]
    assert names(pusher.push("full^{commit}:refs/heads/b")) == ["one"]
    assert pusher.push("light", "full", "main:refs/tags/other") == Ran(0, "")


def test_expressions_and_odd_names(pusher: Pusher) -> None:
    stale(pusher, "with a blank")
    ran = pusher.push("HEAD^{/with a}:refs/heads/a-\udcff-ü")
    assert names(ran) == ["with a blank"]
    blob = pusher.coder.repo.git("rev-parse", "HEAD:code.txt")
    pusher.coder.repo.git("update-ref", "refs/x/blob", blob)
    assert pusher.push("refs/x/blob") == Ran(0, "")


def test_a_push_to_a_url(pusher: Pusher, tmp_path: Path) -> None:
    """Known as a remote it is that remote; else nothing is known of what it has."""
    stale(pusher, "one")
    pusher.push("main", settings=())
    pusher.coder.repo.git("update-ref", "refs/heads/side", "main")
    Repo(tmp_path).git("init", "-q", "--bare", "other.git")
    assert pusher.push("side", to="../remote.git") == Ran(0, "")
    assert names(pusher.push("side", to="../other.git")) == ["one"]


def test_a_remote_whose_name_begins_like_another(
    pusher: Pusher, tmp_path: Path
) -> None:
    stale(pusher, "one")
    Repo(tmp_path).git("init", "-q", "--bare", "other.git")
    pusher.coder.repo.git("remote", "add", "origin/two", "../other.git")
    pusher.push("main", to="origin/two", settings=())
    assert names(pusher.push("main")) == ["one"]


# commits that nobody has linked yet


def test_of_what_waits_the_verdict_counts(pusher: Pusher) -> None:
    stale(pusher, "waits")
    assert names(pusher.push("main")) == ["waits"]
    assert pusher.coder.text() == ""


def test_what_has_no_verdict_is_linked_first(pusher: Pusher) -> None:
    pusher.coder.code()
    pusher.coder.git("commit", "-q", "--no-verify", "-m", "not checked")
    assert names(pusher.push("main")) == ["not checked"]
    assert pusher.coder.check() == "bypassed: the check did not run"


def test_an_amend_that_is_not_yet_known_as_one(pusher: Pusher) -> None:
    """Its verdict may be of a check that could not tell: it is decided anew first."""
    coder = pusher.coder
    coder.commit(updated=True)
    coder.link()
    coder.commit("--amend")
    assert coder.verdict() == "updated"
    waits = coder.runtime / "links" / f"{coder.head()}.v"
    waits.write_text("stale unchanged since another\n")
    assert pusher.push("main") == Ran(0, "")
    assert coder.check() == "updated"


def test_commits_past_the_hooks_are_linked_on_every_pushed_branch(
    pusher: Pusher,
) -> None:
    coder = pusher.coder
    for name in ("a", "b"):
        coder.git("switch", "-q", "-c", name, "main")
        coder.code(f"{name}.txt")
        coder.git("commit", "-q", "-m", f"past, {name}", settings=OFF)
    coder.git("switch", "-q", "main")
    assert sorted(names(pusher.push("a", "b"))) == ["past, a", "past, b"]
    assert coder.check("a") == "bypassed: made past the hooks"


def test_while_another_holds_the_lock_the_verdicts_count(pusher: Pusher) -> None:
    from gitstate import lock  # noqa: PLC0415 beside its use

    stale(pusher, "waits")
    with lock.held(pusher.coder.ws().lock_path, verb="test", wait_s=0):
        assert names(pusher.push("main")) == ["waits"]
    assert pusher.coder.text() == ""


# many, and broken ones


def test_many_refs_cost_as_many_git_processes_as_one(
    pusher: Pusher, home: Path, tmp_path: Path
) -> None:
    coder = pusher.coder
    commit = stale(pusher, "one")
    coder.link()
    old = coder.head("HEAD~1")
    log = tmp_path / "started"
    started = []
    for count in (1, 1500):
        lines = "".join(
            f"refs/heads/b{n} {commit} refs/heads/b{n} {(old, '0' * 40)[n % 2]}\n"
            for n in range(count)
        )
        log.unlink(missing_ok=True)
        config = home / ".gitconfig"
        before = config.read_text()
        config.write_text(f"{before}[trace2]\n\teventTarget = {log}\n")
        done = check(pusher, "origin", lines)
        config.write_text(before)
        assert (done.returncode, names(Ran(0, done.stderr))) == (0, ["one"])
        rows = [json.loads(row) for row in log.read_text().splitlines()]
        started.append([row["argv"] for row in rows if row["event"] == "start"])
    assert len(started[1]) == len(started[0]) == 3, started


@pytest.mark.parametrize("lines", ["", "\n", "banana\n", "a b c\n", "x" * 10_000])
def test_what_git_never_says(pusher: Pusher, lines: str) -> None:
    done = check(pusher, "origin", lines)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_check_that_fails_lets_the_push_go(pusher: Pusher) -> None:
    line = f"refs/heads/x banana refs/heads/x {'0' * 40}\n"
    pusher.coder.repo.git("config", "log.date", "banana")
    done = check(pusher, "origin", line)
    assert done.returncode == 0
    assert done.stderr.startswith("gitstate: the check failed (GitFailed: git log: ")
    assert done.stderr.endswith("; it was passed; `gitstate doctor` says more\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("code", [0, 3])
def test_behind_a_hooks_path_the_other_hook_reads_the_same(
    pusher: Pusher, tmp_path: Path, code: int
) -> None:
    """It runs first, and its exit code is what git sees."""
    coder = pusher.coder
    log = tmp_path / "read"
    hook = coder.repo.path / "their hooks" / "pre-push"
    add_hook(hook, f"#!/bin/sh\ncat >>'{log}'\nexit {code}\n")
    coder.repo.git("config", "core.hooksPath", "their hooks")
    coder.scene.gitstate("hooks", "install")
    coder.scene.let_nobody_link()
    commit = stale(pusher, "one")
    ran = pusher.push("main", "main:b")
    assert (ran.code, names(ran)) == (1, [] if code else ["one"])
    old, none = coder.head("HEAD~1"), "0" * 40
    assert log.read_text() == (
        f"refs/heads/main {commit} refs/heads/main {old}\n"
        f"refs/heads/main {commit} refs/heads/b {none}\n"
    )
