"""``gitstate snapshot``: make a version now."""

from __future__ import annotations

import click

from gitstate import output
from gitstate.commands.common import (
    CONTEXT,
    left_out,
    skipped_json,
    tell,
)
from gitstate.errors import EXIT_DONE, printable

EXAMPLES = """\
\b
Examples:
  gitstate snapshot                 a version of what is there now
  gitstate snapshot -m "before the rewrite"
  gitstate snapshot --deletions     the missing files are meant to be gone
  gitstate snapshot --allow-secret notes.md
                                    what stands there is no secret, or may be kept
"""


@click.command("snapshot", epilog=EXAMPLES, context_settings=CONTEXT)
@click.option(
    "-m", "--message", "text", metavar="TEXT", help="Say this in the version's subject."
)
@click.option(
    "--deletions", is_flag=True, help="Record that missing files were deleted."
)
@click.option(
    "--allow-secret",
    "allow",
    multiple=True,
    metavar="FILE",
    help="Let in what FILE holds now, whatever secret it is held back for.",
)
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
def command(
    text: str | None, *, deletions: bool, allow: tuple[str, ...], json_: bool
) -> int:
    """Make a version of the state directory now, if anything changed."""
    return run(text, deletions=deletions, allow=allow, json_=json_)


def run(
    text: str | None, *, deletions: bool, allow: tuple[str, ...] = (), json_: bool
) -> int:
    """Exit 0, also when nothing changed."""
    from gitstate.commands.writing import begin  # noqa: PLC0415 after the words are parsed
    from gitstate.history import spool  # noqa: PLC0415 the same
    from gitstate.history.derived import take  # noqa: PLC0415 after the words are parsed
    from gitstate.hooks.git import installer  # noqa: PLC0415 the same

    ws = begin()
    if ws.initialised and spool.anything(ws):
        from gitstate.history import links  # noqa: PLC0415 mostly nothing waits

        links.process_what_waits(ws)
    outcome = take(
        ws, verb="snapshot", text=text, deletions=deletions, certain=True, allow=allow
    )
    tell(outcome.notices)
    problem = installer.status(ws).problem
    if problem is not None:
        output.complain(problem)
    for item in outcome.skipped:
        output.complain(left_out(item))
    if outcome.vanished:
        names = ", ".join(printable(path) for path in outcome.vanished[:6])
        output.complain(
            f"vanished and held: {names}; `gitstate restore HEAD` brings them back, "
            "`gitstate snapshot --deletions` records that they are meant to be gone"
        )
    if json_:
        output.say_json(
            {
                "version": outcome.version,
                "commit": outcome.commit,
                "changed": outcome.changed,
                "skipped": [skipped_json(item) for item in outcome.skipped],
                "vanished": [printable(path) for path in outcome.vanished],
            }
        )
    elif outcome.changed:
        output.say(f"v{outcome.version} {(outcome.commit or '')[:12]}")
    else:
        output.say(f"unchanged since v{outcome.version}")
    return EXIT_DONE
