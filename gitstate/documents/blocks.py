"""Tokens of markdown-it-py -> blocks with their lines, columns and text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from gitstate.documents.inline import label
from gitstate.late import late

if TYPE_CHECKING:
    from collections.abc import Callable

    from markdown_it.token import Token

    from gitstate.documents.vocabulary import Vocabulary

Kind = Literal["heading", "item", "text", "table", "verbatim", "html", "comment", "bar"]

# what stands before an item's text: quote marks, indentation, one marker or several
MARKER = late(r"((?:[ \t]*>)*[ \t]*)((?:(?:[-+*]|(\d{1,9})[.)])(?:[ \t]+|$))+)")
_QUOTED = late(r"[ \t]*(?:>[ \t]?)+")
_DELIMITERS = late(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")


class Block(NamedTuple):
    """A leaf of the document: a heading, an item's own text, a paragraph ...

    ``start`` and ``stop`` are indexes of lines, ``rows`` the text of those lines without
    markers and indentation (empty for what is no text).
    """

    kind: Kind
    start: int
    stop: int
    column: int
    rows: tuple[str, ...] = ()
    level: int = 0  # of a heading
    number: int | None = None  # of an item of an ordered list
    quotes: int = 0  # how many block quotes it stands in
    outer: int = 0  # the column of the first quote mark

    def is_below(self, column: int, quotes: int) -> bool:
        """Whether it is nested in an item whose marker stands at that column."""
        if self.level or self.quotes < quotes:
            return False
        own = self.column if self.quotes == quotes else self.outer
        return own >= column + 2


class BlockReader:
    """Tokens, one by one, to blocks."""

    def __init__(
        self, lines: list[str], body: int, labels: tuple[Vocabulary, ...]
    ) -> None:
        self.lines = lines
        self.body = body
        self.labels = labels
        self.blocks: list[Block] = []
        self.item: int | None = None  # the line of an item whose text is yet to come
        self.quotes = 0
        self.in_table = False

    def of(self, tokens: list[Token]) -> list[Block]:
        """The blocks of these tokens."""
        takers: dict[str, Callable[[Token], None]] = {
            "paragraph_open": self._paragraph,
            "list_item_open": self._item,
            "list_item_close": self._item_end,
            "heading_open": self._heading,
            "fence": self._verbatim,
            "code_block": self._code,
            "html_block": self._html,
            "hr": self._bar,
            "blockquote_open": self._quote,
            "blockquote_close": self._quote_end,
        }
        for token in tokens:
            taker = takers.get(token.type)
            if taker is not None:
                taker(token)
        return self.blocks

    def _span(self, token: Token) -> tuple[int, int]:
        start, stop = token.map or (0, 0)
        return start + self.body, stop + self.body

    def _add(self, block: Block) -> None:
        if self.quotes:
            outer = column_of(self.lines[block.start])
            block = block._replace(quotes=self.quotes, outer=outer)
        self.blocks.append(block)

    def _column(self, number: int) -> int:
        """Where a line's text begins, behind its quote marks."""
        line = self.lines[number]
        return column_of(line.replace(">", " ") if self.quotes else line)

    def _row(self, line: str) -> str:
        if self.quotes and (found := _QUOTED.match(line)):
            line = line[found.end() :]
        return line.strip()

    def _paragraph(self, token: Token) -> None:
        self._text(*self._span(token))

    def _text(self, start: int, stop: int) -> None:
        if self.item is None:
            rows = tuple(map(self._row, self.lines[start:stop]))
            own = _table_start(rows)
            if own:
                self._add(
                    Block("text", start, start + own, self._column(start), rows[:own])
                )
            if own < len(rows):
                self._add(Block("table", start + own, stop, self._column(start + own)))
            return
        start, self.item = self.item, None
        line = self.lines[start]
        prefix, column, number = item_prefix(line)
        first = self._row(line[prefix:])
        rows = (first, *map(self._row, self.lines[start + 1 : stop]))
        own = min(self._own(rows), _table_start(rows))
        lines = max(own, 1)
        text = rows[:own] or ("",)
        self._add(Block("item", start, start + lines, column, text, 0, number))
        if not own:
            self._add(Block("table", start, stop, column + 2))
        elif own < len(rows):
            self._text(start + own, stop)

    def _own(self, rows: tuple[str, ...]) -> int:
        """How many rows of an item are its own: up to the first label."""
        for number, row in enumerate(rows[1:], 1):
            if any(label(row, words) for words in self.labels):
                return number
        return len(rows)

    def _item(self, token: Token) -> None:
        start, _ = self._span(token)
        if self.item != start:  # the inner of two on one line is the same item
            self._end_item()
            self.item = start

    def _item_end(self, _: Token) -> None:
        self._end_item()

    def _end_item(self) -> None:
        """An item that begins with another block, or is empty, has no text."""
        if self.item is not None:
            start, self.item = self.item, None
            _, column, number = item_prefix(self.lines[start])
            self._add(Block("item", start, start + 1, column, ("",), 0, number))

    def _heading(self, token: Token) -> None:
        start, stop = self._span(token)
        if token.level:  # in a list or a quote: text, and no section
            self._text(start, stop)
            return
        if token.markup.startswith("#"):
            rows: tuple[str, ...] = (_heading_text(self.lines[start]),)
        else:
            rows = tuple(map(self._row, self.lines[start : stop - 1]))
        self.blocks.append(Block("heading", start, stop, 0, rows, int(token.tag[1])))

    def _code(self, token: Token) -> None:
        start, _ = self._span(token)
        if self.item == start:  # an item's text after five spaces or more
            self._text(start, start + 1)
        else:
            self._other("verbatim", token)

    def _verbatim(self, token: Token) -> None:
        self._other("verbatim", token)

    def _html(self, token: Token) -> None:
        content = token.content.strip()
        only = content.startswith("<!--") and content.find("-->") in {
            -1,
            len(content) - 3,
        }
        self._other("comment" if only else "html", token)

    def _bar(self, token: Token) -> None:
        self._other("bar", token)

    def _quote(self, _: Token) -> None:
        self.quotes += 1

    def _quote_end(self, _: Token) -> None:
        self.quotes -= 1

    def _other(self, kind: Kind, token: Token) -> None:
        start, stop = self._span(token)
        column = self._column(start)
        if self.item is not None:
            column = item_prefix(self.lines[self.item])[1] + 2
            self._end_item()
        while stop > start + 1 and not self.lines[stop - 1].strip():
            stop -= 1
        self._add(Block(kind, start, stop, column))


def item_prefix(line: str) -> tuple[int, int, int | None]:
    """How long an item's markers are, at which column they begin, and its number."""
    found = MARKER.match(line)
    if found is None:
        return len(line) - len(line.lstrip()), column_of(line), None
    lead = found[1]
    column = len(lead.expandtabs(4)) if lead else 0
    return found.end(2), column, int(found[3]) if found[3] else None


def column_of(line: str) -> int:
    """How far a line is indented, tabs being four columns."""
    bare = line.lstrip(" \t")
    return len(line[: len(line) - len(bare)].expandtabs(4))


def _table_start(rows: tuple[str, ...]) -> int:
    """The row of a paragraph with which a table begins; their number without one.

    The parser's own tables take longer to read than all the rest.
    """
    for number in range(1, len(rows)):
        row = rows[number]
        if "|" in row and "|" in rows[number - 1] and _DELIMITERS.fullmatch(row):
            return number - 1
    return len(rows)


def _heading_text(line: str) -> str:
    """What stands behind the ``##`` of a heading, without a closing ``##``."""
    text = line.strip(" \t").lstrip("#").strip()
    bare = text.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else text
