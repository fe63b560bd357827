"""Was the state taken in: an answer held against what the state says; pure, no model.

A thing counts as said where neighbouring segments of the answer have its names and enough
of its words, with its force. An answer contradicts where it allows what is forbidden,
forbids what is demanded, puts another value, path or status in place of the recorded
one, or says of a thing the opposite. In doubt an answer is not accepted: what was not
taken in is read once more, and nothing else happens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitstate.recall.contradictions import contradictions
from gitstate.recall.coverage import cover
from gitstate.recall.held import Held
from gitstate.recall.qualifiers import added
from gitstate.recall.segments import MOST_CHARS
from gitstate.recall.statuses import statuses

if TYPE_CHECKING:
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


def score(request: Request, answer: str) -> Verdict:
    """Hold an answer against what was asked; one over 40,000 characters is none."""
    if len(answer) > MOST_CHARS:
        return Verdict(request.dimensions, (), 0)
    held = Held(request, answer)
    for at, one in enumerate(held.subjects):
        found = cover(held, one)
        if found is not None:
            held.covering[at] = found
    wrong = dict.fromkeys([*contradictions(held), *statuses(held), *added(held)])
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
