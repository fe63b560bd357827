"""The order in which the numbered files are given back, from what they say."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from gitstate.documents.header import Problem
from gitstate.errors import printable
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitstate.documents.header import Header


@dataclass(frozen=True, slots=True)
class Recovery:
    """The files' names in the order in which they are given back."""

    names: tuple[str, ...]
    problems: tuple[Problem, ...]


def recovery_order(headers: Mapping[str, Header]) -> Recovery:
    """The order of the files ``headers`` (a file's name -> its header).

    It is the number, then the name, unless ``requires`` says otherwise. A cycle, which
    a problem names, is broken at its file of the lowest number; what no file provides is
    a problem as well and holds nothing up.
    """
    problems: list[Problem] = []
    needs = _needs(headers, problems)
    needed_by: dict[str, list[str]] = {name: [] for name in headers}
    for name, files in needs.items():
        for file in files:
            needed_by[file].append(name)
    waiting = {name: len(files) for name, files in needs.items()}
    ready = [
        (headers[name].order, name) for name, count in waiting.items() if not count
    ]
    heapq.heapify(ready)
    names: list[str] = []
    while len(names) < len(headers):
        if not ready:
            cycle = _cycle(needs, {name for name in waiting if waiting[name] > 0})
            problems.append(Problem(0, _told(cycle)))
            first = min(cycle, key=lambda name: (headers[name].order, name))
            waiting[first] = 0
            ready.append((headers[first].order, first))
        _, name = heapq.heappop(ready)
        names.append(name)
        for other in needed_by[name]:
            waiting[other] -= 1
            if waiting[other] == 0:
                heapq.heappush(ready, (headers[other].order, other))
    return Recovery(tuple(names), tuple(problems))


def _needs(
    headers: Mapping[str, Header], problems: list[Problem]
) -> dict[str, dict[str, None]]:
    """A file -> the files that provide what it requires."""
    providers: dict[str, list[str]] = {}
    for name, header in headers.items():
        for capability in header.provides:
            providers.setdefault(capability, []).append(name)
    needs: dict[str, dict[str, None]] = {}
    for name, header in headers.items():
        needs[name] = {}
        for capability in header.requires:
            if capability not in providers:
                text = f"{printable(name)} requires {printable(capability)}, which no file provides"
                problems.append(Problem(0, text))
            needs[name].update(dict.fromkeys(providers.get(capability, ())))
    return needs


def _cycle(needs: Mapping[str, Mapping[str, None]], left: set[str]) -> list[str]:
    """Files of ``left`` of which each needs the next, and the last the first."""
    path: dict[str, int] = {}
    name = min(left)
    while name not in path:
        path[name] = len(path)
        name = min(file for file in needs[name] if file in left)
    return list(path)[path[name] :]


def _told(cycle: list[str]) -> str:
    first = cycle.index(min(cycle))
    names = [printable(name) for name in (*cycle[first:], *cycle[: first + 1])]
    return f"a cycle: {' requires '.join(names)}"
