"""A version -> the directory: undoable, atomic for each file, finished after a kill.

The present is saved first. A journal in the runtime folder stands while files are
exchanged; whoever opens the next session finishes what it describes. A file that
somebody writes meanwhile is left as he wrote it, or its bytes get a version.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gitstate.errors import (
    CannotWrite,
    GitstateError,
    ObjectDamaged,
    ObjectMissing,
    UnknownVersion,
    UsageError,
    printable,
)
from gitstate.files import read_json, write_json
from gitstate.git.objects import NewObject, make, object_id
from gitstate.history import guards
from gitstate.history.anchor import ensure_id
from gitstate.history.directory import Content
from gitstate.history.exchange import Applied, Change, Displaced, apply, settle
from gitstate.history.line import Draft, Line, read_line, write_version
from gitstate.history.message import FileChange, compose, words
from gitstate.history.record import Record, record_of
from gitstate.history.snapshot import (
    describe,
    entries_of,
    load_memory,
    look,
    save_memory,
    scan_state,
    session,
    take_locked,
)
from gitstate.history.tree import Entry, build_tree
from gitstate.history.versions import newest_first, resolve

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from gitstate.git.engine import Engine
    from gitstate.git.objects import Commit
    from gitstate.history.directory import Scan
    from gitstate.workspace import Workspace

_JOURNAL = "restore"
_KNOWN_VERSIONS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What a restore did, or with ``dry_run`` would do."""

    source: int
    version: int | None
    saved: int | None
    changed: tuple[FileChange, ...]
    left: tuple[tuple[bytes, str], ...]
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    changes: list[Change]
    entries: dict[bytes, Entry]
    left: list[tuple[bytes, str]]


def restore(
    ws: Workspace,
    name: str,
    files: Sequence[str] = (),
    *,
    dry_run: bool = False,
    wait_s: float = 5.0,
) -> Restored:
    """Make the directory (or only ``files``) equal to the version ``name``.

    Raises ``UnknownVersion``, ``ObjectMissing`` (before anything is touched),
    ``CannotWrite`` and other ``GitstateError``.
    """
    with session(ws, verb="restore", wait_s=wait_s) as engine:
        ensure_id(ws)
        notices = [] if dry_run else resume(ws, engine)
        target = resolve(ws, engine, name)
        wanted = entries_of(ws, engine, target.commit.id)
        if dry_run:
            line = read_line(ws, engine)
            seen = look(ws, engine, line, load_memory(ws))
            plan = _plan(ws, engine, wanted, seen.scan, seen.entries, files, name)
            return Restored(
                source=target.number,
                version=None,
                saved=None,
                changed=_changes(engine, plan),
                left=tuple(plan.left),
            )
        saved = take_locked(ws, engine)
        scan = scan_state(ws)
        base = entries_of(ws, engine, saved.commit)
        plan = _plan(ws, engine, wanted, scan, base, files, name)
        changes = _changes(engine, plan)
        saved_number = saved.version if saved.changed else None
        if not plan.changes and plan.entries == base:
            return Restored(
                source=target.number,
                version=None,
                saved=saved_number,
                changed=(),
                left=tuple(plan.left),
                notices=(*notices, *saved.notices),
            )
        journal = {
            "from": target.number,
            "target": target.commit.id,
            "saved": saved.commit,
            "files": list(files),
        }
        write_json(ws.runtime / _JOURNAL, journal, mode=ws.file_mode, durable=ws.settings.durable)
        applied = _apply(ws, plan.changes)
        commit = _record(ws, engine, plan, applied, target.number)
        ids = {entry.id for entry in (*wanted.values(), *base.values())}
        _close(ws, engine, ids)
        record = record_of(commit) if commit else None
    return Restored(
        source=target.number,
        version=record.version if record else None,
        saved=saved_number,
        changed=changes,
        left=(*plan.left, *applied.left),
        notices=(*notices, *saved.notices),
    )


