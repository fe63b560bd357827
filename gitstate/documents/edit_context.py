"""Edits of the facts and commands in ``00-project-context.md``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from gitstate.documents.blocks import MARKER
from gitstate.documents.inline import guard_value, one_line, unwrapped, wrapped
from gitstate.documents.pairs import Pair, pair_text, value_start, value_text
from gitstate.documents.project_context import (
    Command,
    Fact,
    Parts,
    parse,
    parts,
)
from gitstate.documents.splice import Splice, verified, with_one_more
from gitstate.documents.tables import records, with_cell
from gitstate.documents.vocabulary import Lang, vocabulary
from gitstate.documents.writing import add_line, language
from gitstate.errors import Refused, printable
from gitstate.values import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitstate.documents.blocks import Block
    from gitstate.documents.fields import Lines
    from gitstate.documents.sections import Outline

T = TypeVar("T", Fact, Command)


def set_fact(text: str, key: str, value: str, source: str | None = None) -> str:
    """The context with ``key`` being ``value``; the line of the one that was so changes.

    Raises ``Refused`` where several facts have the key.
    """
    found = parts(text)
    key, value = one_line(key, of="key"), one_line(value, of="value")
    source = None if source is None else one_line(source, of="source")
    pair = Pair(key, value, source)
    lang = language(found.outline)
    splice = Splice(found.outline)
    old = _one(found.context.facts, key)
    if old is None:
        add_line(
            splice, vocabulary("context"), found.places, "facts", pair_text(pair, lang)
        )
        new = Fact(key, value, source)
        return _more(found, splice, new, None)
    _replace(splice, old.lines, pair, lang)
    facts = tuple(
        replace(one, key=key, value=value, source=source) if one is old else one
        for one in found.context.facts
    )
    return verified(splice.text(), replace(found.context, facts=facts), parse)


def drop_fact(text: str, key: str) -> str:
    """The context without the fact of that key."""
    found = parts(text)
    old = _one(found.context.facts, one_line(key, of="key"))
    if old is None:
        raise Refused(f"there is no fact {printable(key)}")
    splice = Splice(found.outline)
    splice.replace(old.lines.first - 1, old.lines.last, [])
    facts = tuple(one for one in found.context.facts if one is not old)
    return verified(splice.text(), replace(found.context, facts=facts), parse)


def set_command(text: str, name: str, command: str, source: str | None = None) -> str:
    """The context with the command line of that name."""
    found = parts(text)
    name, command = one_line(name, of="name"), one_line(command, of="command")
    source = None if source is None else one_line(source, of="source")
    pair = Pair(name, wrapped(command), source)
    lang = language(found.outline)
    splice = Splice(found.outline)
    old = _one(found.context.commands, name)
    new = Command(name, command, source)
    if old is None:
        add_line(
            splice,
            vocabulary("context"),
            found.places,
            "commands",
            pair_text(pair, lang),
        )
        return _more(found, splice, None, new)
    _replace(splice, old.lines, pair, lang)
    commands = tuple(new if one is old else one for one in found.context.commands)
    return verified(splice.text(), replace(found.context, commands=commands), parse)


def drop_command(text: str, name: str) -> str:
    """The context without the command of that name."""
    found = parts(text)
    old = _one(found.context.commands, one_line(name, of="name"))
    if old is None:
        raise Refused(f"there is no command {printable(name)}")
    splice = Splice(found.outline)
    splice.replace(old.lines.first - 1, old.lines.last, [])
    commands = tuple(one for one in found.context.commands if one is not old)
    return verified(splice.text(), replace(found.context, commands=commands), parse)


def _one(there: Sequence[T], key: str) -> T | None:
    """The one fact or command of that key; raises ``Refused`` where there are several."""
    found = [
        one for one in there if (one.key if isinstance(one, Fact) else one.name) == key
    ]
    if len(found) > 1:
        lines = " and ".join(str(one.lines.first) for one in found)
        raise Refused(f"{printable(key)} stands in lines {lines}: change them by hand")
    return found[0] if found else None


def _more(
    found: Parts, splice: Splice, fact: Fact | None, command: Command | None
) -> str:
    before = found.context

    def holds(text: str) -> bool:
        after = parse(text)
        if fact is not None:
            rest = replace(after, facts=before.facts) == before
            return rest and with_one_more(before.facts, after.facts, fact)
        rest = replace(after, commands=before.commands) == before
        return rest and with_one_more(before.commands, after.commands, command)

    return verified(splice.text(), expected=True, read=holds)


def _replace(splice: Splice, lines: Lines, pair: Pair, lang: Lang) -> None:
    """Put a pair in the place of another, in the form in which it stands."""
    outline = splice.outline
    start = lines.first - 1
    line = outline.lines[start]
    block = next(one for one in outline.blocks if one.start <= start < one.stop)
    if block.kind == "table":
        new = _in_row(outline, block, start, pair)
    elif block.kind == "verbatim":
        new = _in_script(line, pair)
    else:
        marker = MARKER.match(line)
        lead = marker[0] if marker else line[: len(line) - len(line.lstrip(" \t>"))]
        at = value_start(line[len(lead) :], pair.key)
        new = lead + pair_text(pair, lang)
        if at is not None and lines.first == lines.last:
            new = line[: len(lead) + at] + value_text(pair, lang)
    splice.replace(start, lines.last, [new])


def _in_row(outline: Outline, block: Block, number: int, pair: Pair) -> str:
    """A table's row with another value, and source where there is a column for it."""
    words = vocabulary("pair")
    rows = records(outline, block, words, ("key", "value"))
    row = next(one for one in rows if one.line == number)
    line: str | None = outline.lines[number]
    value = guard_value(pair.value)
    if "source" in row.columns:
        line = with_cell(str(line), row.columns["source"], pair.source or "")
    elif pair.source:
        value = f"{value} (source: {pair.source})"
    line = line and with_cell(line, row.columns.get("value", 1), value)
    if not line:
        raise Refused(f"the row in line {number + 1} has too few cells: add them")
    return line


def _in_script(line: str, pair: Pair) -> str:
    """A line of a script with another command, and the comment behind it."""
    text = line.strip()
    lead = line[: len(line) - len(line.lstrip())]
    prompt = text[:2] if text.startswith(("$ ", "> ")) else ""
    comment = re.search(r"\s+#\s.*$", text)
    return f"{lead}{prompt}{unwrapped(pair.value)}{comment[0] if comment else ''}"
