"""The daemon put together: the loop, the real work, and the surroundings."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitstate.daemon.mending import Mending
from gitstate.daemon.service import Service
from gitstate.daemon.surroundings import leave_behind
from gitstate.history import links
from gitstate.history.derived import take
from gitstate.history.line import engine_for
from gitstate.workspace import state_home

if TYPE_CHECKING:
    from gitstate.git.packing import Packed
    from gitstate.workspace import Workspace


def run_forever() -> None:
    """Be the daemon until SIGTERM or SIGINT; everything is saved when it returns.

    Raises ``AlreadyRunning`` or ``CannotWrite``. Changes this process's environment,
    folder and mask.
    """
    from gitstate.daemon.jobs import scheduled  # noqa: PLC0415 not for a single pass

    leave_behind()
    with Service(
        state_home(), take=take, mend=Mending(), link=links.process, pack=pack
    ) as service:
        service.run(scheduled)
        if not service.idle():  # a thread that hangs would keep the process
            os._exit(0)


def run_once() -> list[str]:
    """Look at every registered worktree once; returns one line for each problem."""
    leave_behind()
    with Service(
        state_home(), take=take, mend=Mending(), link=links.process, pack=pack
    ) as service:
        return service.run_once()


def pack(ws: Workspace) -> Packed:
    """Merge gitstate's small packs of a repository, and sweep what was left behind."""
    from gitstate.git.packing import consolidate  # noqa: PLC0415 not at the start
    from gitstate.history.tidying import sweep  # noqa: PLC0415 the same

    sweep(ws)
    with engine_for(ws) as engine:
        return consolidate(engine.packs, root=ws.root, scratch=ws.shared)