def _plan(  # noqa: PLR0913 all that a plan is made of
    ws: Workspace,
    engine: Engine,
    wanted: Mapping[bytes, Entry],
    scan: Scan,
    base: Mapping[bytes, Entry],
    files: Sequence[str],
    name: str,
) -> _Plan:
    """What to exchange, and the files of the version that records it."""
    chosen = _chosen(ws, files, {*wanted, *scan.files, *base}, name)
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
        content = None if new is None else Content(new.mode, new.id, engine.blob(new.id))
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
    return _Plan(changes=changes, entries=entries, left=left)


def _chosen(ws: Workspace, files: Sequence[str], known: set[bytes], name: str) -> set[bytes]:
    if not files:
        return known
    chosen: set[bytes] = set()
    for file in files:
        path = state_path(ws, file)
        found = {item for item in known if item == path or item.startswith(path + b"/")}
        if not found:
            raise UnknownVersion(f"{printable(file)} is neither in {printable(name)} nor on disk")
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


def _changes(engine: Engine, plan: _Plan) -> tuple[FileChange, ...]:
    before = {
        change.path: Entry(change.old.mode, change.old.id) for change in plan.changes if change.old
    }
    after = {
        change.path: Entry(change.new.mode, change.new.id) for change in plan.changes if change.new
    }
    known = {
        item.id: item.data
        for change in plan.changes
        for item in (change.old, change.new)
        if item and item.data is not None
    }
    return tuple(describe(engine, before, after, known))


def _apply(ws: Workspace, changes: list[Change]) -> Applied:
    """Exchange; where nothing at all could be done the journal goes again."""
    try:
        ws.state_dir.mkdir(exist_ok=True)
        return apply(
            ws.state_dir, changes, object_format=ws.object_format, durable=ws.settings.durable
        )
    except OSError as error:
        _drop_journal(ws)
        raise CannotWrite.from_os(error, doing="restore") from error
    except GitstateError:  # the exchange undid itself
        _drop_journal(ws)
        raise


def _record(
    ws: Workspace, engine: Engine, plan: _Plan, applied: Applied, source: int
) -> Commit | None:
    """The version that says what was restored; before it one for edits made meanwhile."""
    _rescue(ws, engine, applied.surprises, source)
    undone = {path for path, _ in applied.left}

    def draft(line: Line) -> Draft:
        parent = entries_of(ws, engine, line.tip)
        entries = {path: entry for path, entry in plan.entries.items() if path not in undone}
        entries |= {path: parent[path] for path in undone if path in parent}
        return _draft(ws, engine, parent, entries, source=source, restored=True)

    return write_version(ws, engine, draft)


def _rescue(
    ws: Workspace, engine: Engine, found: Sequence[Displaced], source: int | None
) -> None:
    """A version for bytes that were displaced and are in none: one for each text of a file."""
    waiting = [item for item in found if item.data is not None]
    while waiting:
        batch = {item.path: item for item in reversed(waiting)}
        waiting = [item for item in waiting if batch[item.path] is not item]
        blobs = {
            item.path: make("blob", item.data or b"", ws.object_format) for item in batch.values()
        }

        def draft(
            line: Line,
            batch: dict[bytes, Displaced] = batch,
            blobs: dict[bytes, NewObject] = blobs,
        ) -> Draft | None:
            parent = entries_of(ws, engine, line.tip)
            entries = dict(parent)
            for path, item in batch.items():
                entries[path] = Entry(item.mode, blobs[path].id)
            if entries == parent:
                return None
            return _draft(
                ws, engine, parent, entries, source=source, blobs=list(blobs.values())
            )

        write_version(ws, engine, draft)


def _draft(  # noqa: PLR0913 what a message is made of
    ws: Workspace,
    engine: Engine,
    parent: Mapping[bytes, Entry],
    entries: dict[bytes, Entry],
    *,
    source: int | None,
    restored: bool = False,
    blobs: Sequence[NewObject] = (),
) -> Draft:
    tree, trees = build_tree(entries, ws.tree_path, ws.object_format)
    changes = describe(engine, parent, entries, {item.id: item.data for item in blobs})
    head, lang = engine.head(), ws.settings.lang
    lead = words(lang)["restored" if restored else "kept"].format(version=source or "?")

    def message(number: int, gap: str | None) -> str:
        record = Record(
            version=number,
            line=ws.line,
            code_branch=head.branch,
            code_head=head.commit,
            lang=lang,
            gap=gap,
            restored_from=source if restored else None,
        )
        return compose(number, changes, record.trailers(), lang=lang, lead=lead)

    return Draft(tree=tree, objects=[*blobs, *trees], message=message)


