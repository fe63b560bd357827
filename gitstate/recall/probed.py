"""What an answer gives as the value of the one fact that was asked for; pure.

The recorded value may stand in it and be told of something else: "1.5, and 1.0 switches it off".
"""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitstate.late import late
from gitstate.recall.cleaning import clean
from gitstate.recall.held import Contradiction
from gitstate.recall.relations import amounts
from gitstate.recall.terms import has_name, is_bare, light, term_of
from gitstate.recall.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.recall.held import Held
    from gitstate.recall.subjects import Subject

_NUMBER = late(r"(?<![\w./:-])\d+(?:\.\d+)*(?![\w/:])")
_HIGHEST = late(
    r"上限|最大|最多|最高|最长|\b(?:max\w*|limit|at most|ceiling|highest|largest|longest|greatest|upper)\b"
)
_LOWEST = late(
    r"下限|最小|最少|最低|最短|\b(?:min\w*|at least|floor|lowest|smallest|shortest|lower)\b"
)
_AT_LEAST = late(
    r"至少|最少|不少于|不低于|\b(?:at least|no less than|or more|minimum)\b"
)
_AT_MOST = late(
    r"至多|最多|不超过|不多于|\b(?:at most|no more than|up to|or less|maximum)\b"
)
_OR = late(r"[,;]?\s+or\b|[,;]\s*或者?|[,;]\s*也可以?用?")
_PER = late(r"\b(?:per|each|every) ([a-z]{3,})")
_UNLIMITED = late(
    r"不限(?!于)|没有(?:上限|限制)|无限|\bunlimited\b|\bno (?:limit|cap|maximum)\b"
)
_EVERY = late(r"\b(?:every|each|all|both)\b|每|所有|全部")
_ONLY = late(r"\bonly\b|仅|只")
_END = r"(?=\s*(?:[,;.。]|$|\b(?:and|not|on)\b))"
_DENIED = late(r"\b(?:not|no|never|instead of|rather than)\b|n't\b|不是|而非|而不是|不")


def probed(held: Held) -> Iterator[Contradiction]:
    """Another value than the recorded one in the place where an answer gives it."""
    if len(held.subjects) != 1 or held.subjects[0].kind not in {"fact", "command"}:
        return
    one = held.subjects[0]
    # what comes first is the answer, the rest is said beside it
    text = next((each.text for each in held.answer if each.segments), "")
    fact = one.kind == "fact"
    if _other_choice(one, text) or (fact and _is_other(held, one, text)):
        yield Contradiction(text, one.dimension)


def _is_other(held: Held, one: Subject, text: str) -> bool:
    """Is another value told than the recorded one."""
    return (
        _other_value(one, text)
        or _other_first(held, one, text)
        or _other_side(one, text)
        or _other_noun(one, text)
        or _other_each(one, text)
        or _only_some(one, text)
        or any(_unlimited(one, part.text) for part in held.segments())
    )


def _unlimited(one: Subject, text: str) -> bool:
    """Is a number said to be none at all."""
    return (
        _NUMBER.search(one.text) is not None
        and _UNLIMITED.search(text) is not None
        and not _UNLIMITED.search(one.whole)
    )


def _other_each(one: Subject, text: str) -> bool:
    """Is it told of each of something else: per copy, where per set is recorded."""
    own = {term_of(each) for each in _PER.findall(one.whole)}
    told = {term_of(each) for each in _PER.findall(text)}
    return bool(own and told) and not own & told


def _other_choice(one: Subject, text: str) -> bool:
    """Is something else offered beside the value, that has no choice."""
    if _OR.search(one.whole):
        return False
    first = _OR.search(text)
    return (
        first is not None
        and not _DENIED.search(text[: first.start()])
        and one.names_in(text[: first.start()])
        and not is_bare(text[first.end() :])
    )


def _only_some(one: Subject, text: str) -> bool:
    """Is what is so of each told of some only."""
    return (
        _EVERY.search(one.text) is not None
        and _ONLY.search(text) is not None
        and not _ONLY.search(one.whole)
    )


def _other_noun(one: Subject, text: str) -> bool:
    """Is the number told of something else."""
    number = _NUMBER.findall(one.text)
    if len(number) != 1:
        return False
    own, told = _counted(one.text, number[0]), _counted(text, number[0])
    terms_ = {each.term for each in tokens(one.whole)}
    return (
        bool(own and told)
        and told not in terms_ | light()
        and own not in {each.term for each in tokens(text)}
    )


def _counted(text: str, number: str) -> str:
    """The word right behind a number; "" for none."""
    found = re.search(rf"(?<![\w.]){re.escape(number)} ([a-z]{{4,}})", text)
    return term_of(found[1]) if found else ""


def _other_side(one: Subject, text: str) -> bool:
    """Is a highest value told as a lowest one, or the other way round."""
    key = clean(one.dimension.key)
    most = _HIGHEST.search(key) is not None and _AT_LEAST.search(text) is not None
    least = _LOWEST.search(key) is not None and _AT_MOST.search(text) is not None
    return most or least


def _other_value(one: Subject, text: str) -> bool:
    """Is what the fact is called told to be something else."""
    key = clean(re.split(r"[(（]", one.dimension.key)[0]).strip()
    if not key:
        return False
    found = re.search(
        rf"{re.escape(key)}\s*(?:\b(?:is|are)\b|[:=是为叫])\s*(\d[\w./@-]*|[\w./@-]+{_END})",
        text,
    )
    if not found or _DENIED.match(found[1]):
        return False
    told = found[1].strip("./-")
    named = re.search(r"[a-z0-9]", told) is not None and len(told) > 1
    return named and told not in one.whole and not has_name(one.whole, told)


def _other_first(held: Held, one: Subject, text: str) -> bool:
    """Is the first number another one of the state's, where the value is one number."""
    own = _NUMBER.findall(one.text)
    told = _NUMBER.findall(text)
    if len(own) != 1 or not told or told[0] in own or own[0] not in told:
        return False
    own_amounts, amounts_told = amounts(one.text), amounts(text)
    if any(amounts_told.get(kind) == own_ for kind, own_ in own_amounts.items()):
        return False  # it is the same in another unit
    lines = map(_NUMBER.findall, held.known.split("\n"))
    if any(told[0] in line and own[0] in line for line in lines):
        return False  # another part of the same value
    first = text.index(told[0])
    if _DENIED.search(text[:first]):
        return False
    return (
        re.search(rf"(?<![\d.]){re.escape(told[0])}(?![\d.])", held.known) is not None
    )
