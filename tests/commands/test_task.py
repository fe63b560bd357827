"""``gitstate task``: whole outputs, the whole file, both languages, and what is refused."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import pytest

from tests.commands.kept import GOAL, TASK, Kept, now, repo, zh
from tests.engines import numbers
from tests.inside import call

__all__ = ["now", "repo", "zh"]


def test_a_task_in_english(repo: Kept) -> None:
    assert repo.do(
        *("task", "start", GOAL, "--anchor", "src/core/parser.ts:142"),
        *("--constraint", "Keep E_MODULE_REASON", "--next", "Read parseExpr"),
    ) == (f"task: {GOAL} (v2)\n")
    assert repo.do("task", "step", "Locate it", "Fix it", "Add unit tests") == (
        "step 1: Locate it\nstep 2: Fix it\nstep 3: Add unit tests (v3)\n"
    )
    assert repo.do("task", "begin", "1") == "step 1 in progress (v4)\n"
    assert repo.do(
        *("task", "done", "1", "root cause in parseExpr, line 142"),
        *("--file", "src/core/parser.ts", "--file", "src/core/tokens.ts"),
        *("--next", "Count open brackets in parseExpr"),
    ) == ("step 1 done (v5)\n")
    assert repo.do("task", "block", "2", "the runner has no node 20") == (
        "step 2 blocked: the runner has no node 20 (v6)\n"
    )
    assert repo.do("task", "block", "ops must update the runner") == (
        "blocked: ops must update the runner (v7)\n"
    )
    assert repo.do("task", "anchor", "src/core/tokens.ts") == (
        "anchor: src/core/tokens.ts (v8)\n"
    )
    assert (
        repo.says(TASK)
        == """\
# Current task

## Goal

Fix nested brackets in src/core/parser.ts parseExpr

## Constraints

- Keep E_MODULE_REASON

## Steps

1. [done] Locate it
   - Conclusion: root cause in parseExpr, line 142
   - Files: src/core/parser.ts, src/core/tokens.ts
2. [blocked] Fix it
   - Conclusion: the runner has no node 20
3. [todo] Add unit tests

## Next step

Count open brackets in parseExpr

## Anchor

src/core/tokens.ts

## Blockers

- ops must update the runner
"""
    )
    assert repo.do("task", "show") == (
        """\
Fix nested brackets in src/core/parser.ts parseExpr
  must: Keep E_MODULE_REASON
  [x] 1. Locate it
      root cause in parseExpr, line 142
  [!] 2. Fix it
      the runner has no node 20
  [ ] 3. Add unit tests
  blocked: ops must update the runner
  next: Count open brackets in parseExpr
  anchor: src/core/tokens.ts
"""
    )
    assert repo.do("task", "begin", "2") == "step 2 in progress (v9)\n"
    assert repo.do("task", "block", "--gone", "OPS must") == (
        "no longer blocked: ops must update the runner (v10)\n"
    )
    assert "2. [in progress] Fix it\n3. [todo]" in repo.says(TASK)
    assert repo.says(TASK).rstrip("\n").endswith("\n## Blockers")


def test_a_task_in_chinese(zh: Kept) -> None:
    zh.do(
        "task",
        "start",
        "修复 parser 在嵌套括号场景下的解析错误",
        "--step",
        "定位报错函数",
    )
    zh.do("task", "step", "修复边界条件")
    zh.do("task", "begin", "1")
    zh.do(
        "task", "done", "1", "根因在 parseExpr，142 行", "--file", "src/core/parser.ts"
    )
    zh.do("task", "block", "2", "等待 CI")
    zh.do("task", "next", "在 parseExpr 中统计未闭合的括号")
    zh.do("task", "anchor", "src/core/parser.ts:142")
    zh.do("task", "fail", "直接改 140 行", "--reason", "破坏了另一条分支")
    assert (
        zh.says(TASK)
        == """\
# 当前任务

## 目标

修复 parser 在嵌套括号场景下的解析错误

## 约束

## 步骤

1. [已完成] 定位报错函数
   - 结论：根因在 parseExpr，142 行
   - 文件：src/core/parser.ts
2. [受阻] 修复边界条件
   - 结论：等待 CI

## 下一步

在 parseExpr 中统计未闭合的括号

## 锚点

src/core/parser.ts:142

## 阻塞
"""
    )
    assert (
        zh.says("long_mem/failed-attempts.md")
        == """\
# 失败的尝试

## 修复 parser 在嵌套括号场景下的解析错误

- 直接改 140 行
  - 原因：破坏了另一条分支
