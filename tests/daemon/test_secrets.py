"""The daemon and a file with a secret: everything else goes on, and the bytes wait."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gitstate.history import withheld
from gitstate.workspace import Workspace
from tests.memory.secrets_made_up import ALNUM, made
from tests.support import gitstate, wait_for

if TYPE_CHECKING:
    from tests.daemon.conftest import Daemon

KEY = "gh" + "s_" + made(36, ALNUM, 78)


def test_the_daemon_holds_it_and_goes_on(daemon: Daemon) -> None:
    repo = daemon.repository()
    daemon.start()
    daemon.watching(repo)
    ws = Workspace.open(repo.path)

    repo.write("notes.md", f"one\n{KEY}\n")
    wait_for(lambda: len(withheld.waiting(ws)) == 1)
    repo.write("notes.md", "clean again\n")
    wait_for(lambda: repo.shows("notes.md") == "clean again")
    repo.write("notes.md", f"two\n{KEY}\n")
    wait_for(lambda: len(withheld.waiting(ws)) == 2)
    repo.write("02-current-task.md", "goes on")
    repo.wait("goes on")

    texts = [withheld.read(ws, text) for text in withheld.waiting(ws)]
    assert texts == [f"one\n{KEY}\n".encode(), f"two\n{KEY}\n".encode()]
    status = json.loads(gitstate("status", "--json", cwd=repo.path).stdout)
    assert status["skipped"] == [
        {
            "path": "notes.md",
            "reason": "holds a secret: GitHub Token in line 2",
            "secrets": [{"line": 2, "kind": "GitHub Token"}],
        }
    ]
    held = repo.git("log", "--all", "-p", "--format=%B")
    assert KEY not in held
    assert "Skipped: notes.md (holds a secret: GitHub Token in line 2)" in held
    gitstate("snapshot", "--allow-secret", "notes.md", cwd=repo.path)
    assert KEY in repo.git("show", "agent-state:.agent-state/notes.md")
