"""A version -> the directory: undoable, atomic for each file, finished after a kill.

The present is saved first. A journal in the runtime folder stands while files are
exchanged; whoever opens the next session finishes what it describes. A file that
somebody writes meanwhile is left as he wrote it, or its bytes get a version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.history import used_ids
from gitstate.history.code_names import PREFIX
from gitstate.history.identity import ensure_id
from gitstate.history.line import engine_for, read_line
from gitstate.history.links import process_locked
from gitstate.history.look import entries_of, load_memory, look, scan_screened
from gitstate.history.plan import changes_of, make_plan
from gitstate.history.record import record_of
from gitstate.history.recovery import (
    apply_plan,
    close_journal,
    open_journal,
    record_restore,
    resume,
)
from gitstate.history.snapshot import require_initialised, session, take_locked
from gitstate.history.versions import resolve
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitstate.history.message import FileChange
    from gitstate.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What a restore did, or with ``dry_run`` would do.

    ``line``: whose version it was, of this worktree or another.
    """

    source: int
    line: str
    version: int | None
    saved: int | None
    changed: tuple[FileChange, ...]
    left: tuple[tuple[bytes, str], ...]
    notices: tuple[str, ...] = ()


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
    if dry_run:
        return _foresee(ws, name, files)
    with session(ws, verb="restore", wait_s=wait_s) as engine:
        ensure_id(ws)
        notices = resume(ws, engine)
        if name.startswith(PREFIX):
            process_locked(ws, engine)  # the last commits may still wait
        target = resolve(ws, engine, name)
        wanted = entries_of(ws, engine, target.commit.id)
        saved = take_locked(ws, engine)
        base = entries_of(ws, engine, saved.commit)
        scan, _ = scan_screened(ws, engine, base)
        plan = make_plan(ws, engine, wanted, scan, base, files, name)
        changes = changes_of(engine, plan)
        saved_number = saved.version if saved.changed else None
        if not plan.changes and plan.entries == base:
            return Restored(
                source=target.number,
                line=target.record.line,
                version=None,
                saved=saved_number,
                changed=(),
                left=tuple(plan.left),
                notices=(*notices, *saved.notices),
            )
        used_ids.note(ws, engine, plan.changes)
        open_journal(
            ws,
            source=target.number,
            target=target.commit.id,
            saved=saved.commit,
            last=saved.version,
            files=files,
        )
        applied = apply_plan(ws, plan.changes)
        commit = record_restore(ws, engine, plan, applied, target.number)
        ids = {entry.id for entry in (*wanted.values(), *base.values())}
        close_journal(ws, engine, ids)
        record = record_of(commit) if commit else None
    return Restored(
        source=target.number,
        line=target.record.line,
        version=record.version if record else None,
        saved=saved_number,
        changed=changes,
        left=(*plan.left, *applied.left),
        notices=(*notices, *saved.notices),
    )


def _foresee(ws: Workspace, name: str, files: Sequence[str]) -> Restored:
    """What a restore would do; takes no lock and writes nothing."""
    require_initialised(ws)
    with engine_for(ws) as engine:
        target = resolve(ws, engine, name)
        wanted = entries_of(ws, engine, target.commit.id)
        seen = look(ws, engine, read_line(ws, engine), load_memory(ws))
        plan = make_plan(ws, engine, wanted, seen.scan, seen.entries, files, name)
        return Restored(
            source=target.number,
            line=target.record.line,
            version=None,
            saved=None,
            changed=changes_of(engine, plan),
            left=tuple(plan.left),
        )
