"""The line grows by compare-and-swap alone, and what others do to it is told."""

from __future__ import annotations

import functools
import shutil
import threading
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import GitstateError, RefLocked, Refused
from gitstate.git import command, libgit2
from gitstate.history import moving
from gitstate.history.growth import Draft, write_version
from gitstate.history.integrity import check
from gitstate.history.line import engine_for
from gitstate.history.repair import repair
from gitstate.history.snapshot import session
from gitstate.history.tree import Entry, build_tree
from gitstate.workspace import Workspace
from tests.engines import (
    begun,
    edit,
    files_of,
    files_on_disk,
    init,
    line_of,
    numbers,
    snap,
    versions,
)
from tests.support import Repo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gitstate.git.engine import Engine
    from gitstate.history.integrity import Report
    from gitstate.history.line import Line


def fixed(ws: Workspace) -> Report:
    with session(ws, verb="fsck --repair", wait_s=5.0) as engine:
        return repair(ws, engine)


def problems(ws: Workspace) -> list[str]:
    with engine_for(ws) as engine:
        return [problem.text for problem in check(ws, engine).problems]


def grown(repo: Repo, count: int = 3) -> tuple[Workspace, list[str]]:
    """A worktree with ``count`` versions, and their commits, v1 first."""
    ws = begun(repo)
    for at in range(2, count + 1):
        edit(ws, f"text of v{at}\n")
    return ws, [version.commit.id for version in reversed(versions(ws))]


def sound(repo: Repo, ws: Workspace, expected: list[int]) -> None:
    """The branch holds exactly these versions, newest first, and all is well."""
    line = line_of(ws)
    assert numbers(ws) == expected
    assert (line.trouble, line.pending, line.branch) == (None, None, line.tip)
    assert problems(ws) == []
    subjects = repo.git("log", "--format=%s", "agent-state").splitlines()
    assert [int(text.split(":")[0].split("v")[1]) for text in subjects] == expected
    repo.git("fsck", "--full", "--strict", "--no-dangling")


# --- others' doings --------------------------------------------------------------


def branch_deleted(repo: Repo, _commits: list[str]) -> None:
    repo.git("branch", "-D", "agent-state")


def ref_file_lost(repo: Repo, _commits: list[str]) -> None:
    (repo.path / ".git" / "refs" / "heads" / "agent-state").unlink()


def ref_file_empty(repo: Repo, _commits: list[str]) -> None:
    (repo.path / ".git" / "refs" / "heads" / "agent-state").write_text("")


def ref_file_zeros(repo: Repo, _commits: list[str]) -> None:
    (repo.path / ".git" / "refs" / "heads" / "agent-state").write_bytes(b"\0" * 41)


def moved_back(repo: Repo, commits: list[str]) -> None:
    repo.git("branch", "-f", "agent-state", commits[1])


def moved_to_code(repo: Repo, _commits: list[str]) -> None:
    repo.git("branch", "-f", "agent-state", "main")


def rewritten(repo: Repo, commits: list[str]) -> None:
    tree = repo.git("rev-parse", f"{commits[-1]}^{{tree}}")
    message = repo.git("log", "-1", "--format=%B", commits[-1]).replace("v3", "v9")
    new = repo.git(
        "commit-tree",
        "-p",
        commits[0],
        tree,
        stdin=message.replace(": 3", ": 9").encode(),
    )
    repo.git("branch", "-f", "agent-state", new)


def aside(repo: Repo) -> Repo:
    """The branch checked out in a worktree of its own."""
    path = repo.path.parent / "aside"
    repo.git("worktree", "add", "-q", str(path), "agent-state")
    return Repo(path)


def code_on_top(repo: Repo, _commits: list[str]) -> None:
    aside(repo).commit("code-on-state.txt")
    repo.git("worktree", "remove", "aside")


