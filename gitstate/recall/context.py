"""All that is recorded of one file: its role, what was done to it, and what names it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitstate.documents import FILE_MAP
from gitstate.errors import Refused, printable
from gitstate.history import batches
from gitstate.history.editing import viewed
from gitstate.memory.kept import condensed
from gitstate.memory.operations_log import OPERATIONS, known
from gitstate.recall.fence import line_of
from gitstate.recall.file_states import Look, states_of
from gitstate.values import dataclass

if TYPE_CHECKING:
    from gitstate.memory.kept import Kept
    from gitstate.memory.operations_log import Operation
    from gitstate.workspace import Workspace

_PLACE = re.compile(r"(.+):([1-9][0-9]{0,17})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What is recorded of ``path``; ``look`` is ``None`` where no change is recorded.

    ``said``: what of the state names the file, in the order of the files.
    """

    path: str
    line: int | None
    look: Look | None
    role: tuple[str, ...]
    said: tuple[Kept, ...]
    operations: tuple[Operation, ...]


def context_of(ws: Workspace, place: str) -> Context:
    """All that is recorded of ``FILE`` or ``FILE:LINE``, a whole path from the root.

    With a line, only what names the file without one, or near that line, is given.
    Raises ``Refused`` for a path that is not whole.
    """
    found = _PLACE.fullmatch(place)
    path, line = (found[1], int(found[2])) if found else (place, None)
    path = path.removeprefix("./")
    if not path or path.startswith(("/", "~")) or ".." in path.split("/"):
        raise Refused(
            f"{printable(place)!r} is no whole path from the repository's root; "
            "say it like: gitstate context src/core/parser.ts:142"
        )
    names = re.compile(
        rf"(?<![\w/.-]){re.escape(path)}(?::(\d{{1,18}}))?(?![\w/-]|\.\w)"
    )
    with viewed(ws) as files:
        waiting = batches.waiting(ws)
        kept = [one for one in condensed(files) if one.file != OPERATIONS]
        operations = known(files.text(OPERATIONS), waiting)
    ours = [one for one in operations if one.path == path]
    states = {one.path: one.look for one in states_of(ws, ours)}
    naming = [one for one in kept if _names(names, one.text, line)]
    return Context(
        path=path,
        line=line,
        look=states.get(path),
        role=tuple(
            line_of(one.text)
            for one in naming
            if one.file == FILE_MAP and line_of(one.text).startswith(path)
        ),
        said=tuple(
            one
            for one in naming
            if one.file != FILE_MAP or not line_of(one.text).startswith(path)
        ),
        operations=tuple(reversed(ours)),
    )


_NEAR = 20  # lines


def _names(names: re.Pattern[str], text: str, line: int | None) -> bool:
    """Is the file named, at no other place of it than near the line."""
    return any(
        line is None or found[1] is None or abs(int(found[1]) - line) <= _NEAR
        for found in names.finditer(text)
    )
