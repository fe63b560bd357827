"""Which decisions are too many: those no longer in force first, then the oldest; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gitstate.documents.decision_log import Decision, DecisionLog
    from gitstate.documents.header import Capacity


def over(
    log: DecisionLog,
    capacity: Capacity,
    sizes: Sequence[int],
    size: int,
) -> set[int]:
    """The places of the decisions that are too many, of ``sizes`` bytes each.

    ``size``: bytes of the whole file. One that supersedes another stays as long as the
    other does: alone, that one would be in force again.
    """
    live = {id(one) for one in log.live()}
    order = _oldest_first(log.decisions)
    queue = [n for n in order if id(log.decisions[n]) not in live]
    count, gone = len(log.decisions), len(queue)
    queue += [n for n in order if id(log.decisions[n]) in live]
    places = {one.id: n for n, one in enumerate(log.decisions) if one.id}
    out: set[int] = set()
    for rank, place in enumerate(queue):
        crowded = capacity.items is not None and count > capacity.items
        large = capacity.size is not None and size > capacity.size
        # with a number of items, these stay however large they are
        large = large and (rank < gone or (capacity.items is None and count > 1))
        if not crowded and not large:
            break
        if any(n not in out for n in _released(log, place, places)):
            continue
        out.add(place)
        count -= 1
        size -= sizes[place]
    return out


def _released(log: DecisionLog, place: int, places: Mapping[str, int]) -> Iterator[int]:
    """The places of the decisions that one keeps out of force."""
    one = log.decisions[place]
    if one.status in {"live", "superseded"}:
        for id_ in one.supersedes:
            if places.get(id_, place) != place:
                yield places[id_]


def _oldest_first(decisions: Sequence[Decision]) -> list[int]:
    """Places by age: by number, and what has none is as old as what is before it."""
    numbers = [int(one.id[2:]) for one in decisions if one.id]
    falling = len(numbers) > 1 and numbers == sorted(numbers, reverse=True)
    places = range(len(decisions))
    ages: list[tuple[int, int, int]] = []
    number = 0
    for rank, n in enumerate(reversed(places) if falling else places):
        id_ = decisions[n].id
        number = int(id_[2:]) if id_ else number
        ages.append((number, rank, n))
    return [n for _, _, n in sorted(ages)]
