"""git notes, written the way git lays them out: fanned out, compare-and-swap, many at once.

``refs/notes/gitstate`` holds a tree whose paths are commit ids, cut after every two
digits as often as the number of notes asks for. Reading accepts any mixture of cuts.
Only the folders on the way to a note that changes are read and written again, so the
cost of one more note stays flat.

git's own notes commands compare nothing when they move the ref (they copy notes at an
amend where ``notes.rewriteRef`` is set): what they overwrote is brought back by the
next update, from the journal of the last minutes.
"""

from __future__ import annotations

import contextlib
import random
import time
from typing import TYPE_CHECKING

from gitstate import clock, lock
from gitstate.errors import CannotWrite, LockHeld, RefMoved
from gitstate.git.objects import (
    FILE,
    TREE,
    NewObject,
    Signature,
    TreeEntry,
    encode_commit,
    encode_tree,
    make,
)
from gitstate.history import notes_journal
from gitstate.history.moving import move_alone
from gitstate.history.note import parse
from gitstate.history.tidying import tidy_up

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from gitstate.git.engine import Engine
    from gitstate.workspace import Workspace

REF = "refs/notes/gitstate"
_FLAT = 256  # notes in one folder before git cuts once more
_TRIES = 50
_PAUSE_S = 0.01
_TURN_S = 5.0
_CUT = 2  # hex digits that make a folder


def tree_of(engine: Engine, tip: str | None) -> str | None:
    """The notes tree that a tip of the notes ref holds."""
    return None if tip is None else engine.commit(tip).tree


def read(engine: Engine, tree: str | None, commits: Collection[str]) -> dict[str, str]:
    """The notes of these commits: commit id -> text, for those that have one."""
    found: dict[str, str] = {}
    if tree is None:
        return found
    cache: dict[str, list[TreeEntry]] = {}
    for commit in commits:
        blobs = _find(engine, tree, commit.encode(), cache)
        if blobs:
            found[commit] = text_of(engine, blobs)
    return found


def text_of(engine: Engine, blobs: Collection[str]) -> str:
    """The text of a note that lies in several places, as git reads it: one after the other."""
    data = b"\n".join(engine.blob(blob) for blob in dict.fromkeys(blobs))
    return data.decode("utf-8", "surrogateescape")


def _find(
    engine: Engine, tree: str, rest: bytes, cache: dict[str, list[TreeEntry]]
) -> list[str]:
    if tree not in cache:
        cache[tree] = engine.tree(tree)
    found = []
    for row in cache[tree]:
        if row.mode != TREE and row.name == rest:
            found.append(row.id)
        if row.mode == TREE and len(row.name) == _CUT and row.name == rest[:_CUT]:
            found += _find(engine, row.id, rest[_CUT:], cache)
    return found


def listing(engine: Engine, tree: str | None) -> Iterator[tuple[str, str]]:
    """Every note: commit id and blob id, in no order."""
    waiting = [] if tree is None else [(b"", tree)]
    while waiting:
        prefix, identity = waiting.pop()
        for row in engine.tree(identity):
            if row.mode == TREE:
                waiting.append((prefix + row.name, row.id))
            else:
                yield (prefix + row.name).decode("ascii", "replace"), row.id


def update(
    ws: Workspace,
    engine: Engine,
    decide: Callable[[str | None], Mapping[str, str | None]],
    *,
    reason: str,
) -> int:
    """Change notes in one commit; returns how many changed.

    ``decide`` gets the notes tree and answers with commit id -> text (``None`` takes a
    note away); it is asked again when another writer was faster. Raises ``RefMoved``
    when the ref moves faster than a commit can be made.
    """
    with _in_turn(ws):
        changed = _update_in_turn(ws, engine, decide, reason=reason)
    if changed:
        tidy_up(ws, engine, 1)
    return changed


