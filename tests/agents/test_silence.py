"""Clients skip hooks that were not trusted or switched on, without a word: doctor has it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.agents import story
from tests.agents.stub_model import Stub
from tests.agents.test_codex import AGENT, Codex
from tests.agents.test_copilot_cli import AGENT as COPILOT
from tests.agents.test_copilot_cli import Copilot
from tests.support import gitstate

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo

pytestmark = [pytest.mark.agents, pytest.mark.timeout(600)]


def installed_long_ago(folder: Path, agent: str) -> Repo:
    repo = story.start(folder, agent)
    record = repo.path / ".git/gitstate/agents" / f"installed-{agent}.json"
    long_ago = record.stat().st_mtime - 60
    os.utime(record, (long_ago, long_ago))
    return repo


def test_a_session_of_copilot_whose_hooks_are_not_switched_on_is_told_of(
    tmp_path: Path, home: Path
) -> None:
    repo = installed_long_ago(tmp_path / "repo", COPILOT)
    with Stub() as stub:
        copilot = Copilot(repo, stub, home)
        copilot.run(story.calls(say="one"), hooks=False)
        assert not any("gitstate briefing" in one for one in stub.texts())
        said = gitstate("doctor", cwd=repo.path, check=False).stdout
        assert "ran none of these hooks" in said
        assert "GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS=true" in said
        copilot.run(story.calls(say="two"))
    said = gitstate("doctor", cwd=repo.path, check=False).stdout
    assert "ran none of these hooks" not in said


def test_a_session_without_trusted_hooks_is_told_of(tmp_path: Path, home: Path) -> None:
    repo = installed_long_ago(tmp_path / "repo", AGENT)
    with Stub() as stub:
        codex = Codex(repo, stub, home)
        words = [*story.client(AGENT), "exec", "--json", "-"]
        env = story.environment(home)
        story.run(words, cwd=repo.path, env=env, stdin=story.calls(say="one"))
        assert not any("gitstate briefing" in one for one in stub.texts())
        said = gitstate("doctor", cwd=repo.path, check=False).stdout
        assert "ran none of these hooks" in said
        assert "codex compacts" in said
        assert "at 60% of the window (model_auto_compact_token_limit)" in said
        # one with trust, begun later
        assert codex.run(story.calls(say="two")).code == 0
    said = gitstate("doctor", cwd=repo.path, check=False).stdout
    assert "ran none of these hooks" not in said
