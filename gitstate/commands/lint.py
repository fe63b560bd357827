"""``gitstate lint``: what is wrong with the state as a text to work by."""

from __future__ import annotations

import click

from gitstate import output
from gitstate.commands.common import CONTEXT, open_workspace
from gitstate.errors import EXIT_DONE, EXIT_REFUSED, printable

EXAMPLES = """\
\b
Examples:
  gitstate lint
  gitstate lint --strict   exit 1 where there is a warning
"""


@click.command("lint", epilog=EXAMPLES, context_settings=CONTEXT)
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
@click.option("--strict", is_flag=True, help="Exit 1 where there is a warning.")
def command(*, json_: bool, strict: bool) -> int:
    """Name what makes the state vague, wrong or too large, each with its line.

    Rules that cannot be checked or are no orders, a vague goal, a missing next step, an
    anchor or map entry whose file or line is gone, decisions without a reason, rules
    that a superseding decision contradicts, files over their limits, more than eight
    numbered files, and text of high strength that takes over half of a briefing.
    """
    return run(json_=json_, strict=strict)


def run(*, json_: bool = False, strict: bool = False) -> int:
    """Exit 0; with ``strict`` 1 where there is a warning."""
    from gitstate.history.editing import viewed  # noqa: PLC0415 after the words are parsed
    from gitstate.history.worktree_files import line_counter  # noqa: PLC0415 the same
    from gitstate.memory.lint import lint  # noqa: PLC0415 the same

    ws = open_workspace()
    with viewed(ws) as files:
        found = lint(files, line_counter(ws), budget_chars=ws.settings.brief_budget)
    if json_:
        output.say_json(
            [{**one._asdict(), "file": printable(one.file)} for one in found]
        )
    else:
        where = ws.settings.dir
        output.say(
            *(
                f"{printable(f'{where}/{one.file}')}:{one.line}: {one.check}: {one.text}"
                for one in found
            )
        )
        count = len(found)
        output.say(
            "no warnings" if not count else f"{count} warning{'s' * (count > 1)}"
        )
    return EXIT_REFUSED if strict and found else EXIT_DONE
