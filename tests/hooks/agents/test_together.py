"""Several put in and take out at once, as from two terminals or in two worktrees."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from gitstate.hooks.agents import installer
from gitstate.workspace import Workspace
from tests.hooks.agents.places import ready
from tests.support import command

if TYPE_CHECKING:
    from tests.support import Repo

NAMES = ("claude-code", "gemini-cli", "claude-code", "gemini-cli")


def all_at_once(repo: Repo, verb: str) -> None:
    running = [
        subprocess.Popen(
            command("agent", verb, name),
            cwd=repo.path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for name in NAMES
    ]
    for one in running:
        assert (one.communicate()[1], one.returncode) == (b"", 0)


def test_each_finds_what_the_one_before_it_left(repo: Repo) -> None:
    ws = Workspace.open(ready(repo).path)
    excluded = ws.common_dir / "info" / "exclude"
    before = excluded.read_bytes(), sorted(ws.root.iterdir())
    all_at_once(repo, "install")
    assert all(installer.status(ws, name).well for name in NAMES)
    assert repo.git("status", "--porcelain", "--", ".claude", ".gemini") == ""
    all_at_once(repo, "uninstall")
    assert (excluded.read_bytes(), sorted(ws.root.iterdir())) == before
