"""A verb of a test's own, in a process of its own, under the real command."""

from __future__ import annotations

import subprocess
import sys
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PRELUDE = """
import os, sys, types, click
from gitstate import cli, output
@click.command("boom")
def verb():
    return body()
module = types.ModuleType("boom_verb")
module.command = verb
sys.modules["boom_verb"] = module
cli.VERBS["boom"] = cli.Verb("boom_verb", "raise", "Test")
def body():
    {body}
sys.exit(cli.main(sys.argv[1:]))
"""


def script(body: str) -> str:
    """A Python program: the command, with a verb ``boom`` that runs ``body``."""
    return PRELUDE.format(body=body)


def process(
    body: str,
    *words: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdout: int | IO[bytes] = subprocess.PIPE,
) -> subprocess.CompletedProcess[bytes]:
    """Run the command with ``words`` (``boom``, where there are none)."""
    return subprocess.run(
        [sys.executable, "-P", "-c", script(body), *(words or ("boom",))],
        cwd=cwd,
        env=env,
        stdout=stdout,
        stderr=subprocess.PIPE,
        check=False,
    )
