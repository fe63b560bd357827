"""Edits of ``04-decision-log.md``: a text and values in, the new text out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.documents.alternatives import Alternative, alternatives_text
from gitstate.documents.decision_log import (
    Confidence,
    Decision,
    decision_id,
    kind,
    parse,
    parts,
)
from gitstate.documents.edit_entries import (
    add_entry,
)
from gitstate.documents.inline import guard_title, guard_value, one_line
from gitstate.documents.items import own_strength
from gitstate.documents.splice import verified
from gitstate.documents.vocabulary import vocabulary
from gitstate.documents.writing import language
from gitstate.errors import Refused, printable

if TYPE_CHECKING:
    from collections.abc import Sequence


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
