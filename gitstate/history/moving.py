"""Moving a ref of the line: announced before, and past a lock that a killed gitstate left.

Each move is a compare-and-swap under git's own lock file. A process that is killed
while it holds that file leaves it for ever, so the move is announced just before.
"""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from gitstate import lock
from gitstate.errors import RefLocked, RefMoved
from gitstate.git.command import locked_text
from gitstate.history.announcements import announce, announced, withdraw
from gitstate.history.line import place_of

if TYPE_CHECKING:
    from gitstate.git.engine import Engine
    from gitstate.workspace import Workspace

LOCK_PATIENCE_S = 1.0  # while gc packs refs a lock is taken for some milliseconds
_PAUSE_S = 0.02
_AT_ONCE_S = 10.0


def move(  # noqa: PLR0913 as `swap_ref`
    ws: Workspace,
    engine: Engine,
    name: str,
    *,
    old: str | None,
    new: str | None,
    reason: str,
    durable: bool = True,
) -> None:
    """Set ``name`` from ``old`` to ``new``, with gitstate's lock held.

    The announcement stays until ``arrived`` or ``withdraw``. Raises
    ``RefMoved`` or ``RefLocked``; then it is taken back, and nothing moved.
    """
    subject = new or old or ""
    with contextlib.suppress(OSError):  # a folder outside that cannot be written
        announce(ws, subject)
    try:
        try:
            engine.swap_ref(name, old=old, new=new, reason=reason, durable=durable)
        except RefLocked:
            if not _remove_stale_lock(ws, name):
                raise
            engine.swap_ref(name, old=old, new=new, reason=reason, durable=durable)
    except (RefMoved, RefLocked):
        withdraw(ws, subject)
        raise


def move_alone(  # noqa: PLR0913 as `move`
    ws: Workspace,
    engine: Engine,
    name: str,
    *,
    old: str | None,
    new: str | None,
    reason: str,
    durable: bool = True,
) -> None:
    """``move``, where no version is made and the anchor does not follow."""
    move(ws, engine, name, old=old, new=new, reason=reason, durable=durable)
    withdraw(ws, new or old or "")


def require_unlocked(ws: Workspace, name: str) -> None:
    """Raise ``RefLocked`` where git's lock of a ref stays taken.

    Asked before a version's objects are written: with a stale lock it is tried again
    every cycle, for days, and what is in our packs stays there for ever.
    """
    path = ws.common_dir / f"{name}.lock"
    deadline = time.monotonic() + LOCK_PATIENCE_S
    while path.exists():
        if time.monotonic() >= deadline:
            if not _remove_stale_lock(ws, name):
                raise RefLocked(locked_text(place_of(ws), name))
            return
        time.sleep(_PAUSE_S)


def _remove_stale_lock(ws: Workspace, name: str) -> bool:
    """Remove git's lock of a ref if a killed gitstate left it; says whether it did.

    The caller holds gitstate's lock, so no other gitstate is at it: a git lock that
    holds an announced id, or, being empty, was made right after an announcement, is a
    dead process's. Where there is no flock nobody can know.
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
