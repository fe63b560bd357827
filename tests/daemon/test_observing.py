from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from gitstate.daemon.hints import UnwatchableError
from gitstate.daemon.observing import Observing
from tests.daemon.watches import arm, hears, state_directory, watched

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def observing() -> Iterator[Observing]:
    made = Observing()
    yield made
    made.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return state_directory(tmp_path)


def test_a_directory_that_is_not_there_yet_is_said(
    observing: Observing, root: Path
) -> None:
    shutil.rmtree(root)
    with pytest.raises(UnwatchableError, match="there is no directory yet"):
        watched(observing, root)


def test_a_dead_observer_is_noticed_and_replaced(
    observing: Observing, root: Path
) -> None:
    watch = watched(observing, root)
    assert arm(watch, root) == 0
    dead = observing.observer()
    dead.stop()
    dead.join()
    assert not observing.alive()
    assert not watch.alive()
    assert arm(watch, root) == 1
    assert observing.alive()
    assert watch.alive()
    hears(watch, lambda: (root / "02-current-task.md").write_text("x"))
