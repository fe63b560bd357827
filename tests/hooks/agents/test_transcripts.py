"""What the transcripts of real clients say, recorded as the hooks' inputs; and broken ones."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitstate.hooks.agents import adapters, transcript
from gitstate.hooks.agents.sessions import Session
from tests.hooks.agents.places import INPUTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitstate.hooks.agents.adapter import Adapter
    from gitstate.hooks.agents.events import Fact

WHOLE = re.compile(
    r"\[gitstate briefing (\w{8})\]\n.*\[end of gitstate briefing \1\]", re.DOTALL
)
# of each client: what happened, in order; most tokens in use, and the window
HAPPENED: dict[str, tuple[Sequence[str], int, int]] = {
    "claude-code": (
        ["briefing", "compacted", "briefing", "briefing", "briefing"],
        920,
        0,
    ),
    "codex": (
        [
            "briefing", "ran cat README.md", "failed exit 3", "create src/new.ts",
            "briefing", "ran cat README.md", "compacted", "briefing",
        ],
        98_020,
        95_000,
    ),
    "gemini-cli": (["briefing", "briefing", "compacted", "briefing"], 60_020, 0),
    "qwen-code": (["briefing", "briefing", "compacted"], 172_000, 0),
    "opencode": (["briefing", "briefing", "briefing"], 0, 0),
    "copilot-cli": (["briefing", "briefing", "compacted"], 58_000, 60_000),
}  # fmt: skip


def adapter_of(agent: str) -> Adapter:
    found = adapters.get(agent)
    assert found is not None
    return found


def session_of(agent: str, path: Path) -> Session:
    return Session(agent=agent, session="s", transcript=str(path))


def data_of(agent: str) -> bytes:
    return (INPUTS / agent / "transcript.jsonl").read_bytes()


def happened(facts: list[Fact]) -> list[str]:
    """What a transcript says, in words; a compaction that is told twice once."""
    said, known = [], set()
    for fact in facts:
        if fact.compacted and fact.compacted not in known:
            known.add(fact.compacted)
            said.append("compacted")
        if WHOLE.search(fact.context):
            said.append("briefing")
        if fact.command:
            said.append(f"{'failed' if fact.failed else 'ran'} {fact.command}")
        said += [" ".join(one) for one in fact.uses]
    return said


@pytest.mark.parametrize("agent", HAPPENED)
def test_what_real_ones_say(agent: str, tmp_path: Path) -> None:
    adapter = adapter_of(agent)
    session = session_of(agent, INPUTS / agent / "transcript.jsonl")
    facts = list(transcript.read(adapter, session))
    what, tokens, window = HAPPENED[agent]
    assert happened(facts) == what
    assert max(fact.tokens for fact in facts) == tokens
    assert max(fact.window for fact in facts) == window
    assert list(transcript.read(adapter, session)) == []  # each line once
    assert session.offset == len(data_of(agent))
    text = data_of(agent).decode()
    assert not re.search(r"/(tmp|root|home|Users)/(?!project)", text)
    # as it grows, line by line and with half lines, the same is said
    path, grown, again = tmp_path / "t.jsonl", b"", []
    path.write_bytes(b"")
    session = session_of(agent, path)
    session.offset = 0
    for line in data_of(agent).splitlines(keepends=True):
        for part in (line[: len(line) // 2], line[len(line) // 2 :]):
            grown += part
            path.write_bytes(grown)
            again += list(transcript.read(adapter, session))
    assert happened(again) == what


@pytest.mark.parametrize("agent", HAPPENED)
def test_none_that_is_missing_cut_or_no_file(agent: str, tmp_path: Path) -> None:
    adapter, data = adapter_of(agent), data_of(agent)
    path = tmp_path / "t.jsonl"
    for odd in ("", "\0", "\ud800", str(tmp_path), str(path), "/dev/null/x"):
        assert (
            list(
                transcript.read(
                    adapter, Session(agent=agent, session="s", transcript=odd)
                )
            )
            == []
        )
    noise = session_of(agent, Path("/dev/urandom"))  # which has no end
    assert list(transcript.read(adapter, noise)) == []
    os.mkfifo(tmp_path / "fifo")
    assert list(transcript.read(adapter, session_of(agent, tmp_path / "fifo"))) == []
    # cut since it was read: what it holds was said already
    path.write_bytes(data)
    session = session_of(agent, path)
    assert list(transcript.read(adapter, session))
    path.write_bytes(data[: len(data) // 2])
    assert list(transcript.read(adapter, session)) == []
    path.write_bytes(data)
    list(transcript.read(adapter, session))
    assert session.offset == len(data)
    # what was overwritten, is no text or too deep is passed over
    lines = data.splitlines(keepends=True)
    for bad in (
        b"{\n",
        b"\xff\xfe\n",
        b"[" * 100_000 + b"\n",
        b"\0" * 5_000 + b"\n",
        b"\n",
    ):
        path.write_bytes(b"".join(line[:-9] + bad + line for line in lines))
        session.offset = 0
        facts = list(transcript.read(adapter, session))
        assert happened(facts) == HAPPENED[agent][0]


def test_millions_of_lines_that_say_nothing_are_passed_over(tmp_path: Path) -> None:
    """Each looked at by itself, they would take minutes: the hook would be killed, each time."""
    path, adapter = tmp_path / "t.jsonl", adapter_of("claude-code")
    said = b'{"type":"system","subtype":"compact_boundary","uuid":"%s"}'
    with path.open("wb") as file:
        file.write(b"\n" * (20 << 20))
        file.write(said % b"one" + b"\r\n{}\n" + said % b"two")
        file.write(b"\n" * (40 << 20))
        file.write(
            b"[" + b" " * (9 << 20) + said % b"in a line that is too long" + b"]\n"
        )
        file.write(said % b"three" + b"\n" + (said % b"half")[:-1])
    session = session_of("claude-code", path)
    session.offset = 0
    facts = list(transcript.read(adapter, session))
    assert [fact.compacted for fact in facts] == ["one", "two", "three"]
    with path.open("ab") as file:
        file.write(b"}\n")
    assert [one.compacted for one in transcript.read(adapter, session)] == ["half"]
    assert session.offset == path.stat().st_size


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda one: (
        st.lists(one, max_size=3)
        | st.dictionaries(st.text(max_size=5), one, max_size=3)
    ),
    max_leaves=5,
)


def places(value: object) -> list[tuple[Any, Any]]:
    """Every place inside a JSON value."""
    found: list[tuple[Any, Any]] = []
    if isinstance(value, dict | list):
        keys = list(value) if isinstance(value, dict) else range(len(value))
        for key in keys:
            found += [(value, key), *places(value[key])]
    return found


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_one_of_another_version_raises_nothing(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    agent = data.draw(st.sampled_from(sorted(HAPPENED)))
    lines = data_of(agent).splitlines()
    row = json.loads(lines[data.draw(st.integers(0, len(lines) - 1))])
    for _ in range(data.draw(st.integers(1, 3))):
        inside, key = data.draw(st.sampled_from(places(row) or [([None], 0)]))
        inside[key] = data.draw(ODD)
    path = tmp_path_factory.getbasetemp() / "odd.jsonl"
    path.write_text(json.dumps(row) + "\n")
    for fact in transcript.read(adapter_of(agent), session_of(agent, path)):
        assert isinstance(fact.tokens, int)
        assert isinstance(fact.compacted, str)
        assert isinstance(fact.context, str)
