from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from gitstate import map_gaps
from gitstate.map_gaps import MAP, gaps
from tests.engines import begun
from tests.support import make_repo

if TYPE_CHECKING:
    from pathlib import Path

    from gitstate.workspace import Workspace
    from tests.support import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = make_repo(tmp_path / "repo")
    for name in ("src/a.py", "src/b.py", "docs/one.md", "docs/two.md"):
        made.commit(name)
    return made


@pytest.fixture
def ws(repo: Repo) -> Workspace:
    return begun(repo)


def drawn(repo: Repo, *entries: str) -> None:
    """A map with these entries, written a moment after what is committed so far."""
    text = "".join(f"- {entry}: what it is\n" for entry in entries)
    path = repo.write(MAP, f"# File map\n\n## Files\n\n{text}")
    later = time.time() + 2
    os.utime(path, (later, later))


def commit(repo: Repo, *words: str) -> None:
    """A commit that is younger than the map."""
    date = f"@{int(time.time()) + 60} +0000"
    os.environ["GIT_COMMITTER_DATE"] = date
    try:
        repo.git("commit", "-q", "-m", "more", *words)
    finally:
        del os.environ["GIT_COMMITTER_DATE"]


def test_a_map_that_is_right(repo: Repo, ws: Workspace) -> None:
    drawn(repo, "src/a.py", "src/", "docs/")
    assert gaps(ws) == []


def test_a_file_that_a_commit_moved_or_deleted(repo: Repo, ws: Workspace) -> None:
    drawn(repo, "src/a.py", "src/b.py", "code.txt")
    repo.git("mv", "src/a.py", "src/c.py")
    repo.git("rm", "-q", "code.txt")
    assert gaps(ws) == []  # nothing is committed yet
    commit(repo)
    assert gaps(ws) == ["src/a.py is gone", "code.txt is gone"]


def test_a_folder_that_is_gone(repo: Repo, ws: Workspace) -> None:
    drawn(repo, "src/", "docs/")
    repo.git("rm", "-rq", "docs")
    commit(repo)
    assert gaps(ws) == ["docs is gone"]


def test_one_that_a_merge_took_away(repo: Repo, ws: Workspace) -> None:
    repo.git("checkout", "-q", "-b", "topic")
    repo.git("rm", "-q", "src/a.py")
    repo.git("commit", "-q", "-m", "remove")
    repo.git("checkout", "-q", "main")
    drawn(repo, "src/a.py")
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    assert gaps(ws) == ["src/a.py is gone"]


def test_what_was_never_there_is_not_gone(repo: Repo, ws: Workspace) -> None:
    drawn(repo, "src/a.py", "planned/x.py", "src/*.py", "/etc/none", "../outside")
    assert gaps(ws) == []


def test_a_file_that_is_back_is_there(repo: Repo, ws: Workspace) -> None:
    drawn(repo, "src/a.py")
    repo.git("rm", "-q", "src/a.py")
    commit(repo)
    repo.commit("src/a.py", "again\n")
    assert gaps(ws) == []


def test_a_new_folder_at_the_top(repo: Repo, ws: Workspace) -> None:
    drawn(repo, "src/a.py")
    (repo.path / "web" / "deep").mkdir(parents=True)
    (repo.path / "web" / "deep" / "x.js").write_text("x\n")
    repo.git("add", "web")
    assert gaps(ws) == []
    commit(repo)
    assert gaps(ws) == ["web/ is new"]  # docs was there, and is left out on purpose
    drawn(repo, "src/a.py", "web/deep/x.js")
    assert gaps(ws) == []


def test_a_map_without_entries_asks_for_nothing(repo: Repo, ws: Workspace) -> None:
    repo.git("rm", "-q", "src/a.py")
    commit(repo)
    assert gaps(ws) == []
    (ws.state_dir / MAP).unlink()
    assert gaps(ws) == []


def test_only_the_first_few_are_named(repo: Repo, ws: Workspace) -> None:
    names = [f"many/{number}.py" for number in range(8)]
    for name in names:
        path = repo.path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    repo.git("add", "many")
    repo.git("commit", "-q", "-m", "many")
    drawn(repo, *names)
    repo.git("rm", "-rq", "many")
    commit(repo)
    assert gaps(ws) == [*(f"{name} is gone" for name in names[:5]), "and 3 more"]


def test_long_ago_is_not_looked_at(
    repo: Repo, ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(map_gaps, "_LOOKED_AT", 3)
    drawn(repo, "src/a.py")
    repo.git("rm", "-q", "src/a.py")
    commit(repo)
    assert gaps(ws) == ["src/a.py is gone"]
    for number in range(3):
        repo.commit(text=f"{number}\n")
    assert gaps(ws) == []


def test_an_unborn_branch(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "unborn", commit=False)
    ws = begun(repo)
    drawn(repo, "src/a.py")
    assert gaps(ws) == []
