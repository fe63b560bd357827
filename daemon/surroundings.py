"""What a daemon takes over from the process that started it, and what may stop it."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_KEPT = frozenset({"HOME", "PATH", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR"})
_KEPT_PREFIXES = ("XDG_", "LC_", "GITSTATE_")
# meant for one command; a daemon would keep them for weeks
_DROPPED = frozenset({"GITSTATE_NOW", "GITSTATE_SKIP"})


def scrubbed(environ: Mapping[str, str]) -> dict[str, str]:
    """The part of an environment that a daemon may keep.

    A hook's ``GIT_DIR`` or an agent's variables would otherwise stay for its whole
    life, and reach every repository it looks after (known report 7).
    """
    return {
        key: value
        for key, value in environ.items()
        if (key in _KEPT or key.startswith(_KEPT_PREFIXES)) and key not in _DROPPED
    }


def leave_behind() -> None:
    """Let go of the starter's environment, folder, mask and blocked signals."""
    kept = scrubbed(os.environ)
    for key in os.environ.keys() - kept.keys():
        del os.environ[key]
    os.chdir("/")  # no file system is kept from being unmounted
    # what it writes for git has the modes that the user's own git would give it, but is
    # nobody else's to write; its own files are the user's alone whatever the mask is
    os.umask(os.umask(0o077) | 0o022)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


@contextlib.contextmanager
def stopped_by_signals(stop: Callable[[], None], wake_fd: int) -> Iterator[None]:
    """SIGTERM, SIGINT and SIGHUP call ``stop``; a byte on ``wake_fd`` tells of each.

    The byte is written in the C handler, so that a select on the other end wakes up
    even when the kernel gave the signal to another thread. Only the main thread can
    listen to signals; in another nothing happens.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    caught = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = {number: signal.signal(number, lambda *_: stop()) for number in caught}
    fd = signal.set_wakeup_fd(wake_fd, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(fd)
        for number, handler in before.items():
            signal.signal(number, handler)
