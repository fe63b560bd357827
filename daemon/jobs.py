"""What happens by the clock: freshness as often as is set, the rest every few minutes.

Every few minutes: packing, and whether a day ended (``squashAt``, which each worktree's
settings say); days are told by the wall clock, so none is missed while the machine sleeps.
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC
from typing import TYPE_CHECKING

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PACK_EVERY_S = 300.0
FRESHEN_EVERY_S = 150.0  # until it is known what the worktrees want
PACKING, FRESHNESS = "packing", "freshness"


class Clockwork:
    """The running jobs."""

    def __init__(self, scheduler: BackgroundScheduler) -> None:
        self.scheduler = scheduler
        self._pauses = {PACKING: PACK_EVERY_S, FRESHNESS: FRESHEN_EVERY_S}

    def freshen_every(self, seconds: float) -> None:
        """Have freshness looked at so often from now on."""
        if self._pauses[FRESHNESS] != seconds:
            self._pauses[FRESHNESS] = seconds
            self._begin(FRESHNESS)

    def begin_anew(self) -> None:
        """Count from now: the clock was set, and the next time is no longer so soon."""
        for name in self._pauses:
            self._begin(name)

    def _begin(self, name: str) -> None:
        self.scheduler.reschedule_job(
            name, trigger="interval", seconds=self._pauses[name]
        )


@contextmanager
def scheduled(
    pack_soon: Callable[[], None], freshen_soon: Callable[[], None]
) -> Iterator[Clockwork]:
    """A running clockwork that calls both from time to time.

    A job that is late (the machine slept) runs once, as soon as it can: by itself
    APScheduler drops it after one second (known report 22).
    """
    scheduler = BackgroundScheduler(
        executors={"default": ThreadPoolExecutor(max_workers=1)},
        job_defaults={"misfire_grace_time": None, "coalesce": True},
        timezone=UTC,
    )
    jobs = {
        PACKING: (pack_soon, PACK_EVERY_S),
        FRESHNESS: (freshen_soon, FRESHEN_EVERY_S),
    }
    for name, (work, seconds) in jobs.items():
        scheduler.add_job(work, "interval", seconds=seconds, id=name)
    scheduler.start()
    try:
        yield Clockwork(scheduler)
    finally:
        scheduler.shutdown(wait=False)
