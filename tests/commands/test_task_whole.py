"""``gitstate task finish`` and ``task import``: where everything goes."""

from __future__ import annotations

import json

import jsonschema

from gitstate.memory.schema import task_schema
from tests.commands.kept import GOAL, TASK, Kept, now, repo

__all__ = ["now", "repo"]


def test_finish(repo: Kept) -> None:
    template = (repo.state / TASK).read_text()
    repo.do("task", "start", GOAL, "--step", "Locate it", "--step", "Fix it")
    with (repo.state / TASK).open("a") as file:
        file.write(
            "\nA line of a person.\n\n## Failed attempts\n\n- all anew: too long\n"
        )
    repo.do("task", "done", "1", "line 142", "--file", "src/core/parser.ts")
    repo.do("task", "done", "2", "parseExpr counts brackets")
    name = "completed/2026-11-29-fix-nested-brackets-in-src-core-parser-ts"
    assert repo.do("task", "finish") == f"finished: {name}.md (v5)\n"
    assert (repo.state / TASK).read_text() == template
    assert (
        repo.says(f"{name}.md")
        == """\
# Current task

## Goal

Fix nested brackets in src/core/parser.ts parseExpr

## Constraints

## Steps

1. [done] Locate it
   - Conclusion: line 142
   - Files: src/core/parser.ts
2. [done] Fix it
   - Conclusion: parseExpr counts brackets

## Next step

## Anchor

## Blockers

A line of a person.

## Failed attempts

- all anew: too long
"""
    )
    assert (
        repo.says("long_mem/conclusions.md")
        == f"""\
# Conclusions

## {GOAL}

- Locate it
  - Conclusion: line 142
  - Files: src/core/parser.ts
- Fix it
  - Conclusion: parseExpr counts brackets
"""
    )
    assert (
        repo.says("long_mem/failed-attempts.md")
        == f"""\
# Failed attempts

## {GOAL}

- all anew
  - Reason: too long
"""
    )
    assert repo.do("task", "show") == "no task\n"
    repo.do("task", "start", GOAL, "--step", "Once more")
    assert repo.do("task", "finish", "--unfinished") == (
        f"finished: {name}-2.md (v7)\n"
    )
    assert repo.refuses("task", "finish").startswith("there is no task; begin one")


def test_import(repo: Kept) -> None:
    given = {
        "goal": "修复 parser 在嵌套括号场景下的解析错误",
        "subtasks": [
            {
                "id": 1,
                "desc": "定位报错函数",
                "status": "done",
                "conclusion": "根因在 parseExpr, line 142",
            },
            {
                "id": 2,
                "desc": "修复边界条件",
                "status": "in_progress",
                "files_touched": ["src/core/parser.ts"],
            },
            {"id": 3, "desc": "补充单元测试", "status": "todo"},
        ],
        "failed_attempts": [
            {"approach": "直接改 line 140 的判断条件", "reason": "破坏了另一条分支"}
        ],
    }
    file = repo.path / "task.json"
    file.write_text(json.dumps(given, ensure_ascii=False))
    assert repo.do("task", "import", str(file)) == (
        "task: 修复 parser 在嵌套括号场景下的解析错误, 3 steps (v2)\n"
    )
    assert (
        repo.says(TASK)
        == """\
# Current task

## Goal

修复 parser 在嵌套括号场景下的解析错误

## Constraints

## Steps

1. [done] 定位报错函数
   - Conclusion: 根因在 parseExpr, line 142
2. [in progress] 修复边界条件
   - Files: src/core/parser.ts
3. [todo] 补充单元测试

## Next step

## Anchor

## Blockers
"""
    )
    shown = json.loads(repo.do("task", "show", "--json"))
    jsonschema.validate(shown, task_schema())
    assert shown["failed_attempts"] == given["failed_attempts"]
    assert json.loads((repo.state / "long_mem/task-state.json").read_text()) == shown
    file.write_text('{"goal": "Fix parseExpr", "subtasks": [{"id": 1}]}')
    assert repo.refuses("task", "import", str(file)) == (
        "$.subtasks[0].desc: it is missing"
    )
    file.write_text('{"goal": "Fix parseExpr", "anchor": {"file": "parser.ts"}}')
    repo.do("task", "finish", "--unfinished")
    assert repo.refuses("task", "import", str(file)) == (
        "$.anchor.file: not a whole path from the repository's root: parser.ts; is it "
        "src/core/parser.ts?"
    )
    file.write_text('{"goal": "Fix \\ud800 parseExpr"}')
    assert repo.refuses("task", "import", str(file)).startswith(
        "this is not UTF-8 text"
    )
    file.write_text('{"goal": "Fix parseExpr", "anchor": {"file": "src/a\\u0000.ts"}}')
    assert repo.refuses("task", "import", str(file)).startswith(
        "$.anchor.file: not a whole path from the repository's root: src/a\\x00.ts; "
    )
    file.write_bytes(b"x" * ((1 << 20) + 1))
    assert repo.refuses("task", "import", str(file)) == (
        "no task: it is larger than 1 MiB"
    )
