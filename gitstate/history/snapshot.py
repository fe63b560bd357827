"""The directory -> a version. The one way in which history grows from edits."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gitstate import clock, exclude, lock
from gitstate.errors import (
    CannotWrite,
    NotInitialised,
    ObjectDamaged,
    ObjectMissing,
    Refused,
    printable,
)
from gitstate.files import read_json, write_json
from gitstate.git.objects import LINK, NewObject, object_id
from gitstate.git.operations import under_way
from gitstate.history import guards
from gitstate.history.anchor import ensure_id
from gitstate.history.directory import Content, Scan, scan
from gitstate.history.exchange import Change, apply
from gitstate.history.line import Draft, Line, engine_for, read_line, write_version
from gitstate.history.message import FileChange, changed_headings, compose, words
from gitstate.history.record import Record, record_of
from gitstate.history.tree import Entry, build_tree, entry_at, read_entries

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gitstate.git.engine import Engine
    from gitstate.git.objects import Commit
    from gitstate.history.directory import Cache, Skipped
    from gitstate.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a look at the directory came to."""

    version: int | None
    commit: str | None
    changed: bool
    skipped: tuple[Skipped, ...] = ()
    vanished: tuple[bytes, ...] = ()
    put_back: tuple[bytes, ...] = ()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The directory and its surroundings at one moment, judged against the line."""

    scan: Scan
    parent: Mapping[bytes, Entry]
    entries: Mapping[bytes, Entry]
    verdict: guards.Verdict


def require_initialised(ws: Workspace) -> None:
    """Raise ``NotInitialised`` before ``init``, ``Refused`` where a newer gitstate wrote."""
    if not ws.initialised:
        where = printable(ws.root)
        raise NotInitialised(f"gitstate is not set up in {where}; run `gitstate init`")
    ws.check_format()


@contextlib.contextmanager
def session(ws: Workspace, *, verb: str, wait_s: float) -> Iterator[Engine]:
    """Hold the repository's lock with an open engine: whoever writes does it in here."""
    require_initialised(ws)
    ws.make_folders()
    with (
        lock.held(ws.lock_path, verb=verb, wait_s=wait_s, mode=ws.file_mode),
        engine_for(ws) as engine,
    ):
        yield engine


def take(  # noqa: PLR0913 the one door, each word of it a user's
    ws: Workspace,
    *,
    verb: str,
    text: str | None = None,
    deletions: bool = False,
    certain: bool = False,
    wait_s: float = 5.0,
    cache: Cache | None = None,
) -> Outcome:
    """Make a version of the directory if it differs from the line's newest one.

    ``deletions``: every missing file is meant to be. ``certain``: this look counts as
    the second one for a single deletion. Raises ``NotInitialised``, ``LockHeld``,
    ``CannotWrite``, ``RefLocked`` and other ``GitstateError``; then nothing changed.
    """
    from gitstate.history import restore  # noqa: PLC0415 restore builds on this module

    with session(ws, verb=verb, wait_s=wait_s) as engine:
        notice = ensure_id(ws)
        resumed = restore.resume(ws, engine)
        outcome = take_locked(
            ws, engine, text=text, deletions=deletions, certain=certain, cache=cache
        )
    notices = tuple(item for item in (notice, *resumed, *outcome.notices) if item)
    return Outcome(
        version=outcome.version,
        commit=outcome.commit,
        changed=outcome.changed,
        skipped=outcome.skipped,
        vanished=outcome.vanished,
        put_back=outcome.put_back,
        notices=notices,
    )


def take_locked(  # noqa: PLR0913 as `take`
    ws: Workspace,
    engine: Engine,
    *,
    text: str | None = None,
    lead: str | None = None,
    deletions: bool = False,
    certain: bool = False,
    cache: Cache | None = None,
) -> Outcome:
    """``take``, inside a ``session``."""
    memory = load_memory(ws)
    looks: list[Look] = []

    def draft(line: Line) -> Draft | None:
        found = look(
            ws, engine, line, memory, deletions=deletions, certain=certain, cache=cache
        )
        looks.append(found)
        return draft_of(ws, engine, line, found, text=text, lead=lead)

    commit = write_version(ws, engine, draft)
    last = looks[-1]
    put_back, memory_after = _put_back(ws, engine, last)
    save_memory(ws, memory, memory_after)
    line = read_line(ws, engine)
    record = record_of(commit) if commit else None
    return Outcome(
        version=record.version if record else line.version or None,
        commit=commit.id if commit else line.tip,
        changed=commit is not None,
        skipped=last.scan.skipped,
        vanished=tuple(sorted(memory_after.vanished)),
        put_back=put_back,
        notices=tuple(item for item in (line.trouble, _waiting_notice(ws, line)) if item),
    )


