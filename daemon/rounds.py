"""What comes round by the clock for every worktree: packing, the ends of days, freshness.

``tidy_soon`` and ``freshen_soon`` may be called from any thread, the rest from the
loop's, which hands what is due to the workers.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from gitstate.daemon.logs import bug
from gitstate.errors import GitstateError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from gitstate.daemon.logs import Log
    from gitstate.daemon.taking import Clockwork
    from gitstate.daemon.tending import Tended
    from gitstate.daemon.workers import Workers
    from gitstate.workspace import Workspace

    Pack = Callable[[Workspace], object]


class Rounds:
    """The rounds of one daemon; ``clockwork``, where there is one, makes them come."""

    def __init__(
        self, *, workers: Workers, pack: Pack, log: Log, wake: Callable[[], None]
    ) -> None:
        self.clockwork: Clockwork | None = None
        self._workers, self._pack, self._log, self._wake = workers, pack, log, wake
        self._packing = self._ending = self._freshening = False

    def tidy_soon(self) -> None:
        """Pack the repositories that have new versions, end the days that are over."""
        self._packing = self._ending = True
        self._wake()

    def end_days_soon(self) -> None:
        """End the days that are over: there is a worktree that was not looked after."""
        self._ending = True

    @property
    def under_way(self) -> bool:
        """Is there packing, or the end of a day, that no worker has yet."""
        return self._packing or self._ending

    def freshen_soon(self) -> None:
        """Look at the freshness of those where it is time to."""
        self._freshening = True
        self._wake()

    def begin_anew(self) -> None:
        """The machine slept, or its clock was set: all of it now, and count from now."""
        if self.clockwork is not None:
            self.clockwork.begin_anew()
            self._packing = self._ending = self._freshening = True

    def set_pace(self, worktrees: Collection[Tended]) -> None:
        """Have freshness come as often as the most impatient worktree wants."""
        if self.clockwork is not None and worktrees:
            self.clockwork.freshen_every(min(one.pace_s for one in worktrees))

    def start(self, worktrees: Collection[Tended]) -> None:
        """Hand to the workers what has come round."""
        if self._packing:
            self._start_packing(worktrees)
        if self._freshening:
            self._start_freshening(worktrees)
        if self._ending:
            self._end_days(worktrees)

    def _start_packing(self, worktrees: Collection[Tended]) -> None:
        waiting = False
        for tended in worktrees:
            ws = tended.workspace
            if not tended.unpacked or ws is None:
                continue
            if self._workers.offer(tended.key, partial(self._pack_one, tended, ws)):
                tended.unpacked = False
            else:
                waiting = True
        self._packing = waiting

    def _pack_one(self, tended: Tended, ws: Workspace) -> None:
        root = str(tended.entry.root)
        try:
            self._pack(ws)
        except GitstateError as error:
            self._log.write("warning", "packing", str(error), repository=root)
        except Exception as error:  # noqa: BLE001 a bug must not stop the other repositories
            self._log.write("error", "packing", bug(error), repository=root)

    def _end_days(self, worktrees: Collection[Tended]) -> None:
        over = [one for one in worktrees if one.day_is_over()]
        offered = [self._workers.offer(one.key, one.end_day) for one in over]
        unseen = any(not one.looked_at for one in worktrees)
        # at the next pass: its worker is busy, or nobody knows yet
        self._ending = unseen or not all(offered)

    def _start_freshening(self, worktrees: Collection[Tended]) -> None:
        self._freshening = False
        for tended in worktrees:
            if tended.fresh_in() <= 0:  # beside the looks: it may take longer
                root = tended.entry.root
                self._workers.offer(f"freshness of {root}", tended.freshen)
