"""The one door from the commands to the daemon, which is loaded only behind it.

``gitstate`` itself works without the daemon: nothing in here is needed to make,
read or restore a version.
"""

from __future__ import annotations

import importlib
import time
from typing import TYPE_CHECKING

from gitstate.errors import GitstateError
from gitstate.values import dataclass

if TYPE_CHECKING:
    from types import ModuleType

    from gitstate.workspace import Workspace

# a daemon that runs sees a new entry within a second and looks at once
_WATCHED_S = 5.0
_PAUSE_S = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The daemon, and how it looks after one worktree."""

    running: bool
    pid: int | None
    heartbeat_age_s: float | None
    registered: bool
    watching: bool
    mode: str | None
    problem: str | None


def _load(name: str) -> ModuleType:
    return importlib.import_module(f"gitstate.daemon.{name}")


def seen(ws: Workspace) -> Seen:
    """How the daemon looks after this worktree; reads, and changes nothing."""
    now = _load("presence").presence()
    mine = now.of(ws.root)
    try:
        listed = _load("registry").listing().entries
    except GitstateError:  # unreadable, or a newer gitstate's: then the heartbeat tells
        listed = ()
    return Seen(
        running=bool(now.running),
        pid=now.pid,
        heartbeat_age_s=now.heartbeat_age_s,
        registered=mine is not None or any(entry.root == ws.root for entry in listed),
        watching=bool(mine and mine.watching and mine.healthy),
        mode=mine.mode if mine else None,
        problem=mine.problem if mine else None,
    )


def register(ws: Workspace) -> tuple[bool, tuple[str, ...]]:
    """Have the daemon look after this worktree: was that new, and warnings."""
    new, warnings = _load("registry").add(ws)
    return bool(new), tuple(warnings)


def wait_until_watched(ws: Workspace) -> bool:
    """Wait until the daemon looks after this worktree: it sees the registry each second."""
    presence = _load("presence").presence
    deadline = time.monotonic() + _WATCHED_S
    while True:
        mine = presence().of(ws.root)
        if mine is not None and mine.last_scan_age_s is not None:
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(_PAUSE_S)


def unregister(ws: Workspace) -> bool:
    """No longer; says whether it was registered."""
    return bool(_load("registry").remove(ws.root)[0])


def revive(ws: Workspace) -> bool:
    """Start the daemon that looked after this worktree until it was killed.

    Says whether it was started. Raises ``GitstateError``.
    """
    entries = _load("registry").listing().entries
    if not any(entry.root == ws.root for entry in entries):
        return False
    return _load("autostart").revive() is not None


def start() -> str:
    """Have the daemon running; returns a line that says how it came about."""
    done = _load("autostart").start()
    if done.how == "running":
        return f"the daemon runs (pid {done.pid})"
    again = "restarted" if done.restarted else "started"
    by = "" if done.how == "detached" else f" by {done.how}"
    return f"{again} the daemon{by} (pid {done.pid})"