@contextlib.contextmanager
def _in_turn(ws: Workspace) -> Iterator[None]:
    """Let writers go one after the other, where that is possible, to spare vain work.

    The compare-and-swap alone protects: who does not get the lock soon goes on without.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(LockHeld, CannotWrite):
            path = ws.shared / "notes.lock"
            taken = lock.held(path, verb="notes", wait_s=_TURN_S, mode=ws.file_mode)
            stack.enter_context(taken)
        yield


def _update_in_turn(
    ws: Workspace,
    engine: Engine,
    decide: Callable[[str | None], Mapping[str, str | None]],
    *,
    reason: str,
) -> int:
    tip = engine.ref(REF)
    lost = notes_journal.overwritten(ws, engine, tip)
    whole = {tip}  # commits that lack nothing of ours
    if lost:

        def bring_back(tree: str | None) -> Mapping[str, str | None]:
            there = read(engine, tree, lost)
            return {
                commit: text
                for commit, text in lost.items()
                if commit not in there or _is_newer(text, there[commit])
            }

        if _update(ws, engine, bring_back, whole, reason="what was overwritten"):
            whole.discard(tip)
    return _update(ws, engine, decide, whole, reason=reason)


def _is_newer(mine: str, theirs: str) -> bool:
    """Does our text name a newer version than the one that is there: a copy by git."""
    ours, there = parse(mine), parse(theirs)
    return ours is not None and there is not None and ours.version > there.version


def _update(
    ws: Workspace,
    engine: Engine,
    decide: Callable[[str | None], Mapping[str, str | None]],
    whole: set[str | None],
    *,
    reason: str,
) -> int:
    """One commit; it is ``whole`` itself where the one below it is."""
    for attempt in range(_TRIES):
        tip = engine.ref(REF)
        tree = tree_of(engine, tip)
        wanted = decide(tree)
        old = read(engine, tree, wanted)
        changed = {key: text for key, text in wanted.items() if old.get(key) != text}
        if not changed:
            return 0
        try:
            made = replace(
                ws, engine, tip, changed, [tip] if tip else [], reason=reason
            )
        except RefMoved:
            pause(attempt)
            continue
        if tip in whole:
            whole.add(made)
        notes_journal.keep(ws, made, changed, sure=made in whole)
        return len(changed)
    raise RefMoved("the notes move faster than one can be added; it is tried again")


def pause(attempt: int) -> None:
    """Wait a moment before the next try."""
    time.sleep(_PAUSE_S * random.random() * (attempt + 1))  # noqa: S311 back-off


def replace(  # noqa: PLR0913 what a notes commit is made of
    ws: Workspace,
    engine: Engine,
    tip: str | None,
    changes: Mapping[str, str | None],
    parents: Sequence[str],
    *,
    reason: str,
) -> str:
    """Put a notes commit with these changes in the place of ``tip``; returns its id.

    Raises ``RefMoved``.
    """
    objects: list[NewObject] = []
    rebuilding = _Rebuilding(engine, ws.object_format, objects)
    top = rebuilding.tree(tree_of(engine, tip), changes)
    moment = clock.now(ws.settings.timezone)
    offset = moment.utcoffset()
    minutes = int(offset.total_seconds() // 60) if offset else 0
    who = Signature(*ws.identity(), int(moment.timestamp()), minutes)
    data = encode_commit(top, parents, who, who, f"Notes: {reason}\n")
    objects.append(make("commit", data, ws.object_format))
    engine.write(objects, durable=ws.settings.durable)
    move_alone(
        ws,
        engine,
        REF,
        old=tip,
        new=objects[-1].id,
        reason=f"gitstate: {reason}",
        durable=ws.settings.durable,
    )
    return objects[-1].id


class _Rebuilding:
    """A notes tree with changes; new objects are added to ``objects``."""

    def __init__(
        self, engine: Engine, object_format: str, objects: list[NewObject]
    ) -> None:
        self._engine = engine
        self._format = object_format
        self._objects = objects

    def tree(self, tree: str | None, changes: Mapping[str, str | None]) -> str:
        """The id of the tree."""
        blobs = {
            commit.encode(): None if text is None else self._blob(text)
            for commit, text in changes.items()
        }
        return self._folder(tree, blobs, {})[0]

    def _blob(self, text: str) -> str:
        return self._add(
            make("blob", text.encode("utf-8", "surrogateescape"), self._format)
        )

    def _add(self, made: NewObject) -> str:
        self._objects.append(made)
        return made.id

    def _folder(
        self,
        tree: str | None,
        blobs: Mapping[bytes, str | None],
        moved: Mapping[bytes, str],
    ) -> tuple[str, int]:
        """One folder of notes with changes: its id and the number of its rows.

        ``moved``: notes that lay flat above it and now belong here.
        """
        rows = {row.name: row for row in (self._engine.tree(tree) if tree else [])}
        plain = [name for name, row in rows.items() if row.mode != TREE]
        arriving = len(blobs.keys() - set(plain)) + len(moved)
        if len(plain) == len(rows) and len(plain) + arriving <= _FLAT:
            for name, blob in moved.items():
                there = rows.get(name)
                both = [blob] if there is None else [blob, there.id]
                rows[name] = TreeEntry(name, FILE, self._joined(both))
            for name, wanted in blobs.items():
                rows.pop(name, None)
                if wanted is not None:
                    rows[name] = TreeEntry(name, FILE, wanted)
        else:
            self._cut(rows, blobs, moved)
        return self._add(make("tree", encode_tree(rows.values()), self._format)), len(
            rows
        )

    def _cut(
        self,
        rows: dict[bytes, TreeEntry],
        blobs: Mapping[bytes, str | None],
        moved: Mapping[bytes, str],
    ) -> None:
        """Change what lies in the folders below; what lies flat moves down."""
        flat = dict(moved)
        for name in [name for name, row in rows.items() if row.mode != TREE]:
            if _is_note(name):
                gone = rows.pop(name).id
                flat[name] = self._joined([flat[name], gone]) if name in flat else gone
        below: dict[bytes, tuple[dict[bytes, str | None], dict[bytes, str]]] = {}
        for name, blob in blobs.items():
            below.setdefault(name[:_CUT], ({}, {}))[0][name[_CUT:]] = blob
        for name, held in flat.items():
            if name not in blobs:
                below.setdefault(name[:_CUT], ({}, {}))[1][name[_CUT:]] = held
        for part, (changed, moving) in below.items():
            known = rows.pop(part, None)
            folder = known.id if known and known.mode == TREE else None
            identity, count = self._folder(folder, changed, moving)
            if count:
                rows[part] = TreeEntry(part, TREE, identity)

    def _joined(self, blobs: list[str]) -> str:
        if len(set(blobs)) == 1:
            return blobs[0]
        return self._blob(text_of(self._engine, blobs))


def _is_note(name: bytes) -> bool:
    return len(name) > _CUT and all(byte in b"0123456789abcdef" for byte in name)
