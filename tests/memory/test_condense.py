"""The state without its narrative."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from gitstate.documents import (
    CONVENTIONS,
    CURRENT_TASK,
    DECISION_LOG,
    FILE_MAP,
    KNOWN_ISSUES,
    NUMBERED,
    PROJECT_CONTEXT,
    template,
)
from gitstate.documents.alternatives import Alternative
from gitstate.documents.attempts import Attempt
from gitstate.documents.decision_log import Decision, parse
from gitstate.documents.edit_decisions import add
from gitstate.documents.edit_issues import add as add_issue
from gitstate.documents.edit_rules import add_forbidden, add_rule
from gitstate.documents.edit_steps import add_step, set_step
from gitstate.documents.edit_task import add_constraint, set_goal
from gitstate.memory import attempts, strength
from gitstate.memory.kept import condensed
from gitstate.memory.short_entries import decision
from gitstate.memory.strength import TABLE, strength_of
from tests.memory.shelf import Shelf
from tests.memory.test_shortening import NARRATIVE, PROHIBITION

if TYPE_CHECKING:
    from gitstate.documents.header import Strength

LONG = (
    "We looked at the package managers for a week, and in the end, after many benchmarks, "
    "we decided to use pnpm. Everybody was happy with that, and the build became green."
)
WHY = (
    "monorepo hoisting, which npm did not do well in our measurements on the CI machines, "
    "where the installs took nine minutes and more"
)


def test_a_long_decision_about_pnpm() -> None:
    one = Decision(
        "D-0007",
        LONG.replace("in the end, after many benchmarks, ", ""),
        WHY,
        (Alternative("npm", "slow, and it hoists everything"), Alternative("yarn")),
    )
    assert decision(one) == "D-0007 use pnpm (reason: monorepo hoisting); not npm, yarn"
    assert decision(one, live=False) == (
        "D-0007 use pnpm (reason: monorepo hoisting); not npm, yarn; superseded"
    )


def test_low_confidence_keeps_every_word_and_says_so() -> None:
    one = Decision("D-0001", LONG, WHY, (Alternative("npm", "slow"),), "low")
    assert decision(one) == (
        f"D-0001 {LONG} (reason: {WHY}); not npm; confidence: low, to be weighed again; "
        "npm: slow"
    )


def test_its_own_mark_keeps_every_word() -> None:
    one = Decision("D-0001", LONG, WHY, strength="high")
    assert decision(one) == f"D-0001 {LONG} (reason: {WHY})"


def test_the_table_is_what_its_page_says() -> None:
    rows = re.findall(
        r"^(\w+(?: \w+)?) +(high|medium|low)  ", strength.__doc__ or "", re.MULTILINE
    )
    assert dict(rows) == TABLE
    marks: tuple[Strength, ...] = ("high", "medium", "low")
    assert [strength_of("decision", mark) for mark in marks] == [*marks]
    assert [strength_of("prohibition", mark) for mark in marks] == ["high"] * 3


TASK = """# Current task

## Goal

Fix parseExpr in src/a.ts

## Constraints

- Keep E_MODULE, whatever happens to the other codes that are in this very long sentence

## Steps

1. [done] Locate the function, which took us a while since nobody knew where it was at all
   - Conclusion: root cause in parseExpr, line 142
   - Files: src/a.ts
2. [todo] Add tests

## Next step

Count brackets in parseExpr

## Anchor

src/a.ts:142

