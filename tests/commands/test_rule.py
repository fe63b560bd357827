"""``gitstate rule``: added, listed, and dropped with a reason."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import json

from tests.commands.kept import CONTEXT, CONVENTIONS, DECISIONS, Kept, now, repo, zh

__all__ = ["now", "repo", "zh"]


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
