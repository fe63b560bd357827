"""A copied repository is what git makes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.support import Repo, make_repo

if TYPE_CHECKING:
    from pathlib import Path


def names(repo: Repo) -> dict[str, int]:
    """Every name below it, with its mode."""
    return {
        path.relative_to(repo.path).as_posix(): path.stat().st_mode
        for path in repo.path.rglob("*")
    }


def kinds(repo: Repo) -> list[tuple[str, int]]:
    """The same without the ids of objects, which times are in."""
    return sorted(
        (name.partition("objects/")[0] or name, mode)
        for name, mode in names(repo).items()
    )


def by_git(path: Path, object_format: str) -> Repo:
    path.mkdir()
    repo = Repo(path)
    repo.git("init", "-q", "-b", "main", f"--object-format={object_format}")
    repo.commit()
    return repo


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_it_is_as_git_makes_one(tmp_path: Path, object_format: str, umask: int) -> None:
    make_repo(tmp_path / "first", object_format=object_format)
    before = os.umask(umask)
    try:
        copy = make_repo(tmp_path / "copy", object_format=object_format)
        made = by_git(tmp_path / "made", object_format)
    finally:
        os.umask(before)
    assert kinds(copy) == kinds(made)
    index = copy.path / ".git" / "index"
    held = index.read_bytes()
    # git finds its file as it was added: nothing to read, nothing to write
    assert copy.git("diff-files") == ""
    assert copy.git("status", "--porcelain=v2", "--branch").splitlines()[0] == (
        f"# branch.oid {copy.git('rev-parse', 'HEAD')}"
    )
    assert index.read_bytes() == held
    assert copy.git("fsck", "--full", "--strict") == ""
    assert copy.git("log", "--format=%an %ae %s") == made.git(
        "log", "--format=%an %ae %s"
    )
    assert copy.git("config", "--list", "--local") == made.git(
        "config", "--list", "--local"
    )


def test_one_that_would_differ_is_made_by_git(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_repo(tmp_path / "first")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Another")
    assert make_repo(tmp_path / "a").git("log", "--format=%an") == "Another"
    monkeypatch.delenv("GIT_AUTHOR_NAME")
    with (home / ".gitconfig").open("a") as config:
        config.write("[user]\n\tname = A Third\n")
    assert make_repo(tmp_path / "b").git("log", "--format=%an") == "A Third"
    made = tmp_path / "c"
    made.mkdir()
    (made / "code.txt").write_text("theirs\n")
    make_repo(made)
    assert (made / "code.txt").read_text() == "code\n"
