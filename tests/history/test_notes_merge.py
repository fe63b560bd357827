"""Notes that went different ways in two clones become one again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitstate.errors import Refused
from gitstate.history import notes
from gitstate.history.flags import flags, resolve
from gitstate.history.line import engine_for
from gitstate.history.note import Note, parse
from gitstate.history.remote import fetch, push
from gitstate.workspace import Workspace
from tests.engines import KINDS, Kind, cloned, edit, init
from tests.history.test_notes import identity, shown
from tests.ledger import fsck
from tests.support import with_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitstate.git.engine import Engine
    from tests.support import Repo

HELD = "refs/gitstate/fetched/agent-state"


def note(
    version: int, check: str = "updated", reason: str = "", others: str = ""
) -> str:
    return Note(
        line="agent-state",
        version=version,
        commit=f"{version}" * 40,
        check=check,
        reason=reason,
        task=f"task{version}",
        others=tuple(others.splitlines()),
    ).text()


def add(ws: Workspace, **texts: str) -> None:
    """Notes on commits ``c1``, ``c2``, ….

    The ids look like commits': notes need none that is there.
    """
    wanted = {
        identity(int(name[1:]), ws.object_format): text for name, text in texts.items()
    }
    with engine_for(ws) as engine:
        notes.update(ws, engine, lambda _: wanted, reason="test")


def held(repo: Repo, ws: Workspace, count: int = 9) -> dict[str, str]:
    """The notes as git reads them, by the names that ``add`` knows."""
    names = {identity(n, ws.object_format): f"c{n}" for n in range(count)}
    return {names[commit]: f"{text}\n" for commit, text in shown(repo).items()}


@pytest.fixture(params=[KINDS[0]], ids=str)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Kind:
    """The first one, but where a test names others."""
    found: Kind = request.param
    monkeypatch.setenv("GITSTATE_ENGINE", found.engine)
    return found


@pytest.fixture
def here(repo: Repo, remote: Repo) -> Workspace:  # noqa: ARG001 it is repo's origin
    """The first clone; both have a note on ``c1``, and so has the remote."""
    ws = Workspace.open(repo.path)
    add(ws, c1=note(1))
    push(ws, "origin")
    return ws


@pytest.fixture
def clone(here: Workspace, remote: Repo) -> Repo:
    """The second one."""
    found = cloned(remote)
    there = init(found)
    fetch(there, "origin")
    assert here.object_format == there.object_format
    return found


@pytest.fixture
def there(clone: Repo) -> Workspace:
    return Workspace.open(clone.path)


@pytest.mark.parametrize("kind", KINDS[:2], ids=str, indirect=True)
def test_notes_of_both_sides_are_kept(
    here: Workspace, there: Workspace, repo: Repo, clone: Repo, remote: Repo
) -> None:
    assert held(clone, there) == {"c1": note(1)}
    add(there, c2=note(2))
    push(there, "origin")
    add(here, c3=note(3))
    mine = repo.git("rev-parse", notes.REF)
    with pytest.raises(Refused) as caught:
        push(here, "origin")
    assert str(caught.value) == (
        "origin has notes that this repository lacks: none were overwritten; run "
        "`gitstate fetch origin` first ([rejected] (fetch first))"
    )

    fetch(here, "origin")

    everything = {"c1": note(1), "c2": note(2), "c3": note(3)}
    assert held(repo, here) == everything
    theirs = remote.git("rev-parse", notes.REF)
    assert repo.git("rev-parse", f"{notes.REF}^1", f"{notes.REF}^2").split() == [
        mine,
        theirs,
    ]
    assert repo.git("log", "-1", "--format=%s", notes.REF) == "Notes: merge"
    assert repo.git("for-each-ref", "refs/gitstate/fetched", "refs/notes") == (
        f"{repo.git('rev-parse', notes.REF)} commit\t{notes.REF}"
    )
    push(here, "origin")
    fetch(there, "origin")
    assert held(clone, there) == everything
    assert clone.git("rev-parse", notes.REF) == repo.git("rev-parse", notes.REF)
    fsck(repo)


def test_again_changes_nothing(here: Workspace, repo: Repo, remote: Repo) -> None:
    before = repo.git("rev-parse", notes.REF)
    fetch(here, "origin")
    add(here, c2=note(2))
    ahead = repo.git("rev-parse", notes.REF)
    fetch(here, "origin")
    assert (before, repo.git("rev-parse", notes.REF)) == (
        remote.git("rev-parse", notes.REF),
        ahead,
    )


@pytest.mark.parametrize("turned", [False, True])
def test_of_a_commit_noted_on_both_the_newest_and_the_weakest_count(
    here: Workspace, there: Workspace, repo: Repo, *, turned: bool
) -> None:
    older = note(4, "stale", "unchanged since x", "seen by me")
    newer = note(5, "updated", others="and by me\n\ntwice")
    first, second = (newer, older) if turned else (older, newer)
    add(there, c2=first, c1=note(6))
    push(there, "origin")
    add(here, c2=second)
    fetch(here, "origin")
    found = held(repo, here)
    assert found["c1"] == note(6)
    both = parse(found["c2"])
    assert both is not None
    assert (both.version, both.check, both.reason, both.task) == (
        5,
        "stale",
        "unchanged since x",
        "task5",
    )
    assert found["c2"].count("State-Check") == 1
    assert sorted(line for line in both.others if line) == [
        "and by me",
        "seen by me",
        "twice",
    ]


@pytest.mark.parametrize("where", ["here", "there"])
def test_what_one_side_settled_stays_settled(
    here: Workspace, there: Workspace, repo: Repo, clone: Repo, where: str
) -> None:
    """The weakest check counts only where both have something to say."""
    head = repo.git("rev-parse", "HEAD")
    flagged = {head: note(2, "stale")}
    with engine_for(here) as engine:
        notes.update(here, engine, lambda _: dict(flagged), reason="test")
    push(here, "origin")
    fetch(there, "origin")
    assert len(flags(here)) == len(flags(there)) == 1
    resolve(here if where == "here" else there, "HEAD", "only formatting")
    add(here, c7=note(7))
    add(there, c8=note(8))
    push(there, "origin")
    fetch(here, "origin")
    push(here, "origin")
    fetch(there, "origin")
    assert flags(here) == flags(there) == []
    assert shown(repo) == shown(clone)
    assert "State-Reason: only formatting" in shown(repo)[head]


def test_a_note_that_went_on_one_side_is_kept(
    here: Workspace, there: Workspace, repo: Repo
) -> None:
    """Nobody but git's own notes commands takes one away, or overwrites one."""
    commit = identity(1, here.object_format)
    repo.git("notes", f"--ref={notes.REF}", "remove", commit)
    assert held(repo, here) == {}
    add(there, c2=note(2))
    push(there, "origin")
    fetch(here, "origin")
    assert held(repo, here) == {"c1": note(1), "c2": note(2)}


