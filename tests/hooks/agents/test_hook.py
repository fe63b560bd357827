"""The agent goes on: whatever is told, wherever, nothing is printed that is no answer."""

from __future__ import annotations

import io
import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from gitstate.hooks.agents import layouts, reactions
from gitstate.hooks.agents.events import Reply
from tests.hooks.agents.places import Client, process, ready, recorded
from tests.support import Repo, make_repo


@pytest.fixture
def client(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Client:
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    return Client(ready(repo), capsys, monkeypatch)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"session_id": 5}', b'"text"',
        b"[" * 100_000, b'{"session_id": "s", "tool_input": [[1]], "tool_name": {}}',
    ],
)  # fmt: skip
@pytest.mark.parametrize("event", ["SessionStart", "PostToolUse", "Stop", "Nonsense"])
def test_bad_input_says_nothing(client: Client, event: str, data: bytes) -> None:
    if b"session_id" in data and b'"s"' in data and event in {"SessionStart", "Stop"}:
        return  # that is one of an unknown session, and fine
    before = client.log.count("\n")
    assert client.say(event, data) == ""
    assert client.log.count("\n") - before <= 1
    if data in {b"", b"{", b"[]"}:
        assert client.log.count("\n") - before == 1


def test_the_log_does_not_hold_what_was_told(client: Client) -> None:
    client.say("Stop", b'{"secret-word"')
    assert "claude-code Stop: JSONDecodeError" in client.log
    assert "secret-word" not in client.log


