"""``gitstate context``: all that is recorded of one file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from gitstate import output
from gitstate.commands.common import CONTEXT, open_workspace
from gitstate.errors import EXIT_DONE, printable

if TYPE_CHECKING:
    from gitstate.recall.context import Context
    from gitstate.workspace import Workspace

EXAMPLES = """\
\b
Examples:
  gitstate context src/core/parser.ts
  gitstate context src/core/parser.ts:142     only what is near that line
"""
_LOOKS = {
    "same": "it looks as recorded",
    "changed": "it was changed since by someone else",
    "gone": "it is gone",
    "unknown": "whether it looks as recorded cannot be told",
    None: "no change of it is recorded",
}
_MOST = 50


@click.command("context", epilog=EXAMPLES, context_settings=CONTEXT)
@click.argument("place", metavar="FILE[:LINE]")
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
def command(place: str, *, json_: bool) -> int:
    """Print a file's role, what names it, what was done to it, and how it looks now."""
    return run(place, json_=json_)


def run(place: str, *, json_: bool) -> int:
    """Exit 0, also where nothing is recorded; refused for a path that is not whole."""
    from gitstate.recall.context import context_of  # noqa: PLC0415 after the words are parsed

    ws = open_workspace()
    found = context_of(ws, place)
    if json_:
        output.say_json(_document(found))
    else:
        output.say(*_lines(found))
        if near := _meant(ws, found):
            output.complain(f"is it {', '.join(map(printable, near))}?")
    return EXIT_DONE


def _meant(ws: Workspace, found: Context) -> list[str]:
    """Which files end so, where nothing is recorded of one that is not there."""
    from gitstate.commands.writing import ends_so  # noqa: PLC0415 the same

    known = found.look or found.role or found.said or found.operations
    if known or os.path.lexists(ws.root / found.path):
        return []
    return ends_so(ws, found.path)[:3]


def _document(found: Context) -> dict[str, object]:
    return {
        "path": printable(found.path),
        "line": found.line,
        "look": found.look,
        "role": list(found.role),
        "said": [
            {
                "kind": one.kind,
                "text": one.text,
                "file": one.file,
                "line": one.line or None,
            }
            for one in found.said
        ],
        "operations": [
            {"time": one.time, "action": one.action, "summary": one.summary}
            for one in found.operations
        ],
    }


def _lines(found: Context) -> list[str]:
    lines = [f"{printable(found.path)}: {_LOOKS[found.look]}"]
    lines += [f"  role: {printable(one)}" for one in found.role]
    for one in found.said:
        where = f"{one.file}:{one.line}" if one.line else one.file
        lines.append(f"  {one.kind}: {printable(one.text)} ({where})")
    shown = found.operations[:_MOST]
    lines += [
        f"  {one.action} {printable(one.time)}: {printable(one.summary)}".rstrip(": ")
        for one in shown
    ]
    if len(found.operations) > len(shown):
        lines.append(f"  and {len(found.operations) - len(shown)} earlier ones")
    return lines
