"""Conditions, exceptions and limits that an answer adds to what the state says; pure.

The words that bring one in are few in any language ("unless", "until", "only in", 除非,
的时候), and what they bring in has to stand in the state, like any other value: a rule that holds
"on Fridays", "before the lead agrees" or "for new code" is another rule. Words that
soften without more ("ideally", 尽量) say so by themselves.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from gitstate.late import late
from gitstate.recall.held import Contradiction
from gitstate.recall.lexicon import LIGHT_HAN
from gitstate.recall.stances import SOFT
from gitstate.recall.terms import camel, chinese, clean, light, share, terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitstate.recall.held import Held
    from gitstate.recall.segments import Segment, Sentence
    from gitstate.recall.subjects import Subject

_BINDING = {"rule", "prohibition", "constraint"}
_HALF = 0.5
# what leaves something out, in whatever it stands
_LEAVES_OUT = late(
    r"\b(?:unless|except\w*|barring|save for|aside from|apart from|other than|but for|short of|outside|not counting)\b([^,;:()]*)"
)
# what brings a clause in that says when, where or for what something holds
_CLAUSES = late(
    r"\b(?:until|till|before|after|once|while|whilst|during|if|when|whenever|(?<!no matter )where|wherever|long as|provid(?:ed|ing)"
    r"|in case|in the event|without|only (?:for|in|on|at|with|by)|at least|(?:more|bigger|larger) than|as of|should)\b([^,;:()]*)"
)
_PHRASES = late(
    r"\b(?:for|in|on|at|under|by|with|within|inside|throughout)\b([^,;:()]*)"
)
# behind what they leave out
_TRAILING = late(
    r"^(.*?)(?:\b|(?=n't))(?:aside|notwithstanding|excluded|excepted|exempt\w*|negotiable|another (?:matter|story|question)|(?:not|n't) (?:count|affected|covered|bound|included|apply)\w*)\b"
)
_HAN_LEAVES_OUT = (
    late(r"除非([^,;。]{1,40})"),
    late(r"除了?([^,;。]{1,30}?)(?:以外|之外|外|$|[,;。])"),
    late(
        r"([^,;。:]{1,30}?)(?:除外|例外|不在内|不在此列|不算|另说|另当别论|不受|另行)"
    ),
)
_HAN_CLAUSES = (
    late(
        r"(?:如果|若是?|要是|万一|一旦|假如|只要|只有|直到|未经|趁|(?:^|[先就])等|否则[^,;。会]{0,3}[要得须先])([^,;。]{1,40})"
    ),
    late(
        r"(?:仅限|只限|限于|仅在|只在|只对|只管|仅对|至少|对于|没有(?=[^,;。]{1,20}(?:时|的情况|的话)))([^,;。]{1,30})"
    ),
    late(r"([^,;。:]{2,20}?)就(?:能|可以|行)"),
    late(
        r"([^,;。:]{1,30}?)(?:的时候|的情况下|的话|期间|之前|以前|之后|以后|(?<![超及准实同])时(?=$|[,;。]))"
    ),
)
_HAN_PHRASES = late(r"(?:在|^)([^,;。:在]{1,20}?)(?<!进行)[里下中上](?=$|[,;。])")
# words that end a clause or a phrase
_SHORT, _LONG = 12, 80  # letters at the end of a text
_ONLY = late(r"(?<!read)[ -]only\W*$")
_AND = late(r"\b(?:and|or|as well as)\b|[,;、]|以?及|[和与或]")
_END = late(
    r"\b(?:and|or|but|nor|is|are|was|were|be|has|have|had|will|must|should|may|can|i|we|you|it|they|that|which|who|not|never|so|because"
    r"|since|goes|go|to|of|from|for|in|on|at|by|with|as|before|after|when|if|unless|without|until|where|gets|get|than)$"
)
_EXCEPTION = late(
    r"\bexceptions?\b|\bexempt\w*|\bexcepted\b|例外|破例|通融|另当别论|放宽|网开一面"
)
_NO_EXCEPTION = late(
    r"\b(?:no|without|not|any|nor|none|zero|never)\b[^,;]{0,30}\bexceptions?\b|(?:没有?|无|不|绝)[^,;]{0,6}(?:例外|破例|通融)"
)
_DONE = late(
    r"\bi(?:'ll|'d|'m| will| would| can| may| do| still| just| only| simply| go| also)?\b(?!'ve| know| have read| treat| hold| understand| remember)|我|顺手|顺便|照样"
)
_NAME = late(r"[/_.:()\d\"$*]")
_EVEN = late(
    r"\b(?:not |n't )?even\b.*|\bno matter\b.*|\bwhatever\b.*|\bhowever\b.*|\bregardless\b.*|哪怕.*|即使.*|就算.*|无论.*|不管.*"
)
_MAIN = late(r"(?<=\w) (?:it|they|nobody|this|that|i|we)\b.*")


class _Known(NamedTuple):
    """What an answer may speak of: the words of a text, and the text."""

    words: frozenset[str]
    text: str


def added(held: Held) -> Iterator[Contradiction]:
    """What an answer makes a thing depend on, and the state does not."""
    known_of = _Vocabulary(held)
    about: dict[int, list[Subject]] = {}
    for at, run in held.covering.items():
        for part in run:
            about.setdefault(id(part), []).append(held.subjects[at])
    binds = {one.kind for one in held.subjects} & _BINDING
    begun = False
    for sentence in held.answer:
        told = [one for part in sentence.segments for one in about.get(id(part), ())]
        begun = begun or bool(told)
        if not begun or not (binds or told):
            continue  # what leads to it; what is said beside things that bind nobody
        known = known_of(told)
        tells_of_steps = not told and any(
            one.enough_in(sentence.text) for one in held.over if one.loose
        )
        kinds: set[str] = set()
        for part in () if tells_of_steps else sentence.segments:
            kinds = {one.kind for one in about.get(id(part), ())} or kinds
            if _excused(held.subjects, part.text):
                if any(_novel(one, known) for one in _beside(held.subjects, part.text)):
                    yield Contradiction(part.text)
                continue
            own = known.text if told else ""
            if _softened(part, kinds, own) or any(
                _novel(one, known) for one in _phrases(part.text, kinds)
            ):
                yield Contradiction(part.text)
        if not told and not tells_of_steps and _acts(sentence, known):
            yield Contradiction(sentence.text)


_cleaned = lru_cache(maxsize=256)(clean)


class _Vocabulary:
    """What a sentence may speak of: of rules, what they say themselves."""

    def __init__(self, held: Held) -> None:
        named = [terms(one).words for one in camel(held.request.known)]
        self.always = frozenset[str]().union(light(), *named)
        self.asked = held.request.text
        self.whole = self._of([held.known, held.request.text])

    def __call__(self, told: Sequence[Subject]) -> _Known:
        if told and all(one.kind in _BINDING for one in told):
            return self._of([*(one.dimension.text for one in told), self.asked])
        return self.whole

    def _of(self, texts: Sequence[str]) -> _Known:
        text = _cleaned(" ; ".join(texts))
        return _Known(terms(text).words | self.always, text)


def _softened(part: Segment, kinds: set[str], own: str) -> bool:
    """Is what binds said to bind only mostly, for now, or with exceptions.

    ``own``: what the state itself says of it.
    """
    if not kinds <= _BINDING:
        return False
    text = _NO_EXCEPTION.sub("", part.text)
    return any(
        found[0] not in own
        for one in (SOFT, _EXCEPTION)
        for found in one.finditer(text)
    )


def _acts(sentence: Sentence, known: _Known) -> bool:
    """Is something said to be done that the state says nothing of."""
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


def _phrases(text: str, kinds: set[str]) -> Iterator[str]:
    """What the words of a condition or limit bring in, of things of some kinds."""
    text = _NO_EXCEPTION.sub("", _EVEN.sub("", text))
    yield from _LEAVES_OUT.findall(text)
    trailing = _TRAILING.search(text)
    if trailing:
        yield trailing[1]
    for pattern in _HAN_LEAVES_OUT:
        yield from pattern.findall(text)
    if not kinds <= _BINDING:
        return
    for found in _CLAUSES.findall(text):
        yield _MAIN.sub("", found)
    end = _ONLY.search(text[-_SHORT:])
    if end:  # "production only"
        yield text[-_LONG:].removesuffix(end[0]).rpartition(",")[2]
    for pattern in _HAN_CLAUSES:
        yield from pattern.findall(text)
    if kinds and kinds <= _BINDING:
        for found in _PHRASES.finditer(text):
            yield _cut(found[1])
        yield from _HAN_PHRASES.findall(text)


def _cut(phrase: str) -> str:
    """A phrase to where it ends: at a verb, a name, the next phrase."""
    found: list[str] = []
    for word in phrase.split():
        if _END.match(word) or _NAME.search(word.rstrip(".")):
            break
        found.append(word)
    return " ".join(found)


def _novel(phrase: str, known: _Known) -> bool:
    """Does a phrase have anything that is not known."""
    spoken = terms(phrase).words
    han = chinese(phrase)
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
