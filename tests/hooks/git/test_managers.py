"""Beside the real managers, in every order; a twin without gitstate says what is right."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from gitstate.hooks.git import installer
from gitstate.workspace import Workspace
from tests.hooks.git.effects import ALL_OURS, Ran, Scene, add_hook
from tests.hooks.git.managers import NAMES, Manager, Tools, same

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = [pytest.mark.network, pytest.mark.timeout(300)]
OWN = '#!/bin/sh\necho "own $0 $*" >>"$HOOK_LOG"\ncat >>"$HOOK_LOG"\n'
RUNS_OURS = {"pre-commit", "prek"}  # by themselves, when they are put in over ours


@pytest.fixture(params=NAMES)
def manager(request: pytest.FixtureRequest, tools: Tools) -> Manager:
    name: str = request.param
    return Manager(name, tools.command(name))


@pytest.fixture(params=[False, True], ids=["", "own hook"])
def pair(
    request: pytest.FixtureRequest, manager: Manager, scene: Scene, twin: Scene
) -> tuple[Scene, Scene]:
    """Two repositories that use the manager, with or without a hook of the user's own."""
    for place in (scene, twin):
        manager.configure(place)
        if request.param:
            add_hook(place.repo.path / ".git/hooks/pre-commit", OWN)
            add_hook(place.repo.path / ".git/hooks/pre-push", OWN)
    return scene, twin


def commit(pair: tuple[Scene, Scene]) -> Ran:
    """A commit in both: others did the same in both."""
    mine, alone = pair[0].commit(), pair[1].commit()
    assert same(mine, alone), (mine, alone)
    assert mine.code == 0
    return mine


def each(pair: tuple[Scene, Scene], act: Callable[[Scene], object]) -> None:
    for place in pair:
        act(place)


def mended(pair: tuple[Scene, Scene]) -> None:
    """Ours are cut off: it is said, and one cycle of the daemon mends it for good."""
    scene = pair[0]
    said = scene.gitstate("snapshot") + scene.gitstate("status")
    assert "`gitstate hooks install`" in said
    ws = Workspace.open(scene.repo.path)
    assert installer.mend(ws) != []
    ws = Workspace.open(scene.repo.path)
    assert installer.mend(ws) == []
    assert installer.status(ws).problem is None
    assert "hooks install" not in scene.gitstate("snapshot") + scene.gitstate("status")
    assert scene.gitstate("hooks", "install").startswith("nothing to do")
    assert commit(pair).ours == ALL_OURS


@pytest.mark.report(2, 5)
def test_theirs_then_ours(
    pair: tuple[Scene, Scene], manager: Manager, tmp_path: Path
) -> None:
    scene, twin = pair
    remote = tmp_path / "remote"
    scene.repo.git("init", "-q", "--bare", str(remote))
    each(pair, lambda place: place.repo.git("remote", "add", "origin", str(remote)))
    each(pair, manager.install)
    before = scene.files(".husky")
    assert before == twin.files(".husky")
    tracked = scene.repo.git("status", "--porcelain", "--ignored")
    scene.init()
    now = scene.repo.git("status", "--porcelain", "--ignored").splitlines()
    assert [row for row in now if ".agent-state" not in row] == tracked.splitlines()
    ran = commit(pair)
    assert ran.ours == ALL_OURS
    assert "manager pre-commit" in ran.others
    assert "manager post-commit" in ran.others
    pushes: list[str] = []
    for place in pair:
        pushed = place.git("push", "-q", "origin", f"HEAD:refs/heads/{len(pushes)}")
        head = place.repo.git("rev-parse", "HEAD")
        text = "\n".join(pushed.others)
        pushes.append(
            text.replace(head, "HEAD").replace(f"heads/{len(pushes)} ", "heads/N ")
        )
    assert pushes[0] == pushes[1]
    assert "manager pre-push" in pushes[0]
    assert pushed.code == 0
    assert scene.git("push", "-q", "origin", "HEAD:refs/heads/more").ours == {
        "pre-push"
    }
    scene.gitstate("hooks", "uninstall")
    assert scene.files(".husky") == before
    each(pair, manager.uninstall)
    assert scene.files(".husky") == twin.files(".husky")
    assert commit(pair).ours == set()


def test_ours_then_theirs(pair: tuple[Scene, Scene], manager: Manager) -> None:
    scene, twin = pair
    scene.init()
    assert commit(pair).ours == ALL_OURS
    each(pair, manager.install)
    if manager.name in RUNS_OURS:
        assert commit(pair).ours == ALL_OURS
        assert installer.mend(Workspace.open(scene.repo.path)) == []
    else:
        assert commit(pair).ours == set()
        mended(pair)
    scene.gitstate("hooks", "uninstall")
    assert commit(pair).ours == set()
    if not any(path.name.endswith(".old") for path in hooks_of(twin)):
        assert scene.files(".husky") == twin.files(".husky")
    each(pair, manager.uninstall)
    assert scene.files(".husky") == twin.files(".husky")


@pytest.mark.parametrize("first", ["ours", "theirs"])
def test_theirs_again_and_by_force(
    pair: tuple[Scene, Scene], manager: Manager, first: str
) -> None:
    scene, twin = pair
    if first == "ours":
        scene.init()
    each(pair, manager.install)
    scene.init()
    assert commit(pair).ours == ALL_OURS
    for force in (True, True, False) if manager.name != "husky" else (False, False):
        each(pair, partial(manager.install, force=force))
        ran = commit(pair)
        if ran.ours != ALL_OURS:
            mended(pair)
        scene.init()
        assert commit(pair).ours == ALL_OURS
    scene.gitstate("uninstall")
    assert scene.files(".husky") == twin.files(".husky")
    each(pair, manager.uninstall)
    assert scene.files(".husky") == twin.files(".husky")
    assert commit(pair).ours == set()


def test_theirs_goes_first(pair: tuple[Scene, Scene], manager: Manager) -> None:
    scene, twin = pair
    each(pair, manager.install)
    scene.init()
    each(pair, manager.uninstall)
    mine, alone = scene.commit(), twin.commit()
    if mine.ours != ALL_OURS or not same(mine, alone):
        mended(pair)
    assert commit(pair).ours == ALL_OURS
    scene.gitstate("uninstall")
    assert scene.files(".husky") == twin.files(".husky")
    assert commit(pair).ours == set()


def test_the_managers_exit_code_stops_the_commit(
    pair: tuple[Scene, Scene], manager: Manager
) -> None:
    scene, twin = pair
    each(pair, manager.install)
    scene.init()
    for name, text in (
        (".pre-commit-config.yaml", ">>$HOOK_LOG"),
        ("lefthook.yml", ">>$HOOK_LOG"),
        (".husky/pre-commit", ">>$HOOK_LOG"),
    ):
        for place in pair:
            path = place.repo.path / name
            if path.exists():
                path.write_text(path.read_text().replace(text, text + "; exit 7", 1))
                place.repo.git("add", name)
    mine, alone = scene.commit(), twin.commit()
    assert same(mine, alone)
    assert mine.code == 1
    assert "manager pre-commit" in mine.others
    assert "post-commit" not in mine.ours


def hooks_of(scene: Scene) -> list[Path]:
    return list((scene.repo.path / ".git" / "hooks").iterdir())
