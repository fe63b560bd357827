# ruff: noqa: RUF001 Chinese and signs as agents write them
"""Documents as they should not be, and texts that imitate structure."""

from __future__ import annotations

from hypothesis import strategies as st

from gitstate.documents.inline import one_line
from gitstate.documents.vocabulary import says_nothing

ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])
WORDS = st.sampled_from(
    [
        *"#-+*_=~`|<>[]()!\\&:;.,\"'1x语。：；（）【】、",
        *("\t", "  ", "\u3000", "\xa0", "\u202e", "שלום", "🎯", "✅", "\x0b", "\x00"),
        *("use", "Never", "because", "禁止", "npm", "parser.ts", "src/core/a.ts:142"),
        *(
            "---",
            "```",
            "~~~",
            "<!--",
            "-->",
            "**",
            "[x]",
            "[done]",
            "(done)",
            "1.",
            "2)",
        ),
        *(
            "Goal:",
            "**Reason:**",
            "理由：",
            "- ",
            "D-0007",
            "I-3",
            "(source: x)",
            "; uses: b",
        ),
        *(
            "2026-11-28",
            "(high)",
            "<div>",
            "&lt;",
            "Steps",
            "| a |",
            "|---|",
            "\\#",
            "none",
        ),
    ]
)
RAW = st.lists(WORDS, min_size=1, max_size=7).map(" ".join) | st.lists(
    WORDS, min_size=1, max_size=5
).map("".join)
# what a verb is given: one line that says something
TEXTS = RAW.map(lambda text: " ".join(text.split())).filter(
    lambda text: not says_nothing(text) and text == one_line(text, of="text")
)
PATHS = st.sampled_from(
    [
        "src/core/parser.ts",
        "src/a b.ts",
        "Makefile",
        "src",
        "app/(group)/[id].tsx",
        "src/__init__.py",
        "`odd`.md",
        "文档/说明.md",
        "a, b.ts",
        "src/*.ts",
        "docs/",
        "x;y.ts",
        "none",
        "a:b.ts",
        "-dash.ts",
        "#hash.md",
    ]
)
LINES = st.one_of(
    st.just(""),
    st.sampled_from(
        [
            "# Current task",
            "## Goal",
            "## 🎯 目标",
            "### Constraints",
            "## Steps",
            "## Next step",
            "**Next step:** do it",
            "## Anchor",
            "## Blockers",
            "None.",
            "- **Goal:** fix src/a.ts",
            "1. [done] one",
            "   - Conclusion: found",
            "  - Files: a.ts, `b c.ts`",
            "2) [ ] two (in progress)",
            "* [x] three",
            "- 结论：好",
            "\t- deep",
            "## D-0003 Use pino",
            "### D-4: Use pnpm",
            "- Reason: because",
            "**Alternatives:** npm (slow); yarn",
            "- Supersedes: D-3",
            "Confidence: 高",
            "- D-9 Use x (reason: y)",
            "## I-0002 Broken",
            "- Status: open",
            "- [ ] **I-5**: Flaky",
            "## Rules",
            "- Must use pino",
            "- Never use npm because it is slow",
            "## Forbidden",
            "- legacy/",
            "## Facts",
            "- package manager: pnpm (source: pnpm-lock.yaml)",
            "- **语言**：TypeScript",
            "## Commands",
            "- test: `pnpm test`",
            "## Files",
            "- src/a.ts: role; uses: b.ts",
            "### src/big.ts",
            "| Path | Role |",
            "| # | Step | Status |",
            "| ID | Decision | Reason |",
            "|---|---|---|",
            "| 1 | a | b |",
            "```",
            "```md",
            "~~~",
            "<!-- comment -->",
            "<!-- open",
            "-->",
            "<div>",
            "---",
            "===",
            "> - quoted",
            "> quoted",
            "    indented",
            "order: 2",
            "title: x",
        ]
    ),
    st.tuples(
        st.sampled_from(["", "", "  ", "   ", "\t", "> "]),
        st.sampled_from(["- ", "* ", "+ ", "1. ", "3) ", "## ", "### ", "", "- [ ] "]),
        RAW,
    ).map("".join),
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Lines in any order, with any line ends."""
    lines = draw(st.lists(LINES, max_size=25))
    ends = draw(st.lists(ENDS, min_size=len(lines), max_size=len(lines)))
    if draw(st.booleans()):
        ends = ["\n"] * len(lines)
    text = "".join(line + end for line, end in zip(lines, ends, strict=True))
    if draw(st.booleans()):
        text = text.rstrip("\r\n")
    return draw(st.sampled_from(["", "", "\ufeff", "---\norder: 2\n---\n"])) + text
