"""``gitstate rule``: what every change has to keep to."""

# ruff: noqa: RUF001 Chinese is written as it is

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gitstate import output
from gitstate.commands.common import CONTEXT
from gitstate.commands.family import Family
from gitstate.documents import CONVENTIONS, DECISION_LOG, PROJECT_CONTEXT
from gitstate.errors import EXIT_DONE, Refused, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitstate.documents.rules import Rule
    from gitstate.history.editing import Files

_EXAMPLE = 'gitstate rule add "Never edit src/gen/, because make writes it"'
_DROP = 'gitstate rule drop "src/gen" --reason "make no longer writes it"'


@click.group("rule", cls=Family, context_settings=CONTEXT)
def command() -> None:
    """Rules (01-coding-conventions.md), and what is forbidden (00-project-context.md).

    \b
    Examples:
      gitstate rule add "Never edit src/gen/, because make writes it"
      gitstate rule add --forbidden "Never push to main"
      gitstate rule drop "src/gen" --reason "make no longer writes it"
      gitstate rule list
    """


@command.command("add")
@click.argument("rule")
@click.option(
    "--forbidden",
    is_flag=True,
    help="Into the project's list of what is forbidden (00-project-context.md).",
)
def add_command(rule: str, *, forbidden: bool) -> int:
    """Add a rule: an order that can be checked, beginning with Must or Never."""
    return add(rule, forbidden=forbidden)


def add(rule: str, *, forbidden: bool) -> int:
    """Exit 0; refused where the very rule stands there already."""
    from gitstate.commands import writing  # noqa: PLC0415 after the words are parsed
    from gitstate.documents import edit_rules  # noqa: PLC0415 the same
    from gitstate.memory import wording  # noqa: PLC0415 the same

    ws = writing.begin()
    name = PROJECT_CONTEXT if forbidden else CONVENTIONS
    write = edit_rules.add_forbidden if forbidden else edit_rules.add_rule

    def change(files: Files) -> Mapping[str, str]:
        said = wording.one_line(rule, "rule", _EXAMPLE)
        for where, one in _rules(files):
            if one.text == said:
                raise Refused(f"it stands in {where}:{one.lines.first} already")
        return {name: write(files.required(name), said)}

    version = writing.write(ws, change, verb="rule add")
    output.say(f"rule: {printable(rule.strip())}{version}")
    return EXIT_DONE


@command.command("drop")
@click.argument("words", metavar="TEXT")
@click.option("--reason", metavar="TEXT", help="Why; it is recorded as a decision.")
def drop_command(words: str, reason: str | None) -> int:
    """Drop the one rule that has TEXT in it; the reason is recorded as a decision."""
    return drop(words, reason)


def drop(words: str, reason: str | None) -> int:
    """Exit 0 with the decision's number; refused without a reason."""
    from gitstate.commands import writing  # noqa: PLC0415 after the words are parsed
    from gitstate.documents import edit_decisions, edit_rules  # noqa: PLC0415 the same
    from gitstate.memory import wording  # noqa: PLC0415 the same

    ws = writing.begin()
    day = writing.today(ws)
    said: list[str] = []

    def change(files: Files) -> Mapping[str, str]:
        why = wording.reason(reason, "dropping a rule", _DROP)
        name, rule = _one(files, words)
        text, log = files.required(name), files.required(DECISION_LOG)
        verb = "取消规则：" if writing.language_of(log) == "zh" else "Drop the rule: "
        log, decision = edit_decisions.add(
            log,
            f"{verb}{rule.text}",
            why,
            date=day,
            above=writing.highest(ws, files, "archive", "D"),
        )
        take = (
            edit_rules.drop_rule if name == CONVENTIONS else edit_rules.drop_forbidden
        )
        said[:] = [f"dropped: {printable(rule.text)}", str(decision.id)]
        # the reason first: a kill in between leaves both
        return {DECISION_LOG: log, name: take(text, rule)}

    version = writing.write(ws, change, verb="rule drop")
    output.say(f"{said[0]}, as {said[1]}{version}")
    return EXIT_DONE


def _rules(files: Files) -> list[tuple[str, Rule]]:
    """Every rule with the file it stands in."""
    from gitstate.documents import conventions, project_context  # noqa: PLC0415 as above

    rules = conventions.parse(files.required(CONVENTIONS)).rules
    forbidden = project_context.parse(files.required(PROJECT_CONTEXT)).forbidden
    return [
        *((CONVENTIONS, one) for one in rules),
        *((PROJECT_CONTEXT, one) for one in forbidden),
    ]


def _one(files: Files, words: str) -> tuple[str, Rule]:
    """The rule that is meant: the one of that very text, or else with it inside."""
    there = _rules(files)
    found = [one for one in there if one[1].text == words.strip()]
    if not found and words.strip():
        low = words.strip().casefold()
        found = [one for one in there if low in one[1].text.casefold()]
    if len(found) == 1:
        return found[0]
    if not found:
        raise Refused(f"no rule has {printable(words)} in it; see `gitstate rule list`")
    lines = ", ".join(f"{name}:{rule.lines.first}" for name, rule in found)
    raise Refused(f"{len(found)} rules have {printable(words)} in them: {lines}")


@command.command("list")
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
def list_command(*, json_: bool) -> int:
    """List the rules, and what is forbidden."""
    return list_(json_=json_)


def list_(*, json_: bool) -> int:
    """Exit 0, also where there is none."""
    from gitstate.commands.common import open_workspace  # noqa: PLC0415 as above
    from gitstate.history.editing import viewed  # noqa: PLC0415 as above

    with viewed(open_workspace()) as files:
        rules = _rules(files)
    if json_:
        output.say_json(
            [
                {
                    "rule": one.text,
                    "force": one.force,
                    "reason": one.reason,
                    "file": name,
                    "line": one.lines.first,
                }
                for name, one in rules
            ]
        )
        return EXIT_DONE
    rows = [(f"{name}:{one.lines.first}", printable(one.text)) for name, one in rules]
    output.say(*output.aligned(rows))
    return EXIT_DONE
