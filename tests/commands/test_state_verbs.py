"""Every verb that writes state: its whole output, and the whole file after it."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import jsonschema
import pytest

from gitstate import lock
from gitstate.commands import init as init_verb
from gitstate.memory.schema import task_schema
from gitstate.workspace import Workspace
from tests.engines import files_of, files_on_disk, numbers, versions
from tests.inside import Said, call
from tests.support import NUMBERED, Repo, make_repo

if TYPE_CHECKING:
    from pathlib import Path

CONTEXT, CONVENTIONS, TASK, ISSUES, DECISIONS, MAP = NUMBERED
GOAL = "Fix nested brackets in src/core/parser.ts parseExpr"
NOW = "2026-11-29T14:05:00+01:00"


class Kept(Repo):
    """A repository with gitstate; ``do`` is a verb that must work."""

    def do(self, *words: str) -> str:
        said = call(self.path, *words)
        assert (said.code, said.err) == (0, ""), (words, said)
        return said.out

    def refuses(self, *words: str) -> str:
        """What a verb refuses, with nothing written."""
        before = files_on_disk(self.ws)
        said = call(self.path, *words)
        assert (said.code, said.out) == (1, ""), (words, said)
        assert files_on_disk(self.ws) == before
        return said.err.removeprefix("gitstate: ").removesuffix("\n")

    @property
    def ws(self) -> Workspace:
        return Workspace.open(self.path)

    def says(self, name: str) -> str:
        """A file without its header and the template's guidance."""
        text = (self.state / name).read_text()
        body = text.split("---\n", 2)[2] if text.startswith("---\n") else text
        return re.sub(r"\n*<!--.*?-->", "", body, flags=re.DOTALL)


def begin(path: Path, lang: str) -> Kept:
    repo = Kept(make_repo(path).path)
    repo.commit("src/core/parser.ts", "x\n")
    repo.commit("src/core/tokens.ts", "y\n")
    init_verb.run(repo.path, lang, no_hooks=True, no_daemon=True, dry_run=False)
    return repo


@pytest.fixture(autouse=True)
def now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITSTATE_NOW", NOW)


@pytest.fixture
def repo(tmp_path: Path) -> Kept:
    return begin(tmp_path / "repo", "en")


@pytest.fixture
def zh(tmp_path: Path) -> Kept:
    return begin(tmp_path / "zh", "zh")


# --- task ----------------------------------------------------------------------------


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


# --- decisions, issues, rules, facts, the map -----------------------------------------


def test_decide(repo: Kept, zh: Kept) -> None:
    example = (
        'gitstate decide "Use pino for logging" --reason "structured child loggers"'
    )
    assert repo.refuses("decide", "Use npm") == (
        f"a decision needs its reason, like: {example}"
    )
    assert repo.refuses("decide", "", "--reason", "x") == (
        f"the decision says nothing; say it like: {example}"
    )
    assert repo.do(
        *("decide", "Use npm", "--reason", "it is there"),
        *("--alternative", "yarn: one more tool", "--alternative", "pnpm"),
    ) == ("D-0001 Use npm (v2)\n")
    assert repo.refuses("decide", "x", "--reason", "y", "--supersedes", "D-4") == (
        "there is no decision D-0004; the decisions are: D-0001"
    )
    assert repo.refuses("decide", "x", "--reason", "y", "--supersedes", "that") == (
        "not the number of a decision: that; it looks like D-0003"
    )
    repo.write("archive/old.md", "# Archive\n\n## D-0007 Use make\n\n- Reason: old\n")
    assert repo.do(
        *("decide", "Use yarn", "--reason", "npm writes two lock files"),
        *("--confidence", "high", "--supersedes", "d1", "--supersedes", "7"),
    ) == ("D-0008 Use yarn (v3)\n")
    assert (
        repo.says(DECISIONS)
        == """\
# Decision log

## D-0001 Use npm

- Reason: it is there
- Alternatives: yarn (one more tool); pnpm
- Confidence: medium
- Date: 2026-11-29

## D-0008 Use yarn

- Reason: npm writes two lock files
- Confidence: high
- Supersedes: D-0001, D-0007
- Date: 2026-11-29
"""
    )
    zh.do(
        "decide",
        "使用 yarn",
        "--reason",
        "npm 写两个锁文件",
        "--alternative",
        "npm：慢",
    )
    assert (
        zh.says(DECISIONS)
        == """\
# 决策记录

## D-0001 使用 yarn

- 理由：npm 写两个锁文件
- 替代方案：npm（慢）
- 置信度：中
- 日期：2026-11-29
"""
    )


