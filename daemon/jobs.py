"""What happens by the clock: packing, every few minutes."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC
from typing import TYPE_CHECKING

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PACK_EVERY_S = 300


@contextmanager
def scheduled(pack_soon: Callable[[], None]) -> Iterator[BackgroundScheduler]:
    """A running scheduler that calls ``pack_soon`` every ``PACK_EVERY_S`` seconds.

    A job that is late (the machine slept) runs once, as soon as it can: by itself
    APScheduler drops it after one second (known report 22).
    """
    scheduler = BackgroundScheduler(
        executors={"default": ThreadPoolExecutor(max_workers=1)},
        job_defaults={"misfire_grace_time": None, "coalesce": True},
        timezone=UTC,
    )
    scheduler.add_job(pack_soon, "interval", seconds=PACK_EVERY_S, id="packing")
    scheduler.start()
    try:
        yield scheduler
    finally:
        scheduler.shutdown(wait=False)