def _close(ws: Workspace, engine: Engine, ids: set[str]) -> None:
    _drop_journal(ws)
    memory = load_memory(ws)
    save_memory(ws, memory, guards.without(memory, {*memory.vanished, *memory.waiting}))
    _settle(ws, engine, None, ids)


def _drop_journal(ws: Workspace) -> None:
    (ws.runtime / _JOURNAL).unlink(missing_ok=True)


def resume(ws: Workspace, engine: Engine) -> list[str]:
    """Finish a restore that was killed, and look after what it displaced; returns notices."""
    journal = read_json(ws.runtime / _JOURNAL)
    if journal is None:
        if (ws.runtime / _JOURNAL).exists():
            os.replace(ws.runtime / _JOURNAL, ws.runtime / f"{_JOURNAL}.broken")
        _settle(ws, engine, None)
        return []
    try:
        source, wanted, base, files = _read_journal(ws, engine, journal)
    except (TypeError, KeyError, ValueError, ObjectMissing, ObjectDamaged):
        os.replace(ws.runtime / _JOURNAL, ws.runtime / f"{_JOURNAL}.broken")
        _settle(ws, engine, None)
        return ["a restore was interrupted and cannot be finished; the files are as they are"]
    ids = {entry.id for entry in (*wanted.values(), *base.values())}
    _settle(ws, engine, source, ids)
    contents = {
        path: Content(entry.mode, entry.id, engine.blob(entry.id)) for path, entry in base.items()
    }
    plan = _plan_again(ws, engine, wanted, base, contents, files)
    if not _recorded(engine, read_line(ws, engine), str(journal["saved"]), source):
        applied = _apply(ws, plan.changes)
        _record(ws, engine, plan, applied, source)
    _close(ws, engine, ids)
    return [f"finished the restore of v{source} that was interrupted"]


def _read_journal(
    ws: Workspace, engine: Engine, journal: Mapping[str, Any]
) -> tuple[int, dict[bytes, Entry], dict[bytes, Entry], list[str]]:
    return (
        int(journal["from"]),
        entries_of(ws, engine, str(journal["target"])),
        entries_of(ws, engine, str(journal["saved"])),
        [str(file) for file in journal["files"]],
    )


def _plan_again(  # noqa: PLR0913 as `_plan`
    ws: Workspace,
    engine: Engine,
    wanted: Mapping[bytes, Entry],
    base: Mapping[bytes, Entry],
    contents: Mapping[bytes, Content],
    files: Sequence[str],
) -> _Plan:
    now = scan_state(ws)
    as_saved = replace(now, files=dict(contents))
    return _plan(ws, engine, wanted, as_saved, base, files, "the version")


def _recorded(engine: Engine, line: Line, saved: str, source: int) -> bool:
    if line.tip is None:
        return False
    for version in newest_first(engine, line.tip):
        if version.commit.id == saved:
            return False
        if version.record.restored_from == source:
            return True
    return False


def _settle(
    ws: Workspace, engine: Engine, source: int | None, sure: Collection[str] = ()
) -> None:
    """Remove displaced files whose bytes are in a version; give the others one.

    ``sure``: blob ids that are known to be in versions.
    """
    recent: set[str] = set()

    def known(item: Displaced) -> bool:
        identity = object_id("blob", item.data or b"", ws.object_format)
        if identity not in sure and not recent:
            recent.update(_recent_ids(ws, engine))
        return identity in sure or identity in recent

    unknown = settle(ws.state_dir, known)
    if unknown:
        _rescue(ws, engine, unknown, source)
        recent.clear()
        settle(ws.state_dir, known)


def _recent_ids(ws: Workspace, engine: Engine) -> set[str]:
    ids: set[str] = set()
    tip = read_line(ws, engine).tip
    if tip is not None:
        for count, version in enumerate(newest_first(engine, tip)):
            if count >= _KNOWN_VERSIONS:
                break
            ids |= {entry.id for entry in entries_of(ws, engine, version.commit.id).values()}
    return ids
