"""Hooks that are in and never run: sessions of the client that told us nothing."""

from __future__ import annotations

import json
import os
import re
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from gitstate.commands.doctor_agents import look
from gitstate.hooks.agents import adapters, beside, installer, silence
from gitstate.hooks.agents.events import SessionStarted
from gitstate.workspace import Workspace
from tests.hooks.agents.places import Client, ready

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo

LATER_S = 60.0


@pytest.fixture
def client(
    repo: Repo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Client:
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    return Client(ready(repo), capsys, monkeypatch)


def rollout(home: Path, cwd: Path, session: str, began: float) -> Path:
    moment = datetime.fromtimestamp(began, UTC)
    folder = home / ".codex" / "sessions" / moment.strftime("%Y/%m/%d")
    folder.mkdir(parents=True, exist_ok=True)
    meta = {"id": session, "cwd": str(cwd), "timestamp": moment.isoformat()}
    record = {"timestamp": moment.isoformat(), "type": "session_meta", "payload": meta}
    path = folder / f"rollout-{moment:%Y-%m-%dT%H-%M-%S}-{session}.jsonl"
    path.write_text(json.dumps(record) + '\n{"type": "turn_context"}\n')
    os.utime(path, (began + 1, began + 1))
    return path


def meta(cwd: str) -> bytes:
    payload = {"id": "x", "cwd": cwd, "timestamp": "2099-01-01T00:00:00Z"}
    return json.dumps({"type": "session_meta", "payload": payload}).encode()


def doctor(repo: Repo) -> str:
    checks = look(Workspace.open(repo.path))
    return "\n".join(f"{one.ok} {one.name}: {one.text} -> {one.mend}" for one in checks)


def trust(home: Path, repo: Repo) -> None:
    path = home / ".codex" / "config.toml"
    path.parent.mkdir(exist_ok=True)
    key = f'[hooks.state."{repo.path}/.codex/hooks.json:Stop:0:0"]'
    path.write_text(f'{key}\ntrusted_hash = "of an older text"\n')


def test_a_codex_session_that_ran_no_hook_is_told_of(
    client: Client, home: Path
) -> None:
    repo, began = client.repo, time.time() + LATER_S
    installer.install(Workspace.open(repo.path), "codex")
    trust(home, repo)  # of a text before the last change of the hooks
    assert "ran none of these hooks" not in doctor(repo)
    # one of before, and one in another repository
    rollout(home, repo.path, "old", time.time() - LATER_S)
    rollout(home, home, "elsewhere", began)
    assert "ran none of these hooks" not in doctor(repo)
    rollout(home, repo.path / ".agent-state", "unheard", began)
    said = doctor(repo)
    day = r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}"
    assert re.search(
        f"False codex: its newest session here, of {day}, ran none of these hooks", said
    )
    assert "-> run /hooks in Codex, in this project: are they trusted, and on" in said
    # a later one told us something
    client.agent = "codex"
    rollout(home, repo.path, "heard", began + LATER_S)
    client.tell("SessionStart", "SessionStart-startup", session_id="heard")
    assert "ran none of these hooks" not in doctor(repo)


def test_a_session_of_claude_code_too(client: Client, home: Path) -> None:
    repo, began = client.repo, time.time() + LATER_S
    installer.install(Workspace.open(repo.path), "claude-code")
    folder = home / ".claude" / "projects" / re.sub(r"\W|_", "-", str(repo.path))
    folder.mkdir(parents=True)
    moment = datetime.fromtimestamp(began, UTC).isoformat()
    for name in ("unheard", "agent-side"):
        path = folder / f"{name}.jsonl"
        path.write_text(f'{{"type": "summary"}}\n{{"timestamp": "{moment}"}}\n')
        os.utime(path, (began, began))
    found = silence.newest("claude-code", repo.path, since=time.time())
    assert found is not None
    assert found.session == "unheard"
    assert "ran none of these hooks" in doctor(repo)


def kept_by(agent: str, home: Path, root: Path, session: str, began: float) -> Path:
    """What a client keeps of a session, as real ones do."""
    moment = datetime.fromtimestamp(began, UTC).isoformat()
    rows: list[dict[str, object]] = []
    if agent == "gemini-cli":
        project = home / ".gemini" / "tmp" / f"project-{root.name}"
        path = project / "chats" / f"session-{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        (project / ".project_root").write_text(str(root))
        rows = [{"sessionId": session, "startTime": moment, "kind": "main"}]
    elif agent == "qwen-code":
        path = home / ".qwen" / "projects" / f"-{root.name}" / "chats" / "s.jsonl"
        row = {"sessionId": session, "timestamp": moment, "cwd": str(root)}
        rows = [{**row, "type": "user"}]
    else:
        path = home / ".copilot" / "session-state" / session / "events.jsonl"
        data = {
            "sessionId": session,
            "startTime": moment,
            "context": {"cwd": str(root)},
        }
        rows = [{"type": "session.start", "data": data}, {"type": "user.message"}]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    os.utime(path, (began, began))
    return path


