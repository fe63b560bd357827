"""Numbered entries with labelled parts: what decisions and known issues have in common.

An entry is a heading with what stands below it, an item, a paragraph that begins with a
label, or a row of a table: ``## D-0007 Use pino``, ``- **D-7**: ...``, ``| D-7 | ... |``.
"""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from gitstate.documents import marks
from gitstate.documents.fields import Field, Reader, notes_of, value_of, word_of
from gitstate.documents.inline import join, label, unguard_title, visible
from gitstate.documents.tables import records
from gitstate.late import late
from gitstate.values import dataclass, field

if TYPE_CHECKING:
    from gitstate.documents.blocks import Block
    from gitstate.documents.fields import Coverage
    from gitstate.documents.ids import Ids
    from gitstate.documents.marks import Mark
    from gitstate.documents.sections import Outline
    from gitstate.documents.tables import Record
    from gitstate.documents.vocabulary import Vocabulary


class Kind(NamedTuple):
    """What tells the entries of one file from its other text."""

    ids: Ids
    words: Vocabulary  # the labels of an entry's parts
    table: Vocabulary  # the columns of a table
    title: str  # the key of the label that begins an entry
    short: frozenset[str]  # the keys of labels with a word or two behind them
    statuses: Vocabulary  # what a mark may say
    sections: Vocabulary | None = None  # headings that say something of what is below


_STRUCK = late(r"~~(.+?)~~(.*)$", re.DOTALL)
_DATE = late(
    r"[\[【(（]?(\d{4}-\d\d-\d\d)[\]】)）]?(?:[T ]\d\d:\d\d(?::\d\d)?)?\s*(?:[:：|—–-]+\s+)?"
)


class Title(NamedTuple):
    """An entry's first line, taken apart; ``text`` is without number, date and mark.

    ``mark`` is a status before the number, ``later`` one behind it, which counts where
    no label says the status, and ``struck`` whether the line is struck through.
    """

    number: int | None
    date: str | None
    text: str
    mark: Mark | None = None
    later: Mark | None = None
    struck: bool = False


@dataclass(slots=True)
class Entry:
    """An entry as it was found: its title, parts, and where it stands."""

    form: Literal["heading", "item", "text", "row"]
    line: int
    stop: int
    index: int  # its first block
    title: Title
    sections: tuple[str, ...] = ()  # the keys of the headings above it
    parts: dict[str, Field] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # what has no label
    record: Record | None = None
    own_stop: int = 0  # the line after its title

    def values(self, outline: Outline, kind: Kind, read: Coverage) -> dict[str, str]:
        """What each part says; empty where there is no such part."""
        if self.record is not None:
            return {key: visible(self.record.get(key)) for key in kind.words.written}
        said = dict.fromkeys(kind.words.written, "")
        for key, part in self.parts.items():
            value = word_of if key in kind.short else value_of
            said[key] = value(outline, part, read)
        return said


def title_of(text: str, kind: Kind) -> Title:
    """An entry's title taken apart."""
    struck = _STRUCK.match(text)
    if struck:
        text = f"{struck[1]}{struck[2]}"
    mark = marks.before(text, kind.statuses)
    number, date, rest = _identified(mark.text if mark else text, kind)
    if mark and number is None and mark.form == "word":
        mark = None  # a word before no number is a part of the text
        number, date, rest = _identified(text, kind)
    later = None if mark else marks.find(rest, kind.statuses)
    return Title(number, date, unguard_title(rest), mark, later, struck is not None)


def _identified(text: str, kind: Kind) -> tuple[int | None, str | None, str]:
    """The number and the date at the start of a title, and the rest of it."""
    number, text = _number(text, kind)
    date = _DATE.match(text)
    if date:
        text = text[date.end() :]
        if number is None:
            number, text = _number(text, kind)
    return number, date[1] if date else None, text


