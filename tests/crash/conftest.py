"""A stable with the killer preloaded, and a scene in which versions are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crash.scene import Scene
from tests.crash.stable import Stable
from tests.shims import build
from tests.support import make_repo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def stable(engine: str, tmp_path: Path) -> Iterator[Stable]:
    """gitstate processes that die at a chosen call."""
    assert engine
    with Stable(tmp_path, preload=build("crash", tmp_path)) as found:
        yield found


@pytest.fixture(params=["libgit2", "git"], autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each engine in turn."""
    name: str = request.param
    monkeypatch.setenv("GITSTATE_ENGINE", name)
    return name


@pytest.fixture
def scene(stable: Stable, tmp_path: Path) -> Scene:
    """A repository with gitstate set up, and two versions to go to and from."""
    found = Scene(stable, make_repo(tmp_path / "repo"))
    stable.ok("init", "--no-daemon", cwd=found.repo.path)
    found.snapshot()
    return found
