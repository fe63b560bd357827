"""One story in both languages: what binds is there, word for word, after each compaction."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gitstate.hooks.agents import adapters
from tests.agents.story import WORDS
from tests.hooks.agents.places import Client
from tests.support import gitstate

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo

# what each client tells when a compaction was made, and at which event it takes the state
COMPACTS: dict[str, tuple[tuple[str, ...], str]] = {
    "claude-code": (("PreCompact",), "SessionStart-compact"),
    "codex": (("PreCompact", "PostCompact"), "SessionStart-compact"),
    "gemini-cli": (("PreCompress",), "BeforeAgent"),
    "qwen-code": (
        ("PreCompact", "PostCompact", "SessionStart-compact"),
        "UserPromptSubmit",
    ),
    "opencode": (("compacting",), "compacted"),
    "copilot-cli": (("preCompact",), "userPromptSubmitted"),
}
STARTS = {
    "gemini-cli": ("SessionStart-startup", "BeforeAgent"),
    "opencode": ("start", "turn"),
    "copilot-cli": ("sessionStart-new", "userPromptSubmitted"),
}
ENDS = {"gemini-cli": "AfterAgent", "opencode": "idle", "copilot-cli": "agentStop"}


def record(agent: str, count: int) -> str:
    """What the transcript says of a compaction, where no hook does."""
    id_ = str(count)
    if agent == "gemini-cli":
        said = {"id": id_, "type": "user", "content": [{"text": "<state_snapshot>"}]}
        return json.dumps({"$set": {"messages": [said]}}) + "\n"
    if agent == "copilot-cli":
        kind = "session.compaction_complete"
        return json.dumps({"id": id_, "type": kind, "data": {"success": True}}) + "\n"
    return ""


@pytest.mark.parametrize("lang", WORDS)
def test_three_compactions(
    repo: Repo,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    lang: str,
) -> None:
    words, at = WORDS[lang], repo.path
    repo.git("config", "gitstate.lang", lang)
    init = ("init", "--lang", lang, "--no-hooks", "--no-daemon")
    gitstate(*init, cwd=at, env={"CI": "1"})
    anchor = ("--anchor", "src/core/parser.ts:142")
    gitstate("task", "start", words.goal, *anchor, "--next", words.next, cwd=at)
    for rule in words.forbidden:
        gitstate("rule", "add", "--forbidden", rule, cwd=at)
    for rule in words.rules:
        gitstate("rule", "add", rule, cwd=at)
    gitstate("decide", words.decision[0], "--reason", words.decision[1], cwd=at)
    assert words.condensed in gitstate("condense", cwd=at).stdout
    for agent, (before, carrying) in COMPACTS.items():
        client = Client(repo, capsys, monkeypatch, agent)
        found = adapters.get(agent)
        monkeypatch.delenv((found and found.project) or "-", raising=False)
        transcript = tmp_path / f"{agent}.jsonl"
        transcript.write_text("")
        for key in ("transcript_path", "transcriptPath"):
            client.common[key] = str(transcript)
        start, turn = STARTS.get(agent, ("SessionStart-startup", "UserPromptSubmit"))
        told = tell(client, start) + tell(client, turn)
        assert missing(told, lang) == []
        for count in range(1, 4):
            for event in before:
                assert "[gitstate briefing" not in tell(client, event)
            with transcript.open("a") as file:
                file.write(record(agent, count))
            told = tell(client, carrying)
            assert missing(told, lang) == []
            assert told.count("[gitstate briefing") == 1
            assert "[gitstate briefing" not in tell(client, turn)
            tell(client, ENDS.get(agent, "Stop"))
        assert client.log == ""


def tell(client: Client, name: str) -> str:
    """Tell a recorded event; what the hook has for the model."""
    said = client.tell(name.partition("-")[0], name)
    if not said.startswith("{"):
        return said
    answer = json.loads(said)
    answer = answer.get("hookSpecificOutput", answer)
    return str(answer.get("additionalContext", answer.get("context", "")))


def missing(told: str, lang: str) -> list[str]:
    """What binds and is not there."""
    return [said for said in WORDS[lang].binding if said not in told]
