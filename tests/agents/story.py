"""One repository with a task in it, and what an agent must know of it after a compaction."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.agents import clients
from tests.agents.stub_model import strings
from tests.support import gitstate, make_repo, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.agents.stub_model import Stub
    from tests.support import Repo

GOAL = "Fix nested brackets in src/core/parser.ts parseExpr"
NEXT = "Count open brackets in parseExpr before line 142"
FORBIDDEN = (
    "Never edit anything below legacy/",
    "Never call npm or yarn, pnpm is the package manager",
)
RULES = (
    "Must go through the repository layer for every database access",
    "Must log with pino through src/utils/logger.ts",
)
TASK = ".agent-state/02-current-task.md"
LIMIT_S = 60


def start(path: Path, agent: str) -> Repo:
    """A repository with the story's state, and the agent's hooks in its settings."""
    repo = make_repo(path)
    repo.commit("src/core/parser.ts", "export const parseExpr = 1;\n" * 150)
    repo.commit("README.md", "# hello\n")
    at = repo.path
    env = {"CI": "1"}
    gitstate("init", cwd=at, env=env)
    gitstate(
        "task", "start", GOAL, "--anchor", "src/core/parser.ts:142",
        "--step", "Locate the function", "--next", NEXT, cwd=at,
    )  # fmt: skip
    for rule in FORBIDDEN:
        gitstate("rule", "add", "--forbidden", rule, cwd=at)
    for rule in RULES:
        gitstate("rule", "add", rule, cwd=at)
    gitstate("agent", "install", agent, cwd=at)
    return repo


def knows(request: dict[str, Any]) -> list[str]:
    """What of the story is missing in a request, word for word."""
    whole = "\n".join(strings(request))
    return [said for said in (GOAL, *FORBIDDEN, *RULES, NEXT) if said not in whole]


def briefings(request: dict[str, Any]) -> list[str]:
    """The ids of the briefings in a request, in order; each once."""
    whole = "\n".join(strings(request))
    parts = whole.split("[gitstate briefing ")[1:]
    return list(dict.fromkeys(part[:8] for part in parts))


def status(repo: Repo, agent: str) -> dict[str, Any]:
    """What ``gitstate agent status`` says of the newest session."""
    said = gitstate("agent", "status", agent, "--json", cwd=repo.path, check=False)
    (row,) = json.loads(said.stdout)
    found: dict[str, Any] = row["sessions"][0]
    return found


def arrived(
    repo: Repo, agent: str, request: dict[str, Any], *, injected: int = 3
) -> None:
    """All of it is in the request, once; the session's receipts and its log say so too.

    ``injected``: a start, a resumption, and this one.
    """
    assert knows(request) == []
    assert len(briefings(request)) == 1
    task = (repo.path / TASK).read_text()
    assert "[in progress] Locate the function" in task
    found = status(repo, agent)
    assert (found["compactions"], found["blocks"]) == (1, 0)
    assert found["received"] == found["injected"] == injected
    log = (repo.state / "long_mem" / "operations.log").read_text()
    assert "| src/core/parser.ts | read" in log


def blocked_once(repo: Repo, agent: str, stub: Stub) -> int:
    """The end of a turn was held up once; how many requests told why."""
    told = [one for one in stub.texts() if "src/new.ts) and" in one]
    assert told
    assert status(repo, agent)["blocks"] == 1
    return len(told)


def strip(path: Path, *events: str) -> None:
    """Have the hooks of these events say nothing, as a client that drops it would."""
    settings = json.loads(path.read_text())
    for event in events:
        for group in settings["hooks"][event]:
            for hook in group.get("hooks", [group]):
                key = "bash" if "bash" in hook else "command"
                hook[key] = f"( {hook[key]} ) >/dev/null"
    path.write_text(json.dumps(settings))


def nothing_received(
    repo: Repo, agent: str, stub: Stub, run: Callable[..., object]
) -> None:
    """Two turns of a client whose hooks were stripped: none of it is called received."""
    run(calls(say="one"))
    run(calls(say="two"), resume=True)
    assert not any("gitstate briefing" in one for one in stub.texts())
    all_lost(repo, agent)


def all_lost(repo: Repo, agent: str) -> dict[str, Any]:
    """The same, when it is known of each briefing that it was not received."""
    wait_for(lambda: (now := status(repo, agent))["not_received"] == now["injected"])
    said = gitstate("agent", "status", agent, cwd=repo.path, check=False)
    found = status(repo, agent)
    assert (said.returncode, found["received"]) == (1, 0)
    assert said.stdout.count("not received") == found["injected"] > 0
    return found


def client(name: str) -> list[str]:
    """The words that start a client; a test is skipped where its registry refuses it."""
    try:
        return clients.program(name)
    except clients.Refused as refusal:
        pytest.skip(f"the registry refuses it: {refusal}")


def environment(home: Path, **more: str) -> dict[str, str]:
    """An environment with nothing of this machine's accounts."""
    node = os.environ["PATH"]
    return {
        "PATH": node,
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        **{key: os.environ[key] for key in os.environ if key.startswith("XDG_STATE")},
        **more,
    }


@dataclass(frozen=True)
class Run:
    """What a client's process came to."""

    code: int
    out: str


def run(
    words: Sequence[str], *, cwd: Path, env: dict[str, str], stdin: str = ""
) -> Run:
    """Run a client to its end; its whole output is shown where a test fails."""
    done = subprocess.run(
        list(words),
        cwd=cwd,
        env=env,
        input=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    print(done.stdout[-4000:])  # noqa: T201 for whoever reads a failure
    return Run(done.returncode, done.stdout)


def calls(*each: tuple[str, object], say: str = "done", usage: int = 0) -> str:
    """A prompt that has the stub model call these tools of the client."""
    lines = [f"CALL {name} {json.dumps(arguments)}" for name, arguments in each]
    return "\n".join(
        ["please", *lines, *([f"USAGE={usage}"] if usage else []), f"SAY {say}"]
    )


def main_requests(stub: Stub, least: int = 1) -> list[dict[str, Any]]:
    """The requests that can call tools: the agent's own, no summary, no title."""
    found = [one for one in stub.requests if one.get("tools")]
    assert len(found) >= least
    return found
