"""The registry as the running daemon sees it: read when it changed, its faults said once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.daemon import registry
from gitstate.daemon.files import stamp
from gitstate.errors import GitstateError

if TYPE_CHECKING:
    from pathlib import Path

    from gitstate.daemon.logs import Log
    from gitstate.daemon.registry import Entry


class Roster:
    """The worktrees that are registered; ``warnings`` are the registry's at the moment."""

    def __init__(self, home: Path, log: Log) -> None:
        self._home = home
        self._log = log
        self._stamp: object = ()
        self._known: dict[Path, Entry] = {}
        self.warnings: tuple[str, ...] = ()

    def changed(self) -> dict[Path, Entry] | None:
        """All entries by their root, when the registry changed since the last call.

        A registry that cannot be read is not an empty one: it counts as unchanged.
        """
        found = stamp(self._home / registry.NAME)
        if found == self._stamp:
            return None
        try:
            listing = registry.listing(self._home)
            entries = listing.entries
            damaged = bool(listing.warnings) or listing.mended
            if damaged:  # what is still in memory is not lost
                entries = registry.keep(self._known.values(), self._home)
        except GitstateError as error:
            self._stamp = ()  # tried again at the next call
            self._warn((str(error),))
            return None
        self._stamp = () if damaged else found  # mended: read once more
        self._warn(listing.warnings)
        self._known = {entry.root: entry for entry in entries}
        return dict(self._known)

    def drop(self, root: Path) -> None:
        """Take a worktree out of the registry."""
        try:
            registry.remove(root, self._home)
        except GitstateError as error:
            self._warn((str(error),))

    def _warn(self, warnings: tuple[str, ...]) -> None:
        for line in warnings:
            if line not in self.warnings:
                self._log.write("warning", "registry", line)
        self.warnings = warnings
