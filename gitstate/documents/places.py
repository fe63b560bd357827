"""Under which heading each block of a document stands, by what the heading says."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.documents.inline import join, label, visible
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.documents.blocks import Block
    from gitstate.documents.fields import Coverage
    from gitstate.documents.sections import Outline
    from gitstate.documents.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Place:
    """A section: its key, where its heading is known, and the heading that is not.

    ``start`` and ``stop`` are the lines of ``under``, ``index`` the known heading.
    """

    key: str | None = None
    under: str | None = None
    start: int = 0
    stop: int = 0
    index: int = -1
    level: int = 0

    def mark(self, read: Coverage) -> None:
        """What stands over something that was understood is understood as well."""
        read.mark(self.start, self.stop)


def places(
    outline: Outline, words: Vocabulary, read: Coverage
) -> Iterator[tuple[int, Place]]:
    """Each block that is no heading and nested in none, with its place.

    A line like ``**Forbidden:**`` of its own is a heading too, and so is one that ends
    in a colon before a list, below which its words are ``under``.
    """
    blocks = outline.blocks
    place = Place()
    index, titled = 0, False
    while index < len(blocks):
        block = blocks[index]
        if block.kind == "heading":
            place = _under(block, index, place, words, read, title=not titled)
            titled = True
        elif block.kind == "text" and (inner := _lead(outline, index, place, words)):
            read.mark(block.start, block.stop)
            place = inner
        elif block.kind not in {"comment", "bar"}:
            yield index, place
        index = outline.ends[index] if block.kind == "item" else index + 1


def _under(  # noqa: PLR0913 what decides a heading's meaning
    block: Block,
    index: int,
    place: Place,
    words: Vocabulary,
    read: Coverage,
    *,
    title: bool,
) -> Place:
    text = visible(join(block.rows))
    found = label(text, words)
    key = found.key if found else words.key_in_part(text)
    if key is not None or (title and block.level == 1):
        read.mark(block.start, block.stop)
        return Place(key, None, 0, 0, index, block.level)
    inside = 0 < place.level < block.level and place.key is not None
    kept = place if inside else Place()
    return Place(kept.key, text, block.start, block.stop, kept.index, kept.level)


def _lead(
    outline: Outline, index: int, place: Place, words: Vocabulary
) -> Place | None:
    """The place that a line before a list opens; ``None`` for other text."""
    block = outline.blocks[index]
    row = visible(block.rows[0])
    if len(block.rows) > 1:
        return None
    found = label(row, words)
    if found and found.end == len(row):
        return Place(found.key, None, 0, 0, index, 7)
    following = outline.blocks[index + 1 : index + 2]
    leads = row.endswith((":", "：")) and following and following[0].kind == "item"
    if not leads:
        return None
    under = row.rstrip(":：* ").lstrip("* ")
    return Place(place.key, under, block.start, block.stop, place.index, place.level)
