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
from gitstate.recall.answers import MOST_CHARS
from gitstate.recall.contradictions import contradictions
from gitstate.recall.coverage import cover
from gitstate.recall.held import Held
from gitstate.recall.probed import probed
from gitstate.recall.qualifiers import added
from gitstate.recall.quoted import added_to_quotes
from gitstate.recall.replacements import replacements
from gitstate.recall.statuses import statuses
from gitstate.recall.subjects import Subject
from gitstate.recall.variants import variants
from gitstate.recall.verbatim import told

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from gitstate.recall.asking import Dimension, Request
    from gitstate.recall.held import Contradiction
    from gitstate.recall.verbatim import Told


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


_HALF = 0.5
# what no answer needs, and patterns take long for: rows of one sign, blanks, line ends, data
_RUNS = late(r"(\d{18})\d+|(\S)\2{99,}|[^\S\n]{40,}|\n{40,}|[A-Za-z0-9+/=_]{400,}")


def score(request: Request, answer: str) -> Verdict:
    """Hold an answer against what was asked; one over 40,000 characters is none.

    What stands in it word for word is said; the rest is held against that once more.
    """
    if len(answer) > MOST_CHARS:
        return Verdict(request.dimensions, (), 0)
    answer = _RUNS.sub(_shortened, answer)
    plain = told(request, answer)
    found = _score(plain.request, plain.answer, plain.recorded)
    beside = _beside(request, plain)
    told_of = {one.said for one in beside}
    wrong = [
        one._replace(
            said=plain.restored(one.said),
            dimension=plain.recorded.get(one.dimension, one.dimension)
            if one.dimension
            else None,
        )
        for one in (*found.contradicted, *beside)
        if one.dimension or one.said not in told_of
    ]
    missing = tuple(plain.recorded.get(one, one) for one in found.missing)
    return Verdict(missing, tuple(dict.fromkeys(wrong)), found.said)


def _beside(request: Request, plain: Told) -> list[Contradiction]:
    """What is said otherwise of a thing that stands there word for word as well."""
    rest = plain.rest() if plain.words else ""
    subjects = {one: Subject(one) for one in request.dimensions} if rest else {}
    own = {
        one
        for one, subject in subjects.items()
        if one in plain.words and _speaks_of(subject, rest)
    }
    if not own:
        return []
    asked = request._replace(known=plain.request.known)
    found = _score(asked, plain.answer, plain.recorded)
    return [
        one
        for one in found.contradicted
        if one.dimension in own
        and plain.words[one.dimension] not in one.said
        and not _tells_another(subjects, one.dimension, one.said)
    ]


def _tells_another(
    subjects: Mapping[Dimension, Subject], dimension: Dimension, text: str
) -> bool:
    """Is there more of another thing in a text than of this one."""
    told = subjects[dimension].told_in(text)
    return any(one.told_in(text) > told for one in subjects.values())


def _speaks_of(one: Subject, text: str) -> bool:
    """Is a name of a thing in a text, or half of it."""
    return one.named_in(text) or one.told_in(text) >= _HALF


def _shortened(run: re.Match[str]) -> str:
    return str(run[1] or run[0][:40])


def _score(
    request: Request, answer: str, quoted: Mapping[Dimension, Dimension] | None = None
) -> Verdict:
    held = Held(request, answer, quoted)
    for at, one in enumerate(held.subjects):
        found = cover(held, one)
        if found is not None:
            held.covering[at] = found
    wrong = dict.fromkeys(
        [
            *contradictions(held),
            *statuses(held),
            *added(held),
            *replacements(held),
            *variants(held),
            *added_to_quotes(held),
            *probed(held),
        ]
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
