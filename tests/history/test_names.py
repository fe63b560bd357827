"""Which names may stand in a version: git's own fsck is the judge."""

from __future__ import annotations

import hashlib
import itertools
import random
import re
import zlib
from typing import TYPE_CHECKING

import pytest

from gitstate.history.names import is_allowed, is_allowed_content, is_numbered
from tests.support import make_repo

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from tests.support import Repo

PARTS = [b".git", b".GIT", b".g", b"it", b"git~1", b"GIT~2", b"\\", b":", b" ", b"."]
PARTS += [b".gitmodules", b".gitModules", b"gitmod~1", b"gitmod~5", b"m", b"odules"]
PARTS += [b"gi7eba~1", b"gi7eb~10", b"~1000000", b"gi7eba~0", b"x", b"~", b"1", b"\n"]
PARTS += ["\u200c".encode(), "\ufeff".encode(), "\u200b".encode(), "\u0130".encode()]
PARTS += [b"\xef\xbf\xbe", b"\xef\xbf\xbf", b"\xf0\x9f\xbf\xbe", b"\xed\xa0\x80"]
PARTS += [b"\xff", b"\xc3"]
REFUSED = [b".git", b".GIT", b".git.", b".git ...", b"git~1", b"GIT~1 ", b".git:x"]
REFUSED += [b"x\\.git", b"x\\git~1\\y", b".git\\x", ".g\u200cit".encode(), b".git\xff"]
REFUSED += [b".gitmodules", b".GitModules", b"gitmod~1", b"GI7EBA~1", b"x\\.gitmodules"]
REFUSED += ["\ufeff.gitmodules".encode(), b".gitmodules:data"]
ALLOWED = [b"git", b".gitx", b"git~2", b".gitignore", b".gitattributes", b"a\\b", b"-x"]
ALLOWED += [b"gitmod~5", b"a\nb", b"\xff\xfe", "é".encode(), "e\u0301".encode(), b"..."]


@pytest.fixture
def plain(tmp_path: Path) -> Repo:
    return make_repo(tmp_path / "plain", commit=False)


def write_trees(repo: Repo, names: Iterable[bytes], blob: str) -> dict[str, bytes]:
    """One loose tree for each name, with ``blob`` as a link; id -> name."""
    trees = {}
    for name in names:
        data = b"120000 %s\0" % name + bytes.fromhex(blob)
        whole = b"tree %d\0" % len(data) + data
        identity = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
        folder = repo.path / ".git/objects" / identity[:2]
        folder.mkdir(exist_ok=True)
        (folder / identity[2:]).write_bytes(zlib.compress(whole, 1))
        trees[identity] = name
    return trees


def refused_by_git(repo: Repo, names: Iterable[bytes]) -> set[bytes]:
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"target")
    trees = write_trees(repo, names, blob)
    return {trees[identity] for identity in fsck_errors(repo) if identity in trees}


def fsck_errors(repo: Repo) -> set[str]:
    report = repo.git("-c", "alias.f=!git fsck 2>&1", "f", check=False)
    # a warning here, an error with --strict and for a server that checks pushes
    kinds = "hasDotgit|gitmodulesSymlink|gitattributesLineLength"
    return set(re.findall(rf"in \w+ ([0-9a-f]{{40}}): (?:{kinds}):", report))


def test_named_examples_agree_with_git(plain: Repo) -> None:
    assert [name for name in REFUSED if is_allowed(name)] == []
    assert [name for name in ALLOWED if not is_allowed(name)] == []
    assert refused_by_git(plain, [*REFUSED, *ALLOWED]) == set(REFUSED)


def test_two_thousand_random_names_agree_with_git(plain: Repo) -> None:
    choose = random.Random(20261129)
    names = {b"".join(pair) for pair in itertools.product(PARTS, repeat=2)}
    while len(names) < 2000:
        names.add(b"".join(choose.choices(PARTS, k=choose.randint(3, 4))))
    names -= {b".", b".."}
    refused = refused_by_git(plain, names)
    assert len(refused) > 50
    assert {name for name in names if not is_allowed(name)} == refused


@pytest.mark.parametrize("name", [b"", b".", b"..", b"a/b", b"a\0b"])
def test_what_is_no_name_at_all(name: bytes) -> None:
    assert not is_allowed(name)


def test_attributes_with_long_lines_agree_with_git(plain: Repo) -> None:
    cases: Mapping[tuple[bytes, bytes], bool] = {
        (b".gitattributes", b"*.md text\n" * 1000): True,
        (b".gitattributes", b"a" * 2047 + b"\nb\n"): True,
        (b".gitattributes", b"b\n" + b"a" * 2048): False,
        (b".GITATTRIBUTES ", b"c" * 3000): False,
        (b"gi7d29~1", b"d" * 3000): False,
        (b"gitattributes", b"e" * 3000): True,
        (b"02-current-task.md", b"f" * 3000): True,
    }
    for (name, data), allowed in cases.items():
        assert is_allowed_content(name, data) is allowed, name
        blob = plain.git("hash-object", "-w", "--stdin", stdin=data)
        tree = b"100644 blob %s\t%s\0" % (blob.encode(), name)
        plain.git("mktree", "-z", stdin=tree)
        assert (blob in fsck_errors(plain)) is not allowed, name


def test_numbered_files() -> None:
    numbered = [b"00-project-context.md", b"02-x.md", b"100-\xff.md", b"11-a\nb.md"]
    others = [
        b"0-x.md",
        b"02-x.txt",
        b"sub/02-x.md",
        b"02-.md",
        b"notes.md",
        b"x02-a.md",
    ]
    assert [path for path in numbered if not is_numbered(path)] == []
    assert [path for path in others if is_numbered(path)] == []
