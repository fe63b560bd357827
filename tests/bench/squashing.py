"""A day of many versions squashed, and a squashed history read back."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gitstate.git.packing import consolidate
from gitstate.history.line import engine_for
from gitstate.workspace import Workspace
from tests.bench.large import BEGIN, history
from tests.bench.measure import Row, Sample, interleaved, limit, ratio, timed
from tests.bench.places import run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tests.support import Repo

_LINE = "agent-state"
_DAY_S = 86_400
_LATER = 200  # versions of the day after, which get another parent
_RUNS = 3
_PER_DAY = 100
_MOST_KIB = 0.35


def squashing(folder: Path, *, counts: Sequence[int], runs: int) -> Iterator[Row]:
    """The squash beside git's own way, then reading at three sizes."""
    yield from _one_day(folder, counts[-1])
    yield from _reading(folder, counts, runs)


def _now(days: float) -> str:
    return datetime.fromtimestamp(BEGIN + days * _DAY_S, UTC).isoformat()


def _one_day(folder: Path, count: int) -> Iterator[Row]:
    repo = history(folder / "day", count + _LATER, apart_s=_DAY_S / count)
    os.environ["GITSTATE_NOW"] = _now(1.9)
    times = []
    for number in range(_RUNS):
        copy = folder / f"day-{number}"
        shutil.copytree(repo.path, copy, symlinks=True)
        times.append(timed(lambda copy=copy: run("squash", cwd=copy)))  # type: ignore[misc]
        assert _git(copy, "rev-list", "--count", _LINE) == str(_LATER + 2)
    ours = Sample(times)
    theirs = Sample([timed(lambda: _by_git(repo, _LATER + 1))])
    what = f"squash a day of {count:,} versions, {_LATER} after it, whole process"
    beside = f"git commit-tree, {_LATER + 1} times {theirs}"
    yield limit(what, ours, 2000, beside=beside)
    yield ratio("the same, beside commit-tree", ours, theirs, None, name="git")


def _by_git(repo: Repo, count: int) -> None:
    """The day's commit and the later ones on it, as git alone would make them."""
    parent: list[str] = []
    for back in reversed(range(count)):
        words = ["commit-tree", f"{_LINE}~{back}^{{tree}}", *parent, "-m", f"v{back}"]
        parent = ["-p", _git(repo.path, *words)]


def _git(cwd: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=cwd, check=True, capture_output=True)
    return done.stdout.decode().strip()


def _reading(folder: Path, counts: Sequence[int], runs: int) -> Iterator[Row]:
    squashed = {}
    for count in counts:
        repo = history(folder / f"days-{count}", count, apart_s=_DAY_S / _PER_DAY)
        os.environ["GITSTATE_NOW"] = _now(count / _PER_DAY + 2)
        run("squash", cwd=repo.path)
        squashed[count] = repo
    most = squashed[counts[-1]]
    pick = random.Random(7)

    def calling(
        repo: Repo, count: int, *words: str
    ) -> Callable[[int], Callable[[], object]]:
        def prepared(_: int) -> Callable[[], object]:
            named = [word.format(number=pick.randint(1, count)) for word in words]
            return lambda: run(*named, cwd=repo.path)

        return prepared

    def git(*words: str) -> Callable[[int], Callable[[], object]]:
        return lambda _: lambda: _git(most.path, *words)

    for name, words, beside in (
        ("log -n 20", ("log", "-n", "20"), ("log", "--oneline", "-n", "20", _LINE)),
        ("log --all -n 20", ("log", "--all", "-n", "20"), ("log", "-n", "20", _LINE)),
        ("restore any", ("restore", "v{number}"), ("archive", _LINE)),
    ):
        small, middle, large, theirs = interleaved(
            [
                *(calling(squashed[count], count, *words) for count in counts),
                git(*beside),
            ],
            runs=runs,
            warm=1,
        )
        what = f"{name} of {counts[-1]:,} squashed"
        yield limit(
            f"{what}, whole process", large, 500, beside=f"git {beside[0]} {theirs}"
        )
        yield ratio(f"{what}, beside {counts[1]:,}", large, middle, 2, name="")
        yield ratio(f"{what}, beside {counts[0]:,}", large, small, 2, name="")
    yield _room(most, counts[-1])


def _room(repo: Repo, count: int) -> Row:
    """What a catch-up over all those days adds: each version once more, on its day."""
    ws = Workspace.open(repo.path)
    with engine_for(ws) as engine:
        store = engine.packs
        consolidate(store, root=ws.root, scratch=ws.shared, everything=True)
        files = [
            path
            for pack in store.ours()
            for path in store.folder.glob(f"{pack.name}.*")
        ]
        ours = sum(path.stat().st_size for path in files)
        every = sum(path.stat().st_size for path in store.folder.glob("pack-*"))
    return Row(
        f"size packed that squashing adds, a version of {count:,}",
        f"{ours / 1024:.0f} KiB with indexes",
        f"all of it {every / 1024:.0f} KiB",
        ours / 1024 / count,
        _MOST_KIB,
        "KiB",
    )
