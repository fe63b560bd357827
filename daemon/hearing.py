"""One worktree's watch: armed before the scan that counts, and found out when it is deaf.

``pending`` and ``notice`` belong to the loop's thread, the rest to one worker at a time.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from gitstate.daemon.hints import UnwatchableError
from gitstate.daemon.scan import Scan, scan

if TYPE_CHECKING:
    from collections.abc import Callable

    from gitstate.daemon.hints import Watch, Watcher
    from gitstate.daemon.logs import Teller

POLL_S = 2.0  # between looks where no event can be had
_HEARING_S = 0.5  # an event that is under way arrives within this time
_ARMING_ROUNDS = 5


class Hearing:
    """What is heard of one state directory, and whether anything can be."""

    def __init__(
        self, *, watcher: Watcher, wake: Callable[[], None], teller: Teller
    ) -> None:
        self._watcher, self._wake, self._teller = watcher, wake, teller
        self._watch: Watch | None = None
        self._watched_dir: bytes | None = None
        self._polling: str | None = None  # why, for good
        self._unwatchable: str | None = None  # why, at this moment
        self._visible: bytes | None = None
        self._heard = 0

    @property
    def pending(self) -> float | None:
        """The monotonic moment of the last hint that nobody has noticed yet."""
        watch = self._watch
        return watch.heard_at if watch is not None and watch.pending else None

    def notice(self) -> float | None:
        """``pending``, which is noticed now."""
        heard_at, watch = self.pending, self._watch
        if watch is not None:
            watch.pending = False
        return heard_at

    @property
    def hears(self) -> bool:
        """Is the directory watched, so that scans may be rare."""
        return (
            self._watch is not None
            and self._polling is None
            and self._unwatchable is None
        )

    def alive(self) -> bool:
        """Would a change be heard now, as far as the watch knows itself."""
        watch = self._watch
        return watch is not None and watch.alive()

    def scan(self, root: bytes, top: bytes) -> tuple[Scan, bool]:
        """Scan the directory that the settings name now, each folder watched before.

        Says too whether something changed since the last scan of which nothing was heard.
        """
        self._listen(root, top)
        heard = self._watch.events if self._watch else 0
        found = self._arm(root)
        unheard = (
            self.hears
            and self._visible not in {None, found.visible}
            and self._heard == heard
        )
        self._visible, self._heard = found.visible, heard
        return found, unheard

    def _listen(self, root: bytes, top: bytes) -> None:
        if self._watch is None or self._watched_dir != root:
            if self._watch is not None:
                self._watch.close()
            self._watch = self._watcher.watch(root, top, self._wake)
            self._watched_dir, self._polling, self._visible = root, None, None

    def _arm(self, root: bytes) -> Scan:
        found = scan(root)
        if self._polling is not None or self._watch is None:
            return found
        try:
            for _ in range(_ARMING_ROUNDS):
                if not self._watch.arm(found.directories):
                    break
                found = scan(root)
        except UnwatchableError as error:
            self._unwatchable = str(error)
            self._teller.now(
                "watch", f"no events ({error}): looking every {POLL_S:g} s instead"
            )
        else:
            self._unwatchable = None
            self._teller.now("watch", None, healed="watching again")
        return found

    def check(self) -> None:
        """A change was found that no event told of: is one on its way, or are we deaf."""
        watch = self._watch
        deadline = time.monotonic() + _HEARING_S
        while watch is not None and watch.events == self._heard:
            if time.monotonic() > deadline:
                watch.close()
                self._polling = "its file system tells nothing of changes"
                self._teller.now(
                    "watch", f"{self._polling}: looking every {POLL_S:g} s instead"
                )
                return
            time.sleep(_HEARING_S / 10)

    def close(self) -> None:
        """Hear nothing any more."""
        if self._watch is not None:
            self._watch.close()
            self._watch = None