Some prose that nobody understands. Never push to main.
"""


def test_each_file_by_its_strength() -> None:
    log = (
        "2026-11-29T10:00:00Z | src/a.ts | edit aaaaaaaaaaaa | first\n"
        "2026-11-29T10:00:01Z | src/a.ts | edit bbbbbbbbbbbb | second\n"
        "2026-11-29T10:00:02Z | src/a.ts | read | looked\n"
        "2026-11-29T10:00:03Z | test/ | run | pnpm test: 3 failed in parser.test.ts\n"
        "2026-11-29T10:00:04Z | test/ | run | pnpm test: 12 passed\n"
    )
    shelf = Shelf(
        {
            PROJECT_CONTEXT: (
                "# P\n\n## Facts\n\n- language: TypeScript\n\n## Commands\n\n- test: pnpm test\n"
                "\n## Forbidden\n\n- src/gen/\n"
            ),
            CONVENTIONS: "# C\n\n## Rules\n\n- Must test in test/\n",
            CURRENT_TASK: TASK,
            KNOWN_ISSUES: (
                "# K\n\n## I-0001 npm leaves two lock files\n\n- Workaround: delete one\n"
                "\n## I-0002 gone\n\n- Status: resolved\n"
            ),
            FILE_MAP: "# M\n\n- src/a.ts: parses\n",
            "06-notes.md": "---\nstrength: low\n---\n\nProse.\n\n禁止提交 dist/。\n",
            "long_mem/operations.log": log,
            "long_mem/conclusions.md": "# C\n\n## Notes\n\n- it leaks\n  - Anchor: src/b.ts:3\n",
            "long_mem/failed-attempts.md": attempts.add(
                None, "Goal", Attempt("Change line 140", "breaks"), "en"
            ),
        }
    )
    assert [(one.kind, one.text, one.file, one.line) for one in condensed(shelf)] == [
        ("fact", "language: TypeScript", PROJECT_CONTEXT, 5),
        ("command", "test: pnpm test", PROJECT_CONTEXT, 9),
        ("prohibition", "Never: src/gen/", PROJECT_CONTEXT, 13),
        ("rule", "Must test in test/", CONVENTIONS, 5),
        ("goal", "Fix parseExpr in src/a.ts", CURRENT_TASK, 5),
        (
            "constraint",
            (
                "Keep E_MODULE, whatever happens to the other codes that are in this very "
                "long sentence"
            ),
            CURRENT_TASK,
            9,
        ),
        (
            "conclusion",
            "1. [done] Locate the function: root cause in parseExpr, line 142 [src/a.ts]",
            CURRENT_TASK,
            13,
        ),
        ("conclusion", "2. [todo] Add tests", CURRENT_TASK, 16),
        ("next step", "Count brackets in parseExpr", CURRENT_TASK, 20),
        ("place", "src/a.ts:142", CURRENT_TASK, 24),
        ("prohibition", "Never push to main.", CURRENT_TASK, 26),
        (
            "issue",
            "I-0001 npm leaves two lock files (meanwhile: delete one)",
            KNOWN_ISSUES,
            3,
        ),
        ("place", "src/a.ts: parses", FILE_MAP, 3),
        ("fact", "禁止提交 dist/。", "06-notes.md", 7),
        ("conclusion", "it leaks [src/b.ts:3]", "long_mem/conclusions.md", 0),
        (
            "attempt",
            "Change line 140 (failed: breaks)",
            "long_mem/failed-attempts.md",
            5,
        ),
        ("place", "src/a.ts edit bbbbbbbbbbbb", "long_mem/operations.log", 0),
        ("output", "test/: pnpm test: succeeded", "long_mem/operations.log", 0),
    ]


def test_around_a_chinese_file_stand_chinese_words() -> None:
    """Those of the file's own language; beside it an English one keeps English ones."""
    shelf = Shelf(
        {
            CURRENT_TASK: "# 当前任务\n\n## 步骤\n\n1. [已完成] 定位函数\n   - 结论：在 parseExpr\n"
            "   - 文件：src/a.ts、src/b.ts\n2. [进行中] 修复\n3. [受阻] 测试\n4. [待办] 发布\n\n"
            "## 失败的尝试\n\n- 只改第 140 行：破坏另一分支\n",
            KNOWN_ISSUES: "# 已知问题\n\n## I-0001 留下两个锁文件\n\n- 临时方案：删掉一个\n",
            DECISION_LOG: "# 决策日志\n\n## D-0001 使用 yarn\n\n- 理由：npm 写两个锁文件\n"
            "- 替代方案：npm、bun\n\n## D-0002 使用 pnpm\n\n- 理由：提升\n- 置信度：低\n"
            "- 取代：D-0001\n",
            FILE_MAP: "# 文件地图\n\n- src/a.ts：解析（测试：test/a.ts；使用：src/b.ts、src/c.ts）\n",
            CONVENTIONS: "# Conventions\n\n## Never\n\n- src/gen/\n",
        }
    )
    assert [one.text for one in condensed(shelf)] == [
        "Never: src/gen/",
        "1. [已完成] 定位函数: 在 parseExpr [src/a.ts、src/b.ts]",
        "2. [进行中] 修复",
        "3. [受阻] 测试",
        "4. [待办] 发布",
        "只改第 140 行（失败：破坏另一分支）",
        "I-0001 留下两个锁文件（临时办法：删掉一个）",
        "D-0001 使用 yarn（理由：npm 写两个锁文件）；不选 npm、bun；已被取代",
        "D-0002 使用 pnpm（理由：提升）；置信度：低，行动前重新权衡",
        "src/a.ts: 解析；使用 src/b.ts、src/c.ts；由 test/a.ts 测试",
    ]


