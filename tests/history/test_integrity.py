"""fsck: every damage is told, and the repair loses nothing that can still be read."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import GitstateError, Refused
from gitstate.git.objects import FILE, Signature, encode_commit, make
from gitstate.history.integrity import Problem, Report, check
from gitstate.history.line import engine_for
from gitstate.history.message import compose
from gitstate.history.record import Record
from gitstate.history.repair import repair
from gitstate.history.restore import restore
from gitstate.history.snapshot import session
from gitstate.history.tree import Entry, build_tree
from gitstate.workspace import Workspace
from tests.engines import (
    begun,
    edit,
    files_of,
    files_on_disk,
    line_of,
    numbers,
    snap,
    versions,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.support import Repo

WHO = Signature("A", "a@b", 1_700_000_000, 0)


def checked(ws: Workspace) -> Report:
    with engine_for(ws) as engine:
        return check(ws, engine)


def repaired(ws: Workspace) -> Report:
    with session(ws, verb="fsck --repair", wait_s=5.0) as engine:
        return repair(ws, engine)


def grown(repo: Repo, count: int = 4) -> tuple[Workspace, list[str]]:
    ws = begun(repo)
    for at in range(2, count + 1):
        edit(ws, f"text of v{at}\n")
    return ws, [version.commit.id for version in reversed(versions(ws))]


def unpacked(repo: Repo, ws: Workspace) -> None:
    """Our packs as loose objects of the user's, so that single ones can be damaged."""
    folder = ws.objects_dir / "pack"
    packs = sorted(folder.glob("pack-*.pack"))
    datas = [pack.read_bytes() for pack in packs]
    for path in folder.iterdir():
        path.unlink()
    for data in datas:
        repo.git("unpack-objects", "-q", stdin=data)


def loose(ws: Workspace, identity: str) -> Path:
    return ws.objects_dir / identity[:2] / identity[2:]


def lose(ws: Workspace, identity: str) -> None:
    loose(ws, identity).unlink()


def spoil(ws: Workspace, identity: str) -> None:
    path = loose(ws, identity)
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-4])


def blob_of(repo: Repo, commit: str, name: str = "02-current-task.md") -> str:
    return repo.git("rev-parse", f"{commit}:.agent-state/{name}")


def test_all_is_well(repo: Repo) -> None:
    ws, _ = grown(repo)
    seen: list[int] = []

    with engine_for(ws) as engine:
        report = check(ws, engine, progress=seen.append)

    assert report == Report(versions=4, problems=())
    assert report.ok
    assert seen == [1, 2, 3, 4]


def test_edits_are_listed_and_are_no_problem(repo: Repo) -> None:
    ws, _ = grown(repo)
    (ws.state_dir / "02-current-task.md").write_text("not yet in a version\n")
    (ws.state_dir / "new.md").write_text("new\n")
    (ws.state_dir / "05-file-map.md").unlink()

    assert checked(ws) == Report(
        versions=4,
        problems=(),
        edited=(b"02-current-task.md", b"05-file-map.md", b"new.md"),
    )


def test_without_a_version(repo: Repo) -> None:
    ws = Workspace.open(repo.path)

    assert checked(ws).problems == (Problem("empty", "there is no version yet"),)


def test_a_check_writes_nothing(repo: Repo) -> None:
    ws, _ = grown(repo)

    def seen() -> list[tuple[str, int]]:
        return sorted(
            (str(path), path.stat().st_mtime_ns)
            for path in (repo.path / ".git").rglob("*")
        )

    before = seen()
    checked(ws)
    assert seen() == before


@pytest.mark.parametrize("harm", [lose, spoil], ids=["lost", "spoilt"])
@pytest.mark.parametrize("what", ["blob", "tree", "commit"])
@pytest.mark.parametrize("at", [1, 3], ids=["older", "newest"])
def test_damage_is_told_and_the_repair_goes_on_from_what_can_be_read(
    repo: Repo, harm: Callable[[Workspace, str], None], what: str, at: int
) -> None:
    ws, commits = grown(repo)
    unpacked(repo, ws)
    victim = {
        "blob": blob_of(repo, commits[at]),
        "tree": repo.git("rev-parse", f"{commits[at]}^{{tree}}"),
        "commit": commits[at],
    }[what]
    harm(ws, victim)
    disk = files_on_disk(ws)

    report = checked(ws)

    assert not report.ok
    assert (
        "damaged" in {problem.kind for problem in report.problems} or what == "commit"
    )
    told = " ".join(problem.text for problem in report.problems)
    assert victim[:12] in told or "not in the repository" in told
    for problem in report.problems:
        assert "\n" not in problem.text

    after = repaired(ws)

    # whatever was lost: the newest files are safe, edits get new numbers, git is happy
    assert files_on_disk(ws) == disk
    outcome = edit(ws, "after the damage\n")
    assert outcome.changed
    assert outcome.version == 5
    assert outcome.commit is not None
    assert files_of(ws, outcome.commit) == files_on_disk(ws)
    assert repo.git("rev-parse", "agent-state") == outcome.commit
    if at == 3 and what == "blob":
        assert after.ok
        assert after.repaired == ("wrote 1 damaged files again from the disk",)
        assert numbers(ws) == [5, 4, 3, 2, 1]
    if at == 3 and what != "blob":
        assert after.ok, after.problems
        assert [n for n in numbers(ws) if n != 4] == [5, 3, 2, 1]
        assert versions(ws)[0].record.gap == "4-4"
        assert checked(ws).ok


