"""Versions that are just being put on a line, said before they are.

Beside the anchors, in ``<repository-id>.coming/``, a file named after its commit and the
writing process, with the line's name in it, stands for each of them: a process that is
killed between the ref and the anchor leaves a head that is still told from a stranger's.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING

from gitstate.history.anchor import coming_beside, read_heads, rewrite, rewriting
from gitstate.history.identity import heads_file, make_folder

if TYPE_CHECKING:
    from pathlib import Path

    from gitstate.history.anchor import Anchor
    from gitstate.workspace import Workspace

_COMING_S = 3600.0


def announce(ws: Workspace, commit: str) -> None:
    """Say that a version is about to be put on the line; raises ``OSError``."""
    folder = _coming_folder(ws)
    if folder is None:
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC
    path = folder / _announcement(commit)
    try:
        fd = os.open(path, flags, 0o600)
    except FileNotFoundError:
        make_folder(folder)
        fd = os.open(path, flags, 0o600)
    try:
        os.write(fd, os.fsencode(ws.line))
    finally:
        os.close(fd)


def _announcement(commit: str) -> str:
    # two writers may make the very same commit; each has its own announcement
    return f"{commit}.{os.getpid()}"


def announced(ws: Workspace) -> dict[str, float]:
    """The commits that may have been put on a line, and when that was said first."""
    return _announced(_coming_folder(ws))


def sighted(ws: Workspace) -> tuple[Anchor | None, tuple[str, ...]]:
    """The anchor of the workspace's line, and the commits announced since: one look.

    What is announced comes first: who takes that back has written the anchor before.
    """
    path = heads_file(ws)
    if path is None:
        return None, ()
    coming = tuple(_announced(coming_beside(path)))
    return read_heads(path).get(ws.line), coming


def _announced(folder: Path | None) -> dict[str, float]:
    found: dict[str, float] = {}
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(folder)) if folder else ():
            with contextlib.suppress(FileNotFoundError):
                commit, since = entry.name.partition(".")[0], entry.stat().st_mtime
                found[commit] = min(since, found.get(commit, since))
    return dict(sorted(found.items()))


def arrived(ws: Workspace, anchor: Anchor) -> None:
    """Record a version that was announced as the line's head; raises ``CannotWrite``.

    Where there is no flock another writer may have recorded a later one meanwhile.
    """
    with rewriting(ws) as path:
        if path is None:
            return
        anchors = read_heads(path)
        known = anchors.get(ws.line)
        if known is None or known.version < anchor.version:
            rewrite(ws, path, anchors, ws.line, anchor)
    _withdraw(ws, coming_beside(path), anchor.head)


def withdraw(ws: Workspace, commit: str) -> None:
    """Take an announcement back, and those that killed processes left an hour ago.

    Only those of this line: another line's may tell of a head that no writer of that
    line has seen yet.
    """
    folder = _coming_folder(ws)
    if folder is not None:
        _withdraw(ws, folder, commit)


def _withdraw(ws: Workspace, folder: Path, commit: str) -> None:
    line = os.fsencode(ws.line)
    with contextlib.suppress(OSError):
        (folder / _announcement(commit)).unlink(missing_ok=True)
        for path in list(folder.iterdir()):
            with contextlib.suppress(FileNotFoundError):
                old = time.time() - path.stat().st_mtime > _COMING_S
                if old and path.read_bytes() == line:
                    path.unlink(missing_ok=True)


def _coming_folder(ws: Workspace) -> Path | None:
    path = heads_file(ws)
    return coming_beside(path) if path else None
