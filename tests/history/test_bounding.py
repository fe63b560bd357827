"""When a day ends, and what is remembered of it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from gitstate.history.bounding import day_of, last_day, mark_day
from tests.engines import begun

if TYPE_CHECKING:
    from tests.support import Repo


@pytest.mark.parametrize(
    ("now", "at", "day"),
    [
        ("2026-11-29T00:04:59+01:00", "00:05", "2026-11-28"),
        ("2026-11-29T00:05:00+01:00", "00:05", "2026-11-29"),
        ("2026-11-29T23:59:59+01:00", "00:05", "2026-11-29"),
        ("2026-11-29T18:59:00+01:00", "19:00", "2026-11-28"),
        ("2026-03-01T00:00:00+00:00", "00:01", "2026-02-28"),
    ],
)
def test_a_day_begins_when_the_setting_says(now: str, at: str, day: str) -> None:
    assert day_of(datetime.fromisoformat(now), at) == day


def test_the_last_day_is_remembered(repo: Repo) -> None:
    ws = begun(repo)
    assert last_day(ws) is None
    mark_day(ws, "2026-11-29")
    assert last_day(ws) == "2026-11-29"
    (ws.runtime / "days").write_bytes(b"\xff no JSON")
    assert last_day(ws) is None
