"""When a burst of hints has been quiet for long enough; pure, the caller brings the clock."""

from __future__ import annotations


class Debounce:
    """Quiet time with a maximum wait.

    A burst is due ``quiet_s`` after its last hint, and at the latest ``max_wait_s``
    after its first one, so that a writer without pause is recorded too. All moments
    are seconds of one monotonic clock.
    """

    def __init__(self, *, quiet_s: float, max_wait_s: float) -> None:
        self.quiet_s = quiet_s
        self.max_wait_s = max_wait_s
        self._first: float | None = None
        self._last = 0.0

    def hint(self, now: float) -> None:
        """Something may have changed at ``now``."""
        if self._first is None:
            self._first = self._last = now
        else:
            self._last = max(self._last, now)

    @property
    def due(self) -> float | None:
        """The moment at which the burst is to be looked at; ``None`` without one."""
        if self._first is None:
            return None
        return min(self._last + self.quiet_s, self._first + self.max_wait_s)

    def take(self) -> bool:
        """Forget the burst; was there one."""
        pending = self._first is not None
        self._first = None
        return pending
