"""The state's files as they are now, for those who ask about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.errors import GitstateError
from gitstate.history.editing import viewed
from gitstate.memory.shelf import numbered

if TYPE_CHECKING:
    from gitstate.workspace import Workspace


def texts_of(ws: Workspace, more: str = "") -> dict[str, str]:
    """The numbered files by name, in their order; one that cannot be read is left out.

    ``more``: a file that is not numbered. Raises ``Refused`` where there is no state, or
    where ``more`` cannot be read.
    """
    texts: dict[str, str] = {}
    with viewed(ws) as files:
        names = numbered(files)
        for name in [*([more] if more and more not in names else []), *names]:
            try:
                text = files.text(name)
            except GitstateError:
                if name == more:
                    raise
                continue
            if text is not None:
                texts[name] = text
    return texts
