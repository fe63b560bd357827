"""``gitstate context``: what names a file, and how it looks."""

from __future__ import annotations

import json
import re

from tests.commands.kept import GOAL, Kept, now, repo, zh
from tests.inside import call

__all__ = ["now", "repo", "zh"]


def test_all_that_is_recorded_of_a_file(repo: Kept) -> None:
    path = "src/core/parser.ts"
    (repo.path / "src" / "core").mkdir(parents=True, exist_ok=True)
    (repo.path / path).write_text("one\n")
    repo.do("task", "start", GOAL, "--anchor", f"{path}:142", "--step", "Locate it")
    repo.do("task", "done", "1", "root cause in parseExpr", "--file", path)
    repo.do("map", "add", path, "the parser")
    repo.do("rule", "add", f"Never edit {path}:300 by hand")
    repo.do("rule", "add", f"Never edit {path}x or x/{path}")
    for number in range(5):
        repo.do("op", "add", path, "edit", f"part {number}")
    text = re.sub(r":\d+\)$", ")", repo.do("context", path), flags=re.MULTILINE)
    assert text.splitlines()[:6] == [
        f"{path}: it looks as recorded",
        f"  role: {path}: the parser",
        f"  prohibition: Never edit {path}:300 by hand (01-coding-conventions.md)",
        f"  goal: {GOAL} (02-current-task.md)",
        (
            f"  conclusion: 1. [done] Locate it: root cause in parseExpr [{path}] "
            "(02-current-task.md)"
        ),
        f"  place: {path}:142 (02-current-task.md)",
    ]
    assert [line.split(": ")[-1] for line in text.splitlines()[6:]] == [
        f"part {number}" for number in (4, 3, 2, 1, 0)
    ]
    assert "by hand" not in repo.do("context", f"{path}:142")
    (repo.path / path).write_text("two\n")
    found = json.loads(call(repo.path, "context", f"./{path}", "--json").out)
    assert (found["path"], found["look"], found["line"]) == (path, "changed", None)
    assert len(found["operations"]) == 5


def test_no_line_is_too_far_down_to_be_asked_for(repo: Kept) -> None:
    repo.do("rule", "add", f"Never edit a.ts:{'3' * 5_000}")
    for line in ("9" * 18, "9" * 5_000, "0"):
        assert call(repo.path, "context", f"a.ts:{line}").code == 0


def test_of_another_nothing_is_recorded(repo: Kept) -> None:
    assert repo.do("context", "a b.ts") == "a b.ts: no change of it is recorded\n"
    said = call(repo.path, "context", "parser.ts")
    assert (said.code, said.out) == (0, "parser.ts: no change of it is recorded\n")
    assert said.err == "gitstate: is it src/core/parser.ts?\n"
    for place in ("/etc/passwd", "../x", "~/x", ""):
        assert "is no whole path from the repository's root" in repo.refuses(
            "context", place
        )
