"""Words of which one stands where another was meant: they exclude each other; pure."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from gitstate.recall import concepts
from gitstate.recall.lexicon import EMPTY
from gitstate.recall.terms import exact_term_of

# they stand anywhere
_COMMON = (
    EMPTY
    - frozenset(
        [
            "under",
            "over",
            "up",
            "down",
            "without",
            "never",
            "always",
            "forbidden",
            "optional",
            "on",
            "one",
        ]
    )
) | frozenset(["all", "none", "some", "more", "less", "most", "few", "both", "ok"])
_OPERATORS = {frozenset(("&&", "||")), frozenset(("==", "!="))}
_SHORT = 4  # letters of names that differ in one
_ROWS = Path(__file__).with_name("contrasts.txt")


def excludes(term: str, other: str) -> bool:
    """Does one term exclude another: two numbers, or two alternatives of a row."""
    if term == other:
        return False
    if _is_number(term) and _is_number(other):
        return True
    if _is_sibling(term, other) or frozenset((term, other)) in _OPERATORS:
        return True
    rows, others = _table().get(term, {}), _table().get(other, {})
    both = rows.keys() & others.keys()
    return bool(both) and all(rows[row] != others[row] for row in both)


def _is_number(term: str) -> bool:
    return term.lstrip("-").replace(".", "").isdigit()


def _is_sibling(term: str, other: str) -> bool:
    """Are two short names the same but for one letter: dx and dy, q1 and q2."""
    return (
        len(term) == len(other) <= _SHORT
        and all(one.isascii() and one.isalnum() for one in (term, other))
        and not {term, other} & EMPTY
        and sum(one != two for one, two in zip(term, other, strict=True)) == 1
    )


@cache
def words() -> dict[str, str]:
    """The Chinese words of the rows, each its own term."""
    return {
        word: word
        for row in _lines()
        for word in row.partition("|")[2].replace("/", " ").split()
    }


@cache
def _lines() -> tuple[str, ...]:
    return tuple(filter(None, _ROWS.read_text("utf-8").splitlines()))


def _terms(word: str) -> set[str]:
    """What a word may be compared as."""
    if word.isascii():
        return {word, exact_term_of(word)} if word.isalpha() else {word}
    return {word, concepts.chinese().get(word, word)}


@cache
def _table() -> dict[str, dict[int, int]]:
    """A term -> the rows that it stands in, and which alternative of each it is."""
    found: dict[str, dict[int, int]] = {}
    for row, line in enumerate(_lines()):
        english, _, chinese = line.partition("|")
        for side in (english, chinese):
            for at, alternative in enumerate(side.split("/")):
                for word in alternative.split():
                    folded = word.casefold()
                    if folded in _COMMON:
                        continue
                    for term in _terms(folded):
                        found.setdefault(term, {})[row] = at
    return found
