"""docs/state-files.md is true: its commands are run, and say what it says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.engines import init
from tests.inside import call

if TYPE_CHECKING:
    from tests.support import Repo

TEXT = (Path(__file__).parents[1] / "docs" / "state-files.md").read_text("utf-8")


def told() -> list[tuple[str, str]]:
    """Every command of the page with what it prints."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def words_of(command: str) -> list[str]:
    """A command's words, as a shell has them."""
    script = "import json, sys; print(json.dumps(sys.argv[1:]))"
    said = subprocess.run(
        ["bash", "-c", f"\"{sys.executable}\" -I -c '{script}' {command}"],
        capture_output=True,
        check=True,
    ).stdout
    found: list[str] = json.loads(said)
    return found


def test_its_commands_say_what_it_says(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    monkeypatch.setenv("GITSTATE_NOW", "2026-11-29T14:05:00+01:00")
    repo.commit("src/core/parser.ts", "x\n")
    init(repo)
    assert len(told()) > 25
    for command, output in told():
        if command.startswith("gitstate "):
            said = call(repo.path, *words_of(command.removeprefix("gitstate ")))
            assert (command, said.out + said.err) == (command, output)
        else:
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=repo.path,
                capture_output=True,
                text=True,
                check=True,
                env=os.environ,
            )
            assert (command, done.stdout) == (command, output)
