"""Two hundred kills at random moments: of restores, of snapshots and packing, of the daemon.

With libgit2; fifty more with git itself.

Half of the moments are spread evenly over the time that a command takes; the other half
are counted from the first trace of a write, at once where too few kills have been inside
one so far, so that their share does not hang on how fast the machine is.

How many of them were inside a write is read from the disk, right after the kill and
before anything of gitstate has run again: something lies there that only a write under
way leaves (scratch of a pack, a journal, displaced files, an announcement, git's lock
of the branch), or the branch has a version that nobody was told of. A kill before the
first such trace, or after the last, does not count, though a part of them were.
"""

from __future__ import annotations

import os
import random
import statistics
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from gitstate.daemon import registry
from gitstate.daemon.logs import tail
from gitstate.workspace import Workspace
from tests.crash.scene import Scene, state_home
from tests.crash.stable import Stable
from tests.ledger import leftovers
from tests.support import make_repo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KILLS = int(os.environ.get("CRASH_KILLS", "200"))
_TASK = "02-current-task.md"


@dataclass
class Tally:
    """How many kills there were of each kind, and what they left."""

    kills: Counter[str] = field(default_factory=Counter)
    inside: Counter[str] = field(default_factory=Counter)
    traces: Counter[str] = field(default_factory=Counter)

    def count(self, what: str, traces: set[str]) -> None:
        self.kills[what] += 1
        self.inside[what] += bool(traces)
        self.traces.update({trace.partition(":")[0] for trace in traces})

    def moment(self, took_s: float) -> tuple[bool, float]:
        """When to kill next: from the first trace on or from the start, after how long."""
        if 3 * self.inside.total() < self.kills.total():
            return True, 0.0
        stirred = random.random() < 0.5
        return stirred, random.uniform(0, took_s * (0.5 if stirred else 1.1))

    def __str__(self) -> str:
        each = ", ".join(
            f"{what} {count} ({self.inside[what]} inside a write)"
            for what, count in self.kills.items()
        )
        return (
            f"{self.kills.total()} kills, {self.inside.total()} inside a write: {each}; "
            f"traces {dict(self.traces)}"
        )


