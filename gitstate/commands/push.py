"""``gitstate push``: send the versions to a remote."""

from __future__ import annotations

import click

from gitstate import output
from gitstate.commands.common import CONTEXT, open_workspace
from gitstate.errors import EXIT_DONE, printable

EXAMPLES = """\
\b
Examples:
  gitstate push             to origin
  gitstate push backup
"""


@click.command("push", epilog=EXAMPLES, context_settings=CONTEXT)
@click.argument("remote", required=False)
def command(remote: str | None) -> int:
    """Send the line, its archive and the notes to a remote; never anything else."""
    return run(remote)


def run(remote: str | None) -> int:
    """Exit 0; 1 where the remote's line went another way."""
    from gitstate.history.remote import push, remote_name  # noqa: PLC0415 after the words

    ws = open_workspace()
    name = remote_name(ws, remote)
    with output.progress(f"pushing to {printable(name)}"):
        done = push(ws, name)
    said = [f"pushed {printable(ref)} to {printable(name)}" for ref in done.refs]
    output.say(*(said or [f"up to date: {printable(name)} has all of it"]))
    return EXIT_DONE
