"""Labelled parts of a document: ``## Goal``, ``**Goal:** ...`` and ``- Goal: ...``.

One reader for all of them: a field runs from its label to the next one, or to where
its section, item or list ends.
"""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from gitstate.documents.inline import join, label, visible
from gitstate.values import dataclass, field

if TYPE_CHECKING:
    from gitstate.documents.blocks import Block
    from gitstate.documents.sections import Outline
    from gitstate.documents.vocabulary import Vocabulary

Style = Literal["heading", "item", "line", "none"]


class Lines(NamedTuple):
    """Lines of a file as people count them: from 1, both ends included."""

    first: int
    last: int


class Text(NamedTuple):
    """A text of one or several lines; ``start`` and ``stop`` are indexes of lines."""

    start: int
    stop: int
    text: str
    item: bool = False


@dataclass(slots=True)
class Field:
    """A label and what stands under it; ``key`` is ``None`` for what has no label.

    ``line`` is the label's line and ``value`` the text behind the label there. ``rest``
    is what follows, in order: lines of text with their number, or indexes of blocks.
    """

    key: str | None
    style: Style
    line: int
    column: int = 0
    level: int = 0
    value: str = ""
    index: int = -1  # the block of the label
    rest: list[tuple[int, str] | int] = field(default_factory=list)

    @property
    def holds_labels(self) -> bool:
        """Whether items below may be labels: below a file's title they are."""
        return self.key in {None, "task"} or self.level == 1


def fields_of(
    outline: Outline,
    first: int,
    last: int,
    words: Vocabulary,
    *,
    sections: bool = False,
) -> list[Field]:
    """The fields of the blocks from ``first`` up to ``last``.

    With ``sections`` an item's label opens no field below a heading or label that has
    one: among constraints "Next: ..." is a constraint.
    """
    reader = Reader(outline, words, sections=sections)
    for index in range(first, last):
        reader.take(index)
    return reader.fields


class Reader:
    """Blocks, one by one, to fields."""

    def __init__(
        self, outline: Outline, words: Vocabulary, *, sections: bool = False
    ) -> None:
        self.outline = outline
        self.words = words
        self.sections = sections
        self.fields: list[Field] = []
        self.now: Field | None = None

    def take(self, index: int) -> None:
        """The next block."""
        block = self.outline.blocks[index]
        if block.kind == "heading":
            self._heading(index, block)
        elif block.kind == "item":
            self._item(index, block)
        elif block.kind == "text":
            self._left(block)
            for number, row in enumerate(block.rows, block.start):
                self.row(index, number, row)
        elif block.kind not in {"comment", "bar"}:
            self._left(block)
            self._holder(block).rest.append(index)

    def row(self, index: int, number: int, row: str) -> None:
        """The next line of the block ``index``: its number and its text."""
        block = self.outline.blocks[index]
        found = label(row, self.words)
        if found is None or (self.now is not None and self.now.key == found.key):
            self._holder(block).rest.append((number, row))
        else:
            value = row[found.end :]
            self._open(Field(found.key, "line", number, block.column, 0, value, index))

    def _open(self, opened: Field) -> None:
        self.fields.append(opened)
        self.now = opened

    def _holder(self, block: Block) -> Field:
        """The field that what has no label belongs to."""
        if self.now is None:
            self._open(Field(None, "none", block.start, block.column))
        return self.now or self.fields[-1]

    def _left(self, block: Block) -> None:
        """An item's field ends where nothing is nested in the item any more."""
        now = self.now
        if now is not None and now.style == "item":
            quotes = self.outline.blocks[now.index].quotes
            if not block.is_below(now.column, quotes):
                self.now = None

    def _heading(self, index: int, block: Block) -> None:
        text = visible(join(block.rows))
        found = label(text, self.words)
        key = found.key if found else self.words.key_in_part(text)
        now, level = self.now, block.level
        if key is not None:
            value = text[found.end :] if found else ""
            self._open(Field(key, "heading", block.start, 0, level, value, index))
        elif now is not None and now.style == "heading" and level > now.level:
            now.rest.append(index)
        else:
            self._open(Field(None, "none", block.start, 0, level, "", index))

    def _item(self, index: int, block: Block) -> None:
        self._left(block)
        now = self.now
        shut = now is not None and (
            now.style == "item" or (self.sections and not now.holds_labels)
        )
        found = None if shut else label(block.rows[0], self.words)
        if found is None:
            self._holder(block).rest.append(index)
            return
        value = block.rows[0][found.end :]
        part = Field(found.key, "item", block.start, block.column, 0, value, index)
        part.rest += list(enumerate(block.rows[1:], block.start + 1))
        self._open(part)


