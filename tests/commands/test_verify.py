"""``gitstate verify`` and ``gitstate probe``: what is asked, and how an answer is found."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.support import Repo, command, gitstate

FILE = "01-coding-conventions.md"
ANSWER = "Must log through pino in src/utils/logger.ts. Never edit legacy/."


@pytest.fixture
def state(repo: Repo) -> Repo:
    at = repo.path
    gitstate("init", "--no-hooks", "--no-daemon", cwd=at, env={"CI": "1"})
    gitstate("rule", "add", "Must log through pino in src/utils/logger.ts", cwd=at)
    gitstate("rule", "add", "Never edit legacy/, because it is frozen", cwd=at)
    gitstate("fact", "set", "package manager", "pnpm, never npm or yarn", cwd=at)
    gitstate("task", "start", "Fix a.txt", "--next", "Open a.txt", cwd=at)
    return repo


def test_a_whole_answer_is_accepted(state: Repo) -> None:
    said = gitstate("verify", FILE, cwd=state.path, stdin=ANSWER)
    assert said.stdout == "accepted: 2 of 2 are there\n"
    assert said.stderr == ""


def test_what_is_missing_is_named_and_the_file_follows(state: Repo) -> None:
    before = state.git("rev-parse", "agent-state")
    said = gitstate(
        "verify", FILE, cwd=state.path, stdin="I log with pino.", check=False
    )
    assert said.returncode == 1
    lines = said.stdout.splitlines()
    assert lines[0] == "not accepted: 2 missing, 0 said otherwise"
    assert lines[2] == (
        "- not said: prohibition: Never edit legacy/, because it is frozen"
    )
    assert f".agent-state/{FILE}:" in lines
    assert "- Never edit legacy/, because it is frozen" in lines
    assert state.git("rev-parse", "agent-state") == before


def test_what_is_said_otherwise_is_named(state: Repo) -> None:
    answer = f"{ANSWER} But typos in legacy/ may be fixed."
    said = gitstate("verify", FILE, "--json", cwd=state.path, stdin=answer, check=False)
    found = json.loads(said.stdout)
    assert said.returncode == 1
    assert (found["accepted"], found["said"], found["asked"]) == (False, 2, 2)
    assert found["missing"] == []
    (one,) = found["contradicted"]
    assert one["text"] == "Never edit legacy/, because it is frozen"
    assert one["file"] == FILE
    assert found["files"] == [FILE]


def test_the_question(state: Repo) -> None:
    said = gitstate("verify", FILE, "--ask", cwd=state.path, stdin=ANSWER)
    assert said.stdout.startswith(
        f"{FILE}, from memory, in its own words, one item a line: "
    )
    asked = json.loads(
        gitstate("verify", "--ask", "--json", cwd=state.path, stdin="").stdout
    )
    assert asked["file"] is None
    assert "what exactly comes next" in asked["question"]


def test_one_question_over_the_task_and_the_issues(state: Repo) -> None:
    gitstate("issue", "add", "a.txt is read twice", cwd=state.path)
    for answer, code in (
        ("Next: open a.txt. Known issue: a.txt is read twice.", 0),
        ("Next: open a.txt.", 1),
    ):
        said = gitstate("verify", cwd=state.path, stdin=answer, check=False)
        assert said.returncode == code, said.stdout


@pytest.mark.parametrize("name", ["nothing.md", "../a.txt", "", "\x1b[2J"])
def test_a_file_that_is_not_there_is_refused_in_one_line(
    state: Repo, name: str
) -> None:
    said = gitstate("verify", name, cwd=state.path, stdin="x", check=False)
    assert said.returncode in {1, 2}
    assert "\x1b" not in said.stderr
    assert len(said.stderr.splitlines()) <= 2
    assert "Traceback" not in said.stderr


@pytest.mark.parametrize("words", [("verify", FILE), ("probe", "package manager")])
def test_where_standard_input_is_closed_nothing_was_answered(
    state: Repo, words: tuple[str, ...]
) -> None:
    closed = ["sh", "-c", 'exec "$@" <&-', "sh", *command(*words)]
    said = subprocess.run(
        closed, cwd=state.path, capture_output=True, text=True, check=False
    )
    assert said.returncode == 1
    assert said.stdout.startswith("not accepted: ")
    assert said.stderr == ""


def test_bytes_that_are_no_text_are_no_answer(state: Repo) -> None:
    said = gitstate("verify", FILE, cwd=state.path, stdin="\x00\ufffd" * 9, check=False)
    assert said.returncode == 1


def test_probes_are_asked_and_answered(state: Repo) -> None:
    rows = json.loads(gitstate("probe", "--json", cwd=state.path).stdout)
    (asked,) = [one for one in rows if one["fact"] == "package manager"]
    shown = gitstate("probe", "package manager", "--ask", cwd=state.path, stdin="")
    assert shown.stdout == f"{asked['question']}\n"
    for answer, code in (("pnpm", 0), ("npm", 1), ("pnpm, but yarn is fine", 1)):
        said = gitstate(
            "probe", "package manager", cwd=state.path, stdin=answer, check=False
        )
        assert said.returncode == code, (answer, said.stdout)
    said = gitstate("probe", "editor", cwd=state.path, stdin="vim", check=False)
    assert said.returncode == 1
    assert said.stderr.startswith("gitstate: no fact editor is recorded; there are: ")
