"""Carrying a restore through: the exchange, its version, and finishing after a kill."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from gitstate import exclude
from gitstate.errors import (
    GitstateError,
    ObjectDamaged,
    ObjectMissing,
)
from gitstate.files import read_json, write_json
from gitstate.git.objects import NewObject, make, object_id
from gitstate.history import guards, put_back, withheld
from gitstate.history.directory import Content
from gitstate.history.exchange import Applied, Change, Displaced, apply, settle
from gitstate.history.growth import Draft, write_version
from gitstate.history.line import Line, read_line
from gitstate.history.look import (
    describe,
    entries_of,
    load_memory,
    reader,
    save_memory,
    scan_screened,
)
from gitstate.history.message import compose, words
from gitstate.history.plan import Plan, make_plan
from gitstate.history.record import Record
from gitstate.history.screened import fit
from gitstate.history.tree import Entry, build_tree
from gitstate.history.versions import newest_first
from gitstate.values import replace
from gitstate.workspace import RESTORING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from gitstate.git.engine import Engine
    from gitstate.git.objects import Commit
    from gitstate.workspace import Workspace

_KNOWN_VERSIONS = 200


def open_journal(  # noqa: PLR0913 what a restore is
    ws: Workspace,
    *,
    source: int,
    target: str,
    saved: str | None,
    last: int | None,
    files: Sequence[str],
) -> None:
    """Write down what is about to be done, before anything is.

    ``saved``: the version of what was there, and ``last`` its number.
    """
    journal = {
        "from": source,
        "target": target,
        "saved": saved,
        "last": last,
        "files": list(files),
        "mark": os.urandom(8).hex(),
    }
    write_json(
        ws.runtime / RESTORING, journal, mode=ws.file_mode, durable=ws.settings.durable
    )


def apply_plan(ws: Workspace, changes: list[Change]) -> Applied:
    """Exchange; where nothing at all could be done the journal goes again."""
    try:
        # On a branch that lacks the directory, what comes back must not stand in the
        # way of the branch that tracks it: ignored, git writes over it.
        new = [change.path for change in changes if change.new and not change.old]
        if new and exclude.wanted(ws):
            exclude.add(ws, exclude.path_lines(ws, new))
        return apply(
            ws.state_dir,
            changes,
            object_format=ws.object_format,
            durable=ws.settings.durable,
        )
    except GitstateError:  # the exchange undid itself
        _drop_journal(ws)
        raise


def record_restore(
    ws: Workspace, engine: Engine, plan: Plan, applied: Applied, source: int
) -> Commit | None:
    """The version that says what was restored; before it one for edits made meanwhile."""
    rescue(ws, engine, applied.surprises, source)
    undone = {path for path, _ in applied.left}

    def draft(line: Line) -> Draft:
        parent = entries_of(ws, engine, line.tip)
        entries = {
            path: entry for path, entry in plan.entries.items() if path not in undone
        }
        entries |= {path: parent[path] for path in undone if path in parent}
        return _draft(ws, engine, parent, entries, source=source, restored=True)

    return write_version(ws, engine, draft)


def rescue(
    ws: Workspace,
    engine: Engine,
    found: Sequence[Displaced],
    source: int | None = None,
    *,
    lead: str | None = None,
) -> None:
    """A version for bytes that were displaced and are in none: one for each text of a file.

    What must not enter history is put aside instead. ``lead``: what the version says.
    """
    parent = entries_of(ws, engine, read_line(ws, engine).tip) if found else {}
    waiting = fit(ws, engine, parent, found)
    while waiting:
        batch = {item.path: item for item in reversed(waiting)}
        waiting = [item for item in waiting if batch[item.path] is not item]
        blobs = {
            item.path: make("blob", item.data or b"", ws.object_format)
            for item in batch.values()
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
                ws,
                engine,
                parent,
                entries,
                source=source,
                blobs=list(blobs.values()),
                lead=lead,
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
    lead: str | None = None,
) -> Draft:
    tree, trees = build_tree(entries, ws.tree_path, ws.object_format)
    known = {item.id: item.data for item in blobs}
    changes = describe(parent, entries, reader(engine, known))
    head, lang = engine.head(), ws.settings.lang
    kind = "left" if source is None else "restored" if restored else "kept"
    said = words(lang)[kind].format(version=source)

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
        return compose(number, changes, record.trailers(), lang=lang, lead=lead or said)

    return Draft(tree=tree, objects=[*blobs, *trees], message=message)


def close_journal(ws: Workspace, engine: Engine, ids: set[str]) -> None:
    """All is done: forget the journal, and look after what was displaced."""
    put_back.note(ws, read_json(ws.runtime / RESTORING) or {})
    _drop_journal(ws)
    memory = load_memory(ws)
    save_memory(ws, memory, guards.without(memory, {*memory.vanished, *memory.waiting}))
    _settle(ws, engine, None, ids)


def _drop_journal(ws: Workspace) -> None:
    (ws.runtime / RESTORING).unlink(missing_ok=True)


def _set_aside(ws: Workspace) -> None:
    (ws.runtime / RESTORING).replace(ws.runtime / f"{RESTORING}.broken")


def resume(ws: Workspace, engine: Engine) -> list[str]:
    """Finish a restore that was killed, and look after what it displaced; returns notices."""
    journal = read_json(ws.runtime / RESTORING)
    if journal is None:
        if (ws.runtime / RESTORING).exists():
            _set_aside(ws)
        _settle(ws, engine, None)
        return []
    try:
        source, wanted, base, files = _read_journal(ws, engine, journal)
    except (TypeError, KeyError, ValueError, ObjectMissing, ObjectDamaged):
        _set_aside(ws)
        _settle(ws, engine, None)
        return [
            "a restore was interrupted and cannot be finished; the files are as they are"
        ]
    ids = {entry.id for entry in (*wanted.values(), *base.values())}
    _settle(ws, engine, source, ids)
    contents = {
        path: Content(entry.mode, entry.id, engine.blob(entry.id))
        for path, entry in base.items()
    }
    plan = _plan_again(ws, engine, wanted, base, contents, files)
    if not _recorded(engine, read_line(ws, engine), str(journal["saved"]), source):
        applied = apply_plan(ws, plan.changes)
        record_restore(ws, engine, plan, applied, source)
    close_journal(ws, engine, ids)
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


def _plan_again(  # noqa: PLR0913, PLR0917 as `_plan`
    ws: Workspace,
    engine: Engine,
    wanted: Mapping[bytes, Entry],
    base: Mapping[bytes, Entry],
    contents: Mapping[bytes, Content],
    files: Sequence[str],
) -> Plan:
    now, _ = scan_screened(ws, engine, base)
    as_saved = replace(now, files=dict(contents))
    plan = make_plan(ws, engine, wanted, as_saved, base, files, "the version")
    # killed between taking a file away and putting the other in: the path is free
    changes = [
        change
        if change.path in now.files or now.is_left_out(change.path)
        else replace(change, old=None)
        for change in plan.changes
    ]
    return replace(plan, changes=changes)


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
    aside: set[str] = set()

    def known(item: Displaced) -> bool:
        identity = object_id("blob", item.data or b"", ws.object_format)
        if identity not in sure and not recent:
            recent.update(_recent_ids(ws, engine))
            aside.update(text.id for text in withheld.waiting(ws))
        return identity in sure or identity in recent or identity in aside

    unknown = settle(ws.state_dir, known)
    if unknown:
        rescue(ws, engine, unknown, source)
        recent.clear()
        aside.clear()
        settle(ws.state_dir, known)


def _recent_ids(ws: Workspace, engine: Engine) -> set[str]:
    ids: set[str] = set()
    tip = read_line(ws, engine).tip
    if tip is not None:
        for count, version in enumerate(newest_first(engine, tip)):
            if count >= _KNOWN_VERSIONS:
                break
            ids |= {
                entry.id for entry in entries_of(ws, engine, version.commit.id).values()
            }
    return ids
