"""The notes of two repositories become one, record by record; no side loses any.

A record that only one side changed since both had the same is taken from that side. One
that both changed becomes one record: the newest version, the weakest check.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitstate.errors import ObjectDamaged, ObjectMissing, RefMoved, Refused
from gitstate.git.environment import git
from gitstate.history import notes
from gitstate.history.moving import move_alone
from gitstate.history.note import join, parse
from gitstate.history.tidying import tidy_up

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitstate.git.engine import Engine
    from gitstate.workspace import Workspace

_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_TRIES = 50

_Blobs = tuple[str, ...]  # of one note: several where it lies in several places


def merge(ws: Workspace, engine: Engine, theirs: str) -> bool:
    """Take the notes at the notes commit ``theirs`` in; says whether anything changed.

    Inside a ``session``. What is there afterwards descends from ``theirs``. Raises
    ``Refused`` where ``theirs`` holds no notes, ``RefMoved`` where ours never rest.
    """
    try:
        their_tree = notes.tree_of(engine, theirs)
        their_blobs = _blobs(engine, their_tree)
    except (ObjectMissing, ObjectDamaged) as error:
        raise Refused(f"its notes cannot be read: {error}") from error
    for attempt in range(_TRIES):
        ours = engine.ref(notes.REF)
        base = None if ours is None else _base(ws, ours, theirs)
        if base == theirs:
            return False
        try:
            if base == ours:  # nothing of ours is new
                _forward(ws, engine, ours, theirs)
            else:
                texts = _texts(engine, ours, their_blobs, base)
                parents = [*([ours] if ours else []), theirs]
                notes.replace(ws, engine, ours, texts, parents, reason="merge")
        except RefMoved:
            notes.pause(attempt)
            continue
        tidy_up(ws, engine, 1)
        return True
    raise RefMoved("the notes move faster than others can be merged; try again")


def _base(ws: Workspace, ours: str, theirs: str) -> str | None:
    """The newest commit that both have; ``None`` where they have nothing in common."""
    done = git(["merge-base", ours, theirs], cwd=ws.root, check=False)
    return done.stdout.decode("ascii").strip() or None


def _forward(ws: Workspace, engine: Engine, ours: str | None, theirs: str) -> None:
    move_alone(
        ws,
        engine,
        notes.REF,
        old=ours,
        new=theirs,
        reason="gitstate: fetch",
        durable=ws.settings.durable,
    )


def _blobs(engine: Engine, tree: str | None) -> dict[str, _Blobs]:
    """Every note: commit id -> its blobs, other files left out."""
    found: dict[str, _Blobs] = {}
    for commit, blob in notes.listing(engine, tree):
        if _ID.fullmatch(commit):
            found[commit] = tuple(sorted({*found.get(commit, ()), blob}))
    return found


def _texts(
    engine: Engine, ours: str | None, theirs: dict[str, _Blobs], base: str | None
) -> dict[str, str | None]:
    """The notes that change here: commit id -> text."""
    mine = _blobs(engine, notes.tree_of(engine, ours))
    before = _blobs(engine, notes.tree_of(engine, base))
    found: dict[str, str | None] = {}
    for commit, blobs in theirs.items():
        here = mine.get(commit)
        if here == blobs or (here is not None and before.get(commit) == blobs):
            continue  # the same, or changed here alone
        text = notes.text_of(engine, blobs)
        if here is not None and before.get(commit) != here:
            text = _joined([notes.text_of(engine, here), text])
        found[commit] = text
    return found


def _joined(texts: Iterable[str]) -> str:
    """Both sides' note as one; the same whoever of the two joins them."""
    ordered = sorted(texts)
    read = [parse(text) for text in ordered]
    records = [note for note in read if note is not None]
    if len(records) == len(read):
        return join(records).text()
    both = "\n".join(text.removesuffix("\n") + "\n" for text in ordered)
    found = parse(both)
    return both if found is None else found.text()
