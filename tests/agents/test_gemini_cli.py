"""Gemini CLI itself, against a stub model: is the state there after a compression."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.agents import story
from tests.agents.stub_model import Stub
from tests.support import gitstate

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo

AGENT = "gemini-cli"
SETTINGS = ".gemini/settings.json"
pytestmark = [pytest.mark.agents, pytest.mark.timeout(600)]


class Gemini:
    """Gemini CLI with a home of its own; each call is a process."""

    def __init__(self, repo: Repo, stub: Stub, home: Path) -> None:
        self.repo, self.stub, self.home = repo, stub, home
        (home / ".gemini").mkdir(exist_ok=True)
        settings = {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "model": {"compressionThreshold": 0.02},
        }
        (home / ".gemini" / "settings.json").write_text(json.dumps(settings))

    def run(self, prompt: str, *, resume: bool = False) -> story.Run:
        words = [*story.client(AGENT), "--approval-mode", "yolo"]
        if resume:
            words += ["--resume", "latest"]
        env = story.environment(
            self.home,
            GEMINI_API_KEY="stub",
            GOOGLE_GEMINI_BASE_URL=self.stub.url,
            GEMINI_CLI_TRUST_WORKSPACE="true",
        )
        return story.run([*words, "-p", prompt], cwd=self.repo.path, env=env)


def edit_task(repo: Repo) -> list[tuple[str, object]]:
    path = str(repo.path / story.TASK)
    edit = {
        "file_path": path,
        "old_string": "1. [todo] Locate the function",
        "new_string": "1. [in progress] Locate the function",
        "instruction": "begin the step",
    }
    return [("read_file", {"file_path": path}), ("replace", edit)]


def test_the_state_arrives_once_and_whole_after_a_compression(
    tmp_path: Path, home: Path
) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    code = str(repo.path / "src/core/parser.ts")
    with Stub() as stub:
        gemini = Gemini(repo, stub, home)
        read = ("read_file", {"file_path": code})
        edit = {
            "file_path": code,
            "old_string": story.CODE,
            "new_string": f"{story.CODE} //",
            "instruction": "mark it",
            "allow_multiple": True,
        }
        calls = (read, ("replace", edit), *edit_task(repo))
        gemini.run(story.calls(*calls, usage=60_000))
        story.by_someone_else(repo)
        assert story.knows(story.main_requests(stub)[0]) == []
        # compressed in the middle of this turn
        gemini.run(
            story.calls(("read_file", {"file_path": "README.md"}), usage=60_000),
            resume=True,
        )
        assert any("STUB-SUMMARY" in one for one in stub.texts())
        before = len(stub.requests)
        gemini.run(story.calls(say=story.right()), resume=True)
        after = stub.requests[before]
    assert "STUB-SUMMARY" in str(after)
    story.arrived(repo, AGENT, after)


def test_the_end_of_a_turn_is_blocked_once(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    code = str(repo.path / "src" / "new.ts")
    with Stub() as stub:
        write = ("write_file", {"file_path": code, "content": "x\n"})
        Gemini(repo, stub, home).run(story.calls(write))
    story.blocked_once(repo, AGENT, stub)
    log = (repo.state / "long_mem" / "operations.log").read_text()
    assert "| src/new.ts | edit " in log


def test_worktrees_keep_apart_and_a_restore_is_told(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    other = story.other_worktree(repo, tmp_path / "other", AGENT)
    with Stub() as stub:
        here, there = Gemini(repo, stub, home), Gemini(other, stub, home)
        story.keeps_apart(repo, other, stub, here.run, there.run)
    # a compression is announced before each request, and was not made
    assert story.status(repo, AGENT)["compactions"] == 0


def test_what_was_stripped_is_not_received(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    story.strip(repo.path / SETTINGS, "SessionStart", "BeforeAgent")
    with Stub() as stub:
        story.nothing_received(repo, AGENT, stub, Gemini(repo, stub, home).run)


def test_uninstall_leaves_the_settings_as_they_were(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    path = repo.path / SETTINGS
    gitstate("agent", "uninstall", AGENT, cwd=repo.path)
    assert not path.parent.exists()
    theirs = b'// mine\n{\n  "ui": {"hideTips": true} /* and so on */\n}\n'
    path.parent.mkdir()
    path.write_bytes(theirs)
    gitstate("agent", "install", AGENT, cwd=repo.path)
    assert path.read_bytes().startswith(b"// mine\n")
    with Stub() as stub:
        Gemini(repo, stub, home).run(story.calls(say="one"))
    assert story.knows(story.main_requests(stub)[0]) == []
    gitstate("agent", "uninstall", AGENT, cwd=repo.path)
    assert path.read_bytes() == theirs
