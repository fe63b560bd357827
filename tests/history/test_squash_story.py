"""Ten simulated days, with nights that are missed and runs that are killed."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import os
import re
import signal
from typing import TYPE_CHECKING

import pytest

from gitstate.history import rewriting
from gitstate.workspace import Workspace
from tests.history.simulated import at, on_line, require_resolved, squashed, trees
from tests.inside import call
from tests.support import Repo, make_repo

if TYPE_CHECKING:
    from pathlib import Path

# day of November 2026 -> what is said to the command on it
DAYS: dict[int, list[tuple[str, ...]]] = {
    20: [("decide", "Use pino", "--reason", "child loggers --- structured")],
    21: [
        ("task", "start", "Fix nested brackets in src/parser.ts parseExpr"),
        ("task", "step", "Locate parseExpr", "Add unit tests"),
        ("task", "done", "1", "root cause in parseExpr, line 142"),
    ],
    23: [
        ("issue", "add", "npm writes two lock files"),
        ("decide", "Use yarn", "--reason", "npm writes two lock files"),
    ],
    24: [
        (
            "decide",
            "Use zod",
            "--reason",
            "schemas are shared",
            "--supersedes",
            "D-0001",
        )
    ],
    25: [("issue", "resolve", "I-0001", "yarn alone writes one")],
    26: [("rule", "add", "Never call eval() in src/parser.ts")],
    29: [("task", "done", "2", "12 cases, all pass"), ("task", "finish")],
}


EXPECTED = {
    "en": """
state 2026-11-20: 1 decision (v1–v2)

Decisions:
- D-0001 Use pino (reason: child loggers --- structured)

state 2026-11-21: 1 step done (v3–v5)

Progress:
- task started: Fix nested brackets in src/parser.ts parseExpr
- done: Locate parseExpr – root cause in parseExpr, line 142
- added: Add unit tests
Files:
- added long_mem/task-state.json

state 2026-11-23: 1 decision, 1 issue opened (v6–v7)

Decisions:
- D-0002 Use yarn (reason: npm writes two lock files)
Issues:
- opened I-0001 npm writes two lock files

state 2026-11-24: 1 decision (v8)

Decisions:
- D-0003 Use zod (reason: schemas are shared)
- superseded D-0001 Use pino (by D-0003)

state 2026-11-25: 1 issue resolved (v9)

Issues:
- resolved I-0001 npm writes two lock files (resolution: yarn alone writes one)

state 2026-11-26: 1 rule changed (v10)

Rules:
- added: Never call eval() in src/parser.ts

state 2026-11-29: 1 task finished, 1 step done (v11–v12)

Progress:
- task finished: Fix nested brackets in src/parser.ts parseExpr
- done: Add unit tests – 12 cases, all pass
Files:
- added completed/2026-11-29-fix-nested-brackets-in-src-parser-ts-parseexpr.md
- added long_mem/conclusions.md
""",
    "zh": """
state 2026-11-20: 1 项决策 (v1–v2)

决策：
- D-0001 Use pino（理由：child loggers --- structured）

state 2026-11-21: 1 个步骤完成 (v3–v5)

进展：
- 开始任务：Fix nested brackets in src/parser.ts parseExpr
- 完成：Locate parseExpr – root cause in parseExpr, line 142
- 新增：Add unit tests
文件：
- 新增 long_mem/task-state.json

state 2026-11-23: 1 项决策、1 个问题提出 (v6–v7)

决策：
- D-0002 Use yarn（理由：npm writes two lock files）
问题：
- 提出 I-0001 npm writes two lock files

state 2026-11-24: 1 项决策 (v8)

决策：
- D-0003 Use zod（理由：schemas are shared）
- 被取代 D-0001 Use pino（取代者：D-0003）

state 2026-11-25: 1 个问题解决 (v9)

问题：
- 解决 I-0001 npm writes two lock files（解决方式：yarn alone writes one）

state 2026-11-26: 1 条规则变更 (v10)

规则：
- 新增：Never call eval() in src/parser.ts

state 2026-11-29: 1 个任务完成、1 个步骤完成 (v11–v12)

进展：
- 完成任务：Fix nested brackets in src/parser.ts parseExpr
- 完成：Add unit tests – 12 cases, all pass
文件：
- 新增 completed/2026-11-29-fix-nested-brackets-in-src-parser-ts-parseexpr.md
- 新增 long_mem/conclusions.md
""",
}


def killed(ws: Workspace, moment: str, step: str) -> None:
    """A run that is killed just before a step of it."""
    pid = os.fork()
    if pid == 0:
        setattr(rewriting, step, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
        squashed(ws, moment)
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_ten_days(tmp_path: Path, lang: str) -> None:
    repo = make_repo(tmp_path / "repo")
    repo.git("config", "gitstate.lang", lang)
    with at("2026-11-20T08:00:00+08:00"):
        assert (
            call(repo.path, "init", "--lang", lang, "--no-daemon", "--no-hooks").code
            == 0
        )
    ws = Workspace.open(repo.path)
    names: dict[str, str] = {}
    for day in range(20, 30):
        night = f"2026-11-{day}T00:10:00+08:00"
        if day in {22, 27}:
            killed(ws, night, "move" if day == 22 else "write_anchor")
        elif day in {21, 24}:  # the other nights the machine is off
            squashed(ws, night)
        for hour, words in enumerate(DAYS.get(day, ()), 9):
            with at(f"2026-11-{day}T{hour:02d}:00:00+08:00"):
                said = call(repo.path, *words)
                assert said.code == 0, said
        names |= trees(ws)
    squashed(ws, "2026-11-30T00:10:00+08:00")

    require_resolved(ws, names)
    assert [row.split()[0] for row in on_line(ws)] == [f"2026-11-{day}" for day in DAYS]
    log = repo.git("log", "--reverse", "--format=%B%x00", "agent-state")
    told = [
        re.sub(r"\n\nState-Day: .*", "", one.strip(), flags=re.DOTALL)
        for one in log.split("\0")
    ]
    assert "\n\n".join(told[:-1]) == EXPECTED[lang].strip()
    _trailers_are_read(repo)


def _trailers_are_read(repo: Repo) -> None:
    for commit in repo.git("rev-list", "agent-state").split():
        message = repo.git("log", "-1", "--format=%B", commit)
        read = repo.git("interpret-trailers", "--parse", stdin=message.encode())
        keys = [row.partition(":")[0] for row in read.splitlines()]
        assert keys[:6] == [
            *("State-Day", "State-Version", "State-Versions", "State-Line"),
            *("State-Archive", "State-Lang"),
        ]
