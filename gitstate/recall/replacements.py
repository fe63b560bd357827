"""A name that is recorded of something else, told in the place of an item's own; pure.

All names of an answer stand in the state, and yet it is another rule, when the one is said of the
other: told to go through the wrong folder, to set the wrong number. An item is recognised
by the rest of its words; where one of its names is lacking and another of the same
kind (a number, a path, any other name) stands there, that one took its place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitstate.late import late
from gitstate.recall.held import Contradiction
from gitstate.recall.terms import camel, has_name, terms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.recall.held import Held
    from gitstate.recall.subjects import Subject

_KINDS = {
    "rule",
    "prohibition",
    "constraint",
    "goal",
    "step",
    "next",
    "issue",
    "workaround",
}
_JOINED = late(r"(?<![\w./-])[a-z]\w*(?:-\w+)+(?![\w/-])")
_HALF = 0.5
_SOME = 2  # words that an item is recognised by
_FEW = 12  # so many are counted, or are the number of a line in a list


def replacements(held: Held) -> Iterator[Contradiction]:
    """What an answer says of an item with a name that is not its own."""
    named = camel(held.request.known)
    keys = {one.dimension.key.casefold() for one in (*held.subjects, *held.over)}
    for text in held.clauses():
        said = terms(text, named | held.camel).names - keys
        names = [one for one in said if one in held.camel or _is_recorded(held, one)]
        names += [one for one in _JOINED.findall(text) if _is_sibling(held, one)]
        if not names:
            continue
        told = {
            at: one.told_in(text)
            for at, one in enumerate(held.subjects)
            if one.kind in _KINDS
        }
        for at, part in told.items():
            one = held.subjects[at]
            if part < _HALF or one.words_in(text) < _SOME:
                continue
            if not _replaced(one, text, names):
                continue
            if part >= max(told.values()):
                yield Contradiction(text, one.dimension)


def _replaced(one: Subject, text: str, names: list[str]) -> bool:
    """Is a name of an item lacking, and another of its kind there."""
    lacking = {_kind(name) for name in one.names if not one.has(text, name)}
    others = [name for name in names if not has_name(one.whole, name)]
    return any(_kind(name) in lacking for name in others)


def _is_recorded(held: Held, name: str) -> bool:
    """Does the state have a name; a small number may count what the answer lists."""
    if name.isdigit() and int(name) <= _FEW:
        return False
    return has_name(held.known, name)


def _is_sibling(held: Held, name: str) -> bool:
    """Does a name with hyphens begin like one of the state's, and is none of them."""
    first = re.escape(name.partition("-")[0])
    likes = re.search(rf"(?<![\w-]){first}-\w", held.known) is not None
    return likes and not has_name(held.known, name)


def _kind(name: str) -> str:
    if re.fullmatch(r"[\d.]+", name):
        return "number"
    if re.search(r":\d+$", name):
        return "line"
    return "path" if "/" in name else "name"
