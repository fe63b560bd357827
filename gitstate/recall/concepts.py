"""Words that say the same, in both languages.

A concept is what a word is compared as, so that an answer may use another word or the
other language. ``concepts.txt`` has one a line: its English words, "|", its Chinese ones; a
word belongs to the first that has it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_ROWS = Path(__file__).with_name("concepts.txt")
_BEGIN = 2  # letters by which a word is looked up that may have a slip


@cache
def _rows() -> tuple[str, ...]:
    return tuple(_ROWS.read_text("utf-8").splitlines())


@cache
def english() -> dict[str, str]:
    """An English word -> its concept."""
    found: dict[str, str] = {}
    for at, row in enumerate(_rows()):
        for one in row.partition("|")[0].split():
            found.setdefault(one, f"#{at}")
    return found


@cache
def chinese() -> dict[str, str]:
    """A Chinese word -> its concept."""
    found: dict[str, str] = {}
    for at, row in enumerate(_rows()):
        for one in row.partition("|")[2].split():
            found.setdefault(one, f"#{at}")
    return found


@cache
def beginning() -> dict[str, list[str]]:
    """The English words by their first two letters."""
    found: dict[str, list[str]] = {}
    for one in english():
        found.setdefault(one[:_BEGIN], []).append(one)
    return found
