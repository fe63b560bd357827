"""``gitstate condense``: the state made shorter by strength; writes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gitstate import output
from gitstate.commands.common import CONTEXT, open_workspace
from gitstate.errors import EXIT_DONE, printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitstate.memory.kept import Kept

EXAMPLES = """\
\b
Examples:
  gitstate condense          D-0007 use pnpm (reason: monorepo hoisting); not npm, yarn
  gitstate condense --json   with kind, strength, file and line of each
"""


@click.command("condense", epilog=EXAMPLES, context_settings=CONTEXT)
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
def command(*, json_: bool) -> int:
    """Print the state without its narrative; the files stay as they are.

    Goals, constraints, rules, paths and commands are kept as they are; of a decision what
    was decided, its reason and the names of what was rejected; of a finished step its
    conclusion; of a command whether it succeeded. What forbids or demands something is
    kept word for word wherever it stands, and so are decisions of low confidence.
    """
    return run(json_=json_)


def run(*, json_: bool = False) -> int:
    """Exit 0, also where there is nothing."""
    from gitstate.history.editing import viewed  # noqa: PLC0415 after the words are parsed
    from gitstate.memory import kept  # noqa: PLC0415 the same

    with viewed(open_workspace()) as files:
        found = kept.condensed(files)
    if json_:
        output.say_json([_document(one) for one in found])
        return EXIT_DONE
    output.say(*_told(found))
    return EXIT_DONE


def _told(found: Iterable[Kept]) -> list[str]:
    lines: list[str] = []
    file = None
    for one in found:
        if one.file != file:
            file = one.file
            lines += ["", printable(file)] if lines else [printable(file)]
        lines.append(f"  {printable(one.text)}")
    return lines


def _document(one: Kept) -> dict[str, object]:
    return {
        "kind": one.kind,
        "strength": one.strength,
        "text": one.text,
        "file": one.file,
        "line": one.line or None,
    }
