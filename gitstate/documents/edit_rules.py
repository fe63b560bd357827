"""Edits of the rules in ``01-coding-conventions.md``, and of what 00 forbids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.documents import conventions, project_context
from gitstate.documents.inline import guard, one_line
from gitstate.documents.items import own_strength
from gitstate.documents.reasons import split_reason
from gitstate.documents.rules import Force, FoundRule, Rule, force_of
from gitstate.documents.splice import Splice, verified, with_one_more
from gitstate.documents.vocabulary import vocabulary
from gitstate.documents.writing import add_line
from gitstate.errors import Refused
from gitstate.values import replace

if TYPE_CHECKING:
    from collections.abc import Sequence


def add_rule(text: str, rule: str) -> str:
    """The conventions with one more rule, behind the last of their own section."""
    found = conventions.parts(text)
    said = one_line(rule, of="rule")
    splice = Splice(found.outline)
    there = found.places
    if not any(place.key == "rules" for _, place in there):
        there = [
            (index, replace(place, key="rules") if place.key is None else place)
            for index, place in there
        ]  # a file without the heading has its rules below its title
    add_line(splice, vocabulary("rules"), there, "rules", guard(said))
    new, before = _new(said, None), found.conventions.rules
    return verified(
        splice.text(),
        expected=True,
        read=lambda one: with_one_more(before, conventions.parse(one).rules, new),
    )


def drop_rule(text: str, rule: Rule) -> str:
    """The conventions without a rule that ``parse`` found in them."""
    found = conventions.parts(text)
    splice = Splice(found.outline)
    left = _drop(splice, found.rules, rule)
    return verified(splice.text(), left, lambda one: conventions.parse(one).rules)


def add_forbidden(text: str, rule: str) -> str:
    """The project context with one more thing that is forbidden."""
    found = project_context.parts(text)
    said = one_line(rule, of="rule")
    splice = Splice(found.outline)
    add_line(splice, vocabulary("context"), found.places, "forbidden", guard(said))
    new, before = _new(said, "never"), found.context
    after = project_context.parse(splice.text())
    more = with_one_more(before.forbidden, after.forbidden, new)
    same = replace(after, forbidden=before.forbidden) == before
    return verified(splice.text(), expected=True, read=lambda _: more and same)


def drop_forbidden(text: str, rule: Rule) -> str:
    """The project context without a thing that ``parse`` found forbidden in it."""
    found = project_context.parts(text)
    splice = Splice(found.outline)
    left = _drop(splice, found.rules, rule)
    expected = replace(found.context, forbidden=left)
    return verified(splice.text(), expected, project_context.parse)


def _new(said: str, force: Force | None) -> Rule:
    reason = split_reason(said)[1]
    return Rule(said, force_of(said) or force, reason, None, own_strength(said))


def _drop(splice: Splice, found: Sequence[FoundRule], rule: Rule) -> tuple[Rule, ...]:
    """Take a rule's lines out; returns the rules that are left."""
    here = [one for one in found if (one.rule, one.rule.lines) == (rule, rule.lines)]
    if not here:
        raise Refused(
            f"line {rule.lines.first} does not say so any more: read it again"
        )
    if here[0].holds:
        raise Refused(
            f"other rules are nested in line {rule.lines.first}: drop those first"
        )
    splice.replace(here[0].start, here[0].stop, [])
    return tuple(one.rule for one in found if one is not here[0])
