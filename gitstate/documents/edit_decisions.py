"""Edits of ``04-decision-log.md``: a text and values in, the new text out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.documents.alternatives import Alternative, alternatives_text
from gitstate.documents.decision_log import (
    Confidence,
    Decision,
    DecisionLog,
    Parts,
    decision_id,
    kind,
    parse,
    parts,
)
from gitstate.documents.edit_entries import (
    TakenOut,
    add_entry,
    find_entry,
    set_part,
    take_out,
)
from gitstate.documents.inline import guard_title, guard_value, one_line
from gitstate.documents.items import own_strength
from gitstate.documents.splice import Splice, verified
from gitstate.documents.vocabulary import vocabulary
from gitstate.documents.writing import language
from gitstate.errors import Refused, printable
from gitstate.values import replace

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_ORDER = (
    "decision",
    "reason",
    "alternatives",
    "why_not",
    "confidence",
    "status",
    "supersedes",
    "superseded_by",
    "date",
    "strength",
)


def add(  # noqa: PLR0913 what a decision is made of
    text: str,
    decision: str,
    reason: str,
    *,
    alternatives: Sequence[Alternative] = (),
    confidence: Confidence = "medium",
    supersedes: Sequence[str] = (),
    date: str | None = None,
    above: int = 0,
) -> tuple[str, Decision]:
    """The log with one more decision, and this decision.

    Its number is the first that was never used; ``above`` is the highest known from
    elsewhere (archives). Raises ``Refused`` for an id that is none.
    """
    found = parts(text)
    lang = language(found.outline)
    said = one_line(decision, of="decision")
    number = found.log.next_id(above)
    new = Decision(
        id=number,
        decision=said,
        reason=one_line(reason, of="reason"),
        alternatives=tuple(_on_one_line(one) for one in alternatives),
        confidence=confidence,
        supersedes=tuple(dict.fromkeys(_earlier(one, number) for one in supersedes)),
        date=None if date is None else one_line(date, of="date"),
        strength=own_strength(said),
    )
    values = [("reason", guard_value(new.reason or ""))]
    if new.alternatives:
        rejected = alternatives_text(new.alternatives, lang)
        values.append(("alternatives", guard_value(rejected)))
    values.append(("confidence", vocabulary("confidence").name(confidence, lang)))
    if new.supersedes:
        between = "、" if lang == "zh" else ", "
        values.append(("supersedes", between.join(new.supersedes)))
    if new.date:
        values.append(("date", new.date))
    title = f"{new.id} {guard_title(new.decision)}"
    written = add_entry(found.outline, found.entries, kind(), title, values)
    after = parse(written)
    there = next((one for one in after.decisions if one.id == new.id), new)
    others = tuple(one for one in after.decisions if one is not there)
    expected = (found.log.decisions, new)
    verified(written, expected, lambda _: (others, there))
    return written, there


def _on_one_line(one: Alternative) -> Alternative:
    why_not = None if one.why_not is None else one_line(one.why_not, of="reason")
    return Alternative(one_line(one.name, of="alternative"), why_not)


def _earlier(given: str, number: str) -> str:
    """The id of an earlier decision, here or in an archive; raises ``Refused``."""
    id_ = decision_id(given)
    if id_ is None or int(id_[2:]) >= int(number[2:]):
        raise Refused(f"there is no decision {printable(given)} before {number}")
    return id_


def set_confidence(text: str, id_: str, confidence: Confidence) -> str:
    """The log with a decision's confidence changed."""
    found = parts(text)
    entry = find_entry(found.entries, kind(), decision_id(id_), id_)
    splice = Splice(found.outline)
    word = vocabulary("confidence").name(confidence, language(found.outline))
    set_part(splice, entry, kind(), _ORDER, key="confidence", value=word)
    return _changed(found, splice, entry, confidence=confidence)


def withdraw(text: str, id_: str) -> str:
    """The log with a decision marked as withdrawn; it stays where it is."""
    found = parts(text)
    entry = find_entry(found.entries, kind(), decision_id(id_), id_)
    place = next(n for n, one in enumerate(found.entries) if one is entry)
    decision = found.log.decisions[place]
    if decision.superseded_by:
        by = ", ".join(decision.superseded_by)
        raise Refused(f"{decision.id} is superseded by {by} already")
    splice = Splice(found.outline)
    word = kind().statuses.name("withdrawn", language(found.outline))
    set_part(splice, entry, kind(), _ORDER, key="status", value=word)
    return _changed(found, splice, entry, status="withdrawn")


def _changed(found: Parts, splice: Splice, entry: object, **values: object) -> str:
    place = next(n for n, one in enumerate(found.entries) if one is entry)
    decisions = list(found.log.decisions)
    decisions[place] = replace(decisions[place], **values)  # type: ignore[arg-type]  # the callers' keywords
    return verified(splice.text(), DecisionLog(tuple(decisions)), parse)


def take(text: str, ids: Collection[str]) -> TakenOut:
    """The log without the decisions of these ids, and their own text, to be moved."""
    found = parts(text)
    entries = [
        find_entry(found.entries, kind(), decision_id(given), given) for given in ids
    ]
    out = {n for n, one in enumerate(found.entries) if any(one is it for it in entries)}
    taken = take_out(found.outline, found.entries, out)
    left = tuple(one for n, one in enumerate(found.log.decisions) if n not in out)
    verified(taken.text, DecisionLog(left), parse)
    return taken
