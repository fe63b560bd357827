"""What comes first in a clean text, and what after it; is that order turned around; pure."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from gitstate.late import late
from gitstate.recall.pointers import Pointer, balance
from gitstate.recall.tokens import content, tokens

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    # a pattern, and which of its two comes first
    Row = tuple[re.Pattern[str], Literal["a", "b", "a, or b where a is denied"]]

_MOST = 400  # characters of a sentence that an order is looked for in
_SIGNS = late(
    r"\b(?:before|after\w*|then|thereafter|subsequently|next|later|once|soon|when|now|first"
    r"|ahead|prior|precedes?|follows|behind|in front of)\b|[先前后完了好]|然后|接着"
)
_IN = r"(?:[^.!?。！？]|\.(?=\w))"  # of one sentence
_A, _B = rf"(?P<a>{_IN}{{2,120}}?)", rf"(?P<b>{_IN}{{2,120}})"
_NEAR = r"(?P<a>[^,;:.!?。！？]{1,60}?)"  # in the same clause
_ONLY = r"(?:and |but )?(?:only |not until )?"
_THEN = (
    r"(?:after(?:wards?| that| this| which| it)|(?<!now and )then|thereafter|subsequently|next"
    r"|later(?: on)?|as soon as (?:it|that|this|they)\b[^,;]{0,20}?)"
)
# whatever begins a clause that the other one waits for
_AFTER = r"after(?! ?wards?\b| that\b| this\b| which\b| it\b)"
_ONCE = rf"(?:once|as soon as|(?<!there){_AFTER}|when|now that)"
_BEFORE = r"(?:before|ahead of|prior to|precedes?|in front of)"
_OPENS = r"(?:^|[,;:]\s*|\b(?:and|but)\s+)"
# "no screen is merged before …"
_NOT = late(r"\b(?:no|not|never|nothing|none|nobody|cannot)\b|n't\b|[不没别勿]")
# the first that two things fit counts
_ROWS: tuple[Row, ...] = (
    (late(rf"{_A}[,;:]?\s*\b{_ONLY}{_THEN}\b,?\s*{_B}"), "a"),
    (late(rf"{_OPENS}{_ONCE}\s+{_A}\s*[,;:]\s*(?:then )?{_B}"), "a"),
    (late(rf"{_OPENS}{_ONCE}\s+{_A}\s+(?=i |we |you |one |the ){_B}"), "a"),
    (late(rf"{_OPENS}{_BEFORE}\s+{_A}\s*[,;:]\s*{_B}"), "b"),
    (late(rf"{_OPENS}{_BEFORE}\s+{_A}\s+(?=i |we |you |one |the ){_B}"), "b"),
    (late(rf"{_A}[,;]?\s+{_ONLY}\b{_BEFORE}\s+{_B}"), "a, or b where a is denied"),
    (
        late(
            rf"{_A}[,;]?\s+{_ONLY}\b(?:once|as soon as|{_AFTER}|follows|behind)\s+{_B}"
        ),
        "b",
    ),
    (
        late(
            rf"{_A}\s+(?:comes? |goes )?first(?=\s*[,;:]|\s+(?:and|then)\b)[,;:]?\s*(?:and )?{_B}"
        ),
        "a",
    ),
    (
        late(
            rf"先{_A}[,;]?\s*(?:然后|之后|接着|随后|才|再|后(?!端|缀|台)){{1,3}}\s*{_B}"
        ),
        "a",
    ),
    (late(rf"{_A}[,;]\s*(?:然后|之后|接着|随后|而后)(?:才|再)?\s*{_B}"), "a"),
    (
        late(
            rf"等?{_NEAR}(?:之后|以后|过后|完成?后|完了|(?<!前)后(?!端|缀|台))[,;]?\s*{_B}"
        ),
        "a",
    ),
    (late(rf"等(?:到)?{_A}(?:完|了|好)[,;]?\s*(?:再|才){_B}"), "a"),
    (late(rf"{_NEAR}(?:之前|以前|(?<![提端当目])前(?!端|缀|面|后))[,;]?\s*{_B}"), "b"),
)


# "from old to new", 从近到远
_FROM_TO = late(
    r"\bfrom (?:the )?([a-z0-9]+)(?: \w+)? to (?:the )?([a-z0-9]+)"
    r"|[从由]([\u4e00-\u9fff]{1,4}?)[到至及往向]([\u4e00-\u9fff]{1,2})"
)


# the one comes first
_POINTERS = (
    Pointer(
        late(r"\b(?:before(?!hand)|until|prior to|ahead of)\b"),
        "next",
        one=False,
        turns=True,
    ),
    Pointer(late(r"\b(?:precedes?|in front of)\b"), "next", one=False),
    Pointer(
        late(r"\b(?:then|and after(?:wards)?|thereafter|subsequently|second)\b"),
        "next",
        one=False,
    ),
    Pointer(
        late(
            r"\b(?:after(?! ?wards?\b| that\b| this\b| which\b)|as soon as(?! (?:it|that|this|they)\b)|behind)\b"
        ),
        "next",
        one=True,
    ),
    Pointer(
        late(r"\b(?:afterwards?|later on|thereafter)\b(?=\s*(?:[,;.]|$))"),
        "previous",
        one=False,
    ),
    Pointer(
        late(r"\b(?:comes? |goes )?first(?=\s*(?:[,;.:]|then\b|and\b|$))"),
        "previous",
        one=True,
    ),
    Pointer(late(r"首先|先(?!后)"), "next", one=True),
    Pointer(late(r"在前|在先"), "previous", one=True),
    Pointer(late(r"在后(?!端|台)"), "previous", one=False),
    Pointer(late(r"然后|接着|随后|而后|再|才"), "next", one=False),
    Pointer(
        late(r"之前|以前|(?<![提端当目在])前(?:面|边)?(?![端缀后台])"),
        "previous",
        one=False,
        turns=True,
    ),
    Pointer(
        late(r"之后|以后|过后|(?<![前先在])后(?:面|边)?(?![端缀台])"),
        "previous",
        one=True,
    ),
)


# what must be there before the rest may be done
_FIRST: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        late(
            rf"(?:未经?|没有?|尚未){_NEAR}(?:时|之前|前|就)?[,;]?\s*(?:不得|禁止|不许|不准|不能|切勿){_B}"
        ),
        "a",
    ),
    (late(rf"{_A}\s+without (?:first )?{_B}"), "b"),
)


_PAIR = 2
# "in the order header, checksum, programs"
_LISTED = late(
    r"(?:\border\b(?! to\b)(?: of| is|:)?|(?:顺序|次序)(?:是|为|:)?|依次(?:是|为|:)?|按(?=[^,;。、]{1,10}、))\s*([^.;。]{3,120})"
)


class _Order(NamedTuple):
    """The terms of what comes first, and of what comes after it."""

    first: frozenset[str]
    then: frozenset[str]


def is_reversed(text: str, said: str) -> bool:
    """Is what comes before the other in ``text`` told to come after it."""
    if _goes_back(text, said) or _listed_otherwise(text, said):
        return True
    mine = next(_orders(text), None)
    if mine is None:
        return False
    pointed = balance(_POINTERS, mine.first, mine.then, said, clauses=True)
    if pointed:
        return pointed < 0
    for theirs in _orders(said):
        straight = len(mine.first & theirs.first) + len(mine.then & theirs.then)
        first, then = mine.first & theirs.then, mine.then & theirs.first
        if len(first) + len(then) < straight:
            return False
        if first and then and len(first) + len(then) > straight:
            return True
    return False


def is_too_late(text: str, said: str) -> bool:
    """Is what must be there before the rest told to come after it."""
    for pattern, first in _FIRST:
        found = pattern.search(text[:_MOST])
        if found:
            a, b = content(found["a"]), content(found["b"])
            one, other = (a, b) if first == "a" else (b, a)
            return balance(_POINTERS, one, other, said, denied=True, clauses=True) < 0
    return False


def _goes_back(text: str, said: str) -> bool:
    """Is a way from one end to the other told from the other to the one."""
    way, other = _FROM_TO.search(text), _FROM_TO.search(said)
    if not way or not other:
        return False
    (start, end), (from_, to) = _ends(way), _ends(other)
    return _same_end(start, to) and _same_end(end, from_)


def _listed_otherwise(text: str, said: str) -> bool:
    """Is what an item puts in an order by a list told in another one."""
    own, told = _LISTED.search(text), _LISTED.search(said)
    if not own or not told:
        return False
    mine = [one.term for one in tokens(own[1]) if not one.bare]
    theirs = [one.term for one in tokens(told[1]) if not one.bare]
    both = [one for one in mine if one in theirs]
    return len(both) > _PAIR and both != [one for one in theirs if one in mine]


def _same_end(one: str, other: str) -> bool:
    """Is it the same end of a way; what stands behind it in Chinese may be of more."""
    if one.isascii():
        return one == other
    return one.startswith(other) or other.startswith(one)


def _ends(way: re.Match[str]) -> tuple[str, str]:
    """Where a way begins, and where it ends."""
    return (way[1], way[2]) if way[1] else (way[3], way[4])


def _orders(text: str) -> Iterator[_Order]:
    """What a text puts in an order, by each of the ways to say it."""
    if not _SIGNS.search(text):
        return
    for pattern, first in _ROWS:
        found = pattern.search(text[:_MOST])
        if found:
            a, b = content(found["a"]), content(found["b"])
            denied = first not in {"a", "b"} and _NOT.search(found["a"])
            yield _Order(b, a) if first == "b" or denied else _Order(a, b)
