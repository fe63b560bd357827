"""A rule that demands one thing and forbids another -> both, each in its own words; pure.

An answer is held against each: what is demanded is not said with the force of what is
forbidden, nor the other way round.
"""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from gitstate.late import late

_COMMA = late(r"\s*(?:[,;，；]|\s[-–—]\s)\s*")
# what goes on with the clause before it
_NO_PART = late(
    r"(?:and |or |but )?(?:not (?:even|only|just|yet|if|when|unless)|no (?:exceptions?|matter|later|more|less|longer)|nor\b)"
    r"|不例外|不论|不管|无论|不仅|不只|没有例外",
    re.IGNORECASE,
)
_FORBIDS = late(
    r"(?:and |but |so )?(?:never\b|not\b|no\b|don['’]?t\b|do not\b|must(?: not|n['’]t)\b|avoid\b)"
    r"|(?:而|但|也)?(?:禁止|不得|不要|不能|不可|不许|不准|不用|不应|不使用|不直接|不再|切勿|严禁|勿|绝不|而非|不是)",
    re.IGNORECASE,
)
_DEMANDS = late(
    r"(?:but |and |so )?(?:instead,? )?(?:always|must|only|use|log|run|call|open|write|read|go|prefer|keep|put|import|add|ask|name|wrap|take|make|do)\b(?! not\b)"
    r"|(?:而|但)?(?:应当?|必须|只用|只能|一律|改用|请|用|使用|务必)",
    re.IGNORECASE,
)
_NEGATED = late(
    r"\b(?:never|not|no|avoid|without)\b|n['’]t\b|禁止|不得|不要|不能|不可|不许|不准|切勿|严禁|勿",
    re.IGNORECASE,
)


class Part(NamedTuple):
    """One of the two; ``forbids`` says which."""

    text: str
    forbids: bool


def parts_of(text: str) -> tuple[Part, ...]:
    """The parts of a rule; of one that only demands or only forbids none."""
    ends = [0, *(found.end() for found in _COMMA.finditer(text)), len(text)]
    clauses = [text[start:end] for start, end in pairwise(ends) if start < end]
    parts: list[Part] = []
    for clause in clauses:
        sign = _sign(clause, before=parts[-1].forbids if parts else None)
        if parts and (sign is None or sign is parts[-1].forbids):
            parts[-1] = Part(parts[-1].text + clause, parts[-1].forbids)
        else:
            parts.append(Part(clause, bool(sign)))
    if len(parts) < 2:  # noqa: PLR2004 one is no two
        return ()
    return tuple(Part(one.text.rstrip(" ,;，；–—-"), one.forbids) for one in parts)


def _sign(clause: str, *, before: bool | None) -> bool | None:
    """Does a clause forbid (``True``) or demand; ``None``: it goes on with the one before."""
    if before is None:
        return _NEGATED.search(clause) is not None
    if _NO_PART.match(clause):
        return None
    if not before:
        return True if _FORBIDS.match(clause) else None
    return False if _DEMANDS.match(clause) and not _NEGATED.search(clause) else None
