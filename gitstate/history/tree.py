"""A version's tree <-> the flat list of its files, relative to the state directory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitstate.git.objects import TREE, NewObject, TreeEntry, encode_tree, make
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gitstate.git.engine import Engine


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a version: its git mode and the id of its bytes."""

    mode: int
    id: str


def read_entries(engine: Engine, tree: str, tree_path: str) -> dict[bytes, Entry]:
    """The files below ``tree_path`` in a tree, by raw path relative to it.

    Raises ``ObjectMissing`` or ``ObjectDamaged``.
    """
    for part in tree_path.split("/"):
        name = os.fsencode(part)
        below = next(
            (
                row.id
                for row in engine.tree(tree)
                if row.name == name and row.mode == TREE
            ),
            None,
        )
        if below is None:
            return {}
        tree = below
    found: dict[bytes, Entry] = {}
    waiting = [(b"", tree)]
    while waiting:
        prefix, identity = waiting.pop()
        for row in engine.tree(identity):
            if row.mode == TREE:
                waiting.append((prefix + row.name + b"/", row.id))
            else:
                found[prefix + row.name] = Entry(row.mode, row.id)
    return found


def entry_at(engine: Engine, tree: str, path: str) -> TreeEntry | None:
    """The row of one path from the root of a tree, or ``None``."""
    *folders, name = os.fsencode(path).split(b"/")
    for folder in folders:
        below = [
            row.id
            for row in engine.tree(tree)
            if row.name == folder and row.mode == TREE
        ]
        if not below:
            return None
        tree = below[0]
    return next((row for row in engine.tree(tree) if row.name == name), None)


def build_tree(
    entries: Mapping[bytes, Entry],
    tree_path: str,
    object_format: str,
) -> tuple[str, list[NewObject]]:
    """The id of a tree that holds ``entries`` below ``tree_path``, and its tree objects."""
    made: list[NewObject] = []
    top = _build(
        [(path.split(b"/"), entry) for path, entry in entries.items()],
        object_format,
        made,
    )
    for part in reversed(tree_path.split("/")):
        row = TreeEntry(os.fsencode(part), TREE, top)
        made.append(make("tree", encode_tree([row]), object_format))
        top = made[-1].id
    return top, made


def _build(
    rows: Iterable[tuple[list[bytes], Entry]],
    object_format: str,
    made: list[NewObject],
) -> str:
    entries: list[TreeEntry] = []
    folders: dict[bytes, list[tuple[list[bytes], Entry]]] = {}
    for parts, entry in rows:
        if len(parts) == 1:
            entries.append(TreeEntry(parts[0], entry.mode, entry.id))
        else:
            folders.setdefault(parts[0], []).append((parts[1:], entry))
    for name, inside in folders.items():
        entries.append(TreeEntry(name, TREE, _build(inside, object_format, made)))
    made.append(make("tree", encode_tree(entries), object_format))
    return made[-1].id
