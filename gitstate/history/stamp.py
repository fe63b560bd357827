"""What a briefing says first of the state: version, age, and what moved beside it.

Read from the anchor, the numbers cache and a git process or two: no pygit2, which takes
as long to load as all of this.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from gitstate import clock
from gitstate.errors import GitFailed, GitstateError, ObjectDamaged
from gitstate.git.asking import objects
from gitstate.git.environment import git
from gitstate.git.objects import parse_commit, parse_tree
from gitstate.history.anchor import read_anchors
from gitstate.history.record import trailers_of
from gitstate.values import dataclass, field

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitstate.git.asking import Found
    from gitstate.history.editing import Files
    from gitstate.workspace import Workspace

_MOST_CHANGED = 20
_LONG = "long_mem"
_HEX = re.compile(r"[0-9a-f]{4,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """The newest version and what came after it; each ``None`` where it is not known.

    ``saved``: the version from before a compaction. ``changed``: files of the state that
    differ from it. ``edited``: numbered files that are in no version yet. ``missing``:
    such as the newest version has and the directory has not. ``commits``: code commits
    since that version was made. ``trouble``: why the line is not
    as gitstate left it. ``held``: the blob id of each file of that version by its name.
    """

    version: int | None = None
    commit: str | None = None
    age_s: float | None = None
    saved: int | None = None
    changed: tuple[str, ...] | None = None
    commits: int | None = None
    edited: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    trouble: str | None = None
    held: Mapping[str, str] = field(default_factory=dict)


def stamp_of(ws: Workspace, files: Files, saved: int | None = None) -> Stamp:
    """The stamp of the state as ``files`` has it; what git cannot tell stays ``None``."""
    anchor = read_anchors(ws).get(ws.line)
    if anchor is None:
        return Stamp(saved=saved, trouble="no version was made here yet")
    head = anchor.head
    version = branch = here = tree = below = None
    with suppress(GitstateError):
        top = f"{head}:{ws.tree_path}"
        names = [head, ws.ref, "HEAD", top, f"{top}/{_LONG}"]
        version, branch, here, tree, below = objects(names, cwd=ws.root)
    age_s, code = _said(version)
    trouble = None if age_s is not None else f"v{anchor.version} cannot be read"
    on_it = branch is not None and branch.id == head
    if trouble is None and anchor.branch is None and not on_it:
        trouble = "the branch is not where gitstate left it: `gitstate fsck`"
    held = _held(ws, tree)
    edited, missing = _edited(files, held)
    held |= {f"{_LONG}/{name}": id_ for name, id_ in _held(ws, below).items()}
    return Stamp(
        version=anchor.version,
        commit=head,
        age_s=age_s,
        saved=saved,
        changed=_changed(ws, saved, head) if saved is not None else None,
        commits=_commits(ws, code, here),
        edited=edited,
        missing=missing,
        trouble=trouble,
        held=held,
    )


def _said(version: Found | None) -> tuple[float | None, str | None]:
    """How long ago a version was made, and at which code commit."""
    if version is None or version.kind != "commit":
        return None, None
    with suppress(ObjectDamaged):
        commit = parse_commit(version.id, version.data)
        rows = trailers_of(commit.message)
        named = [one for key, one in rows if key == "Code-Head" and _HEX.fullmatch(one)]
        age_s = max(0.0, clock.epoch_now() - commit.author.time)
        return age_s, named[-1] if named else None
    return None, None


def _commits(ws: Workspace, code: str | None, here: Found | None) -> int | None:
    if code is None:
        return None
    if here is not None and here.id.startswith(code):
        return 0
    with suppress(GitFailed, ValueError):
        args = ["rev-list", "--count", f"{code}..HEAD", "--"]
        return int(git(args, cwd=ws.root).stdout)
    return None


def _changed(ws: Workspace, saved: int, head: str) -> tuple[str, ...] | None:
    """Which files differ from the version that was saved."""
    from gitstate.history.numbers import Numbers  # noqa: PLC0415 only where it is asked

    row = Numbers.cached(ws).find(saved)
    if row is None:
        return None
    args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", row.commit, head]
    with suppress(GitFailed):
        return _names(ws, git(args, cwd=ws.root).stdout)[:_MOST_CHANGED]
    return None


def _names(ws: Workspace, raw: bytes) -> tuple[str, ...]:
    prefix = f"{ws.tree_path}/"
    names = [os.fsdecode(name) for name in raw.split(b"\0") if name]
    return tuple(name.removeprefix(prefix) for name in names)


def _held(ws: Workspace, tree: Found | None) -> dict[str, str]:
    """A tree's entries by name; none where it is no tree."""
    if tree is None or tree.kind != "tree":
        return {}
    rows = parse_tree(tree.data, ws.object_format)
    return {os.fsdecode(row.name): row.id for row in rows}


def _edited(
    files: Files, held: Mapping[str, str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The numbered files that are not as the version has them, and those that are gone."""
    from gitstate.memory.shelf import numbered  # noqa: PLC0415 as its callers do

    if not held:
        return (), ()
    edited = tuple(
        name
        for name in numbered(files)
        if _id(files, name) not in {None, held.get(name)}
    )
    there = set(files.names(""))
    missing = (name for name in held if name not in there and _is_numbered(name))
    return edited, tuple(missing)


def _is_numbered(name: str) -> bool:
    return name[:1].isdigit() and name.endswith(".md")


def _id(files: Files, name: str) -> str | None:
    with suppress(GitstateError):
        content = files.content(name)
        return None if content is None else content.id
    return None
