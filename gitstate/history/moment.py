"""The version that holds the state as it was at a code commit.

The hook leaves the task file's bytes. The other files were the same at the commit as
they are now unless they were written since; so the state is known exactly, and gets a
version where it has none, unless something else was written before the link was made.
"""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING

from gitstate.git.objects import FILE, LINK
from gitstate.history.days import opened
from gitstate.history.directory import Content
from gitstate.history.growth import write_version
from gitstate.history.line import read_line
from gitstate.history.look import Look, entries_of, load_memory, look
from gitstate.history.numbers import Row, row_of
from gitstate.history.record import record_of
from gitstate.history.rule import NO_TASK, TASK
from gitstate.history.settle import Displaced
from gitstate.history.snapshot import draft_of
from gitstate.history.tree import Entry
from gitstate.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.git.engine import Engine
    from gitstate.git.objects import Commit
    from gitstate.history.growth import Draft
    from gitstate.history.line import Line
    from gitstate.history.spool import Waiting
    from gitstate.workspace import Workspace

_LOOKED_AT = 50  # versions
# A version of an edit is made so long after it (``maxWaitMs``), and its time is in
# whole seconds.
SLACK_S = 3.0
_DERIVED = b"long_mem/task-state.json"
_TASK = TASK.encode()


@dataclass(frozen=True, slots=True)
class Place:
    """The version of a code commit; ``exact``: the state is known to be the commit's."""

    row: Row
    exact: bool


def task_of(ws: Workspace, engine: Engine, version: str) -> str:
    """The blob id of the task file in a version, ``-`` where it has none."""
    entry = entries_of(ws, engine, version).get(_TASK)
    return NO_TASK if entry is None else entry.id


def place(
    ws: Workspace, engine: Engine, entry: Waiting, made: set[str]
) -> Place | None:
    """The version for a commit that waits; makes one where the state has none.

    ``made``: the versions that were made so for commits before it; one made here is
    added. ``None`` where there is no version at all and none could be made. Raises what
    making a version raises.
    """
    line = read_line(ws, engine)
    seen = look(ws, engine, line, load_memory(ws))
    entry, whole = _without_secret(ws, engine, seen, entry)
    moved = written_since(ws, seen, entry.written_ns)
    task = seen.entries.get(_TASK)
    if task is not None and task.id == entry.task:
        moved.discard(_DERIVED)  # made since, and of the very task of the commit
    others = moved - ({_TASK} if entry.data is not None else set())
    exact = whole and not others
    if moved and line.tip is not None and line.tip not in made:
        tip = engine.commit(line.tip)
        if _was_made_since(tip, entry):
            return _among(ws, engine, line.tip, entry)
    then = _as_it_was(seen, moved, entry)
    if then.entries == then.parent and line.tip:
        row = row_of(engine.commit(line.tip))
        return None if row is None else Place(row, exact)

    def draft(now: Line) -> Draft | None:
        if now.tip != line.tip:
            return None
        return draft_of(ws, engine, now, then)

    version = write_version(ws, engine, draft)
    row = row_of(version) if version else None
    if row is None:
        return None if line.tip is None else _among(ws, engine, line.tip, entry)
    made.add(row.commit)
    return Place(row, exact)


def _without_secret(
    ws: Workspace, engine: Engine, seen: Look, entry: Waiting
) -> tuple[Waiting, bool]:
    """The entry without a task file that must not enter history; is it whole."""
    if entry.data is None:
        return entry, True
    from gitstate.history.screened import fit  # noqa: PLC0415 a look may have had no need

    text = Displaced(_TASK, FILE, entry.data, b"")
    if fit(ws, engine, seen.parent, [text]):
        return entry, True
    return replace(entry, data=None), False


def written_since(ws: Workspace, seen: Look, moment_ns: int) -> set[bytes]:
    """The files that differ from the newest version, and only since a moment.

    Where a file is gone nobody knows since when: it counts.
    """
    found = set()
    for path in seen.parent.keys() | seen.entries.keys():
        if seen.parent.get(path) == seen.entries.get(path):
            continue
        try:
            full = os.path.join(os.fsencode(ws.state_dir), path)  # noqa: PTH118 raw bytes
            younger = os.lstat(full).st_mtime_ns > moment_ns
        except OSError:
            younger = True
        if younger:
            found.add(path)
    return found


def _was_made_since(tip: Commit, entry: Waiting) -> bool:
    record = record_of(tip)
    return tip.author.time > entry.when or (
        record is not None
        and record.code_head is not None
        and entry.commit.startswith(record.code_head)  # a day has 12 digits
    )


def _as_it_was(seen: Look, moved: set[bytes], entry: Waiting) -> Look:
    """The directory at the commit: what was written since as the newest version has it."""
    entries = {path: item for path, item in seen.entries.items() if path not in moved}
    entries |= {path: seen.parent[path] for path in moved if path in seen.parent}
    files = {path: item for path, item in seen.scan.files.items() if path in entries}
    for path in moved & files.keys():
        del files[path]
    if entry.data is not None:
        mode = entries[_TASK].mode if _TASK in entries else FILE
        mode = FILE if mode == LINK else mode
        entries[_TASK] = Entry(mode, entry.task)
        files[_TASK] = Content(mode, entry.task, entry.data)
    return replace(seen, entries=entries, scan=replace(seen.scan, files=files))


def _among(ws: Workspace, engine: Engine, tip: str, entry: Waiting) -> Place | None:
    """The version among those that are there, where others were made since the commit."""
    rows = list(_rows(engine, tip))
    if not rows:
        return None
    before = next((row for row in rows if row.time <= entry.when), None)
    if before is not None and task_of(ws, engine, before.commit) == entry.task:
        return Place(before, exact=True)
    since = [row for row in rows if row.time > entry.when]
    for row in reversed(since):
        if task_of(ws, engine, row.commit) == entry.task:
            # made a moment later: an edit from just before the commit
            return Place(row, exact=row.time <= entry.when + SLACK_S)
    return Place(before or rows[-1], exact=False)


def _rows(engine: Engine, tip: str) -> Iterator[Row]:
    for commit in islice(opened(engine, tip), _LOOKED_AT):
        row = row_of(commit)
        if row is not None:
            yield row