def test_issues(repo: Kept, zh: Kept) -> None:
    assert repo.refuses("issue", "add", "-") == (
        "the issue says nothing; say it like: gitstate issue add "
        '"npm install leaves two lock files" --kind bug'
    )
    assert repo.do("issue", "list") == ""
    assert repo.do(
        *("issue", "add", "Two lock files after npm install"),
        *("--workaround", "delete package-lock.json"),
    ) == ("I-0001 Two lock files after npm install (v2)\n")
    assert repo.do("issue", "add", "Slow tests", "--kind", "debt") == (
        "I-0002 Slow tests (v3)\n"
    )
    assert repo.do("issue", "list") == (
        "I-0001  bug   Two lock files after npm install (meanwhile: delete "
        "package-lock.json)\nI-0002  debt  Slow tests\n"
    )
    assert repo.do("issue", "resolve", "I-1", "yarn alone is used") == (
        "I-0001 resolved (v4)\n"
    )
    assert repo.do("issue", "resolve", "1") == "I-0001 resolved (v4)\n"
    assert repo.refuses("issue", "resolve", "I-9") == (
        "there is no I-9; the newest is I-0002"
    )
    assert (
        repo.says(ISSUES)
        == """\
# Known issues

## I-0001 Two lock files after npm install

- Kind: bug
- Status: resolved
- Workaround: delete package-lock.json
- Resolution: yarn alone is used
- Date: 2026-11-29

## I-0002 Slow tests

- Kind: debt
- Status: open
- Date: 2026-11-29
"""
    )
    assert repo.do("issue", "list", "--all").startswith("I-0001  bug   resolved  Two")
    assert json.loads(repo.do("issue", "list", "--json")) == [
        {
            "id": "I-0002",
            "title": "Slow tests",
            "kind": "debt",
            "status": "open",
            "workaround": None,
            "resolution": None,
            "date": "2026-11-29",
            "line": 30,
        }
    ]
    zh.do("issue", "add", "npm install 留下两个锁文件", "--kind", "workaround")
    zh.do("issue", "resolve", "I-0001")
    assert (
        zh.says(ISSUES)
        == """\
# 已知问题

## I-0001 npm install 留下两个锁文件

- 类型：临时方案
- 状态：已解决
- 日期：2026-11-29
"""
    )


def test_rules(repo: Kept, zh: Kept) -> None:
    rule, forbidden = (
        "Never edit src/gen/, because make writes it",
        "Never push to main",
    )
    assert repo.do("rule", "add", rule) == f"rule: {rule} (v2)\n"
    assert repo.do("rule", "add", "--forbidden", forbidden) == (
        f"rule: {forbidden} (v3)\n"
    )
    assert repo.refuses("rule", "add", forbidden) == (
        f"it stands in {CONTEXT}:32 already"
    )
    assert repo.do("rule", "list") == (
        f"{CONVENTIONS}:21  {rule}\n{CONTEXT}:32     {forbidden}\n"
    )
    assert json.loads(repo.do("rule", "list", "--json")) == [
        {
            "rule": rule,
            "force": "never",
            "reason": "make writes it",
            "file": CONVENTIONS,
            "line": 21,
        },
        {
            "rule": forbidden,
            "force": "never",
            "reason": None,
            "file": CONTEXT,
            "line": 32,
        },
    ]
    assert repo.refuses("rule", "drop", "gen") == (
        'dropping a rule needs its reason, like: gitstate rule drop "src/gen" --reason '
        '"make no longer writes it"'
    )
    assert repo.refuses("rule", "drop", "never", "--reason", "x") == (
        f"2 rules have never in them: {CONVENTIONS}:21, {CONTEXT}:32"
    )
    assert repo.refuses("rule", "drop", "java", "--reason", "x") == (
        "no rule has java in it; see `gitstate rule list`"
    )
    assert repo.do("rule", "drop", "SRC/gen", "--reason", "make is gone") == (
        f"dropped: {rule}, as D-0001 (v4)\n"
    )
    assert repo.do("rule", "drop", forbidden, "--reason", "it is allowed") == (
        f"dropped: {forbidden}, as D-0002 (v5)\n"
    )
    assert repo.do("rule", "list") == ""
    assert (
        repo.says(DECISIONS)
        == f"""\
# Decision log

## D-0001 Drop the rule: {rule}

- Reason: make is gone
- Confidence: medium
- Date: 2026-11-29

## D-0002 Drop the rule: {forbidden}

- Reason: it is allowed
- Confidence: medium
- Date: 2026-11-29
"""
    )
    zh.do("rule", "add", "禁止修改 src/gen/")
    assert zh.says(CONVENTIONS) == "# 编码约定\n\n## 规则\n\n- 禁止修改 src/gen/\n"
    zh.do("rule", "drop", "src/gen", "--reason", "不再生成")
    assert zh.says(DECISIONS).startswith(
        "# 决策记录\n\n## D-0001 取消规则：禁止修改 src/gen/\n\n- 理由：不再生成\n"
    )


