"""OpenCode itself, against a stub model: is the state there after a compaction."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.agents import story
from tests.agents.stub_model import Stub
from tests.support import gitstate, wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo

AGENT = "opencode"
SETTINGS = ".opencode/plugins/gitstate.js"
FULL = 95_000
pytestmark = [pytest.mark.agents, pytest.mark.timeout(600)]


class OpenCode:
    """OpenCode with a home of its own; each call is a process, one session."""

    def __init__(self, repo: Repo, stub: Stub, home: Path) -> None:
        self.repo, self.home = repo, home
        folder = home / ".config" / "opencode"
        folder.mkdir(parents=True, exist_ok=True)
        limits = {"context": 100_000, "output": 8_000}
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "stub",
            "options": {"baseURL": f"{stub.url}/v1", "apiKey": "stub"},
            "models": {
                "stub-model": {"name": "stub", "limit": limits, "tool_call": True}
            },
        }
        config = {
            "provider": {"stub": provider},
            "model": "stub/stub-model",
            "autoupdate": False,
            "share": "disabled",
        }
        (folder / "opencode.json").write_text(json.dumps(config))

    def run(
        self, prompt: str, *, resume: bool = False, words: tuple[str, ...] = ()
    ) -> story.Run:
        words = (*story.client(AGENT), "run", *words)
        if resume:
            words = (*words, "--continue")
        env = story.environment(self.home, OPENCODE_DISABLE_AUTOUPDATE="1")
        # an argument would be quoted once more
        return story.run(words, cwd=self.repo.path, env=env, stdin=prompt)


def edit_task(repo: Repo) -> list[tuple[str, object]]:
    path = str(repo.path / story.TASK)
    old, new = "1. [todo] Locate", "1. [in progress] Locate"
    edit = {"filePath": path, "oldString": old, "newString": new}
    return [("read", {"filePath": path}), ("edit", edit)]


def test_the_state_arrives_once_and_whole_after_a_compaction(
    tmp_path: Path, home: Path
) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    with Stub() as stub:
        opencode = OpenCode(repo, stub, home)
        code = {"filePath": str(repo.path / "src/core/parser.ts")}
        new = {"oldString": story.CODE, "newString": "//", "replaceAll": True}
        edit = ("edit", {**code, **new})
        opencode.run(story.calls(("read", code), edit, *edit_task(repo)))
        story.by_someone_else(repo)
        assert story.knows(story.main_requests(stub)[0]) == []
        before = len(stub.requests)
        readme = {"filePath": str(repo.path / "README.md")}
        opencode.run(story.calls(("read", readme), usage=FULL), resume=True)
        after = [
            one
            for one in stub.requests[before:]
            if one.get("tools") and "STUB-SUMMARY" in str(one)
        ]
        opencode.run(story.calls(say=story.right()), resume=True)
    assert story.knows(after[0]) == []
    assert len(story.briefings(after[0])) == 1
    story.says_first(after[0])
    assert "[in progress] Locate the function" in (repo.path / story.TASK).read_text()
    # the client does not wait for what it tells of a turn's end
    wait_for(lambda: story.status(repo, AGENT)["verified"] == 1, limit_s=60)
    found = story.status(repo, AGENT)
    assert found["compactions"] == 1
    assert found["received"] == found["injected"] >= 2  # a start, and this
    log = (repo.state / "long_mem" / "operations.log").read_text()
    assert "| src/core/parser.ts | read" in log
    assert "| src/core/parser.ts | edit " in log
    story.leaves_nothing(repo, AGENT)


def test_what_was_not_written_is_told_at_the_next_turn(
    tmp_path: Path, home: Path
) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    write = {"filePath": str(repo.path / "src" / "new.ts"), "content": "x\n"}
    with Stub() as stub:
        opencode = OpenCode(repo, stub, home)
        opencode.run(story.calls(("write", write)))
        assert not any("src/new.ts) and" in one for one in stub.texts())
        before = len(stub.requests)
        opencode.run(story.calls(say="on"), resume=True)
    assert any("code changed (src/new.ts) and" in one for one in stub.texts()[before:])


def test_worktrees_keep_apart_and_a_restore_is_told(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    other = story.other_worktree(repo, tmp_path / "other", AGENT)
    with Stub() as stub:
        here, there = OpenCode(repo, stub, home), OpenCode(other, stub, home)
        story.keeps_apart(repo, other, stub, here.run, there.run)


def test_what_was_stripped_is_not_received(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    path = repo.path / SETTINGS
    text = path.read_text()
    assert "output.system.push(slot.get(session))" in text
    text = text.replace("output.system.push(slot.get(session))", "void 0")
    path.write_text(text)
    with Stub() as stub:
        story.nothing_received(repo, AGENT, stub, OpenCode(repo, stub, home).run)


def test_uninstall_leaves_nothing(tmp_path: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    assert (repo.path / SETTINGS).exists()
    gitstate("agent", "uninstall", AGENT, cwd=repo.path)
    assert not (repo.path / ".opencode").exists()
