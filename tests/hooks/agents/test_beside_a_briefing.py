"""What stands beside a briefing gives way to it: no state is lost for want of room."""

# ruff: noqa: RUF001 Chinese is written as it is

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitstate.hooks.agents import adapters, recalled, sessions
from gitstate.recall.briefing import measure
from tests.hooks.agents.places import Client
from tests.support import gitstate

if TYPE_CHECKING:
    from tests.support import Repo

GOAL = "修复 a.txt 的解析"
START = ("SessionStart", "SessionStart-startup")
COMPACT = ("SessionStart", "SessionStart-compact")


@pytest.fixture(params=["claude-code", "codex"])
def client(
    repo: Repo,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Client:
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    words = ("--lang", "zh", "--no-hooks", "--no-daemon")
    gitstate("init", *words, cwd=repo.path, env={"CI": "1"})
    repo.git("config", "gitstate.lang", "zh")
    (repo.path / "a.txt").write_text("hello\n")
    gitstate("task", "start", GOAL, "--next", "打开 a.txt", cwd=repo.path)
    rules = "".join(
        f"- 禁止在 src/部分{n}.ts 中直接调用数据库，因为所有访问都必须经过仓储层\n"
        for n in range(35)
    )
    path = repo.state / "01-coding-conventions.md"
    path.write_text(f"{path.read_text('utf-8')}\n{rules}", "utf-8")
    client = Client(repo, capsys, monkeypatch, agent=request.param)
    client.tell(*START)
    client.tell("UserPromptSubmit")
    return client


def waits(client: Client, *texts: str) -> None:
    one = client.session
    with sessions.opened(client.place, client.agent, one.session) as session:
        session.later = list(texts)


def taken(client: Client, text: str) -> float:
    """How much of what the client takes a text is."""
    adapter = adapters.get(client.agent)
    assert adapter is not None
    return measure(text, adapter.unit) / adapter.limit


def test_what_has_no_room_waits(client: Client) -> None:
    adapter = adapters.get(client.agent)
    assert adapter is not None
    bytes_each = 1 if adapter.unit == "characters" else 0.75  # of a token
    text = "漏" * int(adapter.limit * 0.95 / bytes_each)
    waits(client, text)
    said = client.context(*COMPACT)
    assert GOAL in said
    assert "状态核对" in said
    assert "漏漏" not in said
    assert taken(client, said) <= 1
    assert client.context("UserPromptSubmit") == text
    assert client.session.later == []
    waits(client, "漏了一点")
    client.tell("PreCompact")
    said = client.context(*COMPACT)
    assert "漏了一点" in said
    assert client.session.later == []
    assert client.log == ""


def test_a_question_that_has_no_room_is_not_asked(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recalled, "questions", lambda *_: ["问" * 20_000])
    said = client.context(*COMPACT)
    assert GOAL in said
    assert "问问" not in said
    assert taken(client, said) <= 1
    assert client.session.asked == {}
    assert client.log == ""


def test_what_was_missed_is_measured_as_the_client_does(client: Client) -> None:
    for _ in range(3):  # each of the files is asked for
        client.tell(*COMPACT)
        client.tell("Stop", last_assistant_message="状态核对：没有")
        (text,) = client.session.later
        client.tell("PreCompact")
        assert "没有说到" in text
        assert taken(client, text) <= 0.6  # half, the question once more, and two lines
        said = client.context(*COMPACT)
        assert GOAL in said
        assert taken(client, said) <= 1
        client.tell("UserPromptSubmit")
        client.tell("Stop")
    assert client.log == ""
