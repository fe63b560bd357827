"""When to look whether the state is older than the work; pure, clocks injected.

Time is counted while the machine is awake (the monotonic clock): neither a suspended
laptop nor a stepped clock nor daylight saving makes a standstill.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gitstate import freshness

if TYPE_CHECKING:
    from collections.abc import Callable

    from gitstate.freshness import Sign, Standstill

_RARELY = 6  # without a sign of life, every sixth time where a sign may be missed
_SLACK = 0.1  # of a pause: who calls comes by at pauses of the same length


class Sight(Protocol):
    """What can be seen of a worktree; ``gitstate.freshness`` of an open workspace."""

    def look(self) -> Standstill | None:
        """The standstill that there is, by a scan of the worktree."""

    def sign(self) -> Sign:
        """A sign of life, cheaply."""

    def written(self) -> float | None:
        """When the task file was written, in seconds since 1970."""


class Freshness:
    """The freshness of one worktree; ``clock`` counts the seconds awake.

    ``wall`` is the clock that files' times are by.
    """

    def __init__(
        self, *, clock: Callable[[], float], wall: Callable[[], float]
    ) -> None:
        self._clock, self._wall = clock, wall
        self._late: Standstill | None = None
        self._last: float | None = None  # when it was looked
        self._sign: Sign | None = None
        self._passed = 0
        self._key: str | None = None
        self._since = 0.0  # of the standstill with that key

    def due_in(self, interval_s: float, threshold_s: float) -> float:
        """Seconds until the next look; none or less where it is due."""
        if self._last is None:
            return 0.0
        pause = min(interval_s, threshold_s)
        waited = self._clock() - self._last
        if self._key is not None and self._late is None:
            over_in = threshold_s - (self._clock() - self._since)
            return min(pause - waited, max(over_in, pause * _SLACK - waited))
        return pause * (1 - _SLACK) - waited

    def standstill(
        self, sight: Sight, threshold_s: float
    ) -> tuple[Standstill | None, bool]:
        """Look: the standstill there is, and whether it has lasted too long.

        Raises what ``sight`` raises.
        """
        now, before = self._clock(), self._last
        self._last = now
        if self._late is not None and self._late.task_time != sight.written():
            self._late = self._key = None
        if self._is_quiet(sight.sign()):
            return self._late, self._late is not None
        self._late = None
        found = sight.look()
        if found is None:
            self._key = None
            return None, False
        if self._key != found.key:
            self._key, self._since = found.key, now
            age = self._wall() - found.activity.since
            # it came after the last look, which found nothing: else the clock was set,
            # or the machine slept, and it counts from now
            if before is not None and 0 <= age <= now - before:
                self._since = now - age
        lasted = now - self._since
        late = freshness.overdue(found, awake_s=lasted, threshold_s=threshold_s)
        self._late = found if late else None
        return found, late

    def _is_quiet(self, sign: Sign) -> bool:
        """Is there nothing to look for: no sign of life since all is said."""
        same, self._sign = sign == self._sign, sign
        quiet = same and (self._key is None or self._late is not None)
        self._passed = self._passed + 1 if quiet else 0
        return quiet and (sign.whole or self._passed % _RARELY > 0)