def test_facts(repo: Kept, zh: Kept) -> None:
    before = repo.do("fact", "list")
    assert repo.do(
        *("fact", "set", "package manager", "npm", "--source", "package.json")
    ) == ("package manager: npm (v2)\n")
    assert repo.do("fact", "set", "package manager", "yarn") == (
        "package manager: yarn (v3)\n"
    )
    assert repo.do("fact", "set", "--command", "test", "yarn test") == (
        "test: yarn test (v4)\n"
    )
    assert repo.do("fact", "list") == (
        f"{before}package manager: yarn\ntest: $ yarn test\n"
    )
    assert repo.says(CONTEXT).endswith(
        """\
- package manager: yarn

## Commands

- test: `yarn test`

## Forbidden
"""
    )
    found = json.loads(repo.do("fact", "list", "--json"))
    assert found["facts"][-1]["key"] == "package manager"
    assert [(one["name"], one["command"]) for one in found["commands"]] == [
        ("test", "yarn test")
    ]
    assert repo.do("fact", "drop", "package manager") == (
        "dropped: package manager (v5)\n"
    )
    assert repo.do("fact", "drop", "--command", "test") == "dropped: test (v6)\n"
    assert repo.do("fact", "list") == before
    assert repo.refuses("fact", "drop", "x\ny") == "there is no fact x\\ny"
    zh.do("fact", "set", "包管理器", "yarn", "--source", "package.json")
    assert "\n- 包管理器：yarn（来源：package.json）\n" in zh.says(CONTEXT)


def test_the_map(repo: Kept, zh: Kept) -> None:
    words = ("map", "add", "src/core/parser.ts")
    assert repo.refuses(*words) == (
        "the role says nothing; say it like: gitstate map add src/core/parser.ts "
        '"parses expressions"'
    )
    assert repo.refuses("map", "add", "parser.ts", "x") == (
        "not a whole path from the repository's root: parser.ts; is it "
        "src/core/parser.ts?"
    )
    assert repo.do(*words, "parses expressions", "--uses", "src/core/tokens.ts") == (
        "map: src/core/parser.ts (v2)\n"
    )
    assert repo.do(*words, "--tested-by", "test/parser.test.ts") == (
        "map: src/core/parser.ts (v3)\n"
    )
    assert repo.do("map", "add", "src/core/", "the core") == "map: src/core/ (v4)\n"
    assert (
        repo.says(MAP)
        == """\
# File map

## Files

- src/core/parser.ts: parses expressions; uses: src/core/tokens.ts; tested by: test/parser.test.ts
- src/core/: the core
"""
    )
    zh.do(*words, "解析表达式", "--used-by", "src/core/tokens.ts")
    assert zh.says(MAP).endswith(
        "- src/core/parser.ts：解析表达式；被使用：src/core/tokens.ts\n"
    )


# --- operations and notes -------------------------------------------------------------


def test_operations_are_written_in_batches(repo: Kept) -> None:
    log = repo.state / "long_mem/operations.log"
    for number in range(4):
        assert repo.do(
            "op", "add", "src/core/parser.ts", "edit", f"change {number}"
        ) == ("edit src/core/parser.ts\n")
    assert not log.exists()
    assert numbers(repo.ws) == [1]
    assert (
        repo.do("op", "add", "src", "run", "yarn | tee: 3 failed") == "run src (v2)\n"
    )
    blob = "587be6b4c3f9"
    assert log.read_text() == "".join(
        f"{NOW} | src/core/parser.ts | edit {blob} | change {n}\n" for n in range(4)
    ) + (f"{NOW} | src | run | yarn | tee: 3 failed\n")
    repo.do("op", "add", "code.txt", "read", "the format")
    repo.do("op", "add", "gone.txt", "delete", "not needed")
    repo.do("task", "start", GOAL, "--step", "Locate it")
    assert log.read_text().count("\n") == 5
    assert repo.do("task", "begin", "1") == "step 1 in progress (v4)\n"
    assert log.read_text().splitlines()[5:] == [
        f"{NOW} | code.txt | read | the format",
        f"{NOW} | gone.txt | delete | not needed",
    ]
    assert files_of(repo.ws, versions(repo.ws)[0].commit.id) == files_on_disk(repo.ws)
    assert not (repo.state / ".gitstate-tmp").exists()
    assert repo.refuses("op", "add", "parser.ts", "edit", "x").endswith(
        "is it src/core/parser.ts?"
    )


