"""The one clock, and what stands for it."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from gitstate import clock
from gitstate.errors import UsageError


def test_now_has_the_zones_offset() -> None:
    with time_machine.travel(datetime(2026, 7, 1, 12, tzinfo=UTC), tick=False):
        assert clock.now("Asia/Kolkata").isoformat() == "2026-07-01T17:30:00+05:30"
        assert clock.now("Europe/Berlin").utcoffset() == timedelta(hours=2)
        assert clock.now().astimezone(UTC) == datetime(2026, 7, 1, 12, tzinfo=UTC)
        assert clock.epoch_now() == time.time()


def test_daylight_saving() -> None:
    before = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    with time_machine.travel(before, tick=False):
        assert clock.now("Europe/Berlin").isoformat() == "2026-10-25T02:30:00+02:00"
    with time_machine.travel(before + timedelta(hours=1), tick=False):
        assert clock.now("Europe/Berlin").isoformat() == "2026-10-25T02:30:00+01:00"


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-29T14:05:00+01:00",
        "2026-11-29T13:05:00Z",
        "2026-11-29 14:05+01:00",
        "1969-12-31T23:59:59-05:00",
    ],
)
def test_a_moment_that_stands_for_the_clock(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("GITSTATE_NOW", text)
    expected = datetime.fromisoformat(text)

    assert clock.now() == expected
    assert clock.now().utcoffset() == expected.utcoffset()
    assert clock.now("Asia/Kolkata") == expected
    assert clock.now("Asia/Kolkata").utcoffset() == timedelta(hours=5, minutes=30)
    assert clock.epoch_now() == expected.timestamp()


@pytest.mark.parametrize(
    "text", ["banana", "2026-11-29", "2026-11-29T14:05:00", "12:00+01:00", " ", "1"]
)
def test_a_moment_that_is_none(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("GITSTATE_NOW", text)

    with pytest.raises(UsageError, match="must be ISO 8601 with an offset"):
        clock.now()


def test_a_zone_that_is_none_is_the_machines() -> None:
    assert clock.zone(None) is None
    assert clock.zone("") is None
    assert clock.zone("Mars/Olympus") is None
    assert clock.zone("../../etc/passwd") is None
    assert str(clock.zone("Europe/Berlin")) == "Europe/Berlin"


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (-5, "0 s"),
        (0.9, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (3599, "59 min"),
        (3600, "1 h"),
        (172799, "47 h"),
        (172800, "2 days"),
        (1e9, "11574 days"),
    ],
)
def test_ages_for_people(seconds: float, expected: str) -> None:
    assert clock.age_text(seconds) == expected
