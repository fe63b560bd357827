"""What killed processes left behind, found and removed; small packs become few."""

from __future__ import annotations

import contextlib
import os
import re
import time
from typing import TYPE_CHECKING

from gitstate import lock
from gitstate.errors import GitstateError
from gitstate.git.packing import consolidate, overdue
from gitstate.history.anchor import announced, heads_folder

if TYPE_CHECKING:
    from gitstate.git.engine import Engine
    from gitstate.workspace import Workspace

_EVERY = 64  # versions
_STALE_S = 3600.0
_AT_ONCE_S = 10.0
_BESIDE = re.compile(r".+\.\d+-[0-9a-f]{8}\.tmp")  # as `files.replace_file` names them


def tidy_up(ws: Workspace, engine: Engine, number: int) -> None:
    """After version ``number`` was made: pack where it is time to, and sweep.

    Never raises: the version stands, whatever becomes of this.
    """
    with contextlib.suppress(GitstateError, OSError):
        if overdue(engine.packs) or number % _EVERY == 0:
            sweep(ws)
            engine.packs.sweep(time.time())
            consolidate(engine.packs, root=ws.root, scratch=ws.shared)


def sweep(ws: Workspace) -> None:
    """Remove the half-written files of processes that were killed an hour ago."""
    folders = (ws.runtime, ws.shared, heads_folder(), ws.common_dir / "info")
    for folder in dict.fromkeys(folders):
        with contextlib.suppress(OSError):
            for entry in os.scandir(folder):
                if (
                    _BESIDE.fullmatch(entry.name)
                    and time.time() - entry.stat().st_mtime > _STALE_S
                ):
                    os.unlink(entry.path)  # noqa: PTH108 a DirEntry


def remove_stale_lock(ws: Workspace, name: str) -> bool:
    """Remove git's lock of a ref if a killed gitstate left it; says whether it did.

    A version is announced just before its ref is locked. The caller holds gitstate's
    lock, so no other gitstate is at it: a git lock that holds an announced id, or, being
    empty, was made right after an announcement, is a dead process's. Where there is no
    flock nobody can know.
    """
    path = ws.common_dir / f"{name}.lock"
    coming = announced(ws)
    try:
        made = path.stat().st_mtime
        held = path.read_bytes().decode("ascii", "replace").strip()
    except OSError:
        return False
    if held:
        ours = any(item.startswith(held) for item in coming)
    else:
        ours = any(0 <= made - since < _AT_ONCE_S for since in coming.values())
    if not ours or not lock.is_held(ws.lock_path):
        return False
    path.unlink(missing_ok=True)
    return True
