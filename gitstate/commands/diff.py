"""``gitstate diff``: what differs between versions, or between a version and the files."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import click

from gitstate import output
from gitstate.commands.common import CONTEXT, open_workspace
from gitstate.errors import EXIT_DONE, UnknownVersion, UsageError, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gitstate.git.engine import Engine
    from gitstate.history.tree import Entry
    from gitstate.workspace import Workspace

EXAMPLES = """\
\b
Examples:
  gitstate diff                     the newest version and the files
  gitstate diff v17                 v17 and the files
  gitstate diff v17 v42
  gitstate diff v17 v42 02-current-task.md
  gitstate diff --words 2026-11-27 2026-11-29   from the end of one day to another's
"""
_MOST_NAMES = 3


@click.command("diff", epilog=EXAMPLES, context_settings=CONTEXT)
@click.option("--words", is_flag=True, help="What was decided and done, not a patch.")
@click.argument("names", nargs=-1, metavar="[A [B]] [FILE]")
def command(names: tuple[str, ...], *, words: bool) -> int:
    """Show what differs, as a patch, or in words.

    --words tells it as the message of a day does: decisions, steps, issues, rules.
    """
    return run(names, words=words)


def run(names: tuple[str, ...], *, words: bool = False) -> int:
    """Exit 0; 1 where there is no such version or file."""
    from gitstate.history.line import engine_for  # noqa: PLC0415 after the words are parsed
    from gitstate.history.look import entries_of, reader, scan_state  # noqa: PLC0415 the same
    from gitstate.history.tree import Entry  # noqa: PLC0415 the same

    if len(names) > _MOST_NAMES:
        raise UsageError("diff takes at most two versions and a file")
    ws = open_workspace()
    with engine_for(ws) as engine:
        commits, chosen = _split(ws, engine, names)
        before = entries_of(ws, engine, commits[0])
        contents: dict[str, bytes] = {}
        if len(commits) > 1:
            after = entries_of(ws, engine, commits[1])
        else:
            found = scan_state(ws)
            after = {
                path: Entry(item.mode, item.id) for path, item in found.files.items()
            }
            after |= {
                path: entry for path, entry in before.items() if found.is_left_out(path)
            }
            contents = {item.id: item.data or b"" for item in found.files.values()}
        if chosen is not None:
            _require(ws, engine, names[-1], chosen, before, after)
        if words:
            before, after = _below(before, chosen), _below(after, chosen)
            blob = reader(engine, contents)
            output.say(*_in_words(before, after, blob, lang=ws.settings.lang))
            return EXIT_DONE
        for path in sorted(before.keys() | after.keys()):
            if chosen is None or path == chosen or path.startswith(chosen + b"/"):
                output.say(
                    *_patch(engine, contents, path, before.get(path), after.get(path))
                )
    return EXIT_DONE


def _below(side: Mapping[bytes, Entry], chosen: bytes | None) -> dict[bytes, Entry]:
    return {
        path: entry
        for path, entry in side.items()
        if chosen is None or path == chosen or path.startswith(chosen + b"/")
    }


def _in_words(
    before: Mapping[bytes, Entry],
    after: Mapping[bytes, Entry],
    blob: Callable[[str], bytes],
    *,
    lang: str,
) -> list[str]:
    from gitstate.history.message import body_of  # noqa: PLC0415 where it is asked for
    from gitstate.history.phrases import OF_DAY  # noqa: PLC0415 the same
    from gitstate.history.telling import tell  # noqa: PLC0415 the same

    told, files = tell(before, after, blob)
    body = body_of(told, files, lang, OF_DAY)
    return [_visible(line) for line in body.split("\n")] if body else []


def _require(
    ws: Workspace,
    engine: Engine,
    name: str,
    chosen: bytes,
    *sides: Mapping[bytes, Entry],
) -> None:
    from gitstate.history.versions import looks_like_one, resolve  # noqa: PLC0415 as above

    for side in sides:
        if any(path == chosen or path.startswith(chosen + b"/") for path in side):
            return
    if looks_like_one(ws, name):
        resolve(ws, engine, name)  # says which are there
    raise UnknownVersion(f"no version and no file is called {printable(chosen)}")


def _split(
    ws: Workspace, engine: Engine, names: tuple[str, ...]
) -> tuple[list[str], bytes | None]:
    """The commits (one or two) and the path; a word that names no version is the file."""
    from gitstate.history.plan import state_path  # noqa: PLC0415 as above
    from gitstate.history.versions import resolve  # noqa: PLC0415 as above

    commits: list[str] = []
    for position, name in enumerate(names):
        try:
            commits.append(resolve(ws, engine, name).commit.id)
        except UnknownVersion:
            if position != len(names) - 1:
                raise
            return commits or [resolve(ws, engine, "HEAD").commit.id], state_path(
                ws, name
            )
    if len(commits) == _MOST_NAMES:
        raise UsageError("diff takes at most two versions and a file")
    return commits or [resolve(ws, engine, "HEAD").commit.id], None


def _patch(
    engine: Engine,
    contents: Mapping[str, bytes],
    path: bytes,
    old: Entry | None,
    new: Entry | None,
) -> Iterator[str]:
    if old == new:
        return
    name = printable(path)
    sides = []
    for entry in (old, new):
        if entry is None:
            sides.append(b"")
        else:
            known = contents.get(entry.id)
            sides.append(engine.blob(entry.id) if known is None else known)
    head = (
        f"--- {'a/' + name if old else '/dev/null'}",
        f"+++ {'b/' + name if new else '/dev/null'}",
    )
    yield output.paint(head[0], "bold")
    yield output.paint(head[1], "bold")
    if old and new and old.mode != new.mode:
        yield f"mode {old.mode:o} -> {new.mode:o}"
    if any(b"\0" in side for side in sides):
        yield "binary files differ"
        return
    left, right = map(_lines, sides)
    for number, found in enumerate(difflib.unified_diff(left, right, lineterm="")):
        if number > 1:
            style = {"+": "green", "-": "red", "@": "cyan"}.get(found[:1])
            line, *cut = found.split("\n")
            yield output.paint(_visible(line), *([style] if style else []))
            yield from cut


def _lines(side: bytes) -> list[str]:
    """The lines of a file; the last one carries git's remark where it is cut off."""
    lines = side.decode("utf-8", "surrogateescape").split("\n")
    last = lines.pop()
    return [*lines, f"{last}\n\\ No newline at end of file"] if last else lines


def _visible(line: str) -> str:
    """Tabs stay; other control characters must not drive the terminal."""
    return "\t".join(printable(part) for part in line.split("\t"))
