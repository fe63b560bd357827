"""The line of versions: where it ends, and whether it is as gitstate left it.

A branch that others deleted, moved or rewrote is never recreated silently: versions
then go to the pending ref, on top of the last head that is known, until ``fsck
--repair`` puts the branch back. A version that others added on top is built upon, as
git would, and named by ``fsck``: it adds nothing that an edit of the files could not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.errors import ObjectDamaged, ObjectMissing, printable
from gitstate.git.engine import Engine, Place, open_engine
from gitstate.git.operations import holder_of
from gitstate.history import numbers
from gitstate.history.anchor import Anchor
from gitstate.history.announcements import sighted
from gitstate.history.days import stands_for
from gitstate.history.record import record_of
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gitstate.git.objects import Commit
    from gitstate.workspace import Workspace

_LOOKS = 20
_ROWS = 100  # of the cache: a page of garbage at its end


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
    on_branch: str  # where the branch was before others moved it
    strangers: tuple[str, ...]  # versions that gitstate found there and had not made

    @property
    def waits(self) -> bool:
        """Must versions go to the pending ref."""
        return self.trouble is not None or self.holder is not None


def place_of(ws: Workspace) -> Place:
    """What an engine needs to know of a workspace."""
    return Place(
        root=ws.root,
        git_dir=ws.git_dir,
        common_dir=ws.common_dir,
        object_format=ws.object_format,
        identity=ws.identity(),
        shared_bits=ws.group_bits,
        promised=ws.is_partial,
    )


def engine_for(ws: Workspace) -> Engine:
    """Open the engine of a workspace; use as a context manager."""
    return open_engine(place_of(ws))


def read_line(ws: Workspace, engine: Engine) -> Line:
    """Where the line ends and whether the branch is as gitstate left it.

    A writer moves the ref first and records it then, and a reader holds no lock: what
    looks like others' doing is believed when a second look finds all of it the same.
    """
    sight = _look(ws, engine)
    for _ in range(_LOOKS):
        line = _judge(ws, engine, sight)
        recorded = sight.anchor.strangers if sight.anchor else ()
        if line.trouble is None and line.strangers == recorded:
            break
        sight, before = _look(ws, engine), sight
        if sight == before:
            break
    return line


@dataclass(frozen=True, slots=True)
class _Sight:
    """What is read to know the line."""

    branch: str | None
    pending: str | None
    anchor: Anchor | None
    coming: tuple[str, ...]


def _look(ws: Workspace, engine: Engine) -> _Sight:
    return _Sight(
        engine.ref(ws.ref),
        engine.ref(ws.pending_ref),
        *sighted(ws),
    )


def _judge(ws: Workspace, engine: Engine, sight: _Sight) -> Line:
    branch, pending = sight.branch, sight.pending
    anchor, coming = sight.anchor, sight.coming
    known = _known_head(ws, engine, anchor, coming, (branch, pending))
    if branch is None and pending is None and known is None:
        known = _newest_archive(ws, engine)
    trouble = None
    if known is None:
        tip = pending or branch
    elif pending is not None and _reaches(engine, pending, known):
        tip = pending
        if not _is_where_it_was(engine, branch, anchor, pending):
            trouble = _trouble(ws, engine, branch, known)
    elif branch is not None and _reaches(engine, branch, known):
        tip = branch
    else:
        trouble = _trouble(ws, engine, branch, known)
        tip = pending or (known.head if _readable(engine, known.head) else branch)
    version = max(known.version if known else 0, number_of(engine, tip))
    return Line(
        tip=tip,
        version=version,
        branch=branch,
        pending=pending,
        known=known,
        trouble=trouble,
        holder=holder_of(ws.common_dir, ws.ref),
        on_branch=_on_branch(anchor or known),
        strangers=_strangers(engine, tip, anchor, coming),
    )


def _known_head(
    ws: Workspace,
    engine: Engine,
    anchor: Anchor | None,
    coming: tuple[str, ...],
    refs: tuple[str | None, str | None],
) -> Anchor | None:
    """The newest head known outside the branch: the anchor, what came after, the cache."""
    known = anchor
    for identity in coming:
        number = number_of(engine, identity, line=ws.line)
        if number <= (known.version if known else 0):
            continue
        newer = Anchor(identity, number, "")
        # where the branch is gone, the version that came last may have been on it
        lost = refs[0] is None and known is not None
        if lost or any(ref and _reaches(engine, ref, newer) for ref in refs):
            known = newer
    cached = _proven(ws, engine) if known is None else numbers.last_known(ws)
    # The cache lies inside the repository, where others can rewrite it with the branch:
    # it counts only where nothing else is known, or for what comes after that.
    if cached is not None and (
        known is None
        or (cached.version > known.version and _reaches(engine, cached.commit, known))
    ):
        known = Anchor(cached.commit, cached.version, "")
    return known


def _proven(ws: Workspace, engine: Engine) -> numbers.Row | None:
    """The newest row of the cache that a version of this line says of itself.

    A power failure may leave anything in the file, and another name of the line's its rows.
    """
    for row in numbers.newest_rows(ws, _ROWS):
        if row.version and number_of(engine, row.commit, line=ws.line) == row.version:
            return row
    return None


def _strangers(
    engine: Engine, tip: str | None, anchor: Anchor | None, coming: tuple[str, ...]
) -> tuple[str, ...]:
    """The versions up to ``tip`` that are not recorded as gitstate's, newest first."""
    if anchor is None or tip is None:
        return ()
    above: list[str] = []
    for commit in _versions_above(engine, tip, anchor):
        if commit.id == anchor.head or commit.id in coming:
            return (*above, *anchor.strangers)
        above.append(commit.id)
    return anchor.strangers  # another line altogether: that is the line's trouble


