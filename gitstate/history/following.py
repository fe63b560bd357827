"""Notes follow amends and rebases, and stay one record a commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.errors import ObjectDamaged, ObjectMissing
from gitstate.history import rule
from gitstate.history.note import Note, join
from gitstate.history.rule import Linked, Replaced
from gitstate.values import replace

if TYPE_CHECKING:
    from gitstate.git.objects import Commit
    from gitstate.history.linking import Run
    from gitstate.history.spool import Rewrite


def follow(run: Run, rewrite: Rewrite) -> None:
    """Give the new commits of a rewrite the notes of the old ones."""
    sources: dict[str, list[Note]] = {}
    olds: dict[str, str] = {}
    for old, new in rewrite.pairs:
        olds[new] = old
        note = run.note(old)
        if note is not None:
            sources.setdefault(new, []).append(note)
        if run.last is not None and run.last.commit == old:
            run.last = Linked(new, run.last.task, run.last.check, run.last.reason)
    for new, found in sources.items():
        if rewrite.command == "amend":
            _follow_amend(run, olds[new], new, found[0])
        else:
            run.new[new] = join(found)


def _follow_amend(run: Run, old: str, new: str, was: Note) -> None:
    """Decide the note of an amended commit anew, against its own parent."""
    note = run.new.get(new)
    if note is not None:
        return  # decided in this run, with all that is known
    note = run.note(new)
    try:
        commit = run.engine.commit(new)
    except (ObjectMissing, ObjectDamaged):
        return
    if note is None or note.task == was.task:
        note = replace(note or was, check=was.check, reason=was.reason)
    if note.check == rule.UPDATED and not note.reason and commit.parents:
        below = run.linked_ancestor(run.engine.walk(commit.parents[0]))
        if below is not None and below.task == note.task:
            reason = f"unchanged since code commit {below.commit[:12]}"
            note = replace(note, check=rule.STALE, reason=reason)
    elif note.check == rule.STALE and note.task != was.task:
        note = _stale_again(run, commit, old, note, was)
    run.new[new] = note


def _stale_again(run: Run, commit: Commit, old: str, note: Note, was: Note) -> Note:
    """A commit that was found stale before it was known to be an amend."""
    below = (
        run.linked_ancestor(run.engine.walk(commit.parents[0]))
        if commit.parents
        else None
    )
    if below is None:
        return replace(note, check=rule.EXEMPT, reason=rule.NO_BASELINE)
    own = Linked(old, was.task, was.check, was.reason)
    check, cause = rule.judge(
        note.task, below=below, last=None, replaced=Replaced(old, own)
    )
    # compared with another commit's task file, which it still equals
    used = below.task != note.task and was.check != rule.UPDATED
    if check == rule.STALE or used:
        return note
    return replace(note, check=check, reason=cause)
