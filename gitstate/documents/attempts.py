"""Failed attempts, where a task file has them: what was tried, and why it failed."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitstate.documents.fields import Lines, Reader, value_of
from gitstate.documents.inline import join, label, unguard, visible
from gitstate.documents.items import Group, contents, with_more
from gitstate.documents.reasons import split_reason
from gitstate.documents.tables import records
from gitstate.documents.vocabulary import says_nothing, vocabulary
from gitstate.late import late
from gitstate.values import dataclass, field

if TYPE_CHECKING:
    from gitstate.documents.fields import Coverage, Field
    from gitstate.documents.sections import Outline


@dataclass(frozen=True, slots=True)
class Attempt:
    """One approach that failed; ``reason`` is ``None`` where none is given."""

    approach: str
    reason: str | None = None
    lines: Lines = field(default=Lines(0, 0), compare=False)


def attempts_of(outline: Outline, part: Field, read: Coverage) -> tuple[Attempt, ...]:
    """The failed attempts below a label."""
    read.mark(part.line, part.line + 1)
    finder = _Finder(outline, read)
    if not says_nothing(visible(part.value)):
        finder.begin(visible(part.value), part.line, part.line + 1)
    for one in contents(outline, part):
        if isinstance(one, tuple):
            finder.row(*one)
        elif isinstance(one, Group):
            finder.item(one)
        elif outline.blocks[one].kind == "heading":
            block = outline.blocks[one]
            finder.begin(
                visible(join(block.rows)), block.start, block.stop, heading=True
            )
        elif outline.blocks[one].kind == "table":
            finder.table(one)
    return finder.done()


# "Attempt 2: ..." says nothing but the number
_NUMBERED = late(
    r"(?:\*\*)?(?:attempt|approach|try|尝试|方法|方案)\s*#?\s*\d{1,3}\s*(?:\*\*)?\s*"
    r"(?:[:：.、]|—|–|-|$)\s*(?:\*\*)?\s*",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Found:
    text: str
    start: int
    stop: int
    reader: Reader
    heading: bool


class _Finder:
    """Blocks of the section, one by one, to attempts."""

    def __init__(self, outline: Outline, read: Coverage) -> None:
        self.outline = outline
        self.read = read
        self.words = vocabulary("attempt")
        self.found: list[_Found] = []

    def begin(self, text: str, start: int, stop: int, *, heading: bool = False) -> None:
        """A new attempt."""
        self.read.mark(start, stop)
        found = label(text, self.words)
        if found and found.key == "approach":
            text = text[found.end :]
        if (number := _NUMBERED.match(text)) and (heading or text[number.end() :]):
            text = text[number.end() :]
        reader = Reader(self.outline, self.words)
        self.found.append(_Found(text, start, stop, reader, heading))

    def row(self, number: int, text: str, index: int = 0) -> None:
        """A line of a paragraph."""
        last = self.found[-1] if self.found else None
        found = label(text, self.words)
        if last and (last.heading or (found and found.key != "approach")):
            last.reader.row(index, number, text)
            last.stop = number + 1
        elif last and last.stop == number and not last.reader.fields:
            last.text = join((last.text, visible(text)))
            self.read.mark(number, number + 1)
            last.stop = number + 1
        else:
            self.begin(unguard(visible(text)), number, number + 1)

    def item(self, group: Group) -> None:
        """A top item: an attempt, or a part of the one above it."""
        block = self.outline.blocks[group.index]
        found = label(block.rows[0], self.words)
        last = self.found[-1] if self.found else None
        if last and (last.heading or (found and found.key != "approach")):
            for index in (group.index, *group.nested):
                last.reader.take(index)
            last.stop = group.stop
            return
        self.begin(unguard(visible(join(block.rows))), block.start, block.stop)
        last = self.found[-1]
        for index in group.nested:
            last.reader.take(index)
        last.stop = group.stop

    def table(self, index: int) -> None:
        """A table whose rows are attempts."""
        block = self.outline.blocks[index]
        for row in records(self.outline, block, self.words):
            if approach := visible(row.get("approach")):
                self.read.mark(block.start, block.start + 2)
                text = f"{approach} — {row.get('reason')}"
                self.begin(text, row.line, row.line + 1)

    def done(self) -> tuple[Attempt, ...]:
        """The attempts with their reasons."""
        return tuple(self._attempt(found) for found in self.found)

    def _attempt(self, found: _Found) -> Attempt:
        approach, reason = found.text, None
        more = ""
        for part in found.reader.fields:
            value = value_of(self.outline, part, self.read)
            if part.key == "approach":
                approach = join((approach, value))
            elif part.key == "reason":
                reason = value
            else:
                more = with_more(more, value, item=True)
        if reason is None:
            approach, reason = split_reason(approach, loose=True)
            reason = with_more(reason or "", more, item=True)
        else:
            approach = with_more(approach, more, item=True)
        lines = Lines(found.start + 1, found.stop)
        return Attempt(approach.strip(), reason or None, lines)
