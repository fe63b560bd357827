"""Killed at every single call that changes a file: nothing that was reported is lost.

With each engine the two ways to die take turns, call by call; where the engine hardly
matters, the two engines take turns, too.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.crash.scene import Scene
from tests.support import NUMBERED, Repo, make_repo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.crash.stable import Ran, Stable

pytestmark = pytest.mark.timeout(600)

# how far a death reaches: the process alone, or git too and a write cut in half
DEATHS = pytest.mark.parametrize("everything", [False, True], ids=["alone", "all"])
_LONGEST = 400


def calls(engine: str, *, everything: bool, step: int) -> range:
    """Every call that is this engine's and this death's turn, of ``step`` that take turns."""
    turn = everything + 2 * (engine == "git")
    return range(1 + turn % step, _LONGEST, step)


def until_done(kill: Iterator[Ran]) -> int:
    """Go on until two in a row were not killed any more; returns how many were."""
    killed = done = 0
    for count, ran in enumerate(kill):
        assert count < _LONGEST
        if ran.killed:
            killed, done = killed + 1, 0
        else:
            assert ran.code == 0, ran
            done += 1
        if done == 2:
            break
    return killed


@DEATHS
def test_snapshot(scene: Scene, engine: str, *, everything: bool) -> None:
    def each() -> Iterator[Ran]:
        for at in calls(engine, everything=everything, step=2):
            scene.repo.write("02-current-task.md", f"text {at}\n" * 20)
            scene.repo.write(f"notes/{at % 7}.md", f"note {at}\n")
            yield scene.kill("snapshot", at=at, everything=everything, torn=everything)
            scene.check_told_before_next()
            scene.snapshot()
            scene.check()

    assert until_done(each()) > 12
    scene.check_swept()


@DEATHS
def test_restore(scene: Scene, engine: str, *, everything: bool) -> None:
    one = scene.ledger.told[-1]
    scene.repo.write("02-current-task.md", "the other\n")
    scene.repo.write("archive/a/old.md", "old\n")
    (scene.repo.state / "05-file-map.md").unlink()
    other = scene.snapshot("--deletions")

    def each() -> Iterator[Ran]:
        turns = calls(engine, everything=everything, step=2)
        for count, at in enumerate(turns):
            there = other if count % 2 else one
            here = scene.files()
            yield scene.kill(
                "restore",
                f"v{there.number}",
                at=at,
                everything=everything,
                torn=everything,
            )
            between = scene.files()
            for name in one.files.keys() & other.files.keys():
                assert between[name] in {here[name], there.files[name]}
            for name in between:
                assert between[name] in {here.get(name), there.files.get(name)}
            scene.check_told_before_next()
            scene.snapshot()
            assert scene.files() in (here, there.files)
            scene.check()

    assert until_done(each()) > 30
    scene.check_swept()


@DEATHS
def test_packing(scene: Scene, engine: str, *, everything: bool) -> None:
    def each() -> Iterator[Ran]:
        for at in calls(engine, everything=everything, step=2):
            scene.repo.write("02-current-task.md", f"text {at}\n" * 20)
            scene.snapshot()
            yield scene.kill("pack", at=at, everything=everything, torn=everything)
            scene.check()

    assert until_done(each()) > 5
    scene.check_swept()


@DEATHS
def test_repair(scene: Scene, engine: str, *, everything: bool) -> None:
    scene.repo.write("02-current-task.md", "two\n")
    newest = scene.snapshot()

    def each() -> Iterator[Ran]:
        for at in calls(engine, everything=everything, step=2):
            scene.repo.git("update-ref", "-d", "refs/heads/agent-state")
            yield scene.kill(
                "fsck", "--repair", at=at, everything=everything, torn=everything
            )
            scene.stable.ok("fsck", "--repair", cwd=scene.repo.path)
            assert scene.repo.git("rev-parse", "agent-state") == newest.commit
            scene.check()

    assert until_done(each()) > 2
    scene.check_swept()


@DEATHS
def test_init(stable: Stable, tmp_path: Path, engine: str, *, everything: bool) -> None:
    plain = make_repo(tmp_path / "plain").path

    def each() -> Iterator[Ran]:
        for at in calls(engine, everything=everything, step=4):
            scene = Scene(stable, _copy(plain, tmp_path / f"{at}"))
            yield scene.kill(
                "init", "--no-daemon", at=at, everything=everything, torn=everything
            )
            assert scene.repo.git("status", "--porcelain") == ""
            stable.ok("init", "--no-daemon", cwd=scene.repo.path)
            assert sorted(scene.files()) == sorted(NUMBERED)
            assert all(data.endswith(b"\n") for data in scene.files().values())
            scene.snapshot()
            assert list(scene.ledger.check()) == [1]
            assert scene.repo.git("status", "--porcelain") == ""
            scene.check_swept()
            shutil.rmtree(scene.repo.path)

    assert until_done(each()) > 10


@DEATHS
def test_adoption(
    scene: Scene, tmp_path: Path, engine: str, *, everything: bool
) -> None:
    """The hooks are left out: ``test_init`` is killed anywhere in what is done for them."""
    words = ("init", "--no-daemon", "--no-hooks")
    scene.repo.write_six("the team's")
    newest = scene.snapshot()
    plain = tmp_path / "plain"
    scene.repo.git("clone", "-q", str(scene.repo.path), str(plain))

    def each() -> Iterator[Ran]:
        for at in calls(engine, everything=everything, step=4):
            clone = Scene(scene.stable, _copy(plain, tmp_path / f"{at}"))
            clone.ledger.told.append(newest)
            yield clone.kill(*words, at=at, everything=everything, torn=everything)
            clone.stable.ok(*words, cwd=clone.repo.path)
            assert clone.files() == newest.files
            told = clone.snapshot()
            assert (told.number, told.commit) == (newest.number, newest.commit)
            clone.check()
            shutil.rmtree(clone.repo.path)

    assert until_done(each()) > 10


@DEATHS
def test_uninstall(scene: Scene, engine: str, *, everything: bool) -> None:
    def each() -> Iterator[Ran]:
        for at in calls(engine, everything=everything, step=4):
            scene.repo.write("02-current-task.md", f"text {at}\n")
            edited = scene.files()
            yield scene.kill("uninstall", at=at, everything=everything, torn=everything)
            scene.stable.ok("uninstall", cwd=scene.repo.path)
            assert scene.files() == edited
            runtime = scene.repo.path / ".git" / "gitstate"
            assert {path.name for path in runtime.iterdir()} == {"format", "id"}
            scene.stable.ok("init", "--no-daemon", cwd=scene.repo.path)
            scene.snapshot()
            scene.check()

    assert until_done(each()) > 7
    scene.check_swept()


def _copy(plain: Path, target: Path) -> Repo:
    shutil.copytree(plain, target)
    return Repo(target)
