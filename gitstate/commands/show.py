"""``gitstate show``: a version, or one file of it."""

from __future__ import annotations

import contextlib

import click

from gitstate import output
from gitstate.commands.common import CONTEXT, change_lines, open_workspace, tell, when
from gitstate.errors import EXIT_DONE, GitstateError, UnknownVersion, printable

EXAMPLES = """\
\b
Examples:
  gitstate show                         the newest version
  gitstate show v17
  gitstate show 2026-11-28              a day, where it was squashed; else its last version
  gitstate show v17:02-current-task.md  that file's bytes, as they were
  gitstate show 2026-11-28:02-current-task.md
"""


@click.command("show", epilog=EXAMPLES, context_settings=CONTEXT)
@click.argument("name", required=False, default="HEAD", metavar="[NAME[:FILE]]")
def command(name: str) -> int:
    """Show a version: its message, its files, and what it changed.

    A squashed day's date shows that day: what was decided and done.
    """
    return run(name)


def run(name: str) -> int:
    """Exit 0; 1 where there is no such version or file."""
    from gitstate.history import links  # noqa: PLC0415 after the words are parsed
    from gitstate.history.code_names import PREFIX  # noqa: PLC0415 the same
    from gitstate.history.line import engine_for  # noqa: PLC0415 after the words are parsed
    from gitstate.history.look import describe, entries_of, reader  # noqa: PLC0415 the same
    from gitstate.history.plan import state_path  # noqa: PLC0415 the same
    from gitstate.history.versions import day_called, resolve_file  # noqa: PLC0415 the same

    ws = open_workspace()
    if name.startswith(PREFIX):
        with contextlib.suppress(GitstateError):  # the last commits may still wait
            links.process(ws, wait_s=1.0)
    with engine_for(ws) as engine:
        version, file = resolve_file(ws, engine, name)
        entries = entries_of(ws, engine, version.commit.id)
        if file is not None:
            path = state_path(ws, file)
            entry = entries.get(path)
            if entry is None:
                raise UnknownVersion(f"v{version.number} has no file {printable(file)}")
            output.say_bytes(engine.blob(entry.id))
            return EXIT_DONE
        version = day_called(ws, engine, name) or version
        parent = engine.before(version.commit)
        changes = describe(entries_of(ws, engine, parent), entries, reader(engine, {}))
    tell([])
    moment = version.commit.author.moment()
    output.say(
        output.paint(f"v{version.number} {version.commit.id}", "yellow"),
        f"made  {when(moment)}",
        "",
        *(
            f"    {printable(text)}".rstrip()
            for text in version.commit.message.rstrip().split("\n")
        ),
        "",
        f"{output.several(len(entries), 'file')}; changed from the version before:",
        *(change_lines(changes) or ["  nothing"]),
    )
    return EXIT_DONE
