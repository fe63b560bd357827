"""Edits of ``05-file-map.md``: a text and an entry in, the new text out."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

from gitstate.documents.blocks import MARKER
from gitstate.documents.file_map import (
    RELATIONS,
    FileMap,
    Found,
    MapEntry,
    Parts,
    parse,
    parts,
)
from gitstate.documents.inline import guard_value, one_line
from gitstate.documents.map_lines import guarded_role, own_path_text
from gitstate.documents.paths import path_text
from gitstate.documents.places import Place
from gitstate.documents.splice import Splice, verified, with_one_more
from gitstate.documents.tables import with_cell
from gitstate.documents.trees import with_comment
from gitstate.documents.vocabulary import Lang, vocabulary
from gitstate.documents.writing import add_line, colon, language
from gitstate.errors import Refused, printable
from gitstate.values import replace


def put(text: str, entry: MapEntry) -> str:
    """The map with this entry, in the place of the one of the same path.

    Raises ``Refused`` where several entries have the path, or where the one stands in a
    form that cannot hold what this one says.
    """
    found = parts(text)
    new = _on_one_line(entry)
    lang = language(found.outline)
    splice = Splice(found.outline)
    old = _one(found, new.path)
    if old is None:
        _add(splice, found, new, lang)
        before = found.map.entries
        return verified(
            splice.text(),
            expected=True,
            read=lambda one: with_one_more(before, parse(one).entries, new),
        )
    if old.form == "row":
        splice.replace(old.start, old.stop, [_row(splice, old, new, lang)])
    elif old.form == "item":
        _set_item(splice, found, old, new, lang)
    elif old.form == "heading":
        _set_heading(splice, found, old, new, lang)
    elif new == MapEntry(new.path, new.role):
        line = found.outline.lines[old.start]
        splice.replace(old.start, old.stop, [with_comment(line, new.role or "")])
    else:
        raise _drawn(old)
    entries = tuple(new if one.path == new.path else one for one in found.map.entries)
    return verified(splice.text(), FileMap(entries), parse)


def entry_text(entry: MapEntry, lang: Lang) -> str:
    """An entry on one line, as the template shows it."""
    chinese = lang == "zh"
    colon, between, comma = ("：", "；", "、") if chinese else (": ", "; ", ", ")
    text = own_path_text(entry.path)
    if entry.role:
        text = f"{text}{colon}{guarded_role(entry.role)}"
    words = vocabulary("file")
    for relation in RELATIONS:
        if names := getattr(entry, relation):
            listed = comma.join(map(path_text, names))
            text = f"{text}{between}{words.name(relation, lang).lower()}{colon}{listed}"
    return guard_value(text)  # as a whole: a code span may begin in one part of it


def _on_one_line(entry: MapEntry) -> MapEntry:
    role = None if entry.role is None else one_line(entry.role, of="role")
    return replace(
        entry,
        role=role,
        uses=tuple(dict.fromkeys(entry.uses)),
        used_by=tuple(dict.fromkeys(entry.used_by)),
        tested_by=tuple(dict.fromkeys(entry.tested_by)),
        generated_from=tuple(dict.fromkeys(entry.generated_from)),
    )


def _one(found: Parts, path: str) -> Found | None:
    there = [one for one in found.found if one.path == path]
    if len(there) > 1:
        lines = " and ".join(str(one.start + 1) for one in there)
        raise Refused(f"{printable(path)} stands in lines {lines}: keep one of them")
    return there[0] if there else None


def _drawn(found: Found) -> Refused:
    return Refused(
        f"line {found.start + 1} is part of a drawing of the tree: change it there by hand"
    )


def _add(splice: Splice, found: Parts, new: MapEntry, lang: Lang) -> None:
    """A new item behind the last one of the list of files, or a row of their table."""
    tops = [(one.top, Place("files")) for one in found.found if one.top >= 0]
    rows = [one for one in found.found if one.record is not None]
    if tops or not rows:
        add_line(splice, vocabulary("map"), tops, "files", entry_text(new, lang))
    else:
        last = rows[-1]
        splice.insert(last.stop, [_row(splice, last, new, lang)])


def _row(splice: Splice, found: Found, new: MapEntry, lang: Lang) -> str:
    """The line of a table's row with an entry in its cells."""
    columns = found.record.columns if found.record else {}
    line = splice.outline.lines[found.start]
    comma = "、" if lang == "zh" else ", "
    cells = {"path": own_path_text(new.path), "role": guard_value(new.role or "")}
    for relation in RELATIONS:
        cells[relation] = comma.join(map(path_text, getattr(new, relation)))
    for key, value in cells.items():
        column = columns.get(key)
        written = None if column is None else with_cell(line, column, value)
        if written is None and value:
            name = vocabulary("file").name(key, lang)
            raise Refused(f"the table has no column for {name!r}: add one")
        line = line if written is None else written
    return line


def _set_item(
    splice: Splice, found: Parts, old: Found, new: MapEntry, lang: Lang
) -> None:
    stop = old.stop
    nested = [
        one for one in found.found if one is not old and old.start <= one.start < stop
    ]
    if nested and not old.parts:
        stop = old.own_stop
    _all_read(found, old.start, stop, nested=bool(nested and old.parts))
    line = splice.outline.lines[old.start]
    marker = MARKER.match(line)
    lead = marker[0] if marker else line[: len(line) - len(line.lstrip(" \t>"))]
    splice.replace(old.start, stop, [lead + entry_text(new, lang)])


def _set_heading(
    splice: Splice, found: Parts, old: Found, new: MapEntry, lang: Lang
) -> None:
    """The heading with the path alone, and below it what there is to say of it."""
    nested = any(old.start < one.start < old.stop for one in found.found)
    _all_read(found, old.start, old.stop, nested=nested)
    line = splice.outline.lines[old.start]
    hashes = line[: len(line) - len(line.lstrip(" #"))]
    if new.path.endswith("/"):  # its list is that of the folder's files
        splice.replace(old.start, old.stop, [hashes + entry_text(new, lang)])
        return
    words, between = vocabulary("file"), colon(lang)
    comma = "、" if lang == "zh" else ", "
    lines = [f"{hashes or '### '}{own_path_text(new.path)}"]
    said = [(words.name("role", lang), guard_value(new.role or ""))]
    said += [
        (words.name(one, lang), comma.join(map(path_text, getattr(new, one))))
        for one in RELATIONS
    ]
    parts_ = [f"- {name}{between}{value}" for name, value in said if value]
    splice.replace(old.start, old.stop, [*lines, *(["", *parts_] if parts_ else [])])


def _all_read(found: Parts, start: int, stop: int, *, nested: bool) -> None:
    """Raise ``Refused`` where these lines hold more than the entry."""
    for lines in found.map.unread:
        nested = nested or (lines.first <= stop and lines.last > start)
    if nested:
        raise Refused(f"line {start + 1} holds more than an entry: change it by hand")
