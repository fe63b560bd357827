"""``gitstate handoff``: what the next session has to know, in a few lines."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import click

from gitstate import output
from gitstate.commands.common import CONTEXT
from gitstate.errors import EXIT_DONE, EXIT_REFUSED, GitstateError, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitstate.history.editing import Files
    from gitstate.recall.handoff import Handoff

EXAMPLES = """\
\b
Examples:
  gitstate handoff
  gitstate handoff --json | jq -r '.problems[]'
"""


@click.command("handoff", epilog=EXAMPLES, context_settings=CONTEXT)
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
def command(*, json_: bool) -> int:
    """Write long_mem/handoff.md: the task in at most 2,000 characters, checked.

    Goal, what is done with its conclusions, what is in progress, the next step with the
    place to open first, the files changed, and the version that has the whole state.
    Failed attempts stay out. What is missing is named with the verb that writes it.
    """
    return run(json_=json_)


def run(*, json_: bool) -> int:
    """Exit 0, or 1 where a part is missing or vague; refused where there is no task."""
    from gitstate.commands import writing  # noqa: PLC0415 after the words are parsed
    from gitstate.history.anchor import read_anchors  # noqa: PLC0415 the same
    from gitstate.history.derived import take  # noqa: PLC0415 the same
    from gitstate.recall import handoff  # noqa: PLC0415 the same

    ws = writing.begin()
    with contextlib.suppress(GitstateError):  # the same is said below, of the file
        take(ws, verb="handoff")
    anchor = read_anchors(ws).get(ws.line)
    version = None if anchor is None else anchor.version
    made: list[Handoff] = []

    def change(files: Files) -> Mapping[str, str]:
        made[:] = [handoff.handoff(ws, files, version)]
        return {handoff.HANDOFF: made[0].text}

    said = writing.write(ws, change, verb="handoff")
    (found,) = made
    where = f"{ws.settings.dir}/{handoff.HANDOFF}"
    if json_:
        output.say_json(
            {
                "text": found.text,
                "version": version,
                "file": where,
                "problems": list(found.problems),
            }
        )
    else:
        output.say(found.text.rstrip("\n"), "", f"kept as {printable(where)}{said}")
        for problem in found.problems:
            output.complain(problem)
    return EXIT_REFUSED if found.problems else EXIT_DONE