def _versions_above(engine: Engine, tip: str, known: Anchor) -> Iterator[Commit]:
    """The versions from ``tip`` down to the known head, as far as they lead there."""
    try:
        for commit in engine.walk(tip):
            yield commit
            record = record_of(commit)
            if record is None or record.version <= known.version:
                return
    except (ObjectMissing, ObjectDamaged):
        return


def _reaches(engine: Engine, tip: str, known: Anchor) -> bool:
    """Does ``tip`` descend from the known head by versions alone, or hold them squashed."""
    if tip == known.head:
        return True
    return any(
        commit.id == known.head for commit in _versions_above(engine, tip, known)
    ) or stands_for(engine, tip, known.head, known.version)


def _on_branch(known: Anchor | None) -> str:
    if known is None:
        return ""
    return known.head if known.branch is None else known.branch


def _is_where_it_was(
    engine: Engine, branch: str | None, anchor: Anchor | None, pending: str
) -> bool:
    """Is the branch where it was when versions began to wait, or nearer to them."""
    was = None if anchor is None else anchor.branch
    if was == "" and branch is None:
        return True
    if not _is_ancestor(engine, branch, pending):
        return False
    if anchor is None or was == "":
        return True
    was = was or anchor.head
    return branch is not None and _reaches(
        engine, branch, Anchor(was, number_of(engine, was), "")
    )


def _is_ancestor(engine: Engine, branch: str | None, tip: str) -> bool:
    number = number_of(engine, branch)
    if branch is None or number == 0:
        return False
    return _reaches(engine, tip, Anchor(branch, number, ""))


def _readable(engine: Engine, identity: str) -> bool:
    try:
        engine.tree(engine.commit(identity).tree)
    except (ObjectMissing, ObjectDamaged):
        return False
    return True


def number_of(engine: Engine, identity: str | None, *, line: str | None = None) -> int:
    """The number of a version; of the nearest one below where others added commits.

    0 where there is none, or where it is of another line than ``line``.
    """
    if identity is None:
        return 0
    try:
        for commit in engine.walk(identity):
            record = record_of(commit)
            if record is not None:
                return record.version if line in {None, record.line} else 0
    except (ObjectMissing, ObjectDamaged):
        pass
    return 0


def _newest_archive(ws: Workspace, engine: Engine) -> Anchor | None:
    tips = engine.refs(ws.archive_prefix).values()
    numbered = [(number_of(engine, tip), tip) for tip in tips]
    if not numbered or max(numbered)[0] == 0:
        return None
    version, tip = max(numbered)
    return Anchor(tip, version, "")


def _trouble(ws: Workspace, engine: Engine, branch: str | None, known: Anchor) -> str:
    mend = "; nothing is lost: `gitstate fsck --repair` puts it back"
    was = f"it was at v{known.version}"
    if not _readable(engine, known.head):
        return (
            f"v{known.version} of the line {printable(ws.line)} is recorded and not in the repository: "
            "it was put back to an earlier copy, or damaged; a clone or backup may hold what is "
            "missing, `gitstate fsck --repair` goes on from what is here"
        )
    if branch is None:
        return f"the branch {printable(ws.line)} is gone ({was}){mend}"
    number = number_of(engine, branch)
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