def amended(repo: Repo, _commits: list[str]) -> None:
    aside(repo).git("commit", "-q", "--amend", "-m", "my own words")
    repo.git("worktree", "remove", "aside")


DOINGS: dict[Callable[[Repo, list[str]], None], str] = {
    branch_deleted: "the branch agent-state is gone (it was at v3)",
    ref_file_lost: "the branch agent-state is gone (it was at v3)",
    ref_file_empty: "the branch agent-state is gone (it was at v3)",
    ref_file_zeros: "the branch agent-state is gone (it was at v3)",
    moved_back: "the branch agent-state was moved back to v2 (it was at v3)",
    moved_to_code: "the branch agent-state was rewritten by something else (it was at v3)",
    rewritten: "the branch agent-state was rewritten by something else (it was at v3)",
    code_on_top: "the branch agent-state was rewritten by something else (it was at v3)",
    amended: "the branch agent-state was rewritten by something else (it was at v3)",
}


@pytest.mark.parametrize("doing", DOINGS, ids=lambda doing: doing.__name__)
def test_what_others_did_is_told_and_versions_wait_until_the_repair(
    repo: Repo, doing: Callable[[Repo, list[str]], None]
) -> None:
    ws, commits = grown(repo)
    doing(repo, commits)
    left = repo.git("rev-parse", "-q", "--verify", "agent-state", check=False)
    trouble = f"{DOINGS[doing]}; nothing is lost: `gitstate fsck --repair` puts it back"

    # fsck tells, and a snapshot of nothing does not put it back silently
    assert problems(ws)[0] == trouble
    quiet = snap(ws)
    assert (quiet.version, quiet.changed, quiet.notices) == (3, False, (trouble,))
    assert repo.git("rev-parse", "-q", "--verify", "agent-state", check=False) == left

    # edits still get versions, on top of the last one that is known
    still = trouble.replace("v3", "v4")
    outcome = edit(ws, "text of v4\n")
    assert (outcome.version, outcome.changed, outcome.notices) == (4, True, (still,))
    assert edit(ws, "text of v5\n").version == 5
    line = line_of(ws)
    assert numbers(ws) == [5, 4, 3, 2, 1]
    assert line.pending == line.tip
    assert repo.git("rev-parse", "refs/gitstate/pending/agent-state") == line.tip
    assert repo.git("rev-parse", "-q", "--verify", "agent-state", check=False) == left
    assert problems(ws)[0] == trouble.replace("v3", "v5")

    # the repair puts the branch back, and keeps what it held instead
    report = fixed(ws)
    assert report.ok, report.problems
    sound(repo, ws, [5, 4, 3, 2, 1])
    assert [version.commit.id for version in versions(ws)][2:] == commits[::-1]
    archived = repo.git(
        "for-each-ref", "--format=%(objectname)", "refs/gitstate/archive"
    )
    assert archived == (
        left if left not in {"", commits[1]} or doing is moved_back else ""
    )
    assert edit(ws, "text of v6\n").version == 6
    sound(repo, ws, [6, 5, 4, 3, 2, 1])


def test_a_mirror_that_prunes(repo: Repo, tmp_path: Path) -> None:
    """``fetch --prune`` in a mirror removes every branch that the remote lacks."""
    Repo(tmp_path).git("clone", "-q", "--mirror", str(repo.path), "mirror.git")
    mirror = Repo(tmp_path / "mirror.git")
    mirror.git("worktree", "add", "-q", "--detach", str(tmp_path / "w"), "main")
    ws, commits = grown(Repo(tmp_path / "w"))
    assert mirror.git("rev-parse", "agent-state.w") == commits[-1]

    mirror.git("fetch", "-q", "--prune")

    assert mirror.git("for-each-ref", "refs/heads/agent-state.w") == ""
    outcome = edit(ws, "text of v4\n")
    assert outcome.version == 4
    assert outcome.notices[0].startswith("the branch agent-state.w is gone")
    fixed(ws)
    assert numbers(ws) == [4, 3, 2, 1]
    assert mirror.git("rev-parse", "agent-state.w") == line_of(ws).tip
    assert problems(ws) == []


