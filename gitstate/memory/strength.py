"""How strongly each kind of thing is kept, as a table.

==============  ========  ==================================================
kind            strength  what stays of it when history is shortened
==============  ========  ==================================================
goal            high      every word
constraint      high      every word
prohibition     high      every word, wherever it stands
rule            high      every word
next step       high      every word
blocker         high      every word
place           high      file paths and line numbers, as they are
command         high      the command line, as it is
fact            high      key and value, as they are
decision        medium    what was decided, its reason, the names rejected
conclusion      medium    the conclusion; of a finished step nothing else
issue           medium    what goes wrong, and what to do meanwhile
attempt         medium    what was tried, and why it failed
output          low       whether the command succeeded
reasoning       low       nothing
==============  ========  ==================================================

An item's own mark overrides: ``(strength: high)`` keeps every word, ``(strength: low)``
no more than must be kept: prohibitions, a decision's reason, the names it rejects. Confidence is another axis: a decision of low confidence
is kept word for word, and marked to be weighed again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from gitstate.documents.header import Strength

Kind = Literal[
    "goal",
    "constraint",
    "prohibition",
    "rule",
    "next step",
    "blocker",
    "place",
    "command",
    "fact",
    "decision",
    "conclusion",
    "issue",
    "attempt",
    "output",
    "reasoning",
]

TABLE: dict[Kind, Strength] = {
    "goal": "high",
    "constraint": "high",
    "prohibition": "high",
    "rule": "high",
    "next step": "high",
    "blocker": "high",
    "place": "high",
    "command": "high",
    "fact": "high",
    "decision": "medium",
    "conclusion": "medium",
    "issue": "medium",
    "attempt": "medium",
    "output": "low",
    "reasoning": "low",
}


def strength_of(kind: Kind, marked: Strength | None = None) -> Strength:
    """How strongly a thing is kept; ``marked``: what it says of itself.

    A prohibition stays high: to mark it otherwise would weaken it.
    """
    return TABLE[kind] if kind == "prohibition" or marked is None else marked
