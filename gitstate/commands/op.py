"""``gitstate op``: what was done to which file."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, cast

import click

from gitstate import output
from gitstate.commands.common import CONTEXT
from gitstate.commands.family import Family
from gitstate.errors import EXIT_DONE, printable

if TYPE_CHECKING:
    from gitstate.memory.operations_log import Action
    from gitstate.workspace import Workspace

_EXAMPLE = 'gitstate op add src/core/parser.ts edit "accepts an empty group"'
_LARGEST = 16 << 20  # bytes of a file whose blob id is taken


@click.group("op", cls=Family, context_settings=CONTEXT)
def command() -> None:
    """The log of operations (long_mem/operations.log), written five at a time.

    \b
    Examples:
      gitstate op add src/core/parser.ts edit "accepts an empty group"
      gitstate op add test/ run "pnpm test: 3 failed"
    """


@command.command("add")
@click.argument("path")
@click.argument(
    "action", type=click.Choice(["read", "edit", "create", "delete", "run"])
)
@click.argument("summary")
def add_command(path: str, action: str, summary: str) -> int:
    """Log what was done to a file; it is written with the next ones, or a step's end.

    An edit's line has the id of the blob that the file is at that moment.
    """
    return add(path, cast("Action", action), summary)


def add(path: str, action: Action, summary: str) -> int:
    """Exit 0; a version is made when the log was written."""
    from gitstate import clock  # noqa: PLC0415 after the words are parsed
    from gitstate.commands import writing  # noqa: PLC0415 the same
    from gitstate.history import batches  # noqa: PLC0415 the same
    from gitstate.memory import wording  # noqa: PLC0415 the same
    from gitstate.memory.operations_log import Operation  # noqa: PLC0415 the same

    ws = writing.begin(engine=False)
    path = writing.whole(ws, path, _EXAMPLE, gone=action in {"delete", "create"})
    said = wording.one_line(summary, "summary", _EXAMPLE)
    said = wording.within(said, "summary", _EXAMPLE)
    blob = _blob(ws, path) if action in {"edit", "create"} else None
    time = clock.now(ws.settings.timezone).isoformat(timespec="seconds")
    written = batches.log(ws, Operation(time, path, action, said, blob))
    version = writing.record(ws, verb="op add") if written else ""
    output.say(f"{action} {printable(path)}{version}")
    return EXIT_DONE


@command.command("turn")
def turn_command() -> int:
    """Log that a turn begins: `tidy` then counts turns (logKeepTurns), not days."""
    return turn()


def turn() -> int:
    """Exit 0; a version is made when the log was written."""
    from gitstate import clock  # noqa: PLC0415 after the words are parsed
    from gitstate.commands import writing  # noqa: PLC0415 the same
    from gitstate.history import batches  # noqa: PLC0415 the same

    ws = writing.begin(engine=False)
    time = clock.now(ws.settings.timezone).isoformat(timespec="seconds")
    version = writing.record(ws, verb="op turn") if batches.turn(ws, time) else ""
    output.say(f"a turn begins{version}")
    return EXIT_DONE


def _blob(ws: Workspace, path: str) -> str | None:
    """The blob id of the bytes that a file has now; ``None`` where it has none."""
    from gitstate.git.objects import object_id  # noqa: PLC0415 as above

    try:
        fd = os.open(ws.root / path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST:
            return None  # a folder opens too
        with os.fdopen(fd, "rb", closefd=False) as file:
            return object_id("blob", file.read(), ws.object_format)
    finally:
        os.close(fd)
