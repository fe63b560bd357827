"""A clean text as tokens in their order: names, concepts, and of other Chinese the characters; pure.

``terms`` says what a text has; here it is also where, for what depends on the order.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

from gitstate.late import late
from gitstate.recall import concepts, contrasts
from gitstate.recall.lexicon import EMPTY
from gitstate.recall.terms import term_of

_TOKEN = late(
    r"[a-z0-9_@$.-][a-z0-9_@$./+#*:'-]*(?:\(\))?|[\u4e00-\u9fff]+|[<>=!]=|[<>=]|&&|\|\|"
    r"|(?<=[\w)\]] )[+*](?= [\w(\[])"
)
_SIGN = frozenset("+*-")  # between what is added, taken away, multiplied
# characters that say nothing of their own
_BARE = frozenset(
    "的了在是和与或把将里时也请须对为以及其这那我你它们需要即可则中并且所有该各着地得"
)
_LONGEST = 4  # characters of a Chinese concept's word


class Token(NamedTuple):
    """A term and where it stands; ``bare``: it says nothing of its own."""

    term: str
    start: int
    end: int
    bare: bool


@lru_cache(maxsize=2048)
def tokens(text: str) -> tuple[Token, ...]:
    """The tokens of a clean text, in their order."""
    found: list[Token] = []
    for one in _TOKEN.finditer(text):
        if one[0] >= "\u4e00":
            found += _chinese(one[0], one.start())
            continue
        word = one[0].strip("./:'-*").removesuffix("'s")
        if word[:1].isdigit() and one[0].startswith("-"):
            word = f"-{word}"
        if one[0] in _SIGN:
            word = one[0]
        if word.endswith("(") or not word:
            continue
        if "-" in word and word.replace("-", "").isalpha():
            found += _apart(word, one.start())
            continue
        bare = word in EMPTY
        term = term_of(word) if word.isalpha() and not bare else word
        found.append(Token(term, one.start(), one.end(), bare))
    return tuple(found)


def content(text: str) -> frozenset[str]:
    """The terms of a clean text that say something of their own."""
    return frozenset(one.term for one in tokens(text) if not one.bare)


def _apart(word: str, start: int) -> list[Token]:
    """The parts of a word with hyphens."""
    parts = [one for one in word.split("-") if one]
    return [
        Token(
            one if one in EMPTY else term_of(one),
            start,
            start + len(word),
            bare=False,
        )
        for one in parts
    ]


def _chinese(text: str, start: int) -> list[Token]:
    """The longest words of the concepts, and what is between them by the character."""
    words = _words()
    found: list[Token] = []
    at = 0
    while at < len(text):
        for size in range(min(_LONGEST, len(text) - at), 0, -1):
            key = words.get(text[at : at + size])
            if key:
                break
        else:
            size, key = 1, text[at]
        bare = size == 1 and text[at] in _BARE and key == text[at]
        found.append(Token(key, start + at, start + at + size, bare))
        at += size
    return found


@cache
def _words() -> dict[str, str]:
    return contrasts.words() | concepts.chinese()
