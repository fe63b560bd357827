"""``gitstate fsck``: is the history whole, and putting it back."""

from __future__ import annotations

import click

from gitstate import output
from gitstate.commands.common import CONTEXT, open_workspace
from gitstate.errors import EXIT_DONE, EXIT_REFUSED, printable

EXAMPLES = """\
\b
Examples:
  gitstate fsck             every version readable, history linear, the head as recorded
  gitstate fsck --repair    put back a branch that was deleted, moved or rewritten
"""


@click.command("fsck", epilog=EXAMPLES, context_settings=CONTEXT)
@click.option("--repair", is_flag=True, help="Put back what others deleted or rewrote.")
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
def command(*, repair: bool, json_: bool) -> int:
    """Check every version of the line."""
    return run(repair=repair, json_=json_)


def run(*, repair: bool, json_: bool) -> int:
    """Exit 0 when all is well, 1 when there are problems."""
    from gitstate.history import integrity  # noqa: PLC0415 after the words are parsed
    from gitstate.history import repair as mending  # noqa: PLC0415 the same
    from gitstate.history.line import engine_for  # noqa: PLC0415 the same
    from gitstate.history.snapshot import require_initialised, session  # noqa: PLC0415 the same

    ws = open_workspace()
    require_initialised(ws)
    with output.progress("checking versions") as tell:
        if repair:
            with session(ws, verb="fsck --repair", wait_s=5.0) as engine:
                report = mending.repair(ws, engine, progress=tell)
        else:
            with engine_for(ws) as engine:
                report = integrity.check(ws, engine, progress=tell)
    if json_:
        output.say_json(
            {
                "ok": report.ok,
                "versions": report.versions,
                "problems": [
                    {"kind": item.kind, "text": item.text} for item in report.problems
                ],
                "edited": [printable(path) for path in report.edited],
                "repaired": list(report.repaired),
            }
        )
    else:
        output.say(*report.repaired)
        for problem in report.problems:
            output.say(f"{output.paint(problem.kind, 'red')}: {problem.text}")
        for path in report.edited:
            output.say(f"edited since the newest version: {printable(path)}")
        if report.ok:
            output.say(f"ok: {output.several(report.versions, 'version')}")
    return EXIT_DONE if report.ok else EXIT_REFUSED
