"""``gitstate fact``: what holds for the whole project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gitstate import output
from gitstate.commands.common import CONTEXT
from gitstate.commands.family import Family
from gitstate.documents import PROJECT_CONTEXT
from gitstate.errors import EXIT_DONE, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitstate.history.editing import Files

_EXAMPLE = 'gitstate fact set "package manager" pnpm'


@click.group("fact", cls=Family, context_settings=CONTEXT)
def command() -> None:
    """Facts and commands (00-project-context.md), one a line as `key: value`.

    \b
    Examples:
      gitstate fact set "package manager" pnpm --source package.json
      gitstate fact set --command test "pnpm test"
      gitstate fact drop "package manager"
      gitstate fact list
    """


_COMMAND = click.option(
    "--command", "command_", is_flag=True, help="A command line, not a fact."
)


@command.command("set")
@click.argument("key")
@click.argument("value")
@click.option("--source", metavar="TEXT", help="Where it was read.")
@_COMMAND
def set_command(key: str, value: str, source: str | None, *, command_: bool) -> int:
    """Set what KEY is; the line that said so changes, or a new one is added."""
    return set_(key, value, source, command_=command_)


def set_(key: str, value: str, source: str | None, *, command_: bool) -> int:
    """Exit 0; refused where several lines have the key."""
    from gitstate.commands import writing  # noqa: PLC0415 after the words are parsed
    from gitstate.documents import edit_context  # noqa: PLC0415 the same
    from gitstate.memory import wording  # noqa: PLC0415 the same

    ws = writing.begin()
    write = edit_context.set_command if command_ else edit_context.set_fact

    def change(files: Files) -> Mapping[str, str]:
        name = wording.one_line(key, "key", _EXAMPLE)
        said = wording.one_line(value, "value", _EXAMPLE)
        return {
            PROJECT_CONTEXT: write(files.required(PROJECT_CONTEXT), name, said, source)
        }

    version = writing.write(ws, change, verb="fact set")
    output.say(f"{printable(key.strip())}: {printable(value.strip())}{version}")
    return EXIT_DONE


@command.command("drop")
@click.argument("key")
@_COMMAND
def drop_command(key: str, *, command_: bool) -> int:
    """Drop the fact (or command) of that key."""
    return drop(key, command_=command_)


def drop(key: str, *, command_: bool) -> int:
    """Exit 0; refused where there is none."""
    from gitstate.commands import writing  # noqa: PLC0415 after the words are parsed
    from gitstate.documents import edit_context  # noqa: PLC0415 the same

    ws = writing.begin()
    take = edit_context.drop_command if command_ else edit_context.drop_fact

    def change(files: Files) -> Mapping[str, str]:
        return {PROJECT_CONTEXT: take(files.required(PROJECT_CONTEXT), key)}

    version = writing.write(ws, change, verb="fact drop")
    output.say(f"dropped: {printable(key.strip())}{version}")
    return EXIT_DONE


@command.command("list")
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
def list_command(*, json_: bool) -> int:
    """List the facts and the commands."""
    return list_(json_=json_)


def list_(*, json_: bool) -> int:
    """Exit 0, also where there is none."""
    from gitstate.commands.common import open_workspace  # noqa: PLC0415 as above
    from gitstate.documents import project_context  # noqa: PLC0415 as above
    from gitstate.history.editing import viewed  # noqa: PLC0415 as above

    with viewed(open_workspace()) as files:
        found = project_context.parse(files.required(PROJECT_CONTEXT))
    if json_:
        output.say_json(
            {
                "facts": [
                    {
                        "key": one.key,
                        "value": one.value,
                        "source": one.source,
                        "line": one.lines.first,
                    }
                    for one in found.facts
                ],
                "commands": [
                    {
                        "name": one.name,
                        "command": one.command,
                        "source": one.source,
                        "line": one.lines.first,
                    }
                    for one in found.commands
                ],
            }
        )
        return EXIT_DONE
    for one in found.facts:
        output.say(printable(f"{one.key}: {one.value}" if one.key else one.value))
    for command_ in found.commands:
        name = f"{command_.name}: " if command_.name else ""
        output.say(printable(f"{name}$ {command_.command}"))
    return EXIT_DONE
