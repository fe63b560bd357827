"""Putting a line back that others deleted, moved, rewrote or damaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate import clock
from gitstate.errors import ObjectDamaged, ObjectMissing, RefMoved, Refused, printable
from gitstate.git.objects import TREE, NewObject, parse_commit
from gitstate.git.operations import worktree_of
from gitstate.history.anchor import Anchor, write_anchor
from gitstate.history.archive import archive
from gitstate.history.identity import read_life
from gitstate.history.integrity import Report, check, check_tree, unkept_days
from gitstate.history.line import read_line
from gitstate.history.look import scan_state
from gitstate.history.moving import move_alone
from gitstate.history.numbers import Numbers
from gitstate.history.record import record_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from gitstate.git.engine import Engine
    from gitstate.history.line import Line
    from gitstate.workspace import Workspace


def repair(
    ws: Workspace, engine: Engine, *, progress: Callable[[int], object] | None = None
) -> Report:
    """Put back what others deleted, moved or rewrote; inside a ``session``.

    What the branch held instead is kept under the archive ref. Bytes of damaged
    objects come from the files on disk where these still have them; where the newest
    version stays unreadable the line goes on from the newest that can be read.
    """
    done: list[str] = []
    line = read_line(ws, engine)
    if line.tip is not None:
        done += _rewrite_damaged(ws, engine, line.tip)
    target = _newest_whole(ws, engine, line)
    if target is None:
        raise Refused(
            "no version can be read any more; a clone or backup of the repository may hold them"
        )
    commit, number = target
    if line.holder is not None:
        raise Refused(
            f"the branch {printable(ws.line)} is checked out in {printable(worktree_of(line.holder))}; "
            "switch that worktree to another branch first"
        )
    if line.branch != commit:
        if line.branch is not None and _worth_keeping(engine, line.branch):
            name = archive(ws, engine, line.branch, _today(ws))
            done.append(f"kept what the branch held as {name}")
        _move(ws, engine, line.branch, commit)
        done.append(
            f"put the branch {printable(ws.line)} back to v{number} ({commit[:12]})"
        )
    if line.pending is not None and line.pending != commit:
        name = archive(ws, engine, line.pending, _today(ws))
        done.append(f"kept the pending versions as {name}")
    if line.pending is not None:
        move_alone(
            ws,
            engine,
            ws.pending_ref,
            old=line.pending,
            new=None,
            reason="gitstate: repair",
        )
    if line.strangers:
        done.append(
            f"took over what others put on the branch ({len(line.strangers)} versions)"
        )
    for day in unkept_days(ws, engine, commit):
        assert day.archive is not None  # noqa: S101 it is a day's
        name = archive(ws, engine, day.archive, str(day.day))
        done.append(f"kept the versions of {day.day} as {name}")
    write_anchor(ws, ws.line, Anchor(commit, max(line.version, number), read_life(ws)))
    Numbers.load(ws, engine, commit)
    found = check(ws, engine, progress=progress)
    return Report(
        versions=found.versions,
        problems=found.problems,
        edited=found.edited,
        repaired=tuple(done),
    )


def _worth_keeping(engine: Engine, commit: str) -> bool:
    try:
        engine.commit(commit)
    except (ObjectMissing, ObjectDamaged):
        return False
    return True


def _move(ws: Workspace, engine: Engine, old: str | None, new: str) -> None:
    try:
        move_alone(ws, engine, ws.ref, old=old, new=new, reason="gitstate: repair")
    except RefMoved as error:
        raise Refused(
            f"the branch {printable(ws.line)} was moved meanwhile; try again"
        ) from error


def _today(ws: Workspace) -> str:
    return clock.now(ws.settings.timezone).date().isoformat()


def _newest_whole(ws: Workspace, engine: Engine, line: Line) -> tuple[str, int] | None:
    """The newest version whose files can all be read: its commit and number."""
    tips = (line.branch, line.pending, *engine.refs(ws.archive_prefix).values())
    candidates = [(_number_of(engine, tip), tip) for tip in tips if tip is not None]
    # the expected tip first: a rewritten branch may carry higher numbers
    rows = sorted(Numbers.cached(ws), key=lambda row: -row.version)
    ordered = [(_number_of(engine, line.tip), line.tip)] if line.tip else []
    ordered += [(row.version, row.commit) for row in rows]
    ordered += sorted(candidates, reverse=True)
    for number, commit in ordered:
        if number and commit and _whole(engine, commit):
            return commit, number
    return None


def _number_of(engine: Engine, commit: str) -> int:
    try:
        record = record_of(engine.commit(commit))
    except (ObjectMissing, ObjectDamaged):
        return 0
    return record.version if record else 0


def _whole(engine: Engine, commit: str) -> bool:
    try:
        kind, data = engine.verify(commit)
        found = parse_commit(commit, data)
    except (ObjectMissing, ObjectDamaged):
        return False
    return (
        kind == "commit"
        and record_of(found) is not None
        and not check_tree(engine, found, set())
    )


def _rewrite_damaged(ws: Workspace, engine: Engine, tip: str) -> list[str]:
    """Write blobs of the newest version again that are damaged and whose bytes are on disk."""
    try:
        commit = engine.commit(tip)
        broken = _broken_blobs(engine, commit.tree)
    except (ObjectMissing, ObjectDamaged):
        return []
    mended = {
        item.id: NewObject(item.id, "blob", item.data)
        for item in scan_state(ws).files.values()
        if item.id in broken and item.data is not None
    }
    if not mended:
        return []
    engine.packs.add(list(mended.values()), durable=True, again=True)
    return [f"wrote {len(mended)} damaged files again from the disk"]


def _broken_blobs(engine: Engine, tree: str) -> set[str]:
    broken: set[str] = set()
    waiting = [tree]
    while waiting:
        for row in engine.tree(waiting.pop()):
            if row.mode == TREE:
                waiting.append(row.id)
                continue
            try:
                engine.verify(row.id)
            except (ObjectMissing, ObjectDamaged):
                broken.add(row.id)
    return broken
