"""The same command failing in a row is told at the next turn, by whatever a client says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gitstate.hooks.agents import adapters
from tests.hooks.agents.places import INPUTS, Client, ready

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo

SAID = "gitstate: the same command failed 2 times in a row."
# the recorded use of a shell that failed
FAILED = {
    "claude-code": "PostToolUseFailure-Bash",
    "gemini-cli": "AfterTool-run_shell_command-failed",
    "qwen-code": "PostToolUseFailure-run_shell_command",
    "opencode": "tool-bash-failed",
    "copilot-cli": "postToolUse-bash-failed",
}
WELL = {
    "claude-code": "PostToolUse-Bash",
    "gemini-cli": "AfterTool-run_shell_command",
    "qwen-code": "PostToolUse-run_shell_command",
    "opencode": "tool-bash",
    "copilot-cli": "postToolUse-bash",
}


@pytest.fixture
def client(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Client:
    for agent in adapters.NAMES:
        found = adapters.get(agent)
        monkeypatch.delenv((found and found.project) or "-", raising=False)
    repo.git("config", "gitstate.probe", "off")
    return Client(ready(repo), capsys, monkeypatch)


def tell(client: Client, name: str, command: str = "") -> str:
    """Tell a recorded event, with another command in it."""
    text = (INPUTS / client.agent / f"{name}.json").read_text("utf-8")
    text = text.replace("@ROOT@", str(client.repo.path)).replace("@HOME@", "/nowhere")
    if command:
        text = text.replace("exit 3", command).replace("cat README.md", command)
    return client.say(name.partition("-")[0], text.encode())


def turn(client: Client) -> str:
    (name,) = {
        path.stem
        for path in (INPUTS / client.agent).iterdir()
        if path.stem
        in {"UserPromptSubmit", "BeforeAgent", "turn", "userPromptSubmitted"}
    }
    return tell(client, name)


@pytest.mark.parametrize("agent", FAILED)
def test_each_client(client: Client, agent: str) -> None:
    client.agent = agent
    turn(client)
    turn(client)
    for _ in range(2):
        tell(client, FAILED[agent], "pnpm test")
        tell(client, FAILED[agent], "pnpm lint")
        tell(client, WELL[agent], "pnpm lint")
        tell(client, WELL[agent], "pnpm build")
    assert SAID in turn(client)
    assert turn(client) == ""
    tell(client, FAILED[agent], "pnpm test")
    tell(client, WELL[agent], "pnpm test")  # it works now
    tell(client, FAILED[agent], "pnpm test")
    assert turn(client) == ""
    assert client.log == ""


def test_codex_tells_it_in_its_rollout_alone(client: Client, tmp_path: Path) -> None:
    client.agent = "codex"
    rollout = tmp_path / "rollout.jsonl"
    rollout.write_text("")
    client.common = {"transcript_path": str(rollout)}

    def ran(command: str, code: int | None) -> None:
        client.tell("PostToolUse", "PostToolUse-Bash", tool_input={"command": command})
        words = ["/bin/bash", "-lc", command]
        item = {"type": "CommandExecution", "command": words, "exit_code": code}
        payload = {"type": "item_completed", "item": item}
        with rollout.open("a") as file:
            file.write(json.dumps({"type": "event_msg", "payload": payload}) + "\n")

    client.tell("SessionStart", "SessionStart-startup")
    client.tell("UserPromptSubmit")
    ran("pnpm test", 1)
    ran("pnpm lint", 1)
    ran("pnpm lint", 0)
    ran("pnpm build", None)
    client.tell("Stop")
    assert "in a row" not in client.context("UserPromptSubmit")
    ran("pnpm test", 2)
    assert SAID in client.context("UserPromptSubmit")
    assert client.log == ""
