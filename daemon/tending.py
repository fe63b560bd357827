"""One registered worktree: when it is to be looked at, and the look itself.

``due`` and the burst belong to the loop's thread, ``look`` to one worker at a time.
"""

from __future__ import annotations

import math
import os
import time
from typing import TYPE_CHECKING

from gitstate.daemon.debounce import Debounce
from gitstate.daemon.duties import Duties
from gitstate.daemon.hearing import POLL_S, Hearing
from gitstate.daemon.logs import Teller, bug
from gitstate.daemon.scan import scan
from gitstate.daemon.taking import Report
from gitstate.daemon.worktree import MissingError, Worktree
from gitstate.errors import CannotWrite, GitstateError
from gitstate.history.cache import Cache
from gitstate.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from gitstate.daemon.commits import Link
    from gitstate.daemon.duties import Mend
    from gitstate.daemon.hints import Watcher
    from gitstate.daemon.logs import Log
    from gitstate.daemon.registry import Entry
    from gitstate.daemon.taking import Result, Take
    from gitstate.workspace import Workspace

GONE_S = 60.0  # a worktree must be missing for so long: it may be moved away and back
_SHARE = 100  # scans take a hundredth of a core at most, however many files there are


class Tended:
    """A worktree under the daemon's care."""

    def __init__(  # noqa: PLR0913 what it works with
        self,
        entry: Entry,
        *,
        watcher: Watcher,
        take: Take,
        mend: Mend | None = None,
        link: Link | None = None,
        log: Log,
        wake: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
        gone_s: float = GONE_S,
        beside: Callable[[str, Callable[[], None]], bool] | None = None,
    ) -> None:
        self.entry = entry
        self.key = str(entry.common_dir)
        self.version: int | None = None
        self.last_scan: float | None = None
        self.gone = False
        self.unpacked = False
        self.looked_at = False
        self._worktree = Worktree(entry, clock=clock)
        self._cache = Cache()
        self._teller = Teller(log, entry.root)
        self._hearing = Hearing(watcher=watcher, wake=wake, teller=self._teller)
        self._take, self._beside = take, beside
        self._duties = Duties(
            watcher=watcher,
            wake=wake,
            mend=mend,
            link=link,
            teller=self._teller,
            clock=clock,
        )
        self._clock, self._gone_s = clock, gone_s
        defaults = Settings()
        self._burst = Debounce(
            quiet_s=defaults.quiet_ms / 1000, max_wait_s=defaults.max_wait_ms / 1000
        )
        self._next_look = 0.0
        self._failures = 0
        self._problem: str | None = None
        self._notices: tuple[str, ...] = ()
        self._last_shown: tuple[object, ...] = ()
        self._news = True
        self._missing_since: float | None = None
        self._settled: bytes | None = None

    @property
    def workspace(self) -> Workspace | None:
        """The workspace, where it could be opened."""
        return self._worktree.opened

    # the loop's side

    def due(self) -> float:
        """The moment of the next look, by the daemon's clock."""
        if (heard_at := self._hearing.pending) is not None:
            self._burst.hint(heard_at)
        burst = self._burst.due
        due = min(self._next_look, self._duties.due())
        return due if burst is None else min(burst, due)

    def begin(self) -> bool:
        """Forget the burst, since a look starts now; was there one."""
        self._duties.begin()
        if (heard_at := self._hearing.notice()) is not None:
            self._burst.hint(heard_at)
        return self._burst.take()

    def hasten(self) -> None:
        """Look at once, whatever is known: the machine slept, or a watch failed."""
        self._next_look = 0.0

    def take_news(self) -> bool:
        """Is there something new to report since the last call."""
        news, self._news = self._news, False
        return news

    def _shown(self) -> tuple[object, ...]:
        return self.version, self._problem, self._notices, self._hearing.hears

    def report(self, stalled_s: float | None = None) -> Report:
        """The state of this worktree for the heartbeat."""
        problem = self._problem
        if stalled_s is not None:
            problem = f"no answer for {int(stalled_s)} s (its file system, or a lock)"
        return Report(
            root=str(self.entry.root),
            watching=self._hearing.hears and self._hearing.alive(),
            mode="watch" if self._hearing.hears else "poll",
            last_scan=self.last_scan,
            version=self.version,
            healthy=problem is None,
            problem=problem or "; ".join(self._notices) or None,
        )

    # the worker's side

    def look(self, *, hinted: bool, leaving: bool = False) -> None:
        """Scan, and make a version where something may have changed; never raises."""
        started = time.thread_time()
        try:
            self._look(hinted=hinted, leaving=leaving)
        except MissingError as error:
            self._miss(error)
        except GitstateError as error:
            self._fail(str(error))
        except OSError as error:
            self._fail(
                str(CannotWrite.from_os(error, doing="look at the state directory"))
            )
        except Exception as error:  # noqa: BLE001 a bug must not stop the other repositories
            self._fail(bug(error))
        else:
            self._failures, self._missing_since = 0, None
            self._say_problem(None)
        pause = max(self._pause(), _SHARE * (time.thread_time() - started))
        self._next_look = self._clock() + pause
        self.looked_at = True
        shown = self._shown()
        if shown != self._last_shown:
            self._last_shown, self._news = shown, True

    def _pause(self) -> float:
        settings = self.workspace.settings if self.workspace else Settings()
        longest = float(settings.scan_seconds)
        if self._failures:
            return min(longest, 2.0 ** min(self._failures - 1, 16))
        if self._hearing.hears:
            # all worktrees at the same moments: the machine wakes up once for them
            return longest - self._clock() % longest
        return min(longest, POLL_S)

    def _look(self, *, hinted: bool, leaving: bool) -> None:
        ws, anew = self._worktree.workspace()
        if anew:
            self._settle_in(ws)
        root = os.fsencode(ws.state_dir)
        if self._duties.link(ws, leaving=leaving):
            self.unpacked = True
        if leaving:
            found, unheard = scan(root), False
        else:
            found, unheard = self._hearing.scan(root, os.fsencode(ws.root))
        if hinted or self._settled is None or self._settled != found.digest:
            self._settled = None
            outcome = self._take(ws, verb="daemon", cache=self._cache)
            self._note(outcome)
            self._duties.settle(ws)
            # What is held, waits, or was left out may be free at the next look
            # without any edit.
            open_ends = (*outcome.vanished, *outcome.skipped, *outcome.notices)
            if found.settled and not open_ends:
                self._settled = found.digest
        self.last_scan = time.time()
        if not leaving:
            self._duties.mend_hooks(ws)
        if unheard and not hinted:
            self._hearing.check()

    @property
    def pace_s(self) -> float:
        """How often ``fresh_in`` is to be asked, in seconds."""
        settings = self.workspace.settings if self.workspace else Settings()
        shortest = min(settings.freshness_interval_s, settings.freshness_threshold_s)
        return max(1.0, shortest / 4)

    def fresh_in(self) -> float:
        """Seconds until freshness is to be looked at; infinite while it cannot be."""
        ws = self.workspace
        return math.inf if ws is None else self._duties.fresh_in(ws)

    def freshen(self) -> None:
        """Look whether the task file is older than the work; never raises."""
        self._carefully("freshness", self._duties.freshen)

    def day_is_over(self) -> bool:
        """Is ``end_day`` to be called."""
        ws = self.workspace
        return ws is not None and self._duties.day_is_over(ws)

    def end_day(self) -> None:
        """Tidy the files, make a version of that, and squash; never raises."""
        ws = self.workspace
        try:
            if ws is not None and self._duties.end_day(ws):
                self._note(self._take(ws, verb="tidy", cache=self._cache))
        except GitstateError as error:  # the next look makes the version
            self._teller.now("tidy", str(error))
        except Exception as error:  # noqa: BLE001 a bug must not stop the other repositories
            self._teller.now("tidy", bug(error))
        if ws is not None and ws.settings.message_command and self._beside is not None:
            # a command of the user's may take a minute: no version waits for it
            self._beside(f"squash of {self.entry.root}", self._squash)
        else:
            self._squash()

    def _squash(self) -> None:
        self._carefully("squash", self._duties.squash)

    def _carefully(self, duty: str, action: Callable[[Workspace], None]) -> None:
        ws = self.workspace
        try:
            if ws is not None:
                action(ws)
        except Exception as error:  # noqa: BLE001 a bug must not stop the other repositories
            self._teller.now(duty, bug(error))

    def _settle_in(self, ws: Workspace) -> None:
        self._settled = None
        self.key = str(ws.common_dir)
        self._burst.quiet_s = ws.settings.quiet_ms / 1000
        self._burst.max_wait_s = ws.settings.max_wait_ms / 1000
        self._teller.now("settings", "; ".join(ws.warnings) or None)

    def _note(self, outcome: Result) -> None:
        self.version = outcome.version if outcome.version is not None else self.version
        if outcome.changed:
            self.unpacked = True
            self._teller.say(
                "info", "version", f"v{outcome.version}", version=outcome.version
            )
        self._notices = tuple(outcome.notices)
        self._teller.now("notice", "; ".join(self._notices) or None)
        count = len(outcome.vanished)
        self._teller.now(
            "vanished", f"{count} files vanished and are held" if count else None
        )

    def _miss(self, error: MissingError) -> None:
        now = self._clock()
        if self._missing_since is None:
            self._missing_since = now
        self.gone = error.gone and now - self._missing_since >= self._gone_s
        self._hearing.close()
        self._fail(str(error))

    def _fail(self, text: str) -> None:
        self._failures += 1
        self._settled = None
        self._say_problem(text)

    def _say_problem(self, text: str | None) -> None:
        self._problem = text
        self._teller.now("problem", text, healed="well again")

    def close(self) -> None:
        """Stop listening, for good."""
        self._duties.close()
        self._hearing.close()
