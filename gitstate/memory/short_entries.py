"""One entry made shorter: a step, a decision, an issue; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.memory.short_words import ENGLISH
from gitstate.memory.shortening import core, forceful, left_out

if TYPE_CHECKING:
    from gitstate.documents.decision_log import Decision
    from gitstate.documents.known_issues import Issue
    from gitstate.documents.steps import Step
    from gitstate.memory.short_words import Words


def step(one: Step, say: Words = ENGLISH) -> str:
    """A finished step's conclusion; of another all that is said of it."""
    status = say.status(one.status)
    said = f"{one.number}. [{status}] {one.text}"
    if one.status == "done":
        said = f"{one.number}. [{status}] {core(one.text)}"
        said = say.semicolon.join([said, *left_out(said, one.text, say=say)])
    if one.conclusion:
        said = f"{said}: {one.conclusion}"
    missing = [path for path in one.files if path not in said]
    said += f" [{say.between.join(missing)}]" if missing else ""
    return say.semicolon.join([said, *left_out(said, *one.notes, say=say)])


def issue(one: Issue, say: Words = ENGLISH) -> str:
    """What goes wrong, and what to do meanwhile; "" where nothing of it is kept."""
    whole = [part for part in (one.title, one.resolution, *one.notes) if part]
    more: list[str]
    if one.strength == "high":
        said, more = say.semicolon.join(whole), []
    elif one.status == "resolved" or one.strength == "low":
        more = [each for part in whole for each in forceful(part)]
        said, more = "", [*more, *forceful(one.workaround or "")]
    else:
        said = core(one.title)
        more = left_out(said, *whole, say=say)
    if not said and not more:
        return ""
    if one.workaround and said:
        said = say.meanwhile.format(text=said, workaround=one.workaround)
    head = f"{one.id} {said}" if one.id else said
    return say.semicolon.join([head.strip(), *more])


def decision(one: Decision, say: Words = ENGLISH, *, live: bool = True) -> str:
    """A decision made shorter: ``use pnpm (reason: monorepo hoisting); not npm, yarn``.

    Of low confidence or marked high: every word. Its reason and the names of what was
    rejected stay whatever it is marked, and when it is no longer in force.
    """
    parts = [
        f"{each.name}: {each.why_not}" for each in one.alternatives if each.why_not
    ]
    whole = [one.decision, one.reason or "", *parts, *one.notes]
    head = f"{one.id} " if one.id else ""
    names = say.between.join(each.name for each in one.alternatives)
    ends = [say.rejected.format(names=names)] if names else []
    if not live:
        ends.append(say.withdrawn if one.status == "withdrawn" else say.superseded)
    if one.strength == "high" or (one.confidence == "low" and live):
        said = f"{head}{one.decision}"
        if one.reason:
            said = say.reason.format(text=said, reason=one.reason)
        if one.confidence == "low":
            ends.append(say.weigh)
        return say.semicolon.join([said, *ends, *parts, *one.notes])
    said = f"{head}{_as_order(core(one.decision))}"
    if one.reason:
        said = say.reason.format(text=said, reason=core(one.reason))
    said = say.semicolon.join([said, *ends])
    return say.semicolon.join([said, *left_out(said, *whole, say=say)])


def _as_order(text: str) -> str:
    """``use pnpm`` of ``Use pnpm``: behind its number it begins no sentence."""
    first = text.split(maxsplit=1)[0] if text else ""
    return text[:1].lower() + text[1:] if first in {"Use", "Keep", "Take"} else text
