"""Reading is linear, and takes at most 1.5 times what the Markdown parser itself takes.

Both are measured in the same run by CPU time; the bounds leave room for a busy machine.
"""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING, Any

import pytest
from markdown_it import MarkdownIt

from gitstate.documents import (
    conventions,
    current_task,
    decision_log,
    file_map,
    known_issues,
    project_context,
    template,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def repeated(text: str, count: int) -> str:
    return "".join(text.replace("@", str(number)) for number in range(1, count + 1))


DECISION = """\
## D-@ Use pino number @ for logging in src/utils/logger.ts

- Reason: structured child loggers with `bindings`, and **one** line a record
- Alternatives: winston (slow); bunyan (not maintained any more)
- Confidence: high
- Supersedes: D-0003
- Date: 2026-11-29

"""
STEP = """\
@. [done] Find out what number @ does in src/core/parser.ts
   - Conclusion: the root cause is in parseExpr, line @
   - Files: src/core/parser.ts, src/core/lexer.ts
"""
ISSUE = """\
## I-@ Number @ fails in packages/web

- Kind: bug
- Status: open
- Workaround: run it again with `--runInBand`
- Date: 2026-11-29

"""
RULE = "- Never use number @ in src/part@.ts, because it is on its way out\n"
FACT = "- number @: value @ (source: package.json)\n"
ENTRY = "- src/p@.ts: the role of it; uses: src/b.ts, src/c.ts; tested by: t/p@.ts\n"
FILES: dict[str, tuple[Callable[[str], Any], str, str]] = {
    "decisions": (decision_log.parse, "# Decision log\n\n", DECISION),
    "task": (current_task.parse, "# Current task\n\n## Steps\n\n", STEP),
    "issues": (known_issues.parse, "# Known issues\n\n", ISSUE),
    "rules": (conventions.parse, "# Conventions\n\n## Rules\n\n", RULE),
    "facts": (project_context.parse, "# Project\n\n## Facts\n\n", FACT),
    "map": (file_map.parse, "# File map\n\n## Files\n\n", ENTRY),
    "prose": (current_task.parse, "# Current task\n\n", "words and `code` a line\n"),
}


def seconds(read: Callable[[str], Any], text: str, times: int = 3) -> float:
    best = float("inf")
    for _ in range(times):
        gc.collect()
        start = time.process_time()
        read(text)
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize("name", FILES)
def test_reading_beside_the_markdown_parser(name: str) -> None:
    parse, head, part = FILES[name]
    text = head + repeated(part, 300)
    assert seconds(parse, text) < 1.5 * seconds(MarkdownIt().parse, text) * 1.15


def test_ten_times_the_decisions_take_ten_times_the_time() -> None:
    head = template("04-decision-log.md", "en")
    few = head + repeated(DECISION, 150)
    many = head + repeated(DECISION, 1500)
    assert len(decision_log.parse(many).decisions) == 1500
    assert seconds(decision_log.parse, many, 2) < 16 * seconds(decision_log.parse, few)


@pytest.mark.parametrize(
    "line",
    [
        "- [ ] a (",
        "**a: b",
        "1. `a",
        "| a |",
        "<!-- a",
        "- a\n  - b\n    - c",
        "> > - a",
        "## a\n### b",
        "a: b — c (",
        "```\n~~~",
        "- D-1 a (reason",
        "- src/a.ts; ; uses",
    ],
)
def test_no_line_repeated_makes_reading_slow(line: str) -> None:
    few, many = (f"{line}\n" * count for count in (500, 2000))
    for parse, _, _ in FILES.values():
        base = max(seconds(parse, few, 2), 0.005)
        assert seconds(parse, many, 1) < base * 16
