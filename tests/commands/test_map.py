"""``gitstate map``: where things are."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

from tests.commands.kept import MAP, Kept, now, repo, zh

__all__ = ["now", "repo", "zh"]


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
