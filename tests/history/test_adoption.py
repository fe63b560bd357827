"""How a line begins: a new one, an existing one, a clone's."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import Refused
from gitstate.history.adoption import Beginning, look_at
from gitstate.history.integrity import check
from gitstate.history.line import engine_for
from gitstate.history.remote import fetch, push
from gitstate.history.repair import repair
from gitstate.history.restore import restore
from gitstate.history.snapshot import session
from gitstate.workspace import Workspace
from tests.engines import (
    begun,
    cloned,
    edit,
    files_of,
    files_on_disk,
    init,
    line_of,
    numbers,
    versions,
)
from tests.support import NUMBERED, Repo, make_repo

if TYPE_CHECKING:
    from pathlib import Path

    from tests.engines import Kind


FORMAT = ("rev-parse", "--show-object-format")


def beginning(repo: Repo) -> Beginning:
    ws = Workspace.open(repo.path)
    with engine_for(ws) as engine:
        return look_at(ws, engine)


def test_nothing_is_there(repo: Repo) -> None:
    assert beginning(repo) == Beginning(
        version=0, adopt_from=None, adopt_tip=None, new_life=True, missing=()
    )


def test_a_clone_takes_up_the_line(
    repo: Repo, remote: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    clone = cloned(remote)
    tip = repo.git("rev-parse", "agent-state")
    assert beginning(clone) == Beginning(
        version=0,
        adopt_from="origin/agent-state",
        adopt_tip=tip,
        new_life=True,
        missing=(),
    )
    capsys.readouterr()

    there = init(clone)

    assert capsys.readouterr().out.splitlines() == [
        f"excluded .agent-state/ in {clone.path}/.git/info/exclude",
        "adopted origin/agent-state: the line agent-state goes on from it (7 files written)",
        "the newest version is v3",
    ]
    assert numbers(there) == [3, 2, 1]
    assert clone.git("rev-parse", "agent-state") == tip
    assert files_on_disk(there) == files_of(there, tip)
    assert (there.state_dir / "sub" / "run.sh").stat().st_mode & 0o100
    assert clone.git("status", "--porcelain", "-uall") == ""
    assert edit(there, "four, in the clone\n").version == 4
    # a line that is lost right after the adoption is told, and never begins at v1
    second = cloned(remote, "second")
    there = init(second)
    second.git("branch", "-D", "agent-state")
    outcome = edit(there, "four\n")
    assert outcome.version == 4
    assert outcome.notices[0].startswith("the branch agent-state is gone")


def test_files_that_are_there_are_edits_on_top(remote: Repo) -> None:
    clone = cloned(remote)
    clone.write("02-current-task.md", "written before init\n")
    clone.write("mine.md", "mine\n")

    there = init(clone)

    assert numbers(there) == [4, 3, 2, 1]
    held = files_of(there, versions(there)[0].commit.id)
    assert held == files_on_disk(there)
    assert held["02-current-task.md"] == b"written before init\n"
    assert set(held) == {*NUMBERED, "mine.md", "sub/run.sh"}


def test_no_template_takes_the_place_of_an_adopted_file(remote: Repo) -> None:
    clone = cloned(remote)
    there = init(clone)
    before = files_on_disk(there)
    shutil.rmtree(there.state_dir)

    init(clone)

    assert files_on_disk(there) == before
    assert numbers(there) == [3, 2, 1]


def test_a_remote_branch_that_is_not_ours_is_not_adopted(
    repo: Repo, kind: Kind, tmp_path: Path
) -> None:
    origin = make_repo(tmp_path / "origin", object_format=kind.object_format)
    origin.git("branch", "agent-state")
    repo.git("remote", "add", "origin", str(origin.path))
    repo.git("fetch", "-q", "origin")

    ws = init(repo)

    assert numbers(ws) == [1]


def test_origin_comes_before_other_remotes(remote: Repo, tmp_path: Path) -> None:
    clone = cloned(remote)
    clone.git("remote", "add", "a-fork", str(remote.path))
    clone.git("fetch", "-q", "a-fork")

    assert beginning(clone).adopt_from == "origin/agent-state"
    clone.git("remote", "remove", "origin")
    assert beginning(clone).adopt_from == "a-fork/agent-state"
    assert tmp_path


def test_init_again_changes_nothing(
    repo: Repo, capsys: pytest.CaptureFixture[str]
) -> None:
    ws = begun(repo)
    before = repo.git("for-each-ref"), (ws.common_dir / "info" / "exclude").read_text()
    capsys.readouterr()

    init(repo)

    assert capsys.readouterr().out == f"nothing to do: v1 in {repo.path}\n"
    assert before == (
        repo.git("for-each-ref"),
        (ws.common_dir / "info" / "exclude").read_text(),
    )


def test_the_runtime_folder_was_removed(repo: Repo) -> None:
    """An uninstall, or somebody's clean-up: the line goes on."""
    ws = begun(repo)
    edit(ws, "two\n")
    shutil.rmtree(ws.runtime)

    again = init(repo)

    assert numbers(again) == [2, 1]
    assert edit(again, "three\n").version == 3
    assert line_of(again).trouble is None


