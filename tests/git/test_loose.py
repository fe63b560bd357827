"""Loose objects and alternates, as git itself writes and finds them."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import ObjectDamaged
from gitstate.git.loose import object_folders, read_loose
from tests.support import make_repo

if TYPE_CHECKING:
    from pathlib import Path

    from gitstate.git.engine import Engine
    from tests.support import Repo


def loose(repo: Repo, identity: str) -> Path:
    path = repo.path / ".git" / "objects" / identity[:2] / identity[2:]
    path.chmod(0o644)
    return path


def test_every_kind_is_read(repo: Repo) -> None:
    repo.git("tag", "-a", "-m", "x", "v1")
    folders = object_folders(repo.path / ".git" / "objects")

    for name, kind in (
        ("HEAD", "commit"),
        ("HEAD^{tree}", "tree"),
        ("HEAD:code.txt", "blob"),
        ("v1", "tag"),
    ):
        found = read_loose(folders, repo.git("rev-parse", name))
        assert found is not None
        assert found[0] == kind
        assert kind != "tag" or found[1].startswith(b"object ")
    assert read_loose(folders, "0" * 40) is None


@pytest.mark.parametrize(
    "raw",
    [
        b"blob 5\0short"[:9],
        b"blob 4\0longer than that",
        b"blob x\0data",
        b"blobs 4\0data",
        b"blob 4",
        b"\xff\xfe 4\0data",
        b"",
    ],
)
def test_what_is_no_object_is_told(repo: Repo, raw: bytes) -> None:
    identity = repo.git("rev-parse", "HEAD:code.txt")
    loose(repo, identity).write_bytes(zlib.compress(raw))

    with pytest.raises(ObjectDamaged, match=f"object {identity} is damaged"):
        read_loose(object_folders(repo.path / ".git" / "objects"), identity)


def test_an_object_that_is_damaged_loose_and_sound_in_a_pack(
    repo: Repo, engine: Engine
) -> None:
    identity = repo.git("rev-parse", "HEAD:code.txt")
    repo.git("repack", "-aq")
    path = loose(repo, identity)
    path.write_bytes(path.read_bytes()[:10])

    assert engine.verify(identity) == ("blob", b"code\n")


def test_alternates_are_followed(repo: Repo, tmp_path: Path, engine: Engine) -> None:
    object_format = repo.git("rev-parse", "--show-object-format")
    one = make_repo(tmp_path / "o ne", object_format=object_format)
    two = make_repo(tmp_path / "two", object_format=object_format)
    identity = two.git("hash-object", "-w", "--stdin", stdin=b"far away")
    here = repo.path / ".git" / "objects"
    there = one.path / ".git" / "objects"
    (here / "info" / "alternates").write_text(f"# why\n{there}\n")
    (there / "info" / "alternates").write_text("../../../two/.git/objects\n")
    (two.path / ".git" / "objects" / "info" / "alternates").write_text(f"{here}\n")

    folders = object_folders(here)

    assert [folder.resolve() for folder in folders] == [
        here,
        there,
        two.path / ".git" / "objects",
        here,
    ][: len(folders)]
    assert read_loose(folders, identity) == ("blob", b"far away")
    assert engine.verify(identity)[0] == "blob"
