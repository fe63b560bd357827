"""What names something, and what does not."""

from __future__ import annotations

import pytest

from gitstate.errors import Refused
from gitstate.memory.wording import CONCLUSION_MAX, conclusion, names_something, reason

NAMED = (
    "Fix nested brackets in src/core/parser.ts parseExpr",
    "Make `make check` pass",
    "Upgrade to Django 5",
    "Let parse_expr accept an empty group",
    "Make Parser.parse() faster",
    "Add --json to the list",
    "Move the code to packages/",
    "Close #142",
    "Keep D-0007",
    "Drop support of node20",
    "Speak HTTP/2",
    "Sort package.json",
    "Ignore .env",
    "Call std::move once",
    'Say "not found" when nothing is there',
    "Serve JSON",
    "修复 parser 在嵌套括号场景下的解析错误",
    "修复「未找到」提示",
    "在 parseExpr 中统计未闭合的括号",
)
VAGUE = (
    "Fix the bug",
    "Go on",
    "Make it faster",
    "Continue with the next step, e.g. tests",
    "Clean up.",
    "TODO",
    "OK",
    "Refactor the code and write tests",
    "修复登录问题",
    "继续",
    "Improve it 100 %",
)


@pytest.mark.parametrize("text", NAMED)
def test_named(text: str) -> None:
    assert names_something(text)


@pytest.mark.parametrize("text", VAGUE)
def test_vague(text: str) -> None:
    assert not names_something(text)


def test_a_conclusion_is_counted_in_characters() -> None:
    assert conclusion("字" * CONCLUSION_MAX, "x") == "字" * CONCLUSION_MAX
    with pytest.raises(Refused, match="201 characters"):
        conclusion("字" * (CONCLUSION_MAX + 1), "x")


@pytest.mark.parametrize("text", [None, "", " ", "n/a", "无", "none", "TBD"])
def test_no_reason(text: str | None) -> None:
    with pytest.raises(Refused, match="a decision needs its reason, like: x"):
        reason(text, "a decision", "x")