def _number(text: str, kind: Kind) -> tuple[int | None, str]:
    found = kind.ids.before.match(text)
    if found is None:
        return None, text
    groups = found.group("id", "named", "hash", "bare")
    number = next(int(one) for one in groups if one)
    lead, text = found["lead"], text[found.end() :]
    if lead and not found["shut"]:
        at = text.rfind(lead)
        text = text[:at] + text[at + len(lead) :] if at >= 0 else text
    return number, text


def entries_of(outline: Outline, kind: Kind, read: Coverage) -> list[Entry]:
    """The entries of a document, in order."""
    return _Finder(outline, kind, read).all()


class _Finder:
    """The blocks of a document, one by one, to entries."""

    def __init__(self, outline: Outline, kind: Kind, read: Coverage) -> None:
        self.outline = outline
        self.kind = kind
        self.read = read
        self.found: list[Entry] = []
        self.above: list[tuple[Block, str]] = []  # headings over this place, their keys
        self.titled = False

    def all(self) -> list[Entry]:
        index, blocks = 0, self.outline.blocks
        while index < len(blocks):
            block = blocks[index]
            if block.kind == "heading":
                index = self._heading(index, block)
            elif block.kind in {"item", "text"}:
                index = self._texts(index, block)
            else:
                if block.kind == "table":
                    self._table(index)
                index += 1
        return self.found

    def _heading(self, index: int, block: Block) -> int:
        """An entry with its whole section, or a heading over others."""
        title = title_of(visible(join(block.rows)), self.kind)
        while self.above and self.above[-1][0].level >= block.level:
            self.above.pop()
        is_title, self.titled = not self.titled and block.level == 1, True
        stop = self._section_stop(index)
        sections = self.kind.sections
        key = sections.key_in_part(title.text) if sections else None
        if title.number is None and (
            is_title or key or not self._has_labels(index + 1, stop)
        ):
            self.above.append((block, key or ""))
            if key or is_title:
                self.read.mark(block.start, block.stop)
            return index + 1
        reader = Reader(self.outline, self.kind.words)
        for inner in range(index + 1, stop):
            reader.take(inner)
        entry = Entry("heading", block.start, block.stop, index, title)
        self._begin(entry, reader, stop)
        return stop

    def _section_stop(self, index: int) -> int:
        """Where an entry's section ends: at the next entry, or a heading as high."""
        blocks = self.outline.blocks
        for number in range(index + 1, len(blocks)):
            block = blocks[number]
            if block.kind == "heading" and (
                block.level <= blocks[index].level
                or title_of(visible(join(block.rows)), self.kind).number is not None
            ):
                return number
            if block.kind == "bar" and not self._has_labels(number + 1, number + 2):
                return number
        return len(blocks)

    def _has_labels(self, index: int, stop: int) -> bool:
        """Whether an entry's labels stand there, before the next heading, un-nested."""
        blocks, words = self.outline.blocks, self.kind.words
        number = index
        while number < min(stop, len(blocks)):
            block = blocks[number]
            number = self.outline.ends[number] if block.kind == "item" else number + 1
            if block.kind == "heading":
                return words.key_in_part(visible(join(block.rows))) is not None
            if block.kind in {"item", "text"}:
                if title_of(block.rows[0], self.kind).number is not None:
                    return False
                keys = [found.key for row in block.rows if (found := label(row, words))]
                if keys:
                    return keys[0] != self.kind.title
        return False

    def _texts(self, index: int, block: Block) -> int:
        """An entry that is an item or a paragraph, or text that is none."""
        words, first = self.kind.words, visible(block.rows[0])
        found = label(first, words)
        if found and found.key != self.kind.title:
            return index + 1  # a part of nothing
        title = title_of(first[found.end :] if found else first, self.kind)
        if block.kind == "text" and not found and title.number is None:
            return index + 1
        entry = Entry(block.kind, block.start, 0, index, title)  # type: ignore[arg-type]  # one of the two
        reader = Reader(self.outline, words)
        own = len(block.rows)
        if block.kind == "text":
            own = 1
            while own < len(block.rows) and not label(block.rows[own], words):
                own += 1
        if own > 1:
            more = join((first, *map(visible, block.rows[1:own])))
            entry.title = title_of(more[found.end :] if found else more, self.kind)
        entry.own_stop = block.start + own
        for number in range(own, len(block.rows)):
            reader.row(index, block.start + number, block.rows[number])
        stop = self.outline.ends[index] if block.kind == "item" else index + 1
        for inner in range(index + 1, stop):
            reader.take(inner)
        stop = self._with_siblings(stop, reader, block.kind)
        self._begin(entry, reader, stop)
        return stop

    def _with_siblings(self, stop: int, reader: Reader, form: str) -> int:
        """Take what stands beside an entry and is labelled as its parts."""
        blocks, words = self.outline.blocks, self.kind.words
        while stop < len(blocks) and blocks[stop].kind in {"item", "text"}:
            first = blocks[stop].rows[0]
            found = label(first, words)
            open_ = form == "text" and reader.now is not None and reader.now.key
            if found is None and (
                not open_
                or blocks[stop].kind == "text"
                or title_of(first, self.kind).number is not None
            ):
                break
            if found is not None and found.key == self.kind.title:
                break
            end = self.outline.ends[stop] if blocks[stop].kind == "item" else stop + 1
            for inner in range(stop, end):
                reader.take(inner)
            stop = end
        return stop

    def _table(self, index: int) -> None:
        """The rows of a table that has a column for the title."""
        block = self.outline.blocks[index]
        for row in records(self.outline, block, self.kind.table):
            text = visible(row.get(self.kind.title))
            if not text:
                continue
            self.read.mark(block.start, block.start + 2)
            self.read.mark(row.line, row.line + 1)
            number = title_of(f"{row.get('number')} ", self.kind).number
            title = title_of(text, self.kind)
            written = row.get("number").strip("#. ")
            if number is None and written.isdecimal() and len(written) < 10:  # noqa: PLR2004 digits of an id
                number = int(written)
            title = title._replace(number=title.number if number is None else number)
            entry = Entry("row", row.line, row.line + 1, index, title, record=row)
            entry.own_stop = row.line + 1
            self._place(entry)

    def _begin(self, entry: Entry, reader: Reader, stop: int) -> None:
        """Close an entry that takes the blocks from its own up to ``stop``."""
        blocks, index = self.outline.blocks, entry.index
        entry.own_stop = entry.own_stop or blocks[index].stop
        entry.stop = max(blocks[inner].stop for inner in range(index, stop))
        self.read.mark(entry.line, entry.own_stop)
        notes: list[str] = []
        for part in reader.fields:
            if part.key is not None and part.key not in entry.parts:
                entry.parts[part.key] = part
                continue
            notes += notes_of(self.outline, part, self.read)
        entry.notes = tuple(notes)
        self._place(entry)

    def _place(self, entry: Entry) -> None:
        """Put an entry under the headings over it, which are understood by that."""
        entry.sections = tuple(key for _, key in self.above if key)
        for heading, _ in self.above:
            self.read.mark(heading.start, heading.stop)
        self.found.append(entry)


def inline_parts(text: str, words: Vocabulary) -> tuple[str, dict[str, str]]:
    """A text without the labelled parts in the brackets behind it, and these parts.

    ``Use pino (reason: child loggers; confidence: high)``.
    """
    if not text.endswith((")", "）")):
        return text, {}
    for opening in islice(re.finditer(r"[(（]", text), 8):
        pieces = re.split(r"[;；]\s*", text[opening.end() : -1].strip())
        if label(pieces[0], words) is None:
            continue
        parts: dict[str, str] = {}
        key = ""
        for piece in pieces:
            if found := label(piece, words):
                key = found.key
                parts[key] = piece[found.end :].strip()
            else:
                parts[key] = f"{parts[key]}; {piece}"
        return text[: opening.start()].rstrip(), parts
    return text, {}


def date_in(text: str) -> str | None:
    """The day in a text, as it is written where it is no ISO date; ``None`` if empty."""
    found = re.search(r"\d{4}-\d\d-\d\d", text)
    return found[0] if found else text or None
