"""The state directory as values."""

from __future__ import annotations

import os
import socket
import threading
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import Refused
from gitstate.git.objects import EXECUTABLE, FILE, LINK, object_id
from gitstate.history import directory
from gitstate.history.directory import Cache, Content, Scan, Skipped, read_file, scan
from gitstate.history.listing import MAX_DEPTH
from gitstate.workspace import SCRATCH
from tests.history.contents import as_nobody, content, needs_root, open_descriptors

if TYPE_CHECKING:
    from pathlib import Path


def look(state: Path, *, max_file_size: int = 1 << 20) -> Scan:
    return scan(state, object_format="sha1", max_file_size=max_file_size)


def write(state: Path, path: bytes | str, data: bytes = b"text\n") -> Path:
    target = state / os.fsdecode(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    return target


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / ".agent-state"
    folder.mkdir()
    return folder


def test_files_links_and_modes_are_read_byte_for_byte(state: Path) -> None:
    write(state, "02-current-task.md", b"line\r\nno end")
    write(state, "archive/run.sh", b"#!/bin/sh\n").chmod(0o744)
    write(state, "archive/group.sh", b"x").chmod(0o674)  # only the owner's bit counts
    write(state, "empty", b"")
    (state / "link").symlink_to("../outside/file")
    (state / "to-folder").symlink_to("/etc")
    (state / "hollow" / "inner").mkdir(parents=True)
    assert look(state) == Scan(
        {
            b"02-current-task.md": content(b"line\r\nno end"),
            b"archive/group.sh": content(b"x"),
            b"archive/run.sh": content(b"#!/bin/sh\n", EXECUTABLE),
            b"empty": content(b""),
            b"link": content(b"../outside/file", LINK),
            b"to-folder": content(b"/etc", LINK),
        }
    )


def test_ids_are_those_of_the_object_format(state: Path) -> None:
    write(state, "a", b"data")
    found = scan(state, object_format="sha256", max_file_size=100)
    assert found.files == {
        b"a": Content(FILE, object_id("blob", b"data", "sha256"), b"data")
    }


def test_names_are_raw_bytes(state: Path) -> None:
    names = [
        b"with\nnewline",
        b'quote"s',
        b"not-\xff-utf8",
        b"-rf",
        b" ",
        b"a\\b",
        b"\t",
    ]
    names += ["e\u0301.md".encode(), "\u00e9.md".encode()]
    for name in names:
        write(state, name, ascii(name).encode())
        write(state, b"folder-" + name + b"/" + name, ascii(name).encode())
    expected = {name: content(ascii(name)) for name in names}
    expected |= {
        b"folder-" + name + b"/" + name: content(ascii(name)) for name in names
    }
    assert look(state) == Scan(dict(sorted(expected.items())))


def test_a_missing_directory_is_no_error(state: Path) -> None:
    state.rmdir()
    assert look(state) == Scan({}, present=False)
    assert look(state / "below") == Scan({}, present=False)
    state.mkdir()
    assert look(state) == Scan({}, present=True)


def test_a_link_or_a_file_in_its_place_is_refused(state: Path, tmp_path: Path) -> None:
    way_out = "gitstate keeps a real folder there: move it away, or set gitstate.dir to another name"
    state.rename(tmp_path / "elsewhere")
    for target in ("elsewhere", "nowhere", ".agent-state"):
        state.symlink_to(target)
        with pytest.raises(Refused) as caught:
            look(state)
        assert str(caught.value) == f"{state} is a link; {way_out}"
        state.unlink()
    state.write_text("x")
    with pytest.raises(Refused) as caught:
        look(state)
    assert str(caught.value) == f"{state} is a file; {way_out}"


def test_what_is_too_large_is_named_and_not_read(state: Path) -> None:
    write(state, "00-a.md", b"x" * 100)
    write(state, "01-b.md", b"x" * 101)
    with (state / "sparse").open("wb") as file:
        file.truncate(2 << 30)
    found = look(state, max_file_size=100)
    assert list(found.files) == [b"00-a.md"]
    assert found.skipped == (
        Skipped(b"01-b.md", "larger than the limit of 100 bytes"),
        Skipped(b"sparse", "larger than the limit of 100 bytes"),
    )
    assert found.is_left_out(b"sparse")
    assert not found.is_left_out(b"00-a.md")
    assert look(state).skipped == (
        Skipped(b"sparse", "larger than the limit of 1 MiB"),
    )


def test_special_files_are_named_and_never_block(state: Path) -> None:
    os.mkfifo(state / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(state / "socket"))
        write(state, "00-a.md")
        found = look(state)
    assert list(found.files) == [b"00-a.md"]
    assert found.skipped == (
        Skipped(b"fifo", "a named pipe, not a file"),
        Skipped(b"socket", "a socket, not a file"),
    )


def test_repositories_inside_are_left_out(state: Path) -> None:
    write(state, "nested/.git/HEAD")
    write(state, "nested/deep/file")
    write(state, "linked/.git", b"gitdir: /elsewhere\n")
    write(state, "linked/file")
    (state / "dangling").mkdir()
    (state / "dangling/.git").symlink_to("/nowhere")
    write(state, ".git/HEAD")
    write(state, "kept/file")
    found = look(state)
    assert list(found.files) == [b"kept/file"]
    repository = "a git repository of its own"
    assert found.skipped == (
        Skipped(b".git", "git allows no such name in a version"),
        Skipped(b"dangling", repository),
        Skipped(b"linked", repository),
        Skipped(b"nested", repository),
    )
    assert found.is_left_out(b"nested/deep/file")
    assert not found.is_left_out(b"nested-not")


def test_names_that_git_refuses_are_named(state: Path) -> None:
    refused = [b".GIT", b"git~1", b".gitmodules", b"x\\.git", "a/.g\u200cit".encode()]
    for path in refused:
        write(state, path)
    write(state, b"GIT~1/inside")
    write(state, ".gitattributes", b"x" * 3000)
    write(state, ".gitignore", b"*\n")
    reason = "git allows no such name in a version"
    rows = [Skipped(path, reason) for path in [*refused, b"GIT~1"]]
    rows.append(
        Skipped(b".gitattributes", "git reads no attributes with lines so long")
    )
    found = look(state)
    assert list(found.files) == [b".gitignore"]
    assert found.skipped == tuple(sorted(rows, key=lambda row: row.path))


def test_our_own_scratch_is_never_listed_at_the_top(state: Path) -> None:
    write(state, f"{SCRATCH}/0123456789abcdef/new/a")
    write(state, f"sub/{SCRATCH}/file")
    found = look(state)
    assert (list(found.files), found.skipped) == ([f"sub/{SCRATCH}/file".encode()], ())


@needs_root
def test_what_cannot_be_read_is_named(state: Path) -> None:
    write(state, "00-a.md")
    write(state, "01-secret.md").chmod(0)
    write(state, "closed/file").parent.chmod(0o000)
    write(state, "names-only/file").parent.chmod(0o444)
    state.parent.chmod(0o755)
    for parent in state.parents[1:-2]:
        parent.chmod(parent.stat().st_mode | 0o011)

    def run() -> None:
        found = look(state)
        assert list(found.files) == [b"00-a.md"]
        denied = "cannot be read: permission denied"
        assert found.skipped == (
            Skipped(b"01-secret.md", denied),
            Skipped(b"closed", denied),
            Skipped(b"names-only", denied),
        )
        assert found.is_left_out(b"closed/file")
        assert found.is_left_out(b"names-only/file")

    as_nobody(run)
    state.chmod(0)

    def refused() -> None:
        with pytest.raises(Refused) as caught:
            look(state)
        assert str(caught.value) == f"{state} cannot be read: permission denied"

    as_nobody(refused)


def test_folders_without_end_are_cut(state: Path) -> None:
    deep = b"/".join([b"d"] * (MAX_DEPTH - 1))
    write(state, deep + b"/file")
    write(state, deep + b"/d/too-deep")
    found = look(state)
    assert list(found.files) == [deep + b"/file"]
    assert found.skipped == (
        Skipped(deep + b"/d", f"folders more than {MAX_DEPTH} deep"),
    )


def test_past_the_number_of_files_the_numbered_ones_stay(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(directory, "MAX_FILES", 4)
    for name in ("02-b.md", "00-a.md", "a", "b", "c", "aa/x", "aa/y", "0"):
        write(state, name)
    found = look(state)
    assert list(found.files) == [b"0", b"00-a.md", b"02-b.md", b"a"]
    limit = "past the limits of 4 files and 64 MiB"
    assert found.skipped == (
        Skipped(b".", f"2 entries: {limit}"),
        Skipped(b"aa", f"2 entries: {limit}"),
    )
    left_out = [
        path for path in (b"a", b"b", b"c", b"aa/x", b"d") if found.is_left_out(path)
    ]
    assert left_out == [b"b", b"c", b"aa/x"]


def test_past_the_size_of_a_version_what_fits_stays(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(directory, "MAX_TOTAL", 1000)
    write(state, "a", b"x" * 500)
    write(state, "b", b"x" * 500)
    write(state, "c", b"x" * 400)
    write(state, "09-z.md", b"x" * 200)
    write(state, "d", b"x" * 300)
    found = look(state)
    assert list(found.files) == [b"09-z.md", b"a", b"d"]
    reason = "2 entries: past the limits of 5,000 files and 1000 bytes"
    assert found.skipped == (Skipped(b".", reason),)


@pytest.mark.report(23)
def test_fifty_thousand_files_give_few_lines(state: Path) -> None:
    for number in range(6):
        write(state, f"0{number}-x.md")
    folder = state / "many"
    folder.mkdir()
    for number in range(50_000):
        os.close(os.open(folder / str(number), os.O_CREAT | os.O_WRONLY))
    for number in range(30):
        os.mkfifo(state / f"pipe{number}")
    found = look(state)
    assert len(found.files) == directory.MAX_FILES
    assert [path for path in found.files if path.endswith(b"-x.md")] == [
        b"%02d-x.md" % number for number in range(6)
    ]
    limit = "past the limits of 5,000 files and 64 MiB"
    assert found.skipped == (
        Skipped(b".", "30 entries: a named pipe, not a file"),
        Skipped(b"many", f"45,006 entries: {limit}"),
    )
    assert found == look(state)


def test_a_file_that_is_read_while_it_is_written_is_read_whole(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(state, "a", b"half")
    real = os.pread
    reads: list[int] = []

    def pread(fd: int, size: int, offset: int) -> bytes:
        data = real(fd, size, offset)
        if offset == 0:
            reads.append(fd)
            if len(reads) < 3:  # its writer goes on between our reads
                with path.open("ab") as file:
                    file.write(b" and half")
        return data

    monkeypatch.setattr(os, "pread", pread)
    cache = Cache()
    found = scan(state, object_format="sha1", max_file_size=100, cache=cache)
    assert found.files == {b"a": content(b"half and half and half")}
    assert len(reads) == 3


def test_a_file_that_never_rests_is_taken_as_it_was_read_last(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(state, "a", b"")
    real = os.pread
    text = b""

    def pread(fd: int, size: int, offset: int) -> bytes:
        nonlocal text
        if offset == 0:
            text += b"."
            (state / "a").write_bytes(text)
        data = real(fd, size, offset)
        (state / "a").touch()
        return data

    monkeypatch.setattr(os, "pread", pread)
    assert look(state).files == {b"a": content(b"....")}


def test_what_grows_past_the_limit_while_it_is_read_is_left_out(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(state, "a", b"x" * 100)
    real = os.fstat

    def fstat(fd: int) -> os.stat_result:
        found = real(fd)
        if found.st_size == 100:
            path.write_bytes(b"x" * 5000)
        return found

    monkeypatch.setattr(os, "fstat", fstat)
    found = look(state, max_file_size=100)
    assert found.files == {}
    assert found.skipped == (Skipped(b"a", "larger than the limit of 100 bytes"),)


def test_what_vanishes_after_the_listing_is_absent(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "sub/c", "sub/d"):
        write(state, name)
    real = os.open
    removed: list[Path] = []

    def opened(path: object, flags: int, *args: int, **keywords: int) -> int:
        if path == b"a" and not removed:
            removed.extend([state / "a", state / "sub/c"])
            for item in removed:
                item.unlink()
        return real(path, flags, *args, **keywords)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", opened)
    found = look(state)
    assert (list(found.files), found.skipped) == ([b"b", b"sub/d"], ())
    assert removed


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_a_link_that_is_swapped_in_after_the_listing_is_not_followed(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    outside = tmp_path / "outside"
    write(outside, "c", b"secret")
    write(state, "a")
    write(state, "sub/c", b"inside")
    swapped: list[bool] = []
    real = os.open

    def opened(path: object, flags: int, *args: int, **keywords: int) -> int:
        if path == b"a" and not swapped:
            swapped.append(True)
            if kind == "folder":
                (state / "sub").rename(tmp_path / "away")
                (state / "sub").symlink_to(outside)
            else:
                (state / "sub/c").unlink()
                (state / "sub/c").symlink_to(outside / "c")
        return real(path, flags, *args, **keywords)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", opened)
    found = look(state)
    link = content(os.fsencode(outside / "c"), LINK)
    expected = {} if kind == "folder" else {b"sub/c": link}
    assert dict(found.files) == {b"a": content(b"text\n"), **expected}


def test_a_link_that_is_swapped_in_before_the_open_is_not_followed(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "secret", b"secret")
    path = write(state, "a")
    real = os.open

    def opened(name: object, flags: int, *args: int, **keywords: int) -> int:
        if name == b"a" and not path.is_symlink():  # after the last lstat
            path.unlink()
            path.symlink_to(tmp_path / "secret")
        return real(name, flags, *args, **keywords)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", opened)
    assert look(state).files == {b"a": content(os.fsencode(tmp_path / "secret"), LINK)}


def test_a_pipe_that_is_swapped_in_before_the_open_does_not_block(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(state, "a")
    real = os.open

    def opened(name: object, flags: int, *args: int, **keywords: int) -> int:
        if name == b"a" and not path.is_fifo():
            path.unlink()
            os.mkfifo(path)
        return real(name, flags, *args, **keywords)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", opened)
    assert look(state).skipped == (Skipped(b"a", "a named pipe, not a file"),)


def test_a_name_that_one_listing_misses_is_found(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(state, "a")
    write(state, "b")
    real = os.listdir
    missed: list[str] = []

    def listdir(fd: int) -> list[str]:
        names = real(fd)
        if not missed:  # as btrfs does with a file that is renamed into place meanwhile
            write(state.parent, "beside").rename(state / "a")
            names.remove("a")
            missed.append("a")
        return names

    monkeypatch.setattr(os, "listdir", listdir)
    assert list(look(state).files) == [b"a", b"b"]


def test_links_swapped_in_a_loop_never_show_what_is_outside(
    state: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    write(outside, "file", b"outside")
    write(state, "sub/file", b"inside")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            (state / "sub").rename(tmp_path / "away")
            (state / "sub").symlink_to(outside)
            (state / "sub").unlink()
            (tmp_path / "away").rename(state / "sub")

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        seen = {
            (path, item.data)
            for _ in range(1500)
            for path, item in look(state).files.items()
        }
    finally:
        stop.set()
        thread.join()
    assert seen <= {(b"sub/file", b"inside"), (b"sub", os.fsencode(outside))}
    # on a busy machine no look of the many may have met the folder at rest
    last = look(state).files
    assert [(path, item.data) for path, item in last.items()] == [
        (b"sub/file", b"inside")
    ]


def test_a_file_renamed_into_place_is_never_missing(state: Path) -> None:
    for number in range(40):
        write(state, f"other{number}")
    write(state, "02-current-task.md", b"0")
    stop = threading.Event()

    def save() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            beside = state.parent / "beside"
            beside.write_bytes(b"%d" % number)
            beside.rename(state / "02-current-task.md")

    thread = threading.Thread(target=save)
    thread.start()
    try:
        found = [look(state).files.get(b"02-current-task.md") for _ in range(300)]
    finally:
        stop.set()
        thread.join()
    assert None not in found
    assert len({item.data for item in found if item}) > 20


def test_no_descriptor_is_left_open(state: Path) -> None:
    write(state, "a/b/c")
    write(state, "nested/.git/x")
    before = open_descriptors()
    look(state)
    assert read_file(state, b"a/b/c", object_format="sha1", max_file_size=9) is not None
    assert open_descriptors() == before


def test_one_file_is_read_as_the_scan_reads_it(state: Path, tmp_path: Path) -> None:
    write(tmp_path, "outside/file")
    write(state, "a/b", b"bytes")
    (state / "link").symlink_to("a")
    (state / "out").symlink_to(tmp_path / "outside")

    def one(path: bytes) -> Content | None:
        return read_file(state, path, object_format="sha1", max_file_size=100)

    assert one(b"a/b") == content(b"bytes")
    assert one(b"link") == content(b"a", LINK)
    for path in (b"a", b"link/b", b"out/file", b"none", b"a/b/c"):
        assert one(path) is None
    assert read_file(state / "no", b"a", object_format="sha1", max_file_size=1) is None
