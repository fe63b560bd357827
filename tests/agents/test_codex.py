"""Codex CLI itself, against a stub model: is the state there after a compaction."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.agents import story
from tests.agents.stub_model import Stub, strings
from tests.support import gitstate

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo

AGENT = "codex"
SETTINGS = ".codex/hooks.json"
pytestmark = [pytest.mark.agents, pytest.mark.timeout(600)]


class Codex:
    """Codex with a home of its own; each call is a process, one session after the first."""

    def __init__(self, repo: Repo, stub: Stub, home: Path) -> None:
        self.repo, self.home = repo, home
        (home / ".codex").mkdir(exist_ok=True)
        config = home / ".codex" / "config.toml"
        if not config.exists():
            config.write_text(
                'model = "gpt-5.5"\nmodel_provider = "stub"\n'
                "model_context_window = 100000\nmodel_auto_compact_token_limit = 60000\n"
                'sandbox_mode = "danger-full-access"\napproval_policy = "never"\n'
                "[model_providers.stub]\n"
                f'name = "stub"\nbase_url = "{stub.url}/v1"\nwire_api = "responses"\n'
                "requires_openai_auth = false\n"
                "[features]\nenable_request_compression = false\n"
            )
        with config.open("a") as file:
            file.write(
                f'[projects.{json.dumps(str(repo.path))}]\ntrust_level = "trusted"\n'
            )

    def run(self, prompt: str, *, resume: bool = False) -> story.Run:
        words = [*story.client(AGENT), "exec"]
        if resume:
            words += ["resume", "--last"]
        words += ["--dangerously-bypass-hook-trust", "--json", "-"]
        env = story.environment(self.home)
        return story.run(words, cwd=self.repo.path, env=env, stdin=prompt)


def shell(command: str) -> tuple[str, object]:
    return "exec_command", {"cmd": command}


def patch(path: str, old: str, new: str) -> tuple[str, object]:
    """Its own tool for edits."""
    body = f"*** Update File: {path}\n@@\n-{old}\n+{new}"
    return "apply_patch", f"*** Begin Patch\n{body}\n*** End Patch\n"


def shell_patch(path: str, old: str, new: str) -> tuple[str, object]:
    """The same, as it is called through its shell: no hook is told of it."""
    _, body = patch(path, old, new)
    return shell(f"apply_patch <<'EOF'\n{body}EOF\n")


EDIT_TASK = patch(
    story.TASK, "1. [todo] Locate the function", "1. [in progress] Locate the function"
)


def test_the_state_arrives_once_and_whole_after_a_compaction(
    tmp_path: Path, home: Path
) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    code = story.CODE
    with Stub() as stub:
        codex = Codex(repo, stub, home)
        read = shell(f"cat {story.TASK}; sed -n 1,3p src/core/parser.ts")
        edit = shell_patch("src/core/parser.ts", code, f"{code} //")
        codex.run(story.calls(read, edit, EDIT_TASK))
        assert story.knows(story.main_requests(stub)[0]) == []
        story.by_someone_else(repo)
        before = len(stub.requests)
        # compacted in the middle of its turn
        codex.run(
            story.calls(shell("cat README.md"), say="on", usage=98_000), resume=True
        )
        requests = stub.requests[before:]
        codex.run(story.calls(say=story.right()), resume=True)
    (at,) = [i for i, one in enumerate(requests) if "CONTEXT CHECKPOINT" in str(one)]
    after = requests[at + 1]
    story.arrived(repo, AGENT, after, injected=4)


def test_compaction_before_a_turn_gives_one_briefing(
    tmp_path: Path, home: Path
) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    with Stub() as stub:
        codex = Codex(repo, stub, home)
        codex.run(story.calls(say="first", usage=98_000))
        before = len(stub.requests)
        codex.run(story.calls(say="second"), resume=True)
        after = stub.requests[before + 1]
    assert "CONTEXT CHECKPOINT" in str(stub.requests[before])
    assert story.knows(after) == []
    assert len(story.briefings(after)) == 1
    found = story.status(repo, AGENT)
    assert (found["compactions"], found["received"]) == (1, found["injected"])


def test_a_limit_of_its_own_lets_more_through(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT, "zh")
    log = repo.state / "04-decision-log.md"
    more = "".join(
        f"\n## D-{n:04} 模块{n}使用方案{n}\n\n- 理由：{'团队熟悉' * 20}\n"  # noqa: RUF001 as it is written
        for n in range(2, 80)
    )
    log.write_text(log.read_text("utf-8") + more, "utf-8")
    path = repo.path / SETTINGS
    settings = json.loads(path.read_text())
    (group,) = settings["hooks"]["SessionStart"]
    group["hooks"][0]["additionalContextLimit"] = 5_000
    path.write_text(json.dumps(settings))
    with Stub() as stub:
        Codex(repo, stub, home).run(story.calls(say="one"))
    begun = story.main_requests(stub)[0]
    assert story.knows(begun, "zh") == []
    told = "\n".join(strings(begun)).partition("[gitstate briefing ")[2]
    told = told.partition("[end of gitstate briefing ")[0]
    assert 10_000 < len(told.encode()) <= 20_000
    found = story.status(repo, AGENT)
    assert found["received"] == found["injected"] == 1


def test_the_end_of_a_turn_is_blocked_once(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    with Stub() as stub:
        codex = Codex(repo, stub, home)
        codex.run(story.calls(shell("echo x > src/new.ts")))
    assert story.blocked_once(repo, AGENT, stub) == 1


def test_worktrees_keep_apart_and_a_restore_is_told(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    other = story.other_worktree(repo, tmp_path / "other", AGENT)
    with Stub() as stub:
        here, there = Codex(repo, stub, home), Codex(other, stub, home)
        story.keeps_apart(repo, other, stub, here.run, there.run)


def test_what_was_stripped_is_not_received(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    story.strip(repo.path / SETTINGS, "SessionStart", "UserPromptSubmit")
    with Stub() as stub:
        story.nothing_received(repo, AGENT, stub, Codex(repo, stub, home).run)


def test_uninstall_leaves_the_settings_as_they_were(tmp_path: Path, home: Path) -> None:
    repo = story.start(tmp_path / "repo", AGENT)
    path = repo.path / SETTINGS
    gitstate("agent", "uninstall", AGENT, cwd=repo.path)
    assert not path.parent.exists()
    theirs = (
        b'{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}'
    )
    path.parent.mkdir()
    path.write_bytes(theirs)
    gitstate("agent", "install", AGENT, cwd=repo.path)
    with Stub() as stub:
        Codex(repo, stub, home).run(story.calls(say="one"))
    assert story.knows(story.main_requests(stub)[0]) == []
    gitstate("agent", "uninstall", AGENT, cwd=repo.path)
    assert path.read_bytes() == theirs
