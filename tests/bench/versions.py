"""The cost of one version: the engine alone, the whole of it, and on a slow disk."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gitstate.git.objects import FILE, Signature, encode_commit, make
from gitstate.history.cache import Cache
from gitstate.history.line import engine_for
from gitstate.history.snapshot import take
from gitstate.history.tree import Entry, build_tree
from tests.bench.measure import Row, interleaved, missing, ratio
from tests.bench.places import TASK, begun, beside, git_keeps, gitstate_words, text
from tests.shims import build
from tests.support import NUMBERED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

SLOW_US = 4000
MOST_FLUSHES = 4
FULL = ("-c", "core.fsync=all", "-c", "core.fsyncMethod=batch")


def engine_alone(folder: Path, *, runs: int) -> Iterator[Row]:
    """Blobs, trees, commit and ref of six 2 KB files, by the engine in process."""
    _, ws = begun(folder / "engine", durable=False)
    other = beside(folder / "engine-beside", dict.fromkeys(NUMBERED, "begin\n"))
    with engine_for(ws) as engine:

        def ours(turn: int) -> Callable[[], object]:
            texts = [text(turn * 6 + at).encode() for at in range(6)]

            def version() -> None:
                tip = engine.ref(ws.ref)
                assert tip is not None
                blobs = [make("blob", data, ws.object_format) for data in texts]
                entries = {
                    name.encode(): Entry(FILE, blob.id)
                    for name, blob in zip(NUMBERED, blobs, strict=True)
                }
                tree, trees = build_tree(entries, ws.tree_path, ws.object_format)
                who = Signature(*ws.identity(), 1_800_000_000 + turn, 0)
                data = encode_commit(tree, [tip], who, who, f"state v{turn}\n")
                commit = make("commit", data, ws.object_format)
                engine.write([*blobs, *trees, commit], durable=False)
                engine.swap_ref(
                    ws.ref, old=tip, new=commit.id, reason="bench", durable=False
                )

            return version

        def theirs(turn: int) -> Callable[[], object]:
            for at, name in enumerate(NUMBERED):
                (other.path / name).write_text(text(turn * 6 + at))
            return lambda: git_keeps(other, NUMBERED)

        mine, git = interleaved([ours, theirs], runs=runs, warm=5)
    what = "the engine alone, six 2 KB files, not durable"
    yield ratio(what, mine, git, 0.5, name="git add + commit")


def whole(
    folder: Path, *, runs: int, durable: bool, bounds: Sequence[float], disk: str = ""
) -> Iterator[Row]:
    """A snapshot from the look at the directory to the last write, in process."""
    options = FULL if durable else ()
    for count, bound in zip((1, 6), bounds, strict=True):
        names = [TASK] if count == 1 else list(NUMBERED)
        name = f"whole-{count}-{durable}{disk.replace(' ', '-')}"
        repo, ws = begun(folder / name, durable=durable)
        files = {name: text(at) for at, name in enumerate(NUMBERED)}
        for file, content in files.items():
            repo.write(file, content)
        other = beside(folder / f"{name}-beside", files)
        cache = Cache()

        def edit(root: Path, turn: int, names: Sequence[str] = names) -> None:
            for at, file in enumerate(names):
                content = text(at + 1) + f"- step {turn} of {file} is done\n"
                (root / file).write_text(content)

        def ours(turn: int, repo=repo, ws=ws, cache=cache, edit=edit):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202 bound at once
            edit(repo.state, turn)

            def version() -> None:
                assert take(ws, verb="bench", cache=cache).changed

            return version

        def theirs(turn: int, other=other, edit=edit):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202 bound at once
            edit(other.path, turn)
            return lambda: git_keeps(other, NUMBERED, *options)

        mine, git = interleaved([ours, theirs], runs=runs, warm=5)
        how = "durable" if durable else "not durable"
        changed = "one file" if count == 1 else "six files"
        beside_it = "git, all flushed" if durable else "git add + commit"
        what = f"the whole snapshot, {changed}, {how}{disk}"
        yield ratio(what, mine, git, bound, name=beside_it)


def slowed(folder: Path, *, runs: int) -> Iterator[Row]:
    """The durable rows once more, on a disk that takes 4 ms longer for every flush."""
    try:
        library = build("slow_fsync", folder)
    except pytest.skip.Exception as reason:
        yield missing("the whole snapshot, durable, 4 ms a flush", str(reason))
        return
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench", "--slowed-part", str(runs)],
        env={**os.environ, "LD_PRELOAD": str(library), "SLOW_FSYNC_US": str(SLOW_US)},
        stdout=subprocess.PIPE,
        check=True,
    )
    for found in json.loads(done.stdout):
        yield Row(**found)


def flushes(folder: Path) -> Iterator[Row]:
    """Flushes of one version, counted from outside."""
    repo, _ = begun(folder / "flushes")
    other = beside(folder / "flushes-beside", dict.fromkeys(NUMBERED, "begin\n"))
    if shutil.which("strace") is None:
        yield missing("flushes of a durable version", "strace is not installed")
        return
    for names in ([TASK], NUMBERED):
        for at, name in enumerate(names):
            repo.write(name, text(at))
            (other.path / name).write_text(text(at))
        ours = _count(folder, [*gitstate_words(), "snapshot"], repo.path)
        if ours is None:
            yield missing("flushes of a durable version", "strace may not trace here")
            return
        theirs = [
            _count(folder, ["git", *FULL, *words], other.path) or 0
            for words in (["add", "--", *names], ["commit", "-q", "-m", "x"])
        ]
        what = "one file" if len(names) == 1 else "six files"
        yield Row(
            f"flushes of a durable version, {what}",
            f"{ours} (1 run)",
            f"git, all flushed {sum(theirs)}",
            ours,
            MOST_FLUSHES,
        )


def _count(folder: Path, words: Sequence[str], cwd: Path) -> int | None:
    log = folder / "strace"
    calls = "fsync,fdatasync,sync,syncfs,msync"
    traced = ["strace", "-f", "-qq", "-e", f"trace={calls}", "-o", str(log), *words]
    done = subprocess.run(traced, cwd=cwd, capture_output=True, check=False)
    if done.returncode != 0:
        return None
    with contextlib.closing(log.open()) as lines:
        return sum(1 for line in lines if "sync(" in line or "syncfs(" in line)
