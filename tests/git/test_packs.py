"""Our packs: git reads them, no gc removes them, no kill or full disk breaks them."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
import time
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import CannotWrite, ObjectDamaged
from gitstate.git import pack_files
from gitstate.git import packs as packs_module
from gitstate.git.objects import NewObject, make
from gitstate.git.pack_files import PACKED_MARK, TAIL_MARK, UNFLUSHED_MARK
from gitstate.git.packs import TAIL_OBJECTS, PackStore

if TYPE_CHECKING:
    from tests.engines import Kind
    from tests.support import Repo


@pytest.fixture
def store(repo: Repo, kind: Kind) -> PackStore:
    return PackStore(repo.path / ".git" / "objects", kind.object_format)


@pytest.fixture
def blobs(kind: Kind) -> list[NewObject]:
    return [
        make("blob", b"blob %d\n" % at * 20, kind.object_format) for at in range(900)
    ]


def read(repo: Repo, item: NewObject) -> bytes:
    return repo.git("cat-file", item.kind, item.id).encode() + b"\n"


def others(store: PackStore) -> set[str]:
    """What lies in the pack folder and belongs to no pack of ours."""
    ours = {pack.name for pack in store.standing()}
    return {
        path.name
        for path in store.folder.iterdir()
        if path.name.split(".")[0] not in ours
    }


def test_a_versions_objects_go_into_one_kept_pack(
    repo: Repo, store: PackStore, blobs: list[NewObject]
) -> None:
    store.add(blobs[:3], durable=True)

    (pack,) = store.ours()
    assert pack.mark == TAIL_MARK
    assert pack.tail
    assert sorted(path.suffix for path in store.folder.iterdir()) == [
        ".idx",
        ".keep",
        ".pack",
    ]
    assert [read(repo, item) for item in blobs[:3]] == [item.data for item in blobs[:3]]
    assert store.holds(item.id for item in blobs[:5]) == {item.id for item in blobs[:3]}
    repo.git("fsck", "--full", "--strict", "--no-dangling")
    assert all(path.stat().st_mode & 0o222 == 0 for path in store.folder.iterdir())


def test_the_tail_grows_and_its_older_selves_go(
    repo: Repo, store: PackStore, blobs: list[NewObject]
) -> None:
    names: list[set[str]] = [set()]
    for item in blobs[:5]:
        store.add([item], durable=True)
        names.append({pack.name for pack in store.ours()})
        (new,) = names[-1] - names[-2]
        # the one before stays for a git process that has just listed the packs
        assert names[-1] - {new} <= names[-2]
        assert store.superseded(store.ours()).keys() == names[-1] - {new}

    assert [len(found) for found in names] == [0, 1, 2, 2, 2, 2]
    assert not others(store)
    assert store.holds(item.id for item in blobs) == {item.id for item in blobs[:5]}
    repo.git("fsck", "--full", "--strict", "--no-dangling")


@pytest.mark.parametrize("lock", ["gc.pid", "objects/maintenance.lock"])
def test_while_git_keeps_house_no_tail_goes(
    repo: Repo,
    store: PackStore,
    blobs: list[NewObject],
    lock: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pack_files, "RETIRED_S", 0.0)
    held = repo.path / ".git" / lock
    held.write_text(f"{os.getpid()} {socket.gethostname()}" if "pid" in lock else "")
    for item in blobs[:6]:
        store.add([item], durable=True)
    assert (len(store.ours()), len(store.standing())) == (2, 6)

    held.unlink()
    store.add(blobs[6:7], durable=True)
    store.remove_retired()

    assert (len(store.ours()), len(store.standing())) == (2, 2)
    assert store.holds(item.id for item in blobs) == {item.id for item in blobs[:7]}
    repo.git("fsck", "--full", "--strict", "--no-dangling")


def test_a_pack_that_was_replaced_stays_a_while_for_slow_readers(
    repo: Repo,
    store: PackStore,
    blobs: list[NewObject],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for item in blobs[:40]:
        store.add([item], durable=False)
        assert len(store.ours()) <= 3
        assert len(store.standing()) <= 3 + 4 + 2
    assert len(store.standing()) > 5
    repo.git("fsck", "--full", "--strict", "--no-dangling")

    monkeypatch.setattr(pack_files, "RETIRED_S", 0.0)
    store.remove_retired()

    assert store.standing() == store.ours()
    assert not others(store)
    assert store.holds(item.id for item in blobs) == {item.id for item in blobs[:40]}


def test_a_gc_that_died_long_ago_holds_up_nothing(
    repo: Repo, store: PackStore, blobs: list[NewObject]
) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    held = repo.path / ".git" / "gc.pid"
    for text, age_s in (
        (f"{dead.pid} {socket.gethostname()}", 0),
        ("1 another-machine", 13 * 3600),
    ):
        held.write_text(text)
        os.utime(held, (time.time() - age_s,) * 2)
        for item in blobs[:6] if age_s == 0 else blobs[6:12]:
            store.add([item], durable=True)
        assert len(store.ours()) == 2


def test_what_is_there_is_not_written_again(
    store: PackStore, blobs: list[NewObject]
) -> None:
    store.add(blobs[:3], durable=True)
    before = store.ours()

    store.add(blobs[:3], durable=True)
    store.add([], durable=True)
    store.add([blobs[0], blobs[0]], durable=True)

    assert store.ours() == before
    store.add([blobs[5], blobs[5]], durable=True)
    with store.index(store.ours()[0].name) as index:
        assert len(index) == 4


def test_again_writes_what_is_damaged_into_a_pack_of_its_own(
    repo: Repo, store: PackStore, blobs: list[NewObject]
) -> None:
    store.add(blobs[:3], durable=True)

    store.add(blobs[:1], durable=True, again=True)

    assert sorted(pack.mark for pack in store.ours()) == [PACKED_MARK, TAIL_MARK]
    assert read(repo, blobs[0]) == blobs[0].data


def test_a_full_tail_stays_and_a_new_one_begins(
    repo: Repo, store: PackStore, blobs: list[NewObject]
) -> None:
    for at in range(0, 600, 100):
        store.add(blobs[at : at + 100], durable=True)

    sizes = []
    for pack in store.ours():
        with store.index(pack.name) as index:
            sizes.append(len(index))
    assert sorted(sizes) == [100, 200, 200, 200]  # the 100 are in one of the others
    assert all(size <= TAIL_OBJECTS for size in sizes)
    store.add(blobs, durable=True)  # more than one tail takes, in one version
    assert store.holds(item.id for item in blobs) == {item.id for item in blobs}
    repo.git("fsck", "--full", "--strict", "--no-dangling")


def test_large_objects(repo: Repo, store: PackStore, kind: Kind) -> None:
    for size in (0, 1, 15, 16, 2047, 2048, 1 << 18, 5_000_000):
        item = make("blob", os.urandom(size), kind.object_format)
        store.add([item], durable=False)
        assert repo.git("cat-file", "-s", item.id) == str(size)
    repo.git("fsck", "--full", "--strict", "--no-dangling")


def test_the_users_gc_removes_nothing_of_ours(
    repo: Repo, store: PackStore, blobs: list[NewObject]
) -> None:
    store.add(blobs[:10], durable=True)
    for command in (
        ("gc", "-q", "--prune=now", "--aggressive"),
        ("repack", "-adfq", "--no-write-bitmap-index"),
        ("repack", "-Adq", "--unpack-unreachable=now"),
        ("prune", "--expire=now"),
        ("prune-packed", "-q"),
        ("maintenance", "run", "--task=incremental-repack", "--task=gc"),
        ("multi-pack-index", "write"),
        ("multi-pack-index", "expire"),
        ("multi-pack-index", "repack"),
    ):
        repo.git(*command)
        assert store.holds(item.id for item in blobs[:10]) == {
            item.id for item in blobs[:10]
        }, command
    store.add(blobs[10:20], durable=True)
    assert [read(repo, item) for item in blobs[:20]] == [
        item.data for item in blobs[:20]
    ]
    repo.git("fsck", "--full", "--strict", "--no-dangling")


def test_a_pack_that_a_multi_pack_index_names_stays(
    repo: Repo, store: PackStore, blobs: list[NewObject]
) -> None:
    store.add(blobs[:3], durable=True)
    (named,) = store.ours()
    repo.git("multi-pack-index", "write")
    assert store.named_by_multi_pack_index() == {named.name}

    store.add(blobs[3:6], durable=True)

    assert named in store.ours()
    assert store.remove([named.name]) == []
    repo.git("fsck", "--full", "--strict", "--no-dangling")
    repo.git("multi-pack-index", "verify")


def test_not_durable_is_flushed_once_in_some_seconds(
    store: PackStore, blobs: list[NewObject], monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[int] = []
    real = os.fsync

    def fsync(fd: int) -> None:
        flushed.append(fd)
        real(fd)

    monkeypatch.setattr(os, "fsync", fsync)

    for item in blobs[:20]:
        store.add([item], durable=False)

    assert len(flushed) == 2
    assert sorted(pack.mark for pack in store.ours()) == sorted(
        [TAIL_MARK, UNFLUSHED_MARK, UNFLUSHED_MARK]
    )
    flushed.clear()
    store.add(blobs[20:21], durable=True)
    assert len(flushed) == 2
    store.add(blobs[21:22], durable=True)
    assert [pack.mark for pack in store.ours()] == [TAIL_MARK, TAIL_MARK]


def test_the_tail_that_was_flushed_stays_until_another_is(
    store: PackStore, blobs: list[NewObject]
) -> None:
    store.add(blobs[:2], durable=True)
    (flushed,) = store.ours()
    for item in blobs[2:6]:
        store.add([item], durable=False)
        assert flushed in store.ours()
        assert flushed.name not in store.superseded(store.ours())
        assert len(store.ours()) <= 3


@pytest.mark.parametrize("damage", ["garbage", "short", "empty", "other checksum"])
def test_a_damaged_tail_is_left_and_not_built_upon(
    repo: Repo, store: PackStore, blobs: list[NewObject], damage: str
) -> None:
    store.add(blobs[:3], durable=True)
    (old,) = store.ours()
    path = store.folder / f"{old.name}.pack"
    path.chmod(0o644)
    whole = path.read_bytes()
    path.write_bytes(
        {
            "garbage": whole[:40] + b"garbage!" + whole[48:],
            "short": whole[:50],
            "empty": b"",
            "other checksum": whole[:-20] + b"\0" * 20,
        }[damage]
    )

    store.add(blobs[3:6], durable=True)

    assert path.exists()
    assert len(store.ours()) == 2
    assert [read(repo, item) for item in blobs[3:6]] == [
        item.data for item in blobs[3:6]
    ]


def test_a_damaged_index_of_a_tail_keeps_nobody_from_writing(
    repo: Repo, store: PackStore, blobs: list[NewObject]
) -> None:
    store.add(blobs[:3], durable=True)
    (old,) = store.ours()
    path = store.folder / f"{old.name}.idx"
    path.chmod(0o644)
    path.write_bytes(b"")

    store.add(blobs[:6], durable=True)

    assert [read(repo, item) for item in blobs[:6]] == [item.data for item in blobs[:6]]
    with pytest.raises(ObjectDamaged):
        store.index(old.name)


def test_packs_of_others_are_never_ours(
    repo: Repo, store: PackStore, blobs: list[NewObject]
) -> None:
    repo.git("repack", "-adq")
    (theirs,) = store.folder.glob("*.pack")
    theirs.with_suffix(".keep").write_text("the user's own\n")
    assert store.ours() == []

    store.add(blobs[:3], durable=True)
    store.sweep(now_s=4e9)

    assert theirs.exists()
    assert theirs.with_suffix(".keep").exists()
    assert len(store.ours()) == 1


def test_what_a_killed_writer_left_is_swept_an_hour_later(
    repo: Repo, store: PackStore, blobs: list[NewObject]
) -> None:
    store.add(blobs[:3], durable=True)
    left = [
        store.folder / "gitstate-tmp-1-abc-1",
        store.folder / f"pack-{'1' * 40}.keep",
        store.folder / f"pack-{'2' * 40}.keep",
        store.folder / f"pack-{'2' * 40}.pack",
    ]
    for path in left:
        path.write_bytes(TAIL_MARK)
    kept = store.folder / f"pack-{'3' * 40}.keep"
    kept.write_bytes(b"not ours\n")
    now = left[0].stat().st_mtime

    store.sweep(now + 60)
    assert all(path.exists() for path in left)
    store.sweep(now + 3700)

    assert not any(path.exists() for path in left)
    assert kept.exists()
    assert store.holds(item.id for item in blobs[:3]) == {item.id for item in blobs[:3]}
    repo.git("fsck", "--full", "--strict", "--no-dangling")


def test_no_space_for_any_of_the_files_leaves_nothing(
    store: PackStore, blobs: list[NewObject], monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(blobs[:3], durable=True)
    before = sorted(path.name for path in store.folder.iterdir())
    real = os.write
    for failing in range(3):  # the pack, its index, its mark
        count = 0

        def write(fd: int, data: bytes, failing: int = failing) -> int:
            nonlocal count
            count += 1
            if count > failing:
                raise OSError(28, "No space left on device")
            return real(fd, data)

        monkeypatch.setattr(os, "write", write)
        with pytest.raises(CannotWrite, match="the disk is full") as caught:
            store.add(blobs[3:6], durable=True)
        monkeypatch.setattr(os, "write", real)

        assert "write to git's object store" in str(caught.value)
        assert sorted(path.name for path in store.folder.iterdir()) == before, failing
    store.add(blobs[3:6], durable=True)


def test_a_folder_that_gc_removed_is_made_again(
    store: PackStore, blobs: list[NewObject]
) -> None:
    store.folder.rmdir()

    store.add(blobs[:3], durable=True)

    assert len(store.ours()) == 1


def test_many_writers_lose_nothing(
    repo: Repo, store: PackStore, blobs: list[NewObject], kind: Kind
) -> None:
    failures: list[BaseException] = []

    def write(part: list[NewObject]) -> None:
        mine = PackStore(repo.path / ".git" / "objects", kind.object_format)
        try:
            for at in range(0, len(part), 3):
                mine.add(part[at : at + 3], durable=False)
        except BaseException as error:  # noqa: BLE001 the test shows it
            failures.append(error)

    threads = [
        threading.Thread(target=write, args=(blobs[at * 60 : at * 60 + 60],))
        for at in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not failures
    written = {item.id for item in blobs[:360]}
    assert store.holds(written) == written
    repo.git("fsck", "--full", "--strict", "--no-dangling")


@pytest.mark.parametrize(("bits", "mode"), [(0, None), (0o060, 0o440), (0o064, 0o444)])
def test_the_groups_files_are_the_groups(
    repo: Repo, kind: Kind, blobs: list[NewObject], bits: int, mode: int | None
) -> None:
    store = PackStore(
        repo.path / ".git" / "objects", kind.object_format, shared_bits=bits
    )
    before = os.umask(0o077)
    try:
        store.add(blobs[:3], durable=True)
    finally:
        os.umask(before)

    expected = 0o400 if mode is None else mode
    assert {path.stat().st_mode & 0o777 for path in store.folder.iterdir()} == {
        expected
    }


def test_the_limits_are_those_of_the_contract() -> None:
    assert packs_module.MOST_PACKS == 5
    assert packs_module.TAIL_OBJECTS <= 1000