@pytest.mark.parametrize("what", ["file", "link"])
def test_something_else_in_the_directorys_place(
    repo: Repo, tmp_path: Path, what: str
) -> None:
    (tmp_path / "outside").mkdir()
    if what == "file":
        repo.state.write_text("x\n")
    else:
        repo.state.symlink_to(tmp_path / "outside")

    with pytest.raises(Refused, match=f"is a {what}; gitstate keeps a real folder"):
        init(repo)

    assert list((tmp_path / "outside").iterdir()) == []
    assert repo.git("for-each-ref", "refs/heads/agent-state") == ""


@pytest.mark.parametrize("missing", ["blob:none", "tree:0"])
def test_a_partial_clone_takes_up_the_line_and_reads_all_of_it(
    repo: Repo, remote: Repo, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.delenv("GITSTATE_ENGINE", raising=False)  # as a user has it
    for key in ("allowFilter", "allowAnySHA1InWant"):
        remote.git("config", f"uploadpack.{key}", "true")
    place = repo.path.parent
    origin = f"file://{remote.path}"
    Repo(place).git("clone", "-q", f"--filter={missing}", origin, "partial")
    there = init(Repo(place / "partial"))

    assert files_on_disk(there) == files_on_disk(Workspace.open(repo.path))
    with engine_for(there) as engine:
        assert check(there, engine).problems == ()
    assert edit(there, "four\n").version == 4
    restore(there, "v1", [])
    (first,) = (v.commit.id for v in versions(there) if v.number == 1)
    assert files_of(there, first) == files_on_disk(there)
    push(there, "origin")
    assert fetch(Workspace.open(repo.path), "origin").after == 5


def test_a_branch_that_git_made_from_the_remotes_is_gone_on_from(
    repo: Repo, remote: Repo
) -> None:
    clone = cloned(remote)
    clone.git("branch", "-q", "--no-track", "agent-state", "origin/agent-state")
    there = init(clone)
    assert files_on_disk(there) == files_on_disk(Workspace.open(repo.path))
    assert numbers(there) == [3, 2, 1]
    assert line_of(there).tip == repo.git("rev-parse", "agent-state")


def test_where_the_archive_alone_was_fetched_nothing_is_begun_anew(
    repo: Repo, remote: Repo
) -> None:
    tip = repo.git("rev-parse", "agent-state")
    ref = "refs/gitstate/archive/agent-state/2026-11-27"
    remote.git("update-ref", ref, tip)
    clone = make_repo(
        repo.path.parent / "archive", object_format=repo.git(*FORMAT).strip()
    )
    clone.git("fetch", "-q", str(remote.path), f"{ref}:{ref}")
    there = init(clone)
    assert files_on_disk(there) == files_on_disk(Workspace.open(repo.path))
    assert line_of(there).tip == tip
    with session(there, verb="fsck", wait_s=5.0) as engine:
        assert repair(there, engine).ok
    assert numbers(there) == [3, 2, 1]
    assert edit(there, "four\n").version == 4
