"""`gitstate lint`: what init and the verbs write is clean, and what is not is named."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from gitstate.documents import CURRENT_TASK
from gitstate.history.worktree_files import line_counter
from tests.engines import init
from tests.inside import Said, call

if TYPE_CHECKING:
    from tests.support import Repo

CLEAN = Said(0, "no warnings\n", "")
GOAL = "Fix nested brackets in src/core/parser.ts parseExpr"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_init_writes_is_clean(repo: Repo, lang: str) -> None:
    repo.write("../package.json", '{"name": "x", "scripts": {"test": "jest"}}\n')
    assert (
        call(repo.path, "init", "--lang", lang, "--no-hooks", "--no-daemon").code == 0
    )
    assert call(repo.path, "lint", "--strict") == CLEAN


def test_what_the_verbs_write_is_clean(repo: Repo) -> None:
    repo.commit("src/core/parser.ts", "x\n" * 200)
    init(repo)
    for words in (
        ("task", "start", GOAL, "--anchor", "src/core/parser.ts:142"),
        ("task", "step", "Locate the function", "Fix the boundary", "Add tests"),
        ("task", "begin", "1"),
        ("task", "done", "1", "root cause in parseExpr, line 142"),
        (
            "task",
            "fail",
            "Change line 140 alone",
            "--reason",
            "breaks the other branch",
        ),
        ("decide", "Use npm", "--reason", "it is installed"),
        (
            "decide",
            "Use yarn",
            "--reason",
            "npm doubles locks",
            "--supersedes",
            "D-0001",
        ),
        ("issue", "add", "npm install leaves two lock files"),
        ("issue", "resolve", "I-0001"),
        ("rule", "add", "Never edit src/gen/, because make writes it"),
        ("rule", "add", "--forbidden", "Never push to main"),
        ("fact", "set", "package manager", "yarn"),
        ("map", "add", "src/core/parser.ts", "parses expressions"),
        ("note", "the tokenizer drops a comma", "--file", "src/core/parser.ts:88"),
    ):
        assert call(repo.path, *words).code == 0, words
        if words[:2] != ("task", "start"):
            assert call(repo.path, "lint", "--strict") == CLEAN, words
    assert call(repo.path, "tidy").code == 0
    assert call(repo.path, "lint", "--strict") == CLEAN
    assert call(repo.path, "lint", "--json") == Said(0, "[]\n", "")


def test_warnings_have_lines_and_only_strict_fails(repo: Repo) -> None:
    init(repo)
    repo.write(CURRENT_TASK, "# T\n\n## Goal\n\nMake it better\n")
    line = f".agent-state/{CURRENT_TASK}:5: "
    text = "the goal names no file, function or other thing: Make it better"
    way = 'nothing says how to go on: `gitstate task next "..."`, or `gitstate task finish`'
    out = f"{line}vague goal: {text}\n{line}no next step: {way}\n2 warnings\n"
    assert call(repo.path, "lint") == Said(0, out, "")
    assert call(repo.path, "lint", "--strict") == Said(1, out, "")
    said = call(repo.path, "lint", "--json", "--strict")
    assert said.code == 1
    assert json.loads(said.out) == [
        {"file": CURRENT_TASK, "line": 5, "check": "vague goal", "text": text},
        {"file": CURRENT_TASK, "line": 5, "check": "no next step", "text": way},
    ]


def test_lines_of_files_in_the_worktree(repo: Repo) -> None:
    ws = init(repo)
    repo.commit("src/a.ts", "one\ntwo")
    os.mkfifo(repo.path / "pipe")
    (repo.path / "away").symlink_to("nowhere")
    lines_of = line_counter(ws)
    found = {
        path: lines_of(path)
        for path in (
            "src/a.ts",
            "src",
            "src/",
            "pipe",
            "src/b.ts",
            "",
            " ",
            "/etc/passwd",
        )
    }
    assert found == {
        "src/a.ts": 2,
        "src": 0,
        "src/": 0,
        "pipe": 0,
        "src/b.ts": None,
        "": None,
        " ": None,
        "/etc/passwd": None,
    }
    assert (lines_of("away") or 0) > 1 << 30
    assert lines_of("../repo/src/a.ts") is None
