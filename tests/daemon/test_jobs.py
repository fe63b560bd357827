from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from gitstate.daemon.jobs import (
    FRESHEN_EVERY_S,
    FRESHNESS,
    PACK_EVERY_S,
    PACKING,
    scheduled,
)

if TYPE_CHECKING:
    from gitstate.daemon.jobs import Clockwork


def nothing() -> None:
    """What a job does where only its time is looked at."""


def waits(clockwork: Clockwork) -> dict[str, tuple[float, bool]]:
    """Each job's pause in seconds, and is its next run within one of these."""
    found = {}
    for job in clockwork.scheduler.get_jobs():
        pause = job.trigger.interval
        left = job.next_run_time - datetime.now(UTC)
        found[job.id] = pause.total_seconds(), timedelta(0) < left <= pause
    return found


def test_each_job_has_its_pause() -> None:
    with scheduled(nothing, nothing) as clockwork:
        assert waits(clockwork) == {
            PACKING: (PACK_EVERY_S, True),
            FRESHNESS: (FRESHEN_EVERY_S, True),
        }
        clockwork.freshen_every(7)
        assert waits(clockwork) == {
            PACKING: (PACK_EVERY_S, True),
            FRESHNESS: (7, True),
        }
    assert not clockwork.scheduler.running


def test_the_same_pace_again_does_not_put_it_off() -> None:
    with scheduled(nothing, nothing) as clockwork:
        clockwork.freshen_every(7)
        before = clockwork.scheduler.get_job(FRESHNESS).next_run_time
        clockwork.freshen_every(7)
        assert clockwork.scheduler.get_job(FRESHNESS).next_run_time == before


@pytest.mark.report(22)
@pytest.mark.parametrize("name", [PACKING, FRESHNESS])
def test_a_job_that_is_hours_late_runs_once(name: str) -> None:
    """Known report 22: by itself APScheduler drops it after one second."""
    runs: list[str] = []
    ran = threading.Event()

    def work(which: str) -> None:
        runs.append(which)
        ran.set()

    with scheduled(lambda: work(PACKING), lambda: work(FRESHNESS)) as clockwork:
        late = datetime.now(UTC) - timedelta(hours=2, minutes=2)
        clockwork.scheduler.modify_job(name, next_run_time=late)
        assert ran.wait(20)
        job = clockwork.scheduler.get_job(name)
        assert job.next_run_time > datetime.now(UTC)
    assert runs == [name]


@pytest.mark.report(22)
def test_a_clock_that_was_set_back_puts_nothing_off() -> None:
    """The next run was meant for a moment that is far away now."""
    with scheduled(nothing, nothing) as clockwork:
        far = datetime.now(UTC) + timedelta(hours=2)
        for name in (PACKING, FRESHNESS):
            clockwork.scheduler.modify_job(name, next_run_time=far)
        clockwork.begin_anew()
        assert waits(clockwork) == {
            PACKING: (PACK_EVERY_S, True),
            FRESHNESS: (FRESHEN_EVERY_S, True),
        }
