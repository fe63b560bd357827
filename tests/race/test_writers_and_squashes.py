"""Eight writers while days are squashed without pause: each version stays, by number and id."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitstate.history.line import engine_for, read_line
from gitstate.history.numbers import Numbers
from gitstate.workspace import Workspace
from tests.engines import begun, files_of
from tests.history.simulated import at, on_line, squashed
from tests.ledger import fsck
from tests.shims import build
from tests.support import make_repo, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable

SQUASHES = int(os.environ.get("RACE_SQUASHES", "12"))
CHECKOUT = Path(__file__).parents[2]
# half of the writers have a clock that is a day behind: squashed days get more versions
CLOCKS = ("2026-11-28T12:00:00+00:00", "2026-11-29T12:00:00+00:00")
OVER = "2026-11-30T00:10:00+00:00"
_SQUASHER = """
import sys
import time
from pathlib import Path
from gitstate.errors import RefMoved
from gitstate.history.squash import squash
from gitstate.workspace import Workspace
ws = Workspace.open(Path(sys.argv[1]))
for _ in range(int(sys.argv[2])):
    try:
        squash(ws, wait_s=30.0)
    except RefMoved:  # without flock the writers may be faster each time: nothing is done
        pass
    time.sleep(0.2)
"""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("preloaded", [None, "no_flock"])
def test_no_version_is_lost(
    tmp_path: Path,
    preloaded: str | None,
    record_property: Callable[[str, object], None],
) -> None:
    repo = make_repo(tmp_path / "repo")
    with at(CLOCKS[0]):
        ws = begun(repo)
    env = dict(os.environ)
    if preloaded:
        env["LD_PRELOAD"] = str(build(preloaded, tmp_path))
    stop = tmp_path / "stop"
    notes = [tmp_path / f"note-{number}" for number in range(8)]
    writers = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.race.writer"),
                *(ws.root, f"agent-{number}.md", note, stop, "0.05"),
            ],
            cwd=CHECKOUT,
            env={**env, "GITSTATE_NOW": CLOCKS[number % 2]},
        )
        for number, note in enumerate(notes)
    ]
    try:
        for note in notes:
            wait_for(lambda note=note: note.exists() and note.stat().st_size)  # type: ignore[misc]
        subprocess.run(
            [
                sys.executable,
                "-c",
                _SQUASHER,
                str(ws.root),
                str(SQUASHES if preloaded is None else 2),
            ],
            check=True,
            env={**env, "GITSTATE_NOW": OVER},
        )
    finally:
        stop.touch()
        codes = [writer.wait(timeout=120) for writer in writers]
    assert codes == [0] * 8

    squashed(Workspace.open(ws.root), OVER)
    reports = [
        (number, row)
        for number, note in enumerate(notes)
        for row in map(json.loads, note.read_text().splitlines()[:-1])
        if row[1] is not None
    ]
    with engine_for(ws) as engine:
        rows = Numbers.load(ws, engine, read_line(ws, engine).tip)
        assert [row.version for row in rows] == list(range(1, len(rows) + 1))
        by_number = {row.version: row.commit for row in rows}
        trees = {commit: engine.commit(commit).tree for _, (_, commit, _, _) in reports}
        now = {
            number: engine.commit(commit).tree for number, commit in by_number.items()
        }
    for _, (number, commit, _, _) in reports:
        assert now[number] == trees[commit]
    for writer, (_, commit, text, _) in reports[:: max(1, len(reports) // 200)]:
        assert files_of(ws, commit)[f"agent-{writer}.md"] == text.encode()
    # every id that was printed is kept by a ref
    kept = set(repo.git("rev-list", "--all").split())
    assert {commit for _, (_, commit, _, _) in reports} <= kept
    assert all(row.startswith("2026-11-2") for row in on_line(ws))
    fsck(repo)
    record_property("figures", f"{len(reports)} versions reported, {len(rows)} made")
