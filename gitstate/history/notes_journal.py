"""The notes written in the last minutes, in case git's own notes commands overwrite them.

One line a notes commit in ``<git-dir>/gitstate/notes``: JSON, its time, id and notes, and
whether the commit below it was known to have lost none of the notes before.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from gitstate.errors import CannotWrite, ObjectDamaged, ObjectMissing
from gitstate.files import replace_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gitstate.git.engine import Engine
    from gitstate.workspace import Workspace

_KEPT_S = 600.0
_LOOKED_AT = 64  # notes commits
_REMOVED = "Notes removed by "  # how git's message begins, in every language
_MOST_BYTES = 64 * 1024


class _Run(NamedTuple):
    """One notes commit of ours."""

    time: float
    commit: str
    notes: dict[str, str | None]
    sure: bool


def keep(
    ws: Workspace, made: str, notes: Mapping[str, str | None], *, sure: bool
) -> None:
    """Write down the notes of one notes commit; ``sure``: nothing is missing below it."""
    line = json.dumps([time.time(), made, dict(notes), sure]) + "\n"
    # The notes stand: without the journal they are only less protected.
    with contextlib.suppress(OSError, CannotWrite):
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        fd = os.open(_path(ws), flags, ws.file_mode)
        try:
            os.write(fd, line.encode())
            size = os.fstat(fd).st_size
        finally:
            os.close(fd)
        if size > _MOST_BYTES:
            lines = _path(ws).read_bytes().splitlines(keepends=True)
            kept: list[bytes] = []
            room = _MOST_BYTES // 2
            for row in reversed(lines):
                room -= len(row)
                if room < 0:
                    break
                kept.insert(0, row)
            replace_file(_path(ws), b"".join(kept), mode=ws.file_mode)


def overwritten(ws: Workspace, engine: Engine, tip: str | None) -> dict[str, str]:
    """The notes of the last minutes that ``tip`` may lack: commit id -> text.

    Also where it descends from the commit they were written in: git takes the ref's
    commit for a parent, and the notes that it read some time before. What somebody
    took away with git's own command since is not among them.
    """
    try:
        lines = _path(ws).read_bytes().splitlines()
    except OSError:
        return {}
    newest = _run(lines[-1]) if lines else None
    if newest is not None and newest.commit == tip and newest.sure:
        return {}
    oldest = max(time.time() - _KEPT_S, _last_removal(engine, tip))
    lost: dict[str, str] = {}
    for line in lines:
        run = _run(line)
        if run is None or run.time <= oldest:
            continue
        for commit, text in run.notes.items():
            if isinstance(text, str):
                lost[commit] = text
            else:
                lost.pop(commit, None)
    return lost


def _last_removal(engine: Engine, tip: str | None) -> float:
    """When git's own command took a note away last, in seconds since 1970; else 0."""
    if tip is not None:
        with contextlib.suppress(ObjectMissing, ObjectDamaged):
            for commit in islice(engine.walk(tip), _LOOKED_AT):
                if commit.message.startswith(_REMOVED):
                    return commit.committer.time + 1.0
    return 0.0


def _run(line: bytes) -> _Run | None:
    """A line of the journal; ``None`` for one that is torn."""
    try:
        when, commit, notes, *sure = json.loads(line)
    except (ValueError, TypeError, RecursionError):
        return None
    if not isinstance(when, int | float) or not isinstance(notes, dict):
        return None
    return _Run(when, str(commit), notes, sure == [True])


def _path(ws: Workspace) -> Path:
    return ws.runtime / "notes"