def test_remarks_without_a_record(
    here: Workspace, there: Workspace, repo: Repo
) -> None:
    add(there, c2="theirs\n", c3="theirs\n", c4="the same\n")
    push(there, "origin")
    add(here, c2="ours\n", c3=note(3), c4="the same\n")
    fetch(here, "origin")
    found = held(repo, here)
    assert found["c2"] == "ours\n\ntheirs\n"  # as git joins them
    assert found["c3"] == note(3, others="theirs")
    assert found["c4"] == "the same\n"


def test_without_notes_here_theirs_are_taken_as_they_are(
    here: Workspace, repo: Repo, remote: Repo
) -> None:
    repo.git("update-ref", "-d", notes.REF)
    fetch(here, "origin")
    assert repo.git("rev-parse", notes.REF) == remote.git("rev-parse", notes.REF)


def test_notes_that_have_nothing_in_common(
    here: Workspace, repo: Repo, remote: Repo
) -> None:
    theirs = remote.git("rev-parse", notes.REF)
    repo.git("update-ref", "-d", notes.REF)
    add(here, c1=note(3), c2=note(2))
    assert repo.git("merge-base", notes.REF, theirs, check=False) == ""
    fetch(here, "origin")
    found = parse(held(repo, here)["c1"])
    assert found is not None
    assert (found.version, set(held(repo, here))) == (3, {"c1", "c2"})
    push(here, "origin")


def test_many_notes_that_are_cut_in_other_ways(
    here: Workspace, there: Workspace, repo: Repo
) -> None:
    there = with_settings(there, durable=False)
    add(there, **{f"c{n}": f"note {n}\n" for n in range(2, 302)})  # cut once
    push(there, "origin")
    add(here, c302=note(302))  # flat
    fetch(here, "origin")
    assert held(repo, here, 400).keys() == {f"c{n}" for n in range(1, 303)}
    rows = repo.git("ls-tree", "-r", "--name-only", notes.REF).splitlines()
    assert {row.count("/") for row in rows} == {1}


def test_lines_that_went_different_ways_keep_no_notes_back(
    here: Workspace, there: Workspace, repo: Repo
) -> None:
    edit(there, "there\n")
    add(there, c2=note(2))
    push(there, "origin")
    edit(here, "here\n")
    add(here, c3=note(3))
    with pytest.raises(Refused, match="went different ways"):
        fetch(here, "origin")
    assert set(held(repo, here)) == {"c1", "c2", "c3"}
    assert repo.git("for-each-ref", HELD) == ""


@pytest.mark.parametrize("what", ["blob", "tag", "other tree"])
def test_a_remote_whose_notes_are_none(
    here: Workspace, repo: Repo, clone: Repo, remote: Repo, what: str
) -> None:
    """They are said to be, and neither our notes nor the line stay back for it."""
    edit(Workspace.open(clone.path), "four\n")
    push(Workspace.open(clone.path), "origin")
    before = held(repo, here)
    if what == "blob":
        target = remote.git("hash-object", "-w", "--stdin", stdin=b"x")
    elif what == "tag":
        clone.git("tag", "-m", "x", "full", "main")
        clone.git("push", "-q", "--no-verify", "origin", "full")
        target = remote.git("rev-parse", "full")
    else:
        target = remote.git("rev-parse", "main")
    remote.git("update-ref", "-d", notes.REF)
    remote.git("update-ref", notes.REF, target)
    if what == "other tree":
        fetch(here, "origin")
    else:
        with pytest.raises(
            Refused, match=r"^origin: its notes cannot be read: object "
        ):
            fetch(here, "origin")
    assert held(repo, here) == before
    assert (repo.state / "02-current-task.md").read_text() == "four\n"
    assert repo.git("for-each-ref", HELD) == ""


def test_a_faster_writer_is_merged_too(
    here: Workspace,
    there: Workspace,
    repo: Repo,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Compare-and-swap: what came between is neither lost nor forgotten."""
    add(there, c2=note(2))
    push(there, "origin")
    add(here, c3=note(3))
    real = notes.replace
    waiting = ["c4", "c5"]

    def replace(
        ws: Workspace,
        engine: Engine,
        tip: str | None,
        changes: dict[str, str | None],
        parents: Sequence[str],
        *,
        reason: str,
    ) -> str:
        if reason == "merge" and waiting:
            add(here, **{waiting.pop(): note(4)})
        return real(ws, engine, tip, changes, parents, reason=reason)

    monkeypatch.setattr(notes, "replace", replace)
    fetch(here, "origin")
    assert held(repo, here).keys() == {"c1", "c2", "c3", "c4", "c5"}
