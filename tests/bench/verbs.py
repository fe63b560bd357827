"""What a person waits for: the verbs, each a whole process from a cold start."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from gitstate.history.derived import take
from tests.bench.measure import Row, interleaved, limit
from tests.bench.places import TASK, begun, run, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_MOST_MS = 200
LOADED_S = 0.128  # click, pygit2, yaml and markdown-it, on the machine that it is for
_VERBS: dict[str, list[str]] = {
    "status": ["status"],
    "snapshot, nothing changed": ["snapshot"],
    "snapshot, one file changed": ["snapshot"],
    "log": ["log"],
    "show": ["show", f"v1:{TASK}"],
    "diff": ["diff", "v1", "v2"],
    "restore": [],
    "fsck": ["fsck"],
    "decide": ["decide", "--reason", "it is one"],
    "note": ["note", "--file", "code.txt:1"],
    "op add, which waits": ["op", "add", "code.txt", "read"],
    "tidy, nothing over a limit": ["tidy"],
    "lint": ["lint"],
    "condense": ["condense"],
    "brief": ["brief"],
    "search": ["search", "e"],
    "--help": ["--help"],
}
_WITH_TEXT = {"decide", "note", "op add, which waits"}  # another at each turn


def libraries(_: int) -> Callable[[], object]:
    """What a verb loads that is not ours, in a process of its own."""
    words = [sys.executable, "-c", "import click, pygit2, yaml, markdown_it"]
    return lambda: subprocess.run(words, check=True)


def slower(runs: int) -> tuple[float, str]:
    """By which factor this machine is slower than the one the bounds are for, and on what."""
    (loaded,) = interleaved([libraries], runs=runs, warm=1)
    return max(1.0, loaded.median / LOADED_S), f"its libraries alone {loaded}"


def verbs(folder: Path, *, runs: int) -> Iterator[Row]:
    """Each verb in a small repository, beside the libraries that it loads."""
    repo, ws = begun(folder / "verbs")
    for turn in range(20):
        repo.write(TASK, text(turn))
        take(ws, verb="bench")

    def verb(name: str) -> Callable[[int], Callable[[], object]]:
        def prepared(turn: int) -> Callable[[], object]:
            if name == "snapshot, one file changed":
                repo.write(TASK, text(100 + turn))
            elif name != "restore":
                take(ws, verb="bench")
            words = _VERBS[name] or ["restore", f"v{2 + turn}"]
            if name in _WITH_TEXT:
                words = [*words, f"Use way {turn}"]
            return lambda: run(*words, cwd=repo.path)

        return prepared

    actions = [*map(verb, _VERBS), libraries]
    *ours, loaded = interleaved(actions, runs=runs, warm=1)
    # the bound is that of a machine which loads the libraries in so long
    bound = _MOST_MS * max(1.0, loaded.median / LOADED_S)
    for name, sample in zip(_VERBS, ours, strict=True):
        what = f"gitstate {name}, whole process"
        yield limit(what, sample, bound, beside=f"its libraries alone {loaded}")
