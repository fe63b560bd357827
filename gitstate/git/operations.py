"""Is a rebase, merge, cherry-pick, revert, am or bisect under way in this worktree."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from gitstate.files import read_bytes

if TYPE_CHECKING:
    from pathlib import Path

# the files by which git itself tells (its wt-status)
_SIGNS = (
    ("rebase-merge", "rebase"),
    ("rebase-apply/applying", "am"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("sequencer", "cherry-pick or revert"),
    ("BISECT_LOG", "bisect"),
)
_BRANCH_HOLDERS = (
    "HEAD",
    "rebase-merge/head-name",
    "rebase-apply/head-name",
    "BISECT_START",
)


def under_way(git_dir: Path) -> str | None:
    """The operation that is under way, or ``None``."""
    for sign, name in _SIGNS:
        if os.path.exists(f"{git_dir}/{sign}"):  # noqa: PTH110 a third of the cost
            return name
    return None


def worktree_dirs(common_dir: Path) -> list[Path]:
    """The git dirs of all worktrees: the main one first."""
    found = [common_dir]
    with contextlib.suppress(OSError):
        found += sorted((common_dir / "worktrees").iterdir())
    return found


def worktree_of(git_dir: Path) -> Path:
    """The folder that a worktree's git dir belongs to, for messages."""
    with contextlib.suppress(OSError):
        link = os.fsdecode((git_dir / "gitdir").read_bytes()).rstrip("\n")
        return (git_dir / link).parent.resolve()
    return git_dir.parent if git_dir.name == ".git" else git_dir


def holder_of(common_dir: Path, ref: str) -> Path | None:
    """The git dir of a worktree in which the branch ``ref`` is checked out or in use.

    Moving such a branch would show the user phantom staged changes (known report 16).
    """
    raw = ref.encode("utf-8", "surrogateescape")
    names = {raw, b"ref: " + raw}
    for git_dir in worktree_dirs(common_dir):
        for name in _BRANCH_HOLDERS:
            try:  # each version asks
                text = read_bytes(f"{git_dir}/{name}").strip()
            except OSError:
                continue
            if text in names or (
                name == "BISECT_START" and text == raw.removeprefix(b"refs/heads/")
            ):
                return git_dir
    return None