def test_all_objects_of_ours_are_gone(repo: Repo) -> None:
    ws, _ = grown(repo)
    for path in (ws.objects_dir / "pack").iterdir():
        path.unlink()

    report = checked(ws)
    assert not report.ok
    with pytest.raises(Refused, match="no version can be read any more"):
        repaired(ws)
    disk = files_on_disk(ws)
    with pytest.raises(GitstateError) as caught:
        edit(ws, "x\n")
    assert "\n" not in str(caught.value)
    assert files_on_disk(ws) == {**disk, "02-current-task.md": b"x\n"}


def test_a_restore_of_a_damaged_version_touches_nothing(repo: Repo) -> None:
    ws, commits = grown(repo)
    unpacked(repo, ws)
    spoil(ws, blob_of(repo, commits[1]))
    before = files_on_disk(ws)

    with pytest.raises(
        GitstateError, match=r"object .* (damaged|cannot be read|missing)"
    ):
        restore(ws, "v2")

    assert files_on_disk(ws) == before
    assert numbers(ws) == [4, 3, 2, 1]
    assert restore(ws, "v1").version == 5


def test_a_damaged_older_version_does_not_stop_the_next(repo: Repo) -> None:
    ws, commits = grown(repo)
    unpacked(repo, ws)
    spoil(ws, blob_of(repo, commits[1]))

    assert edit(ws, "five\n").version == 5


def test_a_damaged_newest_blob_does_not_stop_the_next(repo: Repo) -> None:
    ws, commits = grown(repo)
    unpacked(repo, ws)
    spoil(ws, blob_of(repo, commits[3]))

    outcome = edit(ws, "five\n")

    assert outcome.version == 5
    assert outcome.commit is not None
    assert files_of(ws, outcome.commit)["02-current-task.md"] == b"five\n"


# --- what others put on the branch ------------------------------------------------


def put(
    ws: Workspace,
    *,
    number: int,
    parents: Sequence[str],
    line: str = "agent-state",
    text: str = "x",
    message: str | None = None,
) -> str:
    """Write a commit as anybody could, and put the branch and the anchor on it."""
    blob = make("blob", text.encode(), ws.object_format)
    tree, trees = build_tree(
        {b"x.md": Entry(FILE, blob.id)}, ws.tree_path, ws.object_format
    )
    record = Record(version=number, line=line)
    said = message or compose(number, [], record.trailers(), lang="en")
    data = encode_commit(tree, parents, WHO, WHO, said)
    commit = make("commit", data, ws.object_format)
    with engine_for(ws) as engine:
        engine.write([blob, *trees, commit], durable=False)
        engine.swap_ref(
            ws.ref, old=engine.ref(ws.ref), new=commit.id, reason="x", durable=False
        )
    return commit.id


def test_a_version_that_others_added_is_a_stranger(repo: Repo) -> None:
    ws, commits = grown(repo)
    theirs = put(ws, number=5, parents=[commits[3]])

    report = checked(ws)

    (stranger,) = (item for item in report.problems if item.kind == "stranger")
    assert stranger.text.startswith(f"v5 ({theirs[:12]}) came onto the branch")
    after = repaired(ws)
    assert after.repaired == ("took over what others put on the branch (1 versions)",)
    assert [item.kind for item in after.problems if item.kind == "stranger"] == []


@pytest.mark.parametrize(("number", "word"), [(4, "moved"), (2, "moved"), (9, "gap")])
def test_a_number_that_is_wrong(repo: Repo, number: int, word: str) -> None:
    ws, commits = grown(repo)
    put(ws, number=number, parents=[commits[3]])

    assert word in {problem.kind for problem in checked(ws).problems}


