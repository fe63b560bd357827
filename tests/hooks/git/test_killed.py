"""Killed at every call while hooks are put in or taken out: everybody's go on running."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.crash.stable import Stable
from tests.crash.test_points import until_done
from tests.hooks.git.effects import ALL_OURS, Scene, add_hook
from tests.shims import build

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.crash.stable import Ran

pytestmark = pytest.mark.timeout(600)
OWN = '#!/bin/sh\necho own >>"$HOOK_LOG"\n'
PROGRAM = '#!/usr/bin/awk -f\nBEGIN { print "own" >> ENVIRON["HOOK_LOG"] }\n'


# what is there; how far a death reaches: also git, and a write cut in half; and the
# first of the calls, of which each kind takes every fourth
CASES = (
    ("script", True, 1),
    ("program", False, 2),
    ("link", True, 3),
    ("folder", False, 4),
)


def prepared(kind: str, tmp_path: Path) -> Scene:
    """A repository with one hook of the user's, and gitstate without hooks."""
    scene = Scene.make(tmp_path / "prepared")
    path = scene.repo.path / ".git" / "hooks" / "pre-commit"
    match kind:
        case "script":
            add_hook(path, OWN)
        case "program":
            add_hook(path, PROGRAM)
        case "link":
            add_hook(scene.repo.path / "tools" / "check", PROGRAM)
            path.symlink_to("../../tools/check")
        case "folder":
            add_hook(scene.repo.path / ".githooks" / "pre-commit", OWN)
            scene.repo.git("config", "core.hooksPath", ".githooks")
    scene.init("--no-hooks")
    return scene


def copied(scene: Scene, folder: Path) -> Scene:
    shutil.copytree(scene.repo.path, folder / "repo", symlinks=True)
    return Scene(type(scene.repo)(folder / "repo"), folder / "log")


@pytest.fixture
def stable(tmp_path: Path) -> Iterator[Stable]:
    """gitstate processes that die at a chosen call."""
    with Stable(tmp_path, preload=build("crash", tmp_path)) as found:
        yield found


@pytest.mark.parametrize(("kind", "everything", "first"), CASES)
def test_put_in_and_taken_out(
    stable: Stable,
    tmp_path: Path,
    kind: str,
    everything: bool,  # noqa: FBT001 pytest's
    first: int,
) -> None:
    begin = prepared(kind, tmp_path)
    before = begin.files("tools", ".githooks")

    def each() -> Iterator[Ran]:
        for at in range(first, 400, 4):
            scene = copied(begin, tmp_path / f"{at}")
            place = scene.repo.path
            how = {"at": at, "everything": everything, "torn": everything}
            ran = stable.run("hooks", "install", cwd=place, **how)  # type: ignore[arg-type]
            assert scene.commit().others == ["own"]
            stable.ok("hooks", "install", cwd=place)
            found = scene.commit()
            assert (found.code, found.others, found.ours) == (0, ["own"], ALL_OURS)
            out = stable.run("hooks", "uninstall", cwd=place, **how)  # type: ignore[arg-type]
            assert scene.commit().others == ["own"]
            stable.ok("hooks", "uninstall", cwd=place)
            assert scene.files("tools", ".githooks") == before
            assert [*scene.git_dir.glob("*.tmp"), *scene.git_dir.glob("*.lock")] == []
            shutil.rmtree(place.parent)
            yield ran if ran.killed else out

    assert until_done(each()) > 1