def texts(outline: Outline, part: Field, *, past_code: bool = False) -> list[Text]:
    """The texts below a label: a paragraph is one, and each item, at whatever depth.

    What is no text (code, HTML, a table, an unknown heading) ends them, or is left out
    where they go on ``past_code``.
    """
    found: list[Text] = []
    for one in part.rest:
        if isinstance(one, tuple):
            number, row = one
            if found and not found[-1].item and found[-1].stop == number:
                last = found.pop()
                found.append(Text(last.start, number + 1, join((last.text, row))))
            else:
                found.append(Text(number, number + 1, row))
            continue
        block = outline.blocks[one]
        if block.kind == "item" or (past_code and block.kind == "heading"):
            found.append(Text(block.start, block.stop, join(block.rows), item=True))
        elif not past_code:
            break
    return found


def notes_of(outline: Outline, part: Field, read: Coverage) -> list[str]:
    """What stands under no label, text by text, each with the heading over it."""
    title = ""
    if part.level and part.index >= 0:
        block = outline.blocks[part.index]
        read.mark(block.start, block.stop)
        title = visible(join(block.rows))
    notes = []
    for text in texts(outline, part, past_code=True):
        read.mark(text.start, text.stop)
        notes.append(visible(text.text))
    notes = list(filter(None, notes))
    if title:
        notes[:1] = [f"{title}: {notes[0]}" if notes else title]
    return notes


def value_of(outline: Outline, part: Field, read: Coverage) -> str:
    """All that a field says, on one line; marks the lines as read."""
    read.mark(part.line, part.line + 1)
    said = visible(part.value)
    for text in texts(outline, part):
        read.mark(text.start, text.stop)
        more = visible(text.text)
        if text.item and said and more and not said.endswith((":", "：")):
            said = f"{said}; {more}"
        else:
            said = join((said, more))
    return said


def word_of(outline: Outline, part: Field, read: Coverage) -> str:
    """The first text of a field whose value is a word or two; the rest stays unread."""
    said = visible(part.value)
    below = texts(outline, part)[:1] if not said else []
    read.mark(part.line, part.line + 1)
    for text in below:
        read.mark(text.start, text.stop)
    return said or "".join(visible(text.text) for text in below)


class Coverage:
    """Which lines of a document were understood; what was not is never dropped."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.lines = bytearray(len(outline.lines))
        self.mark(0, outline.body)

    def mark(self, start: int, stop: int) -> None:
        """The lines from ``start`` up to ``stop`` were understood."""
        self.lines[start:stop] = b"\1" * (stop - start)

    def unread(self) -> tuple[Lines, ...]:
        """The lines that say something and were not understood, as ranges."""
        for block in self.outline.blocks:
            if block.kind in {"comment", "bar"}:
                self.mark(block.start, block.stop)
        ranges: list[Lines] = []
        open_ = False
        for number, line in enumerate(self.outline.lines):
            if self.lines[number]:
                open_ = False
            elif line.strip():
                first = ranges.pop().first if open_ else number + 1
                ranges.append(Lines(first, number + 1))
                open_ = True
        return tuple(ranges)
