"""What the tests of git's hooks start from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.hooks.git.effects import Scene
from tests.hooks.git.managers import Tools

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """A repository without any hook, and a log for those to come."""
    return Scene.make(tmp_path)


@pytest.fixture
def twin(tmp_path: Path) -> Scene:
    """Another one, in which gitstate is never set up: what would be without it."""
    return Scene.make(tmp_path / "twin")


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Tools:
    """The managers, each fetched when it is first needed."""
    return Tools(tmp_path_factory.mktemp("managers"))