def test_outside_a_repository_it_is_silent(tmp_path: Path) -> None:
    data = json.dumps({"session_id": "s", "cwd": str(tmp_path), "source": "startup"})
    for event, told in (("SessionStart", data), ("Stop", "{"), ("PostToolUse", data)):
        done = process("claude-code", event, told.encode(), tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_where_gitstate_is_not_set_up_it_is_silent(repo: Repo) -> None:
    data = json.dumps(recorded("claude-code", "SessionStart-startup", repo)).encode()
    done = process("claude-code", "SessionStart", data, repo.path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (repo.path / ".git" / "gitstate").exists()


def test_an_agent_that_there_is_not(client: Client) -> None:
    client.agent = "nobody"
    assert client.say("Stop", b"{}") == ""
    assert "no such agent" in client.log


def test_a_process_of_its_own_answers_as_json(client: Client) -> None:
    told = recorded("claude-code", "SessionStart-startup", client.repo)
    done = process(
        "claude-code", "SessionStart", json.dumps(told).encode(), client.repo.path
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)["hookSpecificOutput"]
    assert said["hookEventName"] == "SessionStart"
    assert "Never call npm" in said["additionalContext"]


def test_what_is_said_is_utf_8_whatever_is_in_it(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = Reply(context="使用\udcff", instructions="使用\ud800")
    monkeypatch.setattr(reactions, "react", lambda *_: odd)
    assert client.context("SessionStart", "SessionStart-startup") == "使用?"
    out = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", out)
    client.tell("PreCompact")
    assert out.buffer.getvalue() == "使用?".encode()
    assert client.log == ""


SLOW = {"apscheduler", "click", "detect_secrets", "jsonschema", "mcp", "pygit2"}


@pytest.mark.parametrize(
    ("event", "name", "never"),
    [
        ("SessionStart", "SessionStart-startup", SLOW),
        ("SessionStart", "SessionStart-compact", SLOW),
        ("UserPromptSubmit", "UserPromptSubmit", SLOW),
        (
            "PostToolUse",
            "PostToolUse-Edit",
            {*SLOW, "dataclasses", "markdown_it", "pathlib", "site", "subprocess"},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_takes_long_to_load_is_not_loaded(
    client: Client, event: str, name: str, never: set[str]
) -> None:
    (client.repo.path / "hello.py").write_text("")
    told = json.dumps(recorded("claude-code", name, client.repo)).encode()
    done = process("claude-code", event, told, client.repo.path, "-X", "importtime")
    lines = done.stderr.splitlines()
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}
    assert {"json", "gitstate"} <= loaded
    assert loaded & never == set()
    assert bool(done.stdout) == (event != "PostToolUse")
    assert client.log == ""


def test_a_session_of_another_worktree_gets_nothing_and_that_is_said(
    client: Client, tmp_path: Path
) -> None:
    other = ready(make_repo(tmp_path / "other"))
    client.monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(client.repo.path))
    assert (
        client.tell("SessionStart", "SessionStart-startup", cwd=str(other.path)) == ""
    )
    assert "another worktree" in client.log
    assert not (other.path / ".git" / "gitstate" / "agents").exists()


def test_where_a_session_works_decides_whose_state_it_gets(
    client: Client, tmp_path: Path
) -> None:
    root = client.repo.path
    for path in (tmp_path / "linked", root / ".claude" / "worktrees" / "x"):
        client.repo.git("worktree", "add", "-q", str(path))
    for path in (tmp_path / "other", root / "vendor" / "lib"):
        make_repo(path)
    ready(make_repo(root / "set" / "up"))
    (root / "src").mkdir()
    client.monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(root))
    said: list[bool] = []
    for at in (
        "", root, root / "src", root / "gone", root / "vendor" / "lib", tmp_path, "/" + "a/" * 500_000, "a\0b", "\ud800",
        tmp_path / "linked", root / ".claude" / "worktrees" / "x", tmp_path / "other", root / "set" / "up",
    ):  # fmt: skip
        client.common = {"session_id": f"s{len(said)}"}
        said.append(
            client.tell("SessionStart", "SessionStart-startup", cwd=str(at)) != ""
        )
    assert said == [*[True] * 9, *[False] * 4]
    assert client.log.count("it works in another worktree; nothing was said") == 4
    # nor is logged what the shim left of such a session
    inner = root / ".claude" / "worktrees" / "x"
    told = recorded("claude-code", "PostToolUse-Read", client.repo, session_id="s0")
    told |= {"cwd": str(inner), "tool_input": {"file_path": str(inner / "code.txt")}}
    spool = Path(client.place.agents) / "spool"
    spool.mkdir(exist_ok=True)
    (spool / "claude-code.PostToolUse.1").write_text(json.dumps(told))
    client.common = {"session_id": "s0"}
    client.tell("Stop")
    assert not list(spool.iterdir())
    assert client.operations == []


def test_the_shim_leaves_what_it_is_told_in_the_spool(client: Client) -> None:
    told = recorded("claude-code", "PostToolUse-Read", client.repo)
    words = [
        "sh",
        str(layouts.SHIM),
        "/nonexistent/python",
        "claude-code",
        "PostToolUse",
    ]
    inner = client.repo.path / "deep" / "er"
    inner.mkdir(parents=True)
    done = subprocess.run(
        [*words, str(inner)], input=json.dumps(told), capture_output=True, text=True, check=False,
        cwd=client.repo.path,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (left,) = (Path(client.place.agents) / "spool").iterdir()
    assert json.loads(left.read_text()) == told
    assert left.stat().st_mode & 0o077 == 0


def test_the_first_edit_after_a_compaction_gets_a_word_through_a_shell_too(
    client: Client,
) -> None:
    client.common = {"session_id": "s"}
    path = client.repo.path / "a.txt"
    for name, event in (
        ("SessionStart-startup", "SessionStart"),
        ("PostToolUse-Edit", "PostToolUse"),
        ("SessionStart-compact", "SessionStart"),
    ):
        client.tell(event, name, tool_input={"file_path": str(path)})
    words = ["sh", str(layouts.SHIM), sys.executable, "claude-code", "PostToolUse"]

    def use(name: str, command: str) -> str:
        shell = {"session_id": "s", "tool_input": {"command": command}}
        told = recorded("claude-code", name, client.repo, **shell)
        text = json.dumps(told, separators=(",", ":"))
        done = subprocess.run(
            words, input=text, capture_output=True, text=True, check=True, cwd=client.repo.path
        )  # fmt: skip
        assert done.stderr == ""
        return done.stdout

    assert use("PostToolUse-Read", "x") == ""
    assert use("PostToolUse-Bash", "cat a.txt") == ""
    path.write_text("once more\n")
    edit = "sed -i s/hello/once/ a.txt"
    said = json.loads(use("PostToolUse-Bash", edit))["hookSpecificOutput"]
    assert "a.txt was changed in this task already" in said["additionalContext"]
    assert use("PostToolUse-Bash", edit) == ""
    assert not (Path(client.place.agents) / "first").exists()
    client.tell("Stop")
    assert [line.partition(" | ")[0] for line in client.operations] == ["a.txt"] * 3


def test_the_shim_outside_reads_to_the_end_and_is_silent(
    tmp_path: Path, repo: Repo
) -> None:
    words = [
        "sh",
        str(layouts.SHIM),
        "/nonexistent/python",
        "claude-code",
        "PostToolUse",
    ]
    for place in (tmp_path, repo.path):
        done = subprocess.run(
            [*words, str(place)], input="x" * 300_000, capture_output=True, text=True, check=False
        )  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_shim_that_cannot_write_is_silent(client: Client) -> None:
    spool = Path(client.place.agents) / "spool"
    spool.parent.mkdir(exist_ok=True)
    spool.write_text("")
    shim = str(layouts.SHIM)
    words = ["sh", shim, "/nonexistent/python", "claude-code", "PostToolUse"]
    done = subprocess.run(
        words, input="x" * 300_000, capture_output=True, text=True, check=False,
        cwd=client.repo.path,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_process_with_a_number_that_was_there_overwrites_nothing(
    client: Client,
) -> None:
    spool = Path(client.place.agents) / "spool"
    spool.mkdir(parents=True)
    told = recorded("claude-code", "PostToolUse-Read", client.repo)
    files = ["one.txt", "two.txt", "three.txt"]
    for name in files:
        (client.repo.path / name).write_text("x\n")
    paths = [{"file_path": str(client.repo.path / name)} for name in files]
    texts = [json.dumps({**told, "tool_input": words}) for words in paths]
    shim = ["sh", str(layouts.SHIM), "/no/python", "claude-code", "PostToolUse"]
    # what two others left, whose number the shim has now
    line = (
        'printf %s "$1" >"$3/claude-code.PostToolUse.$$"; '
        'printf %s "$2" >"$3/claude-code.PostToolUse.$$.1"; '
        f"shift 3; exec {shlex.join(shim)}"
    )
    script = ["sh", "-c", line, "sh", texts[0], texts[1], str(spool)]
    subprocess.run(script, input=texts[2], text=True, check=True, cwd=client.repo.path)
    client.tell("Stop", session_id=told["session_id"])
    read = [line.partition(" | ")[0] for line in client.operations]
    assert sorted(read) == sorted(files)
    assert client.log == ""


def test_the_shim_finds_a_linked_worktree(client: Client, tmp_path: Path) -> None:
    client.repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = ready(Repo(tmp_path / "linked"))
    words = ["sh", str(layouts.SHIM), "/nonexistent/python", "codex", "PostToolUse"]
    subprocess.run(words, input="{}", text=True, check=True, cwd=linked.path)
    git = Path(linked.git("rev-parse", "--absolute-git-dir"))
    assert len(list((git / "gitstate" / "agents" / "spool").iterdir())) == 1
