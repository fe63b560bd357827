from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from tests.bench import hooks, managers
from tests.bench.hooks import Added, Costs

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_lower_of_clock_and_processor_counts() -> None:
    assert Added(0.2, 0.006).times(Added(0.01, 0.002)) == 3
    assert Added(0.02, 0.006).times(Added(0.01, 0.001)) == 2
    assert str(Added(0.0204, 0.006)) == "20.4 ms (processor 6.0)"


def test_what_was_added_is_the_median_of_the_rounds_differences() -> None:
    mine = Costs([3.0, 5.0, 9.0], [0.5, 1.5, 2.5])
    theirs = Costs([1.0, 2.0, 1.0], [0.25, 0.5, 0.5])
    assert mine.above(theirs) == Added(3.0, 1.0)


def test_a_run_is_measured_with_the_processes_it_waited_for() -> None:
    costs = Costs()
    words = [sys.executable, "-I", "-S", "-c", "sum(range(2_000_000))"]
    costs.add(lambda: subprocess.run(words, check=True))
    assert len(costs.clock) == len(costs.processor) == 1
    assert costs.processor[0] > 0


def test_a_manager_that_its_registry_does_not_give_is_a_row_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(managers, "MANAGERS", ("prek",))
    monkeypatch.setattr(hooks, "MANAGERS", ("prek",))
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/nothing")
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    found = managers.installed(tmp_path)
    why = found["prek"]
    assert isinstance(why, str)
    assert why.startswith("prek cannot be installed: ")
    assert "\n" not in why
    monkeypatch.setattr(hooks, "installed", lambda _: {**found, "pre-commit": why})
    rows = {row.what: row for row in hooks.commits(tmp_path, runs=2)}
    row = rows["added to git commit, task updated, no daemon, beside prek"]
    assert (row.value, row.over, row.ours) == (None, False, f"not measured: {why}")
    assert rows["added to git commit, task updated, daemon running"].bound == 4
    assert rows["added to git commit, task updated, no daemon"].bound == 6
    assert rows["added to git commit, task not updated"].bound == 40


def test_the_other_rows(tmp_path: Path) -> None:
    rows = [
        *hooks.rebases(tmp_path, commits=3, runs=1),
        *hooks.long_lines(tmp_path, count=300, runs=1),
    ]
    assert [row.what for row in rows] == [
        "added to a rebase of 3 commits, a commit",
        "the check above 300 commits without notes",
    ]
    assert all(row.value is not None for row in rows)
