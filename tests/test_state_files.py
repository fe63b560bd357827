"""docs/state-files.md is true: its commands are run, and say what it says."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.engines import init
from tests.told import run, told

if TYPE_CHECKING:
    from tests.support import Repo

TEXT = (Path(__file__).parents[1] / "docs" / "state-files.md").read_text("utf-8")


def test_its_commands_say_what_it_says(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    monkeypatch.setenv("GITSTATE_NOW", "2026-11-29T14:05:00+01:00")
    repo.commit("src/core/parser.ts", "x\n")
    init(repo)
    assert len(told(TEXT)) > 25
    for command, output in told(TEXT):
        assert (command, run(command, repo.path)) == (command, output)
