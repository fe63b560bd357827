"""Markdown structure with source lines: a text -> its blocks, through markdown-it-py.

Only blocks are asked for: what stands inside a line is kept as it is written. Nesting
is read from columns, because agents indent by two where Markdown wants three.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from gitstate.documents.blocks import Block, BlockReader
from gitstate.documents.header import lines_of_header
from gitstate.late import late
from gitstate.values import dataclass, field

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

    from gitstate.documents.vocabulary import Vocabulary


BREAK = late(r"\r\n|\r|\n")
_FENCE = late(r" {0,3}(`{3,}|~{3,})")
# blocks of HTML that a blank line does not end: what begins one, what ends it
_RAW_HTML = (
    (late(r"<!--"), late(r"-->")),
    (
        late(r"<(script|pre|style|textarea)(?=\s|>|$)", re.IGNORECASE),
        late(r"</(script|pre|style|textarea)>", re.IGNORECASE),
    ),
    (late(r"<\?"), late(r"\?>")),
    (late(r"<!\[CDATA\["), late(r"\]\]>")),
    (late(r"<![A-Za-z]"), late(">")),
)


@dataclass(frozen=True, slots=True)
class Outline:
    """A text's lines (without their ends) and blocks; ``body`` is the header's end.

    ``unclosed`` is the line where a fence or comment begins that never ends.
    """

    text: str
    lines: list[str]
    body: int
    blocks: list[Block] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)  # a block -> the end of what it holds
    unclosed: int | None = None

    def section_end(self, index: int) -> int:
        """The block before which the section of the heading ``index`` ends."""
        blocks, level = self.blocks, self.blocks[index].level
        for number in range(index + 1, len(blocks)):
            if 0 < blocks[number].level <= level:
                return number
        return len(blocks)


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 20 ms that only a parse pays

    # no link references: "[src/a.ts]: role" is an entry of a map here
    parser = MarkdownIt("commonmark", {"maxNesting": 100})
    return parser.disable(["reference", "normalize", "inline", "text_join"])


def outline(text: str, *labels: Vocabulary) -> Outline:
    """The blocks of ``text``. Linear in its length; never fails.

    A line that wraps from an item and begins with one of the ``labels`` is a block of
    its own: Markdown would have ``Reason: x`` continue a sentence.
    """
    lines = BREAK.split(text.removeprefix("\ufeff"))
    body = lines_of_header(lines)
    blocks = BlockReader(lines, body, labels).of(
        _markdown().parse("\n".join(lines[body:]))
    )
    ends = _ends(blocks)
    return Outline(text, lines, body, blocks, ends, _unclosed(lines, blocks, ends))


def _ends(blocks: list[Block]) -> list[int]:
    """For each block the index after the last one that is nested in it."""
    ends = list(range(1, len(blocks) + 1))
    holders: list[int] = []
    for index, block in enumerate(blocks):
        while holders and not block.is_below(
            blocks[holders[-1]].column, blocks[holders[-1]].quotes
        ):
            ends[holders.pop()] = index
        if block.kind == "item":
            holders.append(index)
    for holder in holders:
        ends[holder] = len(blocks)
    return ends


def _unclosed(lines: list[str], blocks: list[Block], ends: list[int]) -> int | None:
    """The line where a block begins that swallows all that is written after it."""
    if not blocks or any(line.strip() for line in lines[blocks[-1].stop :]):
        return None
    block = blocks[-1]
    if block.kind not in {"verbatim", "html", "comment"} or any(
        blocks[index].kind == "item" and end == len(blocks)
        for index, end in enumerate(ends)
    ):
        return None
    first, last = lines[block.start], lines[block.stop - 1].strip()
    if block.kind == "verbatim":
        fence = _FENCE.match(first)
        closed = fence is None or (
            block.stop > block.start + 1
            and last.startswith(fence[1])
            and not last.strip(fence[1][0])
        )
        return None if closed else block.start
    content = "\n".join(lines[block.start : block.stop]).lstrip()
    return next(
        (
            block.start
            for begin, end in _RAW_HTML
            if begin.match(content) and not end.search(content)
        ),
        None,
    )
