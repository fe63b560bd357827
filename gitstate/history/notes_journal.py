"""The notes written in the last minutes, in case git's own notes commands overwrite them."""

from __future__ import annotations

import contextlib
import time
from itertools import islice
from typing import TYPE_CHECKING, Any

from gitstate.errors import CannotWrite, ObjectDamaged, ObjectMissing
from gitstate.files import read_json, write_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gitstate.git.engine import Engine
    from gitstate.workspace import Workspace

_KEPT_S = 600.0
_MOST_RUNS = 64
_LOOKED_AT = 64  # notes commits


def keep(ws: Workspace, made: str, notes: Mapping[str, str | None]) -> None:
    """Write down the notes of one notes commit."""
    runs = [*_runs(ws), {"commit": made, "time": time.time(), "notes": dict(notes)}]
    # The notes stand: without the journal they are only less protected.
    with contextlib.suppress(CannotWrite):
        write_json(_path(ws), {"runs": runs[-_MOST_RUNS:]}, mode=ws.file_mode)


def overwritten(ws: Workspace, engine: Engine, tip: str | None) -> dict[str, str]:
    """The notes that a commit beside ours has put out of the way: commit id -> text."""
    runs = _runs(ws)
    if not runs or runs[-1]["commit"] == tip:
        return {}
    wanted = {run["commit"] for run in runs}
    if tip is not None:
        with contextlib.suppress(ObjectMissing, ObjectDamaged):
            for commit in islice(engine.walk(tip), _LOOKED_AT):
                wanted.discard(commit.id)
                if commit.id == runs[0]["commit"]:
                    break
    lost = {}
    for run in runs:
        if run["commit"] in wanted:
            lost.update({k: v for k, v in run["notes"].items() if isinstance(v, str)})
    return lost


def _runs(ws: Workspace) -> list[dict[str, Any]]:
    """The runs of the last minutes, oldest first."""
    oldest = time.time() - _KEPT_S
    found = (read_json(_path(ws)) or {}).get("runs")
    return [
        run
        for run in (found if isinstance(found, list) else [])
        if isinstance(run, dict)
        and isinstance(run.get("commit"), str)
        and isinstance(run.get("notes"), dict)
        and isinstance(run.get("time"), int | float)
        and run["time"] > oldest
    ]


def _path(ws: Workspace) -> Path:
    return ws.runtime / "notes"
