"""After a restore each open session is told what no longer holds, once, whatever happens."""

# ruff: noqa: RUF001 as it is written

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from gitstate import lock
from gitstate.history import restore as restoring
from gitstate.history.put_back import newest, note
from gitstate.hooks.agents import sessions
from gitstate.hooks.agents.names import name_of
from gitstate.workspace import Workspace
from tests.hooks.agents.places import Client, ready
from tests.support import gitstate

if TYPE_CHECKING:
    from tests.support import Repo

START = ("SessionStart", "SessionStart-startup")
COMPACT = ("SessionStart", "SessionStart-compact")
HELD = "put back to v2: what was learned in v3–v4 no longer holds"
BEGIN = "[gitstate briefing "


class Killed(BaseException):
    """Nothing of ours handles it, as nothing is run after SIGKILL."""


@pytest.fixture
def client(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Client:
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    repo.git("config", "gitstate.probe", "off")
    client = Client(ready(repo), capsys, monkeypatch)
    client.tell(*START)
    client.tell("UserPromptSubmit")
    gitstate("task", "next", "Open c.txt", cwd=repo.path)
    return client


def restore(client: Client, *words: str) -> None:
    gitstate("restore", *words, cwd=client.repo.path)


def test_the_next_chance_is_a_tool_use_too(client: Client) -> None:
    restore(client, "v2")
    assert HELD in client.context("PostToolUse", "PostToolUse-Read")
    assert client.context("UserPromptSubmit") == ""
    assert client.session.track.pending == ""
    restore(client, "v2")  # changes nothing
    assert client.context("UserPromptSubmit") == ""


def test_a_session_that_begins_later_knows_only_what_is_there(client: Client) -> None:
    restore(client, "v2")
    client.common = {"session_id": "new"}
    assert "put back" not in client.context(*START)
    assert "put back" not in client.context(*COMPACT)


@pytest.mark.parametrize("finished", [True, False])
def test_a_restore_that_was_killed(
    client: Client, monkeypatch: pytest.MonkeyPatch, *, finished: bool
) -> None:
    ws = Workspace.open(client.repo.path)

    def die(*_: object) -> NoReturn:
        raise Killed

    with monkeypatch.context() as patch:
        if not finished:  # its files are exchanged, and it has its version
            patch.setattr(restoring, "close_journal", die)
        try:
            restoring.restore(ws, "v2")
        except Killed:
            gitstate("snapshot", cwd=client.repo.path)  # whoever comes next ends it
    # nobody told the sessions
    assert HELD in client.context("UserPromptSubmit")
    assert client.context("UserPromptSubmit") == ""


def test_a_compaction_before_it_was_told_tells_both(client: Client) -> None:
    restore(client, "v2", "02-current-task.md")
    said = client.context(*COMPACT)
    assert "Your context was compacted" in said
    assert "Of the state, 02-current-task.md was put back to v2" in said
    assert "State check:" in said
    assert client.context("UserPromptSubmit") == ""


def test_a_briefing_that_did_not_arrive_says_it_again(
    client: Client, tmp_path: Path
) -> None:
    transcript = tmp_path / "t.jsonl"
    transcript.write_text("{}\n")
    client.common = {"transcript_path": str(transcript)}
    restore(client, "v2")
    assert HELD in client.context("UserPromptSubmit")
    client.tell("Stop")
    said = client.context("UserPromptSubmit")
    assert "An earlier briefing did not reach you" in said
    assert HELD in said


def test_it_is_told_to_whoever_goes_on_whenever_that_is(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    for name, ago in (("idle", 3 * 86_400), ("busy", 9), ("held", 5), ("live", 0)):
        with monkeypatch.context() as patch:
            patch.setattr(time, "time", lambda ago=ago: now - ago)
            client.common = {"session_id": name}
            client.tell(*START)
            client.tell("UserPromptSubmit")
    held = sessions.folder(client.place) / f"{name_of(client.agent, 'held')}.lock"
    monkeypatch.setattr(sessions, "_WAIT_S", 0.0)
    ws = Workspace.open(client.repo.path)
    files = ["02-current-task.md", "a\nb.md", *(f"{n}.md" for n in range(9))]
    note(ws, {"mark": "m", "from": 2, "last": 4, "files": files})
    with lock.held(held, verb="agent", wait_s=0):
        assert sessions.tell_all(client.place) == 4
    # only who is to be told is kept waiting
    waiting = {path.name for path in (Path(client.place.agents) / "waiting").iterdir()}
    ours = "00000000-0000-4000-8000-000000000001"
    assert waiting == {name_of(client.agent, name) for name in ("busy", "live", ours)}
    for name in ("idle", "busy", "live", "held"):
        client.common = {"session_id": name}
        said = client.context("UserPromptSubmit")
        assert (
            "Of the state, 02-current-task.md, a\\nb.md, 0.md, 1.md, 2.md, +6 was"
            in said
        )
        assert "Your context was compacted" not in said
        assert BEGIN not in client.context("UserPromptSubmit")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"mark": 1}',
        '{"mark": "m", "from": "2", "last": 4, "files": []}',
    ],
)
def test_a_note_that_is_damaged_stops_nobody(client: Client, text: str) -> None:
    (Path(client.place.runtime) / "restored").write_text(text)
    assert newest(client.place.runtime) is None
    assert client.context("UserPromptSubmit") == ""
    assert client.log == ""
