"""Many small packs of ours become few; whatever happens meanwhile, nothing is lost."""

from __future__ import annotations

import fcntl
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import CannotWrite, GitFailed
from gitstate.git import packing
from gitstate.git.objects import NewObject, make
from gitstate.git.pack_files import PACKED_MARK
from gitstate.git.packing import (
    Packed,
    consolidate,
    mend_multi_pack_index,
    overdue,
)
from gitstate.git.packs import MOST_PACKS, PackStore
from tests.support import Repo, make_repo

if TYPE_CHECKING:
    from pathlib import Path

    from tests.engines import Kind


@pytest.fixture
def store(repo: Repo, kind: Kind, monkeypatch: pytest.MonkeyPatch) -> PackStore:
    monkeypatch.setattr("gitstate.git.packs.TAIL_OBJECTS", 20)
    return PackStore(repo.path / ".git" / "objects", kind.object_format)


@pytest.fixture
def scratch(repo: Repo) -> Path:
    folder = repo.path / ".git" / "gitstate"
    folder.mkdir()
    return folder


def blob(kind: Kind, at: int) -> NewObject:
    return make("blob", b"line %d\n" % at * 30, kind.object_format)


def fill(
    store: PackStore, kind: Kind, first: int, count: int, *, durable: bool = False
) -> set[str]:
    """Write ``count`` objects, five a version; returns their ids."""
    written = [blob(kind, first + at) for at in range(count)]
    for at in range(0, count, 5):
        store.add(written[at : at + 5], durable=durable)
    return {item.id for item in written}


def sound(repo: Repo, store: PackStore, ids: set[str]) -> None:
    """Every object is in a pack of ours and git reads it; no scratch file lies about."""
    assert store.holds(ids) == ids
    repo.git("fsck", "--full", "--strict", "--no-dangling")
    found = repo.git(
        "cat-file", "--batch-check", stdin="".join(f"{i}\n" for i in ids).encode()
    )
    assert "missing" not in found
    ours = {pack.name for pack in store.ours()}
    assert {path.name.split(".")[0] for path in store.folder.glob("pack-*")} >= ours
    assert not list(store.folder.glob("gitstate-tmp-*"))
    assert not list(store.folder.glob("tmp_*"))


def test_full_tails_are_merged_and_one_that_grows_is_left_alone(
    repo: Repo, store: PackStore, scratch: Path, kind: Kind
) -> None:
    fill(store, kind, 0, 60, durable=True)
    before = store.ours()

    assert len(before) - len(store.superseded(before)) == 3
    done = consolidate(store, root=repo.path, scratch=scratch)

    assert done.packs <= len(before)
    sound(repo, store, store.holds(blob(kind, at).id for at in range(60)))


def test_small_packs_become_one(
    repo: Repo, store: PackStore, scratch: Path, kind: Kind
) -> None:
    ids = fill(store, kind, 0, 100)
    count = len(store.ours())
    assert count >= MOST_PACKS
    assert overdue(store)

    done = consolidate(store, root=repo.path, scratch=scratch)

    assert done == Packed(100, count, 1)
    assert [pack.mark for pack in store.ours()] == [PACKED_MARK]
    assert not overdue(store)
    sound(repo, store, ids)
    assert list(scratch.iterdir()) == []


def test_never_more_than_five_however_long_it_goes_on(
    repo: Repo, store: PackStore, scratch: Path, kind: Kind
) -> None:
    ids: set[str] = set()
    rewritten = 0
    for round_ in range(40):
        ids |= fill(store, kind, round_ * 20, 20)
        if overdue(store):
            rewritten += consolidate(store, root=repo.path, scratch=scratch).objects
        assert len(store.ours()) <= MOST_PACKS
    assert rewritten < 10 * len(ids)
    sound(repo, store, ids)


def test_everything_becomes_one_pack_on_request(
    repo: Repo, store: PackStore, scratch: Path, kind: Kind
) -> None:
    ids = fill(store, kind, 0, 130)

    consolidate(store, root=repo.path, scratch=scratch, everything=True)
    assert len(store.ours()) == 1
    ids |= fill(store, kind, 500, 5)
    consolidate(store, root=repo.path, scratch=scratch, everything=True)
    assert len(store.ours()) == 1
    again = consolidate(store, root=repo.path, scratch=scratch, everything=True)

    assert again.objects == 0
    sound(repo, store, ids)


