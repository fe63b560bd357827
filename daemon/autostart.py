"""How the daemon starts, stops, and comes back at the next login.

Through a systemd user unit or a launchd agent, or as a plain detached process where
neither answers.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import gitstate
from gitstate import lock
from gitstate.daemon import managers
from gitstate.daemon.files import make_home
from gitstate.daemon.instance import holder, terminate, wait_until_gone
from gitstate.daemon.logs import tail
from gitstate.daemon.presence import presence, read_heartbeat
from gitstate.daemon.surroundings import scrubbed
from gitstate.errors import CannotWrite, Refused
from gitstate.values import dataclass
from gitstate.workspace import state_home

if TYPE_CHECKING:
    from pathlib import Path

START_S = 15.0
STOP_S = 40.0  # the daemon gives itself 20 to save everything
_START_LOCK = "start.lock"
_REST_S = 10.0
_STOPPED = "stopped"  # there: whoever uses this machine wants no daemon for now


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """What ``start`` came to: ``how`` is ``running``, ``systemd``, ``launchd`` or ``detached``."""

    pid: int
    how: str
    restarted: bool = False


def command() -> list[str]:
    """The argument list that is the daemon."""
    # -P: neither the folder it stands in nor a script's own is searched for modules
    return [sys.executable, "-P", "-m", "gitstate.daemon"]


def wanted() -> bool:
    """May a daemon be started without being asked for: not under ``CI``."""
    return not os.environ.get("CI")


def ensure() -> Started | None:
    """``start``, where a daemon may be started without being asked for."""
    return start() if wanted() else None


def revive(home: Path | None = None) -> Started | None:
    """``start``, where the daemon ran once, ended, and nobody stopped it.

    The machine was restarted, or something killed it. One that ends again and again is
    left alone for some seconds each time. Raises as ``start``.
    """
    home = home or state_home()
    beat = read_heartbeat(home)
    if beat is None or (home / _STOPPED).exists():
        return None
    if beat["time"] >= _booted() and 0 <= time.time() - beat["time"] < _REST_S:
        return None
    return ensure() if holder(home) is None else None


def _booted() -> float:
    """When this machine was started, in seconds since 1970."""
    # Linux's monotonic clock stands while the machine sleeps; others have no other one
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.time() - time.clock_gettime(clock)


def start(home: Path | None = None) -> Started:
    """Have a daemon of this version running, and wait until it is.

    One of another version or installation is stopped first: this is how an upgrade
    takes effect. Raises ``Refused`` when it does not come up or the other does not end.
    """
    home = home or state_home()
    try:
        make_home(home)
    except OSError as error:
        raise CannotWrite.from_os(error, doing="make gitstate's folder") from error
    with lock.held(home / _START_LOCK, verb="daemon start", wait_s=START_S + STOP_S):
        (home / _STOPPED).unlink(missing_ok=True)
        pid = _settled_pid(home)
        restarted = False
        if pid is not None:
            now = presence(home)
            mine = (now.version, now.executable) == (
                gitstate.__version__,
                sys.executable,
            )
            if mine or not pid:
                return Started(pid=pid, how="running")
            stop(home)
            restarted = True
        manager = managers.available()
        if manager is not None and manager.installed():
            manager.start()
            how = manager.name
        else:
            _detach()
            how = "detached"
        return Started(pid=_wait_for_it(home), how=how, restarted=restarted)


def _settled_pid(home: Path) -> int | None:
    """The daemon's pid, once it has written its first heartbeat; ``None`` without one."""
    deadline = time.monotonic() + START_S
    while (pid := holder(home)) is not None:
        if not pid or presence(home).version is not None or time.monotonic() > deadline:
            return pid
        time.sleep(0.02)
    return None


def _wait_for_it(home: Path) -> int:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        now = presence(home)
        if now.running and now.pid is not None and now.version is not None:
            return now.pid
        time.sleep(0.02)
    pid = holder(home)
    if pid is not None:  # it runs, and has no room for its heartbeat
        return pid
    problems = [row for row in tail(home, 20) if row.get("level") == "error"]
    last = f" ({problems[-1].get('message')})" if problems else ""
    message = f"the daemon did not start{last}; `gitstate daemon run` shows why"
    raise Refused(message)


def _detach() -> None:
    """Start a process of its own that nothing of this one reaches."""
    process = subprocess.Popen(
        [*command(), "--detach"],
        env=scrubbed(os.environ),
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        close_fds=True,
        start_new_session=True,
    )
    process.wait()  # it forks at once: the daemon is no child of ours


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """What ``stop`` came to; ``pid`` is the process that ended, ``None`` without one."""

    pid: int | None


def stop(
    home: Path | None = None, *, timeout_s: float = STOP_S, for_now: bool = False
) -> Stopped:
    """Have the daemon save everything and end; ``for_now``: until somebody starts it.

    Only the process that the kernel names as the holder of its lock is ever signalled.
    Raises ``Refused`` when it does not end in time.
    """
    home = home or state_home()
    if for_now:
        with contextlib.suppress(OSError):  # no folder: there never was a daemon
            (home / _STOPPED).touch(mode=0o600)
    pid = holder(home)
    if pid is None:
        return Stopped(pid=None)
    if not pid:
        message = (
            "the daemon runs where it cannot be reached from here (another container or "
            "host): stop it there"
        )
        raise Refused(message)
    if terminate(home, pid) and not wait_until_gone(home, pid, timeout_s=timeout_s):
        message = (
            f"the daemon (process {pid}) was asked to stop and has not ended within "
            f"{timeout_s:g} s: it is still saving, or it is stopped or hangs"
        )
        raise Refused(message)
    return Stopped(pid=pid)


def install() -> tuple[str | None, Path | None]:
    """Have the daemon come back at every login; the manager's name and its file.

    ``None`` where neither systemd's user instance nor launchd answers.
    """
    manager = managers.available()
    if manager is None:
        return None, None
    return manager.name, manager.install(command(), scrubbed(os.environ))


def uninstall() -> list[Path]:
    """Take the service files out again, whether or not their manager answers now."""
    removed = []
    for manager in managers.known():
        path = manager.uninstall()
        if path is not None:
            removed.append(path)
    return removed
