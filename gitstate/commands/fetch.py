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
  gitstate fetch --theirs   go on from origin's line where the two went different ways
"""


@click.command("fetch", epilog=EXAMPLES, context_settings=CONTEXT)
@click.argument("remote", required=False)
@click.option(
    "--theirs",
    is_flag=True,
    help="Where the two lines went different ways, go on from the remote's; ours stays within reach.",
)
def command(remote: str | None, *, theirs: bool) -> int:
    """Get a remote's line, archive and notes; the files follow where nothing is lost."""
    return run(remote, theirs=theirs)


def run(remote: str | None, *, theirs: bool = False) -> int:
    """Exit 0; 1 where the two lines went different ways."""
    from gitstate.history.remote import fetch, remote_name  # noqa: PLC0415 after the words

    ws = open_workspace()
    name = remote_name(ws, remote)
    with output.progress(f"fetching from {printable(name)}"):
        done = fetch(ws, name, take=theirs)
    if done.kept is not None:
        ref, tip = printable(done.kept[0]), done.kept[1][:12]
        output.say(
            f"v{done.before} here -> v{done.after} of {printable(name)}: the files follow",
            f"ours is kept whole as {ref}: `gitstate diff HEAD {tip}` shows what it says "
            f"otherwise, `gitstate restore {tip} [FILE]` brings it or a file of it back",
        )
    elif done.after > done.before:
        output.say(f"v{done.before} -> v{done.after}: the files follow")
    else:
        output.say(f"up to date at v{done.after}")
    return EXIT_DONE
