"""Is the daemon there, and how is it: cheap for any command to ask.

Imports neither the watcher nor the scheduler. Whether it runs is asked of the kernel;
how it is stands in its heartbeat, ``heartbeat.json``, which it writes itself.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from gitstate.daemon.files import read_plain
from gitstate.daemon.instance import holder
from gitstate.values import dataclass
from gitstate.workspace import state_home

if TYPE_CHECKING:
    from pathlib import Path

HEARTBEAT = "heartbeat.json"
BEAT_S = 10.0
# A daemon that is stopped, or hangs, is not healthy, whatever it wrote last.
SILENT_S = 3 * BEAT_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Tending:
    """How one worktree is looked after."""

    root: str
    watching: bool
    mode: str
    last_scan_age_s: float | None
    version: int | None
    healthy: bool
    problem: str | None

    def as_json(self) -> dict[str, object]:
        """The fields of ``daemon status --json``."""
        return {
            "root": self.root,
            "watching": self.watching,
            "mode": self.mode,
            "last_scan_age_s": self.last_scan_age_s,
            "version": self.version,
            "healthy": self.healthy,
            "problem": self.problem,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """The daemon as seen from outside; ``pid`` is 0 where its number means nothing here."""

    running: bool
    pid: int | None = None
    version: str | None = None
    executable: str | None = None
    heartbeat_age_s: float | None = None
    repositories: tuple[Tending, ...] = ()

    def of(self, root: Path) -> Tending | None:
        """How the worktree at ``root`` is looked after; ``None`` when it is not."""
        return next(
            (item for item in self.repositories if item.root == str(root)), None
        )

    def as_json(self) -> dict[str, object]:
        """The document of ``daemon status --json``."""
        return {
            "running": self.running,
            "pid": self.pid,
            "version": self.version,
            "executable": self.executable,
            "heartbeat_age_s": self.heartbeat_age_s,
            "repositories": [item.as_json() for item in self.repositories],
        }


def presence(home: Path | None = None) -> Presence:
    """The daemon of this user, as the kernel and its heartbeat tell; never raises."""
    home = home or state_home()
    pid = holder(home)
    if pid is None:
        return Presence(running=False)
    beat = read_heartbeat(home)
    if beat is None or (pid and beat.get("pid") != pid):
        return Presence(running=True, pid=pid)  # it has just begun
    now = time.time()
    age = _age(now, beat["time"])
    silent = age is not None and age > SILENT_S
    rows = beat.get("repositories")
    return Presence(
        running=True,
        pid=pid,
        version=_text(beat.get("version")),
        executable=_text(beat.get("executable")),
        heartbeat_age_s=age,
        repositories=tuple(
            _tending(row, now, age if silent else None)
            for row in (rows if isinstance(rows, list) else [])
            if isinstance(row, dict)
        ),
    )


def _tending(row: dict[str, Any], now: float, silent_s: float | None) -> Tending:
    version = row.get("version")
    problem = _text(row.get("problem"))
    if silent_s is not None:
        problem = f"the daemon has not answered for {int(silent_s)} s"
    return Tending(
        root=_text(row.get("root")) or "",
        watching=row.get("watching") is True and silent_s is None,
        mode="watch" if row.get("mode") == "watch" else "poll",
        last_scan_age_s=_age(now, row.get("last_scan")),
        version=version if isinstance(version, int) else None,
        healthy=row.get("healthy") is True and silent_s is None,
        problem=problem,
    )


def read_heartbeat(home: Path) -> dict[str, Any] | None:
    """What the daemon last wrote of itself; ``None`` where there is nothing sensible.

    ``time``, in seconds since 1970, is when it last touched the file.
    """
    path = home / HEARTBEAT
    try:
        found = json.loads(read_plain(path))
        moment = path.stat().st_mtime
    except (OSError, ValueError, RecursionError):
        return None
    return {**found, "time": moment} if isinstance(found, dict) else None


def _age(now: float, moment: object) -> float | None:
    if isinstance(moment, bool) or not isinstance(moment, int | float):
        return None
    return round(max(0.0, now - moment), 3)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