def test_a_users_multi_pack_index_stays_sound(
    repo: Repo, store: PackStore, scratch: Path, kind: Kind
) -> None:
    ids = fill(store, kind, 0, 100)
    repo.git("repack", "-dq")
    repo.git("multi-pack-index", "write", "--bitmap")
    assert store.named_by_multi_pack_index()

    consolidate(store, root=repo.path, scratch=scratch, everything=True)

    repo.git("multi-pack-index", "verify")
    assert len(store.ours()) == 1
    sound(repo, store, ids)


def test_a_multi_pack_index_of_packs_that_are_gone_is_mended(
    repo: Repo, store: PackStore, kind: Kind
) -> None:
    ids = fill(store, kind, 0, 5)
    repo.git("repack", "-dq")
    repo.git("multi-pack-index", "write", "--bitmap")
    # as if the tail had given way to a larger one while it was written
    named = store.named_by_multi_pack_index()
    store.add([blob(kind, at) for at in range(5, 10)], durable=True)
    (new,) = {pack.name for pack in store.ours()} - named
    for name in named:
        for path in store.folder.glob(f"{name}.*"):
            path.unlink()
    ids = store.holds(ids | {blob(kind, at).id for at in range(5, 10)})
    assert [pack.name for pack in store.ours()] == [new]
    assert store.lost_to_multi_pack_index() == named

    mend_multi_pack_index(store, root=repo.path)

    assert store.lost_to_multi_pack_index() == set()
    repo.git("multi-pack-index", "verify")
    repo.git("repack", "-adbq")
    sound(repo, store, ids)


def test_a_multi_pack_index_of_nothing_but_packs_that_are_gone_goes(
    repo: Repo, store: PackStore, kind: Kind
) -> None:
    fill(store, kind, 0, 5)
    repo.git("multi-pack-index", "write")
    for path in store.folder.glob("pack-*"):
        path.unlink()

    mend_multi_pack_index(store, root=repo.path)

    assert not (store.folder / "multi-pack-index").exists()
    repo.git("fsck", "--full", "--strict", "--no-dangling")


def test_the_users_pack_settings_do_not_count(
    repo: Repo, store: PackStore, scratch: Path, kind: Kind
) -> None:
    for key, value in (
        ("pack.packSizeLimit", "1m"),
        ("pack.indexVersion", "1"),
        ("pack.writeReverseIndex", "true"),
        ("pack.threads", "64"),
        ("core.compression", "0"),
        ("repack.packKeptObjects", "true"),
        ("pack.writeBitmaps", "true"),
    ):
        repo.git("config", key, value)
    ids = fill(store, kind, 0, 100)

    consolidate(store, root=repo.path, scratch=scratch, everything=True)

    assert len(store.ours()) == 1
    sound(repo, store, ids)
    repo.git("gc", "-q", "--prune=now")
    sound(repo, store, ids)


def test_a_pack_that_holds_all_of_the_others_takes_their_place(
    repo: Repo, store: PackStore, scratch: Path, kind: Kind
) -> None:
    objects = [
        make("blob", os.urandom(50), kind.object_format) for _ in range(12)
    ]  # no deltas: packed again, it has the same name
    store.add(objects[:4], durable=True)
    store.add(objects[4:8], durable=False)
    store.add(objects[8:], durable=False)
    assert len(store.ours()) == 3

    done = consolidate(store, root=repo.path, scratch=scratch)

    assert done.packs == 1
    assert [pack.mark for pack in store.ours()] == [PACKED_MARK]
    sound(repo, store, {item.id for item in objects})


def test_any_name_of_a_folder(tmp_path: Path, kind: Kind) -> None:
    repo = make_repo(tmp_path / 'a:b "c" \\d\n é', object_format=kind.object_format)
    store = PackStore(repo.path / ".git" / "objects", kind.object_format)
    scratch = repo.path / ".git" / "gitstate"
    scratch.mkdir()
    ids = {blob(kind, at).id for at in range(5)}
    store.add([blob(kind, at) for at in range(5)], durable=True)

    consolidate(store, root=repo.path, scratch=scratch, everything=True)

    assert [pack.mark for pack in store.ours()] == [PACKED_MARK]
    sound(repo, store, ids)


