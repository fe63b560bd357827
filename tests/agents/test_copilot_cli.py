"""Copilot CLI itself, against a stub model: is the state there after a compaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.agents import story
from tests.agents.stub_model import Stub
from tests.support import gitstate

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo

AGENT = "copilot-cli"
SETTINGS = ".github/hooks/gitstate.json"
FULL = 58_000
pytestmark = [pytest.mark.agents, pytest.mark.timeout(600)]


class Copilot:
    """Copilot CLI with a home of its own; each call is a process, one session."""

    def __init__(self, repo: Repo, stub: Stub, home: Path) -> None:
        self.repo, self.stub, self.home = repo, stub, home

    def run(
        self, prompt: str, *, resume: bool = False, hooks: bool = True
    ) -> story.Run:
        words = [*story.client(AGENT), "--allow-all-tools"]
        if resume:
            words.append("--continue")
        env = story.environment(
            self.home,
            COPILOT_OFFLINE="true",
            COPILOT_PROVIDER_BASE_URL=f"{self.stub.url}/v1",
            COPILOT_PROVIDER_API_KEY="stub",
            COPILOT_MODEL="stub-model",
            COPILOT_PROVIDER_MAX_PROMPT_TOKENS="60000",
            GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS=str(hooks).lower(),
        )
        return story.run([*words, "-p", prompt], cwd=self.repo.path, env=env)

    def has_compacted(self) -> bool:
        """Did it, as its events file says."""
        files = self.home.glob(".copilot/session-state/*/events.jsonl")
        return any("session.compaction_complete" in one.read_text() for one in files)


def edit_task(repo: Repo) -> list[tuple[str, object]]:
    path = str(repo.path / story.TASK)
    old, new = "1. [todo] Locate", "1. [in progress] Locate"
    return [
        ("view", {"path": path}),
        ("edit", {"path": path, "old_str": old, "new_str": new}),
    ]


def test_the_state_arrives_once_and_whole_after_a_compaction(
    tmp_path: Path, home: Path
) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    with Stub() as stub:
        copilot = Copilot(repo, stub, home)
        code = {"path": str(repo.path / "src/core/parser.ts")}
        new = {"old_str": f"{story.CODE}\n" * 150, "new_str": "//\n"}
        edit = ("edit", {**code, **new})
        copilot.run(story.calls(("view", code), edit, *edit_task(repo)))
        story.by_someone_else(repo)
        assert story.knows(story.main_requests(stub)[0]) == []
        # compacted in the background: its own requests go on with the old history
        readme = {"path": str(repo.path / "README.md")}
        turns = 0
        while not copilot.has_compacted() and turns < 5:  # it may end before that
            copilot.run(story.calls(("view", readme), usage=FULL), resume=True)
            turns += 1
        before = len(stub.requests)
        copilot.run(story.calls(say=story.right()), resume=True)
        after = stub.requests[before]
        # what it wrote stands in its events file only after the hook of the turn's end
        copilot.run(story.calls(say="and on"), resume=True)
    assert "STUB-SUMMARY" in str(after)
    story.arrived(repo, AGENT, after, injected=3 + turns)


def test_the_end_of_a_turn_is_blocked_once(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    write = {"path": str(repo.path / "src" / "new.ts"), "file_text": "x\n"}
    with Stub() as stub:
        Copilot(repo, stub, home).run(story.calls(("create", write)))
    story.blocked_once(repo, AGENT, stub)


def test_worktrees_keep_apart_and_a_restore_is_told(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    other = story.other_worktree(repo, tmp_path / "other", AGENT)
    with Stub() as stub:
        here, there = Copilot(repo, stub, home), Copilot(other, stub, home)
        story.keeps_apart(repo, other, stub, here.run, there.run)


def test_what_was_stripped_is_not_received(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    story.strip(repo.path / SETTINGS, "sessionStart", "userPromptSubmitted")
    with Stub() as stub:
        story.nothing_received(repo, AGENT, stub, Copilot(repo, stub, home).run)


def test_uninstall_leaves_nothing(tmp_path: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    assert (repo.path / SETTINGS).exists()
    gitstate("agent", "uninstall", AGENT, cwd=repo.path)
    assert not (repo.path / ".github").exists()
