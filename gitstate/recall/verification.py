"""Was the state taken in: an answer held against what the state says; pure, no model.

A thing counts as said where neighbouring segments of the answer have its names and enough
of its words, with its force. An answer contradicts where it allows what is forbidden,
forbids what is demanded, puts another value, path or status in place of the recorded
one, or says of a thing the opposite. In doubt an answer is not accepted: what was not
taken in is read once more, and nothing else happens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitstate.late import late
from gitstate.recall.contradictions import contradictions
from gitstate.recall.coverage import cover
from gitstate.recall.held import Held
from gitstate.recall.qualifiers import added
from gitstate.recall.replacements import replacements
from gitstate.recall.segments import MOST_CHARS
from gitstate.recall.statuses import statuses
from gitstate.recall.terms import clean

if TYPE_CHECKING:
    import re

    from gitstate.recall.asking import Dimension, Request
    from gitstate.recall.held import Contradiction


class Verdict(NamedTuple):
    """How an answer was found.

    ``missing``: what was asked for and is not in it; ``contradicted``: what it says
    otherwise. ``said``: how many of the things asked for are there.
    """

    missing: tuple[Dimension, ...]
    contradicted: tuple[Contradiction, ...]
    said: int

    @property
    def accepted(self) -> bool:
        """All is there, and nothing otherwise."""
        return not self.missing and not self.contradicted


_ENDS = " .,;:*_`\"'|"
_CELLS = late(r"[|;]|(?<=[^\W\d]):\s")  # of a row, or behind what a thing is called
_LEAD = late(r"^[\s>*+•-]*(?:\(?\d{1,3}[.)、:]\s*)?(?:state check:\s*)?")
_SENTENCE = late(r"(?<=[.!?。])\s*")
# what no answer needs, and patterns take long for: rows of one sign, blanks, line ends, data
_RUNS = late(r"(\d{18})\d+|(\S)\2{99,}|[^\S\n]{40,}|\n{40,}|[A-Za-z0-9+/=_]{400,}")
_WORD = late(r"[\w/.-]*\w")
_FEW = 5  # things that an answer of somebody who knows it may lack


def score(request: Request, answer: str) -> Verdict:
    """Hold an answer against what was asked; one over 40,000 characters is none.

    What is not understood even in its own words is said where these stand in the answer
    as they stand in the state, and are not held against it.
    """
    if len(answer) > MOST_CHARS:
        return Verdict(request.dimensions, (), 0)
    answer = _RUNS.sub(_shortened, answer)
    found = _score(request, answer)
    if found.accepted or len(found.missing) > _FEW:
        return found
    lines = _lines(clean(answer))
    mute = [
        one
        for one in request.dimensions
        if clean(one.text).strip(_ENDS) in lines and _is_mute(request, one, found)
    ]
    own = [_bare(clean(one.text)) for one in mute]
    wrong = [
        one
        for one in found.contradicted
        if not any(_bare(one.said) in text for text in own)
    ]
    missing = tuple(one for one in found.missing if one not in mute)
    return Verdict(missing, tuple(wrong), found.said)


def _shortened(run: re.Match[str]) -> str:
    return str(run[1] or run[0][:40])


def _lines(answer: str) -> set[str]:
    """The lines of a clean answer, their sentences and cells, without what begins a line."""
    rows = [_LEAD.sub("", row) for row in answer.split("\n")]
    parts = [*rows, *(part for row in rows for part in _SENTENCE.split(row))]
    parts += [cell for part in parts for cell in _CELLS.split(part)]
    parts += [part.partition(": ")[2] for part in rows]
    return {part.strip(_ENDS) for part in parts}


def _bare(text: str) -> str:
    """A text without its punctuation: a segment has lost some of its own."""
    return " ".join(_WORD.findall(text))


def _is_mute(request: Request, one: Dimension, found: Verdict) -> bool:
    """Is a thing that an answer was found at fault with not understood in its own words."""
    text = _bare(clean(one.text))
    if one not in found.missing and not any(
        _bare(each.said) in text for each in found.contradicted
    ):
        return False
    alone = request._replace(dimensions=(one,), enough=())
    return not _score(alone, one.text).accepted


def _score(request: Request, answer: str) -> Verdict:
    held = Held(request, answer)
    for at, one in enumerate(held.subjects):
        found = cover(held, one)
        if found is not None:
            held.covering[at] = found
    wrong = dict.fromkeys(
        [*contradictions(held), *statuses(held), *added(held), *replacements(held)]
    )
    return Verdict(_missing(held), tuple(wrong), len(held.covering))


def _missing(held: Held) -> tuple[Dimension, ...]:
    """What was not said, of kinds of which not enough was."""
    enough = dict(held.request.enough)
    asked = held.request.dimensions
    missing: list[Dimension] = []
    for kind in dict.fromkeys(one.kind for one in asked):
        all_ = [at for at, one in enumerate(asked) if one.kind == kind]
        lost = [at for at in all_ if at not in held.covering]
        if len(all_) - len(lost) < min(enough.get(kind, len(all_)), len(all_)):
            missing += [asked[at] for at in lost]
    return tuple(missing)