@pytest.mark.parametrize("agent", ["gemini-cli", "qwen-code", "copilot-cli"])
def test_sessions_of_other_clients_too(client: Client, home: Path, agent: str) -> None:
    repo, began = client.repo, time.time() + LATER_S
    installer.install(Workspace.open(repo.path), agent)
    kept_by(agent, home, home, "elsewhere", began)
    kept_by(agent, home, repo.path, "old", time.time() - LATER_S)
    assert "ran none of these hooks" not in doctor(repo)
    path = kept_by(agent, home, repo.path, "unheard", began)
    assert "ran none of these hooks" in doctor(repo)
    for data in (b"", b"{", b"[]\n", b'{"data": 5, "sessionId": 5}\n', b"\0\xff\n"):
        path.write_bytes(data)
        os.utime(path, (began, began))
        assert "ran none of these hooks" not in doctor(repo)
    client.agent = agent
    kept_by(agent, home, repo.path, "heard", began + LATER_S)
    name = "sessionStart-new" if agent == "copilot-cli" else "SessionStart-startup"
    told = {"session_id": "heard", "sessionId": "heard"}
    client.tell(name.partition("-")[0], name, **told)
    assert "ran none of these hooks" not in doctor(repo)


@pytest.mark.parametrize(
    ("agent", "settings", "said"),
    [
        ("claude-code", {"disableAllHooks": True}, "Claude Code runs no hooks here: disableAllHooks is true"),
        ("qwen-code", {"disableAllHooks": True}, "Qwen Code runs no hooks here: disableAllHooks is true"),
        ("gemini-cli", {"hooksConfig": {"enabled": False}}, "Gemini CLI runs no hooks here: hooksConfig.enabled is false"),
    ],
)  # fmt: skip
def test_hooks_that_are_switched_off_are_told_of(
    client: Client, home: Path, agent: str, settings: object, said: str
) -> None:
    repo = client.repo
    installer.install(Workspace.open(repo.path), agent)
    assert "runs no hooks" not in doctor(repo)
    folder = home / f".{agent.partition('-')[0]}"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps(settings))
    assert said in doctor(repo)


def test_a_folder_that_gemini_was_told_not_to_trust(client: Client, home: Path) -> None:
    repo = client.repo
    installer.install(Workspace.open(repo.path), "gemini-cli")
    path = home / ".gemini" / "trustedFolders.json"
    path.parent.mkdir()
    here, above = str(repo.path), str(repo.path.parent)
    said = "you do not trust this folder -> run /permissions in Gemini CLI, here"
    for rules, told in (
        ({here: "DO_NOT_TRUST"}, True),
        ({above: "DO_NOT_TRUST"}, True),
        ({here: "TRUST_FOLDER", above: "DO_NOT_TRUST"}, False),
        ({f"{above}/other": "TRUST_PARENT"}, False),
        ({f"{here}-not": "DO_NOT_TRUST"}, False),
        ({"/\0": "DO_NOT_TRUST", "/\ud800": "DO_NOT_TRUST", here: 5}, False),
    ):
        path.write_text(json.dumps(rules))
        assert (said in doctor(repo)) is told
    path.write_text(json.dumps({here: "DO_NOT_TRUST"}))
    off = {"security": {"folderTrust": {"enabled": False}}}
    (home / ".gemini" / "settings.json").write_text(json.dumps(off))
    assert said not in doctor(repo)


@pytest.mark.parametrize(
    "head", [b"", b"{", b"[]\n", b"\xff\n", b'{"type": "session_meta", "payload": 5}\n',
             b'{"type": "session_meta", "payload": {"cwd": 1, "timestamp": "soon"}}\n',
             b"[" * 100_000, meta("/\0"), meta("/\ud800")],
)  # fmt: skip
def test_transcripts_that_cannot_be_read_say_nothing(
    client: Client, home: Path, head: bytes
) -> None:
    path = rollout(home, client.repo.path, "one", time.time() + LATER_S)
    path.write_bytes(head)
    assert silence.newest("codex", client.repo.path, since=1.0) is None
    for agent in ("gemini-cli", "opencode", "nobody"):
        assert silence.newest(agent, client.repo.path, since=1.0) is None


def test_what_is_no_file_is_not_waited_for(client: Client, home: Path) -> None:
    """A pipe has no end while somebody may write into it; /dev/zero has none at all."""
    root, codex = client.repo.path, adapters.get("codex")
    assert codex is not None
    event = SessionStarted(session="s")
    rollout(home, root, "whole", time.time() + LATER_S)
    pipe = home / ".codex" / "sessions" / "2026" / "11" / "30" / "rollout-pipe.jsonl"
    places = [
        pipe,
        home / ".codex" / "config.toml",
        root / ".codex" / "hooks.json",
        root / ".claude" / "settings.local.json",
    ]
    for kind in ("pipe", "device"):
        for path in places:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            if kind == "pipe":
                os.mkfifo(path)
            else:
                path.symlink_to("/dev/zero")
        seen = silence.newest("codex", root, since=1.0)
        assert seen is not None
        assert seen.session == "whole"
        assert codex.silence(root, heard=False) is not None
        assert codex.limit_at(str(root), event) == codex.limit
        assert not beside.stands_aside(client.place, str(root), {"HOME": str(home)})


@pytest.mark.parametrize("named", ["", ".", "/nowhere"])
def test_a_session_of_nowhere_is_not_of_here(
    client: Client, home: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    monkeypatch.chdir(client.repo.path)
    chats = home / ".gemini" / "tmp" / "x" / "chats"
    chats.mkdir(parents=True)
    (chats.parent / ".project_root").write_text(named)
    moment = datetime.fromtimestamp(time.time() + LATER_S, UTC).isoformat()
    record = {"sessionId": "one", "startTime": moment, "kind": "main"}
    path = chats / "session-1.jsonl"
    path.write_text(json.dumps(record) + "\n")
    os.utime(path, (time.time() + LATER_S,) * 2)
    assert silence.newest("gemini-cli", client.repo.path, since=1.0) is None
    (chats.parent / ".project_root").write_text(str(client.repo.path))
    assert silence.newest("gemini-cli", client.repo.path, since=1.0) is not None
