"""The cache of numbers: quick, and never believed beyond what it can prove."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from gitstate.history.line import engine_for, read_line
from gitstate.history.numbers import (
    Numbers,
    Row,
    append,
    last_known,
    newest_rows,
    row_of,
)
from gitstate.history.versions import resolve
from tests.engines import begun, edit, versions

if TYPE_CHECKING:
    from gitstate.workspace import Workspace
    from tests.support import Repo


def grown(repo: Repo, count: int = 6) -> Workspace:
    ws = begun(repo)
    for at in range(2, count + 1):
        edit(ws, f"text of v{at}\n")
    return ws


def loaded(ws: Workspace) -> list[Row]:
    with engine_for(ws) as engine:
        return list(Numbers.load(ws, engine, read_line(ws, engine).tip))


def truth(ws: Workspace) -> list[Row]:
    rows = [row_of(version.commit) for version in reversed(versions(ws))]
    return [row for row in rows if row is not None]


def test_each_version_adds_a_row(repo: Repo) -> None:
    ws = grown(repo)
    path = ws.runtime / "numbers"
    width = 20 if ws.object_format == "sha1" else 32

    assert path.stat().st_size == 32 + 6 * (20 + width)
    assert list(Numbers.cached(ws)) == truth(ws) == loaded(ws)
    last = last_known(ws)
    assert last is not None
    assert last.version == 6
    assert [row.version for row in newest_rows(ws, 3)] == [6, 5, 4]
    assert [row.version for row in newest_rows(ws, 99)] == [6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize("how", ["gone", "empty", "torn", "garbled", "short", "folder"])
def test_a_cache_that_is_lost_is_made_anew(repo: Repo, how: str) -> None:
    ws = grown(repo)
    path = ws.runtime / "numbers"
    whole = path.read_bytes()
    path.unlink()
    if how == "folder":
        path.mkdir()
    elif how != "gone":
        path.write_bytes(
            {
                "empty": b"",
                "torn": whole[:-7],
                "garbled": whole[:32] + os.urandom(len(whole) - 32),
                "short": whole[: 32 + 3 * ((len(whole) - 32) // 6)],
            }[how]
        )

    assert loaded(ws) == truth(ws)
    if how != "folder":
        assert path.read_bytes() == whole


def test_rows_in_the_middle_that_are_garbled_lead_nobody_astray(repo: Repo) -> None:
    """The last row is right, so the cache looks sound; each answer is proven itself."""
    ws = grown(repo)
    path = ws.runtime / "numbers"
    whole = path.read_bytes()
    size = (len(whole) - 32) // 6
    rows = [whole[32 + at * size : 32 + (at + 1) * size] for at in range(6)]
    swapped = [rows[0], rows[1][:20] + rows[3][20:], rows[2][:20] + bytes(size - 20)]
    path.write_bytes(whole[:32] + b"".join([*swapped, *rows[3:]]))
    wanted = {version.number: version.commit.id for version in versions(ws)}

    with engine_for(ws) as engine:
        for number, commit in wanted.items():
            assert resolve(ws, engine, f"v{number}").commit.id == commit
        assert resolve(ws, engine, "HEAD~4").commit.id == wanted[2]
        for commit in wanted.values():
            assert resolve(ws, engine, commit[:16]).commit.id == commit

    assert path.read_bytes() == whole


def test_a_row_is_added_only_after_its_parent(repo: Repo) -> None:
    ws = grown(repo)
    newest, below, *_ = [version.commit for version in versions(ws)]
    before = (ws.runtime / "numbers").read_bytes()

    assert not append(ws, below.id, newest)
    assert (ws.runtime / "numbers").read_bytes() == before
    (ws.runtime / "numbers").unlink()
    assert not append(ws, below.id, newest)
    assert not (ws.runtime / "numbers").exists()


def test_a_cache_of_another_tip_is_cut_and_completed(repo: Repo) -> None:
    ws = grown(repo)
    older = versions(ws)[3].commit.id

    with engine_for(ws) as engine:
        assert [row.version for row in Numbers.load(ws, engine, older)] == [1, 2, 3]
        assert [row.version for row in Numbers.load(ws, engine, None)] == []
    assert loaded(ws) == truth(ws)


def of(*rows: Row) -> Numbers:
    numbers = Numbers(b"", 20)
    numbers.data = b"".join(numbers.pack(row) for row in rows)
    return numbers


def row(version: int, moment: str, commit: str = "") -> Row:
    found = datetime.fromisoformat(moment)
    offset = found.utcoffset() or timedelta()
    return Row(
        version,
        int(found.timestamp()),
        int(offset.total_seconds() // 60),
        (commit or f"{version:x}").ljust(40, "0"),
    )


ROWS = (
    row(1, "2026-11-27T23:30:00+01:00"),
    row(2, "2026-11-28T10:00:00+01:00"),
    row(5, "2026-11-28T23:59:59+01:00"),
    row(6, "2026-11-28T23:30:00+00:00"),  # later, and by its own clock still the 28th
    row(7, "2026-11-30T08:00:00+05:30"),
    row(9, "2026-11-29T08:00:00+01:00"),  # the clock was put back
)


def test_rows_are_found_by_number_and_by_place() -> None:
    numbers = of(*ROWS)

    assert len(numbers) == 6
    assert list(numbers) == list(ROWS)
    assert [numbers.find(number) for number in (1, 5, 9)] == [ROWS[0], ROWS[2], ROWS[5]]
    assert [numbers.find(number) for number in (0, 3, 8, 10)] == [None] * 4
    assert numbers.last() == ROWS[5]
    assert numbers.before(ROWS[5], 2) == ROWS[3]
    assert numbers.before(ROWS[5], 0) == ROWS[5]
    assert numbers.before(ROWS[5], 6) is None
    assert numbers.before(row(8, "2026-01-01T00:00:00+00:00"), 0) is None
    assert of().last() is None


def test_rows_are_found_by_prefix() -> None:
    numbers = of(*ROWS)

    assert numbers.with_prefix("50") == [ROWS[2]]
    assert numbers.with_prefix("") == list(ROWS)
    assert numbers.with_prefix("ff") == []


def test_the_last_of_a_day_by_each_versions_own_clock() -> None:
    numbers = of(*ROWS)

    assert numbers.last_of_day(date(2026, 11, 27)) == ROWS[0]
    assert numbers.last_of_day(date(2026, 11, 28)) == ROWS[3]
    assert numbers.last_of_day(date(2026, 11, 29)) is None
    # never earlier than the day of the version before
    assert numbers.last_of_day(date(2026, 11, 30)) == ROWS[5]


def test_the_newest_that_is_not_younger_than_a_moment() -> None:
    numbers = of(*ROWS)
    zone = timezone(timedelta(hours=1))

    assert numbers.at(datetime(2026, 11, 27, 23, 29, tzinfo=zone)) is None
    assert numbers.at(datetime(2026, 11, 27, 23, 30, tzinfo=zone)) == ROWS[0]
    assert numbers.at(datetime(2026, 11, 28, 12, 0, tzinfo=UTC)) == ROWS[1]
    assert numbers.at(datetime(2030, 1, 1, tzinfo=UTC)) == ROWS[5]
    assert numbers.at(datetime(1, 1, 1, tzinfo=UTC)) is None
    assert ROWS[4].moment().isoformat() == "2026-11-30T08:00:00+05:30"