def _waiting_notice(ws: Workspace, line: Line) -> str | None:
    if line.holder is None:
        return None
    return (
        f"the branch {printable(ws.line)} is checked out in {printable(line.holder)}: versions "
        f"wait at {printable(ws.pending_ref)} until it is free"
    )


def look(  # noqa: PLR0913 one look needs all of it
    ws: Workspace,
    engine: Engine,
    line: Line,
    memory: guards.Memory,
    *,
    deletions: bool = False,
    certain: bool = False,
    cache: Cache | None = None,
) -> Look:
    """Read the directory and judge it against the line; writes nothing."""
    found = scan_state(ws, cache=cache)
    parent = entries_of(ws, engine, line.tip)
    missing = parent.keys() - found.files.keys()
    uncaptured = {path for path in missing if found.is_left_out(path)}
    head = engine.head()
    verdict = guards.judge(
        missing - uncaptured,
        parent=parent.keys(),
        memory=memory,
        sight=guards.Sight(head.branch, head.commit, engine.ref("refs/stash")),
        operation=under_way(ws.git_dir),
        now_s=clock.epoch_now(),
        deletions=deletions,
        certain=certain,
    )
    # What could not be captured, or vanished, keeps its last bytes in the version.
    kept = {path: parent[path] for path in uncaptured | verdict.held}
    present = {path: Entry(item.mode, item.id) for path, item in found.files.items()}
    return Look(scan=found, parent=parent, entries=_fitting(kept, present), verdict=verdict)


def _below(path: bytes, folders: set[bytes]) -> bool:
    parts = path.split(b"/")
    return any(b"/".join(parts[:count]) in folders for count in range(1, len(parts)))


def _fitting(kept: dict[bytes, Entry], present: dict[bytes, Entry]) -> dict[bytes, Entry]:
    """Both together; a kept file gives way where a folder now has its name, or it a folder's."""
    folders = {
        b"/".join(parts[:count])
        for parts in (path.split(b"/") for path in present)
        for count in range(1, len(parts))
    }
    fitting = {
        path: entry
        for path, entry in kept.items()
        if path not in folders and not _below(path, set(present))
    }
    return {**fitting, **present}


def scan_state(ws: Workspace, *, cache: Cache | None = None) -> Scan:
    """The state directory as it is now; raises ``Refused`` where it is no real folder."""
    try:
        return scan(
            ws.state_dir,
            object_format=ws.object_format,
            max_file_size=ws.settings.max_file_size,
            cache=cache,
        )
    except OSError as error:
        raise CannotWrite.from_os(error, doing=f"read {printable(ws.state_dir)}") from error


def entries_of(ws: Workspace, engine: Engine, tip: str | None) -> dict[bytes, Entry]:
    """The files of a version, by path relative to the state directory."""
    if tip is None:
        return {}
    return read_entries(engine, engine.commit(tip).tree, ws.tree_path)


def draft_of(  # noqa: PLR0913 what a message is made of
    ws: Workspace,
    engine: Engine,
    line: Line,
    found: Look,
    *,
    text: str | None = None,
    lead: str | None = None,
    restored_from: int | None = None,
) -> Draft | None:
    """The version that a look comes to; ``None`` where nothing changed."""
    if found.entries == found.parent and restored_from is None and line.tip is not None:
        return None
    known = {(entry.id) for entry in found.parent.values()}
    blobs: dict[str, NewObject] = {}
    for path, item in found.scan.files.items():
        if item.id not in known and item.id not in blobs:
            blobs[item.id] = NewObject(item.id, "blob", _bytes_of(ws, path, item))
    tree, trees = build_tree(found.entries, ws.tree_path, ws.object_format)
    contents = {item.id: item.data for item in found.scan.files.values() if item.data is not None}
    changes = describe(engine, found.parent, found.entries, contents)
    head = engine.head()
    lang = ws.settings.lang
    if line.tip is None:
        lead = words(lang)["first"].format(count=len(found.entries))

    def message(number: int, gap: str | None) -> str:
        record = Record(
            version=number,
            line=ws.line,
            code_branch=head.branch,
            code_head=head.commit,
            lang=lang,
            gap=gap,
            restored_from=restored_from,
            skipped=tuple(f"{printable(item.path)} ({item.reason})" for item in found.scan.skipped),
        )
        return compose(number, changes, record.trailers(), lang=lang, lead=lead, text=text)

    return Draft(tree=tree, objects=[*blobs.values(), *trees], message=message)


