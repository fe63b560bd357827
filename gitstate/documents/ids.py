"""The numbers of entries: ``D-0007`` and all that people write for it."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gitstate.documents.header import Problem
from gitstate.late import late

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitstate.documents.fields import Lines

_DIGITS = 9  # of a number at most


class Ids(NamedTuple):
    """How the ids of one kind of entry look."""

    letter: str
    before: re.Pattern[str]  # an id before a text
    within: re.Pattern[str]  # an id within a text; its number is in one of the groups

    def of(self, number: int | None) -> str | None:
        """An entry's id: its letter and at least four digits."""
        return None if number is None else f"{self.letter}-{number:04d}"

    def named(self, text: str) -> str | None:
        """The id that ``text`` as a whole names, or a lone number; else ``None``."""
        text = text.strip()
        if text.isdecimal() and text.isascii() and len(text) <= _DIGITS:
            return self.of(int(text))
        found = self.within.fullmatch(text)
        return self.of(_number(found)) if found else None

    def all_in(self, text: str) -> tuple[str, ...]:
        """All ids in a text like ``D-3, #4 and decision 5``, or its lone number."""
        if not text:
            return ()
        found = [self.of(_number(one)) for one in self.within.finditer(text)]
        return tuple(dict.fromkeys(filter(None, [self.named(text), *found])))

    def following(self, ids: Iterable[str | None], above: int) -> str:
        """The id after the highest of ``ids`` and of ``above``, the highest elsewhere."""
        numbers = (int(one.partition("-")[2]) for one in ids if one)
        return str(self.of(max([above, *numbers]) + 1))


def _number(found: re.Match[str]) -> int:
    return next(int(one) for one in found.group("id", "named", "hash") if one)


def ids_like(letter: str, names: str) -> Ids:
    """Ids of a letter, or one of the names: ``D-0007``, ``[D7]:``, ``Decision 7``.

    Before a text also ``7.``; ``names`` are alternatives of a regular expression.
    """
    lettered = rf"{letter}[-_ ]?0*(?P<id>\d{{1,9}})"
    named = rf"(?:{names})\s*[#＃]?\s*-?0*(?P<named>\d{{1,9}})"
    hashed = r"[#＃]0*(?P<hash>\d{1,9})"
    before = (
        rf"(?P<lead>\*\*|__|[*_`])?[\[【(（]?(?:{lettered}"
        rf"|{named}(?=\s*[:：.、)）\]】—–-]|\s|$)|{hashed}(?=[\s:：]|$)"
        r"|(?P<bare>\d{1,4})(?=\.\s|、))(?!\w|-\d)[\]】)）]?"
        r"(?P<shut>(?P=lead))?[.:：、]?\s*(?:[:：|—–-]+\s+)?"
    )
    within = rf"(?<![\w-])(?:{lettered}|{named}|{hashed})(?!\w|-\d)"
    return Ids(letter, late(before, re.IGNORECASE), late(within, re.IGNORECASE))


def doubles(ids: Iterable[tuple[str | None, Lines]]) -> list[Problem]:
    """A problem for each id that stands more than once."""
    first: dict[str, int] = {}
    problems = []
    for id_, lines in ids:
        if id_ and first.setdefault(id_, lines.first) != lines.first:
            problems.append(
                Problem(lines.first, f"{id_} stands in line {first[id_]} already")
            )
    return problems
