"""Writing values where labels, lists and sections stand, in the style that is there."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from gitstate.documents.blocks import MARKER, item_prefix
from gitstate.documents.fields import Field, texts
from gitstate.documents.inline import join, label, label_parts, visible
from gitstate.documents.items import groups, whole_group
from gitstate.documents.splice import offset_of
from gitstate.documents.vocabulary import Lang, Vocabulary, vocabulary
from gitstate.late import late
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitstate.documents.items import Group
    from gitstate.documents.places import Place
    from gitstate.documents.sections import Outline
    from gitstate.documents.splice import Splice
_MOST_HEADINGS = 50
_CJK = late("[\u2e80-\u9fff\uf900-\ufaff]")


def language(outline: Outline) -> Lang:
    """The language of a file: that of its known headings, its title, or its text."""
    headings = (block.rows[0] for block in outline.blocks if block.level and block.rows)
    first = list(islice(headings, _MOST_HEADINGS))
    known = [
        text for text in first if any(one.key_in_part(text) for one in _sections())
    ]
    chinese = sum(_CJK.search(text) is not None for text in known)
    if chinese * 2 != len(known):
        return "zh" if chinese * 2 > len(known) else "en"
    if first:
        return "zh" if _CJK.search(first[0]) else "en"
    sample = outline.text[:20_000]
    return "zh" if len(_CJK.findall(sample)) * 5 > len(sample) else "en"


@cache
def _sections() -> tuple[Vocabulary, ...]:
    return tuple(map(vocabulary, ("task", "context", "rules", "map", "issue sections")))


def colon(lang: Lang) -> str:
    """What stands between a label and its value."""
    return "：" if lang == "zh" else ": "


def end_of(outline: Outline, part: Field) -> int:
    """The line after all that stands under a label."""
    stops = [part.line + 1]
    if part.style == "heading":
        stops.append(outline.blocks[part.index].stop)
    stops += [
        one[0] + 1 if isinstance(one, tuple) else outline.blocks[one].stop
        for one in part.rest
    ]
    return max(stops)


def set_value(splice: Splice, part: Field, words: Vocabulary, value: str) -> None:
    """Put ``value`` in the place of the text under a label; "" takes it out."""
    outline = splice.outline
    said = texts(outline, part)
    line = outline.lines[part.line]
    behind = bool(part.value.strip()) or (part.style != "heading" and not said)
    if behind:
        start = _value_start(outline, part, words)
        head = line[:start]
        space = "" if not value or head.endswith((" ", "：", "\t")) else " "
        splice.replace(part.line, part.line + 1, [f"{head}{space}{value}".rstrip()])
        if said:
            splice.replace(said[0].start, said[-1].stop, [])
    elif said:
        lead = _lead(outline, said[0].start, item=said[0].item)
        splice.replace(said[0].start, said[-1].stop, [lead + value] if value else [])
    elif value:
        splice.insert_apart(_after_comments(outline, part), [value])


def _value_start(outline: Outline, part: Field, words: Vocabulary) -> int:
    """Where the value behind a label begins in the label's line."""
    line = outline.lines[part.line]
    if part.style == "heading":
        return offset_of(line, part.value.strip())
    start = _row_start(outline, part)
    found = label(line[start:], words)
    return start + (found.end if found else 0)


def _row_start(outline: Outline, part: Field) -> int:
    """Where the text of a label's line begins, behind markers and quote marks."""
    line = outline.lines[part.line]
    if part.style == "item":
        return item_prefix(line)[0]
    return len(line) - len(line.lstrip(" \t>"))


def _lead(outline: Outline, line: int, *, item: bool) -> str:
    """What stands before the text of a line: indentation, quote marks, a marker."""
    text = outline.lines[line]
    found = MARKER.match(text) if item else None
    if found:
        return text[: found.end()]
    lead = re.match(r"[ \t>]*", text)
    return lead[0] if lead else ""


def _after_comments(outline: Outline, part: Field) -> int:
    """The line after a heading and the comments below it."""
    stop = outline.blocks[part.index].stop if part.index >= 0 else part.line + 1
    for block in outline.blocks[part.index + 1 :]:
        if block.kind != "comment":
            break
        stop = block.stop
    return stop


def add_item(splice: Splice, part: Field, text: str) -> None:
    """Add an item at the end of the list under a label; begin one where there is none."""
    outline = splice.outline
    found = groups(outline, part)
    if found:
        splice.insert_item(found[-1].stop, beside(outline, found, text))
    else:
        begin_list(splice, part, f"- {text}")


def begin_list(splice: Splice, part: Field, line: str) -> None:
    """Put the first item of a list, as a whole line, under a label."""
    outline = splice.outline
    if part.style == "item":
        splice.insert_item(part.line + 1, [" " * (part.column + 2) + line])
    else:
        stop = end_of(outline, part)
        if part.style == "heading":
            stop = max(stop, _after_comments(outline, part))
        splice.insert_apart(stop, [line])


