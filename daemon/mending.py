"""Looking after git's hooks at every scan, for the price of a few ``stat``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.daemon.files import stamp
from gitstate.hooks.git import installer

if TYPE_CHECKING:
    from pathlib import Path

    from gitstate.workspace import Workspace


class Mending:
    """``installer.mend``, called only where something has changed since all was well."""

    def __init__(self) -> None:
        self._well: dict[Path, tuple[Workspace, list[str], object]] = {}

    def __call__(self, ws: Workspace) -> list[str]:
        """Mend the hooks of a worktree; what was done. Raises as ``installer.mend``.

        A workspace that was opened anew may have another configuration.
        """
        known = self._well.pop(ws.root, None)
        anew = known is None or known[0] is not ws
        files = installer.told_by(ws) if known is None or anew else known[1]
        stamps = tuple(map(stamp, files))  # before they are read
        lines = [] if known and not anew and known[2] == stamps else installer.mend(ws)
        if not lines:
            self._well[ws.root] = ws, files, stamps
        return lines
