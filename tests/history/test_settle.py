"""What was displaced goes when a version has it and nobody can still write to it."""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import Refused
from gitstate.git.objects import FILE, LINK
from gitstate.history import settle as settle_module
from gitstate.history.exchange import Change, Displaced, Way, apply, leftovers, settle
from gitstate.history.leases import UNCHANGED_S
from gitstate.workspace import SCRATCH
from tests.history.contents import (
    content,
    needs_root,
    open_descriptors,
    texts_of,
    tree_of,
)
from tests.support import wait_for

if TYPE_CHECKING:
    from pathlib import Path

OLD, NEW = content("old"), content("new")
RUN = "0123456789abcdef"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / ".agent-state"
    folder.mkdir()
    return folder


@pytest.fixture
def displaced(state: Path) -> Path:
    """``a`` was exchanged: the name under which its old file is kept."""
    (state / "a").write_text("old")
    changes = [Change(b"a", OLD, NEW)]
    apply(state, changes, object_format="sha1", durable=False)
    (found,) = leftovers(state)
    return state / SCRATCH / os.fsdecode(found.name)


def all_known(_: Displaced) -> bool:
    return True


def is_old(item: Displaced) -> bool:
    return item.data == b"old"


def kept_at(state: Path, name: str, data: str, run: str = RUN) -> Path:
    target = state / SCRATCH / run / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(data)
    return target


def test_nothing_to_settle(state: Path, tmp_path: Path) -> None:
    assert (settle(state, all_known), leftovers(state)) == ((), ())
    assert (settle(tmp_path / "none", all_known), leftovers(tmp_path / "none")) == (
        (),
        (),
    )
    (tmp_path / "link").symlink_to(state)
    with pytest.raises(Refused, match="is a link"):
        settle(tmp_path / "link", all_known)


def test_known_bytes_go_and_unknown_ones_stay(state: Path, displaced: Path) -> None:
    before = open_descriptors()
    asked: list[Displaced] = []

    def refuse(item: Displaced) -> bool:
        asked.append(item)
        return False

    name = os.fsencode(displaced.relative_to(state / SCRATCH))
    item = Displaced(b"a", FILE, b"old", name)
    assert settle(state, refuse) == (item,)
    assert asked == [item]
    assert displaced.read_text() == "old"
    assert settle(state, is_old) == ()
    assert texts_of(state) == {"a": "new"}
    assert not (state / SCRATCH).exists()
    assert open_descriptors() == before


WRITERS = ["descriptor", "append", "child", "map"]


@pytest.mark.skipif(not hasattr(fcntl, "F_SETLEASE"), reason="leases are Linux's")
@pytest.mark.parametrize("how", WRITERS)
def test_what_somebody_has_open_to_write_is_kept(state: Path, how: str) -> None:
    path = state / "a"
    path.write_text("old")
    mode = "ab" if how == "append" else "r+b"
    with path.open(mode) as file:
        apply(state, [Change(b"a", OLD, NEW)], object_format="sha1", durable=False)
        assert settle(state, all_known) == ()
        assert [item.data for item in leftovers(state)] == [b"old"]
        if how == "append":
            file.write(b", written late")
            file.flush()
        elif how == "map":
            with mmap.mmap(file.fileno(), 3) as memory:
                file.close()
                assert settle(state, all_known) == ()
                memory[:3] = b"OLD"
        elif how == "child":
            script = "import sys; sys.stdin.read(); sys.stdout.write('late')"
            child = subprocess.Popen(
                [sys.executable, "-c", script],
                stdin=subprocess.PIPE,
                stdout=file,
            )
            file.close()
            assert settle(state, all_known) == ()
            child.communicate(b"")
        else:
            file.write(b"late")
    late = {"append": b"old, written late", "map": b"OLD"}.get(how, b"late")
    unknown = settle(state, is_old)
    assert [(item.path, item.data) for item in unknown] == [(b"a", late)]
    assert settle(state, lambda item: item.data == late) == ()
    assert texts_of(state) == {"a": "new"}


def test_a_reader_does_not_keep_it(state: Path, displaced: Path) -> None:
    with displaced.open("rb") as file:
        assert settle(state, is_old) == ()
        assert file.read() == b"old"
    assert not (state / SCRATCH).exists()


