"""Qwen Code itself, against a stub model: is the state there after a compaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.agents import story
from tests.agents.stub_model import Stub
from tests.support import gitstate

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo

AGENT = "qwen-code"
SETTINGS = ".qwen/settings.json"
SUMMARY_TOKENS = 168_000  # what a summary has to cost before it believes the numbers
FULL = 172_000
pytestmark = [pytest.mark.agents, pytest.mark.timeout(600)]


class Qwen:
    """Qwen Code with a home of its own; each call is a process, one session."""

    def __init__(self, repo: Repo, stub: Stub, home: Path) -> None:
        self.repo, self.stub, self.home = repo, stub, home

    def run(self, prompt: str, *, resume: bool = False) -> story.Run:
        words = [*story.client(AGENT), "--approval-mode", "yolo"]
        if resume:
            words.append("--continue")
        env = story.environment(
            self.home,
            OPENAI_BASE_URL=f"{self.stub.url}/v1",
            OPENAI_API_KEY="stub",
            OPENAI_MODEL="stub-model",
        )
        return story.run([*words, "-p", prompt], cwd=self.repo.path, env=env)


def edit_task(repo: Repo) -> list[tuple[str, object]]:
    path = str(repo.path / story.TASK)
    old, new = "1. [todo] Locate", "1. [in progress] Locate"
    edit = {"file_path": path, "old_string": old, "new_string": new}
    return [("read_file", {"file_path": path}), ("edit", edit)]


def test_the_state_arrives_once_and_whole_after_a_compaction(
    tmp_path: Path, home: Path
) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    with Stub(SUMMARY_TOKENS) as stub:
        qwen = Qwen(repo, stub, home)
        code = {"file_path": str(repo.path / "src/core/parser.ts")}
        new = {"old_string": story.CODE, "new_string": "//", "replace_all": True}
        edit = ("edit", {**code, **new})
        qwen.run(story.calls(("read_file", code), edit, *edit_task(repo)))
        story.by_someone_else(repo)
        assert story.knows(story.main_requests(stub)[0]) == []
        readme = {"file_path": str(repo.path / "README.md")}
        qwen.run(story.calls(("read_file", readme), usage=FULL), resume=True)
        before = len(stub.requests)
        qwen.run(story.calls(say=story.right()), resume=True)
        after = stub.requests[before]
    assert "STUB-SUMMARY" in str(after)
    story.arrived(repo, AGENT, after)


def test_the_end_of_a_turn_is_blocked_once(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    write = {"file_path": str(repo.path / "src" / "new.ts"), "content": "x\n"}
    with Stub() as stub:
        Qwen(repo, stub, home).run(story.calls(("write_file", write)))
    story.blocked_once(repo, AGENT, stub)


def test_worktrees_keep_apart_and_a_restore_is_told(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    other = story.other_worktree(repo, tmp_path / "other", AGENT)
    with Stub() as stub:
        here, there = Qwen(repo, stub, home), Qwen(other, stub, home)
        story.keeps_apart(repo, other, stub, here.run, there.run)


def test_what_was_stripped_is_not_received(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    story.strip(repo.path / SETTINGS, "SessionStart", "UserPromptSubmit")
    with Stub() as stub:
        story.nothing_received(repo, AGENT, stub, Qwen(repo, stub, home).run)


def test_uninstall_leaves_the_settings_as_they_were(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    path = repo.path / SETTINGS
    gitstate("agent", "uninstall", AGENT, cwd=repo.path)
    assert not path.parent.exists()
    path.parent.mkdir()
    path.write_bytes(b'{"model": {"name": "stub-model"}}')
    with Stub() as stub:
        qwen = Qwen(repo, stub, home)
        qwen.run(story.calls(say="one"))
        theirs = path.read_bytes()  # it writes the number of its form into them
        gitstate("agent", "install", AGENT, cwd=repo.path)
        qwen.run(story.calls(say="two"))
        gitstate("agent", "uninstall", AGENT, cwd=repo.path)
        assert path.read_bytes() == theirs
        # the same where it writes that after the install
        path.write_bytes(b'{"model": {"name": "stub-model"}}')
        gitstate("agent", "install", AGENT, cwd=repo.path)
        qwen.run(story.calls(say="three"))
        gitstate("agent", "uninstall", AGENT, cwd=repo.path)
    assert path.read_bytes() == theirs
    assert b"$version" in theirs