def test_a_number_is_never_used_twice(repo: Repo) -> None:
    ws, commits = grown(repo, 5)
    moved_back(repo, commits)

    report = fixed(ws)

    assert report.repaired == (
        f"kept what the branch held as refs/gitstate/archive/agent-state/{today(repo)}",
        f"put the branch agent-state back to v5 ({commits[4][:12]})",
    )
    branch_deleted(repo, commits)
    shutil.rmtree(ws.runtime / "numbers", ignore_errors=True)
    (ws.runtime / "numbers").unlink()
    assert edit(ws, "x\n").version == 6  # from the anchor alone


def today(repo: Repo) -> str:
    ref = repo.git("for-each-ref", "--format=%(refname)", "refs/gitstate/archive")
    return ref.split("/")[4]


def test_the_numbers_cache_is_the_second_anchor(repo: Repo, home: Path) -> None:
    ws, commits = grown(repo)
    shutil.rmtree(home / ".state")
    branch_deleted(repo, commits)

    outcome = edit(ws, "four\n")

    assert outcome.version == 4
    assert outcome.notices[0].startswith("the branch agent-state is gone")
    fixed(ws)
    sound(repo, ws, [4, 3, 2, 1])


def test_without_both_anchors_an_archive_tells(repo: Repo, home: Path) -> None:
    ws, commits = grown(repo)
    moved_back(repo, commits)
    fixed(ws)
    repo.git("update-ref", "refs/gitstate/archive/agent-state/2026-01-01", commits[2])
    branch_deleted(repo, commits)
    shutil.rmtree(home / ".state")
    (ws.runtime / "numbers").unlink()

    assert edit(ws, "four\n").version == 4


def test_the_line_survives_a_new_home(repo: Repo, home: Path) -> None:
    """Another machine, another account: the branch itself is enough to go on."""
    ws, commits = grown(repo)
    shutil.rmtree(home / ".state")

    assert not snap(ws).changed
    (ws.runtime / "numbers").unlink()
    # from the first look on the branch is known again
    branch_deleted(repo, commits)
    outcome = edit(ws, "four\n")

    assert outcome.version == 4
    assert outcome.notices[0].startswith("the branch agent-state is gone")


@pytest.mark.parametrize("cut", [0, 32, 33, 60, 70, 90, 120])
def test_a_torn_numbers_cache(repo: Repo, home: Path, cut: int) -> None:
    ws, _ = grown(repo)
    path = ws.runtime / "numbers"
    path.write_bytes(path.read_bytes()[:cut])

    assert edit(ws, "four\n").version == 4
    assert numbers(ws) == [4, 3, 2, 1]
    shutil.rmtree(home / ".state")
    path.write_bytes(path.read_bytes()[:cut])
    assert edit(ws, "five\n").version == 5
    sound(repo, ws, [5, 4, 3, 2, 1])


@pytest.mark.parametrize("garbage", [b"\xff", b"\0", b"\x01\x02\x03"])
@pytest.mark.parametrize("anchored", [True, False])
def test_a_garbled_numbers_cache_invents_no_number(
    repo: Repo, home: Path, *, garbage: bytes, anchored: bool
) -> None:
    ws, _ = grown(repo)
    path = ws.runtime / "numbers"
    path.write_bytes(path.read_bytes()[:32] + garbage * 400)
    if not anchored:
        shutil.rmtree(home / ".state")

    assert edit(ws, "four\n").version == 4
    sound(repo, ws, [4, 3, 2, 1])


def anchors(home: Path) -> Path:
    """The one file that has the anchors."""
    folder = home / ".state" / "gitstate" / "heads"
    (found,) = (path for path in folder.iterdir() if path.is_file())
    return found


