"""What real clients told, recorded by ``tests/agents/recording.py``, and the same garbled."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitstate.hooks.agents import adapters, layouts
from tests.hooks.agents.places import INPUTS, Client, ready

if TYPE_CHECKING:
    from gitstate.hooks.agents.adapter import Adapter
    from gitstate.hooks.agents.events import Event
    from tests.support import Repo

ID = "00000000-0000-4000-8000-000000000001"
TASK, NEW = "@ROOT@/.agent-state/02-current-task.md", "@ROOT@/src/new.ts"
CODE = "@ROOT@/src/core/parser.ts"
README = (("read", "@ROOT@/README.md"),)
CAT: dict[str, Any] = {"uses": README, "command": "cat README.md"}
FAILED: dict[str, Any] = {"uses": (), "command": "exit 3", "failed": True}
# a file -> the event: its kind, where a text can be handed over with the answer, the rest
Told = tuple[str, bool, dict[str, Any]]
EXPECTED: dict[str, dict[str, Told]] = {
    "claude-code": {
        "SessionStart-startup": ("SessionStarted", True, {"source": "startup"}),
        "SessionStart-resume": ("SessionStarted", True, {"source": "resume"}),
        "SessionStart-clear": ("SessionStarted", True, {"source": "clear"}),
        "SessionStart-compact": ("Compacted", True, {}),
        "UserPromptSubmit": ("TurnStarted", True, {}),
        "PostToolUse-Read": ("ToolUsed", True, {"uses": (("read", CODE),)}),
        "PostToolUse-Edit": ("ToolUsed", True, {"uses": (("edit", CODE),)}),
        "PostToolUse-Write": ("ToolUsed", True, {"uses": (("edit", NEW),)}),
        "PostToolUse-Bash": ("ToolUsed", True, CAT),
        "PostToolUseFailure-Bash": ("ToolUsed", False, FAILED),
        "PreCompact": ("BeforeCompaction", False, {}),
        "PostCompact": ("Compacted", False, {}),
        "Stop": ("TurnEnded", False, {"said": "done"}),
    },
    "codex": {
        "SessionStart-startup": ("SessionStarted", True, {"source": "startup"}),
        "SessionStart-resume": ("SessionStarted", True, {"source": "resume"}),
        "SessionStart-compact": ("Compacted", True, {}),
        "UserPromptSubmit": ("TurnStarted", True, {}),
        "PostToolUse-Bash": ("ToolUsed", True, {**CAT, "failed": None}),
        "PostToolUse-Bash-failed": ("ToolUsed", True, {**FAILED, "failed": None}),
        "PostToolUse-apply_patch": (
            "ToolUsed",
            True,
            {"uses": (("create", "src/new.ts"),)},
        ),
        "PreCompact": ("BeforeCompaction", False, {}),
        "PostCompact": ("Compacted", False, {}),
        "Stop": ("TurnEnded", False, {"said": "done"}),
    },
    "gemini-cli": {
        "SessionStart-startup": ("SessionStarted", True, {"source": "startup"}),
        "SessionStart-resume": ("SessionStarted", True, {"source": "resume"}),
        "BeforeAgent": ("TurnStarted", True, {}),
        "AfterTool-read_file": ("ToolUsed", True, {"uses": (("read", TASK),)}),
        "AfterTool-replace": ("ToolUsed", True, {"uses": (("edit", TASK),)}),
        "AfterTool-write_file": ("ToolUsed", True, {"uses": (("edit", NEW),)}),
        "AfterTool-run_shell_command": ("ToolUsed", True, CAT),
        "AfterTool-run_shell_command-failed": ("ToolUsed", True, FAILED),
        "PreCompress": ("BeforeCompaction", False, {}),
        "AfterAgent": ("TurnEnded", False, {"said": "done"}),
    },
    "qwen-code": {
        "SessionStart-startup": ("SessionStarted", False, {"source": "startup"}),
        "SessionStart-resume": ("SessionStarted", False, {"source": "resume"}),
        "SessionStart-compact": ("Compacted", False, {}),
        "UserPromptSubmit": ("TurnStarted", True, {}),
        "PostToolUse-read_file": ("ToolUsed", True, {"uses": (("read", TASK),)}),
        "PostToolUse-edit": ("ToolUsed", True, {"uses": (("edit", TASK),)}),
        "PostToolUse-write_file": ("ToolUsed", True, {"uses": (("edit", NEW),)}),
        "PostToolUse-run_shell_command": ("ToolUsed", True, CAT),
        "PostToolUseFailure-run_shell_command": ("ToolUsed", False, FAILED),
        "PreCompact": ("BeforeCompaction", False, {}),
        "PostCompact": ("Compacted", False, {}),
        "Stop": (
            "TurnEnded",
            False,
            {"said": "done", "tokens": 900, "window": 200_000},
        ),
    },
    "opencode": {
        "start": ("SessionStarted", True, {"source": "startup"}),
        "turn": ("TurnStarted", True, {}),
        "tool-read": ("ToolUsed", True, {"uses": (("read", TASK),)}),
        "tool-edit": ("ToolUsed", True, {"uses": (("edit", TASK),)}),
        "tool-write": ("ToolUsed", True, {"uses": (("edit", NEW),)}),
        "tool-bash": ("ToolUsed", True, CAT),
        "tool-bash-failed": ("ToolUsed", True, FAILED),
        "compacting": ("BeforeCompaction", False, {}),
        "compacted": ("Compacted", True, {}),
        "idle": ("TurnEnded", False, {}),
    },
    "copilot-cli": {
        "sessionStart-new": ("SessionStarted", False, {"source": "new"}),
        "sessionStart-resume": ("SessionStarted", False, {"source": "resume"}),
        "userPromptSubmitted": ("TurnStarted", True, {}),
        "postToolUse-view": ("ToolUsed", True, {"uses": (("read", TASK),)}),
        "postToolUse-edit": ("ToolUsed", True, {"uses": (("edit", TASK),)}),
        "postToolUse-create": ("ToolUsed", True, {"uses": (("edit", NEW),)}),
        "postToolUse-bash": ("ToolUsed", True, CAT),
        "postToolUse-bash-failed": ("ToolUsed", True, FAILED),
        "preCompact": ("BeforeCompaction", False, {}),
        "agentStop": ("TurnEnded", False, {}),
    },
}
# where the text before an edit stands in a tool's response
EDITS = {
    ("claude-code", "PostToolUse-Edit"): ("originalFile",),
    ("gemini-cli", "AfterTool-replace"): ("returnDisplay", "originalContent"),
    ("qwen-code", "PostToolUse-edit"): ("returnDisplay", "originalContent"),
}
REST: dict[str, dict[str, Any]] = {
    "ToolUsed": {"command": "", "failed": False, "edited": (), "was": None},
    "TurnEnded": {"said": "", "blocked": False, "tokens": 0, "window": 0},
}
ALL = [(agent, name) for agent, each in EXPECTED.items() for name in each]


def adapter_of(agent: str) -> Adapter:
    found = adapters.get(agent)
    assert found is not None
    return type(found)()  # as each hook has it: another test's remembers what it told


def event_of(name: str) -> str:
    return name.partition("-")[0]


def text_of(agent: str, name: str) -> str:
    return (INPUTS / agent / f"{name}.json").read_text("utf-8")


def shown(event: Event) -> dict[str, Any]:
    """All that an event says, and of what kind it is."""
    names = {
        name for kind in type(event).__mro__ for name in getattr(kind, "__slots__", ())
    }
    return {"kind": type(event).__name__} | {one: getattr(event, one) for one in names}


@pytest.mark.parametrize(("agent", "name"), ALL)
def test_what_was_told_is_translated_whole(agent: str, name: str) -> None:
    wire = json.loads(text_of(agent, name))
    event = adapter_of(agent).event(event_of(name), wire)
    assert event is not None
    kind, carries, more = EXPECTED[agent][name]
    session = wire.get("session_id", wire.get("sessionId", wire.get("session")))
    assert re.fullmatch(r"(ses_0{10}|0{8}-0000-4000-8000-0{10})\d\d", session)
    prompt = {"prompt": wire["prompt"]} if kind == "TurnStarted" else {}
    expected = {"kind": kind, "session": session, "cwd": "@ROOT@", "main": True}
    expected |= {"carries": carries, **REST.get(kind, {}), **prompt, **more}
    if (agent, name) in EDITS:  # the whole text before it
        was: Any = wire["tool_response"]
        for key in EDITS[agent, name]:
            was = was[key]
        assert len(was) > 1_000
        expected["was"] = was
    said = shown(event)
    transcript = said.pop("transcript")
    assert said == expected
    told = wire.get("transcript_path", wire.get("transcriptPath"))
    if told is not None:
        assert transcript == told
    elif agent == "copilot-cli":  # its folder of events is named by the session's id
        assert transcript.endswith(f"/.copilot/session-state/{ID}/events.jsonl")
    else:
        assert transcript == ""  # no worktree is there


def test_every_event_that_is_registered_was_recorded() -> None:
    for agent in adapters.NAMES:
        layout = layouts.of(agent)
        events = {way[1] for _, way, _ in layout.entries if way[0] == "hooks"}
        for text in layout.files.values():
            if agent == "copilot-cli":
                events |= set(json.loads(text)["hooks"])
            elif agent == "opencode":
                events |= set(re.findall(r'tell\(cwd, "(\w+)"', text))
        assert events
        assert {event_of(name) for name in EXPECTED[agent]} == events
        names = {path.stem for path in (INPUTS / agent).glob("*.json")}
        assert names == set(EXPECTED[agent])
        for name in names:  # and nothing of the machine where it was recorded is in it
            assert not re.search(
                r"/(tmp|root|home|Users)/(?!project)", text_of(agent, name)
            )


@pytest.fixture
def client(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Client:
    for agent in adapters.NAMES:
        monkeypatch.delenv(adapter_of(agent).project or "-", raising=False)
    return Client(ready(repo), capsys, monkeypatch)


def garbled(agent: str, name: str) -> list[bytes]:
    """What no client tells: cut, of wrong types, with NUL bytes, not UTF-8, too deep."""
    data = text_of(agent, name).encode()
    wire = json.loads(data)
    deep = b"[" * 100_000
    wrong: tuple[object, ...] = ([5], None, 5, {})
    return [
        b"",
        *(data[: len(data) * part // 4] for part in (1, 2, 3)),
        data.rstrip()[:-1],
        *(json.dumps(dict.fromkeys(wire, bad)).encode() for bad in wrong),
        *(json.dumps(bad).encode() for bad in ([wire], "text", 5, None)),
        data.replace(b"{", b"{\0", 1),
        data + b"\0",
        data.replace(b'"', b'"\xff\xfe', 1),
        b'{"a": ' + deep,
        data[:-2] + b', "more": ' + deep,
    ]


@pytest.mark.parametrize("agent", adapters.NAMES)
def test_what_is_garbled_says_nothing_and_is_a_line_in_the_log(
    client: Client, agent: str
) -> None:
    client.agent = agent
    for name in EXPECTED[agent]:
        event = event_of(name)
        cases = [(event, data) for data in garbled(agent, name)]
        cases.append(("Unheard", text_of(agent, name).encode()))
        for told, data in cases:
            before = client.log
            assert client.say(told, data) == "", data[:300]
            line = client.log.removeprefix(before)
            assert re.fullmatch(rf"\S+ {agent} {told}: \w+Error[^\n]*\n", line), data[
                :300
            ]
            assert "Traceback" not in line
    assert not (Path(client.place.agents) / "sessions").exists()


def test_more_than_is_read_is_refused(client: Client) -> None:
    wire = {"session_id": "s", "prompt": "x" * (64 << 20)}
    assert client.say("UserPromptSubmit", json.dumps(wire).encode()) == ""
    assert client.log.endswith("ValueError: more than 64 MiB were told\n")


@pytest.mark.parametrize("agent", adapters.NAMES)
def test_huge_events_are_answered(client: Client, agent: str) -> None:
    client.agent = agent
    adapter = adapter_of(agent)
    (name,) = (one for one in EXPECTED[agent] if event_of(one) == adapter.turn)
    wire = json.loads(text_of(agent, name).replace("@ROOT@", str(client.repo.path)))
    wire |= {"prompt": "long " * 500_000, "unknown": {"deep": [1] * 100_000}}
    out = client.say(adapter.turn, json.dumps(wire).encode())
    assert "Fix a.txt" in json.dumps(json.loads(out))
    assert client.log == ""


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text()
    | st.sampled_from(["a\0b", "\ud800", "/", "..", "\udcff", "cat a\0b", "rm '\ud800'"]),
    lambda one: st.lists(one, max_size=3) | st.dictionaries(st.text(), one, max_size=3),
    max_leaves=6,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_value_in_any_place_of_an_event(data: st.DataObject) -> None:
    agent, name = data.draw(st.sampled_from(ALL))
    wire = json.loads(text_of(agent, name))
    places = [(wire, key) for key in wire]
    places += [
        (inner, key)
        for inner in wire.values()
        if isinstance(inner, dict)
        for key in inner
    ]
    for _ in range(data.draw(st.integers(1, 3))):
        row, key = data.draw(st.sampled_from(places))
        row[key] = data.draw(ODD)
    event = adapter_of(agent).event(event_of(name), wire)
    if event is not None:
        assert isinstance(event.session, str)
        assert isinstance(event.cwd, str)
        assert isinstance(event.transcript, str)


@pytest.mark.parametrize("agent", adapters.NAMES)
def test_the_spool_is_logged_whatever_else_is_in_it(client: Client, agent: str) -> None:
    client.agent = agent
    adapter = adapter_of(agent)
    names = [one for one in EXPECTED[agent] if event_of(one) == adapter.tool]
    spool = Path(client.place.agents) / "spool"
    spool.mkdir(parents=True)
    odd = [
        "a\0b",
        "\ud800",
        "new\nline",
        " | ",
        "/etc/passwd",
        "..",
        "",
        ".git/config",
        5,
    ]
    for at, path in enumerate(odd):
        for name in names:
            wire = json.loads(text_of(agent, name))
            for words in wire.values():
                for key in words if isinstance(words, dict) else ():
                    words[key] = path
            told = json.dumps(wire).replace("@ROOT@", str(client.repo.path))
            (spool / f"{agent}.{adapter.tool}.{at}-{name}").write_text(told)
    for at, data in enumerate(garbled(agent, names[0])):
        (spool / f"{agent}.{adapter.tool}.9{at}").write_bytes(data)
    (client.repo.path / "README.md").write_text("# hello\n")
    shell = next(one for one in names if "cat README.md" in text_of(agent, one))
    (ended,) = (one for one in EXPECTED[agent] if event_of(one) == adapter.ended)
    for name in (shell, ended):
        told = text_of(agent, name).replace("@ROOT@", str(client.repo.path))
        client.say(event_of(name), told.encode())
    assert "README.md | read" in client.operations
    assert not any("\0" in line or "passwd" in line for line in client.operations)
    assert client.log == ""
    left = list(spool.iterdir())
    assert len(left) >= len(garbled(agent, names[0]))
    for path in left:  # nobody's: dropped when it is old, with a line
        os.utime(path, (0, 0))
    client.say(event_of(ended), told.encode())
    assert not list(spool.iterdir())
    lines = client.log.splitlines()
    assert len(lines) == len(left)
    said = f"{agent} {adapter.tool}: a tool use that is none"
    assert all(line.endswith(said) for line in lines)
