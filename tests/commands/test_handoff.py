"""``gitstate handoff``: the task in a few lines, kept and checked."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import json

from gitstate.recall.handoff import template
from tests.commands.kept import GOAL, TASK, Kept, now, repo, zh
from tests.inside import call

__all__ = ["now", "repo", "zh"]

KEPT = ".agent-state/long_mem/handoff.md"


def begun(repo: Kept) -> None:
    repo.do(
        *("task", "start", GOAL, "--anchor", "src/core/parser.ts:1"),
        *("--step", "Locate it", "--step", "Fix it", "--next", "Count in parseExpr"),
    )
    repo.do("task", "done", "1", "root cause in parseExpr")
    repo.do("task", "begin", "2")
    repo.do("task", "fail", "Change line 140 alone", "--reason", "breaks the other")
    repo.do("op", "add", "src/core/parser.ts", "edit", "counts")  # it waits


def test_it_is_written_once_for_a_state(repo: Kept) -> None:
    begun(repo)
    text = f"""\
# Handoff

- Goal: {GOAL}
- Done: Locate it: root cause in parseExpr
- In progress: Fix it
- Next step: Count in parseExpr (src/core/parser.ts:1)
- Changed, as whole paths: src/core/parser.ts
- Full state: .agent-state/ (v5); run `gitstate brief` before reading code
"""
    assert repo.do("handoff") == f"{text}\nkept as {KEPT} (v6)\n"
    assert (repo.path / KEPT).read_text() == text
    assert repo.do("handoff") == f"{text}\nkept as {KEPT} (v6)\n"
    repo.do("task", "next", "Count in parseGroup")
    assert "(v7)" in repo.do("handoff")


def test_what_is_not_in_a_version_gets_one_first(repo: Kept) -> None:
    begun(repo)
    path = repo.state / TASK
    path.write_text(path.read_text().replace("Count in", "Count twice in"))
    said = repo.do("handoff")
    assert "- Next step: Count twice in parseExpr (" in said
    assert "(v6); run" in said
    assert "Count twice" in repo.do("show", f"v6:{TASK}")


def test_what_is_missing_is_named(repo: Kept) -> None:
    assert repo.refuses("handoff").startswith("no task is written down")
    repo.do("task", "start", GOAL, "--step", "Locate it")
    repo.do("task", "done", "1", "in parseExpr", "--file", "src/core/parser.ts")
    path = repo.state / TASK
    path.write_text(path.read_text().replace("in parseExpr\n", "\n"))
    (repo.path / "src/core/parser.ts").unlink()
    said = call(repo.path, "handoff", "--json")
    found = json.loads(said.out)
    assert said.code == 1
    assert found["text"] == (repo.path / KEPT).read_text()
    assert [line.split(":")[0] for line in found["problems"]] == [
        "the next step says nothing; say it like",
        "no file and line to open first",
        "step 1 is done without a conclusion",
        "src/core/parser.ts is not there",
    ]
    again = call(repo.path, "handoff")
    assert again.code == 1
    assert again.err.splitlines() == [f"gitstate: {line}" for line in found["problems"]]


def test_in_chinese(zh: Kept) -> None:
    zh.do(
        *("task", "start", "修复 src/core/parser.ts 的 parseExpr"),
        *("--anchor", "src/core/parser.ts:1", "--next", "在 parseExpr 中计数"),
    )
    assert "- 目标：修复 src/core/parser.ts 的 parseExpr\n" in zh.do("handoff")
    assert "- 已完成：尚无步骤\n- 进行中：无\n" in zh.do("handoff")


def test_a_part_that_has_nothing_says_so(repo: Kept) -> None:
    """What belongs there is asked of an agent's summary, and is no text of a handoff."""
    repo.do("task", "start", GOAL)
    said = call(repo.path, "handoff")
    assert said.code == 1
    assert said.out.splitlines()[3:7] == [
        "- Done: no step yet",
        "- In progress: no step",
        "- Next step: not written down",
        "- Changed, as whole paths: no file recorded",
    ]
    assert "- Done: each finished step with its conclusion" in template(repo.ws)
    repo.do("task", "anchor", "src/core/parser.ts:1")
    said = call(repo.path, "handoff")
    assert "- Next step: not written down (src/core/parser.ts:1)" in said.out
