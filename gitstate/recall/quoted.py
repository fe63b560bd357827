"""What an answer of the state's own words adds to them; pure.

Where most of an answer stands in the state word for word, what does not is no paraphrase: a word
that is put into an item, a limit that is lost from it, a clause behind it that is no reason
makes it another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.recall.alignment import aligned, nearest, terms_in, words
from gitstate.recall.cleaning import clean
from gitstate.recall.held import Contradiction, joined
from gitstate.recall.terms import STANDS_IN, is_chinese
from gitstate.recall.variants import akin, beside, is_name, says

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gitstate.recall.alignment import Alignment, Word
    from gitstate.recall.held import Held
    from gitstate.recall.subjects import Subject

_BINDS = {"rule", "prohibition", "constraint"}
_TWICE = 2
_LEAST = 3  # words of an item in which one more or less can be told
_ONLY = "only 只 仅"
_WITHOUT = "without not no 未 没 没有 不"
_BUT = "only exception exceptions 只 仅 一样 行"  # what is said of an exception
# what says once more that something binds, or that it was taken in
_STRESS = (
    "hard strict strictly critical important essential mandatory required absolute absolutely binding period full stop whatever matter"
    " any under circumstance circumstances condition rule rules ban prohibition constraint limit as recorded stated written listed"
    " noted understood agreed clear ok okay yes i we will keep kept follow stick to it this one see above always ever frozen convention conventions file"
    " 必须 遵守 硬性 规定 重要 关键 严格 绝对 任何 情况 无论 如何 一律 记住 明白 知道 了解 清楚 照做 铁律 红线 硬 性"
)
# what an answer names things by
_LEADING = (
    "exact exactly known becomes become per thing file next line take put use using stay remain afterwards come comes go goes off"
    " 东西 确切 这次 顶着 若 第 行 用 下一步"
)


def added_to_quotes(held: Held) -> Iterator[Contradiction]:
    """What an answer that is mostly word for word says of its own."""
    whole = {
        one.names[0]: one
        for one in map(held.subjects.__getitem__, held.covering)
        if one.dimension in held.quoted
    }
    if len(whole) < _TWICE or _TWICE * len(whole) < len(held.covering):
        return
    yield from _appended(held, whole)
    for at, run in held.covering.items():
        one, text = held.subjects[at], joined(run)
        if one.names[:1] and one.names[0] in whole:
            continue
        if is_chinese(one.text) == is_chinese(text):
            near = _near(one, text, held.texts)
            if near and not _names_in(near.text, whole) and _is_altered(one, near):
                yield Contradiction(near.text, one.dimension)


def _names_in(text: str, whole: Mapping[str, Subject]) -> list[str]:
    """What stands in a text word for word."""
    return [name for name in STANDS_IN.findall(text) if name in whole]


def _near(one: Subject, run: str, texts: Sequence[str]) -> Alignment | None:
    """What is nearest to an item; where nothing is near, what is said of one that forbids nothing."""
    own = words(one.text)
    if len(own) < _LEAST:
        return None
    same = [each for each in texts if is_chinese(each) == is_chinese(run)]
    found = nearest(own, [run]) or nearest(own, same)
    return aligned(own, run) if found is None and not one.negative else found


def _is_altered(one: Subject, found: Alignment) -> bool:
    """Has it a word of its own, or lost what limits it."""
    lost = beside(found.own, found.said)
    if _has(lost, _ONLY):
        return True
    denied = _has(lost, _WITHOUT)
    if denied and not _has(found.said, _WITHOUT):
        return True
    free = terms_in(_WITHOUT) if denied else frozenset[str]()  # 没有 for 未
    if one.exception or "例外" in one.text:
        free |= terms_in(_BUT)
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
    whole = terms_in(f"{one.dimension.key.casefold()} ; {one.whole}")
    if new.term in whole or new.written in one.whole:  # of its reason
        lacks = [each.written for each in here if is_name(each) or _says_more(each)]
        return bool(lacks) and not any(new.written in each for each in lacks)
    return not any(akin(new, each) for each in lost)


def _has(these: Sequence[Word], those: str) -> bool:
    return any(each.term in terms_in(those) for each in these)


def _appended(held: Held, whole: Mapping[str, Subject]) -> Iterator[Contradiction]:
    """What stands behind a thing that binds, and is neither in the state's text of it nor a reason."""
    for sentence in held.answer:
        plain = [
            (at, name)
            for at, part in enumerate(sentence.segments)
            for name in _names_in(part.text, whole)
        ]
        if len({at for at, _ in plain}) != 1 or whole[plain[0][1]].kind not in _BINDS:
            continue
        at, name = plain[0]
        one, part = whole[name], sentence.segments[at]
        own = terms_in(clean(held.quoted[one.dimension].text))
        if _says_more_than(part.text.rpartition(name)[2], own):
            yield Contradiction(part.text, one.dimension)
        for part in sentence.segments[at + 1 :]:
            open_ = id(part) not in held.owners and part.stance != "none"
            if open_ and _says_more_than(part.text, own):
                yield Contradiction(part.text, one.dimension)


def _says_more_than(text: str, own: frozenset[str]) -> bool:
    own |= terms_in(_STRESS)
    return any(_says_more(each) and each.term not in own for each in words(text))


def _says_more(one: Word) -> bool:
    return says(one) and one.term not in terms_in(_LEADING)
