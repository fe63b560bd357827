"""Code commit <-> version: which state a commit was made in, and was the task updated.

The hooks only leave a spool entry. Whoever holds the session next, the daemon, a
detached child or any command that writes, makes the version and the note from it.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from gitstate.errors import GitstateError, ObjectDamaged, ObjectMissing
from gitstate.history import notes, rule, spool
from gitstate.history.baseline import last_linked, remember
from gitstate.history.following import follow
from gitstate.history.identity import ensure_id
from gitstate.history.linking import Run
from gitstate.history.moment import Place, place
from gitstate.history.note import Note
from gitstate.history.past_hooks import Reflog, changed_paths, link_unseen
from gitstate.history.recovery import resume
from gitstate.history.rule import Linked, Replaced
from gitstate.history.snapshot import session, take_locked
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitstate.git.engine import Engine
    from gitstate.git.objects import Commit
    from gitstate.history.spool import Rewrite, Waiting
    from gitstate.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Processed:
    """What one run linked."""

    linked: tuple[str, ...] = ()


def process(
    ws: Workspace, *, look: bool = False, tips: Sequence[str] = (), wait_s: float = 5.0
) -> Processed:
    """Work off the spool: versions and notes for the commits that wait.

    ``look``: also for commits that came past the hooks, on the way to HEAD and to
    ``tips``. Raises ``LockHeld`` and other ``GitstateError``; what was not done stays
    in the spool.
    """
    from gitstate.history.derived import derive  # noqa: PLC0415 `status` links nothing

    with contextlib.suppress(GitstateError):  # as before any version that is made
        derive(ws)
    with session(ws, verb="link", wait_s=wait_s) as engine:
        ensure_id(ws)
        resume(ws, engine)
        return process_locked(ws, engine, look=look, tips=tips)


def process_what_waits(ws: Workspace, *, wait_s: float = 1.0) -> Processed:
    """``process`` for whoever comes by: costs one listing where nothing waits.

    Never raises ``GitstateError``: what was not done stays in the spool.
    """
    if ws.initialised and spool.anything(ws):
        with contextlib.suppress(GitstateError):
            return process(ws, wait_s=wait_s)
    return Processed()


def process_locked(
    ws: Workspace, engine: Engine, *, look: bool = False, tips: Sequence[str] = ()
) -> Processed:
    """``process``, inside a ``session``."""
    entries, told = spool.waiting(ws), spool.rewrites(ws)
    look = look or spool.asked_to_look(ws)
    if not entries and not told and not look:
        return Processed()
    places = _places(ws, engine, entries)
    if entries or look:
        take_locked(ws, engine)
    reflog = Reflog(ws)
    last = last_linked(ws)
    run = Run(ws, engine, None, reflog, last)

    def decide(tree: str | None) -> Mapping[str, str | None]:
        run.tree, run.last, run.new = tree, last, {}
        amended = _amended(told)
        for entry in entries:
            if entry.commit in places:
                _link(run, entry, places[entry.commit], amended.get(entry.commit))
        for rewrite in told:
            follow(run, rewrite)
        if look:
            link_unseen(run, tips)
        return {commit: note.text() for commit, note in run.new.items()}

    notes.update(ws, engine, decide, reason="link code commits to the state")
    remember(ws, run.last, told)
    spool.done(ws, [entry.commit for entry in entries], told, looked=look)
    return Processed(linked=tuple(run.new))


def _places(
    ws: Workspace, engine: Engine, entries: Iterable[Waiting]
) -> dict[str, Place]:
    """The version of each commit that is still there; makes what has none."""
    found: dict[str, Place] = {}
    made: set[str] = set()
    for entry in entries:
        if _is_there(engine, entry.commit):
            version = place(ws, engine, entry, made)
            if version is not None:
                found[entry.commit] = version
    return found


def _is_there(engine: Engine, commit: str) -> bool:
    """Is a commit still there: an amend and a gc may have been faster."""
    try:
        engine.commit(commit)
    except (ObjectMissing, ObjectDamaged):
        return False
    return True


def _amended(told: Iterable[Rewrite]) -> dict[str, str]:
    """New id -> the one it replaces, for what post-rewrite told of amends."""
    return {
        new: old
        for rewrite in told
        if rewrite.command == "amend"
        for old, new in rewrite.pairs
    }


def _link(run: Run, entry: Waiting, found: Place, replaces: str | None) -> None:
    there = run.note(entry.commit)
    if (
        replaces is None
        and there is not None
        and there.task == entry.task
        and entry.check in {"", there.check}
    ):
        # linked by a run that was killed before it was through
        run.last = Linked(entry.commit, there.task, there.check, there.reason)
        return
    commit = run.engine.commit(entry.commit)
    replaced = None if replaces is None else Replaced(replaces, run.linked(replaces))
    check, reason = _check(run, commit, entry, replaced)
    run.new[entry.commit] = Note(
        line=run.ws.line,
        version=found.row.version,
        commit=found.row.commit,
        check=check,
        reason=reason,
        task=entry.task,
        approximate=not found.exact,
        others=there.others if there else (),
    )
    run.last = Linked(entry.commit, entry.task, check, reason)


def _check(  # noqa: PLR0911 one a reason
    run: Run, commit: Commit, entry: Waiting, replaced: Replaced | None
) -> tuple[str, str]:
    """What the gate said, where only it can know; else the rule, by content."""
    if entry.check == rule.EXEMPT:
        return entry.check, entry.reason
    if entry.check == rule.UPDATED and entry.reason:
        return entry.check, entry.reason  # lenient: the files' times are gone now
    seen = entry.check in {rule.UPDATED, rule.STALE}
    if not seen:
        exempt = _exempt(run, commit, entry.reason)
        if exempt is not None:
            return rule.EXEMPT, exempt
    if not commit.parents:
        return rule.EXEMPT, rule.FIRST
    below = run.linked_ancestor(run.engine.walk(commit.parents[0]))
    if below is None:
        return rule.EXEMPT, rule.NO_BASELINE
    check, cause = rule.judge(entry.task, below=below, last=run.last, replaced=replaced)
    if check != rule.STALE:
        return check, cause
    if seen:
        return check, entry.reason or f"unchanged since code commit {cause[:12]}"
    return rule.BYPASSED, entry.reason or "the check did not run"


def _exempt(  # noqa: PLR0911 one a reason
    run: Run, commit: Commit, reason: str
) -> str | None:
    """Why a commit that the gate did not see needs no update."""
    if reason.startswith("during "):
        return reason
    if len(commit.parents) > 1:
        return "merge"
    if run.ws.settings.gate == "off":
        return rule.GATE_OFF
    replayed = run.reflog.replayed(commit)
    if replayed is not None:
        return f"during {replayed}"
    if not commit.parents:
        return rule.FIRST
    paths = changed_paths(run.ws, commit.parents[0], commit.id)
    if not paths:
        return rule.EMPTY
    settings = run.ws.settings
    if all(rule.is_exempt(path, settings.dir, settings.gate_exempt) for path in paths):
        return rule.ONLY_EXEMPT
    return None
