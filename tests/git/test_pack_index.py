"""The index of a pack: git verify-pack and git show-index are the judges."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import ObjectDamaged
from gitstate.git.objects import make
from gitstate.git.pack_index import IndexRow, PackIndex, encode_index
from gitstate.git.packs import PackStore

if TYPE_CHECKING:
    from pathlib import Path

    from tests.engines import Kind
    from tests.support import Repo


@pytest.fixture
def store(repo: Repo, kind: Kind) -> PackStore:
    return PackStore(repo.path / ".git" / "objects", kind.object_format)


def test_git_reads_the_index_we_make(repo: Repo, kind: Kind, store: PackStore) -> None:
    objects = [make("blob", b"%d" % at, kind.object_format) for at in range(300)]
    store.add(objects, durable=False)
    (pack,) = store.ours()
    path = store.folder / f"{pack.name}.idx"

    listing = repo.git("show-index", stdin=path.read_bytes()).splitlines()

    repo.git("verify-pack", str(path))
    with store.index(pack.name) as index:
        assert len(index) == len(objects) == len(listing)
        assert list(index) == sorted(item.id for item in objects)
        assert all(item.id in index for item in objects)
        assert "0" * len(objects[0].id) not in index
        assert "f" * len(objects[0].id) not in index
        rows = {row.raw_id.hex(): row for row in index.rows()}
    for line in listing:
        offset, identity, crc = line.split()
        assert rows[identity].offset == int(offset)
        assert f"({rows[identity].crc:08x})" == crc


def test_the_index_git_makes_is_read(repo: Repo, store: PackStore) -> None:
    for at in range(20):
        repo.commit(text=f"{at}\n")
    repo.git("repack", "-adq")
    (path,) = store.folder.glob("*.idx")
    everything = repo.git(
        "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"
    ).splitlines()

    with store.index(path.stem) as index:
        assert list(index) == everything
        assert [raw.hex() for raw in index.raw_ids()] == everything
        assert index.pack_checksum.hex() == path.stem.removeprefix("pack-")
        offsets = [row.offset for row in index.rows()]

    assert offsets == sorted(offsets)
    assert offsets[0] == 12


def test_an_id_that_stands_twice_keeps_its_first_row(tmp_path: Path) -> None:
    rows = [IndexRow(b"\x01" * 20, 7, 12), IndexRow(b"\x01" * 20, 8, 99)]
    path = tmp_path / "x.idx"
    path.write_bytes(encode_index(rows, b"\2" * 20, "sha1"))

    with PackIndex.open(path, "sha1") as index:
        assert index.rows() == [rows[0]]


def test_rows_move_with_the_bytes_before_them() -> None:
    assert IndexRow(b"a", 1, 12).moved(100) == IndexRow(b"a", 1, 112)


def test_an_empty_index(tmp_path: Path) -> None:
    path = tmp_path / "x.idx"
    path.write_bytes(encode_index([], b"\2" * 32, "sha256"))

    with PackIndex.open(path, "sha256") as index:
        assert (len(index), list(index), index.rows()) == (0, [], [])
        assert "a" * 64 not in index


@pytest.mark.parametrize("kept", [0, 3, 100, 1500])
def test_a_torn_index_is_told(tmp_path: Path, kept: int) -> None:
    rows = [IndexRow(os.urandom(20), 1, 12 + at) for at in range(30)]
    path = tmp_path / "x.idx"
    path.write_bytes(encode_index(rows, b"\2" * 20, "sha1")[:kept])

    with pytest.raises(ObjectDamaged, match=r"x\.idx is"):
        PackIndex.open(path, "sha1")


def test_garbage_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.idx"
    path.write_bytes(b"\xff" * 5000)

    with pytest.raises(ObjectDamaged):
        PackIndex.open(path, "sha1")


def test_a_missing_index_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        PackIndex.open(tmp_path / "none.idx", "sha1")
