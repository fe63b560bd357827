"""``gitstate flags``: code commits without a matching task update."""

from __future__ import annotations

import contextlib

import click

from gitstate import output
from gitstate.commands.common import CONTEXT, open_workspace
from gitstate.errors import EXIT_DONE, GitstateError, UsageError, printable

EXAMPLES = """\
\b
Examples:
  gitstate flags                    what HEAD reaches
  gitstate flags origin/main..HEAD
  gitstate flags --resolve HEAD~2 --reason "only formatting"
"""


@click.command("flags", epilog=EXAMPLES, context_settings=CONTEXT)
@click.argument("span", required=False, metavar="[RANGE]")
@click.option("--resolve", metavar="COMMIT", help="Settle the flag of this commit.")
@click.option("--reason", metavar="TEXT", help="Why it needs no update.")
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
def command(
    span: str | None, *, resolve: str | None, reason: str | None, json_: bool
) -> int:
    """List code commits that came without an update of the task file."""
    return run(span, resolve=resolve, reason=reason, json_=json_)


def run(
    span: str | None, *, resolve: str | None, reason: str | None, json_: bool
) -> int:
    """Exit 0; 1 where the commit or range is unknown."""
    from gitstate.history import flags as flagged  # noqa: PLC0415 after the words are parsed
    from gitstate.history import links  # noqa: PLC0415 the same

    if (resolve is None) != (reason is None) or (
        reason is not None and not reason.strip()
    ):
        raise UsageError('a flag is settled with both: --resolve COMMIT --reason "why"')
    ws = open_workspace()
    if resolve is not None and reason is not None:
        commit = flagged.resolve(ws, resolve, reason.strip())
        output.say(f"settled {commit[:12]}: {printable(reason.strip())}")
        return EXIT_DONE
    with contextlib.suppress(GitstateError):  # the last commits may still wait
        links.process(ws, wait_s=1.0)
    found = flagged.flags(ws, span)
    if json_:
        rows = [
            {
                "commit": item.commit,
                "subject": printable(item.subject),
                "check": item.note.check,
                "version": item.note.version,
                "reason": item.note.reason,
            }
            for item in found
        ]
        output.say_json(rows)
        return EXIT_DONE
    table = [
        [
            output.paint(item.commit[:12], "yellow"),
            item.note.check,
            f"v{item.note.version}",
            printable(item.subject),
            output.paint(printable(item.note.reason), "dim"),
        ]
        for item in found
    ]
    output.say(*(output.aligned(table) or ["no code commit is flagged"]))
    return EXIT_DONE
