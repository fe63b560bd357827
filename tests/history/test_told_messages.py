"""Whole messages of a piece of work, in both languages, compared with what is expected."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitstate.documents.anchors import Anchor
from gitstate.documents.attempts import Attempt
from gitstate.history.changes import between
from gitstate.history.columns import columns
from gitstate.history.message import compose
from gitstate.memory import attempts, conclusions
from gitstate.memory.finishing import finish
from tests.documents.taking import issue_taken
from tests.history.stories import ISSUES, LOG, RULES, TASK, State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitstate.documents.vocabulary import Lang

TRAILERS = "State-Version: 42\n"
GOAL = "Fix nested brackets in src/core/parser.ts parseExpr"


def told(before: Mapping[bytes, bytes], after: Mapping[bytes, bytes], lang: str) -> str:
    message = compose(42, [], TRAILERS, lang=lang, told=between(before, after))
    assert message.endswith(f"\n\n{TRAILERS}")
    assert columns(message.partition("\n")[0]) <= 72
    return message.removesuffix(f"\n\n{TRAILERS}")


def at_work(lang: Lang = "en") -> State:
    state = State(lang)
    state.start(
        GOAL,
        "Locate the function that reports the error",
        "Fix the boundary condition",
        "Add unit tests for nested groups",
    )
    return state


def test_a_task_is_begun() -> None:
    state = State()
    before = state.data()
    state.start(GOAL, "Locate it", "Fix it", anchor=Anchor("src/core/parser.ts", 142))

    assert told(before, state.data(), "en") == (
        "state v42: task started: Fix nested brackets in src/core/parser.ts pars…\n"
        "\n"
        "Progress:\n"
        f"- task started: {GOAL}\n"
        "- added: Locate it\n"
        "- added: Fix it\n"
        "- anchor: src/core/parser.ts:142"
    )


def test_a_step_is_done_and_a_decision_made() -> None:
    state = at_work()
    state.step(1, "done", "root cause in parseExpr, line 142")
    state.step(2, "in_progress")
    before = state.data()
    state.step(2, "done", "parseExpr accepted an empty group")
    state.step(3, "in_progress")
    state.next("Add unit tests for nested groups in tests/parser.test.ts")
    state.decide("Use pino", "structured child loggers", confidence="high")
    state.open_issue("Mixed lock files after npm install")

    assert told(before, state.data(), "en") == (
        "state v42: done 2/3 – Fix the boundary condition; decision: Use pino; i…\n"
        "\n"
        "Progress:\n"
        "- done: Fix the boundary condition – parseExpr accepted an empty group\n"
        "- begun: Add unit tests for nested groups\n"
        "- next: Add unit tests for nested groups in tests/parser.test.ts\n"
        "Decisions:\n"
        "- D-0001 Use pino (reason: structured child loggers; confidence: high)\n"
        "Issues:\n"
        "- opened I-0001 Mixed lock files after npm install"
    )


def test_the_same_in_chinese() -> None:
    state = State("zh")
    state.start(
        "修复 parser 在嵌套括号场景下的解析错误", "定位报错函数", "修复边界条件"
    )
    state.step(1, "in_progress")
    before = state.data()
    state.step(1, "done", "根因在 parseExpr，line 142")
    state.step(2, "blocked", "等待 CI 升级")
    state.next("在 tests/parser.test.ts 补充单元测试")
    state.decide("日志统一使用 pino", "结构化子日志", confidence="low")
    state.open_issue("npm install 之后锁文件混用", "手动删除 package-lock.json")
    state.rule("禁止手工修改 dist/")
    state.fact("包管理器", "pnpm")
    state.map("src/core/parser.ts", "解析器")

    assert told(before, state.data(), "zh") == (
        "state v42: 完成 1/2 – 定位报错函数；受阻：修复边界条件；决策：日志统一…\n"
        "\n"
        "进展：\n"
        "- 完成：定位报错函数 – 根因在 parseExpr，line 142\n"
        "- 受阻：修复边界条件 – 等待 CI 升级\n"
        "- 下一步：在 tests/parser.test.ts 补充单元测试\n"
        "决策：\n"
        "- D-0001 日志统一使用 pino（理由：结构化子日志；置信度：低）\n"
        "问题：\n"
        "- 提出 I-0001 npm install 之后锁文件混用（临时方案：手动删除 package-lock.json）\n"
        "规则：\n"
        "- 新增：禁止手工修改 dist/\n"
        "事实：\n"
        "- 新增：包管理器: pnpm\n"
        "文件地图：\n"
        "- 收录：src/core/parser.ts – 解析器"
    )


def test_decisions_superseded_revised_and_withdrawn() -> None:
    state = State()
    state.decide("Use winston", "the team knows it")
    state.decide("Use yarn", "it is there")
    state.decide("Deploy by hand", "no runner yet")
    before = state.data()
    state.decide("Use pino for logging", "structured child loggers", "1")
    state.withdraw("D-0003")
    state.edit(LOG, lambda text: text.replace("it is there", "its lock file is kept"))

    assert told(before, state.data(), "en") == (
        "state v42: decision: Use pino for log…; decision superseded: Use winsto…\n"
        "\n"
        "Decisions:\n"
        "- D-0004 Use pino for logging (reason: structured child loggers)\n"
        "- superseded D-0001 Use winston (by D-0004)\n"
        "- revised D-0002 Use yarn (reason: its lock file is kept)\n"
        "- withdrawn D-0003 Deploy by hand"
    )


def test_a_removed_prohibition_stands_first() -> None:
    state = at_work()
    state.rule("Must use tabs in src/a.py")
    state.rule("Never edit dist/ by hand")
    before = state.data()
    state.step(1, "done", "found")
    state.rule("Must run ruff before a commit")
    state.edit(RULES, lambda text: text.replace("- Never edit dist/ by hand\n", ""))
    state.edit(RULES, lambda text: text.replace("tabs", "four spaces"))

    assert told(before, state.data(), "en") == (
        "state v42: rule removed: Never edit dist/…; done 1/3 – Locate the funct…\n"
        "\n"
        "Rules:\n"
        "- removed: Never edit dist/ by hand\n"
        "- changed: Must use four spaces in src/a.py (was: Must use tabs in src/a.py)\n"
        "- added: Must run ruff before a commit\n"
        "Progress:\n"
        "- done: Locate the function that reports the error – found"
    )


def test_a_prohibition_that_became_an_order_is_one_that_was_removed() -> None:
    state = State()
    state.rule("Must keep the changelog")
    state.rule("Never push to main without a review")
    before = state.data()
    state.edit(RULES, lambda text: text.replace("Must keep", "Must always keep"))
    state.edit(
        RULES,
        lambda text: text.replace("Never push to main without", "Push to main after"),
    )

    assert told(before, state.data(), "en").split("\n")[2:] == [
        "Rules:",
        "- changed: Push to main after a review (was: Never push to main without a review)",
        "- changed: Must always keep the changelog (was: Must keep the changelog)",
    ]


def test_a_prohibition_beside_one_that_is_alike_is_still_seen_to_go() -> None:
    state = State()
    state.rule("Must keep the changelog")
    state.rule("Never push to main")
    state.rule("Never edit dist/")
    state.rule("禁止推送到主干")
    before = state.data()
    reworded = {
        "Must keep": "Must always keep",
        "push to main": "push to dev",
        "edit dist/": "edit dist/ or gen/",
        "主干": "开发分支",
    }
    state.edit(
        RULES, lambda text: re.sub("|".join(reworded), lambda m: reworded[m[0]], text)
    )

    assert told(before, state.data(), "en").split("\n")[2:] == [
        "Rules:",
        "- removed: Never push to main",
        "- removed: 禁止推送到主干",
        "- changed: Must always keep the changelog (was: Must keep the changelog)",
        "- added: Never push to dev",
        "- changed: Never edit dist/ or gen/ (was: Never edit dist/)",
        "- added: 禁止推送到开发分支",
    ]


def test_a_step_whose_conclusion_alone_is_another_does_not_say_what_it_was() -> None:
    state = at_work()
    state.step(1, "done", "found")
    before = state.data()
    state.edit(TASK, lambda text: text.replace("found", "found in line 142"))

    body = told(before, state.data(), "en").split("\n")[2:]
    assert body == [
        "Progress:",
        "- changed: Locate the function that reports the error – found in line 142",
    ]


def test_issues_resolved_reopened_and_both_at_once() -> None:
    state = State()
    state.open_issue("Flaky tests/parser.test.ts", "run it twice")
    state.open_issue("No source maps in dist/")
    state.resolve("2", "rollup writes them")
    before = state.data()
    state.resolve("1", "the clock is injected")
    state.edit(
        ISSUES,
        lambda text: text.replace(
            "- Status: resolved\n- Resolution: rollup",
            "- Status: open\n- Resolution: rollup",
        ),
    )
    state.open_issue("Mixed lock files")
    state.resolve("3", "package-lock.json is gone")

    assert told(before, state.data(), "en").split("\n")[2:] == [
        "Issues:",
        "- resolved I-0001 Flaky tests/parser.test.ts (resolution: the clock is injected)",
        "- reopened I-0002 No source maps in dist/",
        "- opened and resolved I-0003 Mixed lock files (resolution: package-lock.json is gone)",
    ]


def test_a_task_is_finished_and_goes_to_completed() -> None:
    state = at_work()
    for number in (1, 2, 3):
        state.step(number, "done", f"conclusion {number}")
    before = state.data()
    done = finish(state.texts[TASK], None, None)
    after = before | {
        TASK.encode(): done.task.encode(),
        b"completed/2026-11-29-fix.md": done.completed.encode(),
        b"long_mem/conclusions.md": (done.conclusions or "").encode(),
    }

    assert told(before, after, "en") == (
        "state v42: task finished: Fix nested brackets in src/core/parser.ts par…\n"
        "\n"
        "Progress:\n"
        f"- task finished: {GOAL}"
    )


def test_a_task_begun_and_finished_within_the_span_tells_its_steps() -> None:
    state = State()
    before = state.data()
    state = at_work()
    for number in (1, 2, 3):
        state.step(number, "done", f"conclusion {number}")
    done = finish(state.texts[TASK], None, None)
    after = before | {
        b"completed/2026-11-29-fix.md": done.completed.encode(),
        b"long_mem/conclusions.md": (done.conclusions or "").encode(),
    }
    after[TASK.encode()] = done.task.encode() + b"\n"

    assert told(before, after, "en").split("\n")[2:] == [
        "Progress:",
        f"- task started and finished: {GOAL}",
        "- done: Locate the function that reports the error – conclusion 1",
        "- done: Fix the boundary condition – conclusion 2",
        "- done: Add unit tests for nested groups – conclusion 3",
    ]


def test_another_task_in_the_place_of_one() -> None:
    state = at_work()
    before = state.data()
    state = State()
    state.start("Release 2.0 from scripts/release.sh", "Tag it")

    assert told(before, state.data(), "en").split("\n")[2:] == [
        "Progress:",
        f"- task ended: {GOAL}",
        "- task started: Release 2.0 from scripts/release.sh",
        "- added: Tag it",
    ]


def test_what_moved_to_an_archive_is_not_removed() -> None:
    state = State()
    state.open_issue("Flaky tests/parser.test.ts")
    state.open_issue("No source maps in dist/")
    state.resolve("1", "the clock is injected")
    before = state.data()
    taken = issue_taken(state.texts[ISSUES], "I-0001")
    after = before | {
        ISSUES.encode(): taken.text.encode(),
        b"resolved/03-known-issues.md": taken.entries[0].encode(),
    }

    assert told(before, after, "en").split("\n")[2:] == [
        "Issues:",
        "- archived I-0001 Flaky tests/parser.test.ts",
    ]
    after.pop(b"resolved/03-known-issues.md")
    assert told(before, after, "en").split("\n")[2:] == [
        "Issues:",
        "- removed I-0001 Flaky tests/parser.test.ts",
    ]


def test_notes_and_failed_attempts() -> None:
    state = at_work()
    before = state.data()
    failed = attempts.add(
        None, GOAL, Attempt("Change line 140", "it breaks the other branch"), "en"
    )
    noted = conclusions.add_note(
        None, "The tokenizer drops a comma", Anchor("src/tokens.ts", 88), "en"
    )
    after = before | {
        b"long_mem/failed-attempts.md": failed.encode(),
        b"long_mem/conclusions.md": noted.encode(),
    }

    assert told(before, after, "en") == (
        "state v42: failed: Change line 140; noted: The tokenizer drops a comma\n"
        "\n"
        "Progress:\n"
        "- failed: Change line 140 – it breaks the other branch\n"
        "- noted: The tokenizer drops a comma (src/tokens.ts:88)"
    )


def test_facts_commands_and_the_map() -> None:
    state = State()
    state.fact("package manager", "npm")
    state.map("src/a.ts", "entry")
    before = state.data()
    state.fact("package manager", "pnpm")
    state.fact("language", "TypeScript")
    state.map("src/a.ts", "the command line")
    state.map("src/b.ts", "the parser")

    assert told(before, state.data(), "en") == (
        "state v42: fact changed: package manager: pnpm; fact added: language: T…\n"
        "\n"
        "Facts:\n"
        "- changed: package manager: pnpm (was: npm)\n"
        "- added: language: TypeScript\n"
        "File map:\n"
        "- changed: src/a.ts – the command line\n"
        "- mapped: src/b.ts – the parser"
    )


def test_what_was_undone_does_not_show() -> None:
    state = at_work()
    before = state.data()
    state.step(1, "done", "found")
    state.decide("Use pino", "child loggers")
    undone = State(texts=dict(state.texts))
    undone.texts = {name: before[name.encode()].decode() for name in undone.texts}

    assert between(before, undone.data()).items == ()
    assert told(before, undone.data(), "en") == "state v42: no file changed"
