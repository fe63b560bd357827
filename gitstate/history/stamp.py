"""What a briefing says first of the state: version, age, and what moved beside it.

Read from the anchor, the numbers cache and a few git processes: no pygit2, which takes
as long to load as all of this.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from gitstate import clock
from gitstate.errors import GitFailed, GitstateError
from gitstate.git.command import ref_by_git
from gitstate.git.environment import git
from gitstate.history import numbers
from gitstate.history.anchor import read_anchors
from gitstate.values import dataclass

if TYPE_CHECKING:
    from gitstate.history.editing import Files
    from gitstate.workspace import Workspace

_MOST_CHANGED = 20
_HEX = re.compile(r"[0-9a-f]{4,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """The newest version and what came after it; each ``None`` where it is not known.

    ``saved``: the version from before a compaction. ``changed``: files of the state that
    differ from it. ``edited``: numbered files that are in no version yet. ``missing``:
    such as the newest version has and the directory has not. ``commits``: code commits
    since that version was made. ``trouble``: why the line is not
    as gitstate left it.
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


def stamp_of(ws: Workspace, files: Files, saved: int | None = None) -> Stamp:
    """The stamp of the state as ``files`` has it; what git cannot tell stays ``None``."""
    anchor = read_anchors(ws).get(ws.line)
    if anchor is None:
        return Stamp(saved=saved, trouble="no version was made here yet")
    head, age_s, code = anchor.head, None, None
    with suppress(GitstateError):
        said = _said(ws, head)
        if said is not None:
            age_s = max(0.0, clock.epoch_now() - said[0])
            code = said[1]
    trouble = None if age_s is not None else f"v{anchor.version} cannot be read"
    if trouble is None and anchor.branch is None:
        with suppress(GitstateError):
            if ref_by_git(ws.root, ws.ref) != head:
                trouble = "the branch is not where gitstate left it: `gitstate fsck`"
    edited, missing = _edited(ws, files, head)
    return Stamp(
        version=anchor.version,
        commit=head,
        age_s=age_s,
        saved=saved,
        changed=_changed(ws, saved, head) if saved is not None else None,
        commits=_commits(ws, code),
        edited=edited,
        missing=missing,
        trouble=trouble,
    )


def _said(ws: Workspace, commit: str) -> tuple[int, str | None] | None:
    """When a version was made, and at which code commit."""
    form = "--format=%at%n%(trailers:key=Code-Head,valueonly,separator=%x0a)"
    done = git(["log", "-1", form, commit, "--"], cwd=ws.root, check=False)
    time, _, heads = done.stdout.decode("utf-8", "replace").partition("\n")
    if done.returncode != 0 or not time.isdigit():
        return None
    named = [word for word in heads.split() if _HEX.fullmatch(word)]
    return int(time), named[-1] if named else None


def _commits(ws: Workspace, code: str | None) -> int | None:
    if code is None:
        return None
    with suppress(GitFailed, ValueError):
        args = ["rev-list", "--count", f"{code}..HEAD", "--"]
        return int(git(args, cwd=ws.root).stdout)
    return None


def _changed(ws: Workspace, saved: int, head: str) -> tuple[str, ...] | None:
    """Which files differ from the version that was saved."""
    row = numbers.Numbers.cached(ws).find(saved)
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


def _edited(
    ws: Workspace, files: Files, head: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The numbered files that are not as the version has them, and those that are gone."""
    from gitstate.memory.shelf import numbered  # noqa: PLC0415 as its callers do

    args = ["ls-tree", "-z", f"{head}:{ws.tree_path}"]
    with suppress(GitFailed):
        held = dict(map(_row, filter(None, git(args, cwd=ws.root).stdout.split(b"\0"))))
        edited = tuple(
            name
            for name in numbered(files)
            if _id(files, name) not in {None, held.get(name)}
        )
        there = set(files.names(""))
        missing = (name for name in held if name not in there and _is_numbered(name))
        return edited, tuple(missing)
    return (), ()


def _is_numbered(name: str) -> bool:
    return name[:1].isdigit() and name.endswith(".md")


def _row(row: bytes) -> tuple[str, str]:
    about, _, name = row.partition(b"\t")
    return os.fsdecode(name), about.split()[2].decode("ascii")


def _id(files: Files, name: str) -> str | None:
    with suppress(GitstateError):
        content = files.content(name)
        return None if content is None else content.id
    return None
