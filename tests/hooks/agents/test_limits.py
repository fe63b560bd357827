"""A briefing fits into what each client takes, in its own unit, with a Chinese state too."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gitstate.hooks.agents import adapters
from gitstate.hooks.agents.events import Compacted, SessionStarted, TurnStarted
from gitstate.recall.briefing import measure
from tests.hooks.agents.places import Client
from tests.support import gitstate

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo

GOAL = "修复 src/core/parser.ts 的 parseExpr 嵌套括号解析"
NEXT = "在 parseExpr 第 142 行之前统计未闭合的括号"
FORBIDDEN = "禁止修改 legacy/ 目录下的任何文件"
# the limit, and the events after which a session has been told the state
CLIENTS = {
    "claude-code": (9_990, ("SessionStart",)),
    "codex": (2_500, ("SessionStart",)),
    "gemini-cli": (9_000, ("SessionStart",)),
    "qwen-code": (9_000, ("SessionStart", "UserPromptSubmit")),
    "opencode": (9_000, ("start",)),
    "copilot-cli": (10_000, ("sessionStart", "userPromptSubmitted")),
}


@pytest.fixture
def client(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Client:
    """A repository with a state that no client takes whole."""
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    at = repo.path
    words = ("--lang", "zh", "--no-hooks", "--no-daemon")
    gitstate("init", *words, cwd=at, env={"CI": "1"})
    gitstate("task", "start", GOAL, "--next", NEXT, cwd=at)
    gitstate("rule", "add", "--forbidden", FORBIDDEN, cwd=at)
    repo.git("config", "gitstate.briefBudget", "100000")
    path = repo.state / "04-decision-log.md"
    each = (
        f"\n## D-{n:04} 模块{n}使用方案{n}\n\n- 理由：{'团队熟悉' * 20}\n- 信心：high\n"  # noqa: RUF001 as it is written
        for n in range(1, 300)
    )
    path.write_text(path.read_text("utf-8") + "".join(each), "utf-8")
    return Client(repo, capsys, monkeypatch)


def told(client: Client, *events: str) -> str:
    """What a session is told at its beginning."""
    common = {"cwd": str(client.repo.path), "prompt": "go on", "source": "startup"}
    wire = {**common, "session_id": "s", "sessionId": "s", "session": "s"}
    *before, last = events
    for event in before:
        assert client.say(event, json.dumps(wire).encode()) == ""
    said = json.loads(client.say(last, json.dumps(wire).encode()))
    key = "context" if client.agent == "opencode" else "additionalContext"
    text: str = said.get("hookSpecificOutput", said)[key]
    for part in (GOAL, NEXT, FORBIDDEN):
        assert part in text
    assert client.log == ""
    return text


@pytest.mark.parametrize("agent", CLIENTS)
def test_a_large_chinese_state(client: Client, agent: str) -> None:
    adapter = adapters.get(agent)
    assert adapter is not None
    limit, events = CLIENTS[agent]
    assert adapter.limit == limit
    client.agent = agent
    text = told(client, *events)
    assert 0.9 * limit < measure(text, adapter.unit) <= limit


def codex_hooks(*limits: object) -> str:
    """Settings with a hook of somebody else, and ours with these limits."""
    theirs = {"type": "command", "command": "true", "additionalContextLimit": 1}
    ours = [
        {
            "type": "command",
            "command": f"python -I -S /x/hooks/agents/hook.py codex SessionStart {at}",
            **({} if one is None else {"additionalContextLimit": one}),
        }
        for at, one in enumerate(limits)
    ]
    groups = [{"hooks": [theirs]}, {"matcher": "*", "hooks": ours}]
    return json.dumps({"hooks": {"SessionStart": groups}})


@pytest.mark.parametrize(
    ("settings", "limit"),
    [
        (codex_hooks(6_000), 6_000),
        (codex_hooks(1_500, 6_000), 1_500),
        (codex_hooks(None, 6_000), 2_500),
        (codex_hooks("6000"), 2_500),
        (codex_hooks(-1), 2_500),
        (codex_hooks(0), 1 << 20),
        (codex_hooks(), 2_500),
        ('{"hooks": {"SessionStart": [{"hooks": [5]}]}}', 2_500),
        ('{"hooks": []}', 2_500),
        ("{", 2_500),
        ("[" * 100_000, 2_500),
        ("\udcff", 2_500),
    ],
)
def test_codex_has_the_limit_in_its_settings(
    tmp_path: Path, settings: str, limit: int
) -> None:
    adapter = adapters.get("codex")
    assert adapter is not None
    (tmp_path / ".codex").mkdir()
    path = tmp_path / ".codex" / "hooks.json"
    path.write_bytes(settings.encode("utf-8", "surrogateescape"))
    at = str(tmp_path)
    assert adapter.limit_at(at, SessionStarted(session="s")) == limit
    assert adapter.limit_at(at, Compacted(session="s")) == limit
    assert adapter.limit_at(at, TurnStarted(session="s")) == 2_500
    path.unlink()
    assert adapter.limit_at(at, SessionStarted(session="s")) == 2_500


def test_codex_is_told_as_much_as_its_settings_let_through(client: Client) -> None:
    client.agent = "codex"
    folder = client.repo.path / ".codex"
    folder.mkdir()
    (folder / "hooks.json").write_text(codex_hooks(7_000))
    text = told(client, "SessionStart")
    assert 0.9 * 7_000 < measure(text, "tokens") <= 7_000
