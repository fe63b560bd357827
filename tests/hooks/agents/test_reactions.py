"""What is said at each event of a session, by the recorded events of real clients."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gitstate import clock
from gitstate.hooks.agents import recalled, sessions
from tests.hooks.agents.places import Client, ready
from tests.support import Repo, gitstate

START = ("SessionStart", "SessionStart-startup")
COMPACT = ("SessionStart", "SessionStart-compact")
IDS = re.compile(r"\[gitstate briefing ([0-9a-f]{8})\]")


@pytest.fixture
def client(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Client:
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    return Client(ready(repo), capsys, monkeypatch)


def edit(client: Client, name: str = "a.txt") -> str:
    path = client.repo.path / name
    path.write_text(path.read_text() + "more\n" if path.exists() else "new\n")
    return client.context(
        "PostToolUse", "PostToolUse-Edit", tool_input={"file_path": str(path)}
    )


def test_a_session_begins_with_the_state(client: Client) -> None:
    said = client.context(*START)
    (id_,) = IDS.findall(said)
    assert said.endswith(f"[end of gitstate briefing {id_}]")
    for part in ("Fix a.txt", "Never call npm", "Open a.txt"):
        assert part in said
    assert len(said) <= 9_990
    assert client.context("UserPromptSubmit") == ""
    assert client.session.track.turns == 1


def test_one_compaction_gives_one_briefing(client: Client) -> None:
    client.tell(*START)
    client.tell("UserPromptSubmit")
    parsed = client.repo.path / ".git" / "gitstate" / "parsed"
    parsed.unlink()
    template = client.tell("PreCompact")
    assert parsed.is_file()  # so that the briefing that follows need not
    assert "gitstate brief" in template
    assert not template.startswith("{")
    assert IDS.search(client.context(*COMPACT))
    assert client.tell("PostCompact") == ""
    assert client.tell(*COMPACT) == ""
    assert client.context("UserPromptSubmit") == ""
    assert client.session.track.compactions == 1


def test_a_compaction_that_failed_gives_none(client: Client) -> None:
    client.tell(*START)
    client.tell("PreCompact")
    assert client.context("UserPromptSubmit") == ""
    assert client.session.track.compactions == 0


def test_where_only_the_hook_after_it_tells_the_next_chance_is_used(
    client: Client,
) -> None:
    client.tell(*START)
    client.tell("UserPromptSubmit")
    client.tell("PostCompact")
    assert IDS.search(client.context("PostToolUse", "PostToolUse-Read"))
    assert client.context("PostToolUse", "PostToolUse-Read") == ""
    client.tell("PreCompact")
    client.tell("PostCompact")
    assert IDS.search(client.context("UserPromptSubmit"))


def test_the_transcript_alone_tells_of_a_compaction(
    client: Client, tmp_path: Path
) -> None:
    transcript = tmp_path / "t.jsonl"
    transcript.write_text("{}\n")
    client.common = {"transcript_path": str(transcript)}
    client.tell(*START)
    client.tell("UserPromptSubmit")
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "u1"}
    with transcript.open("a") as file:
        file.write(json.dumps(boundary) + "\n" + json.dumps(boundary) + '\n{"half')
    assert IDS.search(client.context("UserPromptSubmit"))
    assert client.session.track.compactions == 1


@pytest.mark.parametrize("before", [["PreCompact"], []])
def test_two_compactions_in_one_turn_give_one_briefing_each(
    client: Client, tmp_path: Path, before: list[str]
) -> None:
    transcript = tmp_path / "t.jsonl"
    transcript.write_text("{}\n")
    client.common = {"transcript_path": str(transcript), "session_id": "s"}
    client.tell(*START)
    client.tell("UserPromptSubmit")
    for name in ("one", "two"):
        for event in before:
            client.tell(event)
        boundary = {"type": "system", "subtype": "compact_boundary", "uuid": name}
        said = client.context(*COMPACT)
        assert IDS.search(said)
        found = {"type": "hook_additional_context", "content": [said]}
        with transcript.open("a") as file:
            for row in (boundary, {"type": "attachment", "attachment": found}):
                file.write(json.dumps(row) + "\n")
        assert client.tell("PostCompact") == ""
        assert client.tell(*COMPACT) == ""
        edit(client)
    client.tell("Stop")
    assert client.session.track.compactions == 2
    assert not IDS.search(client.context("UserPromptSubmit"))


@pytest.mark.parametrize("event", [COMPACT, ("SessionStart", "SessionStart-resume")])
def test_a_briefing_that_could_not_be_made_waits(
    client: Client, event: tuple[str, str]
) -> None:
    client.common = {"session_id": "s"}
    client.tell(*START)
    client.tell("UserPromptSubmit")

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with client.monkeypatch.context() as patch:
        patch.setattr(recalled, "briefing", killed)
        with pytest.raises(KeyboardInterrupt):
            client.tell(*event)
    said = client.context("PostToolUse", "PostToolUse-Read")
    assert len(IDS.findall(said)) == 1
    assert client.tell("PostToolUse", "PostToolUse-Read") == ""
    assert client.context("UserPromptSubmit") == ""


@pytest.mark.parametrize("source", ["restore", " ", "restore a b", "\ud800", "x" * 99])
def test_whatever_a_start_is_called_it_is_one(client: Client, source: str) -> None:
    said = client.context(*START, source=source)
    assert IDS.search(said)
    assert "The state of the work in this repository" in said
    assert client.log == ""


@pytest.mark.parametrize(
    "damage",
    [
        {"edits": [None], "failed": {"a": None}, "later": [[1]], "undone": [5]},
        {"track": {"pending": "restore"}, "asked": {"nth": "x"}, "told": 5},
        {"track": {"pending": "restore x y", "owed": [None], "compacted_at": ["x"]}},
        {"track": {"pending": " "}, "noted": {"before": "x", "probed": []}},
        {"track": {"pending": "again"}, "asked": {"nth": "x"}, "blobs": {"a": [5]}},
        {"receipts": [None]},
        {"receipts": 5, "track": []},
        [],
    ],
)
def test_a_damaged_record_of_a_session_stops_nobody(
    client: Client, damage: object
) -> None:
    client.common = {"session_id": "s"}
    client.tell(*START)
    client.tell("UserPromptSubmit")
    edit(client)
    client.tell("Stop")
    (path,) = sessions.folder(client.place).glob("*.json")
    whole = json.loads(path.read_text())
    if isinstance(damage, dict):
        track = damage.get("track", {})
        whole |= damage
        if isinstance(track, dict):
            whole["track"] = {"turns": 3, **track}
    path.write_text(json.dumps(whole if isinstance(damage, dict) else damage))
    for event in (("UserPromptSubmit", ""), ("PreCompact", ""), COMPACT, ("Stop", "")):
        said = client.tell(*event)
        assert bool(IDS.search(said)) or event != COMPACT
    assert client.log == ""


def with_window(client: Client, tmp_path: Path) -> Path:
    """A session that began with an empty transcript, and a window of 100,000 tokens."""
    transcript = tmp_path / "t.jsonl"
    transcript.write_text("")
    client.common = {"transcript_path": str(transcript)}
    client.repo.git("config", "gitstate.contextWindow", "100000")
    client.tell(*START)
    return transcript


def test_numbers_that_cannot_be_are_none(client: Client, tmp_path: Path) -> None:
    transcript = with_window(client, tmp_path)
    for tokens in (10**400, -5, 10**18, True):
        with transcript.open("a") as file:
            usage = {"usage": {"input_tokens": tokens}}
            file.write(json.dumps({"type": "assistant", "message": usage}) + "\n")
        client.tell("UserPromptSubmit")
        client.tell("Stop")
    assert client.log == ""
    assert client.session.track.tokens == 0


def test_two_close_compactions_are_told_with_the_sizes(client: Client) -> None:
    client.tell(*START)
    for _ in range(2):
        client.tell("UserPromptSubmit")
        client.tell("PreCompact")
        said = client.context(*COMPACT)
    assert "twice within 5 turns" in said
    assert "02-current-task.md" in said


def test_the_end_of_a_turn_is_blocked_once_and_lets_go(client: Client) -> None:
    client.tell(*START)
    client.tell("UserPromptSubmit")
    assert client.tell("Stop") == ""
    edit(client)
    said = json.loads(client.tell("Stop"))
    assert said["decision"] == "block"
    assert "(a.txt)" in said["reason"]
    edit(client)
    assert client.tell("Stop") == ""  # never twice in a row, whatever the client says
    client.tell("UserPromptSubmit")
    assert client.tell("Stop") == ""  # nothing changed since
    edit(client)
    assert json.loads(client.tell("Stop"))["decision"] == "block"


def test_no_name_of_a_file_ends_the_line_in_which_it_is_told(client: Client) -> None:
    name = "a\n\n## Order\u2028\x1b[2J\u202e.txt"
    path = client.repo.path / name
    path.write_text("x\n")
    client.tell(*START)
    client.tell("UserPromptSubmit")
    words = {"file_path": str(path)}
    client.tell("PostToolUse", "PostToolUse-Edit", tool_input=words)
    reason = json.loads(client.tell("Stop"))["reason"]
    assert reason.isprintable()
    assert "(a\\n\\n## Order\\xe2\\x80\\xa8" in reason


@pytest.mark.parametrize("why", ["written", "off", "exempt", "compaction", "client"])
def test_it_is_not_blocked(client: Client, why: str) -> None:
    client.tell(*START)
    client.tell("UserPromptSubmit")
    edit(client)
    if why == "written":
        gitstate("task", "next", "Open b.txt", cwd=client.repo.path)
    elif why == "off":
        client.repo.git("config", "gitstate.gate", "off")
    elif why == "exempt":
        client.repo.git("config", "gitstate.gateExempt", "*.txt")
    elif why == "compaction":
        client.tell("PreCompact")
    assert client.tell("Stop", stop_hook_active=why == "client") == ""


def test_the_end_of_a_turn_makes_a_version(client: Client) -> None:
    client.tell(*START)
    client.tell("UserPromptSubmit")
    before = client.repo.git("rev-parse", "agent-state")
    path = client.repo.state / "02-current-task.md"
    path.write_text(path.read_text().replace("Open a.txt", "Open b.txt"))
    client.tell("Stop")
    assert client.repo.git("rev-parse", "agent-state^") == before
    assert "Open b.txt" in client.repo.git(
        "show", "agent-state:.agent-state/02-current-task.md"
    )


def test_what_was_used_is_logged_with_its_blob(client: Client) -> None:
    client.tell(*START)
    client.tell("UserPromptSubmit")
    read = {"file_path": str(client.repo.path / "a.txt")}
    client.tell("PostToolUse", "PostToolUse-Read", tool_input=read)
    edit(client)
    shell = {"command": "sed -n 1,2p code.txt && echo x >> b.txt"}
    (client.repo.path / "b.txt").write_text("x\n")
    client.tell("PostToolUse", "PostToolUse-Bash", tool_input=shell)
    outside = {"file_path": "/etc/hostname"}
    client.tell("PostToolUse", "PostToolUse-Read", tool_input=outside)
    client.tell("Stop")
    blobs = [client.repo.git("hash-object", name)[:12] for name in ("a.txt", "b.txt")]
    assert client.operations == [
        "turn",
        "a.txt | read",
        f"a.txt | edit {blobs[0]}",
        "code.txt | read",
        f"b.txt | edit {blobs[1]}",
    ]


def test_reminders_that_wait_are_said_once(client: Client) -> None:
    runtime = Path(client.place.runtime)
    row = {
        "text": "the task file is old",
        "since": clock.epoch_now(),
        "standstill": "1",
    }
    (runtime / "reminders").write_text(json.dumps({"freshness": row}))
    client.tell(*START)
    assert "the task file is old" in client.context("UserPromptSubmit")
    assert client.context("UserPromptSubmit") == ""


def test_what_no_transcript_can_show_is_not_known(
    client: Client, tmp_path: Path
) -> None:
    path = tmp_path / "t.jsonl"
    client.common = {"session_id": "s", "transcript_path": str(path)}
    for event in (START, ("UserPromptSubmit", ""), ("Stop", "")):
        client.tell(*event)
    assert client.context("UserPromptSubmit") == ""
    (found,) = client.session.receipts
    assert found.received is None
    path.write_text("{}\n")  # now it could, and does not
    client.tell("Stop")
    assert "did not reach you" in client.context("UserPromptSubmit")


def test_every_few_turns_what_was_not_written_is_asked_for(client: Client) -> None:
    client.common = {"session_id": "s", "transcript_path": ""}
    client.repo.git("config", "gitstate.refreshTurns", "3")
    client.repo.git("config", "gitstate.probe", "off")
    client.tell(*START)
    asked = []
    for turn in range(1, 10):
        said = client.context("UserPromptSubmit")
        if "of the state have not changed" in said:
            asked.append((turn, said))
        if turn <= 6:  # then nothing is done any more
            edit(client)
            if turn == 5:
                gitstate("task", "next", "Open b.txt", cwd=client.repo.path)
        client.tell("Stop")
        client.tell("Stop")  # the one before was stopped
    assert [turn for turn, _ in asked] == [3, 6, 9]
    first, second, third = (said for _, said in asked)
    for said in (first, second, third):
        assert "in the last 3 turns work was logged (a.txt)" in said
        assert "04-decision-log.md (`gitstate decide`)" in said
    assert "02-current-task.md (`gitstate task done / task next`)" in first
    assert "02-current-task.md" not in second  # written in turn 5
    assert "02-current-task.md" in third
    client.tell("UserPromptSubmit")
    for _ in range(3):
        assert client.context("UserPromptSubmit") == ""


def test_a_full_window_is_warned_of_once(client: Client, tmp_path: Path) -> None:
    transcript = with_window(client, tmp_path)
    usage = {
        "input_tokens": 70_000,
        "cache_read_input_tokens": 9_000,
        "output_tokens": 1_000,
    }
    with transcript.open("a") as file:
        file.write(
            json.dumps({"type": "assistant", "message": {"usage": usage}}) + "\n"
        )
    assert "80 % of the context window" in client.context("UserPromptSubmit")
    assert client.context("UserPromptSubmit") == ""


def test_a_command_that_fails_twice_is_told_at_the_next_turn(client: Client) -> None:
    client.tell(*START)
    for _ in range(2):
        shell = {"command": "pnpm test"}
        client.tell("PostToolUseFailure", "PostToolUse-Bash", tool_input=shell)
    assert "failed 2 times in a row" in client.context("UserPromptSubmit")


def test_sessions_keep_to_themselves(client: Client) -> None:
    client.tell(*START)
    client.tell("UserPromptSubmit")
    edit(client)
    client.common = {"session_id": "another"}
    client.tell(*START)
    client.tell("UserPromptSubmit")
    assert client.tell("Stop") == ""
    client.common = {}
    assert "block" in client.tell("Stop")


def test_subagents_are_logged_and_told_nothing(client: Client) -> None:
    client.tell(*START)
    client.tell("UserPromptSubmit")
    client.tell("PostCompact")
    client.common = {"agent_id": "sub"}
    assert edit(client) == ""
    assert client.tell("Stop") == ""
    assert any(line.startswith("a.txt | edit") for line in client.operations)


@pytest.mark.parametrize("state", ["empty", "gone", "binary"])
def test_a_state_that_is_half_broken_stops_nobody(client: Client, state: str) -> None:
    for path in client.repo.state.glob("0*.md"):
        if state == "gone":
            path.unlink()
        else:
            path.write_bytes(b"" if state == "empty" else b"\xff\x00\xfe" * 50)
    for event in (
        START,
        ("UserPromptSubmit", ""),
        ("PreCompact", ""),
        COMPACT,
        ("Stop", ""),
    ):
        client.tell(*event)
    assert client.log.count("\n") <= 5
