"""``python -m tests.bench``: every budget beside its comparison; exit 1 when one is over.

``--quick`` takes small sizes and few runs, to see that it works; what it says of a
bound is then of no weight. ``--only WORD`` measures the sections whose name has WORD.

A section with a row that is over is measured up to twice more (a short one four times)
after all the others, and the best one of each row's values counts: a disturbance of the
machine must not decide, and a mechanism that is too slow is so each time.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import TYPE_CHECKING

from tests.bench import (
    agents,
    background,
    briefing,
    hooks,
    large,
    notes,
    parsing,
    screening,
    squashing,
    verbs,
    versions,
)
from tests.bench.measure import best, table
from tests.bench.places import hermetic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.bench.measure import Row

_RUNS_IN_DOUBT = 3
_RUNS_OF_A_SHORT_ONE = 5
_SHORT_S = 10.0
Section = tuple[str, "Callable[[Path], Iterator[Row]]"]


def sections(*, quick: bool) -> list[Section]:
    """What there is to measure, by name, each a function of a folder to work in."""
    runs = 5 if quick else 60
    few = 3 if quick else 11
    return [
        ("engine", lambda at: versions.engine_alone(at, runs=runs)),
        (
            "snapshot",
            lambda at: versions.whole(at, runs=runs, durable=False, bounds=(1.0, 1.5)),
        ),
        (
            "durable",
            lambda at: versions.whole(at, runs=runs, durable=True, bounds=(1.0, 1.5)),
        ),
        ("screening", lambda at: screening.screening(at, runs=runs)),
        (
            "parsing",
            lambda at: parsing.parsing(at, runs=few, most=1000 if quick else 10_000),
        ),
        ("briefing", lambda at: briefing.briefing(at, runs=few * 2)),
        ("agents", lambda at: agents.agents(at, runs=few)),
        ("slow disk", lambda at: versions.slowed(at, runs=few * 2)),
        ("flushes", versions.flushes),
        ("edit", lambda at: background.edit_to_version(at, runs=few)),
        ("hooks", lambda at: hooks.hooks(at, quick=quick)),
        (
            "notes",
            lambda at: notes.many(at, count=500 if quick else 10_000, runs=few * 3),
        ),
        ("verbs", lambda at: verbs.verbs(at, runs=few * 2 // 3)),
        (
            "idle",
            lambda at: background.idle(
                at, counts=(1, 5 if quick else 100), window_s=2 if quick else 30
            ),
        ),
        (
            "back",
            lambda at: large.going_back(
                at, count=2000 if quick else 100_000, runs=few * 2 // 3
            ),
        ),
        (
            "squash",
            lambda at: squashing.squashing(
                at,
                counts=(100, 500, 1000) if quick else (100, 1000, 10_000),
                runs=few * 2 // 3,
            ),
        ),
        ("packing", lambda at: large.packing(at, count=500 if quick else 10_000)),
        ("room", lambda at: large.room(at, count=200 if quick else 2000)),
    ]


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", action="append", default=[], metavar="WORD")
    parser.add_argument("--slowed-part", type=int, help=argparse.SUPPRESS)
    words = parser.parse_args()
    if words.slowed_part is not None:
        return _slowed_part(words.slowed_part)
    begin = time.monotonic()
    wanted = [
        _Section(name, section)
        for name, section in sections(quick=words.quick)
        if not words.only or any(word in name for word in words.only)
    ]
    for section in wanted:
        section.measure()
    # those in doubt once all others are measured: what disturbed them may be over
    while again := [section for section in wanted if section.in_doubt()]:
        for section in again:
            section.measure()
    rows = [row for section in wanted for row in section.rows()]
    over = [row for row in rows if row.over]
    sys.stdout.write(f"{table(rows)}\n\n")
    for row in over:
        sys.stdout.write(f"OVER: {', '.join(filter(None, row.cells()))}\n")
    took = time.monotonic() - begin
    load = os.getloadavg()[0]
    sys.stdout.write(
        f"{len(rows)} rows in {took:.0f} s (load {load:.1f}); {len(over)} over\n"
    )
    return 1 if over else 0


class _Section:
    """What was measured of a section, some times where a row of it is over."""

    def __init__(self, name: str, section: Callable[[Path], Iterator[Row]]) -> None:
        self._name = name
        self._section = section
        self._runs: list[list[Row]] = []
        self._most = _RUNS_IN_DOUBT

    def measure(self) -> None:
        """Measure it once, and say at once what was found, for a run that is cut short."""
        os.sync()  # what others left to be written would be written meanwhile
        since = time.monotonic()
        with hermetic() as folder:
            self._runs.append(list(self._section(folder)))
        took = time.monotonic() - since
        if len(self._runs) == 1 and took < _SHORT_S:
            self._most = _RUNS_OF_A_SHORT_ONE
        sys.stderr.write(f"measured: {self._name} ({took:.0f} s)\n")
        for row in self._runs[-1]:
            what, *_, value, bound, verdict = row.cells()
            sys.stderr.write(f"  {what}: {value} {bound} {verdict}\n")

    def rows(self) -> list[Row]:
        """The best one of each row."""
        return [best(same) for same in zip(*self._runs, strict=True)]

    def in_doubt(self) -> bool:
        """Is a row of it over that may be measured once more."""
        return len(self._runs) < self._most and any(row.over for row in self.rows())


def _slowed_part(runs: int) -> int:
    """The durable rows, in the process that the slow disk was preloaded into."""
    with hermetic() as folder:
        rows = versions.whole(
            folder, runs=runs, durable=True, bounds=(1.0, 1.0), disk=", 4 ms a flush"
        )
        sys.stdout.write(json.dumps([row.as_json() for row in rows]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
