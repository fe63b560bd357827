"""git's hooks: what they add to a commit and to a rebase, beside others'; and the notes."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gitstate.daemon.commits import birth
from gitstate.hooks.git import gate
from tests.bench.managers import MANAGERS, installed
from tests.bench.measure import Row, missing
from tests.bench.places import TASK, begun
from tests.support import Repo, make_repo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

_TWO = ("pre-commit", "post-commit")
_MOST_WITH, _MOST_WITHOUT = 4, 6  # times what two no-op sh hooks add
_MOST_STALE_MS, _MOST_REBASE_MS = 40, 10
_MOST_OF_LONG = 1.5
_MS = 1000


@dataclass(slots=True)
class Costs:
    """What runs of one thing took: by the clock, and of the processor."""

    clock: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def add(self, action: Callable[[], object]) -> None:
        """Run it once; what it leaves behind in the background does not count."""
        before, begin = _used_s(), time.perf_counter()
        action()
        self.clock.append(time.perf_counter() - begin)
        self.processor.append(_used_s() - before)

    def above(self, other: Costs) -> Added:
        """What was added to each run of ``other``, which took turns with this one."""
        return Added(
            *(
                statistics.median(map(float.__sub__, mine, theirs))
                for mine, theirs in (
                    (self.clock, other.clock),
                    (self.processor, other.processor),
                )
            )
        )


@dataclass(frozen=True, slots=True)
class Added:
    """Seconds, medians: by the clock, and of the processor.

    A machine that has other work makes the clock's many times as long, and the
    processor's hardly: the lower of the two counts. (That no hook waits for anybody is
    held by tests.)
    """

    clock: float
    processor: float

    def times(self, other: Added) -> float:
        """How many times the other's it is."""
        return min(
            self.clock / max(other.clock, 1e-6),
            self.processor / max(other.processor, 1e-6),
        )

    def __str__(self) -> str:
        return f"{self.clock * _MS:.1f} ms (processor {self.processor * _MS:.1f})"


def _used_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _bare(path: Path, hooks: Sequence[str] = ()) -> Repo:
    """A repository with no hooks but these, which do nothing."""
    repo = make_repo(path)
    folder = repo.path / ".git" / "hooks"
    shutil.rmtree(folder)
    folder.mkdir()
    for name in hooks:
        (folder / name).write_text("#!/bin/sh\nexit 0\n")
        (folder / name).chmod(0o755)
    return repo


def _ours(path: Path, *, daemon: bool) -> Repo:
    """A repository with our hooks; ``daemon``: somebody lives who would link."""
    repo, ws = begun(path)
    if daemon:
        # as a daemon marks the worktree that it tends
        (ws.runtime / "daemon").write_text(f"{os.getpid()} {birth()}\n")
    return repo


def commits(folder: Path, *, runs: int) -> Iterator[Row]:
    """What is added to ``git commit``, beside no-op hooks and the managers with one each."""
    places = {
        "none": _bare(folder / "none"),
        "no-op": _bare(folder / "no-op", _TWO),
        "with": _ours(folder / "with", daemon=True),
        "without": _ours(folder / "without", daemon=False),
        "stale": _ours(folder / "stale", daemon=True),
    }
    refused: dict[str, str] = {}
    for name, found in installed(folder).items():
        if isinstance(found, str):
            refused[name] = found
            continue
        places[name] = _bare(folder / name)
        found.set_up(places[name])
    costs = _rounds(places, runs)
    added = {name: cost.above(costs["none"]) for name, cost in costs.items()}
    no_op = added["no-op"]
    for name, most, how in (
        ("with", _MOST_WITH, "daemon running"),
        ("without", _MOST_WITHOUT, "no daemon"),
    ):
        yield Row(
            f"added to git commit, task updated, {how}",
            f"{added[name]} ({runs} runs)",
            f"two no-op sh hooks {no_op}",
            added[name].times(no_op),
            most,
        )
    for name in MANAGERS:
        what = f"added to git commit, task updated, no daemon, beside {name}"
        if name in refused:
            yield missing(what, refused[name])
            continue
        beside = f"{name}, one no-op hook, {added[name]}"
        ours = added["without"]
        yield Row(what, str(ours), beside, ours.times(added[name]), 1)
    what, stale = "added to git commit, task not updated", added["stale"]
    least = min(stale.clock, stale.processor) * _MS
    yield Row(what, str(stale), "", least, _MOST_STALE_MS, "ms")
    if "pre-commit" in refused:
        yield missing(f"{what}, beside pre-commit", refused["pre-commit"])
        return
    theirs = added["pre-commit"]
    yield Row(
        f"{what}, beside pre-commit", str(stale), str(theirs), stale.times(theirs), 1
    )


