"""``gitstate tidy``: move what is over the limits to where it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gitstate import output
from gitstate.commands.common import CONTEXT, open_workspace
from gitstate.errors import EXIT_DONE, EXIT_REFUSED, printable

if TYPE_CHECKING:
    from gitstate.memory.capacity import Tidied

EXAMPLES = """\
\b
Examples:
  gitstate tidy --dry-run   what would go, and where
  gitstate tidy
"""


@click.command("tidy", epilog=EXAMPLES, context_settings=CONTEXT)
@click.option("--dry-run", is_flag=True, help="Only show what would go.")
def command(*, dry_run: bool) -> int:
    """Keep the state files within their limits: older things move to folders beside.

    Decisions over the limit that the file's header states go to archive/: those that are
    superseded or withdrawn first, then the oldest. Resolved issues go to resolved/,
    failed attempts in the task file to long_mem/failed-attempts.md, and old lines of
    the operations log that say nothing of how a file is to look to archive/. Nothing is
    deleted. The service does the same at the end of a day.
    """
    return run(dry_run=dry_run)


def run(*, dry_run: bool = False) -> int:
    """Exit 0; 1 where something had to stay that should go."""
    if dry_run:
        from gitstate.history import bounding  # noqa: PLC0415 after the words are parsed
        from gitstate.history.editing import viewed  # noqa: PLC0415 the same

        ws = open_workspace()
        with viewed(ws) as files:
            found = bounding.has_to_go(ws, files)
        version = ""
    else:
        found, version = _tidy()
    output.say(*_told(found))
    count = len(found.moves)
    if not count:
        output.say("everything is within its limits")
    elif dry_run:
        output.say(f"{count} would move")
    else:
        output.say(f"{count} moved{version}")
    for problem in found.problems:
        output.complain(printable(problem))
    return EXIT_REFUSED if found.problems else EXIT_DONE


def _tidy() -> tuple[Tidied, str]:
    from gitstate.commands import writing  # noqa: PLC0415 as above
    from gitstate.history import bounding  # noqa: PLC0415 as above

    ws = writing.begin(engine=False)  # most often nothing has to go
    found = bounding.tidy(ws)
    return found, writing.record(ws, verb="tidy") if found.moves else ""


def _told(found: Tidied) -> list[str]:
    return [
        f"{printable(one.what)}: {one.source} -> {printable(one.target)} ({one.why})"
        for one in found.moves
    ]
