"""A repository with an agent's hooks, and what its client would tell them."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitstate.hooks.agents import adapters, hook, sessions
from gitstate.hooks.agents.hook import main
from gitstate.hooks.agents.place import Place
from tests.support import gitstate

if TYPE_CHECKING:
    import pytest

    from gitstate.hooks.agents.sessions import Session
    from tests.support import Repo

INPUTS = Path(__file__).parent / "inputs"


def recorded(agent: str, name: str, repo: Repo, **changes: object) -> dict[str, Any]:
    """What a real client told, with this repository's paths in it."""
    text = (INPUTS / agent / f"{name}.json").read_text("utf-8")
    text = text.replace("@ROOT@", str(repo.path)).replace("@HOME@", str(repo.path))
    found: dict[str, Any] = json.loads(text)
    return {**found, **changes}


def ready(repo: Repo) -> Repo:
    """gitstate is set up, with a task and a rule."""
    env = {"CI": "1"}
    at = repo.path
    gitstate("init", "--no-hooks", "--no-daemon", cwd=at, env=env)
    gitstate("task", "start", "Fix a.txt", "--next", "Open a.txt", cwd=at)
    gitstate("rule", "add", "--forbidden", "Never call npm", cwd=at)
    (at / "a.txt").write_text("hello\n")
    return repo


@dataclass
class Client:
    """The hooks of a client, called in this process; each answer as the client reads it."""

    repo: Repo
    capsys: pytest.CaptureFixture[str]
    monkeypatch: pytest.MonkeyPatch
    agent: str = "claude-code"
    common: dict[str, object] = field(default_factory=dict)
    words: tuple[str, ...] = ()  # behind the event's name

    def tell(self, event: str, name: str = "", **changes: object) -> str:
        """Tell a recorded event; returns what the hook printed."""
        wire = recorded(self.agent, name or event, self.repo, **self.common, **changes)
        return self.say(event, json.dumps(wire).encode())

    def say(self, event: str, data: bytes) -> str:
        """Tell bytes."""
        self.monkeypatch.chdir(self.repo.path)
        self.monkeypatch.setattr(sys, "stdin", _Input(data))
        self.capsys.readouterr()
        assert main([self.agent, event, *self.words]) == 0
        out, err = self.capsys.readouterr()
        assert err == ""
        return out

    def context(self, event: str, name: str = "", **changes: object) -> str:
        """The text for the model in an answer; "" without any."""
        out = self.tell(event, name, **changes)
        if not out:
            return ""
        said = json.loads(out)
        found: str = said.get("hookSpecificOutput", said).get("additionalContext", "")
        return found

    @property
    def place(self) -> Place:
        git = self.repo.git("rev-parse", "--absolute-git-dir")
        return Place(str(self.repo.path), f"{git}/gitstate")

    @property
    def session(self) -> Session:
        (found,) = sessions.all_of(self.place)
        return found

    @property
    def log(self) -> str:
        path = Path(self.place.agents) / "log"
        return path.read_text() if path.exists() else ""

    @property
    def operations(self) -> list[str]:
        path = self.repo.state / "long_mem" / "operations.log"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line.partition(" | ")[2] for line in lines]


class _Input:
    """Standard input, of bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.buffer = self

    def read(self, size: int) -> bytes:
        return self._data[:size]


def process(
    agent: str, event: str, data: bytes, cwd: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    """The hook as a client starts it."""
    return subprocess.run(
        [sys.executable, "-I", "-S", *options, hook.__file__, agent, event],
        cwd=cwd,
        input=data.decode("utf-8", "surrogateescape"),
        errors="surrogateescape",
        capture_output=True,
        text=True,
        check=False,
    )


KNOWN = [name for name in adapters.NAMES if (INPUTS / name).is_dir()]
