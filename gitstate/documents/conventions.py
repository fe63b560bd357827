"""``01-coding-conventions.md``: the rules for every change."""

from __future__ import annotations

from gitstate.documents.fields import Coverage, Lines
from gitstate.documents.places import Place, places
from gitstate.documents.rules import Force, FoundRule, Rule, RuleFinder
from gitstate.documents.sections import Outline, outline
from gitstate.documents.vocabulary import vocabulary
from gitstate.values import dataclass, field

# what all rules below such a heading have in common
_FORCES: dict[str, Force] = {"forbidden": "never", "must": "must"}


@dataclass(frozen=True, slots=True)
class Conventions:
    """The rules, in the file's order; ``unread`` lines were not understood."""

    rules: tuple[Rule, ...] = ()
    unread: tuple[Lines, ...] = field(default=(), compare=False)


@dataclass(slots=True)
class Parts:
    """The rules with where they are, for those who change them."""

    outline: Outline
    conventions: Conventions
    rules: list[FoundRule]
    places: list[tuple[int, Place]]


def parse(text: str | Outline) -> Conventions:
    """The rules that ``text``, the whole file, states; never fails."""
    return parts(text).conventions


def parts(text: str | Outline) -> Parts:
    """The rules, with where they are."""
    source = text if isinstance(text, Outline) else outline(text)
    read = Coverage(source)
    finder = RuleFinder(source, read)
    found = list(places(source, vocabulary("rules"), read))
    for index, place in found:
        finder.take(index, place, _FORCES.get(place.key or ""))
    rules = tuple(one.rule for one in finder.found)
    return Parts(source, Conventions(rules, read.unread()), finder.found, found)
