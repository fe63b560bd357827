"""One thing that changed in the state, as a value; pure.

Its texts are the documents' own, never worded anew: whoever doubts a line finds it in
the file, at the lines that stand with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from gitstate.errors import printable
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

Subject = Literal[
    "task",
    "step",
    "next",
    "anchor",
    "constraint",
    "blocker",
    "attempt",
    "conclusion",
    "decision",
    "issue",
    "rule",
    "fact",
    "command",
    "file",
]
Act = Literal[
    "added",
    "changed",
    "removed",
    "archived",
    # tasks
    "started",
    "finished",
    "ended",
    "started and finished",
    "started and ended",
    # steps
    "begun",
    "done",
    "blocked",
    "put back",
    "reopened",
    # decisions
    "made",
    "proposed",
    "superseded",
    "withdrawn",
    "reinstated",
    # issues
    "opened",
    "resolved",
    "opened and resolved",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What was done to what. ``text`` is the thing as the state says it.

    ``was`` is what it said before, ``reason`` a decision's, a failed attempt's, or how
    an issue was resolved; ``anchor`` the place that a note is about, ``by`` are the decisions that supersede one. ``prohibition``
    tells that something forbidden is not any more. ``lines`` are the newer document's
    (from 1, both included), ``was_lines`` the older one's.
    """

    subject: Subject
    act: Act
    text: str
    path: bytes
    id: str | None = None
    was: str | None = None
    reason: str | None = None
    confidence: str | None = None
    conclusion: str | None = None
    anchor: str | None = None
    alternatives: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    prohibition: bool = False
    lines: tuple[int, int] | None = None
    was_lines: tuple[int, int] | None = None

    def as_json(self) -> dict[str, object]:
        """The change as plain values; what is not said is left out."""
        said: dict[str, object] = {
            "subject": self.subject,
            "act": self.act,
            "id": self.id,
            "text": self.text,
            "was": self.was,
            "reason": self.reason,
            "confidence": self.confidence,
            "conclusion": self.conclusion,
            "anchor": self.anchor,
            "alternatives": list(self.alternatives) or None,
            "by": list(self.by) or None,
            "prohibition": self.prohibition or None,
            "file": printable(self.path),
            "lines": self.lines and list(self.lines),
            "was_lines": self.was_lines and list(self.was_lines),
        }
        return {key: value for key, value in said.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Changes:
    """All that changed, in order. ``progress``: how many steps are done, of how many.

    ``told`` are the files whose change is told here, or explains what is.
    """

    items: tuple[Change, ...] = ()
    progress: tuple[int, int] | None = None
    told: frozenset[bytes] = frozenset()

    def of(self, subject: Subject, *acts: Act) -> list[Change]:
        """Those of a subject, and of some acts where any are named."""
        return [
            one
            for one in self.items
            if one.subject == subject and (not acts or one.act in acts)
        ]

    def as_json(self) -> list[dict[str, object]]:
        """The changes as plain values."""
        return [one.as_json() for one in self.items]


NOTHING = Changes()


def strongest_first(changes: Iterable[Change]) -> list[Change]:
    """The same order, but what was forbidden and is not any more stands first."""
    return sorted(changes, key=lambda one: not one.prohibition)
