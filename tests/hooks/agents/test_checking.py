"""What is asked after a compaction and of a fact, and what comes of the answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitstate.hooks.agents import recalled
from gitstate.workspace import Workspace
from tests.hooks.agents.places import Client, ready
from tests.support import Repo, gitstate

if TYPE_CHECKING:
    from gitstate.hooks.agents.sessions import Receipt

START = ("SessionStart", "SessionStart-startup")
COMPACT = ("SessionStart", "SessionStart-compact")
ASKED = 'in a paragraph that begins with "State check:"'
RIGHT = (
    "State check: 1. The next step is to open a.txt. 2. Never edit legacy/. Reach the "
    "database through src/repositories/."
)
RULE = "Must reach the database through src/repositories/"


@pytest.fixture
def client(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Client:
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    ready(repo)
    gitstate("rule", "add", RULE, cwd=repo.path)
    gitstate("rule", "add", "Never edit legacy/", cwd=repo.path)
    gitstate("fact", "set", "package manager", "pnpm, never npm", cwd=repo.path)
    path = repo.path.parent / "transcript.jsonl"
    path.write_text("")
    return Client(repo, capsys, monkeypatch, common={"transcript_path": str(path)})


def written(client: Client, *records: dict[str, object]) -> None:
    """What the client writes into its transcript."""
    with Path(str(client.common["transcript_path"])).open("a") as file:
        file.writelines(json.dumps(one) + "\n" for one in records)


def given(client: Client, *event: str) -> str:
    """What an event is answered, which reaches the model."""
    said = client.context(*event)
    if said:
        added = {"type": "hook_additional_context", "content": [said]}
        written(client, {"type": "attachment", "attachment": added})
    return said


def compacted(client: Client) -> str:
    given(client, *START)
    given(client, "UserPromptSubmit")
    return given(client, *COMPACT)


def ended(client: Client, said: str) -> None:
    client.tell("Stop", last_assistant_message=said)


def receipt(client: Client) -> Receipt:
    return client.session.receipts[-1]


def test_a_briefing_after_a_compaction_ends_with_two_questions(client: Client) -> None:
    assert ASKED not in given(client, *START)
    given(client, "UserPromptSubmit")
    said = given(client, *COMPACT)
    asked = said.rpartition(ASKED)[2].splitlines()
    assert [one.partition(" ")[0] for one in asked[1:3]] == ["1.", "2."]
    assert "what exactly comes next" in asked[1]
    assert "01-coding-conventions.md, from memory, in its own words" in asked[2]
    assert asked[3].startswith("[end of gitstate briefing ")
    assert len(said) <= 9_990


def test_the_right_answer_is_verified(client: Client) -> None:
    compacted(client)
    ended(client, f"Done with the tests.\n\n{RIGHT}\n")
    assert receipt(client).verified is True
    assert client.session.asked == {}
    assert given(client, "UserPromptSubmit") == ""


def test_what_was_missed_comes_back_twice_at_most(client: Client) -> None:
    compacted(client)
    ended(client, RIGHT.replace("Never edit legacy/. ", ""))
    assert receipt(client).verified is False
    back = given(client, "PostToolUse", "PostToolUse-Read")
    assert "- not said: prohibition: Never edit legacy/" in back
    assert RULE in back  # the file's own text
    assert "02-current-task.md" not in back  # that was said
    assert ASKED in back
    assert "1. 01-coding-conventions.md" in back
    assert given(client, "PostToolUse", "PostToolUse-Read") == ""
    ended(client, "State check: legacy/ may be edited.")
    back = given(client, "UserPromptSubmit")
    assert "- not said: next: Open a.txt" in back
    assert ASKED not in back
    ended(client, "State check: I do not know.")
    assert given(client, "UserPromptSubmit") == ""


def test_the_second_answer_may_be_right(client: Client) -> None:
    compacted(client)
    ended(client, "State check: nothing.")
    assert ASKED in given(client, "UserPromptSubmit")
    ended(client, RIGHT)
    assert receipt(client).verified is True
    assert given(client, "UserPromptSubmit") == ""


def test_an_answer_in_the_transcript_counts(client: Client) -> None:
    compacted(client)
    content = [{"type": "text", "text": RIGHT}, {"type": "tool_use", "name": "Read"}]
    written(client, {"type": "assistant", "message": {"content": content}})
    ended(client, "All tests pass.")
    assert receipt(client).verified is True


def test_where_nothing_can_be_read_nothing_is_known(client: Client) -> None:
    compacted(client)
    ended(client, "")
    assert receipt(client).verified is None
    assert given(client, "UserPromptSubmit") == ""
    ended(client, RIGHT)
    assert receipt(client).verified is True


def test_another_compaction_asks_for_another_file(client: Client) -> None:
    compacted(client)
    given(client, "UserPromptSubmit")
    said = given(client, *COMPACT)
    assert "00-project-context.md, from memory, in its own words" in said


def test_it_can_be_switched_off(client: Client) -> None:
    client.repo.git("config", "gitstate.verifyAfterBrief", "false")
    assert ASKED not in compacted(client)
    ended(client, "All tests pass.")
    assert receipt(client).verified is None
    assert given(client, "UserPromptSubmit") == ""


def turns(client: Client, count: int) -> str:
    said = ""
    for _ in range(count):
        said = given(client, "UserPromptSubmit")
        if "State check:" not in said:
            ended(client, "ok")
    return said


def test_a_probe_is_asked_every_so_many_turns(client: Client) -> None:
    client.repo.git("config", "gitstate.probe", "always")
    client.repo.git("config", "gitstate.probeTurns", "3")
    given(client, *START)
    assert "State check:" not in turns(client, 2)
    said = turns(client, 1)
    assert said.startswith("gitstate: first answer in one line")
    key = str(client.session.asked["probe"])
    assert key in said
    ended(client, f"State check: {_value(client, key)}")
    assert client.session.asked == {}
    assert given(client, "UserPromptSubmit") == ""


def _value(client: Client, key: str) -> str:
    text = (client.repo.state / "00-project-context.md").read_text()
    line = next(one for one in text.splitlines() if one.startswith(f"- {key}: "))
    return line.partition(": ")[2].partition(" (source")[0]


@pytest.mark.parametrize(
    "answer",
    ["State check: Perl 5.38, run by hand", "State check: I would have to look.", "ok"],
)
def test_a_wrong_or_evasive_answer_starts_the_recovery_once(
    client: Client, answer: str
) -> None:
    client.repo.git("config", "gitstate.probe", "always")
    client.repo.git("config", "gitstate.probeTurns", "1")
    given(client, *START)
    assert "State check:" in turns(client, 1)
    ended(client, answer)
    said = given(client, "UserPromptSubmit")
    assert "An answer of yours showed that what is recorded here has been lost." in said
    assert "Never call npm" in said
    assert ASKED in said
    assert client.session.track.compactions == 1
    ended(client, RIGHT)
    for _ in range(4):  # no second recovery for the same loss
        given(client, "UserPromptSubmit")
        ended(client, answer)
    assert client.session.track.compactions == 1


def test_a_probe_is_answered_by_what_stands_there(client: Client) -> None:
    """Also where what a command is called looks like a permission."""
    text = "npx only-allow pnpm"
    gitstate("fact", "set", "--command", "guard", text, cwd=client.repo.path)
    ws = Workspace.open(client.repo.path)
    assert recalled.knows(ws, "guard", [(text, text)]) is True
    wrong = ("npm install", "npm install")
    assert recalled.knows(ws, "guard", [wrong]) is False
    assert recalled.knows(ws, "package manager", [wrong]) is False
    assert recalled.knows(ws, "package manager", [("pnpm", "pnpm")]) is True
    assert recalled.knows(ws, "no such fact", [wrong]) is None


def test_probes_are_asked_where_the_client_says_nothing_of_compactions(
    client: Client,
) -> None:
    client.agent = "copilot-cli"
    client.common = {}  # no transcript either
    client.repo.git("config", "gitstate.probeTurns", "1")
    client.tell("sessionStart", "sessionStart-new")
    assert "State check:" in turns_of(client)


def turns_of(client: Client) -> str:
    said = ""
    for _ in range(3):
        said += client.context("userPromptSubmitted")
        client.tell("agentStop")
    return said


def test_no_probe_where_compactions_are_told_and_briefings_arrive(
    client: Client,
) -> None:
    client.repo.git("config", "gitstate.probeTurns", "1")
    given(client, *START)
    assert all("State check:" not in turns(client, 1) for _ in range(4))


def test_in_chinese(client: Client) -> None:
    client.repo.git("config", "gitstate.lang", "zh")
    said = compacted(client)
    assert "段落以“状态核对：”开头" in said  # noqa: RUF001 as it is said
    ended(client, "状态核对：下一步是打开 a.txt。")  # noqa: RUF001 as it is said
    back = given(client, "UserPromptSubmit")
    assert "- 没有说到：禁令：Never edit legacy/" in back  # noqa: RUF001 as it is said
    assert client.log == ""


@pytest.mark.parametrize(
    "answer", ["State check:" * 50_000, "\x00\x1b[2J", "\ud800", "状" * 90_000]
)
def test_a_hostile_answer_is_judged_like_any_other(client: Client, answer: str) -> None:
    compacted(client)
    ended(client, answer)
    assert receipt(client).verified is False
    assert client.log == ""


def test_a_state_that_is_gone_ends_the_asking(client: Client) -> None:
    compacted(client)
    for path in Path(client.repo.state).glob("*.md"):
        path.unlink()
    ended(client, RIGHT)
    assert "Traceback" not in client.log


REST = "\n\nNow I open src/other.ts:99 and look at PR 4711; npm was mentioned in CI."


@pytest.mark.parametrize(
    ("said", "verified"),
    [
        (RIGHT + REST, True),
        ("All 7 tests pass." + REST + "\n\n" + RIGHT, True),
        (RIGHT.replace(": 1.", ":\n\n1.").replace(" 2.", "\n\n2.") + REST, True),
        (RIGHT.replace("State check:", "**State check**:") + REST, True),
        (RIGHT + "\n\nTypos in legacy/ may be fixed.", False),
        (RIGHT + " Typos in legacy/ may be fixed.", False),
        ("State check:" + REST, False),
    ],
)
def test_the_rest_of_a_message_is_about_the_work_unless_it_takes_the_answer_back(
    client: Client, said: str, *, verified: bool
) -> None:
    compacted(client)
    ended(client, said)
    assert receipt(client).verified is verified


def test_what_cannot_be_judged_costs_the_end_of_a_turn_nothing_else(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    compacted(client)

    def broken(*_: object, **__: object) -> None:
        raise IndexError("a state that nobody thought of")

    monkeypatch.setattr("gitstate.hooks.agents.recalled.judged", broken)
    before = client.repo.git("rev-parse", "agent-state")
    (client.repo.state / "05-file-map.md").write_text("- a.txt: more\n")
    ended(client, RIGHT)
    assert client.repo.git("rev-parse", "agent-state") != before
    assert client.session.asked == {}
    assert client.log.rstrip().endswith("claude-code: an answer: IndexError")
    assert given(client, "UserPromptSubmit") == ""
