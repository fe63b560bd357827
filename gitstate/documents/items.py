"""Lists of texts, and the one text of a field: constraints, blockers, goal, anchor."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re
from typing import TYPE_CHECKING, get_args

from gitstate.documents.fields import Lines
from gitstate.documents.header import Strength
from gitstate.documents.inline import join, unguard, visible
from gitstate.documents.vocabulary import says_nothing, vocabulary
from gitstate.late import late
from gitstate.values import dataclass, field

if TYPE_CHECKING:
    from gitstate.documents.fields import Coverage, Field
    from gitstate.documents.sections import Outline

_BOX = late(r"\[[ xX]\][ \t]+")
_STRENGTH = late(
    r"(?:<!--\s*|[(（\[【{]\s*)(?:strength|强度)\s*[:：]\s*([^\s()（）\[\]【】{}<>]{1,20}?)\s*"
    r"(?:-->|[)）\]】}])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Item:
    """One text of a list, as it is written, and the lines it stands on."""

    text: str
    strength: Strength | None = None  # its own mark, which overrides the file's
    lines: Lines = field(default=Lines(0, 0), compare=False)


def own_strength(text: str) -> Strength | None:
    """The strength that a text itself is marked with: ``(strength: high)``."""
    if "trength" not in text and "强度" not in text and "STRENGTH" not in text:
        return None
    found = (strength_in(one[1]) for one in _STRENGTH.finditer(text))
    return next(filter(None, found), None)


def strength_in(text: str) -> Strength | None:
    """The strength that ``text`` names."""
    key = vocabulary("strength").key(text) if text else None
    return next((one for one in get_args(Strength) if one == key), None)


@dataclass(frozen=True, slots=True)
class Group:
    """A top item of a list with all that is nested in it, as indexes of blocks."""

    index: int
    nested: list[int]
    stop: int  # the line after all of it


def groups(outline: Outline, part: Field) -> list[Group]:
    """The items below a field's label that are not nested in one another."""
    indexes = [one for one in part.rest if isinstance(one, int)]
    items = [one for one in indexes if outline.blocks[one].kind == "item"]
    if not items:
        return []
    edge = min(outline.blocks[one].column for one in items) + 2
    return [
        whole_group(outline, one) for one in items if outline.blocks[one].column < edge
    ]


def contents(outline: Outline, part: Field) -> list[tuple[int, str] | Group | int]:
    """What stands below a label, in order: lines of text, items whole, other blocks."""
    tops = {group.index: group for group in groups(outline, part)}
    inside = {one for group in tops.values() for one in group.nested}
    covered = {
        line
        for group in tops.values()
        for line in range(outline.blocks[group.index].start, group.stop)
    }
    found: list[tuple[int, str] | Group | int] = []
    for one in part.rest:
        if isinstance(one, tuple):
            if one[0] not in covered:
                found.append(one)
        elif one not in inside:
            found.append(tops.get(one, one))
    return found


def whole_group(outline: Outline, index: int) -> Group:
    """An item with all that is nested in it."""
    end = outline.ends[index]
    stop = max(outline.blocks[inner].stop for inner in range(index, end))
    return Group(index, list(range(index + 1, end)), stop)


def own_and_nested(
    outline: Outline, group: Group, read: Coverage
) -> tuple[str, list[tuple[str, bool]]]:
    """An item's own text, and the texts nested in it (an item's: ``True``)."""
    block = outline.blocks[group.index]
    read.mark(block.start, block.stop)
    own = unguard(visible(without_box(join(block.rows))))
    nested = []
    for index in group.nested:
        inner = outline.blocks[index]
        if inner.kind in {"item", "text"}:
            read.mark(inner.start, inner.stop)
            nested.append((visible(join(inner.rows)), inner.kind == "item"))
    return own, nested


def whole_text(outline: Outline, group: Group, read: Coverage) -> str:
    """What an item and the items and paragraphs nested in it say, on one line."""
    said, nested = own_and_nested(outline, group, read)
    for more, item in nested:
        said = with_more(said, more, item=item)
    return said


def without_box(text: str) -> str:
    """``text`` without a check box before it: in a list of rules it marks nothing."""
    found = _BOX.match(text)
    return text[found.end() :] if found else text


def with_more(said: str, more: str, *, item: bool) -> str:
    """A text and what belongs to it, on one line."""
    if item and said and more and not said.endswith((":", "：")):
        return f"{said}; {more}"
    return join((said, more))


def items_of(outline: Outline, part: Field, read: Coverage) -> tuple[Item, ...]:
    """The texts below a label: one for each item, paragraph and value behind a label.

    What only says that there is nothing ("none", "无") is none.
    """
    found: list[Item] = []
    read.mark(part.line, part.line + 1)
    _add(found, visible(part.value), part.line, part.line + 1)
    rows: list[str] = []
    start = stop = -1
    for one in contents(outline, part):
        if isinstance(one, tuple) and one[0] == stop:
            rows.append(one[1])
            stop += 1
            read.mark(one[0], one[0] + 1)
            continue
        _add(found, unguard(visible(join(rows))), start, stop)
        rows, start, stop = [], -1, -1
        if isinstance(one, tuple):
            start, stop = one[0], one[0] + 1
            rows = [one[1]]
            read.mark(start, stop)
        elif isinstance(one, Group):
            line = outline.blocks[one.index].start
            _add(found, whole_text(outline, one, read), line, one.stop)
    _add(found, unguard(visible(join(rows))), start, stop)
    return tuple(found)


def _add(found: list[Item], text: str, start: int, stop: int) -> None:
    if not says_nothing(text):
        found.append(Item(text, own_strength(text), Lines(start + 1, stop)))
