"""What the daemon asks of a watch, whichever library hears the file system."""

from __future__ import annotations

import errno
import time
from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gitstate.daemon.scan import Identity


_LIMITS = {
    errno.ENOSPC: "the limit of watches is reached (fs.inotify.max_user_watches)",
    errno.EMFILE: "the limit of inotify instances is reached (fs.inotify.max_user_instances)",
}


class UnwatchableError(Exception):
    """Events cannot be had for a directory; the text says why."""

    @classmethod
    def of(cls, error: Exception) -> Self:
        """From what the system or the library said."""
        number = error.errno if isinstance(error, OSError) else None
        if number in _LIMITS:
            return cls(_LIMITS[number])
        said = error.strerror if isinstance(error, OSError) else None
        return cls(said or type(error).__name__)


class Watch(Protocol):
    """Hints for one state directory.

    ``events`` counts what was heard and ``heard_at`` is the monotonic moment of the
    last one; ``pending`` is cleared by whoever has noticed it.
    """

    events: int
    heard_at: float
    pending: bool

    def arm(self, directories: Mapping[Identity, bytes]) -> int:
        """Watch exactly these folders, and what must be watched to see them replaced.

        Returns how many were not watched before: what changed inside them until now was
        not heard. Raises ``UnwatchableError``.
        """

    def alive(self) -> bool:
        """Would a change be heard now."""

    def close(self) -> None:
        """Hear nothing any more."""


class Watcher(Protocol):
    """Everything this process watches."""

    def watch(self, root: bytes, top: bytes, wake: Callable[[], None]) -> Watch:
        """A watch for the state directory ``root`` of the worktree ``top``, not yet armed.

        ``wake`` is called from another thread when ``pending`` becomes true.
        """

    def alive(self) -> bool:
        """Is everything running that was started."""

    def close(self) -> None:
        """Let go of everything."""


class Heard:
    """The counting side of a ``Watch``."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.events = 0
        self.heard_at = 0.0
        self.pending = False
        self._wake = wake

    def hear(self) -> None:
        """Note a hint; wakes the loop once until it has noticed."""
        self.events += 1
        self.heard_at = time.monotonic()
        if not self.pending:
            self.pending = True
            self._wake()