@pytest.mark.skipif(not hasattr(fcntl, "F_SETLEASE"), reason="leases are Linux's")
def test_a_writer_that_comes_while_it_is_judged_is_seen(
    state: Path, displaced: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.pread
    script = (
        "import sys; sys.stdout.write('.'); sys.stdout.flush(); open(sys.argv[1], 'r+')"
    )
    children: list[subprocess.Popen[bytes]] = []

    def pread(fd: int, size: int, offset: int) -> bytes:
        data = real(fd, size, offset)
        child = subprocess.Popen(
            [sys.executable, "-c", script, displaced], stdout=subprocess.PIPE
        )
        children.append(child)
        breaking = fcntl.F_UNLCK
        wait_for(lambda: fcntl.fcntl(fd, fcntl.F_GETLEASE) == breaking, what="a writer")
        return data

    monkeypatch.setattr(os, "pread", pread)
    assert settle(state, is_old) == ()
    (child,) = children
    child.communicate()
    assert child.returncode == 0
    assert displaced.read_text() == "old"


@pytest.mark.skipif(not hasattr(fcntl, "F_SETLEASE"), reason="leases are Linux's")
@pytest.mark.parametrize("number", [errno.EINVAL, errno.EACCES, errno.EAGAIN])
def test_without_leases_a_minute_of_rest_counts(
    state: Path, displaced: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    real = fcntl.fcntl

    def no_leases(fd: int, command: int, argument: int = 0) -> int:
        if command == fcntl.F_SETLEASE:
            raise OSError(number, os.strerror(number))
        return real(fd, command, argument)

    monkeypatch.setattr(fcntl, "fcntl", no_leases)
    changed = displaced.stat().st_ctime
    monkeypatch.setattr(time, "time", lambda: changed + UNCHANGED_S - 1)
    assert settle(state, is_old) == ()
    assert displaced.exists()
    monkeypatch.setattr(time, "time", lambda: changed + UNCHANGED_S + 1)
    assert settle(state, is_old) == ()
    assert texts_of(state) == {"a": "new"}
    assert not (state / SCRATCH).exists()


@needs_root
@pytest.mark.skipif(not hasattr(fcntl, "F_SETLEASE"), reason="leases are Linux's")
def test_bytes_that_change_between_the_question_and_the_lease_stay(
    state: Path, displaced: Path
) -> None:
    def change_then_agree(_: Displaced) -> bool:
        displaced.write_text("late")
        return True

    assert settle(state, change_then_agree) == ()
    assert displaced.read_text() == "late"


def test_what_was_only_being_staged_is_nobodys(state: Path) -> None:
    kept_at(state, "new/a", "half a fi", run=f"{RUN}.part")
    (state / SCRATCH / f"{RUN}.part/new/link").symlink_to("x")
    assert leftovers(state) == ()
    assert settle(state, lambda _: False) == ()
    assert not (state / SCRATCH).exists()


def test_both_trees_of_a_run_and_nothing_else_is_read(state: Path) -> None:
    kept_at(state, "new/a", "1")
    kept_at(state, "old/sub/a\nb", "2")
    (state / SCRATCH / RUN / "old/link").symlink_to("/etc/passwd")
    kept_at(state, "mine/x", "a stranger's")
    kept_at(state, "x", "a stranger's too", run="notes")
    run = RUN.encode()
    expected = (
        Displaced(b"a", FILE, b"1", run + b"/new/a"),
        Displaced(b"link", LINK, b"/etc/passwd", run + b"/old/link"),
        Displaced(b"sub/a\nb", FILE, b"2", run + b"/old/sub/a\nb"),
    )
    assert leftovers(state) == expected
    assert settle(state, lambda _: False) == expected
    assert settle(state, all_known) == ()
    assert texts_of(state / SCRATCH) == {
        f"{RUN}/mine/x": "a stranger's",
        "notes/x": "a stranger's too",
    }


def test_a_second_name_of_the_file_in_place_is_no_leftover(state: Path) -> None:
    (state / "sub").mkdir()
    (state / "sub/a").write_text("edited since")
    (kept_at(state, "new/sub/other", "x").parent / "a").hardlink_to(state / "sub/a")
    assert [item.path for item in leftovers(state)] == [b"sub/other"]
    assert settle(state, all_known) == ()
    assert texts_of(state) == {"sub/a": "edited since"}


def test_what_cannot_be_read_is_named_without_bytes(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settle_module, "LARGEST", 5)
    kept_at(state, "old/large", "123456")
    kept_at(state, "old/small", "12345")
    large = Displaced(b"large", FILE, None, f"{RUN}/old/large".encode())
    assert leftovers(state)[0] == large
    assert settle(state, all_known) == (large,)
    assert texts_of(state / SCRATCH) == {f"{RUN}/old/large": "123456"}


def test_pipes_and_folders_do_not_block(state: Path) -> None:
    kept_at(state, "old/a", "1")
    os.mkfifo(state / SCRATCH / RUN / "old/pipe")
    (state / SCRATCH / RUN / "old/hollow/deep").mkdir(parents=True)
    assert settle(state, all_known) == ()
    assert [path.name for path in (state / SCRATCH / RUN).rglob("*")] == [
        "old",
        "pipe",
    ]


def test_links_in_the_scratch_folder_are_not_followed(
    state: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    (outside / "new").mkdir(parents=True)
    (outside / "new/a").write_text("precious")
    (state / SCRATCH / RUN).mkdir(parents=True)
    (state / SCRATCH / RUN / "new").symlink_to(outside / "new")
    (state / SCRATCH / ("f" * 16)).symlink_to(outside)
    (state / SCRATCH / ("e" * 16 + ".part")).symlink_to(outside)
    before = tree_of(tmp_path)
    assert (leftovers(state), settle(state, all_known)) == ((), ())
    assert tree_of(tmp_path) == before


@pytest.mark.parametrize("way", list(Way))
def test_a_run_that_is_under_way_is_left_alone(
    state: Path, monkeypatch: pytest.MonkeyPatch, way: Way
) -> None:
    (state / "a").write_text("old")
    from gitstate.history import moves  # noqa: PLC0415 only here

    real = moves.Mover.put
    seen: list[object] = []

    def put(self: moves.Mover, change: Change) -> None:
        seen.append((leftovers(state), settle(state, all_known)))
        real(self, change)
        seen.append((leftovers(state), settle(state, all_known)))

    monkeypatch.setattr(moves.Mover, "put", put)
    applied = apply(
        state, [Change(b"a", OLD, NEW)], object_format="sha1", durable=False, way=way
    )
    assert (applied.done, seen) == ((b"a",), [((), ()), ((), ())])
    assert [item.data for item in leftovers(state)] == [b"old"]
