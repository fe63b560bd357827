"""``gitstate restore``: bring a version back."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import click

from gitstate import output
from gitstate.commands.common import (
    CONTEXT,
    change_json,
    change_lines,
    open_workspace,
    tell,
)
from gitstate.errors import EXIT_DONE, EXIT_REFUSED, GitstateError, printable

if TYPE_CHECKING:
    from gitstate.workspace import Workspace

EXAMPLES = """\
\b
Examples:
  gitstate restore v17              the directory as it was in v17
  gitstate restore v17 --dry-run    what that would change
  gitstate restore HEAD~1 02-current-task.md
  gitstate restore "2 hours ago"

The present is saved as a version first, so every restore can be undone by another.
"""


@click.command("restore", epilog=EXAMPLES, context_settings=CONTEXT)
@click.argument("name")
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--dry-run", is_flag=True, help="Only say what would change.")
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
def command(name: str, files: tuple[str, ...], *, dry_run: bool, json_: bool) -> int:
    """Make the state directory, or some of its files, equal to a version."""
    return run(name, files, dry_run=dry_run, json_=json_)


def run(name: str, files: tuple[str, ...], *, dry_run: bool, json_: bool) -> int:
    """Exit 0 when done; 1 when a file had to be left as somebody just wrote it."""
    from gitstate.history.restore import restore  # noqa: PLC0415 after the words are parsed

    ws = open_workspace()
    done = restore(ws, name, files, dry_run=dry_run)
    tell(done.notices)
    if done.version is not None and not dry_run:
        _tell_agents(ws)
    for path, reason in done.left:
        output.complain(f"left as it is: {printable(path)} ({reason})")
    if json_:
        output.say_json(
            {
                "from": done.source,
                "version": done.version,
                "saved": done.saved,
                "changed": change_json(done.changed),
                "left": [
                    {"path": printable(path), "reason": reason}
                    for path, reason in done.left
                ],
            }
        )
        return EXIT_DONE
    if done.saved is not None:
        output.say(f"saved the present as v{done.saved}")
    source = f"v{done.source}"
    if done.line != ws.line:
        source += f" of {printable(done.line)}"
    if dry_run:
        output.say(
            f"restoring {source} would change:" if done.changed else "nothing to change"
        )
    elif done.version is None:
        output.say(f"unchanged: the files are as in {source}")
    else:
        output.say(f"restored {source} as v{done.version}")
    output.say(*change_lines(done.changed))
    return (
        EXIT_REFUSED
        if done.left and not done.changed and not dry_run and files
        else EXIT_DONE
    )


def _tell_agents(ws: Workspace) -> None:
    """Sessions that are open learn at their next chance what no longer holds."""
    from gitstate.hooks.agents import sessions  # noqa: PLC0415 only after a restore
    from gitstate.hooks.agents.place import Place  # noqa: PLC0415 the same

    with contextlib.suppress(OSError, GitstateError):  # the restore is done
        sessions.tell_all(Place(str(ws.root), str(ws.runtime)))
