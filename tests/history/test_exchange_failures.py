"""What fails before or in the middle: everything is as it was, and one line says why."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import CannotWrite
from gitstate.history import moves, scratch, undo
from gitstate.history.exchange import Change, Way, leftovers
from gitstate.workspace import SCRATCH
from tests.history.contents import as_nobody, content, needs_root, texts_of, tree_of
from tests.history.test_exchange import AFTER, BEFORE, lay, live, plan, put, settled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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


def all_of(state: Path) -> tuple[object, set[str]]:
    """Everything in the state directory: files, and folders also where they are empty."""
    folders = {
        path.relative_to(state).as_posix()
        for path in state.rglob("*")
        if path.is_dir() and SCRATCH not in path.parts
    }
    return live(state), folders


class Failing:
    """Lets ``good`` moves through and fails the next one, before or after it is done."""

    def __init__(self, good: int, *, done: bool, number: int = errno.EIO) -> None:
        self.left = good
        self.done = done
        self.number = number
        self.failed = False
        self.meanwhile: Callable[[], object] = lambda: None

    def wrap(self, real: Callable[..., None]) -> Callable[..., None]:
        def call(*args: object) -> None:
            self.left -= 1
            if self.left != -1:
                real(*args)
                return
            if self.done:  # an interruption between the call and its record
                real(*args)
            self.failed = True
            self.meanwhile()
            raise OSError(self.number, os.strerror(self.number))

        return call

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("exchange", "rename", "place"):
            monkeypatch.setattr(moves, name, self.wrap(getattr(moves, name)))


@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
def test_a_failure_at_any_move_is_undone(
    state: Path,
    way: Way,
    monkeypatch: pytest.MonkeyPatch,
    done: bool,  # noqa: FBT001 a parameter of the test
) -> None:
    shutil.rmtree(state)
    for good in range(100):
        lay(state, BEFORE)
        (state / "hollow/inner").mkdir(parents=True)
        expected = all_of(state)
        failing = Failing(good, done=done)
        changes = [*plan(BEFORE, AFTER), Change(b"hollow", None, NEW)]
        with monkeypatch.context() as patch:
            failing.install(patch)
            try:
                put(state, way, *changes, durable=True)
            except CannotWrite as error:
                assert str(error) == (  # noqa: PT017 the last round has no error
                    "cannot write the state files: Input/output error; nothing was recorded"
                )
        if not failing.failed:
            assert good > 8
            break
        assert all_of(state) == expected
        assert settled(state, *BEFORE.values(), *AFTER.values(), NEW) == []
        assert not (state / SCRATCH).exists()
        shutil.rmtree(state)
    else:
        pytest.fail("the plan never came to its end")


def test_what_is_written_before_the_undo_stays(
    state: Path, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(state, {"a": OLD, "b": OLD, "c": OLD})
    failing = Failing(2 if way is Way.EXCHANGE else 4, done=False)
    failing.meanwhile = lambda: (state / "a").write_text("theirs")
    failing.install(monkeypatch)
    changes = [Change(name, OLD, NEW) for name in (b"a", b"b", b"c")]
    with pytest.raises(CannotWrite) as caught:
        put(state, way, *changes)
    assert str(caught.value) == (
        "cannot write the state files (Input/output error); 1 could not be put back, "
        "their bytes are kept in .gitstate-tmp"
    )
    assert texts_of(state / "..")[".agent-state/a"] == "theirs"
    assert {path: data for path, (_, data) in live(state).items()} == {
        b"a": b"theirs",
        b"b": b"old",
        b"c": b"old",
    }
    assert sorted({(item.path, item.data) for item in leftovers(state)}) == [
        (b"a", b"old"),
        (b"b", b"new"),
    ]


def test_what_is_written_during_the_undo_is_kept(
    state: Path, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(state, {"a": OLD, "b": OLD})
    Failing(1 if way is Way.EXCHANGE else 2, done=False).install(monkeypatch)
    name = "exchange" if way is Way.EXCHANGE else "rename"
    real = getattr(undo, name)

    def write_first(*args: object) -> None:
        (state / "beside").write_text("theirs")
        (state / "beside").rename(state / "a")
        real(*args)

    monkeypatch.setattr(undo, name, write_first)
    with pytest.raises(CannotWrite):
        put(state, way, Change(b"a", OLD, NEW), Change(b"b", OLD, NEW))
    assert live(state) == {b"a": (0o100644, b"old"), b"b": (0o100644, b"old")}
    assert settled(state, OLD, NEW) == [(b"a", b"theirs")]


def test_a_surprise_goes_back_to_its_place_in_an_undo(
    state: Path, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(state, {"a": OLD, "b": OLD})
    failing = Failing(1 if way is Way.EXCHANGE else 2, done=False)
    failing.install(monkeypatch)
    for name in ("exchange", "rename"):
        real = getattr(moves, name)

        def write_first(*args: object, real: Callable[..., None] = real) -> None:
            if (state / "a").read_text() == "old":
                (state / "a").write_text("theirs")
            real(*args)

        monkeypatch.setattr(moves, name, write_first)
    with pytest.raises(CannotWrite):
        put(state, way, Change(b"a", OLD, NEW), Change(b"b", OLD, NEW))
    assert live(state) == {b"a": (0o100644, b"theirs"), b"b": (0o100644, b"old")}
    assert settled(state, OLD, NEW) == []


def test_an_error_between_link_and_unlink_is_undone(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(state, {"a": OLD, "sub/b": OLD})
    expected = all_of(state)
    real = os.unlink
    failed: list[object] = []

    def unlink(name: object, **keywords: int) -> None:
        if name == b"b" and not failed:
            failed.append(name)
            raise OSError(errno.EIO, "broken")
        real(name, **keywords)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "unlink", unlink)
    with pytest.raises(CannotWrite):
        put(state, Way.ASIDE, Change(b"a", OLD, NEW), Change(b"sub/b", OLD, NEW))
    assert all_of(state) == expected
    assert settled(state, OLD, NEW) == []
    assert not (state / SCRATCH).exists()


def test_an_interruption_is_undone_too(
    state: Path, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(state, BEFORE)
    expected = all_of(state)
    real = moves.Mover.put

    def interrupted(self: moves.Mover, change: Change) -> None:
        if change.path == b"run.sh":
            raise KeyboardInterrupt
        real(self, change)

    monkeypatch.setattr(moves.Mover, "put", interrupted)
    with pytest.raises(KeyboardInterrupt):
        put(state, way, *plan(BEFORE, AFTER))
    assert all_of(state) == expected


@pytest.mark.parametrize("point", ["stage", "prepare", "publish"])
def test_a_failure_before_the_first_move_leaves_nothing_behind(
    state: Path, way: Way, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    lay(state, BEFORE)
    expected = tree_of(state), all_of(state)
    real = getattr(scratch.Run, point)
    calls: list[int] = []

    def fail_late(self: scratch.Run, *args: object, **keywords: object) -> None:
        calls.append(1)
        if len(calls) > 2 or point == "publish":
            raise OSError(errno.ENOSPC, "full")
        real(self, *args, **keywords)

    monkeypatch.setattr(scratch.Run, point, fail_late)
    with pytest.raises(CannotWrite, match="the disk is full; nothing was recorded"):
        put(state, way, *plan(BEFORE, AFTER))
    assert (tree_of(state), all_of(state)) == expected
    assert not (state / SCRATCH).exists()


# ---- the real thing ----


@needs_root
@pytest.mark.parametrize("which", ["top", "sub"])
def test_a_folder_that_cannot_be_written(state: Path, way: Way, which: str) -> None:
    lay(state, {"a": OLD, "sub/b": OLD})
    for folder in (state, state / "sub"):
        os.chown(folder, 65534, 65534)
    closed = state if which == "top" else state / "sub"
    closed.chmod(0o555)
    for parent in state.parents[:-2]:
        parent.chmod(parent.stat().st_mode | 0o011)
    expected = tree_of(state)

    def run() -> None:
        with pytest.raises(CannotWrite) as caught:
            put(state, way, Change(b"a", OLD, NEW), Change(b"sub/b", OLD, NEW))
        where = SCRATCH if which == "top" else "sub"
        assert str(caught.value) == (
            f"cannot write the state files: permission denied ({where}); nothing was recorded"
        )

    as_nobody(run)
    assert tree_of(state) == expected
    assert not (state / SCRATCH).exists()


@needs_root
def test_a_file_that_may_not_be_moved(state: Path, way: Way) -> None:
    lay(state, {"a": OLD, "b": OLD, "c": OLD})
    locked = state / "b"
    if subprocess.run(
        ["chattr", "+i", locked], capture_output=True, check=False
    ).returncode:
        pytest.skip("this file system has no immutable files")
    try:
        with pytest.raises(
            CannotWrite, match="cannot write the state files: not permitted"
        ):
            put(state, way, *[Change(name, OLD, NEW) for name in (b"a", b"b", b"c")])
    finally:
        subprocess.run(["chattr", "-i", locked], check=True)
    assert {data for _, data in live(state).values()} == {b"old"}
    assert settled(state, OLD, NEW) == []


MOUNTED = """
import os, sys
from pathlib import Path
from gitstate.errors import CannotWrite
from gitstate.history.exchange import Change, Way, apply
from tests.history.contents import content, tree_of
way, state = Way[sys.argv[1]], Path(sys.argv[2])
before = tree_of(state)
big = content(b"x" * 150_000)
changes = [Change(b"a", content("old"), content("new"))]
changes += [Change(b"big%d" % number, None, big) for number in range(4)]
try:
    apply(state, changes, object_format="sha1", durable=True, way=way)
