"""An edit that was undone: noticed by the file's bytes, told once at the next turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.hooks.agents.places import Client, ready

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo

SAID = (
    "gitstate: an edit was undone ({}). If the approach did not work, write it down: "
    '`gitstate task fail "APPROACH" --reason "WHY"`.'
)


@pytest.fixture
def client(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Client:
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    repo.commit("src/a.ts", "one\n")
    client = Client(ready(repo), capsys, monkeypatch)
    client.common = {"transcript_path": ""}  # nothing is known of receipts
    client.tell("SessionStart", "SessionStart-startup")
    client.tell("UserPromptSubmit")
    return client


def write(client: Client, text: str, name: str = "src/a.ts") -> None:
    """The agent's own tool writes a file."""
    path = client.repo.path / name
    path.write_text(text)
    client.tell("PostToolUse", "PostToolUse-Edit", tool_input={"file_path": str(path)})


def shell(client: Client, command: str, *, by: tuple[str, ...] = ()) -> None:
    """The agent's shell runs a command, which git is run for."""
    if by:
        client.repo.git(*by)
    client.tell("PostToolUse", "PostToolUse-Bash", tool_input={"command": command})


def next_turn(client: Client) -> str:
    client.tell("Stop")
    return client.context("UserPromptSubmit")


def test_written_as_it_was_before(client: Client) -> None:
    write(client, "two\n")
    write(client, "three\n")
    assert "undone" not in next_turn(client)
    write(client, "two\n")
    assert next_turn(client) == SAID.format("src/a.ts")
    assert next_turn(client) == ""
    write(client, "one\n")  # as it was committed, before the first edit
    write(client, "new\n", "b.ts")
    write(client, "newer\n", "b.ts")
    write(client, "new\n", "b.ts")
    assert next_turn(client) == SAID.format("src/a.ts, b.ts")


def test_what_waits_to_be_said_is_said_after_a_briefing(client: Client) -> None:
    write(client, "two\n")
    write(client, "one\n")
    client.tell("PostCompact")
    assert "undone" not in client.context("UserPromptSubmit")  # the briefing
    assert SAID.format("src/a.ts") in next_turn(client)


def test_in_chinese(client: Client) -> None:
    client.repo.git("config", "gitstate.lang", "zh")
    write(client, "two\n")
    write(client, "one\n")
    assert "有改动被撤销了（src/a.ts）" in next_turn(client)  # noqa: RUF001 as it is said
    assert client.log == ""


@pytest.mark.parametrize(
    "words",
    [
        ("checkout", "--", "src/a.ts"),
        ("checkout", "HEAD", "--", "src/a.ts"),
        ("checkout", "."),
        ("restore", "src/a.ts"),
        ("restore", "src"),
        ("stash",),
        ("stash", "push", "-m", "for later"),
        ("reset", "-q", "--hard"),
    ],
)
def test_git_put_it_back(client: Client, words: tuple[str, ...]) -> None:
    write(client, "two\n")
    shell(client, f"git {' '.join(words)}", by=words)
    assert next_turn(client) == SAID.format("src/a.ts")
    blob = client.repo.git("hash-object", "src/a.ts")[:12]
    assert client.operations[-1] == f"src/a.ts | edit {blob}"


def test_a_shells_edit_that_git_put_back_in_the_same_turn(client: Client) -> None:
    shell(client, "sed -i s/one/two/ src/a.ts")
    shell(client, "git checkout src/a.ts")
    assert next_turn(client) == SAID.format("src/a.ts")


def test_an_edit_of_an_earlier_session_is_what_was_before(client: Client) -> None:
    write(client, "two\n")  # never committed
    next_turn(client)
    client.common["session_id"] = "another"
    client.tell("SessionStart", "SessionStart-startup")
    client.tell("UserPromptSubmit")
    write(client, "three\n")
    write(client, "two\n")
    assert next_turn(client) == SAID.format("src/a.ts")


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ("claude-code", "PostToolUse-Edit"),
        ("gemini-cli", "AfterTool-replace"),
        ("qwen-code", "PostToolUse-edit"),
    ],
)
def test_a_file_that_git_does_not_know(client: Client, agent: str, name: str) -> None:
    client.agent = agent
    path = client.repo.path / "new.ts"
    path.write_text("one\n")
    turn, end = {
        "gemini-cli": ("BeforeAgent", "AfterAgent"),
    }.get(agent, ("UserPromptSubmit", "Stop"))
    client.tell(turn)
    for old, new in (("one\n", "two\n"), ("two\n", "one\n")):
        path.write_text(new)
        shown = {"originalContent": old, "newContent": new}
        response = {"originalFile": old, "returnDisplay": shown}
        words = {"file_path": str(path)}
        event = name.partition("-")[0]
        client.tell(event, name, tool_input=words, tool_response=response)
    client.tell(end)
    assert SAID.format("new.ts") in client.context(turn)
    assert client.log == ""


def test_it_is_not_undone(client: Client, tmp_path: Path) -> None:
    write(client, "two\n")
    write(client, "two\n")  # written once more as it is
    client.repo.git("commit", "-qam", "two")
    shell(client, "touch src")  # a folder
    shell(client, "git commit -qam two && git checkout -b next")
    shell(client, "git restore --staged src/a.ts; git stash list; git log")
    shell(client, "git checkout -- README.md /etc/hostname nowhere .git/config")
    client.repo.git("worktree", "add", "-q", str(tmp_path / "other"))
    task = client.repo.state / "02-current-task.md"
    was = task.read_text()
    for text in (f"{was}\n", was, f"{was}\n", was):
        write(client, text, ".agent-state/02-current-task.md")
    assert next_turn(client) == ""
    # nor is another session's edit this one's
    client.common["session_id"] = "another"
    client.tell("SessionStart", "SessionStart-startup")
    client.tell("UserPromptSubmit")
    (client.repo.path / "src/a.ts").write_text("one\n")
    shell(client, "git checkout HEAD~1 -- src/a.ts")
    assert next_turn(client) == ""
    assert client.log == ""


def test_what_is_kept_has_a_bound(client: Client) -> None:
    for at in range(20):
        write(client, f"{at}\n")
    for at in range(230):
        (client.repo.path / f"{at}.txt").write_text(f"{at}\n")
    many = " ".join(f"{at}.txt" for at in range(230))
    shell(client, f"touch {many}")
    client.tell("Stop")
    session = client.session
    assert len(session.blobs) == 200
    write(client, "again\n")
    write(client, "more\n")
    client.tell("Stop")
    assert len(client.session.blobs["src/a.ts"]) <= 8
