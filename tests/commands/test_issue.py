"""``gitstate issue``: opened, listed, resolved."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import json

from tests.commands.kept import ISSUES, Kept, now, repo, zh

__all__ = ["now", "repo", "zh"]


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
    assert repo.do("issue", "resolve", "I-1", "--how", "yarn alone is used") == (
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


def test_a_number_is_given_once_whatever_was_restored(repo: Kept) -> None:
    repo.do("issue", "add", "npm install leaves two lock files")
    repo.do("issue", "add", "Slow tests")
    repo.do("restore", "v2", ISSUES)
    assert repo.do("issue", "add", "No source maps") == "I-0003 No source maps (v5)\n"
    repo.do("restore", "v3")
    assert repo.do("issue", "add", "Flaky tests").startswith("I-0004 ")