def _bytes_of(ws: Workspace, path: bytes, item: Content) -> bytes:
    """The bytes of a file that the cache only knew by id."""
    if item.data is not None:
        return item.data
    target = os.path.join(os.fsencode(ws.state_dir), path)  # noqa: PTH118 raw bytes
    try:
        if item.mode == LINK:
            data = os.readlink(target)
        else:
            fd = os.open(target, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(fd, "rb") as file:
                data = file.read()
    except OSError as error:
        raise CannotWrite.from_os(error, doing=f"read {printable(path)}") from error
    if object_id("blob", data, ws.object_format) != item.id:
        raise Refused(f"{printable(path)} is being written; it is tried again")
    return data


def describe(
    engine: Engine,
    before: Mapping[bytes, Entry],
    after: Mapping[bytes, Entry],
    contents: Mapping[str, bytes],
) -> list[FileChange]:
    """What changed from one list of files to another, sorted by path.

    ``contents``: bytes by blob id that need not be read (or are not yet written).
    """

    def blob(identity: str) -> bytes:
        found = contents.get(identity)
        return engine.blob(identity) if found is None else found

    changes = []
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path), after.get(path)
        if old == new:
            continue
        if old is None or new is None:
            changes.append(FileChange(path, "removed" if new is None else "added"))
        elif old.id == new.id:
            changes.append(FileChange(path, "mode"))
        else:
            headings: tuple[str, ...] = ()
            if path.endswith(b".md") and LINK not in {old.mode, new.mode}:
                # a damaged old version must not keep the new one from being made
                with contextlib.suppress(ObjectMissing, ObjectDamaged):
                    headings = changed_headings(blob(old.id), blob(new.id))
            changes.append(FileChange(path, "changed", headings))
    return changes


def _put_back(
    ws: Workspace, engine: Engine, found: Look
) -> tuple[tuple[bytes, ...], guards.Memory]:
    """Put back what git took away with a branch that tracked it (never what a user removed)."""
    memory = found.verdict.memory
    if not memory.vanished or under_way(ws.git_dir):
        return (), memory
    now = engine.head().commit
    taken = [
        path
        for path, item in memory.vanished.items()
        if path in found.parent
        and _tracks(ws, engine, item.head, path)
        and not _tracks(ws, engine, now, path)
    ]
    if not taken:
        return (), memory
    # Ignored, they do not stand in the way when the branch that tracks them comes back.
    exclude.add(ws, exclude.path_lines(ws, taken))
    changes = [
        Change(path, None, Content(entry.mode, entry.id, engine.blob(entry.id)))
        for path, entry in ((path, found.parent[path]) for path in taken)
    ]
    ws.state_dir.mkdir(exist_ok=True)
    applied = apply(
        ws.state_dir, changes, object_format=ws.object_format, durable=ws.settings.durable
    )
    left = {path for path, _ in applied.left}
    back = tuple(sorted(path for path in taken if path not in left))
    return back, guards.without(memory, back)


def _tracks(ws: Workspace, engine: Engine, commit: str | None, path: bytes) -> bool:
    if commit is None:
        return False
    full = f"{ws.tree_path}/{os.fsdecode(path)}"
    return entry_at(engine, engine.commit(commit).tree, full) is not None


def load_memory(ws: Workspace) -> guards.Memory:
    """What the guard remembers of the last look."""
    return guards.Memory.load(read_json(ws.runtime / "seen"))


def save_memory(ws: Workspace, before: guards.Memory, after: guards.Memory) -> None:
    """Keep it, where it changed."""
    if before != after:
        write_json(ws.runtime / "seen", after.dump(), mode=ws.file_mode)
