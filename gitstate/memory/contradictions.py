"""Live rules that say what a superseding decision has taken back; pure.

A decision "Use yarn" that supersedes "Use npm" contradicts a rule that demands npm, and
one that forbids yarn. What the two decisions are about is told by what each of them
takes ("use", "采用"), and by what the new one rejects.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gitstate.documents.rules import force_of
from gitstate.documents.vocabulary import says_nothing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gitstate.documents.decision_log import Decision, DecisionLog
    from gitstate.documents.rules import Rule

_NAME = r"`[^`]+`|[\w@./+-]*[A-Za-z0-9][\w@./+-]*"
_TAKES = re.compile(
    r"(?:\b(?:use|using|uses|adopt|choose|chose|keep|switch\s+(?:back\s+)?to|move\s+to"
    r"|migrate\s+to|go\s+with|stay\s+with|return\s+to|replace\s+\S+\s+(?:with|by)"
    r"|allow|write|store|build\s+with|run|log\s+with|deploy\s+(?:to|with))"
    r"\s+(?:the\s+|a\s+|an\s+|only\s+)?"
    r"|(?:使用|采用|改用|换用|选用|选择|保留|允许|用)\s*)"
    rf"({_NAME})",
    re.IGNORECASE,
)


class Contradiction(NamedTuple):
    """A rule, the decision that takes it back, and the name that both are about."""

    rule: Rule
    decision: Decision
    name: str


def contradictions(
    rules: Sequence[Rule],
    log: DecisionLog,
    archived: Callable[[str], Decision | None],
) -> Iterator[Contradiction]:
    """Rules against the decisions in force that supersede others.

    ``archived``: a decision by its number that is no longer in the log.
    """
    for new in log.live():
        dropped: set[str] = set()
        taken: set[str] = set()
        for id_ in new.supersedes:
            old = log.find(id_) or archived(id_)
            if old is not None:
                gone, come = _change(old, new)
                dropped |= gone
                taken |= come
        for rule in rules if dropped or taken else ():
            if name := _against(rule, dropped, taken):
                yield Contradiction(rule, new, name)


def _change(old: Decision, new: Decision) -> tuple[set[str], set[str]]:
    """What may no longer be demanded, and what may no longer be forbidden."""
    before, after = _subjects(old.decision), _subjects(new.decision)
    was, is_ = force_of(old.decision), force_of(new.decision)
    if is_ == "never":
        return (after if was != "never" else after - before), set()
    if was == "never":
        return set(), after
    rejected = {
        one.name.strip("`").lower()
        for one in new.alternatives
        if re.fullmatch(_NAME, one.name)
    }
    return ((before | (rejected & before)) - after), after - before


def _subjects(text: str) -> set[str]:
    found = (one[1].strip("`.,").lower() for one in _TAKES.finditer(text))
    return {one for one in found if one and not says_nothing(one)}


def _against(rule: Rule, dropped: set[str], taken: set[str]) -> str | None:
    has_dropped = _first(rule.text, dropped)
    has_taken = _first(rule.text, taken)
    if rule.force == "never":
        return has_taken if not has_dropped else None
    return has_dropped if not has_taken else None


def _first(text: str, words: set[str]) -> str | None:
    for word in sorted(words):
        # a name, not a part of one: "npm" is not in "pnpm", nor in "npm-run-all"
        name = rf"(?<![A-Za-z0-9_@./-]){re.escape(word)}(?![A-Za-z0-9_@/-])"
        if re.search(name, text, re.IGNORECASE):
            return word
    return None
