"""The directory -> a version. The one way in which history grows from edits."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from gitstate import exclude, lock
from gitstate.errors import (
    CannotWrite,
    NotInitialised,
    ObjectDamaged,
    ObjectMissing,
    Refused,
    printable,
)
from gitstate.git.objects import NewObject
from gitstate.git.operations import under_way, worktree_of
from gitstate.history import guards, withheld
from gitstate.history.directory import Content, read_file
from gitstate.history.exchange import Change, apply
from gitstate.history.growth import Draft, write_version
from gitstate.history.identity import ensure_id
from gitstate.history.line import Line, engine_for, read_line
from gitstate.history.look import (
    Look,
    load_memory,
    look,
    reader,
    save_memory,
)
from gitstate.history.message import compose, words
from gitstate.history.record import Record, record_of
from gitstate.history.telling import tell
from gitstate.history.tree import build_tree, entry_at
from gitstate.values import dataclass
from gitstate.workspace import RESTORING, SCRATCH

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitstate.git.engine import Engine
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
        require_initialised(ws)  # `uninstall` may have had the lock meanwhile
        yield engine


def take(  # noqa: PLR0913 the one door, each word of it a user's
    ws: Workspace,
    *,
    verb: str,
    text: str | None = None,
    deletions: bool = False,
    certain: bool = False,
    allow: Sequence[str] = (),
    wait_s: float = 5.0,
    cache: Cache | None = None,
) -> Outcome:
    """Make a version of the directory if it differs from the line's newest one.

    ``deletions``: every missing file is meant to be. ``certain``: this look counts as
    the second one for a single deletion. ``allow``: files that may enter with the
    secrets they hold now. Raises ``Refused`` for a secret in ``text``, ``NotInitialised``, ``LockHeld``,
    ``CannotWrite``, ``RefLocked`` and other ``GitstateError``; then nothing changed.
    """
    if text is not None:
        _require_no_secret(ws, text)
    with session(ws, verb=verb, wait_s=wait_s) as engine:
        notice = ensure_id(ws)
        resumed = _resumed(ws, engine)
        if allow:
            from gitstate.history.releasing import let_in  # noqa: PLC0415 hardly ever

            resumed += let_in(ws, engine, allow)
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


def _resumed(ws: Workspace, engine: Engine) -> list[str]:
    """Finish what a killed process left; where it left nothing, how is not even loaded."""
    left = (ws.runtime / RESTORING, ws.state_dir / SCRATCH)
    if not any(map(os.path.lexists, left)):
        return []
    from gitstate.history.recovery import resume  # noqa: PLC0415 hardly ever

    return resume(ws, engine)


def _require_no_secret(ws: Workspace, text: str) -> None:
    """The words of a person go into the version's message; raises ``Refused``."""
    from gitstate.memory import screening  # noqa: PLC0415 only where there are words

    raw = text.encode("utf-8", "replace")
    found = screening.screen(raw) if ws.settings.secrets == "hold" else ()
    if found:
        raise Refused(f"the message {screening.told(found)}; nothing was recorded")


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
    lines: list[Line] = []

    def draft(line: Line) -> Draft | None:
        lines.append(line)
        found = look(
            ws, engine, line, memory, deletions=deletions, certain=certain, cache=cache
        )
        looks.append(found)
        return draft_of(ws, engine, line, found, text=text, lead=lead)

    commit = write_version(ws, engine, draft)
    last = looks[-1]
    uncopied = keep_aside(ws, last)
    put_back, memory_after = _put_back(ws, engine, last)
    record = record_of(commit) if commit else None
    forgotten = None
    try:
        save_memory(ws, memory, memory_after)
    except CannotWrite as error:
        if record is None:
            raise
        # the version stands, and the next look judges the missing files anew
        reason = str(error).removesuffix("; nothing was recorded")
        forgotten = f"v{record.version} is made, but {reason}"
    # what was read to build on still holds; where versions wait, it is told how far
    line = lines[-1] if lines[-1].trouble is None else read_line(ws, engine)
    return Outcome(
        version=record.version if record else line.version or None,
        commit=commit.id if commit else line.tip,
        changed=commit is not None,
        skipped=last.scan.skipped,
        vanished=tuple(sorted(memory_after.vanished)),
        put_back=put_back,
        notices=tuple(
            item
            for item in (forgotten, *uncopied, line.trouble, waiting_notice(ws, line))
            if item
        ),
    )


def keep_aside(ws: Workspace, found: Look) -> list[str]:
    """Put aside what is held back, and forget what a version has by now.

    Returns a line for each text that could not be put aside. Never raises.
    """
    lines = []
    if found.held:
        from gitstate.history.screened import put_aside  # noqa: PLC0415 hardly ever

        lines = put_aside(ws, found.held)
    withheld.forget(ws, {entry.id for entry in found.entries.values()})
    return lines


def waiting_notice(ws: Workspace, line: Line) -> str | None:
    """Where versions go while the branch is checked out; ``None`` where it is not."""
    if line.holder is None:
        return None
    return (
        f"the branch {printable(ws.line)} is checked out in {printable(worktree_of(line.holder))}: versions "
        f"wait at {printable(ws.pending_ref)} until it is free"
    )


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
    contents = {
        item.id: item.data
        for item in found.scan.files.values()
        if item.data is not None
    }
    told, changes = tell(found.parent, found.entries, reader(engine, contents))
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
            skipped=tuple(
                f"{printable(item.path)} ({item.reason})" for item in found.scan.skipped
            ),
        )
        return compose(
            number,
            changes,
            record.trailers(),
            lang=lang,
            lead=lead,
            text=text,
            told=told,
        )

    return Draft(tree=tree, objects=[*blobs.values(), *trees], message=message)


def _bytes_of(ws: Workspace, path: bytes, item: Content) -> bytes:
    """The bytes of a file that the cache only knew by id."""
    if item.data is not None:
        return item.data
    found = read_file(
        ws.state_dir,
        path,
        object_format=ws.object_format,
        max_file_size=ws.settings.max_file_size,
    )
    if found is None or found.data is None or found.id != item.id:
        raise Refused(f"{printable(path)} is being written; it is tried again")
    return found.data


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
        and _tracks(ws, engine, item.head, path) is True
        and _tracks(ws, engine, now, path) is False
    ]
    if not taken:
        return (), memory
    # Ignored, they do not stand in the way when the branch that tracks them comes back.
    exclude.add(ws, exclude.path_lines(ws, taken))
    changes = [
        Change(path, None, Content(entry.mode, entry.id, engine.blob(entry.id)))
        for path, entry in ((path, found.parent[path]) for path in taken)
    ]
    applied = apply(
        ws.state_dir,
        changes,
        object_format=ws.object_format,
        durable=ws.settings.durable,
    )
    left = {path for path, _ in applied.left}
    back = tuple(sorted(path for path in taken if path not in left))
    return back, guards.without(memory, back)


def _tracks(
    ws: Workspace, engine: Engine, commit: str | None, path: bytes
) -> bool | None:
    """Does a code commit hold the file; ``None`` where it cannot be read any more."""
    if commit is None:
        return False
    full = f"{ws.tree_path}/{os.fsdecode(path)}"
    try:
        return entry_at(engine, engine.commit(commit).tree, full) is not None
    except (ObjectMissing, ObjectDamaged):
        return None