def test_fresh_files_have_no_history() -> None:
    for lang in ("en", "zh"):
        shelf = Shelf({name: template(name, lang) for name in NUMBERED})
        assert condensed(shelf) == []


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_prohibition_is_dropped_wherever_it_stands(data: st.DataObject) -> None:
    forbidden: list[str] = []

    def text() -> str:
        parts = data.draw(
            st.lists(st.one_of(NARRATIVE, PROHIBITION), min_size=1, max_size=4)
        )
        forbidden.extend(one for one in parts if one not in _TOLD)
        return " ".join(parts)

    shelf = Shelf({name: template(name, "en") for name in NUMBERED})
    log = shelf[DECISION_LOG]
    for number in range(data.draw(st.integers(1, 3))):
        alternative = Alternative("npm", text())
        log, _ = add(
            log,
            f"Use it: {text()}",
            text(),
            alternatives=[alternative],
            confidence=data.draw(st.sampled_from(["high", "medium", "low"])),
            supersedes=[f"D-{number:04d}"] if number else [],
        )
    shelf[DECISION_LOG] = log
    assert parse(log).decisions
    task = set_goal(shelf[CURRENT_TASK], f"Fix a.ts: {text()}")
    task = add_constraint(task, f"So: {text()}")
    task = add_step(task, f"Do it: {text()}")
    shelf[CURRENT_TASK] = set_step(
        task, 1, status="done", conclusion=f"Found: {text()}", files=("src/a.ts",)
    )
    shelf[CONVENTIONS] = add_rule(shelf[CONVENTIONS], f"So: {text()}")
    shelf[PROJECT_CONTEXT] = add_forbidden(shelf[PROJECT_CONTEXT], f"So: {text()}")
    shelf[KNOWN_ISSUES] = add_issue(
        shelf[KNOWN_ISSUES], f"It breaks: {text()}", workaround=f"So: {text()}"
    )[0]
    shelf["long_mem/failed-attempts.md"] = attempts.add(
        None, "Goal", Attempt(f"Try: {text()}", text()), "en"
    )
    said = "\n".join(one.text for one in condensed(shelf))
    assert [one for one in forbidden if one not in said] == []


_TOLD = {
    "We talked about it for a long time.",
    "It took three days, and nobody liked the first result, which was slow.",
    "The build was red on Monday!",
    "Then it worked, e.g. on Linux.",
    "大家讨论了很久，效果一直很好。",
    "Why was that so?",
    "see src/core/parser.ts:142 and `pnpm test`",
}
