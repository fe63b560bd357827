"""``gitstate decide``: numbers, reasons, succession."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

from tests.commands.kept import DECISIONS, Kept, now, repo, zh

__all__ = ["now", "repo", "zh"]


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


def test_a_number_is_given_once_whatever_was_restored(repo: Kept) -> None:
    for number in (1, 2, 3):
        repo.do("decide", f"Use way {number}", "--reason", "it is one")
    repo.do("restore", "v2")
    said = repo.do("decide", "Use npm", "--reason", "it is there")
    assert said == "D-0004 Use npm (v6)\n"
    repo.do("restore", "v1")
    dropped = repo.do("rule", "add", "Must use npm") and repo.do(
        *("rule", "drop", "Must use npm", "--reason", "yarn is faster")
    )
    assert "as D-0005" in dropped
    repo.do("restore", "v4")  # where D-0003 is the newest
    said = repo.do("decide", "Use yarn", "--reason", "it is fast", "--supersedes", "3")
    assert said.startswith("D-0006 ")
