"""What the file map should have followed: files that are gone, new folders at the top.

Only what the work shows: a commit moved or deleted a file that the map names, or
brought a folder since the map was last written. A map without entries asks for nothing.
"""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING

from gitstate.documents import file_map
from gitstate.errors import printable
from gitstate.git.environment import git, git_fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitstate.workspace import Workspace

MAP = "05-file-map.md"
_LOOKED_AT = 200  # commits, at most
_MOST_MISSING = 200
_NAMED = 5
_MOST_BYTES = 1 << 20
_TIMEOUT_S = 60.0


def gaps(ws: Workspace) -> list[str]:
    """A few words for each, the first few; raises ``GitFailed``."""
    path = ws.state_dir / MAP
    try:
        written = path.lstat().st_mtime
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return []
    named = [entry.path.rstrip("/") for entry in file_map.parse(text).entries]
    if not named:
        return []
    found = [f"{name} is gone" for name in _gone(ws, named)]
    found += [f"{name}/ is new" for name in _new_folders(ws, named, written)]
    more = len(found) - _NAMED
    shown = [printable(words) for words in found[:_NAMED]]
    return [*shown, f"and {more} more"] if more > 0 else shown


def _gone(ws: Workspace, named: Sequence[str]) -> list[str]:
    """Of the paths, those that are not there and that one of the last commits took away."""
    missing = [
        name
        for name in dict.fromkeys(named)
        if _is_inside(name) and not os.path.lexists(ws.root / name)
    ][:_MOST_MISSING]
    if not missing:
        return []
    oldest = _ask(ws, "rev-list", "--first-parent", f"--max-count={_LOOKED_AT}", "HEAD")
    if not oldest:
        return []
    below = f"^{oldest[-1]}^@"  # nothing where it is a root
    args = [
        "log", "-z", "--first-parent", "--diff-merges=first-parent", "--format=",
        "--no-show-signature", "--name-only", "--no-renames", "--diff-filter=D",
        "HEAD", below, "--", *(f":(top,literal){name}" for name in missing),
    ]  # fmt: skip
    fields = git_fields(args, cwd=ws.root, timeout_s=_TIMEOUT_S)
    taken = {os.fsdecode(name).lstrip("\n") for name in islice(fields, 100_000)}
    return [
        name
        for name in missing
        if name in taken or any(path.startswith(f"{name}/") for path in taken)
    ]


def _is_inside(name: str) -> bool:
    """Can it be a path of the worktree's."""
    parts = name.split("/")
    return bool(name) and "\0" not in name and bool(parts[0]) and ".." not in parts


def _new_folders(ws: Workspace, named: Sequence[str], written: float) -> list[str]:
    """Folders at the top of HEAD that came since a moment and that no path leads into."""
    before = _ask(
        ws, "rev-list", "--first-parent", "--max-count=1", f"--before={int(written)}",
        "HEAD",
    )  # fmt: skip
    known = {name.removeprefix("./").partition("/")[0] for name in named}
    known |= {ws.settings.dir.partition("/")[0]}
    old = _folders(ws, before[0]) if before else []
    return [name for name in _folders(ws, "HEAD") if name not in {*known, *old}]


def _folders(ws: Workspace, commit: str) -> list[str]:
    args = ["ls-tree", "-z", "-d", "--name-only", "--full-tree", commit, "--"]
    done = git(args, cwd=ws.root, check=False, timeout_s=_TIMEOUT_S)
    return [os.fsdecode(name) for name in done.stdout.split(b"\0") if name]


def _ask(ws: Workspace, *words: str) -> list[str]:
    done = git([*words, "--"], cwd=ws.root, check=False, timeout_s=_TIMEOUT_S)
    return done.stdout.decode("ascii", "replace").split()
