"""``gitstate fetch``: get the versions of a remote."""

from __future__ import annotations

import click

from gitstate import output
from gitstate.commands.common import CONTEXT, open_workspace
from gitstate.errors import EXIT_DONE, printable

EXAMPLES = """\
\b
Examples:
  gitstate fetch            from origin
  gitstate fetch backup
"""


@click.command("fetch", epilog=EXAMPLES, context_settings=CONTEXT)
@click.argument("remote", required=False)
def command(remote: str | None) -> int:
    """Get a remote's line, archive and notes; the files follow where nothing is lost."""
    return run(remote)


def run(remote: str | None) -> int:
    """Exit 0; 1 where the two lines went different ways."""
    from gitstate.history.remote import fetch, remote_name  # noqa: PLC0415 after the words

    ws = open_workspace()
    name = remote_name(ws, remote)
    with output.progress(f"fetching from {printable(name)}"):
        done = fetch(ws, name)
    if done.after > done.before:
        output.say(f"v{done.before} -> v{done.after}: the files follow")
    else:
        output.say(f"up to date at v{done.after}")
    return EXIT_DONE
