from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.git.asking import Found, objects

if TYPE_CHECKING:
    from tests.support import Repo


def test_objects_by_name(repo: Repo) -> None:
    repo.commit("a b.txt", "one\ntwo")
    head = repo.git("rev-parse", "HEAD")
    blob = repo.git("rev-parse", "HEAD:a b.txt")
    names = ["HEAD", "HEAD:a b.txt", "no such", f"{head}:a b.txt", "HEAD:none", head]
    found = objects(names, cwd=repo.path)
    one = Found(blob, "blob", (repo.path / "a b.txt").read_bytes())
    commit = found[0]
    assert found == [commit, one, None, one, None, commit]
    assert commit is not None
    assert (commit.id, commit.kind) == (head, "commit")
    assert commit.data.startswith(b"tree ")


def test_what_is_damaged_is_not_there(repo: Repo) -> None:
    repo.commit("a.txt", "x")
    blob = repo.git("rev-parse", "HEAD:a.txt")
    path = repo.path / ".git" / "objects" / blob[:2] / blob[2:]
    path.chmod(0o600)
    path.write_bytes(b"garbage")
    head, broken, *_ = objects(["HEAD", "HEAD:a.txt", "HEAD"], cwd=repo.path)
    assert head is not None
    assert broken is None


def test_nothing_is_found(repo: Repo) -> None:
    assert objects(["refs/heads/none", "0" * 40], cwd=repo.path) == [None, None]
    assert objects([], cwd=repo.path) == []
