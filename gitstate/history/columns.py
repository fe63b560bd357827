"""How wide a text is in a terminal, and cutting it where a reader would; pure."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from gitstate.errors import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

_JOINER = "\u200d"
_KEPT = {_JOINER, "\u200c"}  # they hold an emoji, or a Persian word, together
_FLAGS = range(0x1F1E6, 0x1F200)
_TONES = range(0x1F3FB, 0x1F400)
_JAMO = range(0x1160, 0x1200)  # vowels and finals: they belong to what is before them
_TAGS = range(0xE0020, 0xE0080)


def columns(text: str) -> int:
    """How many terminal columns a text takes, on the safe side."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.combining(char)
        else 2
        if unicodedata.east_asian_width(char) in "WF"
        else 1
        for char in text
    )


def clip(text: str, limit: int) -> str:
    """The text in at most ``limit`` columns, with ``…`` where it was cut.

    What a reader sees as one sign (a letter with its accents, a family emoji, a flag) is
    kept whole or left out.
    """
    if columns(text) <= limit:
        return text
    kept, used = [], 1
    for cluster in _clusters(text):
        used += columns(cluster)
        if used > limit:
            break
        kept.append(cluster)
    return "".join(kept).rstrip() + "…"


def one_line(text: str) -> str:
    """A text of the state on one line: blanks of any kind as one, controls escaped."""
    joined = " ".join(text.split())
    if joined.isascii() and joined.isprintable():
        return joined
    return "".join(char if char in _KEPT else printable(char) for char in joined)


def _clusters(text: str) -> Iterator[str]:
    """The signs of a text as Unicode's Annex 29 parts them, as far as it matters here."""
    cluster, flags = "", 0
    for char in text:
        number = ord(char)
        flag = number in _FLAGS
        if cluster and (
            unicodedata.category(char) in {"Mn", "Mc", "Me"}
            or char in _KEPT
            or cluster.endswith(_JOINER)
            or number in _TONES
            or number in _JAMO
            or number in _TAGS
            or (flag and flags % 2 == 1)
        ):
            cluster += char
        else:
            if cluster:
                yield cluster
            cluster = char
        flags = flags + 1 if flag else 0
    if cluster:
        yield cluster