def beside(outline: Outline, found: Sequence[Group], text: str) -> list[str]:
    """The lines of an item like the last of a list, with a blank one where it has them."""
    last = outline.blocks[found[-1].index]
    line = outline.lines[last.start]
    marker = MARKER.match(line)
    lead, mark = (marker[1], marker[2]) if marker else ("", "- ")
    if last.number is not None and mark[0].isdigit() and marker:
        mark = f"{last.number + 1}{marker[2].lstrip('0123456789')}"
    if not mark.endswith((" ", "\t")):
        mark += " "
    apart = len(found) > 1 and not outline.lines[last.start - 1].strip()
    return [*([""] if apart else []), f"{lead}{mark}{text}"]


def nested_lead(outline: Outline, index: int) -> str:
    """What stands before the marker of an item nested in the item ``index``."""
    lines = outline.lines
    for inner in outline.blocks[index + 1 : outline.ends[index]]:
        marker = MARKER.match(lines[inner.start])
        if inner.kind == "item" and marker:
            return marker[1]
    marker = MARKER.match(lines[outline.blocks[index].start])
    if marker is None:
        return " " * (outline.blocks[index].column + 2)
    width = len(marker[0].expandtabs(4)) - len(marker[1].expandtabs(4))
    return marker[1] + " " * width


def like_part(outline: Outline, part: Field, words: Vocabulary, name: str) -> str:
    """The start of a line with another label, in the form of ``part``: ``- **Name:** ``."""
    line = outline.lines[part.line]
    start = _row_start(outline, part)
    before, after = label_parts(line[start:], words)
    if not after.rstrip("*_` \t").endswith((":", "：")) and ":" not in after:
        after = f"{after.rstrip()}: "
    space = "" if after.endswith((" ", "：", "\t")) else " "
    return f"{line[:start]}{before}{name}{after}{space}"


def add_section(
    splice: Splice,
    known: Sequence[Field],
    before: Sequence[str],
    title: str,
    lines: Sequence[str],
) -> None:
    """Add a section with its heading before the first of the keys that come after it.

    ``known`` are the sections that are there; without one of ``before`` it is the last.
    """
    headings = [part for part in known if part.style == "heading" and part.level]
    levels = [part.level for part in headings]
    level = max(levels, key=lambda one: (levels.count(one), one), default=2)
    following = [part.line for part in headings if part.key in before]
    at = min(following) if following else len(splice.raw)
    splice.insert_apart(at, [f"{'#' * level} {title}", "", *lines])


def add_line(
    splice: Splice,
    words: Vocabulary,
    there: Sequence[tuple[int, Place]],
    key: str,
    text: str,
) -> None:
    """Add an item to the list of the section ``key``, or begin its list, or the section.

    ``there`` are the document's blocks with their places.
    """
    outline = splice.outline
    blocks = outline.blocks
    items = [
        whole_group(outline, index)
        for index, place in there
        if place.key == key and place.under is None and blocks[index].kind == "item"
    ]
    if items:
        splice.insert_item(items[-1].stop, beside(outline, items, text))
        return
    headings = [
        (-block.level, index)  # "## Rules" rather than "# Coding rules" above it
        for index, block in enumerate(blocks)
        if block.level and words.key_in_part(visible(join(block.rows))) == key
    ]
    if headings:
        _, index = min(headings)
        stop = blocks[index].stop
        for block in blocks[index + 1 :]:
            if block.level:
                break
            stop = block.stop
        splice.insert_apart(stop, [f"- {text}"])
        return
    title = words.name(key, language(outline))
    splice.insert_apart(len(splice.raw), [f"## {title}", "", f"- {text}"])


@dataclass(frozen=True, slots=True)
class Below:
    """Where labelled parts of a step or entry stand, and how one more is written.

    ``order`` is that of the keys; ``start`` the line for the first part, before whose
    marker ``indent`` stands.
    """

    parts: dict[str, Field]
    words: Vocabulary
    order: Sequence[str]
    start: int
    indent: str = ""


def insert_part(splice: Splice, below: Below, key: str, value: str, lang: Lang) -> None:
    """Add a labelled part in its place among the others, in the form that they have."""
    outline = splice.outline
    name = below.words.name(key, lang)
    place = below.order.index(key)
    known = sorted(below.parts.items(), key=lambda one: one[1].line)
    before = [part for other, part in known if below.order.index(other) < place]
    if before:
        last = before[-1]
        at = end_of(outline, last)
        if last.style != "heading":
            splice.insert_item(
                at, [like_part(outline, last, below.words, name) + value]
            )
        else:
            splice.insert_apart(at, [f"- {name}{colon(lang)}{value}"])
    elif known and known[0][1].style != "heading":
        first = known[0][1]
        splice.insert_item(
            first.line, [like_part(outline, first, below.words, name) + value]
        )
    else:
        _first_part(splice, below, f"{below.indent}- {name}{colon(lang)}{value}")


def _first_part(splice: Splice, below: Below, line: str) -> None:
    """Put the first labelled part below an item's text, or below a heading."""
    if below.indent:
        splice.insert_item(below.start, [line])
    else:
        splice.insert_apart(below.start, [line])