def test_a_merge_and_a_foreign_line(repo: Repo) -> None:
    ws, commits = grown(repo)
    put(ws, number=5, parents=[commits[3], commits[0]], line="other")

    kinds = {problem.kind for problem in checked(ws).problems}

    assert {"merge", "line"} <= kinds


def test_a_history_that_is_cut(repo: Repo, home: Path) -> None:
    ws, _ = grown(repo)
    put(ws, number=5, parents=[])
    shutil.rmtree(home / ".state")
    (ws.runtime / "numbers").unlink()

    assert ("cut", "history ends at v5, not at v1") in {
        (problem.kind, problem.text) for problem in checked(ws).problems
    }


def test_a_shallow_clone_says_how_to_get_the_rest(repo: Repo, home: Path) -> None:
    ws, _ = grown(repo)
    put(ws, number=5, parents=[])
    shutil.rmtree(home / ".state")
    (ws.runtime / "numbers").unlink()
    (ws.common_dir / "shallow").write_text(repo.git("rev-parse", ws.ref) + "\n")

    (text,) = [item.text for item in checked(ws).problems if item.kind == "cut"]

    assert text.endswith(
        "; this clone is shallow: `git fetch --unshallow` gets the rest"
    )


def test_what_the_branch_held_instead_is_kept(repo: Repo) -> None:
    ws, commits = grown(repo)
    repo.git("branch", "-f", "agent-state", "main")
    repaired(ws)
    repo.git("branch", "-f", "agent-state", "main")
    repaired(ws)

    kept = repo.git(
        "for-each-ref", "--format=%(objectname)", "refs/gitstate/archive/agent-state"
    ).splitlines()
    assert kept == [repo.git("rev-parse", "main")]
    assert repo.git("rev-parse", "agent-state") == commits[-1]


def test_the_archive_counts_within_a_day(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITSTATE_NOW", "2026-11-29T14:05:00+00:00")
    ws, _ = grown(repo)
    for at in range(3):
        repo.commit(text=f"{at}\n")
        repo.git("branch", "-f", "agent-state", "main")
        repaired(ws)

    assert repo.git(
        "for-each-ref", "--format=%(refname)", "refs/gitstate/archive"
    ).splitlines() == [
        "refs/gitstate/archive/agent-state/2026-11-29",
        "refs/gitstate/archive/agent-state/2026-11-29.1",
        "refs/gitstate/archive/agent-state/2026-11-29.2",
    ]


def test_a_repair_of_what_is_well_changes_nothing(repo: Repo) -> None:
    ws, commits = grown(repo)

    report = repaired(ws)

    assert report == Report(versions=4, problems=())
    assert repo.git("rev-parse", "agent-state") == commits[-1]
    assert repo.git("for-each-ref", "refs/gitstate") == ""


def test_the_files_were_rolled_back_as_a_whole(repo: Repo) -> None:
    ws, commits = grown(repo)
    for name, data in files_of(ws, commits[1]).items():
        (ws.state_dir / name).write_bytes(data)

    (problem,) = checked(ws).problems

    assert problem.kind == "rolled back"
    assert problem.text.startswith("the files are those of v2 again, not of v4")
    snap(ws)
    assert checked(ws).ok
    restore(ws, "v1")
    assert checked(ws).ok


def test_the_whole_repository_was_rolled_back(repo: Repo, tmp_path: Path) -> None:
    ws, _ = grown(repo)
    shutil.copytree(repo.path, tmp_path / "backup", symlinks=True)
    edit(ws, "five\n")
    edit(ws, "six\n")
    shutil.rmtree(repo.path)
    (tmp_path / "backup").rename(repo.path)
    ws = Workspace.open(repo.path)

    report = checked(ws)

    assert not report.ok
    assert "v6" in report.problems[0].text
    outcome = edit(ws, "seven\n")
    assert outcome.version == 7
    assert repaired(ws).ok
    assert edit(ws, "eight\n").version == 8
    assert numbers(ws) == [8, 7, 4, 3, 2, 1]
    assert line_of(ws).trouble is None
    assert checked(ws).ok


def test_an_old_reflog_or_gc_loses_no_version(repo: Repo) -> None:
    ws, commits = grown(repo)
    repo.git("branch", "-f", "agent-state", "main")
    repaired(ws)
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")

    for number, commit in enumerate(commits, start=1):
        assert versions(ws, commit)[0].number == number
        assert files_of(ws, commit)
    assert checked(ws).ok
