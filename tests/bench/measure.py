"""Samples, rows and the table: what is measured, beside what, within which bound."""

from __future__ import annotations

import statistics
import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_MS = 0.001


@dataclass(frozen=True, slots=True)
class Row:
    """One budget: ``value`` within ``bound``, both in ``unit`` (a ratio has none).

    ``value`` is ``None`` where it could not be measured; then ``ours`` says why.
    """

    what: str
    ours: str
    beside: str
    value: float | None
    bound: float | None  # None: for information
    unit: str = ""

    @property
    def over(self) -> bool:
        """Is the bound missed."""
        return (
            self.bound is not None
            and self.value is not None
            and self.value > self.bound
        )

    def cells(self) -> list[str]:
        """The row's cells for a person."""
        value = "-" if self.value is None else _number(self.value, self.unit)
        bound = "-" if self.bound is None else f"<= {_number(self.bound, self.unit)}"
        verdict = "OVER" if self.over else ""
        if self.value is not None and self.bound is not None and not self.over:
            verdict = "ok"
        return [self.what, self.ours, self.beside, value, bound, verdict]

    def as_json(self) -> dict[str, Any]:
        """As a process hands it to another."""
        return asdict(self)


def _number(value: float, unit: str) -> str:
    text = f"{value:.0f}" if value == round(value) else f"{value:.3g}"
    return f"{text} {unit}".rstrip()


@dataclass(frozen=True, slots=True)
class Sample:
    """Times of one thing, in seconds."""

    times: Sequence[float]

    @property
    def median(self) -> float:
        """The middle one."""
        return statistics.median(self.times)

    def __str__(self) -> str:
        return f"{self.median / _MS:.2f} ms ({len(self.times)} runs)"


def timed(action: Callable[[], object]) -> float:
    """How long it takes, in seconds."""
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def interleaved(
    actions: Sequence[Callable[[int], Callable[[], object]]], *, runs: int, warm: int
) -> list[Sample]:
    """Run all of them in turn, ``runs`` times, after ``warm`` rounds that do not count.

    Each action prepares a round, by its number, and returns what is to be timed. The
    order is turned around in every other round.
    """
    times: list[list[float]] = [[] for _ in actions]
    for turn in range(-warm, runs):
        order = range(len(actions))
        for position in order if turn % 2 == 0 else reversed(order):
            prepared = actions[position](turn + warm)
            took = timed(prepared)
            if turn >= 0:
                times[position].append(took)
    return [Sample(found) for found in times]


def ratio(
    what: str, ours: Sample, theirs: Sample, bound: float | None, *, name: str
) -> Row:
    """Ours as a part of theirs."""
    value = ours.median / theirs.median
    return Row(what, str(ours), f"{name} {theirs}", value, bound)


def limit(what: str, ours: Sample, bound_ms: float | None, *, beside: str = "") -> Row:
    """A time that may not be longer than so many milliseconds."""
    return Row(what, str(ours), beside, ours.median / _MS, bound_ms, "ms")


def missing(what: str, why: str) -> Row:
    """What could not be measured here."""
    return Row(what, f"not measured: {why}", "", None, None)


def best(same: Sequence[Row]) -> Row:
    """Of the same row measured several times, the one with the lowest value.

    Where the bound follows the machine, it is a part of that bound that is compared.
    """
    found = min(same, key=_share)
    if len(same) == 1:
        return found
    return replace(found, ours=f"{found.ours}, best of {len(same)}")


def _share(row: Row) -> float:
    if row.value is None:
        return -1.0
    return row.value / row.bound if row.bound else row.value


def table(rows: Iterable[Row]) -> str:
    """The rows, aligned."""
    head = ["what", "ours", "beside it", "value", "bound", ""]
    cells = [head, *(row.cells() for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in cells
    ]
    return "\n".join(line.rstrip() for line in lines)
