"""What an answer of the state's own words adds to them; pure.

Where most of an answer stands in the state word for word, what does not is no paraphrase: a word
that is put into an item, a limit that is lost from it, a clause behind it that is no reason
makes it another one.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gitstate.recall.alignment import aligned, nearest, words
from gitstate.recall.cleaning import clean
from gitstate.recall.held import Contradiction, joined
from gitstate.recall.terms import is_chinese
from gitstate.recall.variants import akin, beside, is_name, says

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitstate.recall.alignment import Alignment, Word
    from gitstate.recall.held import Held
    from gitstate.recall.subjects import Subject

_BINDS = {"rule", "prohibition", "constraint"}
_TWICE = 2
_LEAST = 3  # words of an item in which one more or less can be told
_ONLY = "only 只 仅"
_WITHOUT = "without not no 未 没 没有 不"
_BUT = "only exception exceptions 只 仅 一样 行"  # what is said of an exception
# what an answer names things by
_LEADING = (
    "exact exactly known becomes become per thing file next line take put use using stay remain afterwards come comes go goes off"
    " 东西 确切 这次 顶着 若 第 行 用 下一步"
)


def added_to_quotes(held: Held) -> Iterator[Contradiction]:
    """What an answer that is mostly word for word says of its own."""
    whole = [at for at in held.covering if held.subjects[at].dimension in held.quoted]
    if len(whole) < _TWICE or _TWICE * len(whole) < len(held.covering):
        return
    for at, run in held.covering.items():
        one = held.subjects[at]
        if at in whole:
            if one.kind in _BINDS:
                yield from _appended(held, one)
        elif is_chinese(one.text) == is_chinese(joined(run)):
            near = _near(held, one, joined(run))
            if near and _is_altered(one, near):
                yield Contradiction(near.text, one.dimension)


def _near(held: Held, one: Subject, run: str) -> Alignment | None:
    """What is nearest to an item; where nothing is near, what is said of one that forbids nothing."""
    own = words(one.text)
    if len(own) < _LEAST:
        return None
    there = [
        *held.clauses(),
        *(each.text for each in held.answer),
    ]
    same = [each for each in there if is_chinese(each) == is_chinese(run)]
    found = nearest(own, [run]) or nearest(own, same)
    if found is None and not one.negative:
        found = aligned(own, run)
    quoted = (
        any(each.names[0] in found.text for each in _quoted(held)) if found else True
    )
    return None if quoted else found


def _quoted(held: Held) -> list[Subject]:
    """What stands there word for word."""
    return [one for one in held.subjects if one.dimension in held.quoted]


def _is_altered(one: Subject, found: Alignment) -> bool:
    """Has it a word of its own, or lost what limits it."""
    lost = beside(found.own, found.said)
    if _has(lost, _ONLY):
        return True
    denied = _has(lost, _WITHOUT)
    if denied and not _has(found.said, _WITHOUT):
        return True
    free = _terms(_WITHOUT) if denied else frozenset[str]()  # 没有 for 未
    if one.exception or "例外" in one.text:
        free |= _terms(_BUT)
    for place in found.places():
        if not place.lost and found.said[: len(place.new)] == place.new:
            continue  # what leads to it
        more = [
            each
            for each in beside(place.new, found.own)
            if _says_more(each) and each.term not in free
        ]
        if any(_is_another(one, each, place.lost, lost) for each in more):
            return True
    return False


def _is_another(
    one: Subject, new: Word, here: Sequence[Word], lost: Sequence[Word]
) -> bool:
    """Does a word say what an item does not: not anywhere, or in the place of what it says there."""
    whole = _terms(f"{one.dimension.key.casefold()} ; {one.whole}")
    if new.term in whole or new.written in one.whole:  # of its reason
        lacks = [each.written for each in here if is_name(each) or _says_more(each)]
        return bool(lacks) and not any(new.written in each for each in lacks)
    return not any(akin(new, each) for each in lost)


def _has(these: Sequence[Word], those: str) -> bool:
    return any(each.term in _terms(those) for each in these)


def _appended(held: Held, one: Subject) -> Iterator[Contradiction]:
    """What stands behind a thing that binds, and is neither in the state's text of it nor a reason."""
    covering = {id(part) for run in held.covering.values() for part in run}
    names = [each.names[0] for each in _quoted(held)]
    own = _terms(clean(held.quoted[one.dimension].text))
    for sentence in held.answer:
        parts = sentence.segments
        plain = [
            n
            for n, part in enumerate(parts)
            if any(name in part.text for name in names)
        ]
        if len(plain) != 1 or one.names[0] not in parts[plain[0]].text:
            continue
        behind = parts[plain[0]].text.rpartition(one.names[0])[2]
        if _says_more_than(behind, own):
            yield Contradiction(parts[plain[0]].text, one.dimension)
        for part in parts[plain[0] + 1 :]:
            if (
                id(part) not in covering
                and part.stance != "none"
                and _says_more_than(part.text, own)
            ):
                yield Contradiction(part.text, one.dimension)


def _says_more_than(text: str, own: frozenset[str]) -> bool:
    return any(_says_more(each) and each.term not in own for each in words(text))


def _says_more(one: Word) -> bool:
    return says(one) and one.term not in _terms(_LEADING)


@cache
def _terms(text: str) -> frozenset[str]:
    return frozenset(one.term for one in words(text))