def test_an_anchor_that_leads_to_nothing(repo: Repo, home: Path) -> None:
    ws, commits = grown(repo)
    heads = anchors(home)
    heads.write_text(heads.read_text().replace(commits[-1], "f" * len(commits[0])))

    assert "a clone or backup may hold what is missing" in problems(ws)[0]
    outcome = edit(ws, "four\n")
    assert outcome.changed
    fixed(ws)
    assert edit(ws, "five\n").changed
    assert problems(ws) == []
    assert len(set(numbers(ws))) == len(numbers(ws)) == 5


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"lines": 3}', '{"lines": {"agent-state": {"head": 3}}}']
)
def test_a_garbled_anchor(repo: Repo, home: Path, text: str) -> None:
    ws, _ = grown(repo)
    heads = anchors(home)
    heads.write_text(text)

    assert edit(ws, "four\n").version == 4
    sound(repo, ws, [4, 3, 2, 1])


# --- checked out -----------------------------------------------------------------


def in_the_main_worktree(repo: Repo) -> Callable[[], None]:
    repo.git("checkout", "-q", "agent-state")

    def leave() -> None:
        repo.git("checkout", "-q", "-f", "main")

    return leave


def in_a_linked_worktree(repo: Repo) -> Callable[[], None]:
    path = repo.path.parent / "linked"
    repo.git("worktree", "add", "-q", str(path), "agent-state")

    def leave() -> None:
        repo.git("worktree", "remove", str(path))

    return leave


def in_a_rebase(repo: Repo) -> Callable[[], None]:
    path = repo.path.parent / "linked"
    repo.git("worktree", "add", "-q", str(path), "agent-state")
    linked = Repo(path)
    linked.git("rebase", "-q", "--exec", "false", "HEAD~1", check=False)
    assert linked.git("symbolic-ref", "-q", "HEAD", check=False) == ""

    def leave() -> None:
        linked.git("rebase", "--abort")
        repo.git("worktree", "remove", "--force", str(path))

    return leave


def in_a_bisect(repo: Repo) -> Callable[[], None]:
    path = repo.path.parent / "linked"
    repo.git("worktree", "add", "-q", str(path), "agent-state")
    linked = Repo(path)
    linked.git("bisect", "start", "HEAD", "HEAD~2")

    def leave() -> None:
        linked.git("bisect", "reset")
        repo.git("worktree", "remove", "--force", str(path))

    return leave


@pytest.mark.report(16)
@pytest.mark.parametrize(
    "take_it",
    [in_the_main_worktree, in_a_linked_worktree, in_a_rebase, in_a_bisect],
    ids=lambda take_it: take_it.__name__,
)
def test_versions_wait_while_the_branch_is_checked_out(
    repo: Repo, take_it: Callable[[Repo], Callable[[], None]]
) -> None:
    ws, commits = grown(repo)
    leave = take_it(repo)
    holder = Repo(
        repo.path if take_it is in_the_main_worktree else repo.path.parent / "linked"
    )
    before = holder.git("status", "--porcelain"), holder.git("rev-parse", "HEAD")

    waiting = []
    for at in (4, 5):
        outcome = edit(ws, f"text of v{at}\n")
        assert outcome.version == at
        assert outcome.commit is not None
        waiting.append(outcome.commit)
        assert len(outcome.notices) == 1
        assert "is checked out in" in outcome.notices[0]
        assert "wait at refs/gitstate/pending/agent-state" in outcome.notices[0]

    # nothing staged nor changed in the user's worktree because of us
    if take_it is in_the_main_worktree:
        assert holder.git("diff", "--cached", "--name-only") == ""
    else:
        assert before == (
            holder.git("status", "--porcelain"),
            holder.git("rev-parse", "HEAD"),
        )
    assert repo.git("rev-parse", "agent-state") == commits[-1]
    assert repo.git("rev-parse", "refs/gitstate/pending/agent-state") == waiting[-1]
    assert numbers(ws) == [5, 4, 3, 2, 1]
    with pytest.raises(Refused, match="switch that worktree to another branch first"):
        fixed(ws)

    leave()
    if take_it is in_the_main_worktree:  # git took the directory away
        assert len(snap(ws).put_back) == 6
    # re-made on the branch with the same numbers, as the very same commits
    outcome = edit(ws, "text of v6\n")
    assert outcome.notices == ()
    sound(repo, ws, [6, 5, 4, 3, 2, 1])
    held = [version.commit.id for version in versions(ws)]
    assert held[1:] == [*waiting[::-1], *commits[::-1]]


