"""The daemon's main loop: single instance, signals, heartbeat, and who is looked at when."""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import sys
import time
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Self

import gitstate
from gitstate.daemon.instance import Claim
from gitstate.daemon.logs import Log, bug, library_warnings
from gitstate.daemon.presence import BEAT_S, HEARTBEAT
from gitstate.daemon.roster import Roster
from gitstate.daemon.rounds import Rounds
from gitstate.daemon.surroundings import stopped_by_signals
from gitstate.daemon.tending import GONE_S, Tended
from gitstate.daemon.watching import make_watcher
from gitstate.daemon.workers import Workers
from gitstate.errors import GitstateError
from gitstate.files import replace_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from gitstate.daemon.commits import Link
    from gitstate.daemon.duties import Mend
    from gitstate.daemon.hints import Watcher
    from gitstate.daemon.rounds import Pack
    from gitstate.daemon.taking import Clockwork, Take

    Soon = Callable[[], None]
    Jobs = Callable[[Soon, Soon], AbstractContextManager[Clockwork]]

TICK_S = 1.0  # how soon a change of the registry is seen
LEAVING_S = 20.0  # for saving everything when it is told to stop; systemd gives 30
ONCE_S = 600.0  # for a single pass over everything
_SLEPT_S = 5.0  # wall clock beside the monotonic one: the machine slept, or was set