@pytest.mark.timeout(900)
def test_two_hundred_kills(
    tmp_path: Path, record_property: Callable[[str, object], None], engine: str
) -> None:
    tally = Tally()
    wanted = KILLS if engine == "libgit2" else KILLS // 4
    with Stable(tmp_path) as stable:
        scene = Scene(stable, make_repo(tmp_path / "repo"))
        stable.ok("init", "--no-daemon", cwd=scene.repo.path)
        scene.snapshot()
        kill_commands(scene, tally, "restore", wanted * 7 // 20)
        kill_commands(scene, tally, "snapshot", wanted * 5 // 20)
        kill_commands(scene, tally, "pack", wanted * 3 // 20)
        kill_daemons(scene, tally, wanted - tally.kills.total())
        scene.check_swept()
        scene.ledger.check_line()
    record_property("figures", f"{engine}: {tally}")
    assert tally.kills.total() == wanted
    assert tally.inside.total() >= wanted // 4


def kill_commands(scene: Scene, tally: Tally, what: str, wanted: int) -> None:
    """Kill one command after the other."""
    took_s = statistics.median(_seconds(scene, what) for _ in range(3))
    while tally.kills[what] < wanted:
        words = _prepare(scene, what)
        known = _traces(scene)
        stirred, after_s = tally.moment(took_s)
        ran = scene.stable.run(
            *words,
            cwd=scene.repo.path,
            kill_after_s=after_s,
            stirring=_stirring(scene) if stirred else (),
        )
        if ran.killed:
            tally.count(what, _traces(scene) - known | _untold(scene))
        _check_after(scene, whole=tally.kills[what] % 4 == 0)


def _seconds(scene: Scene, what: str) -> float:
    words = _prepare(scene, what)
    started = time.monotonic()
    scene.stable.ok(*words, cwd=scene.repo.path)
    return time.monotonic() - started


def _prepare(scene: Scene, what: str) -> list[str]:
    """Something to do for a command, and its words."""
    scene.repo.write(_TASK, f"text {time.time_ns()}\n" * random.randint(1, 60))
    scene.repo.write(f"notes/{random.randint(1, 9)}.md", f"note {time.time_ns()}\n")
    if what == "restore":
        told = random.choice(scene.ledger.told)
        return ["restore", f"v{told.number}"]
    if what == "pack":
        scene.snapshot()
    return [what]


def _traces(scene: Scene) -> set[str]:
    """What unfinished writes leave, file by file."""
    coming = (path.name for path in state_home().glob("heads/*.coming/*"))
    half = (path.name for path in state_home().glob("heads/*.tmp"))
    names = {*leftovers(scene.repo), *coming, *half}
    return {f"{_kind(name)}:{name}" for name in names}


def _kind(name: str) -> str:
    for sign, kind in (
        (".gitstate-tmp", "displaced files"),
        ("gitstate/restore", "journal"),
        ("gitstate-tmp-", "pack scratch"),
        ("packing-", "packing"),
        ("objects/pack/", "half a pack"),
        (".lock", "git's lock"),
        (".tmp", "half a file"),
    ):
        if sign in name:
            return kind
    return "announcement"


def _untold(scene: Scene) -> set[str]:
    """Is the branch at a version that nobody was told of."""
    tip = scene.repo.git("rev-parse", "refs/heads/agent-state")
    return set() if tip in {told.commit for told in scene.ledger.told} else {"untold"}


def _stirring(scene: Scene) -> list[Path]:
    """The folders in which a write leaves its traces."""
    git_dir = scene.repo.path / ".git"
    heads = state_home() / "heads"
    return [
        *(git_dir / "objects" / "pack", git_dir / "refs" / "heads"),
        *(git_dir / "gitstate", scene.repo.state),
        *(heads, *heads.glob("*.coming")),
    ]


def _check_after(scene: Scene, *, whole: bool) -> None:
    """Nothing told is lost; the next command works; ``whole``: a version comes back."""
    scene.ledger.check()
    scene.snapshot()
    scene.check_way()
    if whole:
        told = random.choice(scene.ledger.told)
        scene.stable.ok("restore", f"v{told.number}", cwd=scene.repo.path)
        assert scene.files() == told.files
        scene.snapshot()
        scene.check()


def kill_daemons(scene: Scene, tally: Tally, wanted: int) -> None:
    """Kill the daemon while an editor keeps it busy."""
    scene.repo.git("config", "gitstate.quietMs", "5")
    scene.repo.git("config", "gitstate.maxWaitMs", "20")
    registry.add(Workspace.open(scene.repo.path))
    for count in range(wanted):
        known = _traces(scene)
        _, after_s = tally.moment(1.0)
        home = [state_home()] if count % 4 == 0 else []  # where its heartbeat is
        editor = Editor(scene)
        try:
            ran = scene.stable.run(
                "daemon",
                cwd=scene.repo.path,
                kill_after_s=after_s,
                stirring=[*_stirring(scene), *home],
            )
        finally:
            editor.stop()
        assert ran.killed, ran
        tally.count("daemon", _traces(scene) - known | _ahead(scene))
        line = scene.ledger.check()
        missing = [number for number in _reported() if number not in line]
        assert missing == []
        _check_after(scene, whole=count % 4 == 0)


def _reported() -> list[int]:
    """The versions that the daemon's log tells of."""
    rows = tail(state_home(), 10_000)
    return [row["version"] for row in rows if row["event"] == "version"]


def _ahead(scene: Scene) -> set[str]:
    """Is the branch at a version that the daemon has not told of."""
    body = scene.repo.git("log", "-1", "--format=%s", "refs/heads/agent-state")
    number = int(body.split(":")[0].removeprefix("state v"))
    told = [*_reported(), *(told.number for told in scene.ledger.told)]
    return {"untold"} if number > max(told) else set()


class Editor:
    """Somebody who saves a file over and over."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._edit)
        self._thread.start()

    def _edit(self) -> None:
        while not self._stop.wait(0.01):
            self._scene.repo.write(_TASK, f"edit {time.time_ns()}\n" * 20)

    def stop(self) -> None:
        """Let him finish."""
        self._stop.set()
        self._thread.join()
