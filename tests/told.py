"""The commands of a page of the manual, and what they really print."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.inside import call

if TYPE_CHECKING:
    from pathlib import Path

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def told(text: str) -> list[tuple[str, str]]:
    """Every command of a page with what it prints."""
    found = []
    for block in _BLOCK.findall(text):
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


def run(command: str, cwd: Path) -> str:
    """What a command prints; one of gitstate's is called in this process.

    Where it stands before a pipe, its output goes there.
    """
    if not command.startswith("gitstate "):
        return _shell(command, cwd, "")
    own, pipe, rest = command.partition(" | ")
    said = call(cwd, *words_of(own.removeprefix("gitstate ")))
    return _shell(rest, cwd, said.out) + said.err if pipe else said.out + said.err


def _shell(command: str, cwd: Path, stdin: str) -> str:
    return subprocess.run(
        ["bash", "-c", command],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    ).stdout
