"""kill -9 between any two system calls of an exchange, and at random moments."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import time
import traceback
from typing import TYPE_CHECKING

import pytest

from gitstate.history import moves, primitives
from gitstate.history.directory import scan
from gitstate.history.exchange import Change, Displaced, Way, apply, leftovers, settle
from gitstate.workspace import SCRATCH
from tests.history.contents import content
from tests.history.test_exchange import lay, live, plan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gitstate.history.directory import Content

KILLS = 80
BEFORE = {
    "02-current-task.md": content("old"),
    "gone.md": content("gone"),
    "becomes-file/x": content("x"),
}
AFTER = {
    "02-current-task.md": content("new"),
    "becomes-file": content("a file now"),
    "new/folder/z": content("z"),
}
CALLS = ("open", "mkdir", "rename", "link", "unlink", "symlink", "rmdir", "write")


@pytest.fixture(params=list(Way), ids=lambda way: way.name.lower())
def way(request: pytest.FixtureRequest) -> Way:
    found: Way = request.param
    return found


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / ".agent-state"
    folder.mkdir()
    return folder


def in_child(action: Callable[[], object]) -> int:
    """Run ``action`` in a child; returns its pid."""
    child = os.fork()
    if child:
        return child
    try:
        action()
    except BaseException:  # noqa: BLE001 told on the terminal
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def die_at(call: int) -> None:
    """Kill this process just before its system call number ``call`` that changes files."""
    waiting = [call]

    def counted(real: Callable[..., object]) -> Callable[..., object]:
        def wrapper(*args: object, **keywords: object) -> object:
            waiting[0] -= 1
            if waiting[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **keywords)

        return wrapper

    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))
    primitives._special_rename = counted(primitives._special_rename)  # type: ignore[assignment]  # noqa: SLF001 the call itself


def write_in_the_instant(path: Path, told: Path) -> None:
    """Somebody saves a file between the last look and the move of it; ``told``: it did."""
    for name in ("exchange", "rename"):
        real = getattr(moves, name)

        def move(*args: object, real: Callable[..., None] = real) -> None:
            if not told.exists() and b"02-current-task.md" in {at[1] for at in args}:  # type: ignore[index]
                path.with_name("beside").write_text("theirs")
                path.with_name("beside").rename(path)
                told.touch()
            real(*args)

        setattr(moves, name, move)


def put(
    state: Path, way: Way, before: dict[str, Content], after: dict[str, Content]
) -> None:
    changes = plan(before, after)
    apply(state, changes, object_format="sha1", durable=False, way=way)


@pytest.mark.parametrize("surprise", [False, True], ids=["alone", "with a writer"])
def test_killed_between_any_two_calls_nothing_is_lost(
    state: Path,
    way: Way,
    tmp_path: Path,
    surprise: bool,  # noqa: FBT001 a parameter of the test
) -> None:
    known = {(item.mode, item.data) for item in (*BEFORE.values(), *AFTER.values())}
    told = tmp_path / "told"
    theirs = (0o100644, b"theirs")

    for call in range(1000):
        told.unlink(missing_ok=True)
        shutil.rmtree(state)
        state.mkdir()
        lay(state, BEFORE)

        def run(call: int = call) -> None:
            if surprise:
                write_in_the_instant(state / "02-current-task.md", told)
            die_at(call)
            put(state, way, BEFORE, AFTER)

        _, status = os.waitpid(in_child(run), 0)
        ended = os.waitstatus_to_exitcode(status)
        assert ended in {0, -signal.SIGKILL}

        disk = live(state)
        disk.pop(b"beside", None)
        kept = [(item.path, (item.mode, item.data)) for item in leftovers(state)]
        allowed = known | ({theirs} if surprise else set())
        assert set(disk.values()) | {item for _, item in kept} <= allowed
        for name, item in BEFORE.items():
            if surprise and name == "02-current-task.md":
                continue  # its writer replaced it
            path, old = os.fsencode(name), (item.mode, item.data)
            assert (
                disk.get(path) == old
                or (path, old) in kept
                or (AFTER.get(name) == item)
            ), (call, name)
        if told.exists():
            place = b"02-current-task.md"
            assert disk.get(place) == theirs or (place, theirs) in kept, call

        # the next command: keep what is unknown in a version, then finish the work
        unknown = settle(state, lambda found: (found.mode, found.data) in known)
        assert {(item.mode, item.data) for item in unknown} <= {theirs}
        assert settle(state, lambda _: True) == ()
        assert not (state / SCRATCH).exists()
        found = scan(state, object_format="sha1", max_file_size=1000).files
        put(
            state, way, {os.fsdecode(path): item for path, item in found.items()}, AFTER
        )
        assert live(state) == {
            os.fsencode(name): (item.mode, item.data) for name, item in AFTER.items()
        }
        if ended == 0:
            break
    print(f"killed at each of {call} calls")  # noqa: T201
    assert ended == 0
    assert call > 60


def test_killed_at_random_moments_nothing_is_lost(
    state: Path, way: Way, tmp_path: Path
) -> None:
    """A child restores without pause; a person saves; each life of the child is short."""
    names = [b"02-current-task.md", b"sub/a", b"sub/b", b"c"]
    versions = tmp_path / "versions"
    choose = random.Random(20261129)

    def remembered() -> set[str]:
        lines = versions.read_text().splitlines() if versions.exists() else []
        return {json.loads(line) for line in lines if line.endswith('"')}

    def is_remembered(item: Displaced) -> bool:
        return (item.data or b"").decode() in remembered()

    def live_on(life: int) -> None:
        with versions.open("a") as file:
            for number in range(10_000):
                found = scan(state, object_format="sha1", max_file_size=1 << 20).files
                new = content(f"version {life}.{number}\n" * 50)
                after = {name: new if choose.random() < 0.8 else None for name in names}
                for item in (*found.values(), new):  # a version before the restore
                    file.write(json.dumps((item.data or b"").decode()) + "\n")
                file.flush()
                apply(
                    state,
                    [Change(name, found.get(name), after[name]) for name in names],
                    object_format="sha1",
                    durable=False,
                    way=way,
                )
                settle(state, is_remembered)

    inside = 0
    for life in range(KILLS):
        text = f"saved by a person {life}\n"
        beside = tmp_path / "beside"
        beside.write_text(text)
        beside.rename(state / "02-current-task.md")
        child = in_child(lambda life=life: live_on(life))  # type: ignore[misc]
        time.sleep(choose.uniform(0.002, 0.02))  # the moment is what is random
        os.kill(child, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        inside += (state / SCRATCH).exists()
        texts = remembered()
        disk = {data.decode() for _, data in live(state).values()}
        kept = {(item.data or b"").decode() for item in leftovers(state)}
        assert text in texts | disk | kept, life
        assert (disk | kept) - texts <= {text}
        unknown = settle(state, is_remembered)
        assert {(item.data or b"").decode() for item in unknown} <= {text}
        settle(state, lambda _: True)
        assert not (state / SCRATCH).exists()
    print(f"{KILLS} kills, {inside} of them inside a run")  # noqa: T201
    assert inside >= KILLS // 10
