"""The daemon puts ours back where a manager cut them off, and only where they are wanted."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from gitstate.hooks.git import installer
from gitstate.workspace import Workspace
from tests.hooks.git.effects import ALL_OURS, Scene, add_hook
from tests.hooks.git.managers import Manager, Tools
from tests.support import gitstate, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

THEIRS = '#!/bin/sh\necho theirs >>"$HOOK_LOG"\n'


@pytest.fixture
def watched(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    """A repository that the real daemon looks after, once a second."""
    monkeypatch.setenv("GITSTATE_SCAN_SECONDS", "1")
    gitstate("init", cwd=scene.repo.path)
    try:
        yield scene
    finally:
        gitstate("daemon", "stop", cwd=scene.repo.path)


def well(scene: Scene) -> bool:
    return installer.status(Workspace.open(scene.repo.path)).effective


def log(scene: Scene) -> str:
    return gitstate("daemon", "logs", "-n", "200", cwd=scene.repo.path).stdout


def cycles(scene: Scene, count: int = 3) -> None:
    """Wait until the daemon has certainly looked so many times more."""
    for number in range(count):
        scene.repo.write("notes.md", f"cycle {number}")
        wait_for(partial(holds, scene, f"cycle {number}"))


def holds(scene: Scene, text: str) -> bool:
    name = "agent-state:.agent-state/notes.md"
    return scene.repo.git("show", name, check=False) == text


def test_what_is_written_over_ours(watched: Scene) -> None:
    path = watched.repo.path / ".git" / "hooks" / "pre-commit"
    add_hook(path, THEIRS)
    wait_for(lambda: well(watched))
    watched.let_nobody_link()
    ran = watched.commit()
    assert (ran.others, ran.ours) == (["theirs"], ALL_OURS)
    wait_for(lambda: "put our lines into" in log(watched))
    path.unlink()
    wait_for(lambda: well(watched))


@pytest.mark.network
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", ["pre-commit", "lefthook", "husky"])
def test_what_a_manager_does(watched: Scene, tools: Tools, name: str) -> None:
    manager = Manager(name, tools.command(name))
    manager.configure(watched)
    manager.install(watched)
    manager.install(watched, force=True)
    wait_for(lambda: well(watched))
    watched.let_nobody_link()
    ran = watched.commit()
    assert ran.others == ["manager pre-commit", "manager post-commit"]
    assert ran.ours == ALL_OURS


def test_taken_out_is_taken_out(watched: Scene) -> None:
    watched.gitstate("hooks", "uninstall")
    before = watched.files()
    cycles(watched)
    assert watched.files() == before
    assert not well(watched)


def test_never_put_in_is_never_put_in(scene: Scene) -> None:
    scene.gitstate("init", "--no-daemon", "--no-hooks")
    assert installer.mend(Workspace.open(scene.repo.path)) == []
    assert "hooks install" not in scene.gitstate("snapshot")
    assert scene.files()["config"] == scene.files()["config"]
    assert list((scene.repo.path / ".git" / "hooks").iterdir()) == []


def test_it_can_be_switched_off(watched: Scene) -> None:
    watched.repo.git("config", "gitstate.repairHooks", "false")
    cycles(watched, 1)
    path = watched.repo.path / ".git" / "hooks" / "pre-commit"
    add_hook(path, THEIRS)
    cycles(watched)
    assert path.read_text() == THEIRS
    assert "`gitstate hooks install`" in watched.gitstate("status")
    watched.gitstate("hooks", "install")
    assert well(watched)
