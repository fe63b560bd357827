"""``gitstate squash``: days that are over become one commit each, or are opened again."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import click

from gitstate import output
from gitstate.commands.common import CONTEXT, open_workspace, tell
from gitstate.errors import EXIT_DONE, UsageError, printable

if TYPE_CHECKING:
    from gitstate.history.squash import SquashedDay

EXAMPLES = """\
\b
Examples:
  gitstate squash --dry-run          what would become of which day
  gitstate squash                    every day that is over
  gitstate squash --undo 2026-11-27  the day's own commits again
  gitstate squash --day 2026-11-27   one day, also one that was undone
"""


@click.command("squash", epilog=EXAMPLES, context_settings=CONTEXT)
@click.option("--day", metavar="DAY", help="This day alone, as 2026-11-28.")
@click.option("--undo", metavar="DAY", help="Put the day's own commits back.")
@click.option("--dry-run", is_flag=True, help="Only show what would be done.")
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
def command(*, day: str | None, undo: str | None, dry_run: bool, json_: bool) -> int:
    """Make each day that is over one commit that says what was decided and done.

    Every version of it stays: `gitstate log --all` lists them, and each number and
    commit id goes on to name what it named.
    """
    if day is not None and undo is not None:
        raise click.UsageError("--day squashes and --undo opens again: say one of them")
    return run(day=day, undo=undo, dry_run=dry_run, json_=json_)


def run(*, day: str | None, undo: str | None, dry_run: bool, json_: bool) -> int:
    """Exit 0, also where there was nothing to do; 1 where it is refused."""
    from gitstate.history import squash as squashing  # noqa: PLC0415 after the words are parsed

    ws = open_workspace()
    if undo is not None:
        found = squashing.undo(ws, _date(undo), dry_run=dry_run)
    else:
        wanted = None if day is None else _date(day)
        with output.progress("squashing, commits read") as progress:
            found = squashing.squash(ws, day=wanted, dry_run=dry_run, progress=progress)
    tell(found.notices)
    if json_:
        output.say_json([_json(one) for one in found.days])
        return EXIT_DONE
    for name, why in found.left:
        tell([f"{name} stays as it is: {why}"])
    rows = [
        [
            output.paint(one.day, "yellow"),
            output.paint(one.commit[:12], "dim"),
            printable(_said(one, undone=undo is not None)),
        ]
        for one in found.days
    ]
    output.say(*output.aligned(rows))
    if not found.days:
        output.say("no day to squash")
    elif dry_run:
        output.say("(a dry run: nothing was changed)")
    return EXIT_DONE


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(
            f"{printable(text)!r} is no day; say it as 2026-11-28"
        ) from error


def _said(one: SquashedDay, *, undone: bool) -> str:
    if undone:
        return f"opened again: v{one.first}–v{one.last}"  # noqa: RUF001 a range
    return one.subject.partition(": ")[2]


def _json(one: SquashedDay) -> dict[str, object]:
    return {
        "day": one.day,
        "commit": one.commit,
        "versions": f"{one.first}-{one.last}",
        "archive": one.archive,
    }
