"""``gitstate note``: something found out that belongs to no step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gitstate import output
from gitstate.commands.common import CONTEXT
from gitstate.documents import CURRENT_TASK
from gitstate.errors import EXIT_DONE, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitstate.history.editing import Files

EXAMPLES = """\
\b
Examples:
  gitstate note "the tokenizer drops a trailing comma" --file src/core/tokens.ts:88
"""
_EXAMPLE = (
    'gitstate note "the tokenizer drops a trailing comma" --file src/core/tokens.ts:88'
)


@click.command("note", epilog=EXAMPLES, context_settings=CONTEXT)
@click.argument("text")
@click.option("--file", "file", metavar="FILE[:LINE]", help="Where it shows.")
def command(text: str, file: str | None) -> int:
    """Keep a conclusion that belongs to no step, in long_mem/conclusions.md.

    One line of at most 200 characters. What comes of a step goes to `task done`.
    """
    return run(text, file)


def run(text: str, file: str | None) -> int:
    """Exit 0; refused where it is longer than a line of 200 characters."""
    from gitstate.commands import writing  # noqa: PLC0415 after the words are parsed
    from gitstate.documents.anchors import Anchor  # noqa: PLC0415 the same
    from gitstate.memory import conclusions, wording  # noqa: PLC0415 the same
    from gitstate.memory.shelf import CONCLUSIONS  # noqa: PLC0415 the same

    ws = writing.begin()
    at = None if file is None else Anchor(*writing.place(ws, file, _EXAMPLE))

    def change(files: Files) -> Mapping[str, str]:
        said = wording.conclusion(text, _EXAMPLE)
        lang = writing.language_of(files.required(CURRENT_TASK))
        there = files.text(CONCLUSIONS)
        return {CONCLUSIONS: conclusions.add_note(there, said, at, lang)}

    version = writing.write(ws, change, verb="note")
    output.say(f"noted: {printable(text.strip())}{version}")
    return EXIT_DONE
