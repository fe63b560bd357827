"""``gitstate decide``: a choice that someone could make differently next week."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from gitstate import output
from gitstate.commands.common import CONTEXT
from gitstate.documents import DECISION_LOG
from gitstate.errors import EXIT_DONE, Refused, printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitstate.documents.decision_log import Confidence, Decision
    from gitstate.history.editing import Files

EXAMPLES = """\
\b
Examples:
  gitstate decide "Use pino for logging" --reason "structured child loggers" \\
      --alternative "winston: heavier" --confidence high
  gitstate decide "Use yarn" --reason "npm writes two lock files" --supersedes D-0003
"""
_EXAMPLE = 'gitstate decide "Use pino for logging" --reason "structured child loggers"'


@click.command("decide", epilog=EXAMPLES, context_settings=CONTEXT)
@click.argument("decision")
@click.option("--reason", metavar="TEXT", help="Why, in one sentence.")
@click.option(
    "--alternative",
    "--alternatives",
    "alternatives",
    multiple=True,
    metavar="NAME: WHY NOT",
    help="What was rejected, and why not; repeatable.",
)
@click.option(
    "--confidence",
    type=click.Choice(["high", "medium", "low"]),
    default="medium",
    show_default=True,
    help="How sure it is; one of low confidence is to be weighed again.",
)
@click.option(
    "--supersedes",
    multiple=True,
    metavar="D-NNNN",
    help="The decision that it replaces; repeatable.",
)
def command(
    decision: str,
    reason: str | None,
    alternatives: Sequence[str],
    confidence: str,
    supersedes: Sequence[str],
) -> int:
    """Write a decision into 04-decision-log.md, with its number, reason and date."""
    return run(
        decision,
        reason,
        alternatives=alternatives,
        confidence=cast("Confidence", confidence),
        supersedes=supersedes,
    )


def run(
    decision: str,
    reason: str | None,
    *,
    alternatives: Sequence[str] = (),
    confidence: Confidence = "medium",
    supersedes: Sequence[str] = (),
) -> int:
    """Exit 0 with the new number; refused without a reason."""
    from gitstate.commands import writing  # noqa: PLC0415 after the words are parsed
    from gitstate.memory import wording  # noqa: PLC0415 the same

    ws = writing.begin()
    day = writing.today(ws)
    made: list[Decision] = []

    def change(files: Files) -> Mapping[str, str]:
        from gitstate.documents import edit_decisions  # noqa: PLC0415 the same
        from gitstate.documents.alternatives import alternative_of  # noqa: PLC0415 the same

        text = files.required(DECISION_LOG)
        why = wording.reason(reason, "a decision", _EXAMPLE)
        what = wording.one_line(decision, "decision", _EXAMPLE)
        _known(files, text, supersedes)
        text, new = edit_decisions.add(
            text,
            what,
            why,
            alternatives=[alternative_of(one.strip()) for one in alternatives],
            confidence=confidence,
            supersedes=supersedes,
            date=day,
            above=writing.highest(ws, files, "archive", "D"),
        )
        made[:] = [new]
        return {DECISION_LOG: text}

    version = writing.write(ws, change, verb="decide")
    output.say(f"{made[0].id} {printable(made[0].decision)}{version}")
    return EXIT_DONE


def _known(files: Files, text: str, ids: Sequence[str]) -> None:
    """Raise ``Refused`` where a superseded decision is neither here nor in an archive."""
    from gitstate.commands import writing  # noqa: PLC0415 as above
    from gitstate.documents import decision_log  # noqa: PLC0415 as above

    log = decision_log.parse(text)
    for given in ids:
        id_ = decision_log.decision_id(given)
        if id_ is None:
            raise Refused(
                f"not the number of a decision: {printable(given)}; it looks like D-0003"
            )
        if log.find(id_) is None and not writing.is_archived(files, "archive", id_):
            there = ", ".join(one.id for one in log.decisions if one.id) or "none"
            raise Refused(f"there is no decision {id_}; the decisions are: {there}")
