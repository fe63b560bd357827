"""Slash commands, in the real clients: the handoff is asked for where nothing is set up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gitstate.recall import handoff
from tests.agents import story
from tests.agents.stub_model import Stub, strings
from tests.agents.test_claude_code import Talk
from tests.agents.test_gemini_cli import Gemini
from tests.agents.test_opencode import OpenCode
from tests.agents.test_qwen_code import Qwen
from tests.support import gitstate, make_repo

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo

pytestmark = [pytest.mark.agents, pytest.mark.timeout(600)]


def call(agent: str, repo: Repo, stub: Stub, home: Path) -> None:
    if agent == "claude-code":
        with Talk(repo, stub, home) as talk:
            talk.send("/gitstate:handoff")
    elif agent == "gemini-cli":
        Gemini(repo, stub, home).run("/gitstate:handoff")
    elif agent == "qwen-code":
        Qwen(repo, stub, home).run("/gitstate:handoff")
    else:
        client = OpenCode(repo, stub, home)
        client.run("", words=("--command", "gitstate/handoff"))


@pytest.mark.parametrize(
    "agent", ["claude-code", "gemini-cli", "qwen-code", "opencode"]
)
def test_a_handoff_is_asked_for(agent: str, tmp_path: Path, home: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    gitstate("agent", "install", agent, "--commands", cwd=repo.path)
    with Stub() as stub:
        call(agent, repo, stub, home)
        asked: dict[str, Any] = story.main_requests(stub)[0]
    whole = "\n".join(strings(asked))
    for said in (*handoff.asked_for("en"), f"{handoff.MOST_CHARS:,} characters"):
        assert said in whole
    gitstate("agent", "uninstall", agent, cwd=repo.path)
    assert repo.git("status", "--porcelain") == ""
