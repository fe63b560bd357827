"""Which restore was the last one: whoever was at work then learns what no longer holds.

It is noted before the journal of the restore goes, so that one which was killed, and
finished by whoever came next, is noted as any other.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from gitstate.errors import CannotWrite
from gitstate.files import read_json, write_json
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitstate.workspace import Workspace

_NAME = "restored"  # in the runtime folder


@dataclass(frozen=True, slots=True)
class PutBack:
    """A restore: its ``mark``, the version it brought back, the last one before it.

    ``files``: those that alone were put back, as they were named; none for all.
    """

    mark: str
    source: int
    last: int
    files: tuple[str, ...]


def note(ws: Workspace, journal: Mapping[str, Any]) -> None:
    """Note the restore of a journal; where that cannot be, it is made all the same."""
    if _of(journal) is not None:
        with contextlib.suppress(CannotWrite):
            write_json(ws.runtime / _NAME, journal, mode=ws.file_mode)


def newest(runtime: str | Path) -> PutBack | None:
    """The last restore in a worktree, by its runtime folder; ``None`` without any."""
    return _of(read_json(Path(runtime) / _NAME) or {})


def _of(journal: Mapping[str, Any]) -> PutBack | None:
    mark, source, last = (journal.get(key) for key in ("mark", "from", "last"))
    files = journal.get("files")
    if not isinstance(mark, str) or not mark or not isinstance(files, list):
        return None
    if not isinstance(source, int) or not isinstance(last, int):
        return None
    return PutBack(mark, source, last, tuple(map(str, files)))
