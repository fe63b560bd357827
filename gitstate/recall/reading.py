"""What a briefing is made of: the state's files and its stamp, read at once."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from gitstate.errors import GitstateError
from gitstate.history import batches
from gitstate.history.editing import viewed
from gitstate.history.stamp import Stamp, stamp_of
from gitstate.recall.groups import gather
from gitstate.recall.memo import Memo

if TYPE_CHECKING:
    from gitstate.recall.groups import Gathered
    from gitstate.workspace import Workspace


def remember(ws: Workspace) -> None:
    """Have the next briefing find what it needs already parsed; raises ``Refused``."""
    read(ws, None)


def read(ws: Workspace, after: int | None) -> tuple[Gathered, Stamp]:
    """The items of the state and its stamp; raises ``Refused`` where there is no state.

    ``after``: as ``stamp_of`` has it.
    """
    memo = Memo(ws)
    with viewed(ws) as files, _Stamping(ws, after) as stamping:
        found = gather(files, batches.waiting(ws), memo.of, lang=ws.settings.lang)
    stamp = stamping.stamp

    def is_versioned(name: str) -> bool:
        """Is it in git as it is: what is held out of history stays nowhere else either."""
        content = files.content(name)
        return content is not None and content.id == stamp.held.get(name)

    memo.save(is_versioned)
    return found, stamp


class _Stamping(threading.Thread):
    """The stamp, beside the reading of the files: it waits for git most of its time.

    ``stamp`` says so where it could not be made.
    """

    def __init__(self, ws: Workspace, saved: int | None) -> None:
        super().__init__(daemon=True)
        self._ws, self._saved = ws, saved
        self.stamp = Stamp(saved=saved, trouble="git could not be asked")

    def run(self) -> None:
        with suppress(GitstateError, OSError), viewed(self._ws) as files:
            self.stamp = stamp_of(self._ws, files, self._saved)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.join()
