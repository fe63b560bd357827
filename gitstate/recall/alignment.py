"""An item beside the text of an answer that is nearest to it: where the two part; pure."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from gitstate.late import late
from gitstate.recall.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

_SAME = 0.6  # of an item, to be told nearly as it is
_LONG = 5  # times as long as an item
# limits, and signs of them
_LIMITS = (
    (
        late(
            r"不(?:得|能|应|要|许|可|会)?(?:高于|超过|多于|大于|长于|超出|晚于)|\b(?:at most|(?<!-)up to|within|(?:no|not) (?:more|longer|later|larger) than|(?:not|never) exceed\w*)\b"
            r"|至多|最多|以内|之内|≤|<="
        ),
        " <= ",
    ),
    (
        late(
            r"不(?:得|能|应|要|许|可|会)?(?:低于|少于|小于|短于|早于)|\b(?:at least|(?:no|not) (?:less|fewer|shorter|earlier) than)\b|至少|最少|≥|>="
        ),
        " >= ",
    ),
    (
        late(r"\b(?:under|below|less than|fewer than)(?= \d)|少于|低于|小于|<(?!=)"),
        " < ",
    ),
    (
        late(
            r"\b(?:over|above|more than|longer than)(?= \d)|\bexceed\w*|超过|多于|高于|大于|>(?!=)"
        ),
        " > ",
    ),
)


class Word(NamedTuple):
    """A term, and how it is written; ``bare``: it says nothing of its own."""

    term: str
    written: str
    bare: bool


class Place(NamedTuple):
    """Where the two part: what is lacking of the item, what stands there, and around it."""

    lost: Sequence[Word]
    new: Sequence[Word]
    around: Sequence[Word]
    replaced: bool


class Alignment(NamedTuple):
    """An item's words and those of a text; ``same``: how many of them stand in it, in order."""

    text: str
    own: Sequence[Word]
    said: Sequence[Word]
    same: int

    def places(self) -> list[Place]:
        """Where the two part."""
        steps = _matcher(self.own, self.said).get_opcodes()
        return [
            Place(
                self.own[start:end],
                self.said[from_:to],
                self.said[max(from_ - 2, 0) : to + 2],
                kind == "replace",
            )
            for kind, start, end, from_, to in steps
            if kind != "equal"
        ]


@lru_cache(maxsize=1024)
def words(text: str) -> tuple[Word, ...]:
    """The words of a clean text in their order; a limit is its sign."""
    for pattern, sign in _LIMITS:
        text = pattern.sub(sign, text)
    return tuple(
        Word(one.term, text[one.start : one.end], one.bare) for one in tokens(text)
    )


@lru_cache(maxsize=2048)
def terms_in(text: str) -> frozenset[str]:
    """The terms of a clean text."""
    return frozenset(one.term for one in words(text))


def nearest(own: Sequence[Word], texts: Sequence[str]) -> Alignment | None:
    """The text that most of an item stands in, in its order; ``None`` where not enough does."""
    best: Alignment | None = None
    terms = [one.term for one in own]
    most = _SAME * len(own)
    for text in texts:
        said = words(text)
        if len(said) > _LONG * len(own):
            continue  # of many things
        has = frozenset(one.term for one in said)
        if sum(term in has for term in terms) < most:
            continue
        found = aligned(own, text)
        if found.same > most or (found.same == most and best is None):
            best, most = found, found.same
    return best


def aligned(own: Sequence[Word], text: str) -> Alignment:
    """An item beside a text, however far from it."""
    said = words(text)
    blocks = _matcher(own, said).get_matching_blocks()
    return Alignment(text, own, said, sum(block.size for block in blocks))


def _matcher(own: Sequence[Word], said: Sequence[Word]) -> SequenceMatcher[str]:
    return SequenceMatcher(
        None, [one.term for one in own], [one.term for one in said], autojunk=False
    )
