"""The daemon: from an edit to its version, and what it costs while nothing happens."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from gitstate import background
from gitstate.daemon.presence import presence
from gitstate.settings import Settings
from tests.bench.measure import Row, Sample, limit, missing
from tests.bench.places import TASK, begun, run
from tests.bench.verbs import slower
from tests.support import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.workspace import Workspace
    from tests.support import Repo

_BEHIND_MS = 30  # after the quiet time
_IDLE_PERCENT = 0.2
_REST_S = 0.35  # between edits: the daemon is done with the one before


@contextlib.contextmanager
def _daemon(folder: Path) -> Iterator[int]:
    """The daemon of this user; yields its process id."""
    run("daemon", "start", cwd=folder)
    try:
        wait_for(lambda: presence().running and presence().pid)
        pid = presence().pid
        assert pid is not None
        yield pid
    finally:
        run("daemon", "stop", cwd=folder)


def _wait_until_watched(count: int) -> None:
    wait_for(
        lambda: sum(found.watching for found in presence().repositories) >= count,
        limit_s=90,
        what=f"the daemon watches {count} repositories",
    )


def edit_to_version(folder: Path, *, runs: int) -> Iterator[Row]:
    """How long after a file was written its version is on the branch."""
    repo, ws = begun(folder / "edited")
    background.register(ws)
    with _daemon(folder):
        _wait_until_watched(1)
        times = [_edit_to_version(repo, ws, turn) for turn in range(runs + 2)][2:]
    background.unregister(ws)
    quiet_ms = Settings().quiet_ms
    factor, loaded = slower(runs)
    yield limit(
        "edit to version, the daemon running",
        Sample(times),
        quiet_ms + _BEHIND_MS * factor,
        beside=f"quiet time {quiet_ms} ms; {loaded}",
    )


def _edit_to_version(repo: Repo, ws: Workspace, turn: int) -> float:
    time.sleep(_REST_S)
    ref = ws.common_dir / ws.ref
    before = ref.read_bytes()
    path = repo.state / TASK
    content = path.read_text() + f"- step {turn}\n"
    path.write_text(content)
    begin = time.perf_counter()
    while ref.read_bytes() == before:
        if time.perf_counter() - begin > 20:
            raise AssertionError("the daemon made no version within 20 s")
        time.sleep(0.001)
    return time.perf_counter() - begin


def idle(folder: Path, *, counts: tuple[int, int], window_s: float) -> Iterator[Row]:
    """Memory and processor of the daemon while nobody edits anything.

    Freshness is looked at in each window: many times as often as by the default.
    """
    if not Path("/proc/self/schedstat").exists():
        yield missing("the idle daemon", "needs Linux's /proc")
        return
    kept = [begun(folder / f"idle{number}")[1] for number in range(counts[1])]
    interval_s = max(2, int(window_s))
    factor, loaded = slower(5)
    with _set("GITSTATE_FRESHNESS_INTERVAL", str(interval_s)), _daemon(folder) as pid:
        known = 0
        for count, most_mib in zip(counts, (50, 80), strict=True):
            for ws in kept[known:count]:
                background.register(ws)
            known = count
            _wait_until_watched(count)
            # the first looks of so many are over, those of freshness too
            time.sleep(3.0 if count == 1 else max(3.0, interval_s * 1.2))
            begin, used = time.monotonic(), _used_s(pid)
            time.sleep(window_s)
            took = time.monotonic() - begin
            percent = 100 * (_used_s(pid) - used) / took
            many = "1 repository" if count == 1 else f"{count} repositories"
            yield Row(
                f"idle daemon, {many}: resident",
                f"{_resident_mib(pid):.1f} MiB",
                f"python alone {_resident_mib(os.getpid()):.1f} MiB (this benchmark)",
                _resident_mib(pid),
                most_mib,
                "MiB",
            )
            yield Row(
                f"idle daemon, {many}: processor",
                f"{percent / 100 * took * 1000:.1f} ms in {took:.0f} s",
                f"one core; {loaded}",
                percent,
                _IDLE_PERCENT * factor,
                "%",
            )
    for ws in kept:
        background.unregister(ws)


@contextlib.contextmanager
def _set(name: str, value: str) -> Iterator[None]:
    """A variable of the environment, for what is started meanwhile."""
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]


def _used_s(pid: int) -> float:
    """Processor time of a process and of the children it has waited for."""
    ran = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            ran += int((task / "schedstat").read_text().split()[0])
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    children = int(fields[13]) + int(fields[14])
    return ran / 1e9 + children / os.sysconf("SC_CLK_TCK")


def _resident_mib(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise AssertionError(f"process {pid} is gone")
