"""``00-project-context.md``: facts as ``key: value``, commands, and what is forbidden."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.documents.fields import Coverage, Lines
from gitstate.documents.inline import join, plain, unwrapped, visible
from gitstate.documents.items import with_more, without_box
from gitstate.documents.pairs import Pair, pair_of
from gitstate.documents.places import Place, places
from gitstate.documents.rules import FoundRule, Rule, RuleFinder
from gitstate.documents.sections import Outline, outline
from gitstate.documents.tables import records
from gitstate.documents.vocabulary import says_nothing, vocabulary
from gitstate.late import late
from gitstate.values import dataclass, field

if TYPE_CHECKING:
    from gitstate.documents.blocks import Block

_PROMPT = late(r"[$>]\s+")
_COMMENT = late(r"(?:^|\s+)#\s+(.*)$")


@dataclass(frozen=True, slots=True)
class Fact:
    """``key`` is ``value``; the key is "" for a text that has none.

    ``under`` is a heading over it that is not known.
    """

    key: str
    value: str
    source: str | None = None
    under: str | None = None
    lines: Lines = field(default=Lines(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Command:
    """A command line as it is typed, and what it is for ("" where nothing says it)."""

    name: str
    command: str
    source: str | None = None
    lines: Lines = field(default=Lines(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class ProjectContext:
    """What the file says; ``unread`` lines were not understood."""

    facts: tuple[Fact, ...] = ()
    commands: tuple[Command, ...] = ()
    forbidden: tuple[Rule, ...] = ()
    unread: tuple[Lines, ...] = field(default=(), compare=False)


@dataclass(slots=True)
class Parts:
    """The context with where its parts are, for those who change them."""

    outline: Outline
    context: ProjectContext
    rules: list[FoundRule]
    places: list[tuple[int, Place]]


def parse(text: str | Outline) -> ProjectContext:
    """The context that ``text``, the whole file, tells of; never fails."""
    return parts(text).context


def parts(text: str | Outline) -> Parts:
    """The context, with where its parts are."""
    source = text if isinstance(text, Outline) else outline(text)
    read = Coverage(source)
    rules = RuleFinder(source, read)
    reader = _Reader(source, read)
    found = list(places(source, vocabulary("context"), read))
    for index, place in found:
        if place.key == "forbidden":
            rules.take(index, place, "never")
        elif place.key == "commands":
            reader.command(index, place)
        else:
            reader.fact(index, place)
    forbidden = tuple(one.rule for one in rules.found)
    context = ProjectContext(
        tuple(reader.facts), tuple(reader.commands), forbidden, read.unread()
    )
    return Parts(source, context, rules.found, found)


class _Reader:
    """Blocks of the file, one by one, to facts and commands."""

    def __init__(self, outline: Outline, read: Coverage) -> None:
        self.outline = outline
        self.read = read
        self.facts: list[Fact] = []
        self.commands: list[Command] = []

    def fact(self, index: int, place: Place) -> None:
        """A block that says what is so."""
        block = self.outline.blocks[index]
        if block.kind == "item":
            pair, stop = self._whole(index)
            self._fact(pair, block.start, stop, place)
        elif block.kind == "table":
            for pair, line in self._rows(block):
                self._fact(pair, line, line + 1, place)
        elif block.kind == "text":
            self._paragraph(block, place)

    def _paragraph(self, block: Block, place: Place) -> None:
        """Lines that are pairs, all of them, or a text where facts belong."""
        pairs = [pair_of(visible(row)) for row in block.rows]
        if all(pair.key and len(pair.key.split()) <= 4 for pair in pairs):  # noqa: PLR2004 words of a key
            for line, pair in enumerate(pairs, block.start):
                self._fact(pair, line, line + 1, place)
        elif place.key == "facts" and place.under is None:
            pair = Pair("", visible(join(block.rows)))
            self._fact(pair, block.start, block.stop, place)

    def _fact(self, pair: Pair, start: int, stop: int, place: Place) -> None:
        self.read.mark(start, stop)
        place.mark(self.read)
        if not says_nothing(pair.value) or pair.key:
            lines = Lines(start + 1, stop)
            self.facts.append(
                Fact(pair.key, pair.value, pair.source, place.under, lines)
            )

    def command(self, index: int, place: Place) -> None:
        """A block that says what can be run."""
        block = self.outline.blocks[index]
        if block.kind == "item":
            pair, stop = self._whole(index)
            self._command(pair, block.start, stop, place)
        elif block.kind == "table":
            for pair, line in self._rows(block):
                self._command(pair, line, line + 1, place)
        elif block.kind == "text":
            for line, row in enumerate(block.rows, block.start):
                self._command(pair_of(visible(row)), line, line + 1, place)
        elif block.kind == "verbatim":
            self._script(block, place)

    def _command(self, pair: Pair, start: int, stop: int, place: Place) -> None:
        """``test: `pnpm test```, also the other way round, or a code span alone."""
        key, value = pair.key, pair.value
        if pair.code_key and "`" not in value:
            key, value = value, key
        elif not key and unwrapped(value) == value:
            return  # a sentence about commands
        else:
            value = plain(value)
        self.read.mark(start, stop)
        place.mark(self.read)
        if not says_nothing(value):
            name = key or place.under or ""
            self.commands.append(
                Command(name, value, pair.source, Lines(start + 1, stop))
            )

    def _script(self, block: Block, place: Place) -> None:
        """The lines of a block of code; a comment before or behind one is its name."""
        self.read.mark(block.start, block.stop)
        place.mark(self.read)
        lines = self.outline.lines
        fenced = lines[block.start].lstrip()[:3] in {"```", "~~~"}
        name = place.under or ""
        start = block.start + fenced
        while start < block.stop:
            stop = start + 1
            text = lines[start].strip()
            while text.endswith("\\") and stop < block.stop:
                text = f"{text[:-1].rstrip()} {lines[stop].strip()}"
                stop += 1
            if fenced and stop == block.stop and text[:3] in {"```", "~~~"}:
                return
            if prompt := _PROMPT.match(text):
                text = text[prompt.end() :]
            comment = _COMMENT.search(text)
            if comment and not comment.start():
                name = comment[1]
            elif text:
                said = comment[1] if comment else name
                text = text[: comment.start()] if comment else text
                self.commands.append(Command(said, text, None, Lines(start + 1, stop)))
                name = place.under or ""
            start = stop

    def _whole(self, index: int) -> tuple[Pair, int]:
        """An item's pair with all that is nested in it, and the line after it.

        An item with no pair of its own is the key of what is nested in it.
        """
        blocks = self.outline.blocks
        own = visible(without_box(join(blocks[index].rows)))
        stop = blocks[index].stop
        text = ""
        for inner in range(index + 1, self.outline.ends[index]):
            block = blocks[inner]
            if block.kind not in {"item", "text"}:
                break
            more = visible(join(block.rows))
            text = with_more(text, more, item=block.kind == "item")
            stop = block.stop
        pair = pair_of(own)
        if text and pair.key:
            pair = pair._replace(value=with_more(pair.value, text, item=True))
        elif text:
            pair = Pair(plain(own.strip("*:： ")), text)
        return pair, stop

    def _rows(self, block: Block) -> list[tuple[Pair, int]]:
        words = vocabulary("pair")
        rows = records(self.outline, block, words, ("key", "value"))
        found = []
        for row in rows:
            key, value = visible(row.get("key")), visible(row.get("value"))
            pair = (
                pair_of(f"{key}: {value}") if key and value else Pair("", key or value)
            )
            source = visible(row.get("source")) or pair.source
            found.append((pair._replace(source=source), row.line))
            self.read.mark(block.start, block.start + 2)
        return found
