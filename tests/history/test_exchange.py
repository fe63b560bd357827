"""Contents put onto the disk: what is asked, what is left, and what fails."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import Refused
from gitstate.git.objects import EXECUTABLE, FILE, LINK
from gitstate.history import moves, primitives
from gitstate.history.directory import scan
from gitstate.history.exchange import (
    Applied,
    Change,
    Way,
    apply,
    leftovers,
    settle,
)
from gitstate.workspace import SCRATCH
from tests.history.contents import (
    content,
    open_descriptors,
    texts_of,
    tree_of,
)
from tests.support import make_repo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gitstate.history.directory import Content

OLD, NEW = content("old"), content("new")


@pytest.fixture(params=list(Way), ids=lambda way: way.name.lower())
def way(request: pytest.FixtureRequest) -> Way:
    found: Way = request.param
    return found


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / ".agent-state"
    folder.mkdir()
    return folder


def put(state: Path, way: Way, *changes: Change, durable: bool = False) -> Applied:
    return apply(state, changes, object_format="sha1", durable=durable, way=way)


def lay(state: Path, files: dict[str, Content]) -> None:
    for name, item in files.items():
        target = state / name
        target.parent.mkdir(parents=True, exist_ok=True)
        assert item.data is not None
        if item.mode == LINK:
            target.symlink_to(os.fsdecode(item.data))
        else:
            target.write_bytes(item.data)
            target.chmod(item.mode & 0o777)


def plan(before: dict[str, Content], after: dict[str, Content]) -> list[Change]:
    return [
        Change(os.fsencode(name), before.get(name), after.get(name))
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]


def live(state: Path) -> dict[bytes, tuple[int, bytes]]:
    """What stands in the state directory, its scratch folder left out."""
    scratch = os.fsencode(SCRATCH) + b"/"
    return {
        path: item
        for path, item in tree_of(state).items()
        if not path.startswith(scratch)
    }


def kept(state: Path) -> list[tuple[bytes, int, bytes | None]]:
    return sorted((item.path, item.mode, item.data) for item in leftovers(state))


def settled(state: Path, *known: Content) -> list[tuple[bytes, bytes | None]]:
    """Settle, with everything in ``known`` in a version; what is not known."""
    versions = {item.data for item in known}
    unknown = settle(state, lambda item: item.data in versions)
    return [(item.path, item.data) for item in unknown]


BEFORE = {
    "02-current-task.md": OLD,
    "03-same.md": content("same"),
    "gone.md": content("gone"),
    "run.sh": content("#!/bin/sh\n"),
    "becomes-folder": content("a file"),
    "becomes-file/x": content("x"),
    "becomes-file/deep/y": content("y"),
    "link": content("a", LINK),
    "file-to-link": content("data"),
}
AFTER = {
    "02-current-task.md": NEW,
    "03-same.md": content("same"),
    "run.sh": content("#!/bin/sh\n", EXECUTABLE),
    "becomes-folder/x": content("inside"),
    "becomes-file": content("a file now"),
    "link": content("b", LINK),
    "file-to-link": content("/target", LINK),
    "new/folder/z": content("z"),
    "with\nnewline": content("n"),
}


@pytest.mark.parametrize("durable", [False, True])
def test_a_whole_plan(state: Path, way: Way, durable: bool) -> None:  # noqa: FBT001
    lay(state, BEFORE)
    before = open_descriptors()
    changes = plan(BEFORE, AFTER)
    applied = put(state, way, *changes, durable=durable)
    assert applied == Applied(done=tuple(sorted(change.path for change in changes)))
    expected = {
        os.fsencode(name): (item.mode, item.data) for name, item in AFTER.items()
    }
    assert live(state) == expected
    displaced = [change for change in changes if change.old is not None]
    assert kept(state) == sorted(
        (change.path, change.old.mode, change.old.data)
        for change in displaced
        if change.old
    )
    assert settled(state, *BEFORE.values()) == []
    assert not (state / SCRATCH).exists()
    assert open_descriptors() == before
    found = scan(state, object_format="sha1", max_file_size=1000)
    assert dict(found.files) == {
        os.fsencode(name): item for name, item in AFTER.items()
    }


def test_the_same_again_changes_nothing(state: Path, way: Way) -> None:
    lay(state, AFTER)
    inodes = {path: path.lstat().st_ino for path in state.rglob("*")}
    changes = plan(BEFORE, AFTER)
    applied = put(state, way, *changes)
    assert applied == Applied(done=tuple(sorted(change.path for change in changes)))
    assert {path: path.lstat().st_ino for path in state.rglob("*")} == inodes


def test_modes_honour_the_umask_as_git_does(state: Path, way: Way) -> None:
    script = content("x", EXECUTABLE)
    before = os.umask(0o027)
    try:
        put(state, way, Change(b"a/file", None, NEW), Change(b"a/run", None, script))
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in state.rglob("*")}
    assert modes == {"a": 0o750, "file": 0o640, "run": 0o750}


def test_a_missing_state_directory_is_made(tmp_path: Path, way: Way) -> None:
    state = tmp_path / "packages" / ".agent-state"
    assert put(state, way, Change(b"a/b", None, NEW)) == Applied(done=(b"a/b",))
    assert texts_of(state) == {"a/b": "new"}


def test_no_change_touches_nothing(tmp_path: Path, way: Way) -> None:
    assert put(tmp_path / "none", way) == Applied()
    assert not (tmp_path / "none").exists()


def test_a_state_directory_that_is_no_folder_is_refused(
    tmp_path: Path, way: Way
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "file").write_text("x")
    for name in ("link", "file"):
        with pytest.raises(Refused, match=f"{name} is a {name}; gitstate keeps a real"):
            put(tmp_path / name, way, Change(b"a", None, NEW))
    assert texts_of(tmp_path) == {"file": "x"} | {"link": "real"}


@pytest.mark.parametrize("kind", ["link", "file"])
def test_a_scratch_folder_that_is_not_ours_is_refused(
    state: Path, tmp_path: Path, way: Way, kind: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    if kind == "link":
        (state / SCRATCH).symlink_to(outside)
    else:
        (state / SCRATCH).write_text("mine")
    before = tree_of(tmp_path)
    with pytest.raises(Refused) as caught:
        put(state, way, Change(b"a", None, NEW))
    assert str(caught.value) == (
        ".gitstate-tmp in the state directory is a link or a file; gitstate keeps its own "
        "folder there: move it away"
    )
    assert (leftovers(state), settle(state, lambda _: True)) == ((), ())
    assert tree_of(tmp_path) == before


def test_hostile_paths_of_a_version_are_left(state: Path, way: Way) -> None:
    paths = [
        b"../out",
        b"/etc/x",
        b"a//b",
        b"a/../../b",
        b".git/hooks/x",
        b"",
        b"a/./b",
    ]
    paths += [b".gitstate-tmp/0123456789abcdef/new/a", b".GitState-Tmp/x", b"a/GIT~1"]
    applied = put(state, way, *[Change(path, None, NEW) for path in paths])
    assert [path for path, _ in applied.left] == paths
    assert {reason for _, reason in applied.left} == {
        "git allows no such name in a version",
        ".gitstate-tmp is gitstate's own folder",
    }
    assert tree_of(state.parent) == {}


def test_contents_without_bytes_are_a_mistake_of_ours(state: Path, way: Way) -> None:
    bare = type(NEW)(FILE, NEW.id, None)
    with pytest.raises(ValueError, match="no bytes for a"):
        put(state, way, Change(b"a", None, bare))
    lay(state, {"a": OLD})
    known_by_id = type(OLD)(FILE, OLD.id, None)
    assert put(state, way, Change(b"a", known_by_id, NEW)) == Applied(done=(b"a",))


def test_what_is_neither_old_nor_new_is_left(
    state: Path, way: Way, tmp_path: Path
) -> None:
    lay(
        state,
        {
            "edited": content("theirs"),
            "made": content("theirs"),
            "kept": content("theirs"),
        },
    )
    lay(state, {"mode": content("old", EXECUTABLE), "full/file": content("x")})
    (tmp_path / "outside").mkdir()
    (state / "link").symlink_to(tmp_path / "outside")
    lay(state, {"file": content("f")})
    os.mkfifo(state / "pipe")
    before = tree_of(tmp_path)
    applied = put(
        state,
        way,
        Change(b"edited", OLD, NEW),
        Change(b"mode", OLD, NEW),
        Change(b"deleted", OLD, NEW),
        Change(b"made", None, NEW),
        Change(b"kept", OLD, None),
        Change(b"full", None, NEW),
        Change(b"pipe", None, NEW),
        Change(b"link/inside", None, NEW),
        Change(b"file/inside", None, NEW),
        Change(b"link/gone", OLD, None),
    )
    assert applied == Applied(
        done=(b"link/gone",),
        left=(
            (b"kept", "changed meanwhile"),
            (b"deleted", "was deleted meanwhile"),
            (b"edited", "changed meanwhile"),
            (b"file/inside", "no folder is where its folder should be"),
            (b"full", "a folder that is not empty is in its place"),
            (b"link/inside", "no folder is where its folder should be"),
            (b"made", "changed meanwhile"),
            (b"mode", "changed meanwhile"),
            (b"pipe", "a named pipe, not a file"),
        ),
    )
    assert tree_of(tmp_path) == before


def test_folders_without_files_make_room_for_a_file(state: Path, way: Way) -> None:
    (state / "a/b/c").mkdir(parents=True)
    (state / "a/d").mkdir()
    (state / "b/c").mkdir(parents=True)
    (state / "b/pipe").parent.mkdir(exist_ok=True)
    os.mkfifo(state / "b/pipe")
    applied = put(state, way, Change(b"a", None, NEW), Change(b"b", None, NEW))
    assert applied.left == ((b"b", "a folder that is not empty is in its place"),)
    assert texts_of(state) == {"a": "new"}
    assert (state / "b/c").is_dir()


def test_two_names_that_are_one_place(state: Path, way: Way) -> None:
    # as where a file system ignores case: the second meets the first
    applied = put(
        state,
        way,
        Change(b"a", None, NEW),
        Change(b"a", None, OLD),
        Change(b"b", None, NEW),
        Change(b"b/c", None, NEW),
    )
    reason = "this file system takes its name for another's"
    assert applied.left == ((b"a", reason), (b"b/c", reason))
    assert texts_of(state) == {"a": "new", "b": "new"}


# ---- in the very instant ----


@pytest.fixture
def in_the_instant(
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[Callable[[], object]], None]:
    """Run an action once, between the last look at the disk and the first move."""

    def arrange(action: Callable[[], object]) -> None:
        waiting = [action]

        def hook(name: str) -> Callable[..., None]:
            real = getattr(moves, name)

            def call(*args: object) -> None:
                if waiting:
                    waiting.pop()()
                real(*args)

            return call

        for name in ("exchange", "rename", "place"):
            monkeypatch.setattr(moves, name, hook(name))

    return arrange


def surprise(applied: Applied) -> list[tuple[bytes, int, bytes | None]]:
    return [(item.path, item.mode, item.data) for item in applied.surprises]


@pytest.mark.parametrize("how", ["in place", "renamed", "mode", "link"])
@pytest.mark.parametrize("new", [NEW, None], ids=["replace", "remove"])
def test_a_write_in_the_very_instant_is_kept_and_told(
    state: Path,
    way: Way,
    in_the_instant: Callable[[Callable[[], object]], None],
    how: str,
    new: Content | None,
) -> None:
    lay(state, {"a": OLD})
    path = state / "a"

    def write() -> None:
        if how == "in place":
            path.write_text("theirs")
        elif how == "renamed":
            (state / "beside").write_text("theirs")
            (state / "beside").rename(path)
        elif how == "mode":
            path.chmod(0o755)
        else:
            path.unlink()
            path.symlink_to("theirs")

    in_the_instant(write)
    applied = put(state, way, Change(b"a", OLD, new))
    mode = {"mode": EXECUTABLE, "link": LINK}.get(how, FILE)
    theirs = b"old" if how == "mode" else b"theirs"
    assert surprise(applied) == [(b"a", mode, theirs)]
    assert (applied.done, applied.left) == ((b"a",), ())
    assert live(state) == ({b"a": (FILE, b"new")} if new else {})
    kept_name = state / SCRATCH / os.fsdecode(applied.surprises[0].name)
    assert leftovers(state) == applied.surprises
    assert kept_name.is_symlink() if how == "link" else kept_name.read_bytes() == theirs
    assert settled(state) == [(b"a", theirs)]
    assert settled(state, content(theirs)) == []
    assert not (state / SCRATCH).exists()


def test_the_new_bytes_written_by_another_are_no_surprise(
    state: Path, way: Way, in_the_instant: Callable[[Callable[[], object]], None]
) -> None:
    lay(state, {"a": OLD})
    in_the_instant(lambda: (state / "a").write_text("new"))
    assert put(state, way, Change(b"a", OLD, NEW)) == Applied(done=(b"a",))
    assert live(state) == {b"a": (FILE, b"new")}


def test_a_deletion_in_the_very_instant(
    state: Path, way: Way, in_the_instant: Callable[[Callable[[], object]], None]
) -> None:
    lay(state, {"a": OLD})
    in_the_instant((state / "a").unlink)
    applied = put(state, way, Change(b"a", OLD, NEW))
    assert applied == Applied(left=((b"a", "was deleted meanwhile"),))
    assert tree_of(state) == {}


def test_a_deletion_of_what_shall_go(
    state: Path, way: Way, in_the_instant: Callable[[Callable[[], object]], None]
) -> None:
    lay(state, {"a": OLD})
    in_the_instant((state / "a").unlink)
    assert put(state, way, Change(b"a", OLD, None)) == Applied(done=(b"a",))
    assert tree_of(state) == {}


@pytest.mark.parametrize("kind", ["file", "link", "folder", "pipe"])
def test_what_is_made_in_the_very_instant_stays(
    state: Path,
    way: Way,
    in_the_instant: Callable[[Callable[[], object]], None],
    kind: str,
) -> None:
    def make() -> None:
        if kind == "file":
            (state / "a").write_text("theirs")
        elif kind == "link":
            (state / "a").symlink_to("theirs")
        elif kind == "folder":
            (state / "a").mkdir()
        else:
            os.mkfifo(state / "a")

    in_the_instant(make)
    applied = put(state, way, Change(b"a", None, NEW))
    assert applied == Applied(left=((b"a", "changed meanwhile"),))
    assert not (state / SCRATCH).exists()
    assert {"file": (state / "a").is_file, "link": (state / "a").is_symlink}.get(
        kind, (state / "a").exists
    )()


@pytest.mark.parametrize("kind", ["folder", "pipe"])
@pytest.mark.parametrize("new", [NEW, None], ids=["replace", "remove"])
def test_a_folder_or_pipe_in_the_very_instant_is_given_back(
    state: Path,
    way: Way,
    in_the_instant: Callable[[Callable[[], object]], None],
    kind: str,
    new: Content | None,
) -> None:
    lay(state, {"a": OLD})

    def swap() -> None:
        (state / "a").unlink()
        if kind == "pipe":
            os.mkfifo(state / "a")
        else:
            lay(state, {"a/inside": content("theirs")})

    in_the_instant(swap)
    applied = put(state, way, Change(b"a", OLD, new))
    assert applied == Applied(left=((b"a", "changed meanwhile"),))
    if kind == "pipe":
        assert (state / "a").is_fifo()
    else:
        assert live(state) == {b"a/inside": (FILE, b"theirs")}
    assert settled(state, NEW) == []
    assert not (state / SCRATCH).exists()


def test_a_new_file_between_aside_and_link_is_the_one_to_keep(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(state, {"a": OLD})
    real = primitives.place

    def place(*args: object) -> None:
        (state / "a").write_text("theirs")
        real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(moves, "place", place)
    applied = put(state, Way.ASIDE, Change(b"a", OLD, NEW))
    assert applied == Applied(left=((b"a", "changed meanwhile"),))
    assert live(state) == {b"a": (FILE, b"theirs")}
    assert settled(state, OLD) == []
    assert not (state / SCRATCH).exists()


# ---- where a call or a link is missing ----


@pytest.mark.parametrize(
    "number", [errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EPERM]
)
def test_without_exchange_it_goes_aside(
    state: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_: object) -> int:
        import ctypes  # noqa: PLC0415 as the code under test

        ctypes.set_errno(number)
        return -1

    monkeypatch.setattr(primitives, "_library_call", lambda _: refuse)
    lay(state, BEFORE)
    changes = plan(BEFORE, AFTER)
    applied = put(state, Way.EXCHANGE, *changes)
    assert applied == Applied(done=tuple(sorted(change.path for change in changes)))
    assert live(state) == {
        os.fsencode(name): (item.mode, item.data) for name, item in AFTER.items()
    }
    assert settled(state, *BEFORE.values()) == []


def test_without_exchange_and_without_links_it_is_copied(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no hard links here")

    monkeypatch.setattr(os, "link", link)
    lay(state, BEFORE)
    applied = put(state, Way.ASIDE, *plan(BEFORE, AFTER))
    assert (applied.left, applied.surprises) == ((), ())
    assert live(state) == {
        os.fsencode(name): (item.mode, item.data) for name, item in AFTER.items()
    }
    assert settled(state, *BEFORE.values(), *AFTER.values()) == []
    assert not (state / SCRATCH).exists()


# ---- the user's own git ----


def test_the_users_git_does_not_see_what_is_kept(tmp_path: Path, way: Way) -> None:
    repo = make_repo(tmp_path / "plain")
    repo.write("a", "old")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "track the state")
    applied = put(repo.state, way, Change(b"a", OLD, NEW), Change(b"b", None, NEW))
    assert (applied.done, len(leftovers(repo.state))) == ((b"a", b"b"), 1)
    assert repo.git("status", "--porcelain").split("\n") == [
        "M .agent-state/a",
        "?? .agent-state/b",
    ]
