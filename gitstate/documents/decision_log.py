"""``04-decision-log.md``: decisions with reason, alternatives, confidence, succession."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re
from functools import cache
from typing import Literal, get_args

from gitstate.documents.alternatives import Alternative, alternative_of, alternatives_in
from gitstate.documents.entries import (
    Entry,
    Kind,
    date_in,
    entries_of,
    inline_parts,
)
from gitstate.documents.fields import Coverage, Field, Lines
from gitstate.documents.header import Problem, Strength
from gitstate.documents.ids import doubles, ids_like
from gitstate.documents.inline import label, visible
from gitstate.documents.items import (
    Group,
    contents,
    own_and_nested,
    own_strength,
    strength_in,
    with_more,
)
from gitstate.documents.reasons import split_reason
from gitstate.documents.sections import Outline, outline
from gitstate.documents.vocabulary import says_nothing, vocabulary
from gitstate.errors import printable
from gitstate.late import late
from gitstate.values import dataclass, field

Confidence = Literal["high", "medium", "low"]
Standing = Literal["live", "proposed", "superseded", "withdrawn"]

_REPLACED = late(
    r"(?:superseded|replaced|overridden)\s+by|被\s*(?=.{1,20}(?:取代|替代|代替))|取代者",
    re.IGNORECASE,
)
_BECAUSE = late(r"(?:because(?: of)?|since|due to|因为|由于)\s*", re.IGNORECASE)
_TAIL = 80  # characters from the end in which "(superseded by ...)" can stand
_PERCENT = late(r"(\d{1,3})(?:\.\d+)?\s*[%％]|\b0?(\.\d+)\b|\b(\d{1,2})\s*/\s*10\b")


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision. ``id`` is ``None`` for one that has no number yet.

    ``status`` is what the entry itself says; whether a later decision supersedes it is
    the log's to tell (``DecisionLog.live``). ``notes`` are its texts without a label.
    """

    id: str | None
    decision: str
    reason: str | None = None
    alternatives: tuple[Alternative, ...] = ()
    confidence: Confidence = "medium"
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    status: Standing = "live"
    date: str | None = None
    strength: Strength | None = None
    notes: tuple[str, ...] = ()
    lines: Lines = field(default=Lines(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class DecisionLog:
    """The decisions, in the file's order; ``unread`` lines were not understood."""

    decisions: tuple[Decision, ...] = ()
    unread: tuple[Lines, ...] = field(default=(), compare=False)
    problems: tuple[Problem, ...] = field(default=(), compare=False)

    def live(self) -> tuple[Decision, ...]:
        """The decisions in force: neither withdrawn nor superseded by one that is not."""
        gone = {
            id_
            for decision in self.decisions
            if decision.status in {"live", "superseded"}
            for id_ in decision.supersedes
        }
        return tuple(
            decision
            for decision in self.decisions
            if decision.status not in {"superseded", "withdrawn"}
            and not decision.superseded_by
            and (decision.id is None or decision.id not in gone)
        )

    def find(self, id_: str) -> Decision | None:
        """The decision of that number, in whatever form it is given (``D-7``, ``7``)."""
        wanted = decision_id(id_)
        found = (one for one in self.decisions if wanted and one.id == wanted)
        return next(found, None)

    def next_id(self, above: int = 0) -> str:
        """The first number that was never used; ``above``: the highest known elsewhere."""
        return kind().ids.following((one.id for one in self.decisions), above)


@dataclass(slots=True)
class Parts:
    """A log with where its decisions' parts are, for those who change them."""

    outline: Outline
    log: DecisionLog
    entries: list[Entry]


def parse(text: str | Outline) -> DecisionLog:
    """The decisions that ``text``, the whole file, tells of; never fails."""
    return parts(text).log


def parts(text: str | Outline) -> Parts:
    """The log, with where its decisions' parts are."""
    source = text if isinstance(text, Outline) else outline(text, kind().words)
    read = Coverage(source)
    entries = entries_of(source, kind(), read)
    problems: list[Problem] = []
    decisions = tuple(_decision(source, entry, read, problems) for entry in entries)
    problems += doubles((one.id, one.lines) for one in decisions)
    log = DecisionLog(decisions, read.unread(), tuple(problems))
    return Parts(source, log, entries)


@cache
def kind() -> Kind:
    """What tells a decision from other text."""
    return Kind(
        ids=ids_like("D", "decision|adr|dec|决策|决定"),
        words=vocabulary("decision"),
        table=vocabulary("decision table"),
        title="decision",
        short=frozenset({"confidence", "status", "date", "strength", "supersedes"}),
        statuses=vocabulary("decision status"),
    )


def decision_id(text: str) -> str | None:
    """``D-0007`` for ``D-7``, ``d7``, ``#7``, ``7`` or ``Decision 7``; else ``None``."""
    return kind().ids.named(text)


def _decision(
    source: Outline, entry: Entry, read: Coverage, problems: list[Problem]
) -> Decision:
    said = entry.values(source, kind(), read)
    notes = list(entry.notes)
    text = _text(entry, said, notes)
    if not said["reason"]:
        text = _with_inline(text, said)
    superseded_by = kind().ids.all_in(said["superseded_by"])
    status, more = _status(entry, said, text)
    notes += [
        f"{kind().words.name(key, 'en')}: {said[key]}"
        for key in ("supersedes", "superseded_by")
        if not says_nothing(said[key]) and not kind().ids.all_in(said[key])
    ]
    return Decision(
        id=kind().ids.of(entry.title.number),
        decision=text,
        reason=_reason(said, notes),
        alternatives=_alternatives(source, entry, said, read),
        confidence=_confidence(said["confidence"], entry, problems),
        supersedes=kind().ids.all_in(said["supersedes"]),
        superseded_by=tuple(dict.fromkeys([*superseded_by, *more])),
        status=status,
        date=date_in(said["date"]) or entry.title.date,
        strength=strength_in(said["strength"]) or own_strength(text),
        notes=tuple(notes),
        lines=Lines(entry.line + 1, entry.stop),
    )


def _text(entry: Entry, said: dict[str, str], notes: list[str]) -> str:
    """The title, and what is labelled as the decision where that says more."""
    text, more = entry.title.text, said["decision"]
    if entry.form == "row":
        more = ""
    if text and more and more != text:
        return f"{text}: {more}"
    return text or more or (notes.pop(0) if notes else "")


def _with_inline(text: str, said: dict[str, str]) -> str:
    """Take parts out of the brackets behind a text, or a reason out of its sentence."""
    text, inline = inline_parts(text, kind().words)
    for key, value in inline.items():
        said[key] = said[key] or value
    if not said["reason"]:
        text, reason = split_reason(text)
        said["reason"] = reason or ""
    return text


def _reason(said: dict[str, str], notes: list[str]) -> str | None:
    """What is labelled so, or else the first text below that begins with "because"."""
    if said["reason"]:
        return said["reason"]
    for note in notes:
        if found := _BECAUSE.match(note):
            notes.remove(note)
            return note[found.end() :]
    return None


def _alternatives(
    source: Outline, entry: Entry, said: dict[str, str], read: Coverage
) -> tuple[Alternative, ...]:
    part = entry.parts.get("alternatives")
    if part is None:
        found = alternatives_in(said["alternatives"])
    else:
        found = alternatives_in(visible(part.value))
        found += _listed(source, part, read)
    why_not = said["why_not"] or None
    return tuple(
        one if one.why_not else Alternative(one.name, why_not) for one in found
    )


def _listed(source: Outline, part: Field, read: Coverage) -> tuple[Alternative, ...]:
    """The alternatives below the label: one an item, or several a paragraph."""
    found: list[Alternative] = []
    for one in contents(source, part):
        if isinstance(one, tuple):
            read.mark(one[0], one[0] + 1)
            found += alternatives_in(visible(one[1]))
        elif isinstance(one, Group):
            own, nested = own_and_nested(source, one, read)
            name, why_not = alternative_of(own)
            for more, item in nested:
                known = label(more, kind().words)
                reason = more[known.end :] if known else more
                why_not = with_more(why_not or "", reason, item=item)
            if not says_nothing(name):
                found.append(Alternative(name, why_not or None))
    return tuple(found)


def _status(
    entry: Entry, said: dict[str, str], text: str
) -> tuple[Standing, tuple[str, ...]]:
    """What an entry says of its standing, and by which decisions it is superseded."""
    words = kind().statuses
    written = said["status"]
    tail = text[-_TAIL:]
    source = written if _REPLACED.search(written) else tail
    if replaced := _REPLACED.search(source):
        if ids := kind().ids.all_in(source[replaced.start() :].strip("()（） ")):
            return "superseded", ids
        if source is written:
            return "superseded", ()
    key = words.key_in_part(written)
    title = entry.title
    if key is None and title.mark:
        key = title.mark.status
    if key is None and title.later and title.later.opening.startswith(("[", "【")):
        key = title.later.status
    if (
        key is None
        and said["superseded_by"]
        and not says_nothing(said["superseded_by"])
    ):
        key = "superseded"
    if key is None and title.struck:
        key = "withdrawn"
    return next((one for one in get_args(Standing) if one == key), "live"), ()


def _confidence(text: str, entry: Entry, problems: list[Problem]) -> Confidence:
    """The confidence that is written, medium where none is or none can be read."""
    key = vocabulary("confidence").key_in_part(text)
    if key is None and (share := _PERCENT.search(text)):
        part = (
            int(share[1]) / 100
            if share[1]
            else float(share[2])
            if share[2]
            else int(share[3]) / 10
        )
        key = "high" if part >= 0.8 else "medium" if part >= 0.5 else "low"  # noqa: PLR2004 shares
    if key is None and text:
        problem = f"the confidence is not high, medium or low: {printable(text)}"
        problems.append(Problem(entry.line + 1, problem))
    return next((one for one in get_args(Confidence) if one == key), "medium")
