"""``gitstate map``: where things are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gitstate import output
from gitstate.commands.common import CONTEXT
from gitstate.commands.family import Family
from gitstate.documents import FILE_MAP
from gitstate.errors import EXIT_DONE, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gitstate.history.editing import Files

_EXAMPLE = 'gitstate map add src/core/parser.ts "parses expressions"'


@click.group("map", cls=Family, context_settings=CONTEXT)
def command() -> None:
    """The file map (05-file-map.md): a path, its role, and what it hangs together with.

    \b
    Examples:
      gitstate map add src/core/parser.ts "parses expressions" \\
          --uses src/core/tokens.ts --tested-by test/parser.test.ts
    """


def _paths(name: str, text: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    return click.option(f"--{name}", multiple=True, metavar="PATH", help=text)


@command.command("add")
@click.argument("path")
@click.argument("role", required=False)
@_paths("uses", "A file that it uses; repeatable.")
@_paths("used-by", "A file that uses it; repeatable.")
@_paths("tested-by", "A file that tests it; repeatable.")
@_paths("generated-from", "A file that it is generated from; repeatable.")
def add_command(path: str, role: str | None, **relations: Sequence[str]) -> int:
    """Add a file or folder, or change what is said of it; what is not given stays."""
    return add(path, role, relations)


def add(path: str, role: str | None, relations: Mapping[str, Sequence[str]]) -> int:
    """Exit 0; ``relations`` have the names of ``file_map.RELATIONS``."""
    from gitstate.commands import writing  # noqa: PLC0415 after the words are parsed
    from gitstate.documents import edit_map, file_map  # noqa: PLC0415 the same
    from gitstate.memory import wording  # noqa: PLC0415 the same

    ws = writing.begin()
    path = writing.whole(ws, path, _EXAMPLE)
    whole = {
        name: [writing.whole(ws, one, _EXAMPLE) for one in given]
        for name, given in relations.items()
    }

    def change(files: Files) -> Mapping[str, str]:
        text = files.required(FILE_MAP)
        there = file_map.parse(text).find(path)
        said = there.role if there else None
        if role is not None or said is None:
            said = wording.one_line(role or "", "role", _EXAMPLE)
        there = there or file_map.MapEntry(path)

        def with_new(name: str) -> tuple[str, ...]:
            return tuple(dict.fromkeys((*getattr(there, name), *whole[name])))

        entry = file_map.MapEntry(
            path,
            said,
            uses=with_new("uses"),
            used_by=with_new("used_by"),
            tested_by=with_new("tested_by"),
            generated_from=with_new("generated_from"),
        )
        return {FILE_MAP: edit_map.put(text, entry)}

    version = writing.write(ws, change, verb="map add")
    output.say(f"map: {printable(path)}{version}")
    return EXIT_DONE