def test_the_branch_is_free_again_and_nothing_was_edited(
    repo: Repo, tmp_path: Path
) -> None:
    ws, _ = grown(repo)
    repo.git("worktree", "add", "-q", str(tmp_path / "x"), "agent-state")
    edit(ws, "text of v4\n")
    repo.git("worktree", "remove", str(tmp_path / "x"))

    assert not snap(ws).changed
    sound(repo, ws, [4, 3, 2, 1])


def test_the_user_commits_on_the_branch_while_it_is_checked_out(
    repo: Repo, tmp_path: Path
) -> None:
    """Two histories from one version: the user's is kept, the versions are the line."""
    ws, _ = grown(repo)
    repo.git("worktree", "add", "-q", str(tmp_path / "x"), "agent-state")
    edit(ws, "text of v4\n")
    theirs = Repo(tmp_path / "x").commit("mine.txt")
    repo.git("worktree", "remove", str(tmp_path / "x"))

    outcome = edit(ws, "text of v5\n")

    assert outcome.version == 5
    assert "was rewritten by something else" in outcome.notices[0]
    assert repo.git("rev-parse", "agent-state") == theirs
    fixed(ws)
    sound(repo, ws, [5, 4, 3, 2, 1])
    assert theirs in repo.git("for-each-ref", "--format=%(objectname)", "refs/gitstate")


def test_a_kill_between_the_two_refs_of_a_settlement(
    repo: Repo, tmp_path: Path
) -> None:
    ws, _ = grown(repo)
    repo.git("worktree", "add", "-q", str(tmp_path / "x"), "agent-state")
    pending = edit(ws, "text of v4\n").commit
    assert pending is not None
    repo.git("worktree", "remove", str(tmp_path / "x"))
    repo.git("update-ref", "refs/heads/agent-state", pending)

    assert not snap(ws).changed
    sound(repo, ws, [4, 3, 2, 1])


# --- names that are taken --------------------------------------------------------


def test_a_branch_below_ours_leaves_no_room(repo: Repo) -> None:
    repo.git("branch", "agent-state/x")

    with pytest.raises(Refused) as caught:
        init(repo)

    assert str(caught.value) == (
        "the branch agent-state/x leaves no room for agent-state; "
        "choose another name: git config gitstate.branch NAME"
    )
    assert not (repo.path / ".git" / "gitstate").exists()
    assert not (repo.path / ".agent-state").exists()
    repo.git("config", "gitstate.branch", "notes")
    ws = init(repo)
    assert repo.git("rev-parse", "notes") == versions(ws)[0].commit.id


def test_a_branch_above_ours_leaves_no_room(repo: Repo) -> None:
    repo.git("branch", "agents")
    repo.git("config", "gitstate.branch", "agents/state")

    with pytest.raises(Refused, match="the branch agents leaves no room"):
        init(repo)


def test_a_branch_that_is_not_ours_is_not_taken(repo: Repo) -> None:
    repo.git("branch", "agent-state")

    with pytest.raises(Refused) as caught:
        init(repo)

    assert str(caught.value) == (
        "the branch agent-state exists and is not gitstate's; "
        "choose another name: git config gitstate.branch NAME"
    )
    assert repo.git("rev-parse", "agent-state") == repo.git("rev-parse", "main")


