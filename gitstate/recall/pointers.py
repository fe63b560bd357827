"""Signs that put two things in a relation, whatever else stands in their sentence; pure.

A sign ("before", "instead of", 换成) points to what is next to it, on one side or on both.
Which of two things stands there says which of them it calls the one, and which the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from gitstate.late import late
from gitstate.recall.tokens import tokens

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

_MOST = 400  # characters of a sentence that are looked at
_NEAREST = 3  # tokens from a sign in which what it points to begins
_CLAUSE_END = late(r"[,;。!?]|\.\s")
_SENTENCE_END = late(r"[;。!?]|\.\s")
# "no screen is merged before …"
_NOT = late(r"\b(?:no|not|never|nothing|none|nobody|cannot)\b|n't\b|[不没别勿]")


class Pointer(NamedTuple):
    """A sign: which of the two stands on which side of it.

    ``one``: it points to the one and not to the other; ``turns``: a negation before it turns
    that around.
    """

    sign: re.Pattern[str]
    side: Literal["next", "previous"]
    one: bool
    turns: bool = False


def balance(  # noqa: PLR0913 what is held against what, and how
    pointers: Sequence[Pointer],
    one: frozenset[str],
    other: frozenset[str],
    said: str,
    *,
    denied: bool = False,
    clauses: bool = False,
) -> int:
    """How many signs in ``said`` point as they should, less those that point otherwise.

    ``denied``: all of it is forbidden; ``clauses``: a sign points to a whole clause, and where
    terms of both stand there, to neither.
    """
    one, other, said = one - other, other - one, said[:_MOST]
    if not one and not other:
        return 0
    found = 0
    for pointer in pointers:
        for sign in pointer.sign.finditer(said):
            near = _pointed_at(said, sign, pointer.side, one | other)
            if clauses and set(near) & one and set(near) & other:
                continue
            at = near[0] if near else ""
            if at:
                means = _means_one(pointer, sign, said, denied=denied)
                found += 1 if (at in one) == means else -1
    return found


def _means_one(
    pointer: Pointer, sign: re.Match[str], said: str, *, denied: bool
) -> bool:
    if not pointer.turns:
        return pointer.one
    clause = _CLAUSE_END.split(said[: sign.start()])[-1]
    return pointer.one != (denied or _NOT.search(clause) is not None)


def _pointed_at(
    said: str, sign: re.Match[str], side: str, wanted: frozenset[str]
) -> list[str]:
    """Those of some terms that are next to a sign, on one side of it; names alone where one is."""
    if side == "next":
        found = tokens(_SENTENCE_END.split(said[sign.end() :])[0])
    else:
        found = tokens(_CLAUSE_END.split(said[: sign.start()])[-1])[::-1]
    near = [token.term for token in found if not token.bare][:_NEAREST]
    there = [term for term in near if term in wanted]
    names = [term for term in there if not term.isalpha() and term[0] != "#"]
    return names or there
