"""git notes, written the way git lays them out: fanned out, compare-and-swap, many at once.

``refs/notes/gitstate`` holds a tree whose paths are commit ids, cut after every two
digits as often as the number of notes asks for. Reading accepts any mixture of cuts.
Only the folders on the way to a note that changes are read and written again, so the
cost of one more note stays flat.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from gitstate import clock
from gitstate.errors import RefMoved
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

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from gitstate.git.engine import Engine
    from gitstate.workspace import Workspace

REF = "refs/notes/gitstate"
_FLAT = 256  # notes in one folder before git cuts once more
_TRIES = 50
_PAUSE_S = 0.01


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
        blob = _find(engine, tree, commit.encode(), cache)
        if blob is not None:
            found[commit] = engine.blob(blob).decode("utf-8", "replace")
    return found


def _find(
    engine: Engine, tree: str, rest: bytes, cache: dict[str, list[TreeEntry]]
) -> str | None:
    if tree not in cache:
        cache[tree] = engine.tree(tree)
    for row in cache[tree]:
        if row.mode != TREE and row.name == rest:
            return row.id
        if row.mode == TREE and len(row.name) == 2 and row.name == rest[:2]:  # noqa: PLR2004 two hex digits
            below = _find(engine, row.id, rest[2:], cache)
            if below is not None:
                return below
    return None


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
    for attempt in range(_TRIES):
        tip = engine.ref(REF)
        tree = tree_of(engine, tip)
        wanted = decide(tree)
        old = read(engine, tree, wanted)
        changed = {key: text for key, text in wanted.items() if old.get(key) != text}
        if not changed:
            return 0
        objects: list[NewObject] = []
        top = _rebuilt(engine, tree, changed, objects, ws.object_format)
        moment = clock.now(ws.settings.timezone)
        offset = moment.utcoffset()
        minutes = int(offset.total_seconds() // 60) if offset else 0
        who = Signature(*ws.identity(), int(moment.timestamp()), minutes)
        message = f"Notes: {reason}\n"
        data = encode_commit(top, [tip] if tip else [], who, who, message)
        objects.append(make("commit", data, ws.object_format))
        engine.write(objects, durable=ws.settings.durable)
        try:
            engine.swap_ref(
                REF,
                old=tip,
                new=objects[-1].id,
                reason=f"gitstate: {reason}",
                durable=ws.settings.durable,
            )
        except RefMoved:
            time.sleep(_PAUSE_S * random.random() * (attempt + 1))  # noqa: S311 back-off
            continue
        return len(changed)
    raise RefMoved("the notes move faster than one can be added; it is tried again")


def _rebuilt(
    engine: Engine,
    tree: str | None,
    changes: Mapping[str, str | None],
    objects: list[NewObject],
    object_format: str,
) -> str:
    """The tree with these changes; new objects are added to ``objects``."""
    blobs: dict[bytes, str | None] = {}
    for commit, text in changes.items():
        if text is None:
            blobs[commit.encode()] = None
        else:
            made = make("blob", text.encode("utf-8", "surrogateescape"), object_format)
            objects.append(made)
            blobs[commit.encode()] = made.id
    return _folder(engine, tree, blobs, objects, object_format)[0]


def _folder(
    engine: Engine,
    tree: str | None,
    blobs: Mapping[bytes, str | None],
    objects: list[NewObject],
    object_format: str,
) -> tuple[str, int]:
    """One folder of notes with changes: its id and the number of its rows."""
    rows = {row.name: row for row in (engine.tree(tree) if tree else [])}
    folders = {name for name, row in rows.items() if row.mode == TREE}
    plain = [name for name in rows if name not in folders]
    cut = bool(folders) or len(plain) + len(blobs) > _FLAT
    if not cut:
        for name, blob in blobs.items():
            _set(rows, name, blob)
    else:
        below: dict[bytes, dict[bytes, str | None]] = {}
        for name in plain:  # what still lies flat moves down
            if _is_note(name):
                below.setdefault(name[:2], {})[name[2:]] = rows.pop(name).id
        for name, blob in blobs.items():
            below.setdefault(name[:2], {})[name[2:]] = blob
        for part, inside in below.items():
            known = rows.get(part)
            identity, count = _folder(
                engine, known.id if known else None, inside, objects, object_format
            )
            if count:
                rows[part] = TreeEntry(part, TREE, identity)
            else:
                rows.pop(part, None)
    made = make("tree", encode_tree(rows.values()), object_format)
    objects.append(made)
    return made.id, len(rows)


def _set(rows: dict[bytes, TreeEntry], name: bytes, blob: str | None) -> None:
    if blob is None:
        rows.pop(name, None)
    else:
        rows[name] = TreeEntry(name, FILE, blob)


def _is_note(name: bytes) -> bool:
    return len(name) > 2 and all(byte in b"0123456789abcdef" for byte in name)  # noqa: PLR2004 more than one cut