"""
    )


def test_what_would_make_a_task_vague_is_refused(repo: Kept) -> None:
    start = 'gitstate task start "Fix nested brackets in src/core/parser.ts parseExpr"'
    done = 'gitstate task done 1 "root cause in parseExpr, src/core/parser.ts:142"'
    next_ = (
        'gitstate task next "Count open brackets in parseExpr, src/core/parser.ts:142"'
    )
    assert repo.refuses("task", "start", "Fix the bug") == (
        f"the goal names no file, function or other thing: Fix the bug; name one, like: "
        f"{start}"
    )
    assert repo.refuses("task", "start", " ") == (
        f"the goal says nothing; say it like: {start}"
    )
    assert repo.refuses("task", "start", "Fix parseExpr\nand more") == (
        f"the goal has 2 lines; say it in one, like: {start}"
    )
    assert repo.refuses("task", "step", "Locate it") == (
        f"there is no task; begin one, like: {start}"
    )
    repo.do("task", "start", GOAL, "--step", "Locate it", "--step", "Fix it")
    assert repo.refuses("task", "start", "Fix src/core/tokens.ts") == (
        f"there is a task already: {GOAL}; `gitstate task finish` moves it to completed/"
    )
    assert repo.refuses("task", "next", "Go on") == (
        f"the next step names no file, function or other thing: Go on; name one, like: "
        f"{next_}"
    )
    assert repo.refuses("task", "done", "1") == (
        f"a conclusion is missing: what was found or changed? Like: {done}"
    )
    assert repo.refuses("task", "done", "1", "x" * 201) == (
        "the conclusion has 201 characters; say it in one line of at most 200, like: "
        f"{done}"
    )
    assert repo.refuses("task", "done", "1", "one\n\ntwo\rthree") == (
        f"the conclusion has 3 lines; say it in one, like: {done}"
    )
    assert repo.refuses("task", "done", "7", "x") == (
        "there is no step 7; the steps are: 1, 2"
    )
    assert repo.refuses("task", "block", "1") == (
        "what does step 1 wait for? Say it like: gitstate task block 1 "
        '"the CI runner has no node 20"'
    )
    repo.do("task", "begin", "1")
    assert repo.refuses("task", "begin", "2") == (
        f"step 1 is in progress: end it first, like: {done}"
    )
    assert repo.refuses("task", "block", "--gone", "ops") == (
        "no blocker has ops in it; the blockers are: none"
    )
    assert repo.refuses("task", "fail", "Change line 140") == (
        "a failed attempt needs its reason, like: gitstate task fail "
        '"Change line 140 alone" --reason "breaks the other branch"'
    )
    assert repo.refuses("task", "finish") == (
        "steps 1, 2 are not done: `gitstate task done 1 CONCLUSION`, or "
        "`gitstate task finish --unfinished`"
    )
    assert numbers(repo.ws)[0] == 3


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ("parser.ts:142", "parser.ts; is it src/core/parser.ts?"),
        ("core/parser.ts", "core/parser.ts; is it src/core/parser.ts?"),
        ("nowhere.ts", "nowhere.ts; write it like: EXAMPLE"),
        ("/etc/passwd", "/etc/passwd; write it like: EXAMPLE"),
        ("./src/core/parser.ts", "./src/core/parser.ts; write it like: EXAMPLE"),
        ("../x.ts:3", "../x.ts; write it like: EXAMPLE"),
        ("~/x.ts", "~/x.ts; write it like: EXAMPLE"),
        ("src//x.ts", "src//x.ts; write it like: EXAMPLE"),
        ("x" * 5000, f"{'x' * 5000}; write it like: EXAMPLE"),
        ("a\nb/c", "a\\nb/c; write it like: EXAMPLE"),
    ],
)
def test_a_path_that_is_not_whole(repo: Kept, given: str, line: str) -> None:
    repo.do("task", "start", GOAL)
    line = line.replace("EXAMPLE", "gitstate task anchor src/core/parser.ts:142")
    assert repo.refuses("task", "anchor", given) == (
        f"not a whole path from the repository's root: {line}"
    )


def test_a_path_that_is_not_there_yet(repo: Kept) -> None:
    repo.do("task", "start", GOAL, "--anchor", "src/new/file.ts:7")
    assert repo.do("task", "anchor", "code.txt:1") == "anchor: code.txt:1 (v3)\n"
    assert repo.refuses("task", "anchor", "code.txt:0").startswith("there is no line 0")


def test_wrong_words_are_the_callers(repo: Kept) -> None:
    for words in (
        ("task", "begin", "one"),
        ("task", "block"),
        ("task", "block", "1", "a", "b"),
        ("task", "block", "--gone", "x", "y"),
        ("task", "step"),
        ("decide", "x", "--confidence", "certain"),
        ("op", "add", "code.txt", "moved", "x"),
    ):
        assert call(repo.path, *words).code == 2, words


def test_a_conclusion_is_said_as_a_word_or_with_the_option(repo: Kept) -> None:
    repo.do("task", "start", GOAL, "--step", "Locate it", "--step", "Fix it")
    done = ("task", "done", "1", "--conclusion", "root cause in parseExpr")
    assert repo.do(*done) == "step 1 done (v3)\n"
    assert "   - Conclusion: root cause in parseExpr\n" in repo.says(TASK)
    both = call(repo.path, *done, "and another")
    assert (both.code, both.out) == (2, "")
    assert "say it once: as a word, or with --conclusion" in both.err
