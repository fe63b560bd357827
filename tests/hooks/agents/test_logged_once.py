"""A hook that was killed after it logged what waited: the next one logs it no second time."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitstate.hooks.agents import spool
from gitstate.memory.operations_log import unlogged
from tests.hooks.agents.places import Client, ready, recorded

if TYPE_CHECKING:
    from tests.support import Repo


@pytest.fixture
def client(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Client:
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    return Client(ready(repo), capsys, monkeypatch)


@pytest.mark.parametrize("ends", ["Stop", "UserPromptSubmit"])
def test_a_kill_before_the_spool_was_emptied(client: Client, ends: str) -> None:
    def edit(name: str) -> None:
        (client.repo.path / name).write_text(name)
        words = {"file_path": str(client.repo.path / name)}
        client.tell("PostToolUse", "PostToolUse-Edit", tool_input=words)

    client.tell("SessionStart", "SessionStart-startup")
    client.tell("UserPromptSubmit")
    edit("hello.py")
    waits = Path(spool.folder(client.place))
    told = recorded("claude-code", "PostToolUse-Bash", client.repo)
    told["tool_input"] = {"command": "cat a.txt"}
    (waits / "claude-code.PostToolUse.77").write_text(json.dumps(told))  # the shim's
    kept = waits.parent / "kept"
    shutil.copytree(waits, kept)
    client.tell(ends)
    assert list(waits.iterdir()) == []
    for path in kept.iterdir():
        shutil.copy2(path, waits)
    edit("more.py")
    client.tell("Stop")
    names = [line.partition(" | ")[0] for line in client.operations]
    assert [one for one in names if one != "turn"] == ["hello.py", "a.txt", "more.py"]
    assert list(waits.iterdir()) == []
    assert client.log == ""


def test_only_what_stands_at_the_end_was_logged() -> None:
    turn, a, b, c = "t | turn", "t | a | read", "t | b | read", "t | c | read"
    text = f"{c}\n{a}\n{b}\n{turn}\n"
    assert unlogged(text, [], [a, b, c, turn]) == [c, turn]
    assert unlogged(text, [], [b, c]) == [c]
    assert unlogged(text, [], [c, a]) == [c, a]  # a file that was edited back again
    assert unlogged(f"{c}\n", [a, turn, b], [turn, b]) == []
    assert unlogged(None, [], [a]) == [a]
    assert unlogged(text, [], [turn]) == [turn]
