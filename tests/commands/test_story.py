"""A task from its first word to its last: what a person finds in the files and the log."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import jsonschema

from gitstate.memory.schema import task_schema
from tests.engines import init, versions
from tests.inside import call

if TYPE_CHECKING:
    import pytest

    from tests.support import Repo

GOAL = "Fix nested brackets in src/core/parser.ts parseExpr"
STORY = (
    ("task", "start", GOAL, "--anchor", "src/core/parser.ts:142"),
    ("task", "step", "Locate the function that reports the error"),
    ("task", "step", "Fix the boundary condition"),
    ("task", "step", "Add unit tests for nested groups"),
    ("task", "begin", "1"),
    ("task", "done", "1", "root cause in parseExpr, line 142"),
    ("task", "fail", "Change the condition in line 140", "--reason", "breaks a branch"),
    ("decide", "Use npm", "--reason", "it is there"),
    ("decide", "Use yarn", "--reason", "one lock file", "--supersedes", "D-0001"),
    ("issue", "add", "npm install leaves two lock files"),
    ("issue", "resolve", "I-0001", "yarn alone is used now"),
)


def body(repo: Repo, name: str) -> str:
    text = (repo.state / name).read_text()
    text = text.split("---\n", 2)[2] if text.startswith("---\n") else text
    return re.sub(r"\n*<!--.*?-->", "", text, flags=re.DOTALL)


def test_a_whole_task(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITSTATE_NOW", "2026-11-29T14:05:00+01:00")
    repo.commit("src/core/parser.ts", "x\n")
    ws = init(repo)
    for words in STORY:
        said = call(repo.path, *words)
        assert (said.code, said.err) == (0, ""), (words, said)

    assert body(repo, "02-current-task.md") == (
        f"""\
# Current task

## Goal

{GOAL}

## Constraints

## Steps

1. [done] Locate the function that reports the error
   - Conclusion: root cause in parseExpr, line 142
2. [todo] Fix the boundary condition
3. [todo] Add unit tests for nested groups

## Next step

## Anchor

src/core/parser.ts:142

## Blockers
"""
    )
    assert body(repo, "03-known-issues.md") == (
        """\
# Known issues

## I-0001 npm install leaves two lock files

- Kind: bug
- Status: resolved
- Resolution: yarn alone is used now
- Date: 2026-11-29
"""
    )
    assert body(repo, "04-decision-log.md") == (
        """\
# Decision log

## D-0001 Use npm

- Reason: it is there
- Confidence: medium
- Date: 2026-11-29

## D-0002 Use yarn

- Reason: one lock file
- Confidence: medium
- Supersedes: D-0001
- Date: 2026-11-29
"""
    )
    assert body(repo, "long_mem/failed-attempts.md") == (
        f"""\
# Failed attempts

## {GOAL}

- Change the condition in line 140
  - Reason: breaks a branch
"""
    )
    state = json.loads((repo.state / "long_mem/task-state.json").read_text())
    jsonschema.validate(state, task_schema())
    assert state == {
        "schema": "task-state/1",
        "source": repo.git(
            "hash-object", "--no-filters", ".agent-state/02-current-task.md"
        ),
        "goal": GOAL,
        "constraints": [],
        "subtasks": [
            {
                "id": 1,
                "desc": "Locate the function that reports the error",
                "status": "done",
                "conclusion": "root cause in parseExpr, line 142",
                "files_touched": [],
            },
            {
                "id": 2,
                "desc": "Fix the boundary condition",
                "status": "todo",
                "conclusion": None,
                "files_touched": [],
            },
            {
                "id": 3,
                "desc": "Add unit tests for nested groups",
                "status": "todo",
                "conclusion": None,
                "files_touched": [],
            },
        ],
        "next": None,
        "anchor": {"file": "src/core/parser.ts", "line": 142},
        "blockers": [],
        "failed_attempts": [
            {
                "approach": "Change the condition in line 140",
                "reason": "breaks a branch",
            }
        ],
    }
    # one version a verb, and each tells its own in words
    subjects = [one.commit.message.split("\n", 1)[0] for one in versions(ws)]
    assert len(subjects) == len(STORY) + 1
    told = (
        "Fix nested brackets",
        "Locate the function",
        "Fix the boundary condition",
        "Add unit tests",
        "Locate the function",
        "done 1/3",
        "Change the condition in line 140",
        "Use npm",
        "Use yarn",
        "npm install leaves two lock files",
        "npm install leaves two lock files",
    )
    for phrase, subject in zip(told, list(reversed(subjects))[1:], strict=True):
        assert phrase in subject
