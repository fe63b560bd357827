"""``gitstate init``: what it says of a language, and what is so when it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitstate import background
from gitstate.daemon import autostart
from gitstate.workspace import Workspace
from tests.support import gitstate, make_repo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HINT = (
    "--lang is for new files; for the messages of versions too: "
    "git config gitstate.lang zh"
)


@pytest.fixture
def stopped(home: Path) -> Iterator[None]:
    """The daemon that a test starts is stopped after it."""
    assert home.is_dir()
    yield
    autostart.stop()


@pytest.mark.usefixtures("stopped")
def test_the_main_job_runs_when_it_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CI", raising=False)
    for name in ("first", "second", "third", "fourth"):
        repo = make_repo(tmp_path / name)
        gitstate("init", cwd=repo.path)
        seen = background.seen(Workspace.open(repo.path))
        assert (seen.watching, seen.problem) == (True, None)


def test_a_language_for_the_files_alone_is_said(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "shop")
    words = ("init", "--lang", "zh", "--no-daemon", "--no-hooks")
    assert gitstate(*words, cwd=repo.path).stdout.splitlines()[-1] == HINT
    repo.git("config", "gitstate.lang", "zh")
    assert gitstate(*words, cwd=repo.path).stdout == (
        f"nothing to do: v1 in {repo.path}\n"
    )
