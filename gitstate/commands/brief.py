"""``gitstate brief``: the state as an agent gets it back."""

from __future__ import annotations

import click

from gitstate import output
from gitstate.commands.common import CONTEXT, open_workspace
from gitstate.errors import EXIT_DONE

EXAMPLES = """\
\b
Examples:
  gitstate brief
  gitstate brief --budget 4000
  gitstate brief --json | jq -r .text
"""


@click.command("brief", epilog=EXAMPLES, context_settings=CONTEXT)
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    metavar="CHARS",
    help="At most so many characters (gitstate.briefBudget is the upper bound).",
)
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
def command(budget: int | None, *, json_: bool) -> int:
    """Print what to know before going on: goal, rules, decisions and the next step.

    It ends with the file to open first and the step to do then. What does not fit is
    left out, the weakest first, and named with the command that reads it. Nothing is
    written.
    """
    return run(budget, json_=json_)


def run(budget: int | None, *, json_: bool) -> int:
    """Exit 0; refused where there is no state, or the budget is too small."""
    from gitstate.recall.briefing import brief_for  # noqa: PLC0415 after the words are parsed

    ws = open_workspace()
    found = brief_for(ws, limit=budget or ws.settings.brief_budget)
    if not json_:
        output.say(found.text.rstrip("\n"))
        return EXIT_DONE
    left = [{"name": name, "command": command} for name, command in found.left_out]
    output.say_json(
        {
            "text": found.text,
            "version": found.version,
            "goal": found.goal,
            "prohibitions": list(found.prohibitions),
            "next_step": found.next_step,
            "left_out": left,
        }
    )
    return EXIT_DONE
