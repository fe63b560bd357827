from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench import __main__ as bench
from tests.bench.measure import (
    Row,
    Sample,
    best,
    interleaved,
    limit,
    missing,
    ratio,
    table,
)

ROWS = [
    Row("fast", "1 ms", "2 ms", 0.5, 1.0),
    Row("slow", "3 ms", "2 ms", 1.51, 1.5),
    Row("told", "7 MiB", "", 7, None, "MiB"),
    missing("traced", "strace is not installed"),
]


def test_a_row_is_over_when_its_value_is_above_its_bound() -> None:
    assert [row.over for row in ROWS] == [False, True, False, False]
    assert not Row("at the bound", "", "", 1.5, 1.5).over


def test_the_table() -> None:
    assert table(ROWS) == (
        "what    ours                                   beside it  value  bound\n"
        "fast    1 ms                                   2 ms       0.5    <= 1    ok\n"
        "slow    3 ms                                   2 ms       1.51   <= 1.5  OVER\n"
        "told    7 MiB                                             7 MiB  -\n"
        "traced  not measured: strace is not installed             -      -"
    )


def test_medians_and_ratios() -> None:
    ours, theirs = Sample([0.003, 0.001, 0.002]), Sample([0.004])
    row = ratio("x", ours, theirs, 1.0, name="git")
    assert row == Row("x", "2.00 ms (3 runs)", "git 4.00 ms (1 runs)", 0.5, 1.0)
    assert limit("x", ours, 200) == Row("x", "2.00 ms (3 runs)", "", 2.0, 200, "ms")


def test_everything_takes_turns_and_warm_rounds_do_not_count() -> None:
    told: list[str] = []
    found = interleaved(
        [
            lambda turn: lambda: told.append(f"a{turn}"),
            lambda turn: lambda: told.append(f"b{turn}"),
        ],
        runs=3,
        warm=1,
    )
    assert told == ["b0", "a0", "a1", "b1", "b2", "a2", "a3", "b3"]
    assert [len(sample.times) for sample in found] == [3, 3]


@pytest.mark.parametrize(("row", "code"), [(0, 0), (1, 1), (3, 0)])
def test_the_exit_code_tells_of_a_bound_that_is_missed(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    row: int,
    code: int,
) -> None:
    monkeypatch.setattr(sys, "argv", ["bench"])
    monkeypatch.setattr(
        bench, "sections", lambda **_: [("one", lambda _: iter([ROWS[row]]))]
    )
    assert bench.main() == code
    said = capsys.readouterr().out
    assert said.startswith(table([best([ROWS[row]] * (5 if code else 1))]))
    assert f"; {code} over\n" in said


def test_a_row_that_is_over_counts_by_the_best_of_some(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    values = iter([1.6, 1.9, 1.3, 1.7, 1.8, 1.75, 1.72])
    monkeypatch.setattr(sys, "argv", ["bench"])
    monkeypatch.setattr(
        bench,
        "sections",
        lambda **_: [
            (name, lambda _: iter([Row("row", "ours", "", next(values), 1.5)]))
            for name in ("one", "two")
        ],
    )
    assert bench.main() == 1
    said = capsys.readouterr().out
    assert "row   ours, best of 2             1.3    <= 1.5  ok\n" in said
    assert "row   ours, best of 5             1.7    <= 1.5  OVER\n" in said
    assert "\nOVER: row, ours, best of 5, 1.7, <= 1.5, OVER\n" in said
    assert said.endswith("; 1 over\n")
    assert next(values, None) is None


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "words",
    [["--only", word] for word in ("engine", "room", "notes", "agents")],
)
def test_it_measures_the_real_thing(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench", "--quick", *words],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {0, 1}, done.stderr
    assert f"measured: {words[1]} (" in done.stderr
    assert "rows in" in done.stdout.splitlines()[-1]


def test_the_slowed_part_hands_its_rows_over() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench", "--slowed-part", "2"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        check=True,
    )
    rows = [Row(**found) for found in json.loads(done.stdout)]
    assert [row.what for row in rows] == [
        "the whole snapshot, one file, durable, 4 ms a flush",
        "the whole snapshot, six files, durable, 4 ms a flush",
    ]
