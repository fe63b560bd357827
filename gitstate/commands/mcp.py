"""``gitstate mcp``: the verbs as tools of the Model Context Protocol."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import click

from gitstate.commands.common import CONTEXT, open_workspace
from gitstate.errors import EXIT_DONE, Refused, printable

EXAMPLES = """\
\b
Examples:
  gitstate mcp                      of the repository you are in
  gitstate mcp /home/ada/shop       of that one, wherever the client starts it
  claude mcp add gitstate -- gitstate mcp

It needs the extra mcp: pip install 'git-agent-state[mcp]'
"""


@click.command("mcp", epilog=EXAMPLES, context_settings=CONTEXT)
@click.argument("path", required=False, type=click.Path(path_type=Path))
def command(path: Path | None) -> int:
    """Serve an agent over standard input and output, until the input ends.

    Its tools are verbs: brief, verify, task, decide, log, search, and restore, which first says
    what it would change. Nothing but the protocol is written to standard output.
    """
    return run(path)


def run(path: Path | None) -> int:
    """Exit 0 at the end of the input; refused without the extra or a repository."""
    try:
        from gitstate.commands import mcp_server  # noqa: PLC0415 an extra, and 0.6 s
    except ImportError as error:
        if not _of_the_extra(error):
            raise
        python = shlex.quote(printable(sys.executable))
        raise Refused(
            "the MCP server needs the extra mcp, which is not installed "
            f"({printable(error)}): {python} -m pip install 'mcp>=2,<3'"
        ) from error
    if path is not None:
        try:
            os.chdir(path)
        except OSError as error:
            raise Refused(
                f"cannot go to {printable(path)}: {printable(error.strerror)}"
            ) from error
    open_workspace()
    mcp_server.serve()
    return EXIT_DONE


def _of_the_extra(error: ImportError) -> bool:
    """Is it the package, or one that it needs, that is missing or too old."""
    return (error.name or "").partition(".")[0] != "gitstate"
