"""``gitstate fact``: facts and commands."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import json

from tests.commands.kept import CONTEXT, Kept, now, repo, zh

__all__ = ["now", "repo", "zh"]


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