except CannotWrite as error:
    print(error)
assert tree_of(state) == before, tree_of(state)
assert sorted(os.listdir(state)) == ["a"], os.listdir(state)
"""


def shell(script: str) -> list[str]:
    """The start of a command that runs the rest where ``script`` mounted something."""
    return ["unshare", "-m", "sh", "-c", script, "sh"]


@pytest.fixture
def mounts() -> None:
    done = subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"no mount namespace: {done.stderr.decode().strip()}")


@needs_root
@pytest.mark.usefixtures("mounts")
@pytest.mark.parametrize("kind", ["full", "read-only"])
def test_a_real_full_disk_and_a_real_read_only_one(
    state: Path, way: Way, kind: str
) -> None:
    after = "mount -o remount,ro {0}" if kind == "read-only" else "true"
    script = (
        "mount -t tmpfs -o size=500k none {0} && printf old > {0}/a && "
        + after
        + ' && exec "$@"'
    )
    done = subprocess.run(
        [*shell(script.format(state)), sys.executable, "-c", MOUNTED, way.name, state],
        capture_output=True,
        text=True,
        check=False,
    )
    reason = "the disk is full" if kind == "full" else "the file system is read-only"
    where = "" if kind == "full" else f" ({SCRATCH})"
    line = f"cannot write the state files: {reason}{where}; nothing was recorded\n"
    assert (done.stdout, done.stderr) == (line, "")


OVERLAID = """
import os, sys
from pathlib import Path
from gitstate.history.exchange import Applied, Change, Way, apply, settle
from tests.history.contents import content, texts_of
way, state = Way[sys.argv[1]], Path(sys.argv[2]) / "merged"
old, new = content("old"), content("new")
applied = apply(
    state,
    [Change(b"a", old, new), Change(b"sub/b", old, new), Change(b"sub/c", old, None)],
    object_format="sha1",
    durable=True,
    way=way,
)
assert applied == Applied(done=(b"a", b"sub/b", b"sub/c")), applied
assert settle(state, lambda item: item.data in {b"old", b"new"}) == ()
print(texts_of(state))
"""


@needs_root
@pytest.mark.usefixtures("mounts")
def test_the_overlay_of_a_container(tmp_path: Path, way: Way) -> None:
    lay(tmp_path, {"lower/a": OLD, "lower/sub/b": OLD, "lower/sub/c": OLD})
    script = (
        f"mount -t tmpfs none {tmp_path}/rw && mkdir {tmp_path}/rw/upper {tmp_path}/rw/work && mount -t overlay "
        f"-o lowerdir={tmp_path}/lower,upperdir={tmp_path}/rw/upper,workdir={tmp_path}/rw/work none {tmp_path}/merged "
        '|| exit 77; exec "$@"'
    )
    for name in ("rw", "merged"):
        (tmp_path / name).mkdir()
    done = subprocess.run(
        [*shell(script), sys.executable, "-c", OVERLAID, way.name, tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 77:
        pytest.skip(f"no overlay here: {done.stderr}")
    assert (done.stdout, done.stderr) == ("{'a': 'new', 'sub/b': 'new'}\n", "")