def _rounds(places: dict[str, Repo], runs: int) -> dict[str, Costs]:
    """A commit of one more line of code in each place, in turn."""
    costs = {name: Costs() for name in places}
    for turn in range(-2, runs):
        for name in places if turn % 2 else reversed(places):
            repo = places[name]
            (repo.path / "code.txt").write_text(f"{turn}\n")
            repo.git("add", "code.txt")
            if name in {"with", "without"}:
                (repo.state / TASK).write_text(f"task {turn}\n")
            for path in (repo.path / ".git/gitstate/links").glob("*"):
                if name != "without":  # there it is worked off by the child
                    path.unlink()
            (costs[name] if turn >= 0 else Costs()).add(lambda repo=repo: _commit(repo))  # type: ignore[misc]
            if name == "without":
                _wait_for_child(repo)
    return costs


def _commit(repo: Repo) -> None:
    subprocess.run(
        ["git", "commit", "-q", "-m", "more"],
        cwd=repo.path,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _wait_for_child(repo: Repo) -> None:
    """Let the detached child of a commit end, so that it is in nobody's way."""
    deadline = time.monotonic() + 20
    links = repo.path / ".git/gitstate/links"
    while any(links.glob("*")) and time.monotonic() < deadline:
        time.sleep(0.01)


def rebases(folder: Path, *, commits: int, runs: int) -> Iterator[Row]:
    """What is added to a rebase of so many commits, a commit; no daemon."""
    places = {
        "none": _bare(folder / "rebase-none"),
        "ours": _ours(folder / "rebase-ours", daemon=False),
    }
    for repo in places.values():
        _import(repo, "topic", commits, files=True)
    costs = {name: Costs() for name in places}
    for repo in places.values():
        repo.commit("main.txt")
    for turn in range(runs):
        for name in places if turn % 2 else reversed(places):
            repo = places[name]
            repo.git("checkout", "-q", "-B", f"turn{turn}", "topic")
            costs[name].add(lambda repo=repo: repo.git("rebase", "-q", "main"))  # type: ignore[misc]
        _wait_for_child(places["ours"])
    added = costs["ours"].above(costs["none"])
    one = Added(added.clock / commits, added.processor / commits)
    yield Row(
        f"added to a rebase of {commits} commits, a commit",
        f"{one} ({runs} runs)",
        f"the whole without hooks {statistics.median(costs['none'].clock):.1f} s",
        max(0.0, min(one.clock, one.processor)) * _MS,
        _MOST_REBASE_MS,
        "ms",
    )


def _import(repo: Repo, branch: str, count: int, *, files: bool = False) -> None:
    """So many commits on a branch that begins at HEAD, as git fast-import makes them."""
    process = subprocess.Popen(
        ["git", "fast-import", "--quiet", "--force"],
        cwd=repo.path,
        stdin=subprocess.PIPE,
    )
    assert process.stdin is not None
    head = repo.git("rev-parse", "HEAD")
    for number in range(count):
        row = (
            f"commit refs/heads/{branch}\n"
            f"committer A Person <person@example.com> {1_700_000_000 + number} +0000\n"
            f"data 2\nx\n{f'from {head}' if number == 0 else ''}\n"
        )
        if files:
            row += f"M 644 inline f{number}\ndata 2\nx\n\n"
        process.stdin.write(row.encode())
    process.stdin.close()
    assert process.wait() == 0


def long_lines(folder: Path, *, count: int, runs: int) -> Iterator[Row]:
    """The check where nothing is linked, above many commits and above few."""
    few = 100
    places = {
        number: _ours(folder / f"line{number}", daemon=True) for number in (few, count)
    }
    for number, repo in places.items():
        _import(repo, "main", number)
        repo.git("update-ref", "-d", "refs/notes/gitstate")
        repo.git("reset", "-q", "--hard", "main")
        (repo.path / "code.txt").write_text("more\n")
        repo.git("add", "code.txt")
    heads = {number: repo.git("rev-parse", "HEAD") for number, repo in places.items()}
    costs = {number: Costs() for number in places}

    def check(number: int) -> None:
        words = ["pre-commit", str(places[number].path / ".git"), heads[number]]
        entry = [sys.executable, "-I", "-S", gate.__file__, *words]
        subprocess.run(entry, cwd=places[number].path, check=True)

    for turn in range(-1, runs):
        for number in places if turn % 2 else reversed(places):
            cost = costs[number] if turn >= 0 else Costs()
            cost.add(lambda number=number: check(number))  # type: ignore[misc]
    long, short = (
        Added(statistics.median(costs[n].clock), statistics.median(costs[n].processor))
        for n in (count, few)
    )
    verdict = places[count].path / ".git" / "gitstate" / "gate"
    assert verdict.read_text() == "exempt no baseline\n"
    yield Row(
        f"the check above {count:,} commits without notes",
        f"{long} ({runs} runs)",
        f"above {few} {short}",
        long.times(short),
        _MOST_OF_LONG,
    )


def hooks(folder: Path, *, quick: bool) -> Iterator[Row]:
    """All of it."""
    yield from commits(folder, runs=5 if quick else 25)
    yield from rebases(folder, commits=20 if quick else 200, runs=1 if quick else 2)
    yield from long_lines(
        folder, count=2000 if quick else 100_000, runs=3 if quick else 15
    )
    with contextlib.suppress(OSError):
        shutil.rmtree(folder / "managers")
