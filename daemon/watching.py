"""Events of the file system, as hints that a state directory may have changed.

The truth is the scan (``scan.py``); a watch only says when to look. It therefore needs
to know nothing of what happened, but it must know its own health: a directory that was
replaced, a reader that died and a queue that overflowed are hints too.
"""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

from gitstate.daemon.inotify import Inotify
from gitstate.daemon.observing import Observing

if TYPE_CHECKING:
    from gitstate.daemon.hints import Watcher


def make_watcher() -> Watcher:
    """The watcher for this system."""
    if sys.platform == "linux":
        with contextlib.suppress(ImportError):  # a watchdog without the shared instance
            from watchdog.observers import inotify_c  # noqa: PLC0415 Linux alone

            if hasattr(inotify_c, "InotifyFD"):
                return Inotify()
    return Observing()
