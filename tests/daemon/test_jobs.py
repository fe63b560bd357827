from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest

from gitstate.daemon.jobs import PACK_EVERY_S, scheduled


def test_packing_comes_every_few_minutes() -> None:
    with scheduled(lambda: None) as scheduler:
        (job,) = scheduler.get_jobs()
        assert job.id == "packing"
        assert job.trigger.interval == timedelta(seconds=PACK_EVERY_S)
        wait = (job.next_run_time - datetime.now(UTC)).total_seconds()
        assert 0 < wait <= PACK_EVERY_S
    assert not scheduler.running


@pytest.mark.report(22)
def test_a_job_that_is_hours_late_runs_once() -> None:
    """Known report 22: by itself APScheduler drops it after one second."""
    runs = []
    ran = threading.Event()

    def work() -> None:
        runs.append(1)
        ran.set()

    with scheduled(work) as scheduler:
        late = datetime.now(UTC) - timedelta(hours=2, minutes=2)
        scheduler.modify_job("packing", next_run_time=late)
        assert ran.wait(20)
        (job,) = scheduler.get_jobs()
        assert job.next_run_time > datetime.now(UTC)
    assert runs == [1]
