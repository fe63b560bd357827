"""What a restore has to do: which files to exchange, and which must be left."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitstate.documents import CURRENT_TASK
from gitstate.errors import UnknownVersion, UsageError, printable
from gitstate.history.directory import Content
from gitstate.history.exchange import Change
from gitstate.history.look import describe, reader
from gitstate.history.tree import Entry
from gitstate.memory.task_state import TASK_STATE
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitstate.git.engine import Engine
    from gitstate.history.directory import Scan
    from gitstate.history.message import FileChange
    from gitstate.workspace import Workspace

_TASK, _TASK_STATE = CURRENT_TASK.encode(), TASK_STATE.encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The exchanges, the files of the version that records them, and what is left."""

    changes: list[Change]
    entries: dict[bytes, Entry]
    left: list[tuple[bytes, str]]


def make_plan(  # noqa: PLR0913, PLR0917 all that a plan is made of
    ws: Workspace,
    engine: Engine,
    wanted: Mapping[bytes, Entry],
    scan: Scan,
    base: Mapping[bytes, Entry],
    files: Sequence[str],
    name: str,
) -> Plan:
    """What to exchange, and the files of the version that records it."""
    chosen = _chosen(ws, files, {*wanted, *scan.files, *base}, name)
    if _TASK in chosen and _TASK_STATE in wanted:
        chosen.add(_TASK_STATE)  # it says what the task file does, in one version
    skipped = {item.path: item.reason for item in scan.skipped}
    changes: list[Change] = []
    left: list[tuple[bytes, str]] = []
    entries = dict(base)
    for path in sorted(chosen):
        new, old = wanted.get(path), scan.files.get(path)
        if scan.is_left_out(path):
            if path not in skipped:
                left.append((path, "its bytes are in no version"))
            continue
        if new is None:
            entries.pop(path, None)
        else:
            entries[path] = new
        if (old and Entry(old.mode, old.id)) == new:
            continue
        content = (
            None if new is None else Content(new.mode, new.id, engine.blob(new.id))
        )
        changes.append(Change(path, old, content))
    left += [
        (path, f"its bytes are in no version: {reason}")
        for path, reason in skipped.items()
        if not files or path in chosen
    ]
    # a file in the place of another version's folder, and the other way round
    folders = {
        b"/".join(parts[:count])
        for parts in (path.split(b"/") for path in wanted if path in chosen)
        for count in range(1, len(parts))
    }
    for path in [path for path in entries if path in folders and path not in wanted]:
        del entries[path]
    return Plan(changes=changes, entries=entries, left=left)


def _chosen(
    ws: Workspace, files: Sequence[str], known: set[bytes], name: str
) -> set[bytes]:
    if not files:
        return known
    chosen: set[bytes] = set()
    for file in files:
        path = state_path(ws, file)
        found = {item for item in known if item == path or item.startswith(path + b"/")}
        if not found:
            raise UnknownVersion(
                f"{printable(file)} is neither in {printable(name)} nor on disk"
            )
        chosen |= found
    return chosen


def state_path(ws: Workspace, file: str) -> bytes:
    """A file a person named -> its path inside the state directory.

    Relative to the state directory, or from the worktree's root with the directory's
    name in front. Raises ``UsageError`` for a path that leads out.
    """
    raw = os.fsencode(file)
    base = os.fsencode(ws.settings.dir) + b"/"
    if raw.startswith(b"/"):
        absolute = os.fsencode(ws.state_dir) + b"/"
        if not raw.startswith(absolute):
            raise UsageError(f"{printable(file)} is not in {printable(ws.state_dir)}")
        raw = raw[len(absolute) :]
    raw = raw.removeprefix(b"./").removeprefix(base).rstrip(b"/")
    if not raw or any(part in {b"", b".", b".."} for part in raw.split(b"/")):
        raise UsageError(f"{printable(file)!r} names no file of the state directory")
    return raw


def changes_of(engine: Engine, plan: Plan) -> tuple[FileChange, ...]:
    """The plan for people: one row a file, sorted by path."""
    before = {
        change.path: Entry(change.old.mode, change.old.id)
        for change in plan.changes
        if change.old
    }
    after = {
        change.path: Entry(change.new.mode, change.new.id)
        for change in plan.changes
        if change.new
    }
    known = {
        item.id: item.data
        for change in plan.changes
        for item in (change.old, change.new)
        if item and item.data is not None
    }
    return tuple(describe(before, after, reader(engine, known)))
