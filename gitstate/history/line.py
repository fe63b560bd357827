"""The line of versions: where it ends, whether it is as gitstate left it, how it grows.

The line grows by compare-and-swap alone. A branch that others deleted, moved or
rewrote is never recreated silently: versions then go to the pending ref, on top of
the last head that is known, until ``fsck --repair`` puts the branch back.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gitstate import clock
from gitstate.errors import (
    CannotWrite,
    ObjectDamaged,
    ObjectMissing,
    RefLocked,
    RefMoved,
    printable,
)
from gitstate.git.engine import Engine, Place, open_engine
from gitstate.git.objects import (
    Commit,
    NewObject,
    Signature,
    encode_commit,
    make,
    parse_commit,
)
from gitstate.git.operations import holder_of
from gitstate.git.packing import consolidate, overdue
from gitstate.history import numbers
from gitstate.history.anchor import Anchor, read_anchors, write_anchor
from gitstate.history.record import record_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gitstate.workspace import Workspace

_TRIES = 25
_PAUSE_S = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One reading of the line."""

    tip: str | None  # the newest version's commit: what the next one is built on
    version: int  # the highest number ever used
    branch: str | None  # what the branch is at
    pending: str | None  # what the pending ref is at
    known: Anchor | None  # the newest head that was ever recorded
    trouble: str | None  # what others did to the branch, in one line
    holder: Path | None  # the worktree git dir in which the branch is checked out

    @property
    def waits(self) -> bool:
        """Must versions go to the pending ref."""
        return self.trouble is not None or self.holder is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A version to be: its tree, new objects, and its message by number and gap below it."""

    tree: str
    objects: Sequence[NewObject]
    message: Callable[[int, str | None], str]


def place_of(ws: Workspace) -> Place:
    """What an engine needs to know of a workspace."""
    return Place(
        root=ws.root,
        git_dir=ws.git_dir,
        common_dir=ws.common_dir,
        object_format=ws.object_format,
        identity=ws.identity(),
        shared_bits=ws.group_bits,
    )


def engine_for(ws: Workspace) -> Engine:
    """Open the engine of a workspace; use as a context manager."""
    return open_engine(place_of(ws))


def known_head(ws: Workspace) -> Anchor | None:
    """The newest head known outside the branch: the anchor, or the numbers cache."""
    anchor = read_anchors(ws).get(ws.line)
    cached = numbers.last_known(ws)
    if cached is not None and (anchor is None or cached.version > anchor.version):
        return Anchor(cached.commit, cached.version, "")
    return anchor


def read_line(ws: Workspace, engine: Engine) -> Line:
    """Where the line ends and whether the branch is as gitstate left it."""
    branch, pending = engine.ref(ws.ref), engine.ref(ws.pending_ref)
    known = known_head(ws)
    if branch is None and pending is None and known is None:
        known = _newest_archive(ws, engine)
    trouble = None
    if known is None:
        tip = pending or branch
    elif pending is not None and _reaches(engine, pending, known):
        tip = pending
        if not _is_ancestor(engine, branch, pending):
            trouble = _trouble(ws, engine, branch, known)
    elif branch is not None and _reaches(engine, branch, known):
        tip = branch
    else:
        trouble = _trouble(ws, engine, branch, known)
        tip = pending or (known.head if _readable(engine, known.head) else branch)
    version = max(known.version if known else 0, _number(engine, tip))
    return Line(
        tip=tip,
        version=version,
        branch=branch,
        pending=pending,
        known=known,
        trouble=trouble,
        holder=holder_of(ws.common_dir, ws.ref),
    )


def _reaches(engine: Engine, tip: str, known: Anchor) -> bool:
    """Does ``tip`` descend from the known head by versions alone."""
    try:
        for commit in engine.walk(tip):
            if commit.id == known.head:
                return True
            record = record_of(commit)
            if record is None or record.version <= known.version:
                return False
    except (ObjectMissing, ObjectDamaged):
        return False
    return False


def _is_ancestor(engine: Engine, branch: str | None, tip: str) -> bool:
    number = _number(engine, branch)
    if branch is None or number == 0:
        return False
    return _reaches(engine, tip, Anchor(branch, number, ""))


def _readable(engine: Engine, identity: str) -> bool:
    try:
        engine.tree(engine.commit(identity).tree)
    except (ObjectMissing, ObjectDamaged):
        return False
    return True


def _number(engine: Engine, identity: str | None) -> int:
    """The number of a version; of the nearest one below where others added commits."""
    if identity is None:
        return 0
    try:
        for commit in engine.walk(identity):
            record = record_of(commit)
            if record is not None:
                return record.version
    except (ObjectMissing, ObjectDamaged):
        pass
    return 0


def _newest_archive(ws: Workspace, engine: Engine) -> Anchor | None:
    tips = engine.refs(ws.archive_prefix).values()
    numbered = [(_number(engine, tip), tip) for tip in tips]
    if not numbered or max(numbered)[0] == 0:
        return None
    version, tip = max(numbered)
    return Anchor(tip, version, "")


def _trouble(ws: Workspace, engine: Engine, branch: str | None, known: Anchor) -> str:
    mend = "; nothing is lost: `gitstate fsck --repair` puts it back"
    was = f"it was at v{known.version}"
    if branch is None:
        return f"the branch {printable(ws.line)} is gone ({was}){mend}"
    number = _number(engine, branch)
    back = number < known.version and _reaches(
        engine, known.head, Anchor(branch, number, "")
    )
    if back:
        return (
            f"the branch {printable(ws.line)} was moved back to v{number} ({was}){mend}"
        )
    return (
        f"the branch {printable(ws.line)} was rewritten by something else ({was}){mend}"
    )


def write_version(
    ws: Workspace,
    engine: Engine,
    draft: Callable[[Line], Draft | None],
) -> Commit | None:
    """Add one version to the line; ``None`` where ``draft`` finds nothing to add.

    ``draft`` is asked again for the fresh tip whenever another writer was faster.
    The version's objects are in a kept pack and were read back before the ref moves.
    Raises ``RefMoved`` when the line moves faster than versions can be made.
    """
    for attempt in range(_TRIES):
        line = settle_pending(ws, engine, read_line(ws, engine))
        planned = draft(line)
        if planned is None:
            return None
        number = line.version + 1
        moment = clock.now(ws.settings.timezone)
        offset = moment.utcoffset()
        minutes = int(offset.total_seconds() // 60) if offset else 0
        who = Signature(*ws.identity(), int(moment.timestamp()), minutes)
        parents = [line.tip] if line.tip else []
        below = _number(engine, line.tip)
        gap = f"{below + 1}-{line.version}" if below < line.version else None
        data = encode_commit(
            planned.tree, parents, who, who, planned.message(number, gap)
        )
        made = make("commit", data, ws.object_format)
        objects = [*planned.objects, made]
        engine.write(objects, durable=ws.settings.durable)
        for item in objects:
            engine.verify(item.id)
        name, old = (
            (ws.pending_ref, line.pending) if line.waits else (ws.ref, line.branch)
        )
        try:
            engine.swap_ref(
                name,
                old=old,
                new=made.id,
                reason=f"gitstate: v{number}",
                durable=ws.settings.durable,
            )
        except RefMoved:
            time.sleep(_PAUSE_S * random.random() * (attempt + 1))  # noqa: S311 back-off
            continue
        commit = parse_commit(made.id, data)
        _remember(ws, line, commit, number)
        if overdue(engine.packs):
            consolidate(engine.packs, root=ws.root, scratch=ws.shared)
        return commit
    message = f"the line {printable(ws.line)} moves faster than a version can be made; try again"
    raise RefMoved(message)


def _remember(ws: Workspace, line: Line, commit: Commit, number: int) -> None:
    numbers.append(ws, line.tip, commit)
    try:
        write_anchor(ws, ws.line, Anchor(commit.id, number, read_life(ws)))
    except (CannotWrite, OSError):
        # The version stands. The numbers cache is the second anchor until the
        # folder outside can be written again; `status` and `doctor` tell.
        return


def settle_pending(ws: Workspace, engine: Engine, line: Line) -> Line:
    """Move the branch up to the pending versions once it is free; same commits, same numbers."""
    if line.waits or line.pending is None or line.tip != line.pending:
        return line
    durable = ws.settings.durable
    if line.branch != line.pending:
        try:
            engine.swap_ref(
                ws.ref,
                old=line.branch,
                new=line.pending,
                reason="gitstate: pending versions",
                durable=durable,
            )
        except (RefMoved, RefLocked):
            return read_line(ws, engine)
    engine.swap_ref(
        ws.pending_ref,
        old=line.pending,
        new=None,
        reason="gitstate: on the branch",
        durable=durable,
    )
    return read_line(ws, engine)


def read_life(ws: Workspace) -> str:
    """The random id of this life of the worktree (empty before ``init``)."""
    try:
        return (ws.runtime / "life").read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
