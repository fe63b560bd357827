"""What a version leaves out, named so that a person can read it however much it is; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TOP = b"."
_NAMED = 20  # more of one folder with one reason are named as one
_ALL_NAMED = 100


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path that is not in the version, and why; a folder stands for all in it.

    ``.`` is the state directory itself. ``secrets``: the lines of a file that is held
    for them, each with what stands there.
    """

    path: bytes
    reason: str
    secrets: tuple[tuple[int, str], ...] = ()


def summed(skipped: Iterable[Skipped]) -> list[Skipped]:
    """The same rows, or fewer that say how many there are of a kind."""
    groups: dict[tuple[bytes, str], list[Skipped]] = {}
    for row in skipped:
        groups.setdefault((_head(row.path), row.reason), []).append(row)
    named = [
        row
        for (head, reason), rows in groups.items()
        for row in (rows if len(rows) <= _NAMED else [_sum(head, len(rows), reason)])
    ]
    if len(named) <= _ALL_NAMED:
        return named
    reasons: dict[str, int] = {}
    for (_, reason), rows in groups.items():
        reasons[reason] = reasons.get(reason, 0) + len(rows)
    return [_sum(TOP, count, reason) for reason, count in reasons.items()]


def counted(paths: Sequence[bytes], reason: str) -> list[Skipped]:
    """How many paths of each folder have one reason, never one by one."""
    counts: dict[bytes, int] = {}
    for path in paths:
        counts[_head(path)] = counts.get(_head(path), 0) + 1
    if len(counts) > _NAMED:
        counts = {TOP: len(paths)}
    return [_sum(head, count, reason) for head, count in counts.items()]


def _head(path: bytes) -> bytes:
    return path.rpartition(b"/")[0] or TOP


def _sum(head: bytes, count: int, reason: str) -> Skipped:
    return Skipped(head, f"{count:,} {'entry' if count == 1 else 'entries'}: {reason}")
