"""Conditions, exceptions and limits that an answer adds to what the state says; pure.

The words that bring one in are few in any language ("unless", "until", "only in", 除非,
的时候), and what they bring in has to stand in the state, like any other value: a rule that holds
"on Fridays", "before the lead agrees" or "for new code" is another rule. Words that
soften without more ("ideally", 尽量) say so by themselves.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gitstate.late import late
from gitstate.recall.cleaning import clean
from gitstate.recall.conditions import conditions, ends, left_out, without_denied
from gitstate.recall.enough import is_enough
from gitstate.recall.held import Contradiction
from gitstate.recall.lexicon import LIGHT_HAN
from gitstate.recall.stances import SOFT
from gitstate.recall.subjects import STRESS
from gitstate.recall.terms import (
    camel,
    chinese,
    has_name,
    is_chinese,
    light,
    share,
    terms,
)
from gitstate.recall.tokens import content

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitstate.recall.held import Held
    from gitstate.recall.segments import Segment, Sentence
    from gitstate.recall.subjects import Subject

_BINDING = {"rule", "prohibition", "constraint"}
_HALF = 0.5
_AND = late(r"\b(?:and|or|as well as)\b|[,;、]|以?及|[和与或]")
_EXCEPTION = late(
    r"\bexceptions?\b|\bexempt\w*|\bexcepted\b|例外|破例|通融|另当别论|放宽|网开一面"
)
_DONE = late(
    r"\bi(?:'ll|'d|'m| will| would| can| may| do| still| just| only| simply| go| also)?\b(?!'ve| know| have read| treat| hold| understand| remember)|我|顺手|顺便|照样"
)
_BUT = r"\b(?:(?:any|every|no)(?:thing|where|body|one) (?:but|except)|outside(?: of)?|except(?: for| in)?|other than|apart from)\s+(?:\w+ ){0,2}?"
_HAN_BUT = r" ?(?:这个|的)?(?:目录|网段|分支|文件|表)?(?:以外|之外|除外)"
_OUTSIDE = late(r"之外|以外|\boutside(?: of)?\b")
_MOST = 0.6
_ALL_BUT = late(rf"{_BUT}|{_HAN_BUT}")
_DENIED = late(r"[不没未无非]|\b(?:not|no|never|without)\b|n't\b")
# what says that the answer is at its end, or will be kept to
_CLOSES = late(
    r"以上|记得|继续|接着|开始|动手|遵守|照做|复述|核对|\b(?:stick|follow|obey|respect|abide|adhere|comply|remember|recall|retain\w*|honou?r|carry on|continue|go on|proceed|resume|observe|keep(?:ing)? (?:to|these|those|them)|that's (?:all|it|everything))\b"
)
# a clause that says what something is, not when what binds does
_EXPLAINS = late(
    r"(?:because |since |as )?(?:the (?!rules?\b|bans?\b|prohibitions?\b|constraints?\b|limits?\b|same\b)|its? |they |these |those |there )[^,;]{0,80}?"
    r"\b(?:is|are|was|were|has|have|would|will|gets?|\w+s)\b"
)
# the condition that an item makes itself
_CONDITION = late(
    r"\b(?:without|unless|until|before|after|while|when|if|once|during)\b(.*)"
    r"|(?:在|当|未经?|没有?)([^,;。]{1,40}?)(?:的?时候?|之前|之后|以前|以后|前|后|,)"
    r"|^([^,;。]{1,40}?)(?:的?时候?|之前|之后|以前|以后)(?=[,;。]|$)"
)


class _Known(NamedTuple):
    """What an answer may speak of: the words of a text, and the text."""

    words: frozenset[str]
    text: str
    chinese: bool


def added(held: Held) -> Iterator[Contradiction]:
    """What an answer makes a thing depend on, and the state does not."""
    about = {
        part: [held.subjects[at] for at in owners]
        for part, owners in held.owners.items()
    }
    for part in held.segments():
        if any(_leaves_out_own(one, part.text) for one in about.get(id(part), ())):
            yield Contradiction(part.text)
    known_of = _Vocabulary(held)
    binds = {one.kind for one in held.subjects} & _BINDING
    begun = False
    for sentence in held.answer:
        told = [one for part in sentence.segments for one in about.get(id(part), ())]
        begun = begun or bool(told)
        if not begun or not (binds or told):
            continue  # what leads to it; what is said beside things that bind nobody
        if not told and any(
            is_enough(one, sentence.text) for one in held.over if one.loose
        ):
            continue  # it tells of steps
        known = known_of(told)
        yield from _within(held, sentence, about, known)
        if not told and _acts(sentence, known):
            yield Contradiction(sentence.text)


def _within(
    held: Held, sentence: Sentence, about: dict[int, list[Subject]], known: _Known
) -> Iterator[Contradiction]:
    """The segments of a sentence that soften what it tells, or make it depend on something."""
    told = [one for part in sentence.segments for one in about.get(id(part), ())]
    kinds: set[str] = set()
    for part in sentence.segments:
        kinds = {one.kind for one in about.get(id(part), ())} or kinds
        if _excused(held.subjects, part.text):
            if any(_novel(one, known) for one in _beside(held.subjects, part.text)):
                yield Contradiction(part.text)
            continue
        quoted = any(one.dimension in held.quoted for one in told)
        own = known.text if told and not quoted else ""
        exact = bool(held.quoted)
        if _softened(part, kinds, own) or _depends(
            part.text, kinds, told, known, exact=exact
        ):
            yield Contradiction(part.text)


class _Vocabulary:
    """What a sentence may speak of: of rules, what they say themselves."""

    def __init__(self, held: Held) -> None:
        named = [terms(one).words for one in camel(held.request.known)]
        self.always = frozenset[str]().union(light(), *named)
        self.asked, self.quoted = held.request.text, held.quoted
        self.whole = self._of([held.known, held.request.text])

    def __call__(self, told: Sequence[Subject]) -> _Known:
        if told and all(one.kind in _BINDING for one in told):
            own = [one.dimension for one in told]
            own += [self.quoted[one] for one in own if one in self.quoted]
            return self._of([*(STRESS.sub("", one.text) for one in own), self.asked])
        return self.whole

    def _of(self, texts: Sequence[str]) -> _Known:
        text = clean(" ; ".join(texts))
        own = is_chinese(text)
        return _Known(terms(text).words | self.always, text, own)


def _depends(
    text: str, kinds: set[str], told: Sequence[Subject], known: _Known, *, exact: bool
) -> bool:
    """Does a text make things of some kinds depend on what is not known of them.

    ``exact``: the answer has the state's own words; else a condition may be its own in others.
    """
    binds = bool(kinds) and kinds <= _BINDING and not _EXPLAINS.match(text)
    if any(_novel(one, known) for one in left_out(text, binds=binds)):
        return True
    own = conditions if exact else ends
    return kinds <= _BINDING and any(
        _novel(one, known) and not _names_own(told, one)
        for one in own(text, binds=binds)
    )


def _names_own(told: Sequence[Subject], phrase: str) -> bool:
    """Is a condition the one that an item makes itself, by what it names in it."""
    own = [
        next(filter(None, found.groups()), "")
        for one in told
        for found in _CONDITION.finditer(one.text)
    ]
    names = terms(phrase).names
    if names:
        return any(all(has_name(part, each) for each in names) for part in own)
    said = content(phrase)
    return any(
        bool(said & content(part))
        and (_DENIED.search(part) is None) == (_DENIED.search(phrase) is None)
        for part in own
    )


def _leaves_out_own(one: Subject, text: str) -> bool:
    """Is all but the very thing that an item names meant."""
    if one.kind not in _BINDING or one.exception or _ALL_BUT.search(one.text):
        return False
    if one.negative and _OUTSIDE.search(text) and not _OUTSIDE.search(one.whole):
        return one.told_in(text) >= _MOST
    return any(
        re.search(rf"{_BUT}{re.escape(name)}|{re.escape(name)}{_HAN_BUT}", text)
        for name in one.names
    )


def _softened(part: Segment, kinds: set[str], own: str) -> bool:
    """Is what binds said to bind only mostly, for now, or with exceptions.

    ``own``: what the state itself says of it.
    """
    if not kinds <= _BINDING:
        return False
    text = without_denied(part.text)
    return any(
        found[0] not in own
        for one in (SOFT, _EXCEPTION)
        for found in one.finditer(text)
    )


def _acts(sentence: Sentence, known: _Known) -> bool:
    """Is something said to be done that the state says nothing of."""
    if _CLOSES.search(sentence.text) and not terms(sentence.text).names:
        return any(
            part.stance in {"denied", "may", "weak"} for part in sentence.segments
        )
    return any(
        part.stance == "denied"
        or (
            part.stance in {"plain", "must", "may"}
            and _DONE.search(part.text) is not None
            and _novel(part.text, known)
        )
        for part in sentence.segments
    )


def _excused(subjects: Sequence[Subject], text: str) -> bool:
    """Is it an exception that the state makes itself, or its reason."""
    return any(
        all(one.has(text, name) for name in one.exception_names)
        and share(text, one.exception - light()) >= _HALF
        for one in subjects
    )


def _beside(subjects: Sequence[Subject], text: str) -> Iterator[str]:
    """What an answer names beside an exception of the state's."""
    first, *more = _AND.split(text)
    for piece in more if first else ():
        if not any(share(piece, one.exception) for one in subjects):
            yield piece


def _novel(phrase: str, known: _Known) -> bool:
    """Does a phrase have anything that is not known."""
    spoken = terms(phrase).words
    han = chinese(phrase)
    if is_chinese(phrase) != known.chinese:  # by what has a translation
        told = [one for one in spoken if one[0] == "#"]
        return sum(one not in known.words for one in told) > _HALF * len(told)
    if spoken - han - known.words:
        return True
    left = [
        one
        for one in phrase
        if "\u4e00" <= one <= "\u9fff"
        and one not in known.text
        and one not in LIGHT_HAN
    ]
    return bool(left)
