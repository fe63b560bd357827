"""One task from its start to its end: the files read as if a careful person wrote them."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re

from gitstate.documents import CURRENT_TASK, NUMBERED, PROJECT_CONTEXT, template
from gitstate.documents import current_task as task_file
from gitstate.documents import decision_log as log_file
from gitstate.documents.alternatives import Alternative
from gitstate.documents.anchors import Anchor
from gitstate.documents.edit_context import set_command, set_fact
from gitstate.documents.edit_decisions import add as decide
from gitstate.documents.edit_issues import add as open_issue
from gitstate.documents.edit_issues import resolve
from gitstate.documents.edit_map import put
from gitstate.documents.edit_rules import add_forbidden, add_rule
from gitstate.documents.edit_steps import add_step, set_step
from gitstate.documents.edit_task import (
    add_blocker,
    add_constraint,
    set_anchor,
    set_goal,
    set_next,
)
from gitstate.documents.file_map import MapEntry
from tests.documents.taking import decision_taken


def said(text: str) -> str:
    """A file without its header and guidance, blank lines as they are."""
    body = text.split("---\n", 2)[2]
    return re.sub(r"\n*<!--.*?-->", "", body, flags=re.DOTALL)


def test_a_task_in_english() -> None:
    text = template(CURRENT_TASK, "en")
    text = set_goal(text, "Fix nested brackets in src/core/parser.ts parseExpr")
    text = add_constraint(text, "Keep E_MODULE_REASON")
    text = add_step(text, "Locate the function that reports the error")
    text = add_step(text, "Fix the boundary condition")
    text = add_step(text, "Add unit tests")
    text = set_step(text, 1, status="in_progress")
    text = set_step(
        text,
        1,
        status="done",
        conclusion="root cause in parseExpr, line 142",
        files=["src/core/parser.ts"],
    )
    text = set_step(text, 2, status="in_progress", files=["src/core/parser.ts"])
    text = set_step(text, 3, status="blocked", conclusion="the runner has no node 20")
    text = set_next(text, "Count open brackets in parseExpr")
    text = set_anchor(text, Anchor("src/core/parser.ts", 142))
    text = add_blocker(text, "ops must update the runner")
    assert (
        said(text)
        == """\
# Current task

## Goal

Fix nested brackets in src/core/parser.ts parseExpr

## Constraints

- Keep E_MODULE_REASON

## Steps

1. [done] Locate the function that reports the error
   - Conclusion: root cause in parseExpr, line 142
   - Files: src/core/parser.ts
2. [in progress] Fix the boundary condition
   - Files: src/core/parser.ts
3. [blocked] Add unit tests
   - Conclusion: the runner has no node 20

## Next step

Count open brackets in parseExpr

## Anchor

src/core/parser.ts:142

## Blockers

- ops must update the runner
"""
    )
    assert task_file.parse(text).unread == ()


def test_a_task_in_chinese() -> None:
    text = template(CURRENT_TASK, "zh")
    text = set_goal(text, "修复 parser 在嵌套括号场景下的解析错误")
    text = add_step(text, "定位报错函数")
    text = add_step(text, "修复边界条件", status="in_progress")
    text = set_step(
        text,
        1,
        status="done",
        conclusion="根因在 parseExpr，line 142",
        files=["src/core/parser.ts", "src/core/lexer.ts"],
    )
    assert (
        said(text)
        == """\
# 当前任务

## 目标

修复 parser 在嵌套括号场景下的解析错误

## 约束

## 步骤

1. [已完成] 定位报错函数
   - 结论：根因在 parseExpr，line 142
   - 文件：src/core/parser.ts、src/core/lexer.ts
2. [进行中] 修复边界条件

## 下一步

## 锚点

## 阻塞
"""
    )


def test_decisions_of_which_one_supersedes_the_other() -> None:
    text = template("04-decision-log.md", "en")
    text, first = decide(text, "Use winston", "the team knows it", confidence="low")
    text, second = decide(
        text,
        "Use pino through src/utils/logger.ts",
        "structured child loggers",
        alternatives=[Alternative("winston", "slow"), Alternative("console")],
        confidence="high",
        supersedes=["1"],
        date="2026-11-29",
    )
    assert (
        said(text)
        == """\
# Decision log

## D-0001 Use winston

- Reason: the team knows it
- Confidence: low

## D-0002 Use pino through src/utils/logger.ts

- Reason: structured child loggers
- Alternatives: winston (slow); console
- Confidence: high
- Supersedes: D-0001
- Date: 2026-11-29
"""
    )
    log = log_file.parse(text)
    assert log.decisions == (first, second)
    assert log.live() == (second,)
    assert log.next_id() == "D-0003"
    assert log.next_id(above=40) == "D-0041"
    taken = decision_taken(text, "D-0001")
    assert taken.entries == (
        "## D-0001 Use winston\n\n- Reason: the team knows it\n- Confidence: low",
    )
    assert log_file.parse(taken.text).decisions == (second,)


def test_an_issue_opened_and_resolved() -> None:
    text = template("03-known-issues.md", "zh")
    text, _ = open_issue(text, "`pnpm test` 会卡住", workaround="加 --runInBand")
    text, _ = open_issue(text, "旧代码没有测试", kind_="debt", date="2026-11-29")
    text = resolve(text, "1", "升级到 vitest 3")
    assert (
        said(text)
        == """\
# 已知问题

## I-0001 `pnpm test` 会卡住

- 类型：缺陷
- 状态：已解决
- 临时方案：加 --runInBand
- 解决方式：升级到 vitest 3

## I-0002 旧代码没有测试

- 类型：技术债
- 状态：未解决
- 日期：2026-11-29
"""
    )


def test_context_rules_and_map() -> None:
    text = template(PROJECT_CONTEXT, "en")
    text = set_fact(text, "package manager", "npm")
    text = set_fact(text, "package manager", "pnpm 9", "pnpm-lock.yaml")
    text = set_command(text, "test", "pnpm test")
    text = add_forbidden(text, "Never edit legacy/")
    assert (
        said(text)
        == """\
# Project context

## Facts

- package manager: pnpm 9 (source: pnpm-lock.yaml)

## Commands

- test: `pnpm test`

## Forbidden

- Never edit legacy/
"""
    )
    text = template(NUMBERED[1], "zh")
    text = add_rule(text, "必须通过 src/repository/ 访问数据库")
    text = add_rule(text, "禁止使用 npm 和 yarn")
    assert (
        said(text)
        == """\
# 编码约定

## 规则

- 必须通过 src/repository/ 访问数据库
- 禁止使用 npm 和 yarn
"""
    )
    text = template(NUMBERED[5], "en")
    text = put(text, MapEntry("src/a.ts", "entry", uses=("src/b.ts", "a b.ts")))
    text = put(text, MapEntry("Makefile", "build", tested_by=("test.sh",)))
    text = put(text, MapEntry("src/a.ts", "the entry", generated_from=("gen.py",)))
    assert (
        said(text)
        == """\
# File map

## Files

- src/a.ts: the entry; generated from: gen.py
- Makefile: build; tested by: test.sh
"""
    )
