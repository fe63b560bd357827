"""What the daemon does for a worktree beside its versions: links, hooks, freshness, tidying.

``due`` and ``begin`` belong to the loop's thread, the rest to one worker at a time.
"""

from __future__ import annotations

import contextlib
import time
from datetime import date
from typing import TYPE_CHECKING

from gitstate import clock as wall_clock
from gitstate import freshness, notification, reminders
from gitstate.daemon.commits import Commits
from gitstate.daemon.freshness import Freshness
from gitstate.errors import GitstateError, printable
from gitstate.history import bounding, expiry

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitstate.daemon.commits import Link
    from gitstate.daemon.hints import Watcher
    from gitstate.daemon.logs import Teller
    from gitstate.freshness import Sign, Standstill
    from gitstate.workspace import Workspace

    Mend = Callable[[Workspace], Sequence[str]]  # says what it did, a line each


_SQUASH = "squash"


class Duties:
    """The duties beside, for one worktree; without ``mend`` or ``link`` not that one."""

    def __init__(  # noqa: PLR0913 what it works with
        self,
        *,
        watcher: Watcher,
        wake: Callable[[], None],
        mend: Mend | None,
        link: Link | None,
        teller: Teller,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._mend, self._teller = mend, teller
        self._commits = Commits(
            watcher=watcher, wake=wake, link=link, teller=teller, clock=clock
        )
        self._freshness = Freshness(clock=clock, wall=wall_clock.epoch_now)
        self._day: str | None = None  # the one that is under way, where it is known
        self._squashed: str | None = None  # the one before which all are squashed

    def due(self) -> float:
        """The moment of the next look for the commits' sake, by the daemon's clock."""
        return self._commits.due()

    def begin(self) -> None:
        """A look starts now."""
        self._commits.begin()

    def link(self, ws: Workspace, *, leaving: bool) -> bool:
        """Link the code commits that wait; says whether there were any."""
        return self._commits.work(ws, leaving=leaving)

    def mend_hooks(self, ws: Workspace) -> None:
        """Put git's hooks of ours back; the versions do not wait for them."""
        problem = None
        try:
            for line in self._mend(ws) if self._mend is not None else ():
                self._teller.say("info", "hooks", line)
        except GitstateError as error:
            problem = str(error)
        self._teller.now("hooks", problem)

    def fresh_in(self, ws: Workspace) -> float:
        """Seconds until freshness is to be looked at."""
        settings = ws.settings
        return self._freshness.due_in(
            settings.freshness_interval_s, settings.freshness_threshold_s
        )

    def freshen(self, ws: Workspace) -> None:
        """Look whether the task file is older than the work; never raises ``GitstateError``."""
        if not ws.initialised:
            return
        problem = None
        try:
            found, late = self._freshness.standstill(
                _Sight(ws), ws.settings.freshness_threshold_s
            )
            self._remind(ws, freshness.settle(ws, found, raised=late))
        except GitstateError as error:
            problem = str(error)
        self._teller.now("freshness", problem)

    def _remind(self, ws: Workspace, raised: reminders.Reminder | None) -> None:
        if raised is None:
            return
        self._teller.say("info", "reminder", raised.text)
        if ws.settings.notify:
            notification.notify(f"gitstate: {printable(ws.root.name)}", raised.text)

    def settle(self, ws: Workspace) -> None:
        """Take a reminder away as soon as the task file was written."""
        with contextlib.suppress(GitstateError):  # the next look tries again
            freshness.take_away(ws)

    def day_is_over(self, ws: Workspace) -> bool:
        """Has a day ended that was not tidied or squashed, or is that not known yet."""
        with contextlib.suppress(GitstateError):  # a clock of a test that is none
            return ws.initialised and {self._day, self._squashed} != {_today(ws)}
        return False

    def end_day(self, ws: Workspace) -> bool:
        """Move what is over a limit of the files, where a day ended; did anything move.

        A day that ended while no daemon ran is ended when one does; in a worktree that
        is new here, the first one that ends. Never raises ``GitstateError``.
        """
        moved, problem = 0, None
        try:
            day, last = _today(ws), bounding.last_day(ws)
            if last not in {None, day}:
                found = bounding.tidy(ws)
                moved, problem = len(found.moves), "; ".join(found.problems) or None
            if last != day:
                bounding.mark_day(ws, day)
            self._day = day
        except GitstateError as error:
            problem = str(error)
        if moved:
            self._teller.say("info", "tidy", f"{moved} moved to archives")
        self._teller.now("tidy", problem)
        return moved > 0

    def squash(self, ws: Workspace) -> None:
        """One commit for each day that is over; what stands against it is one reminder.

        Tried again at every round until nothing does. Never raises ``GitstateError``.
        """
        problem = None
        try:
            day = _today(ws)
            if ws.settings.squash and self._squashed != day:
                from gitstate.history import squash  # noqa: PLC0415 once a day

                found = squash.squash(ws, until=date.fromisoformat(day))
                for one in found.days:
                    text = f"{one.day}: v{one.first}-v{one.last} are one commit now"
                    self._teller.say("info", "squash", text)
                for text in found.notices:
                    self._teller.say("warning", "squash", text)
                expiry.expire(ws)
            self._squashed = day
            reminders.clear(ws, _SQUASH)
        except GitstateError as error:
            problem = str(error)
            self._remind_of_squash(ws, problem)
        self._teller.now("squash", problem)

    def _remind_of_squash(self, ws: Workspace, problem: str) -> None:
        text = f"the days that are over could not be squashed yet: {problem}"
        with contextlib.suppress(GitstateError):
            if reminders.find(ws, _SQUASH) is None:
                raised = reminders.raise_once(ws, _SQUASH, text, standstill=problem)
                self._remind(ws, raised)

    def close(self) -> None:
        """Hear nothing any more, for good."""
        self._commits.close()


def _today(ws: Workspace) -> str:
    now = wall_clock.now(ws.settings.timezone)
    return bounding.day_of(now, ws.settings.squash_at)


class _Sight:
    """A worktree as the freshness sees it."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws

    def look(self) -> Standstill | None:
        return freshness.look(self._ws)

    def sign(self) -> Sign:
        return freshness.sign(self._ws)

    def written(self) -> float | None:
        return freshness.task_time(self._ws)
