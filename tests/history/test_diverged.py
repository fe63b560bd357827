"""Two clones both went on: one line is gone on from, the other stays within reach."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from gitstate.documents import DECISION_LOG
from gitstate.errors import Refused
from gitstate.history import archive, diverged, forward
from gitstate.history.integrity import check
from gitstate.history.line import engine_for
from gitstate.history.remote import fetch, push
from gitstate.history.repair import repair
from gitstate.history.restore import restore
from gitstate.history.snapshot import session
from gitstate.history.used_ids import highest
from gitstate.history.versions import resolve
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
    versions,
)
from tests.hooks.git.coding import Coder
from tests.killed import killed_at
from tests.support import Repo

if TYPE_CHECKING:
    from pathlib import Path

TASK = "02-current-task.md"


@pytest.fixture
def apart(repo: Repo, remote: Repo) -> tuple[Workspace, Workspace]:
    """v4-v5 here, and another v4 in a clone, which was pushed."""
    ws = Workspace.open(repo.path)
    there = init(cloned(remote))
    edit(there, "four, in the clone\n")
    push(there, "origin")
    edit(ws, "four, here\n")
    edit(ws, "five, here\n", "07-notes.md")
    return ws, there


def sound(ws: Workspace) -> None:
    assert line_of(ws).trouble is None
    with engine_for(ws) as engine:
        assert check(ws, engine).problems == ()


def test_the_remotes_line_is_gone_on_from_and_ours_is_kept_whole(
    apart: tuple[Workspace, Workspace],
) -> None:
    ws, there = apart
    own = {f.commit.id: f.commit.tree for f in versions(ws)}
    tip = line_of(ws).tip
    assert tip is not None

    done = fetch(ws, "origin", take=True)

    assert (done.before, done.after) == (5, 4)
    assert done.kept is not None
    assert done.kept[1] == tip
    assert files_on_disk(ws) == files_on_disk(there)
    assert numbers(ws) == [4, 3, 2, 1]
    sound(ws)
    repo = Repo(ws.root)
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    with engine_for(ws) as engine:
        for name, tree in own.items():
            assert resolve(ws, engine, name[:12]).commit.tree == tree
    assert not snap(ws).changed
    # v5 was used here: the next one is another
    assert edit(ws, "six\n").version == 6
    assert versions(ws)[0].record.gap == "5-5"
    restore(ws, tip[:12], ["07-notes.md"])
    assert (ws.state_dir / "07-notes.md").read_text() == "five, here\n"
    assert (ws.state_dir / TASK).read_text() == "six\n"
    sound(ws)

    push(ws, "origin")
    assert fetch(there, "origin").after == 7
    assert files_on_disk(there) == files_on_disk(ws)
    sound(there)
    with engine_for(there) as engine:  # what was given up there went along
        assert resolve(there, engine, tip[:12]).commit.tree == own[tip]


def test_the_line_is_known_in_a_new_home_too(
    apart: tuple[Workspace, Workspace], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ws, _ = apart
    fetch(ws, "origin", take=True)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "new"))
    assert line_of(ws).trouble is None
    assert numbers(ws) == [4, 3, 2, 1]
    sound(ws)


def test_to_keep_ours_instead_is_a_restore_by_its_id(
    apart: tuple[Workspace, Workspace],
) -> None:
    ws, there = apart
    before = files_on_disk(ws)
    done = fetch(ws, "origin", take=True)
    assert done.kept is not None
    restore(ws, done.kept[1], [])
    assert files_on_disk(ws) == before
    push(ws, "origin")
    fetch(there, "origin")
    assert files_on_disk(there) == before


def test_numbers_of_decisions_in_ours_are_not_given_again(
    apart: tuple[Workspace, Workspace],
) -> None:
    ws, _ = apart
    edit(ws, "## D-0041 Use npm\n", DECISION_LOG)

    fetch(ws, "origin", take=True)

    assert highest(ws, "D") == 41


def test_edits_that_no_version_has_are_never_written_over(
    apart: tuple[Workspace, Workspace],
) -> None:
    ws, _ = apart
    (ws.state_dir / TASK).write_text("not yet in a version\n")
    tip = line_of(ws).tip

    with pytest.raises(Refused) as caught:
        fetch(ws, "origin", take=True)

    assert str(caught.value) == (
        "the files differ from v5; run `gitstate snapshot`, then `gitstate fetch --theirs "
        "origin` goes on from the line of origin and keeps ours within reach"
    )
    assert (ws.state_dir / TASK).read_text() == "not yet in a version\n"
    assert line_of(ws).tip == tip
    snap(ws)
    done = fetch(ws, "origin", take=True)
    assert done.kept is not None
    restore(ws, done.kept[1], [TASK])
    assert (ws.state_dir / TASK).read_text() == "not yet in a version\n"


def test_where_they_did_not_part_it_is_a_fetch_as_ever(
    repo: Repo, remote: Repo
) -> None:
    ws = Workspace.open(repo.path)
    there = init(cloned(remote))
    edit(there, "four\n")
    push(there, "origin")
    for _ in range(2):
        done = fetch(ws, "origin", take=True)
        assert (done.after, done.kept) == (4, None)
    edit(ws, "five\n")
    assert fetch(ws, "origin", take=True).kept is None
    assert numbers(ws) == [5, 4, 3, 2, 1]
    assert not Repo(ws.root).git("for-each-ref", "refs/gitstate/archive")


def test_two_lines_that_never_had_anything_in_common(repo: Repo, remote: Repo) -> None:
    clone = cloned(remote)
    clone.git("update-ref", "-d", "refs/remotes/origin/agent-state")
    there = begun(clone, "another beginning")
    with pytest.raises(Refused) as caught:
        fetch(there, "origin")
    assert "the line here (v1) and the one of origin (v3) went different ways: " in str(
        caught.value
    )
    fetch(there, "origin", take=True)
    assert numbers(there) == [3, 2, 1]
    sound(there)
    assert edit(there, "four\n").version == 4
    push(there, "origin")
    assert fetch(Workspace.open(repo.path), "origin").after == 4


def test_where_history_cannot_be_read_to_its_end_the_way_out_is_told(
    repo: Repo,
) -> None:
    ws = begun(repo)
    snap(ws)
    edit(ws, "two\n")
    edit(ws, "three\n")
    tip = repo.git("rev-parse", "agent-state")
    text = repo.git("cat-file", "commit", tip) + "\n"
    parent = repo.git("rev-parse", f"{tip}~")
    lost = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin", "--literally"],
        cwd=repo.path,
        input=text.replace(parent, "1" * len(parent)).encode(),
        capture_output=True,
        check=True,
    ).stdout.decode()[:-1]
    with engine_for(ws) as engine:
        said = diverged.told(engine, "origin", tip, lost)
    assert said.startswith(
        "the line here (v3) and the one of origin (v3) went different ways: `gitstate diff"
    )


STEPS = [(archive, "move_alone"), (forward, "write_files")]
STEPS += [(forward, step) for step in ("move", "write_anchor", "withdraw")]


@pytest.mark.parametrize(
    ("owner", "step", "when"),
    [(*STEPS[0], "before"), *((*step, "after") for step in STEPS)],
)
def test_killed_at_any_step_nothing_is_lost(
    apart: tuple[Workspace, Workspace], owner: object, step: str, when: str
) -> None:
    ws, there = apart
    own = {f.commit.id: f.commit.tree for f in versions(ws)}
    killed_at(owner, step, when, lambda: fetch(ws, "origin", take=True))

    with session(ws, verb="fsck", wait_s=5.0) as engine:
        repair(ws, engine)
    snap(ws)
    fetch(ws, "origin", take=True)
    assert files_on_disk(ws) == files_on_disk(there)
    with engine_for(ws) as engine:
        for name, tree in own.items():
            assert resolve(ws, engine, name).commit.tree == tree
    number = edit(ws, "on\n").version
    assert number is not None
    assert number > 5
    sound(ws)


def test_a_code_commit_names_the_state_in_which_it_was_made(tmp_path: Path) -> None:
    coder = Coder.begin(tmp_path)
    Repo(tmp_path).git("init", "-q", "--bare", "-b", "main", "r.git")
    coder.repo.git("remote", "add", "origin", str(tmp_path / "r.git"))
    coder.repo.git("push", "-q", "origin", "main")
    push(coder.ws(), "origin")
    there = init(cloned(Repo(tmp_path / "r.git")))
    edit(there, "two, in the clone\n")
    push(there, "origin")
    coder.commit(updated=True)
    coder.link()
    made = line_of(coder.ws())
    assert made.version == 2

    fetch(coder.ws(), "origin", take=True)

    with engine_for(coder.ws()) as engine:
        found = resolve(coder.ws(), engine, "code:HEAD").commit
        assert found.id == made.tip
        assert found.tree != resolve(coder.ws(), engine, "v2").commit.tree
