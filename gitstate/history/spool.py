"""What the hooks left: code commits that wait for their link.

``<git-dir>/gitstate/links/`` holds, for each commit, ``<id>.v`` (one line: the gate's
verdict and reason, or ``unseen`` where it did not run) and, when there was one, ``<id>``
(the task file's bytes at the commit); ``rewrite.<pid>`` holds what git told
post-rewrite, the first line saying ``amend`` or ``rebase``; ``look`` asks for commits
that came past the hooks. A file is removed only after its note was written: whoever is
killed in between repeats the work.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from typing import TYPE_CHECKING

from gitstate import clock
from gitstate.git.objects import object_id
from gitstate.history.rule import CHECKS, NO_TASK
from gitstate.values import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from gitstate.workspace import Workspace

_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_HALF_WRITTEN_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One commit: what the gate said of it, and the task file's bytes at the commit.

    ``check`` is empty where the gate did not see it, and ``reason`` then may say why.
    ``when``: seconds since 1970 by the clock that versions have; ``written_ns``: the
    same moment by the file system's.
    """

    commit: str
    check: str
    reason: str
    task: str
    data: bytes | None
    when: float
    written_ns: int


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What one post-rewrite told: ``amend`` or ``rebase``, and old and new ids in order."""

    path: Path
    command: str
    pairs: tuple[tuple[str, str], ...]


def folder(ws: Workspace) -> Path:
    """Where the hooks leave it."""
    return ws.runtime / "links"


def waiting(ws: Workspace) -> list[Waiting]:
    """The commits that wait, oldest first."""
    found = []
    for path in _files(ws):
        identity = path.name.removesuffix(".v")
        if path.name == identity or not _ID.fullmatch(identity):
            continue
        with contextlib.suppress(OSError):
            entry = _waiting(ws, path, identity)
            if entry is not None:
                found.append(entry)
    return sorted(found, key=lambda item: item.written_ns)


def _waiting(ws: Workspace, path: Path, identity: str) -> Waiting | None:
    text = path.read_text("utf-8", "replace")
    written_ns = path.stat().st_mtime_ns
    age_s = time.time() - written_ns / 1e9
    if not text.endswith("\n") and 0 <= age_s < _HALF_WRITTEN_S:
        return None  # it is being written at this moment
    check, _, reason = text.strip().partition(" ")
    if check not in CHECKS:
        check = ""
    data = None
    with contextlib.suppress(FileNotFoundError):
        data = (folder(ws) / identity).read_bytes()
    return Waiting(
        commit=identity,
        check=check,
        reason=reason,
        task=NO_TASK if data is None else object_id("blob", data, ws.object_format),
        data=data,
        when=clock.epoch_now() - age_s,
        written_ns=written_ns,
    )


def rewrites(ws: Workspace) -> list[Rewrite]:
    """What post-rewrite told, oldest first."""
    found: list[tuple[float, Rewrite]] = []
    for path in _files(ws):
        if not path.name.startswith("rewrite."):
            continue
        with contextlib.suppress(OSError):
            lines = path.read_text("utf-8", "replace").splitlines()
            rows = [line.split() for line in lines[1:]]
            pairs = tuple(
                (row[0], row[1])
                for row in rows
                # an amend that changes nothing within a second makes the same commit
                if len(row) > 1
                and row[0] != row[1]
                and _ID.fullmatch(row[0])
                and _ID.fullmatch(row[1])
            )
            command = lines[0].strip() if lines else ""
            found.append((path.stat().st_mtime, Rewrite(path, command, pairs)))
    return [rewrite for _, rewrite in sorted(found, key=lambda item: item[0])]


def asked_to_look(ws: Workspace) -> bool:
    """Did a hook say that commits may have come past the hooks."""
    return (folder(ws) / "look").exists()


def anything(ws: Workspace) -> bool:
    """Is there anything to do; costs one listing."""
    return any(
        name == "look"
        or name.startswith("rewrite.")
        or (name.endswith(".v") and _ID.fullmatch(name[:-2]))
        for name in names(ws)
    )


def names(ws: Workspace) -> list[str]:
    """What is there, by name."""
    try:
        return sorted(os.listdir(f"{ws.runtime}/links"))  # noqa: PTH208 hot: each scan asks
    except OSError:
        return []


def done(
    ws: Workspace, commits: list[str], told: list[Rewrite], *, looked: bool
) -> None:
    """Forget what was worked off; the verdict goes first, so nothing is seen half."""
    with contextlib.suppress(OSError):
        for commit in commits:
            (folder(ws) / f"{commit}.v").unlink(missing_ok=True)
            (folder(ws) / commit).unlink(missing_ok=True)
        for rewrite in told:
            rewrite.path.unlink(missing_ok=True)
        if looked:
            (folder(ws) / "look").unlink(missing_ok=True)


def sweep(ws: Workspace, *, older_s: float) -> None:
    """Remove the bytes that hooks left which were killed before they left a verdict."""
    files = _files(ws)
    there = {path.name for path in files}
    for path in files:
        if _ID.fullmatch(path.name) and f"{path.name}.v" not in there:
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime > older_s:
                    path.unlink()


def _files(ws: Workspace) -> list[Path]:
    return [folder(ws) / name for name in names(ws)]
