"""Edits that were undone: a file is again, byte for byte, as before an edit of this session.

The agent wrote it so once more, or had git do it. A session keeps the blob ids that each
file which it edited went through (``Session.blobs``). What a file was before its first
edit is known where the client tells it, or git's index or the operations log has it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from gitstate.git.environment import git
from gitstate.history import batches
from gitstate.history.editing import viewed
from gitstate.hooks.agents import spool
from gitstate.hooks.agents.shell_words import GIT
from gitstate.memory import operations_log
from gitstate.memory.operations_log import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gitstate.hooks.agents.place import Place
    from gitstate.hooks.agents.sessions import Session
    from gitstate.hooks.agents.spool import Noted
    from gitstate.workspace import Workspace

_FILES = 200  # of a session
_KEPT = 8  # blob ids of a file: the first, and the last ones
_ID = 12  # digits, as in the log


class Edit(NamedTuple):
    """A file that was written, the blob id that it then had, and whether git wrote it.

    ``before``: the one that it had before, where the client told the text.
    """

    path: str
    blob: str
    before: str | None = None
    by_git: bool = False


def spread(
    place: Place, session: Session, edits: Sequence[Edit], noted: Iterable[Noted]
) -> Iterator[Noted]:
    """The same uses; what git put back is each file of the session that it changed."""
    for use in noted:
        if use.action != GIT or use.path:
            yield use
            continue
        last = {path: ids[-1] for path, ids in session.blobs.items() if ids}
        last |= {one.path: one.blob[:_ID] for one in edits}
        for path, before in last.items():
            blob = spool.blob_of(place, path)
            if blob is not None and not blob.startswith(before):
                yield spool.Noted(use.time, GIT, path, blob)


def look(
    ws: Workspace, session: Session, edits: Sequence[Edit]
) -> tuple[dict[str, list[str]], list[str]]:
    """What ``Session.blobs`` and ``.undone`` are with these edits; raises ``GitstateError``."""
    blobs, told = dict(session.blobs), list(session.undone)
    new = {one.path for one in edits if not one.by_git} - session.blobs.keys()
    before = _before(ws, sorted(new)) if new else {}
    for path, blob, was, by_git in edits:
        now, known = blob[:_ID], blobs.pop(path, None)
        if known is None:
            if by_git:
                continue  # no edit of this session
            # what was committed since is no state of before
            states = [*before[path], *([was[:_ID]] if was else [])]
            known, back = [*(one for one in states if one != now), now], False
        elif now in known[:-1]:
            known, back = known[: known.index(now) + 1], True
        else:
            # written by a shell, and put back before anybody could look at it
            back = by_git and known == [now] and now in before.get(path, ())
            if now != known[-1]:
                known = [*known[:1], *known[1:][2 - _KEPT :], now]
        blobs[path] = known
        if back and path not in told:
            told.append(path)
    return dict(list(blobs.items())[-_FILES:]), told


def _before(ws: Workspace, paths: Sequence[str]) -> dict[str, list[str]]:
    """What git's index and the log have of each file."""
    found: dict[str, list[str]] = {path: [] for path in paths}
    words = ["ls-files", "-s", "-z", "--", *(f":(literal){path}" for path in paths)]
    for row in git(words, cwd=ws.root).stdout.split(b"\0"):
        head, _, path = os.fsdecode(row).partition("\t")
        if path in found:
            found[path].append(head.split(" ")[1][:_ID])
    with viewed(ws) as files:
        waiting = batches.waiting(ws)
        operations = operations_log.known(files.text(OPERATIONS), waiting)
    last = {one.path: one.blob for one in operations if one.blob}
    for path, blob in last.items():
        if path in found and blob is not None and blob[:_ID] not in found[path]:
            found[path].append(blob[:_ID])
    return found
