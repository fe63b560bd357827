"""A registered worktree: is it there, and opened with the settings that count now."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from gitstate.daemon.files import stamp
from gitstate.errors import printable
from gitstate.workspace import Workspace, config_home

if TYPE_CHECKING:
    from collections.abc import Callable

    from gitstate.daemon.registry import Entry

# Settings are read anew after this time, whatever the files' stamps say: a file that
# is included in a roundabout way is not known here.
REOPEN_S = 3600.0


class MissingError(Exception):
    """The worktree is not there; ``gone`` says that it is deleted, not unmounted."""

    def __init__(self, text: str, *, gone: bool) -> None:
        super().__init__(text)
        self.gone = gone


class Worktree:
    """Opens a worktree as rarely as it can: that costs two git processes."""

    def __init__(
        self, entry: Entry, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.entry = entry
        self._clock = clock
        self._open: Workspace | None = None
        self._config_files: list[str] = []
        self._stamps: object = None
        self._again_at = 0.0

    @property
    def opened(self) -> Workspace | None:
        """The workspace as it was opened last; ``None`` when it could not be."""
        return self._open

    def workspace(self) -> tuple[Workspace, bool]:
        """The workspace, and whether it was opened (anew) just now.

        Raises ``MissingError`` and what ``Workspace.open`` raises.
        """
        ws, self._open = self._open, None
        self._require_present()
        now = self._clock()
        anew = now >= self._again_at or self._stamps != self._stamp_config()
        if ws is None or anew:
            ws = Workspace.open(self.entry.root)
            if not ws.root.samefile(self.entry.root):
                where = printable(self.entry.root)
                message = f"{where} is no worktree of its own any more"
                raise MissingError(message, gone=True)
            self._config_files = [str(path) for path in config_files(ws)]
            self._stamps, self._again_at = self._stamp_config(), now + REOPEN_S
        self._open = ws
        return ws, anew

    def _stamp_config(self) -> object:
        return tuple(map(stamp, self._config_files))

    def _require_present(self) -> None:
        for path in (self.entry.root, self.entry.git_dir):
            try:
                os.stat(path)  # noqa: PTH116 hot
            except (FileNotFoundError, NotADirectoryError):
                where = printable(path)
                gone = self.entry.mounted()
                mount = printable(self.entry.mount or "its file system")
                reason = "gone" if gone else f"not there: {mount} is not mounted"
                message = f"{where} is {reason}"
                raise MissingError(message, gone=gone) from None


def config_files(ws: Workspace) -> list[Path]:
    """The files that git reads this worktree's configuration from, as far as is known."""
    home = Path.home()
    files = [
        ws.common_dir / "config",
        ws.git_dir / "config.worktree",
        home / ".gitconfig",
        config_home() / "git" / "config",
        Path("/etc/gitconfig"),
    ]
    if os.environ.get("GIT_CONFIG_GLOBAL"):
        files.append(Path(os.environ["GIT_CONFIG_GLOBAL"]))
    for key, values in ws.config.items():
        if key == "include.path" or (
            key.startswith("includeif.") and key.endswith(".path")
        ):
            for value in values:
                named = value.removeprefix("~/")
                bases = [home] if named != value else [ws.common_dir, home]
                files += [base / named for base in bases]
    return files