def test_two_packers_do_not_meet(
    repo: Repo, store: PackStore, scratch: Path, kind: Kind
) -> None:
    ids = fill(store, kind, 0, 100)
    before = store.ours()
    fd = os.open(scratch, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)

    done = consolidate(store, root=repo.path, scratch=scratch, everything=True)

    assert done == Packed(0, 0, len(before))
    assert store.ours() == before
    os.close(fd)
    consolidate(store, root=repo.path, scratch=scratch, everything=True)
    sound(repo, store, ids)


def test_a_folder_of_a_killed_packer_is_swept(
    repo: Repo, store: PackStore, scratch: Path, kind: Kind
) -> None:
    fill(store, kind, 0, 10)
    old = scratch / "packing-1"
    young = scratch / "packing-2"
    for folder in (old, young):
        folder.mkdir()
        (folder / "pack-x.pack").write_text("half")
    os.utime(old, (1, 1))

    consolidate(store, root=repo.path, scratch=scratch)

    assert not old.exists()
    assert young.exists()


def damage(store: PackStore, name: str) -> bytes:
    """Zero some bytes of a pack; returns what it then holds."""
    path = store.folder / f"{name}.pack"
    path.chmod(0o644)
    data = bytearray(path.read_bytes())
    data[40:60] = bytes(20)
    path.write_bytes(data)
    return bytes(data)


def test_a_damaged_pack_of_ours_is_left_and_the_others_are_packed(
    repo: Repo, store: PackStore, scratch: Path, kind: Kind
) -> None:
    fill(store, kind, 0, 50, durable=True)
    consolidate(store, root=repo.path, scratch=scratch, everything=True)
    (victim,) = store.ours()
    ids = fill(store, kind, 50, 100, durable=True)
    tails = len(store.ours()) - 1
    data = damage(store, victim.name)

    done = consolidate(store, root=repo.path, scratch=scratch, everything=True)

    assert (done.replaced, done.packs) == (tails, 2)
    assert (store.folder / f"{victim.name}.pack").read_bytes() == data
    assert store.holds(ids) == ids


def test_a_damaged_pack_whose_objects_another_holds_goes_with_the_rest(
    repo: Repo,
    store: PackStore,
    scratch: Path,
    kind: Kind,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ids = fill(store, kind, 0, 100, durable=True)
    (victim,) = store.superseded(store.ours())
    damage(store, victim)

    done = consolidate(store, root=repo.path, scratch=scratch, everything=True)
    monkeypatch.setattr("gitstate.git.pack_files.RETIRED_S", 0.0)
    store.remove_retired()

    assert done.packs == 1
    sound(repo, store, ids)


@pytest.mark.parametrize("failure", ["git fails", "no scratch", "left out"])
def test_when_packing_fails_all_packs_are_as_they_were(
    repo: Repo,
    store: PackStore,
    scratch: Path,
    kind: Kind,
    monkeypatch: pytest.MonkeyPatch,
    *,
    tmp_path: Path,
    failure: str,
) -> None:
    ids = fill(store, kind, 0, 100, durable=True)
    before = store.ours()
    if failure == "git fails":
        monkeypatch.setattr(packing, "PACK_FLAGS", ("--no-such-flag",))
    elif failure == "no scratch":
        shutil.rmtree(scratch)
    else:  # a git that packs less than it was asked to
        real = shutil.which("git")
        fake = tmp_path / "bin" / "git"
        fake.parent.mkdir()
        fake.write_text(
            '#!/bin/sh\ncase "$*" in *pack-objects*)\n'
            f'  head -n 2 | exec {real} "$@";;\n*) exec {real} "$@";;\nesac\n'
        )
        fake.chmod(0o755)
        monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")

    with pytest.raises((GitFailed, CannotWrite)):
        consolidate(store, root=repo.path, scratch=scratch, everything=True)

    assert {pack.name for pack in before} <= {pack.name for pack in store.ours()}
    sound(repo, store, ids)
