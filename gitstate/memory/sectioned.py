"""A file of lists, one below each heading: reading its sections, adding an item; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.documents.fields import Field
from gitstate.documents.inline import guard_title, join, unguard_title, visible
from gitstate.documents.splice import Splice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitstate.documents.sections import Outline


def sections(source: Outline) -> list[tuple[str, Field]]:
    """The sections below the file's title: their headings, and what stands under each."""
    found: list[tuple[str, Field]] = []
    level = 0
    for index, block in enumerate(source.blocks):
        if block.kind == "heading" and block.level > 1 and block.level <= (level or 6):
            level = block.level
            title = unguard_title(visible(join(block.rows)))
            part = Field("section", "heading", block.start, 0, level, "", index)
            found.append((title, part))
        elif not found or block.kind in {"comment", "bar"}:
            continue
        elif block.kind == "text":
            found[-1][1].rest += enumerate(block.rows, block.start)
        else:
            found[-1][1].rest.append(index)
    return found


def place_of(found: Sequence[tuple[str, object]], title: str) -> int | None:
    """Which section has that title; the last one of several."""
    places = [number for number, (name, _) in enumerate(found) if name == title]
    return places[-1] if places else None


def with_item(source: Outline, title: str, lines: Sequence[str]) -> str:
    """The text with an item (its whole lines) at the end of a section, new or not."""
    splice = Splice(source)
    found = sections(source)
    place = place_of(found, title)
    if place is None:
        splice.insert_apart(len(splice.raw), [f"## {guard_title(title)}", "", *lines])
        return splice.text()
    part = found[place][1]
    stops = [
        source.blocks[one].stop if isinstance(one, int) else one[0] + 1
        for one in part.rest
    ]
    if stops:
        splice.insert_item(max(stops), lines)
    else:
        splice.insert_apart(source.blocks[part.index].stop, lines)
    return splice.text()
