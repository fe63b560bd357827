"""On a full disk nothing can be kept of a session: it is briefed all the same."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gitstate.hooks.agents import hook
from tests.hooks.agents.places import Client, ready, recorded

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo

# no file can grow, as on a full disk; pipes can
FULL = ("sh", "-c", 'ulimit -f 0; exec "$@"', "sh")


@pytest.fixture
def client(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Client:
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    return Client(ready(repo), capsys, monkeypatch)


def on_a_full_disk(client: Client, event: str, name: str = "") -> str:
    """What the hook prints there."""
    wire = recorded(client.agent, name or event, client.repo, **client.common)
    words = [*FULL, sys.executable, "-I", "-S", hook.__file__, client.agent, event]
    done = subprocess.run(
        words,
        cwd=client.repo.path,
        input=json.dumps(wire),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def briefing(out: str) -> str:
    said: str = json.loads(out)["hookSpecificOutput"]["additionalContext"]
    return said


@pytest.mark.parametrize("is_known", [True, False])
def test_a_compaction(client: Client, *, is_known: bool) -> None:
    if is_known:
        client.tell("SessionStart", "SessionStart-startup")
        client.tell("UserPromptSubmit")
    assert "- Goal: Fix a.txt" in on_a_full_disk(client, "PreCompact")
    said = briefing(on_a_full_disk(client, "SessionStart", "SessionStart-compact"))
    assert said.startswith("[gitstate briefing ")
    for text in ("Your context was compacted", "Never call npm", "Open a.txt"):
        assert text in said
    # what nothing can be kept of is not said at each chance
    for event, name in (
        ("PostCompact", ""),
        ("PostToolUse", "PostToolUse-Edit"),
        ("UserPromptSubmit", ""),
        ("Stop", ""),
    ):
        assert on_a_full_disk(client, event, name) == "", event


def test_a_start(client: Client) -> None:
    said = briefing(on_a_full_disk(client, "SessionStart", "SessionStart-startup"))
    assert "The state of the work" in said
    assert "Never call npm" in said
    # there is room again
    said = client.context("SessionStart", "SessionStart-compact")
    assert "Your context was compacted" in said
    assert client.session.track.compactions == 1
    assert len(client.session.receipts) == 1


def test_a_client_that_tells_of_no_compaction(client: Client, tmp_path: Path) -> None:
    client.agent = "gemini-cli"
    client.monkeypatch.delenv("GEMINI_PROJECT_DIR", raising=False)
    client.common = {"transcript_path": str(tmp_path / "none.jsonl")}
    assert on_a_full_disk(client, "PreCompress") == ""
    assert "Fix a.txt" in on_a_full_disk(client, "SessionStart", "SessionStart-startup")
