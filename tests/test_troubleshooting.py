"""docs/troubleshooting.md is true: each trouble is made, and its commands are run."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.engines import cloned, init
from tests.hooks.agents.places import process, recorded
from tests.inside import call
from tests.support import Repo, wait_for
from tests.told import run, told

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = (Path(__file__).parents[1] / "docs" / "troubleshooting.md").read_text("utf-8")
SECTIONS = dict(
    part.partition("\n")[::2]
    for part in re.split(r"^## ", TEXT, flags=re.MULTILINE)[1:]
)
# ids that differ each time
_ID = re.compile(r"\b(?:[0-9a-f]{8}|[0-9a-f]{12})\b")
GOAL = "Fix nested brackets in src/core/parser.ts parseExpr"
AGENT = "claude-code"


def same(text: str) -> str:
    """A text without what differs each time."""
    return _ID.sub("…", text)


def verb(repo: Repo, *words: str) -> None:
    said = call(repo.path, *words)
    assert said.code == 0, said.err


def work_done_twice(repo: Repo) -> None:
    verb(repo, "task", "start", GOAL, "--step", "Fix the boundary condition")
    verb(repo, "task", "begin", "1")
    verb(repo, "op", "add", "src/core/parser.ts", "edit", "counts open brackets")
    verb(repo, "task", "step", "Add tests for nested groups")
    verb(repo, "task", "begin", "1")


def a_wish(repo: Repo) -> None:
    path = repo.state / "01-coding-conventions.md"
    path.write_text(path.read_text("utf-8") + "\n- Prefer structured logging\n")
    verb(repo, "snapshot")


def hooks_in(repo: Repo, *, compactions: int, turns: int) -> None:
    """A session of a client that throws away what the hooks say."""
    verb(repo, "agent", "install", AGENT)
    transcript = repo.path / "transcript.jsonl"
    transcript.write_text("")

    def tell(event: str, name: str) -> None:
        wire = recorded(AGENT, name, repo, transcript_path=str(transcript))
        done = process(AGENT, event, json.dumps(wire).encode(), repo.path)
        assert (done.returncode, done.stderr) == (0, "")

    tell("SessionStart", "SessionStart-startup")
    for turn in range(turns):
        tell("UserPromptSubmit", "UserPromptSubmit")
        tell("Stop", "Stop")
        if turn < compactions:
            tell("PreCompact", "PreCompact")
            tell("SessionStart", "SessionStart-compact")


def not_received(repo: Repo) -> None:
    verb(repo, "task", "start", GOAL)
    hooks_in(repo, compactions=1, turns=2)


def many_decisions(repo: Repo) -> None:
    path = repo.state / "04-decision-log.md"
    entries = "".join(
        f"\n## D-{number:04} Use tool {letter}\n\n- Reason: it is there\n"
        for number, letter in enumerate("ABCDEFGHIJKLMNOPQRSTUV", 1)
    )
    path.write_text(path.read_text("utf-8") + entries)


def no_update(repo: Repo) -> None:
    verb(repo, "init", "--no-daemon")
    verb(repo, "task", "start", GOAL)
    repo.commit("src/core/parser.ts", "x\n" * 150)
    repo.commit("src/core/parser.ts", "x\n" * 160)
    wait_for(lambda: "stale" in call(repo.path, "flags").out)


def only_a_goal(repo: Repo) -> None:
    verb(repo, "task", "start", GOAL)


def read_often(repo: Repo) -> None:
    verb(repo, "task", "start", GOAL, "--step", "Locate the function")
    for _ in range(3):
        verb(repo, "op", "add", "src/core/tokenizer.ts", "read", "how it splits")
    verb(repo, "task", "begin", "1")


def moved_file(repo: Repo) -> None:
    repo.git("mv", "src/core/parser.ts", "src/parser.ts")
    where = ("--anchor", "src/parser.ts:142")
    verb(repo, "task", "start", GOAL, "--step", "Locate the function", *where)
    repo.git("mv", "src/parser.ts", "src/core/parser.ts")


def another_goal(repo: Repo) -> None:
    verb(repo, "task", "start", GOAL)
    path = repo.state / "02-current-task.md"
    path.write_text(path.read_text("utf-8").replace(GOAL, "Rewrite src/core/parser.ts"))
    verb(repo, "snapshot")


def heavy(repo: Repo) -> None:
    path = repo.state / "01-coding-conventions.md"
    why = "because what it gave back was read by nobody, and all callers went elsewhere"
    rules = (f"- Never call old_{number}() in src/, {why}" for number in range(60))
    path.write_text(path.read_text("utf-8") + "\n" + "\n".join(rules) + "\n")
    hooks_in(repo, compactions=2, turns=3)


def two_clones(repo: Repo) -> None:
    place = repo.path.parent
    Repo(place).git("init", "-q", "--bare", "-b", "main", "remote.git")
    repo.git("remote", "add", "origin", str(place / "remote.git"))
    repo.git("push", "-q", "origin", "main")
    verb(repo, "push")
    clone = cloned(Repo(place / "remote.git"))
    init(clone)
    verb(clone, "decide", "Use winston for logging", "--reason", "it is there")
    verb(clone, "push")
    verb(repo, "decide", "Use pino for logging", "--reason", "structured child loggers")


TROUBLES: dict[str, Callable[[Repo], None]] = {
    "Work is done twice": work_done_twice,
    "Rules are broken": a_wish,
    "A recovery has no effect": not_received,
    "The files grow": many_decisions,
    "The agent forgets to write": no_update,
    "Nobody knows how far it is": only_a_goal,
    "The same file is read again and again": read_often,
    "The wrong file is changed": moved_file,
    "The goal drifts": another_goal,
    "The context is compacted too often": heavy,
    "Nothing happens after a recovery": only_a_goal,
    "Two clones both went on": two_clones,
}


def test_it_has_every_symptom_with_cause_and_cure() -> None:
    assert list(SECTIONS) == list(TROUBLES)
    for text in SECTIONS.values():
        cause, mends = text.partition("**Mends it.**")[::2]
        assert cause.strip().startswith("**Cause.**")
        assert told(cause)
        assert told(mends)


@pytest.fixture
def trouble(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    monkeypatch.setenv("CI", "1")
    monkeypatch.setenv("GITSTATE_NOW", "2026-11-29T14:05:00+01:00")
    repo.commit("src/core/parser.ts", "x\n" * 200)
    repo.commit("src/core/tokenizer.ts", "x\n" * 200)
    init(repo)
    return repo


@pytest.mark.parametrize("name", TROUBLES)
def test_its_commands_say_what_it_says(name: str, trouble: Repo) -> None:
    TROUBLES[name](trouble)
    said: list[tuple[str, str]] = []
    printed: list[str] = []
    for command, _ in told(SECTIONS[name]):
        # an id in a command is the one that was printed last
        real = _ID.sub(printed[-1], command) if printed else command
        output = run(real, trouble.path)
        printed += _ID.findall(output)
        said.append((command, same(output)))
    assert said == [(command, same(output)) for command, output in told(SECTIONS[name])]
