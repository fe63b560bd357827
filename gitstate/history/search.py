"""Find a text in the state as it is, in what was moved out of it, and in every version.

Each distinct folder and file of the history is read once, by its id, however many
versions have it. A line that stands in the state as it is, wherever, is found there and
not again in the versions; one that is gone is found in the newest version that has it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitstate.documents import NUMBERED
from gitstate.errors import ObjectDamaged, ObjectMissing
from gitstate.git.objects import LINK, TREE
from gitstate.history.line import read_line
from gitstate.history.look import scan_state
from gitstate.history.record import record_of
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitstate.git.engine import Engine
    from gitstate.git.objects import Commit
    from gitstate.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Hit:
    """A line with the text: the version (``None``: the state as it is), file and line."""

    version: int | None
    commit: Commit | None
    file: str
    line: int
    text: str


@dataclass(slots=True)
class Searched:
    """What was found, newest first, and how many objects could not be read."""

    hits: list[Hit]
    unread: int = 0


def search(ws: Workspace, engine: Engine, text: str) -> Searched:
    """Find a text of one line, as it is written; capitals count where it has some.

    Raises ``Refused`` where the state directory cannot be read.
    """
    matches = _matcher(text)
    present = scan_state(ws).files
    hits: list[Hit] = []
    for path, content in sorted(present.items(), key=lambda item: _rank(item[0])):
        if content.mode != LINK:
            lines = matches(content.data or b"")
            hits += [Hit(None, None, os.fsdecode(path), *line) for line in lines]
    said = {hit.text.strip() for hit in hits}
    seen = {content.id for content in present.values()}
    found = Searched(hits)
    for version, commit in _versions(ws, engine, found):
        try:
            top = _state_tree(engine, commit.tree, ws.tree_path)
        except (ObjectMissing, ObjectDamaged):
            found.unread += 1
            continue
        for path, data in _blobs(engine, top, seen, found):
            for number, line in matches(data):
                if line.strip() not in said:
                    said.add(line.strip())
                    found.hits.append(
                        Hit(version, commit, os.fsdecode(path), number, line)
                    )
    return found


def _rank(path: bytes) -> tuple[int, bytes]:
    """The numbered files in their order, then what stands in folders."""
    known = [os.fsencode(name) for name in NUMBERED]
    return (0 if path in known else 1 if b"/" not in path else 2), path


def _matcher(text: str) -> Callable[[bytes], list[tuple[int, str]]]:
    exact = text != text.lower()
    wanted = text if exact else text.lower()
    # bytes are looked at first: in most files there is nothing
    raw = text.encode("utf-8", "surrogateescape")
    quick = exact or text.isascii()

    def matches(data: bytes) -> list[tuple[int, str]]:
        # "İ".lower() and the sign of Kelvin have ASCII in them: only what is ASCII is sure
        sure = exact or data.isascii()
        if quick and sure and raw not in (data if exact else data.lower()):
            return []
        lines = data.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
        return [
            (number, line)
            for number, line in enumerate(lines, 1)
            if wanted in (line if exact else line.lower())
        ]

    return matches


def _versions(
    ws: Workspace, engine: Engine, found: Searched
) -> Iterator[tuple[int, Commit]]:
    """All versions, those that a squash or repair replaced too, newest first."""
    tips = [read_line(ws, engine).tip]
    tips += engine.refs(f"refs/gitstate/archive/{ws.line}/").values()
    commits: dict[str, tuple[int, Commit]] = {}
    for tip in filter(None, tips):
        try:
            for commit in engine.walk(tip):
                if commit.id in commits:
                    break
                record = record_of(commit)
                number = record.version if record is not None else -1
                commits[commit.id] = number, commit
        except (ObjectMissing, ObjectDamaged):
            found.unread += 1
    versions = (one for one in commits.values() if one[0] >= 0)
    yield from sorted(versions, key=lambda one: one[0], reverse=True)


def _state_tree(engine: Engine, tree: str, tree_path: str) -> str | None:
    """The tree of the state directory in a version; ``None`` where it has none."""
    for part in tree_path.split("/"):
        name = os.fsencode(part)
        rows = engine.tree(tree)
        below = [row.id for row in rows if row.name == name and row.mode == TREE]
        if not below:
            return None
        tree = below[0]
    return tree


def _blobs(
    engine: Engine, top: str | None, seen: set[str], found: Searched
) -> Iterator[tuple[bytes, bytes]]:
    """The files of a tree that were not ``seen``, sorted by path, with their bytes."""
    waiting = [] if top is None or top in seen else [(b"", top)]
    blobs: list[tuple[bytes, str]] = []
    while waiting:
        prefix, tree = waiting.pop()
        seen.add(tree)
        try:
            rows = engine.tree(tree)
        except (ObjectMissing, ObjectDamaged):
            found.unread += 1
            continue
        for row in rows:
            if row.id in seen:
                continue
            if row.mode == TREE:
                waiting.append((prefix + row.name + b"/", row.id))
            elif row.mode != LINK:
                seen.add(row.id)
                blobs.append((prefix + row.name, row.id))
    for path, identity in sorted(blobs, key=lambda one: _rank(one[0])):
        try:
            yield path, engine.blob(identity)
        except (ObjectMissing, ObjectDamaged):
            found.unread += 1
