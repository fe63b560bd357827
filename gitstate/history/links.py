"""Code commit <-> version: which state a commit was made in, and was the task updated.

The hooks only leave a spool entry. Whoever holds the session next, the daemon, a
detached child or any command that writes, makes the version and the note from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from gitstate.errors import ObjectDamaged, ObjectMissing
from gitstate.files import replace_file
from gitstate.history import notes, spool
from gitstate.history.code_names import code_commit, note_of_code
from gitstate.history.line import read_line
from gitstate.history.look import entries_of
from gitstate.history.note import Note, join, parse
from gitstate.history.numbers import Numbers, Row
from gitstate.history.record import record_of
from gitstate.history.snapshot import session, take_locked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gitstate.git.engine import Engine
    from gitstate.git.objects import Commit
    from gitstate.workspace import Workspace

TASK = "02-current-task.md"
LOOKED_AT = 200  # ancestors on the first-parent line, at most
_VERSIONS_LOOKED_AT = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Processed:
    """What one run linked."""

    linked: tuple[str, ...] = ()


@dataclass(slots=True)
class _Run:
    """One run: what is known of the notes, and what is to be written."""

    ws: Workspace
    engine: Engine
    tree: str | None
    new: dict[str, Note] = field(default_factory=dict)

    def note(self, commit: str) -> Note | None:
        """The note of a commit, written or about to be."""
        if commit in self.new:
            return self.new[commit]
        text = notes.read(self.engine, self.tree, [commit]).get(commit)
        return None if text is None else parse(text)

    def linked_ancestor(self, commits: Iterator[Commit]) -> Note | None:
        """The note of the nearest linked commit among these."""
        for commit in islice(commits, LOOKED_AT):
            found = self.note(commit.id)
            if found is not None and found.task:
                return found
        return None


def process(ws: Workspace, *, look: bool = False, wait_s: float = 5.0) -> Processed:
    """Work off the spool: versions and notes for the commits that wait.

    ``look``: also for commits that came past the hooks. Raises ``LockHeld`` and other
    ``GitstateError``; what was not done stays in the spool.
    """
    with session(ws, verb="link", wait_s=wait_s) as engine:
        return process_locked(ws, engine, look=look)


def process_locked(ws: Workspace, engine: Engine, *, look: bool = False) -> Processed:
    """``process``, inside a ``session``."""
    entries, told = spool.waiting(ws), spool.rewrites(ws)
    look = look or spool.asked_to_look(ws)
    if not entries and not told and not look:
        return Processed()
    if entries:
        take_locked(ws, engine)
    linked: list[str] = []

    def decide(tree: str | None) -> Mapping[str, str | None]:
        run = _Run(ws, engine, tree)
        for entry in entries:
            _link(run, entry)
        for rewrite in told:
            _follow(run, rewrite, {entry.commit for entry in entries})
        if look:
            _catch_up(run)
        linked[:] = list(run.new)
        return {commit: note.text() for commit, note in run.new.items()}

    notes.update(ws, engine, decide, reason="link code commits to the state")
    spool.done(ws, [entry.commit for entry in entries], told, looked=look)
    return Processed(linked=tuple(linked))


def _link(run: _Run, entry: spool.Waiting) -> None:
    try:
        commit = run.engine.commit(entry.commit)
    except (ObjectMissing, ObjectDamaged):
        return
    found = _version_with(run, entry.task, entry.when)
    if found is None:
        return
    row, exact = found
    check, reason = entry.verdict, entry.reason
    if check not in {"updated", "stale", "exempt", "bypassed"}:
        check, reason = _judge(run, commit, entry.task, reason)
    run.new[entry.commit] = Note(
        line=run.ws.line,
        version=row.version,
        commit=row.commit,
        check=check,
        reason=reason,
        task=entry.task,
        approximate=not exact,
    )


def _judge(  # noqa: PLR0911 one a reason
    run: _Run, commit: Commit, task: str, reason: str
) -> tuple[str, str]:
    """Decide by content for a commit that the gate did not see."""
    if len(commit.parents) > 1:
        return "exempt", "merge"
    if reason.startswith("during "):
        return "exempt", reason
    if run.ws.settings.gate == "off":
        return "exempt", "gate off"
    if not commit.parents:
        return "exempt", "first commit"
    below = run.linked_ancestor(run.engine.walk(commit.parents[0]))
    if below is None:
        return "exempt", "no baseline"
    if below.task != task:
        return "updated", ""
    return "bypassed", "the check did not run"


def _version_with(run: _Run, task: str, when: float) -> tuple[Row, bool] | None:
    """The newest version with that task file; else the newest one from before ``when``."""
    tip = read_line(run.ws, run.engine).tip
    if tip is None:
        return None
    fallback: Row | None = None
    for commit in islice(run.engine.walk(tip), _VERSIONS_LOOKED_AT):
        record = record_of(commit)
        if record is None:
            continue
        row = Row(record.version, commit.author.time, commit.author.offset, commit.id)
        if task_of(run.ws, run.engine, commit.id) == task:
            return row, True
        if fallback is None and commit.author.time <= when:
            fallback = row
    if fallback is None:
        newest = Numbers.load(run.ws, run.engine, tip).last()
        return None if newest is None else (newest, False)
    return fallback, False


def task_of(ws: Workspace, engine: Engine, version: str) -> str:
    """The blob id of the task file in a version, ``-`` where it has none."""
    entry = entries_of(ws, engine, version).get(TASK.encode())
    return spool.NO_TASK if entry is None else entry.id


def _follow(run: _Run, rewrite: spool.Rewrite, fresh: set[str]) -> None:
    """Notes follow amends and rebases, and stay one record a commit."""
    sources: dict[str, list[Note]] = {}
    for old, new in rewrite.pairs:
        note = run.note(old)
        if note is not None:
            sources.setdefault(new, []).append(note)
    for new, found in sources.items():
        joined = join(found)
        if rewrite.command != "amend":
            run.new[new] = joined
            continue
        # decided anew, by content, against the amended commit's own parent
        mine = run.new.get(new) or run.note(new) if new in fresh else run.note(new)
        note = mine or joined
        try:
            commit = run.engine.commit(new)
        except (ObjectMissing, ObjectDamaged):
            continue
        run.new[new] = _again(run, commit, note, joined)


def _again(run: _Run, commit: Commit, note: Note, old: Note) -> Note:
    if note.check in {"exempt", "bypassed"}:
        return note
    check, reason = _judge(run, commit, note.task, "")
    if check == "bypassed":  # the gate did run; the content decides
        check, reason = "stale", note.reason or old.reason
    return replace(note, check=check, reason=reason)


def _catch_up(run: _Run) -> None:
    """Link the commits that arrived past the hooks: am, pulls, hooks off."""
    head = run.engine.head().commit
    if head is None:
        return
    missing: list[Commit] = []
    below: Note | None = None
    for commit in islice(run.engine.walk(head), LOOKED_AT):
        below = run.note(commit.id)
        if below is not None:
            break
        missing.append(commit)
    if below is None:
        return  # nothing to compare with: `init` links the first
    tip = read_line(run.ws, run.engine).tip
    rows = Numbers.load(run.ws, run.engine, tip)
    email = run.ws.identity()[1]
    for commit in reversed(missing):
        row = rows.at(commit.committer.moment())
        if row is None:
            continue
        task = task_of(run.ws, run.engine, row.commit)
        if len(commit.parents) > 1:
            check, reason = "exempt", "merge"
        elif commit.committer.email != email:
            check, reason = "exempt", "came from elsewhere"
        elif task != below.task:
            check, reason = "updated", ""
        else:
            check, reason = "bypassed", "made past the hooks"
        below = Note(
            line=run.ws.line,
            version=row.version,
            commit=row.commit,
            check=check,
            reason=reason,
            task=task,
            approximate=True,
        )
        run.new[commit.id] = below


def first_baseline(ws: Workspace, engine: Engine) -> bool:
    """Link HEAD to the newest version, where it has no note; inside a ``session``.

    Also leaves the baseline that the hooks' fast path compares with.
    """
    head = engine.head().commit
    line = read_line(ws, engine)
    if head is None or line.tip is None:
        return False
    note = Note(
        line=ws.line,
        version=line.version,
        commit=line.tip,
        check="exempt",
        reason="first baseline",
        task=task_of(ws, engine, line.tip),
    )

    def decide(tree: str | None) -> Mapping[str, str | None]:
        return {} if notes.read(engine, tree, [head]) else {head: note.text()}

    added = notes.update(ws, engine, decide, reason="first baseline") > 0
    baseline = ws.runtime / "baseline"
    if note.task != spool.NO_TASK and not baseline.exists():
        task = engine.blob(note.task)
        replace_file(ws.runtime / "baseline-task", task, mode=ws.file_mode)
        replace_file(baseline, f"{head}\n".encode(), mode=ws.file_mode)
    return added


def resolve_flag(ws: Workspace, name: str, reason: str) -> str:
    """Settle a flagged commit with a person's reason; returns its id.

    Raises ``UnknownVersion`` where the commit is unknown or has no note.
    """
    with session(ws, verb="flags --resolve", wait_s=5.0) as engine:
        process_locked(ws, engine)
        note_of_code(ws, engine, name)
        commit = code_commit(ws, name)

        def decide(tree: str | None) -> Mapping[str, str | None]:
            text = notes.read(engine, tree, [commit]).get(commit, "")
            found = parse(text)
            if found is None:
                return {}
            return {commit: replace(found, check="exempt", reason=reason).text()}

        notes.update(ws, engine, decide, reason="settle a flag")
    return commit
