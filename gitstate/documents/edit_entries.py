"""Adding, changing and taking out numbered entries, whatever they are entries of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.documents.entries import title_of
from gitstate.documents.splice import Splice
from gitstate.documents.tables import with_cell
from gitstate.documents.writing import (
    Below,
    colon,
    insert_part,
    language,
    nested_lead,
    set_value,
)
from gitstate.errors import Refused, printable
from gitstate.late import late
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gitstate.documents.entries import Entry, Kind
    from gitstate.documents.sections import Outline


_BAR = late(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")


@dataclass(frozen=True, slots=True)
class TakenOut:
    """A text without some entries, and these entries' own text, in order."""

    text: str
    entries: tuple[str, ...]


def add_entry(
    outline: Outline,
    entries: Sequence[Entry],
    kind: Kind,
    title: str,
    values: Sequence[tuple[str, str]],
) -> str:
    """The text with one more entry, the newest where the newest are.

    ``title`` is the heading behind its marks, ``values`` the labelled parts.
    """
    lang = language(outline)
    splice = Splice(outline)
    if entries and all(entry.record is not None for entry in entries):
        row = _row_like(outline, entries[-1], kind, title, values)
        if row is not None:
            splice.insert(entries[-1].stop, [row])
            return splice.text()
    headings = [entry for entry in entries if entry.form == "heading"]
    level = outline.blocks[headings[-1].index].level if headings else 2
    lines = [f"{'#' * level} {title}", ""]
    lines += [
        f"- {kind.words.name(key, lang)}{colon(lang)}{value}" for key, value in values
    ]
    if _newest_first(headings):
        splice.insert_apart(headings[0].line, lines)
    else:
        splice.insert_apart(len(splice.raw), lines)
    return splice.text()


def _row_like(
    outline: Outline,
    last: Entry,
    kind: Kind,
    title: str,
    values: Sequence[tuple[str, str]],
) -> str | None:
    """A row below the last one; ``None`` where the table has no place for a value."""
    record = last.record
    columns = record.columns if record else {}
    id_, _, text = title.partition(" ")
    cells = {"number": id_, kind.title: text, **dict(values)}
    if any(key not in columns for key in cells) or title_of(text, kind).number:
        return None
    line: str | None = outline.lines[last.line]
    known = {column: key for key, column in columns.items()}
    for column in range(len(outline.lines[last.line])):
        written = with_cell(str(line), column, cells.get(known.get(column, ""), ""))
        if written is None:
            break
        line = written
    return line


def _newest_first(entries: Sequence[Entry]) -> bool:
    numbers = [
        entry.title.number for entry in entries if entry.title.number is not None
    ]
    return len(numbers) > 1 and numbers == sorted(numbers, reverse=True)


def find_entry(
    entries: Sequence[Entry], kind: Kind, id_: str | None, given: str
) -> Entry:
    """The one entry of that id; raises ``Refused`` where there is none, or several."""
    found = [one for one in entries if id_ and kind.ids.of(one.title.number) == id_]
    if len(found) == 1:
        return found[0]
    if found:
        lines = " and ".join(str(one.line + 1) for one in found)
        raise Refused(f"{id_} stands in lines {lines}: give one of them another number")
    known = [str(kind.ids.of(one.title.number)) for one in entries if one.title.number]
    newest = f"; the newest is {max(known)}" if known else ""
    raise Refused(f"there is no {printable(given)}{newest}")


def set_part(  # noqa: PLR0913 an entry, a label and a value
    splice: Splice,
    entry: Entry,
    kind: Kind,
    order: Sequence[str],
    *,
    key: str,
    value: str,
) -> None:
    """Put ``value`` under a label of an entry, or a new line with the label there."""
    if entry.record is not None:
        column = entry.record.columns.get(key)
        line = splice.outline.lines[entry.line]
        new = None if column is None else with_cell(line, column, value)
        if new is None:
            raise Refused(f"the table has no column for the {key}: add one")
        splice.replace(entry.line, entry.line + 1, [new])
    elif key in entry.parts:
        set_value(splice, entry.parts[key], kind.words, value)
    else:
        item = entry.form == "item"
        lead = nested_lead(splice.outline, entry.index) if item else ""
        parts = {name: part for name, part in entry.parts.items() if name in order}
        below = Below(parts, kind.words, order, entry.own_stop, lead)
        insert_part(splice, below, key, value, language(splice.outline))


def take_out(
    outline: Outline, entries: Sequence[Entry], out: Collection[int]
) -> TakenOut:
    """The text without the entries whose places in ``entries`` are ``out``.

    The blank lines behind an entry and the bar that closes it go as well. A row of a
    table comes back as its line.
    """
    splice = Splice(outline)
    lines = outline.lines
    texts = []
    for number in sorted(out):
        entry = entries[number]
        stop = entry.stop
        texts.append("".join(splice.raw[entry.line : stop]).rstrip("\r\n"))
        if entry.form != "row":
            stop = _past_blank(lines, stop, len(splice.raw))
            if _BAR.fullmatch(lines[stop]) and stop < len(splice.raw):
                stop = _past_blank(lines, stop + 1, len(splice.raw))
        splice.replace(entry.line, stop, [])
    return TakenOut(splice.text(), tuple(texts))


def _past_blank(lines: Sequence[str], start: int, last: int) -> int:
    while start < last and not lines[start].strip():
        start += 1
    return start
