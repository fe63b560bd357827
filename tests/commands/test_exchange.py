"""push and fetch, each with its whole output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.engines import begun, cloned, edit, init
from tests.inside import Said, call
from tests.support import Repo

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def remote(repo: Repo, tmp_path: Path) -> Repo:
    Repo(tmp_path).git("init", "-q", "--bare", "-b", "main", "remote.git")
    repo.git("remote", "add", "origin", str(tmp_path / "remote.git"))
    repo.git("push", "-q", "origin", "main")
    begun(repo)
    return Repo(tmp_path / "remote.git")


def test_versions_go_to_a_clone_and_back(repo: Repo, remote: Repo) -> None:
    assert call(repo.path, "push") == Said(
        0, "pushed refs/heads/agent-state to origin\n", ""
    )
    assert call(repo.path, "push").out == "up to date: origin has all of it\n"
    clone = cloned(remote)
    there = init(clone)
    edit(there, "two, in the clone\n")
    assert call(clone.path, "push", "origin").code == 0

    assert call(repo.path, "fetch") == Said(0, "v1 -> v2: the files follow\n", "")

    assert (repo.state / "02-current-task.md").read_text() == "two, in the clone\n"
    assert call(repo.path, "fetch", "origin") == Said(0, "up to date at v2\n", "")


def test_lines_that_went_different_ways(repo: Repo, remote: Repo) -> None:
    call(repo.path, "push")
    clone = cloned(remote)
    edit(init(clone), "two, in the clone\n")
    call(clone.path, "push")
    repo.write("02-current-task.md", "two, here\n")
    call(repo.path, "snapshot")

    pushed, fetched = call(repo.path, "push"), call(repo.path, "fetch")

    assert (pushed.code, pushed.out) == (fetched.code, fetched.out) == (1, "")
    assert pushed.err.startswith(
        "gitstate: origin has versions that this repository lacks: nothing of the line "
        "was overwritten; run `gitstate fetch origin` first"
    )
    theirs = clone.git("rev-parse", "--short=12", "agent-state")
    where = "the line here (v2) and the one of origin (v2) went different ways after v1"
    assert fetched.err == (
        f"gitstate: {where}: `gitstate diff HEAD {theirs}` compares them, `gitstate fetch "
        "--theirs origin` goes on from the remote's and keeps ours within reach\n"
    )
    assert (repo.state / "02-current-task.md").read_text() == "two, here\n"
    doctor = call(repo.path, "doctor").lines
    assert [row.split(maxsplit=4)[1:] for row in doctor if "origin" in row][:1] == [
        ["line", "of", "origin", where]
    ]
    assert "+two, in the clone" in call(repo.path, "diff", "HEAD", theirs).out

    ours = repo.git("rev-parse", "--short=12", "agent-state")
    taken = call(repo.path, "fetch", "--theirs")

    today = repo.git("for-each-ref", "--format=%(refname)", "refs/gitstate/archive")
    assert taken == Said(
        0,
        "v2 here -> v2 of origin: the files follow\n"
        f"ours is kept whole as {today}: `gitstate diff HEAD {ours}` shows what it says "
        f"otherwise, `gitstate restore {ours} [FILE]` brings it or a file of it back\n",
        "",
    )
    assert (repo.state / "02-current-task.md").read_text() == "two, in the clone\n"
    assert "line of origin" not in call(repo.path, "doctor").out
    assert call(repo.path, "restore", ours, "02-current-task.md").code == 0
    assert (repo.state / "02-current-task.md").read_text() == "two, here\n"
    assert call(repo.path, "push").code == 0


def test_a_remote_that_is_none(repo: Repo) -> None:
    begun(repo)
    for verb in ("push", "fetch"):
        assert call(repo.path, verb) == Said(
            1,
            "",
            "gitstate: this repository has no remote; add one with "
            "`git remote add origin URL`\n",
        )
        said = call(repo.path, verb, "banana")
        assert (said.code, said.out) == (1, "")
        assert said.err == "gitstate: there is no remote 'banana' (known: none)\n"
