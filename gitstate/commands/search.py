"""``gitstate search``: find what is no longer loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gitstate import output
from gitstate.commands.common import CONTEXT, open_workspace
from gitstate.errors import EXIT_DONE, EXIT_REFUSED, Refused, printable

if TYPE_CHECKING:
    from gitstate.history.search import Hit

_AROUND = 80  # characters on either side of what was found, in a long line

EXAMPLES = """\
\b
Examples:
  gitstate search "lock files"
  gitstate search parseExpr      capitals count where TEXT has some
  gitstate search --json npm
"""


@click.command("search", epilog=EXAMPLES, context_settings=CONTEXT)
@click.argument("text")
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
def command(text: str, *, json_: bool) -> int:
    """Find TEXT in the state, in what was moved out of it, and in every version.

    TEXT is taken as it is written. Each line is told once: in the state as it is now
    (the archives too), or else in the newest version that has it, newest first.
    """
    return run(text, json_=json_)


def run(text: str, *, json_: bool = False) -> int:
    """Exit 0; 1 where it is nowhere."""
    from gitstate.history.line import engine_for  # noqa: PLC0415 after the words are parsed
    from gitstate.history.search import search  # noqa: PLC0415 the same

    if not text.strip() or len(text.splitlines()) != 1:
        raise Refused('say what to find in one line, like: gitstate search "parseExpr"')
    ws = open_workspace()
    with engine_for(ws) as engine:
        found = search(ws, engine, text)
    if json_:
        output.say_json([_document(hit) for hit in found.hits])
    else:
        output.say(
            *output.aligned(
                [output.paint(_version(hit), "yellow"), _place(hit), _shown(hit, text)]
                for hit in found.hits
            )
        )
    if found.unread:
        output.complain(
            f"{found.unread} objects of the history cannot be read: `gitstate fsck` "
            "names them"
        )
    if not found.hits:
        output.complain(f"nowhere: {printable(text)}")
    return EXIT_DONE if found.hits else EXIT_REFUSED


def _version(hit: Hit) -> str:
    return "now" if hit.version is None else f"v{hit.version}"


def _place(hit: Hit) -> str:
    return f"{printable(hit.file)}:{hit.line}"


def _shown(hit: Hit, text: str) -> str:
    """The line, or the part of a long one around what was found."""
    line = hit.text.strip()
    if len(line) > 2 * _AROUND + len(text):
        at = max(line.lower().find(text.lower()), 0)
        start, stop = max(0, at - _AROUND), at + len(text) + _AROUND
        line = f"{'…' * (start > 0)}{line[start:stop]}{'…' * (stop < len(line))}"
    return printable(line)


def _document(hit: Hit) -> dict[str, object]:
    moment = hit.commit.author.moment() if hit.commit else None
    return {
        "version": hit.version,
        "commit": hit.commit.id if hit.commit else None,
        "time": moment.isoformat() if moment else None,
        "file": printable(hit.file),
        "line": hit.line,
        "text": hit.text,
    }
