"""``gitstate note``: what belongs to no step."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

from tests.commands.kept import Kept, now, repo, zh

__all__ = ["now", "repo", "zh"]


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