class Service:
    """One daemon. ``take``, ``mend``, ``link`` and ``pack`` do the work on a repository."""

    def __init__(  # noqa: PLR0913 the edges that tests stand at
        self,
        home: Path,
        *,
        take: Take,
        mend: Mend | None = None,
        link: Link | None = None,
        pack: Pack,
        watcher: Watcher | None = None,
        gone_s: float = GONE_S,
        workers: int = 2,
    ) -> None:
        self.home = home
        self.log = Log(home)
        self._take, self._gone_s = take, gone_s
        self._mend, self._link = mend, link
        self._watcher = watcher or make_watcher()
        self._tended: dict[Path, Tended] = {}
        self._pipe = os.pipe()
        for end in self._pipe:
            os.set_blocking(end, False)
        self._workers = Workers(self.wake, size=workers)
        self._rounds = Rounds(
            workers=self._workers, pack=pack, log=self.log, wake=self.wake
        )
        self._stopping = self._stirred = False
        self._earliest = 0.0
        self._roster = Roster(home, self.log)
        self._started = time.time()
        self._stalled: set[str] = set()
        self._bugs: set[str] = set()
        self._beat_at = self._whole_beat_at = self._check_at = 0.0
        self._wall_ahead = time.time() - time.monotonic()

    # what other threads and signals may call

    def wake(self) -> None:
        """Let the loop look around now."""
        self._stirred = True
        with contextlib.suppress(OSError):  # full: it will wake anyway
            os.write(self._pipe[1], b"x")

    def stop(self) -> None:
        """End the loop; everything is saved first."""
        self._stopping = True
        self.wake()

    # the loop

    def run(self, jobs: Jobs) -> None:
        """Be the daemon until told to stop; then everything is saved.

        ``jobs`` gets ``tidy_soon`` and ``freshen_soon`` of the rounds and is open while
        the loop runs. Raises ``AlreadyRunning`` or ``CannotWrite``.
        """
        with (
            Claim(self.home) as claim,
            stopped_by_signals(self.stop, self._pipe[1]),
            library_warnings(self.log),
        ):
            self.log.write(
                "info", "started", f"gitstate {gitstate.__version__}", pid=os.getpid()
            )
            rounds = self._rounds
            with jobs(rounds.tidy_soon, rounds.freshen_soon) as rounds.clockwork:
                while not self._stopping:
                    try:
                        self._pass(claim)
                    except Exception as error:  # noqa: BLE001 the daemon must not end
                        self._say_bug(error)
                    pause = min(self._earliest, time.monotonic() + TICK_S)
                    self._sleep(pause - time.monotonic())
            self._leave()

    def run_once(self) -> list[str]:
        """Look at every repository once, pack it and end its days that are over.

        Returns one line for each problem.
        """
        deadline = time.monotonic() + ONCE_S
        with Claim(self.home):
            self._read_registry()
            self._finish(deadline)
            self._rounds.tidy_soon()
            while self._rounds.under_way and time.monotonic() < deadline:
                self._rounds.start(self._tended.values())
                self._settle(deadline)
            self._write_heartbeat({})
        lines = [*self._roster.warnings]
        for tended in self._tended.values():
            report = tended.report()
            if report.problem is not None:
                lines.append(f"{report.root}: {report.problem}")
        return lines

    def _pass(self, claim: Claim) -> None:
        """Do what is due; a pass in which nothing is costs a tenth of a millisecond."""
        now = time.monotonic()
        news = self._read_registry()
        self._notice_sleep(now)
        if not self._watcher.alive():
            self._hasten()
        at_work = not self._workers.idle()
        if self._stirred or at_work or now >= self._earliest:
            self._stirred = False
            news = self._start_looks(now) or news
        if at_work:
            self._workers.relieve()
        self._rounds.start(self._tended.values())
        self._beat(now, news=news)
        if now >= self._check_at:
            self._check_at = now + BEAT_S
            if not claim.holds():
                self.log.write("error", "lost", "the lock file was removed: stopping")
                self._stopping = True

    def _say_bug(self, error: Exception) -> None:
        line = bug(error)
        if line not in self._bugs:
            self._bugs.add(line)
            self.log.write("error", "bug", line)
        self._earliest = math.inf  # not at once again

    def _start_looks(self, now: float) -> bool:
        """Hand what is due to the workers; is there news of any worktree."""
        news, self._earliest = False, math.inf
        self._rounds.set_pace(self._tended.values())
        for tended in tuple(self._tended.values()):
            if tended.gone:
                self._drop(tended)
                news = True
                continue
            news = tended.take_news() or news
            if self._workers.busy(tended.key):  # its worker wakes us
                continue
            due = tended.due()
            if due <= now:
                hinted = tended.begin()
                self._workers.offer(tended.key, partial(tended.look, hinted=hinted))
            else:
                self._earliest = min(self._earliest, due)
        return news

    def _sleep(self, seconds: float) -> None:
        """Until woken, at most so long."""
        if seconds > 0 and not self._stirred:
            select.select([self._pipe[0]], [], [], seconds)
        with contextlib.suppress(BlockingIOError):
            while len(os.read(self._pipe[0], 512)) == 512:  # noqa: PLR2004 there may be more
                pass

    def _hasten(self) -> None:
        for tended in self._tended.values():
            tended.hasten()
        self._earliest = 0.0

    def _notice_sleep(self, now: float) -> None:
        ahead = time.time() - now
        if abs(ahead - self._wall_ahead) > _SLEPT_S:
            self._hasten()
            self._rounds.begin_anew()
        self._wall_ahead = ahead

    # the registry

    def _read_registry(self) -> bool:
        """Look after what is registered now, where that changed; did it."""
        entries = self._roster.changed()
        if entries is None:
            return False
        self._stirred = True
        for root in self._tended.keys() - entries.keys():
            self._tended.pop(root).close()
            self._say(root, "removed", "no longer looked after")
        for root, entry in entries.items():
            known = self._tended.get(root)
            if known is not None and known.entry == entry:
                continue
            if known is not None:
                known.close()
            self._tended[root] = Tended(
                entry,
                watcher=self._watcher,
                take=self._take,
                mend=self._mend,
                link=self._link,
                log=self.log,
                wake=self.wake,
                gone_s=self._gone_s,
                beside=self._workers.offer,
            )
            self._rounds.end_days_soon()
            self._say(root, "added", "looked after from now on")
        return True

    def _say(self, root: Path, event: str, message: str) -> None:
        self.log.write("info", event, message, repository=str(root))

    def _drop(self, tended: Tended) -> None:
        root = tended.entry.root
        tended.close()
        self._tended.pop(root, None)
        self._roster.drop(root)
        self._say(root, "dropped", "the repository is gone: dropped")

    # the heartbeat

    def _beat(self, now: float, *, news: bool) -> None:
        """Write the heartbeat when there is news; else only its time, now and then."""
        stalled = self._workers.stalled()
        if news or stalled.keys() != self._stalled or now >= self._whole_beat_at:
            self._stalled = set(stalled)
            self._whole_beat_at = now + 3 * BEAT_S
            self._write_heartbeat(stalled)
        elif now >= self._beat_at:
            with contextlib.suppress(OSError):
                os.utime(self.home / HEARTBEAT)
        else:
            return
        self._beat_at = now + BEAT_S

    def _write_heartbeat(self, stalled: Mapping[str, float]) -> None:
        beat = {
            "pid": os.getpid(),
            "version": gitstate.__version__,
            "executable": sys.executable,
            "started": self._started,
            "repositories": [
                asdict(tended.report(stalled.get(tended.key)))
                for tended in self._tended.values()
            ],
        }
        with contextlib.suppress(GitstateError):  # a full disk: its age tells
            replace_file(self.home / HEARTBEAT, json.dumps(beat).encode() + b"\n")

    # the end

    def _leave(self) -> None:
        waiting = self._finish(time.monotonic() + LEAVING_S)
        unsaved = [
            tended.entry.root
            for tended in self._tended.values()
            if tended in waiting or not tended.report().healthy
        ]
        for root in unsaved:
            self.log.write(
                "error", "unsaved", "could not be saved", repository=str(root)
            )
        self.log.write(
            "info",
            "stopped",
            f"{len(unsaved)} not saved" if unsaved else "everything is saved",
            pid=os.getpid(),
        )
        self._write_heartbeat(self._workers.stalled())

    def _finish(self, deadline: float) -> set[Tended]:
        """Look at everything a last time; returns what did not answer by ``deadline``."""
        waiting = set(self._tended.values())
        begun: set[Tended] = set()
        while time.monotonic() < deadline:
            for tended in tuple(waiting):
                if not self._workers.busy(tended.key):
                    waiting.discard(tended)
                    begun.add(tended)
                    work = partial(tended.look, hinted=tended.begin(), leaving=True)
                    self._workers.offer(tended.key, work)
            if not waiting and self._workers.idle():
                return set()
            self._await_workers()
        return waiting | {item for item in begun if self._workers.busy(item.key)}

    def _settle(self, deadline: float) -> None:
        """Wait until nothing is at work."""
        while not self._workers.idle() and time.monotonic() < deadline:
            self._await_workers()

    def _await_workers(self) -> None:
        self._stirred = False
        self._sleep(0.1)
        self._workers.relieve()

    def idle(self) -> bool:
        """Is nothing at work."""
        return self._workers.idle()

    def close(self) -> None:
        """Let go of watches, threads and descriptors."""
        for tended in self._tended.values():
            tended.close()
        self._watcher.close()
        self._workers.close()
        for end in self._pipe:
            os.close(end)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
