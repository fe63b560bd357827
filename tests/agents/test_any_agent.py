"""AGENTS.md and the skill, in the real clients: both are untracked, and still read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gitstate.recall import words
from tests.agents import story
from tests.agents.stub_model import Stub, strings
from tests.agents.test_claude_code import Talk
from tests.agents.test_codex import Codex
from tests.agents.test_copilot_cli import Copilot
from tests.agents.test_gemini_cli import Gemini
from tests.agents.test_opencode import OpenCode
from tests.agents.test_qwen_code import Qwen
from tests.support import gitstate, make_repo

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo

pytestmark = [pytest.mark.agents, pytest.mark.timeout(600)]
CLIENTS: dict[str, Any] = {
    "codex": Codex,
    "copilot-cli": Copilot,
    "gemini-cli": Gemini,
    "opencode": OpenCode,
    "qwen-code": Qwen,
}
BLOCK = words.protocol("en", ".agent-state")
SKILL = ["Reads and writes the working state of this repository"]


def first_request(agent: str, repo: Repo, home: Path) -> str:
    with Stub() as stub:
        if agent == "claude-code":
            with Talk(repo, stub, home) as talk:
                talk.send(story.calls(say="one"))
        else:
            CLIENTS[agent](repo, stub, home).run(story.calls(say="one"))
        return "\n".join(strings(story.main_requests(stub)[0]))


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        ("claude-code", BLOCK),
        ("codex", BLOCK + SKILL),
        ("copilot-cli", BLOCK + SKILL),
        ("gemini-cli", SKILL),  # its own file is GEMINI.md
        ("opencode", BLOCK + SKILL),
        ("qwen-code", BLOCK + SKILL),
    ],
)
def test_it_reaches_the_model(
    agent: str, expected: list[str], tmp_path: Path, home: Path
) -> None:
    repo = make_repo(tmp_path / "repo")
    gitstate("init", "--no-hooks", "--no-daemon", cwd=repo.path)
    gitstate("agent", "install", "agents-md", cwd=repo.path)
    assert repo.git("status", "--porcelain") == ""
    whole = first_request(agent, repo, home)
    assert [said for said in expected if said not in whole] == []
