"""Many notes: their room, and the cost of one more."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from gitstate.git.packing import consolidate
from gitstate.history import notes
from gitstate.history.line import engine_for
from gitstate.history.note import Note
from tests.bench.measure import Row, interleaved, ratio
from tests.bench.places import begun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from gitstate.git.engine import Engine
    from gitstate.workspace import Workspace

_FEW = 100
_AT_ONCE = 100  # notes of one notes commit, while they are made
_MOST_MIB, _MOST_OF_FEW = 10, 3


def many(folder: Path, *, count: int, runs: int) -> Iterator[Row]:
    """So many notes packed, and one more beside one more of a hundred."""
    _, few = begun(folder / "few", durable=False)
    _, ws = begun(folder / "many", durable=False)
    with engine_for(few) as of_few, engine_for(ws) as engine:
        _fill(few, of_few, _FEW)
        _fill(ws, engine, count)
        consolidate(engine.packs, root=ws.root, scratch=ws.shared, everything=True)
        packs = engine.packs
        size = sum(
            path.stat().st_size
            for pack in packs.ours()
            for path in packs.folder.glob(f"{pack.name}.*")
        )
        ours, beside = interleaved(
            [_one_more(ws, engine, count), _one_more(few, of_few, _FEW)],
            runs=runs,
            warm=2,
        )
    yield Row(
        f"{count:,} notes, packed",
        f"{size / 1024:.0f} KiB with indexes",
        f"{count // _AT_ONCE} notes commits",
        size / 2**20,
        _MOST_MIB,
        "MiB",
    )
    yield ratio(
        f"one more note above {count:,}, beside {_FEW}",
        ours,
        beside,
        _MOST_OF_FEW,
        name=f"above {_FEW}",
    )


def _identity(number: int) -> str:
    return hashlib.sha1(b"%d" % number, usedforsecurity=False).hexdigest()


def _note(number: int) -> str:
    stale = number % 2
    return Note(
        line="agent-state",
        version=number + 1,
        commit=_identity(-number - 1),
        check="stale" if stale else "updated",
        reason=f"unchanged since code commit {_identity(number)[:12]}" if stale else "",
        task=_identity(number * 7 + 1),
    ).text()


def _add(ws: Workspace, engine: Engine, numbers: range) -> None:
    wanted = {_identity(number): _note(number) for number in numbers}
    assert notes.update(ws, engine, lambda _: wanted, reason="bench") == len(numbers)


def _fill(ws: Workspace, engine: Engine, count: int) -> None:
    for start in range(0, count, _AT_ONCE):
        _add(ws, engine, range(start, min(count, start + _AT_ONCE)))


def _one_more(
    ws: Workspace, engine: Engine, count: int
) -> Callable[[int], Callable[[], object]]:
    def prepared(turn: int) -> Callable[[], object]:
        number = count + turn
        return lambda: _add(ws, engine, range(number, number + 1))

    return prepared