def test_an_agent_state_folder_of_branches_made_later(repo: Repo) -> None:
    """`git branch agent-state/x` cannot be made while the line is there."""
    ws, commits = grown(repo)
    assert repo.git("branch", "agent-state/x", check=False) == ""
    branch_deleted(repo, commits)
    repo.git("branch", "agent-state/x")

    outcome = edit(ws, "four\n")  # waits at the pending ref

    assert outcome.version == 4
    with pytest.raises(GitstateError, match="agent-state"):
        fixed(ws)
    repo.git("branch", "-m", "agent-state/x", "x")
    fixed(ws)
    sound(repo, ws, [4, 3, 2, 1])


# --- locks -----------------------------------------------------------------------


@pytest.mark.report(8)
def test_a_stale_ref_lock_is_named_and_when_it_goes_all_is_well(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (libgit2, command):
        monkeypatch.setattr(module, "_LOCK_PATIENCE_S", 0.1)
    monkeypatch.setattr(moving, "LOCK_PATIENCE_S", 0.1)
    ws, commits = grown(repo)
    lock = repo.path / ".git" / "refs" / "heads" / "agent-state.lock"
    lock.write_text("")
    (ws.state_dir / "02-current-task.md").write_text("four\n")

    for _ in range(3):
        with pytest.raises(RefLocked) as caught:
            snap(ws)
        assert str(lock) in str(caught.value)
        assert "remove that file" in str(caught.value)
    assert lock.exists()
    assert repo.git("rev-parse", "agent-state") == commits[-1]
    assert (ws.state_dir / "02-current-task.md").read_text() == "four\n"

    lock.unlink()
    assert snap(ws).version == 4
    sound(repo, ws, [4, 3, 2, 1])


def test_a_stale_lock_fills_no_disk(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tried again each cycle for days: what was written in vain is not kept for ever."""
    monkeypatch.setattr(moving, "LOCK_PATIENCE_S", 0.0)
    ws, _ = grown(repo)
    lock = repo.path / ".git" / "refs" / "heads" / "agent-state.lock"
    lock.write_text("")
    (ws.state_dir / "02-current-task.md").write_text("four\n")

    def size() -> int:
        return sum(path.stat().st_size for path in ws.objects_dir.rglob("*.pack"))

    with pytest.raises(RefLocked):
        snap(ws)
    before = size()
    for at in range(30):
        monkeypatch.setenv("GITSTATE_NOW", f"2026-11-29T14:{at:02d}:00+00:00")
        with pytest.raises(RefLocked):
            snap(ws)

    assert size() == before


def test_a_writer_that_was_faster(repo: Repo) -> None:
    """The draft is asked again for the fresh tip; no version is lost, no number twice."""
    ws, _ = grown(repo, 1)
    asked: list[int] = []

    def draft(line: Line) -> Draft:
        asked.append(line.version)
        if len(asked) <= 3:
            other_version(ws, f"other {len(asked)}")
        return draft_of_text(ws, f"mine {len(asked)}")

    with engine_for(ws) as engine:
        commit = write_version(ws, engine, draft)

    assert commit is not None
    assert asked == [1, 2, 3, 4]
    assert numbers(ws) == [5, 4, 3, 2, 1]
    assert versions(ws)[0].commit.id == commit.id
    sound(repo, ws, [5, 4, 3, 2, 1])


def draft_of_text(ws: Workspace, text: str) -> Draft:
    from gitstate.git.objects import FILE, make  # noqa: PLC0415 for this helper alone
    from gitstate.history.message import compose  # noqa: PLC0415 the same
    from gitstate.history.record import Record  # noqa: PLC0415 the same

    blob = make("blob", text.encode(), ws.object_format)
    tree, trees = build_tree(
        {b"x": Entry(FILE, blob.id)}, ws.tree_path, ws.object_format
    )

    def message(number: int, gap: str | None) -> str:
        record = Record(version=number, line=ws.line, gap=gap)
        return compose(number, [], record.trailers(), lang="en", text=text)

    return Draft(tree=tree, objects=[blob, *trees], message=message)


def fixed_draft(draft: Draft, _line: Line) -> Draft:
    return draft


def other_version(ws: Workspace, text: str) -> None:
    with engine_for(ws) as engine:
        assert write_version(ws, engine, lambda _: draft_of_text(ws, text)) is not None


def test_eight_writers_without_a_lock(repo: Repo) -> None:
    """Where there is no flock the compare-and-swap alone protects."""
    ws, _ = grown(repo, 1)
    made: list[str] = []
    failures: list[BaseException] = []

    def write(name: str) -> None:
        with engine_for(ws) as engine:
            for at in range(4):
                try:
                    draft = draft_of_text(ws, f"{name}-{at}")
                    commit = write_version(
                        ws, engine, functools.partial(fixed_draft, draft)
                    )
                except BaseException as error:  # noqa: BLE001 the test shows it
                    failures.append(error)
                    return
                assert commit is not None
                made.append(commit.id)

    threads = [threading.Thread(target=write, args=(f"w{at}",)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not failures
    held = {version.commit.id: version.number for version in versions(ws)}
    assert set(made) <= held.keys()
    assert sorted(held.values()) == list(range(1, 34))
    repo.git("fsck", "--full", "--strict", "--no-dangling")


# --- lines of other worktrees ----------------------------------------------------


def linked(repo: Repo, tmp_path: Path, name: str = "side") -> Repo:
    repo.git("worktree", "add", "-q", "-B", f"b-{name}", str(tmp_path / name))
    return Repo(tmp_path / name)


def test_each_worktree_has_its_own_line(repo: Repo, tmp_path: Path) -> None:
    ws, commits = grown(repo)
    side = begun(linked(repo, tmp_path), "side")
    edit(side, "side two\n")

    assert (ws.line, side.line) == ("agent-state", "agent-state.side")
    assert (numbers(ws), numbers(side)) == ([3, 2, 1], [2, 1])
    assert repo.git("rev-parse", "agent-state") == commits[-1]
    assert side.runtime == repo.path / ".git" / "worktrees" / "side" / "gitstate"
    assert side.shared == ws.shared
    assert {version.record.line for version in versions(side)} == {"agent-state.side"}
    sound(repo, ws, [3, 2, 1])
    assert problems(side) == []
    for one in (ws, side):
        assert Repo(one.root).git("status", "--porcelain", "-uall") == ""


def test_a_worktree_that_is_removed_and_added_again_goes_on_counting(
    repo: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begun(repo)
    first = begun(linked(repo, tmp_path), "first life")
    (first.state_dir / "extra.md").write_text("x")
    (first.state_dir / "06-extra.md").write_text("x")
    (first.state_dir / "07-extra.md").write_text("x")
    snap(first)
    held = versions(first)
    repo.git("worktree", "remove", "--force", str(tmp_path / "side"))
    assert repo.git("rev-parse", "agent-state.side") == held[0].commit.id
    capsys.readouterr()

    again = linked(repo, tmp_path)
    again.write_six("second life")
    second = init(again)

    said = capsys.readouterr().out
    assert (
        "the line agent-state.side goes on after v2, "
        "left by an earlier worktree of this name" in said
    )
    assert "made v3 on the branch agent-state.side" in said
    assert numbers(second) == [3, 2, 1]
    assert [version.commit.id for version in versions(second)][1:] == [
        version.commit.id for version in held
    ]
    # the new life's first version is what stands there, and nothing is missed
    newest = versions(second)[0]
    assert files_of(second, newest.commit.id) == files_on_disk(second)
    outcome = snap(second)
    assert (outcome.changed, outcome.vanished) == (False, ())


def test_a_bare_repository_with_worktrees(kind: object, tmp_path: Path) -> None:
    object_format = getattr(kind, "object_format", "sha1")
    folder = Repo(tmp_path)
    folder.git("init", "-q", f"--object-format={object_format}", "seed")
    Repo(tmp_path / "seed").commit()
    folder.git("clone", "-q", "--bare", "seed", "bare.git")
    Repo(tmp_path / "bare.git").git("worktree", "add", "-q", str(tmp_path / "w"))
    repo = Repo(tmp_path / "w")

    ws = begun(repo)

    assert ws.line == "agent-state.w"
    assert edit(ws, "two\n").version == 2
    assert numbers(ws) == [2, 1]
    assert problems(ws) == []
    assert repo.git("status", "--porcelain", "-uall") == ""


# --- moved, copied, renamed ------------------------------------------------------


def test_a_moved_repository_keeps_its_id(repo: Repo, tmp_path: Path) -> None:
    ws, commits = grown(repo)
    identity = (ws.shared / "id").read_text()
    repo.path.rename(tmp_path / "elsewhere")
    moved = Repo(tmp_path / "elsewhere")
    ws = Workspace.open(moved.path)

    assert problems(ws) == []
    assert edit(ws, "four\n").notices == ()
    assert numbers(ws) == [4, 3, 2, 1]
    branch_deleted(moved, commits)
    assert edit(ws, "five\n").notices[0].startswith("the branch agent-state is gone")
    assert identity.split('"id": "')[1][:32] in (ws.shared / "id").read_text()


def test_a_copy_gets_an_id_of_its_own_and_says_so(repo: Repo, tmp_path: Path) -> None:
    ws, _ = grown(repo)
    shutil.copytree(repo.path, tmp_path / "copy", symlinks=True)
    edit(ws, "original four\n")
    edit(ws, "original five\n")
    copy = Repo(tmp_path / "copy")
    there = Workspace.open(copy.path)

    # before anything is written the copy is not measured by the original's head
    assert problems(there) == []
    outcome = edit(there, "copy four\n")
    assert outcome.version == 4
    assert outcome.notices == (
        f"this repository is a copy of {repo.path / '.git'}; it got an id of its own",
    )
    assert edit(there, "copy five\n").notices == ()
    sound(copy, there, [5, 4, 3, 2, 1])
    sound(repo, ws, [5, 4, 3, 2, 1])
    assert (ws.shared / "id").read_text() != (there.shared / "id").read_text()


def test_a_copy_whose_original_is_gone_is_a_move(repo: Repo, tmp_path: Path) -> None:
    ws, _ = grown(repo)
    identity = (ws.shared / "id").read_text().split('"id": "')[1][:32]
    shutil.copytree(repo.path, tmp_path / "copy", symlinks=True)
    shutil.rmtree(repo.path)
    there = Workspace.open(tmp_path / "copy")

    assert edit(there, "four\n").notices == ()
    assert identity in (there.shared / "id").read_text()


@pytest.mark.parametrize("with_git", [True, False])
def test_a_renamed_branch_setting_begins_a_new_line(
    repo: Repo, *, with_git: bool
) -> None:
    ws, _ = grown(repo)
    if with_git:  # the user renames the branch as well, so the line goes on
        repo.git("branch", "-m", "agent-state", "memory")
    repo.git("config", "gitstate.branch", "memory")
    renamed = init(repo)

    assert numbers(renamed)[0] == (3 if with_git else 1)
    assert edit(renamed, "x\n").changed
    assert not with_git or numbers(renamed) == [4, 3, 2, 1]
    assert ws.line == "agent-state"


def test_the_engine_protocol_is_what_a_session_gives(repo: Repo) -> None:
    ws = begun(repo)
    with session(ws, verb="x", wait_s=1.0) as engine:
        found: Engine = engine
        assert found.ref(ws.ref) == versions(ws)[0].commit.id
