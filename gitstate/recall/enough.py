"""How much of an item has to be said that it counts as said; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.late import late
from gitstate.recall.relations import unit_words
from gitstate.recall.terms import has_name, is_chinese, share

if TYPE_CHECKING:
    from gitstate.recall.subjects import Subject

_HALF = 0.5
_ONLY_NUMBERS = 0.4  # of the words, where the names are numbers
_SOME = 0.3  # of the words, where names say which it is
MARKED = late(r"[a-z].{0,200}[-_.=/()]|[-_.=/()].{0,200}[a-z]")  # of no common word
_SHARE = {
    "goal": 0.5,
    "next": 0.55,
    "step": 0.5,
    "issue": 0.4,
    "workaround": 0.6,
    "decision": 0.5,
    "place": 0.4,
    "constraint": 0.5,
    "rule": 0.55,
    "prohibition": 0.55,
    "fact": 0.6,
    "command": 1.0,
    "anchor": 1.0,
}


def is_enough(one: Subject, text: str) -> bool:
    """Are enough of an item's words there."""
    if one.kind in {"command", "anchor"}:
        return True
    if one.kind == "fact" and one.names:
        return _of_fact(one, text)
    if one.kind in {"rule", "prohibition", "constraint"} and one.names:
        return _of_rule(one, text)
    if one.kind in {"step", "decision"}:
        sure = any(has_name(text, name) for name in one.names if "/" not in name)
        few = _SHARE[one.kind] - 0.1 if sure else _SHARE[one.kind]
        return share(text, one.words) >= few and share(text, one.all) >= few
    if one.kind == "goal" and is_chinese(text) == is_chinese(one.text):
        whole = all(share(text, part) for part in one.parts)
        return whole and share(text, one.all) >= _least(one, text)
    return share(text, one.all) >= _least(one, text)


def _of_fact(one: Subject, text: str) -> bool:
    """Several names are a value; a short one has to be there whole."""
    if len(set(one.names) - unit_words()) > 1 and one.names_in(text):
        return True
    least = 1 if one.short else _HALF
    return not one.words or share(text, one.words) >= least


def _of_rule(one: Subject, text: str) -> bool:
    """Its names are enough, but where they are only numbers."""
    said = share(text, one.words)
    if all(name.isdigit() for name in one.names) and said < _ONLY_NUMBERS:
        return False
    return not one.bound or said > 0 or not one.words


def _least(one: Subject, text: str) -> float:
    """How much is enough, of 1: less where a name of its own is there."""
    least = _SHARE[one.kind]
    if one.exception_names and all(
        has_name(text, name) for name in one.exception_names
    ):
        return _SOME - 0.1
    key = one.dimension.key.casefold()
    exact = [name for name in one.names if name[0].isdigit() or name[0].isascii()]
    if one.kind == "issue" and (
        (key and has_name(text, key))
        or (len(exact) > 1 and all(has_name(text, name) for name in exact))
    ):
        return _SOME
    own = [name for name in one.names if MARKED.search(name)]
    if one.kind == "workaround" and any(has_name(text, name) for name in own):
        return _SOME
    return least
