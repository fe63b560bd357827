"""``gitstate log``: the versions, newest first."""

from __future__ import annotations

import shlex
import sys
from heapq import merge
from itertools import islice
from typing import TYPE_CHECKING

import click

from gitstate import output
from gitstate.commands.common import (
    CONTEXT,
    as_json,
    numbers,
    open_workspace,
    tell,
    title,
    when,
)
from gitstate.errors import EXIT_DONE, UnknownVersion, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.git.engine import Engine
    from gitstate.history.versions import Version
    from gitstate.workspace import Workspace

EXAMPLES = """\
\b
Examples:
  gitstate log -n 5
  gitstate log 04-decision-log.md       the versions that changed one file
  gitstate log --grep parser            those whose message has the word
  gitstate log --all                    each version of squashed days, too
  gitstate log --all-lines              of every worktree
"""
# of a day that --all cannot open
_GONE = " (its own versions have expired, or were not fetched)"


@click.command("log", epilog=EXAMPLES, context_settings=CONTEXT)
@click.option(
    "-n", "count", type=click.IntRange(min=0), metavar="N", help="At most N versions."
)
@click.option(
    "--all", "all_", is_flag=True, help="Open squashed days into their own versions."
)
@click.option("--all-lines", is_flag=True, help="The lines of all worktrees.")
@click.option("--grep", metavar="TEXT", help="Only versions whose message has TEXT.")
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
@click.argument("file", required=False)
def command(  # noqa: PLR0913 a verb's options
    count: int | None,
    *,
    all_: bool,
    all_lines: bool,
    grep: str | None,
    json_: bool,
    file: str | None,
) -> int:
    """List the versions, newest first; a day that was squashed is one line.

    --grep and FILE look at what is listed: with --all, at each version.
    """
    return run(count, all_=all_, all_lines=all_lines, grep=grep, json_=json_, file=file)


def run(  # noqa: PLR0913 a verb's options
    count: int | None,
    *,
    all_: bool,
    all_lines: bool,
    grep: str | None,
    json_: bool,
    file: str | None,
) -> int:
    """Exit 0; 1 where there is no version yet."""
    from gitstate.history.line import engine_for, read_line  # noqa: PLC0415 after the words
    from gitstate.history.versions import lines, newest_first  # noqa: PLC0415 are parsed

    ws = open_workspace()
    with engine_for(ws) as engine:
        line = read_line(ws, engine)
        tell([line.trouble] if line.trouble else [])
        tips = lines(ws, engine) if all_lines else {}
        if line.tip is not None:
            tips[ws.line] = line.tip
        if not tips:
            raise UnknownVersion(
                "there is no version yet; `gitstate init` makes the first"
            )

        def of_line(name: str, tip: str) -> Iterator[tuple[str, Version]]:
            listed = newest_first(engine, tip, days=not all_)
            for version in _matching(ws, engine, listed, grep, file):
                yield name, version

        within = False  # a day: at whose end the file is gone
        rows_of = (of_line(name, tip) for name, tip in tips.items())
        most = None if count is None else min(count, sys.maxsize)
        found = list(islice(merge(*rows_of, key=_youngest), most))
        if file is not None and not found and not all_:
            own = (newest_first(engine, tip) for tip in tips.values())
            within = any(any(_matching(ws, engine, one, None, file)) for one in own)
    if json_:
        output.say_json([{**as_json(version), "line": name} for name, version in found])
        return EXIT_DONE
    if file is not None and grep is None and not found and count != 0:
        raise UnknownVersion(_no_file(file, within=within))
    rows = [
        [
            output.paint(numbers(version), "yellow"),
            output.paint(version.commit.id[:12], "dim"),
            version.record.day or when(version.commit.author.moment()),
            *([printable(name)] if all_lines else []),
            title(version) + (_GONE if all_ and version.record.day else ""),
        ]
        for name, version in found
    ]
    output.say(*output.aligned(rows, right={0}))
    return EXIT_DONE


def _no_file(file: str, *, within: bool) -> str:
    name = printable(file)
    if not within:
        return f"no version has a file {name}"
    return (
        f"{name} came and went within a day: `gitstate log --all {shlex.quote(name)}`"
    )


def _youngest(row: tuple[str, Version]) -> int:
    """Of several lines the younger version first; each line stays in its order."""
    return -row[1].commit.author.time


def _matching(
    ws: Workspace,
    engine: Engine,
    listed: Iterator[Version],
    grep: str | None,
    file: str | None,
) -> Iterator[Version]:
    from gitstate.history.look import entries_of  # noqa: PLC0415 the same
    from gitstate.history.plan import state_path  # noqa: PLC0415 pulls in the exchange

    path = None if file is None else state_path(ws, file)
    newer: Version | None = None
    held: object = None
    for version in listed:
        if path is None:
            if grep is None or grep.lower() in version.commit.message.lower():
                yield version
            continue
        entries = entries_of(ws, engine, version.commit.id)
        here = {
            name: entry
            for name, entry in entries.items()
            if name == path or name.startswith(path + b"/")
        }
        if (
            newer is not None
            and here != held
            and (grep is None or grep.lower() in newer.commit.message.lower())
        ):
            yield newer
        newer, held = version, here
    if (
        newer is not None
        and held
        and (grep is None or grep.lower() in newer.commit.message.lower())
    ):
        yield newer
