"""The line here goes on from a remote's, and the files with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate import clock
from gitstate.errors import RefMoved, Refused, printable
from gitstate.git.objects import object_id
from gitstate.history import archive as archive_refs
from gitstate.history import diverged, used_ids
from gitstate.history.anchor import Anchor, write_anchor
from gitstate.history.announcements import withdraw
from gitstate.history.days import stands_for
from gitstate.history.directory import Content
from gitstate.history.diverged import contains
from gitstate.history.exchange import Change, apply, settle
from gitstate.history.identity import read_life
from gitstate.history.line import number_of, read_line
from gitstate.history.look import entries_of, load_memory, look
from gitstate.history.moving import move
from gitstate.history.numbers import Numbers
from gitstate.history.record import record_of
from gitstate.history.undone import undone_days
from gitstate.values import dataclass

if TYPE_CHECKING:
    from gitstate.git.engine import Engine
    from gitstate.history.exchange import Displaced
    from gitstate.history.line import Line
    from gitstate.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchanged:
    """What went over: ref names, and for a fetch the numbers before and after.

    ``kept``: where a line was given up for the remote's, the archive ref and its tip.
    """

    refs: tuple[str, ...]
    before: int = 0
    after: int = 0
    kept: tuple[str, str] | None = None


def forward(  # noqa: PLR0913 two lines, and what to do with them
    ws: Workspace,
    engine: Engine,
    remote: str,
    theirs: str,
    names: tuple[str, ...],
    *,
    take: bool,
) -> Exchanged:
    """Go on from ``theirs``, the tip of a remote's line, where nothing is lost by it.

    Inside a ``session``. With ``take`` also where the two went different ways: ours is
    archived whole then. Raises ``Refused``.
    """
    line = read_line(ws, engine)
    record = record_of(engine.commit(theirs))
    if record is None:
        raise Refused(
            f"the branch {printable(ws.line)} of {printable(remote)} is not a line of gitstate's"
        )
    if line.branch == theirs or (line.tip and contains(engine, line.tip, theirs)):
        return Exchanged(refs=names, before=line.version, after=line.version)
    if line.tip and _is_as_squashed(ws, engine, line.tip, theirs, record.version):
        return Exchanged(refs=names, before=line.version, after=line.version)
    if line.waits or line.branch is None:
        raise Refused(
            line.trouble or f"the branch {printable(ws.line)} cannot be moved now"
        )
    apart = squashed = not contains(engine, theirs, line.branch)
    if squashed:
        apart = not stands_for(engine, theirs, line.branch, line.version)
    if apart and not take:
        raise Refused(diverged.told(engine, remote, line.branch, theirs))
    seen = look(ws, engine, line, load_memory(ws))
    if seen.entries != seen.parent or seen.verdict.held:
        name = printable(remote)
        raise Refused(
            f"the files differ from v{line.version}; run `gitstate snapshot`, then `gitstate "
            f"fetch --theirs {name}` goes on from the line of {name} and keeps ours within reach"
        )
    kept = None
    if squashed:  # ours keep their ids
        day = clock.now(ws.settings.timezone).date().isoformat()
        kept = (archive_refs.archive(ws, engine, line.branch, day), line.branch)
    # numbers that were used here are not used again
    version = max(line.version, record.version) if apart else record.version
    strangers = () if apart else line.strangers
    _move(ws, engine, line, theirs, Anchor(theirs, version, read_life(ws), strangers))
    if apart:
        _settle(ws, engine, line.branch)
    return Exchanged(
        refs=names,
        before=line.version,
        after=record.version,
        kept=kept if apart else None,
    )


def _is_as_squashed(
    ws: Workspace, engine: Engine, ours: str, theirs: str, version: int
) -> bool:
    """Has our line all of theirs, in a form that need not give way to theirs.

    Of the same versions the form with more days squashed counts, unless a day was undone
    here.
    """
    if not stands_for(engine, ours, theirs, version):
        return False
    if number_of(engine, ours) > version or undone_days(ws):
        return True
    lengths = [sum(1 for _ in engine.walk(tip)) for tip in (ours, theirs)]
    return lengths[0] <= lengths[1]


def _move(
    ws: Workspace, engine: Engine, line: Line, theirs: str, anchor: Anchor
) -> None:
    write_files(ws, engine, line.tip, theirs)
    try:
        move(ws, engine, ws.ref, old=line.branch, new=theirs, reason="gitstate: fetch")
    except RefMoved as error:
        raise Refused(
            f"the line {printable(ws.line)} moved meanwhile; try again"
        ) from error
    write_anchor(ws, ws.line, anchor)
    withdraw(ws, theirs)
    Numbers.load(ws, engine, theirs)  # where all else is lost, the cache tells the line


def _settle(ws: Workspace, engine: Engine, given_up: str) -> None:
    """Remove the displaced files whose bytes are in the version that was given up.

    Of the line's own versions none may have them: they would be put into a new one.
    """
    ids = {entry.id for entry in entries_of(ws, engine, given_up).values()}

    def known(item: Displaced) -> bool:
        return object_id("blob", item.data or b"", ws.object_format) in ids

    settle(ws.state_dir, known)


def write_files(ws: Workspace, engine: Engine, old: str | None, new: str) -> None:
    """Make the files that equal version ``old`` equal version ``new``."""
    before, after = entries_of(ws, engine, old), entries_of(ws, engine, new)
    changes = []
    for path in sorted(before.keys() | after.keys()):
        was, now = before.get(path), after.get(path)
        if was != now:
            old_content = Content(was.mode, was.id, None) if was else None
            new_content = (
                Content(now.mode, now.id, engine.blob(now.id)) if now else None
            )
            changes.append(Change(path, old_content, new_content))
    if changes:
        used_ids.note(ws, engine, changes)
        apply(
            ws.state_dir,
            changes,
            object_format=ws.object_format,
            durable=ws.settings.durable,
        )