def test_notes(repo: Kept, zh: Kept) -> None:
    assert repo.do("note", "the tokenizer drops a comma", "--file", "code.txt:8") == (
        "noted: the tokenizer drops a comma (v2)\n"
    )
    assert (
        repo.do("note", "Conclusion: a second") == "noted: Conclusion: a second (v3)\n"
    )
    assert (
        repo.says("long_mem/conclusions.md")
        == """\
# Conclusions

## Notes

- the tokenizer drops a comma
  - Anchor: code.txt:8
- Conclusion: a second
"""
    )
    assert repo.refuses("note", "x" * 201).startswith(
        "the conclusion has 201 characters; say it in one line of at most 200, like: "
    )
    zh.do("note", "分词器丢掉逗号", "--file", "src/core/tokens.ts")
    assert zh.says("long_mem/conclusions.md") == (
        "# 结论\n\n## 备注\n\n- 分词器丢掉逗号\n  - 锚点：src/core/tokens.ts\n"
    )


# --- what they have in common ---------------------------------------------------------


def test_before_init_and_outside(tmp_path: Path) -> None:
    bare = make_repo(tmp_path / "bare")
    for words in (("task", "start", GOAL), ("decide", "x", "--reason", "y")):
        assert call(bare.path, *words) == Said(
            1,
            "",
            f"gitstate: gitstate is not set up in {bare.path}; run `gitstate init`\n",
        )
    assert not bare.state.exists()


def test_a_held_lock_is_named_and_the_file_is_edited(
    repo: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = lock._acquire  # noqa: SLF001 no five seconds of waiting

    def impatient(fd: int, path: Path, wait_s: float) -> bool:
        return real(fd, path, min(wait_s, 0.05))

    monkeypatch.setattr(lock, "_acquire", impatient)
    with lock.held(repo.ws.lock_path, verb="restore", wait_s=0):
        said = call(repo.path, "task", "start", GOAL)
    assert (said.code, said.out) == (0, f"task: {GOAL}\n")
    assert re.fullmatch(
        r"gitstate: no version yet: process \d+ \(restore\) holds gitstate's lock "
        r"\S+/lock; the next version has it\n",
        said.err,
    )
    assert GOAL in (repo.state / TASK).read_text()
    assert repo.do("task", "step", "Locate it") == "step 1: Locate it (v2)\n"


def test_from_a_folder_below_and_with_hostile_words(repo: Kept) -> None:
    below = repo.path / "src" / "core"
    hostile = 'Fix a_b\x1b[31m "quoted" `code` $(x) ## <!-- | \\ 💥'
    assert call(below, "task", "start", hostile).code == 0
    shown = json.loads(call(below, "task", "show", "--json").out)
    assert shown["goal"] == hostile
    assert repo.refuses("task", "next", "Read a_b\udcff").startswith(
        "this is not UTF-8 text: "
    )
    assert repo.refuses("decide", "a\0b_c", "--reason", "x").startswith(
        "a NUL character cannot stand in"
    )
    assert call(repo.path, "decide", "--reason", "x", "--", "-rf").code == 0


def test_nothing_to_write_makes_no_version(repo: Kept) -> None:
    repo.do("task", "start", GOAL, "--next", "Read parseExpr")
    assert repo.do("task", "next", "Read parseExpr") == "next: Read parseExpr (v2)\n"


def test_the_task_s_data_is_in_the_version_of_its_edit(repo: Kept) -> None:
    text = (repo.state / TASK).read_text()
    repo.write(TASK, text.replace("## Goal\n", f"## Goal\n\n{GOAL}\n"))  # by hand
    assert repo.do("snapshot").startswith("v2 ")
    version = versions(repo.ws)[0]
    held = files_of(repo.ws, version.commit.id)
    state = json.loads(held["long_mem/task-state.json"])
    assert state["goal"] == GOAL
    assert state["source"] == repo.git("rev-parse", f"agent-state:.agent-state/{TASK}")
    assert repo.do("snapshot") == "unchanged since v2\n"
    (repo.state / "long_mem/task-state.json").write_text("{}")  # not to be edited
    repo.write(ISSUES, "other\n")
    repo.do("snapshot")
    assert files_on_disk(repo.ws) | {ISSUES: b""} == held | {ISSUES: b""}
