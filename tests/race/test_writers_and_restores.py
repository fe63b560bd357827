"""Writers without pause during two hundred restores: no text of theirs is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitstate.history.exchange import leftovers
from tests.engines import begun, snap
from tests.ledger import fsck, line_of
from tests.shims import build
from tests.support import Repo, make_repo, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitstate.workspace import Workspace

RESTORES = int(os.environ.get("RACE_RESTORES", "200"))
CHECKOUT = Path(__file__).parents[2]
WAYS = {
    "02-current-task.md": "in place",
    "03-known-issues.md": "truncate",
    "04-decision-log.md": "rename",
    "05-file-map.md": "held",
}
# restores in a process of its own, so that something can be preloaded into it
_RESTORER = """
import sys
from pathlib import Path
from gitstate.history.restore import restore
from gitstate.workspace import Workspace
ws = Workspace.open(Path(sys.argv[1]))
for count in range(int(sys.argv[2])):
    restore(ws, f"v{1 + count % 2}", wait_s=30.0)
"""


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("preloaded", "restores"),
    [(None, RESTORES), ("no_exchange", RESTORES // 3), ("no_flock", RESTORES // 3)],
)
def test_no_text_is_lost(
    tmp_path: Path,
    preloaded: str | None,
    restores: int,
    record_property: Callable[[str, object], None],
) -> None:
    repo = make_repo(tmp_path / "repo")
    ws = begun(repo, "one")
    repo.write_six("two")
    snap(ws)
    preload = {"LD_PRELOAD": str(build(preloaded, tmp_path))} if preloaded else {}
    stop = tmp_path / "stop"
    notes = {name: tmp_path / f"note-{name}" for name in WAYS}
    writers = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.race.scribbler"),
                *(ws.state_dir / name, note, stop, WAYS[name]),
            ],
            cwd=CHECKOUT,
        )
        for name, note in notes.items()
    ]
    try:
        wait_for(lambda: all(note.exists() for note in notes.values()))
        restorer = subprocess.run(
            [sys.executable, "-c", _RESTORER, repo.path, str(restores)],
            env={**os.environ, **preload},
            cwd=CHECKOUT,
            check=False,
            capture_output=True,
            text=True,
        )
    finally:
        stop.touch()
        codes = [writer.wait(timeout=60) for writer in writers]

    assert (restorer.returncode, restorer.stderr) == (0, "")
    assert codes == [0] * len(writers)
    snap(ws)
    counts = {}
    seen = set(map(bytes.decode, [*history(repo), *on_disk(ws)]))
    for name, note in notes.items():
        due, written = owed(note)
        lost = due - seen
        assert lost == set(), (WAYS[name], sorted(lost)[:3])
        counts[WAYS[name]] = f"{len(due)} of {written}"
    fsck(repo)
    made = len(line_of(repo, "refs/heads/agent-state"))
    record_property(
        "figures",
        f"{restores} restores ({preloaded}), {made} versions; texts that had to be found "
        f"again: {counts}",
    )
    if preloaded != "no_flock":  # there a run counts as ended after ten minutes
        assert leftovers(ws.state_dir) == ()


def owed(note: Path) -> tuple[set[str], int]:
    """The texts that must be found again, and how many were written in all."""
    due: set[str] = set()
    written = 0
    for what, text in map(json.loads, note.read_text("ascii").splitlines()):
        if what == "written":
            due.add(text)
            written += 1
        elif what == "excused":
            due.discard(text)
    return due, written


def history(repo: Repo) -> Sequence[bytes]:
    """Every blob of every version."""
    listing = repo.git("rev-list", "--objects", "--no-object-names", "agent-state")
    done = subprocess.run(
        ["git", "cat-file", "--batch"],
        cwd=repo.path,
        input=f"{listing}\n".encode(),
        capture_output=True,
        check=True,
    )
    found = []
    rest = done.stdout
    while rest:
        head, _, rest = rest.partition(b"\n")
        _, kind, size = head.split()
        if kind == b"blob":
            found.append(rest[: int(size)])
        rest = rest[int(size) + 1 :]
    return found


def on_disk(ws: Workspace) -> Sequence[bytes]:
    """Every file in the state directory, what restores keep there included."""
    return [path.read_bytes() for path in ws.state_dir.rglob("*") if path.is_file()]
