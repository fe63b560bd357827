"""What killed processes left behind, found and removed; small packs become few."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from gitstate.errors import GitstateError
from gitstate.git.packing import consolidate, mend_multi_pack_index, overdue
from gitstate.history import spool
from gitstate.history.identity import heads_folder
from gitstate.late import late
from gitstate.workspace import state_home

if TYPE_CHECKING:
    from gitstate.git.engine import Engine
    from gitstate.workspace import Workspace

_EVERY = 64  # versions
_STALE_S = 3600.0
# as `files.replace_file` names them, and the hook `post-rewrite`
_BESIDE = late(r".+\.\d+-[0-9a-f]{8}\.tmp|told\.\d+")


def tidy_up(ws: Workspace, engine: Engine, number: int) -> None:
    """After version ``number`` was made: pack where it is time to, and sweep.

    Never raises: the version stands, whatever becomes of this.
    """
    with contextlib.suppress(GitstateError, OSError):
        mend_multi_pack_index(engine.packs, root=ws.root)
        if overdue(engine.packs, engine.packs.at_hand()) or number % _EVERY == 0:
            sweep(ws)
            engine.packs.sweep(time.time())
            consolidate(engine.packs, root=ws.root, scratch=ws.shared)


def sweep(ws: Workspace) -> None:
    """Remove the half-written files of processes that were killed an hour ago."""
    folders = (
        *(ws.runtime, ws.shared, ws.common_dir / "info"),
        *(heads_folder(), state_home()),  # the daemon's own files, too
    )
    for folder in dict.fromkeys(folders):
        with contextlib.suppress(OSError):
            for path in list(folder.iterdir()):
                with contextlib.suppress(FileNotFoundError):
                    old = time.time() - path.lstat().st_mtime > _STALE_S
                    if old and _BESIDE.fullmatch(path.name):
                        path.unlink()
    spool.sweep(ws, older_s=_STALE_S)
