"""When to look whether the state is older than the work; pure, clocks injected.

Time is counted while the machine is awake (the monotonic clock): neither a suspended
laptop nor a stepped clock nor daylight saving makes a standstill.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate import freshness

if TYPE_CHECKING:
    from collections.abc import Callable

    from gitstate.freshness import Standstill

_RARELY = 6  # without a sign of life only every sixth interval is looked at


class Freshness:
    """The freshness timer of one worktree.

    ``look`` finds a standstill (``gitstate.freshness.look``), ``sign`` is anything cheap
    that differs when something in the worktree gave a sign of life, ``written`` tells when
    the task file was, ``clock`` counts the seconds awake.
    """

    def __init__(
        self,
        *,
        look: Callable[[], Standstill | None],
        sign: Callable[[], object],
        written: Callable[[], float | None],
        clock: Callable[[], float],
    ) -> None:
        self._look, self._sign, self._clock = look, sign, clock
        self._written = written
        self._late: Standstill | None = None
        self._last_look: float | None = None
        self._last_sign: object = None
        self._passed = 0
        self._since: float | None = None
        self._key: str | None = None

    def due(self, interval_s: float, threshold_s: float) -> bool:
        """Is it time to look again."""
        if self._last_look is None:
            return True
        step = min(interval_s, threshold_s) if self._since is not None else interval_s
        return self._clock() - self._last_look >= step

    def standstill(self, threshold_s: float) -> tuple[Standstill | None, bool]:
        """Look: the standstill there is, and whether it has lasted too long."""
        now = self._clock()
        first = self._last_look is None
        self._last_look = now
        if self._late is not None and self._late.task_time == self._written():
            return self._late, True  # it stands; nothing to look for
        self._late = None
        sign = self._sign()
        quiet = sign == self._last_sign and self._since is None and not first
        self._last_sign = sign
        self._passed = self._passed + 1 if quiet else 0
        if quiet and self._passed % _RARELY:
            return None, False
        found = self._look()
        if found is None:
            self._since = self._key = None
            return None, False
        if self._key != found.key:
            self._key, self._since = found.key, now
        lasted = now - (now if self._since is None else self._since)
        late = freshness.overdue(found, awake_s=lasted, threshold_s=threshold_s)
        self._late = found if late else None
        return found, late
