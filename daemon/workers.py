"""A few threads for work that may hang, so that one repository never stops the others."""

from __future__ import annotations

import threading
import time
from queue import SimpleQueue
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Job = Callable[[], None]


class Workers:
    """Runs jobs in their order, never two with one key at once.

    ``size`` jobs run side by side. One that takes longer than ``stall_s`` seconds (a
    dead network mount, a stopped process that holds a lock) no longer counts: another
    thread takes its place until it comes back. ``done`` is called from a worker's
    thread when jobs were finished and none is waiting any more: once for many.
    """

    def __init__(
        self,
        done: Callable[[], None],
        *,
        size: int = 2,
        stall_s: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._done = done
        self._size = size
        self._stall_s = stall_s
        self._clock = clock
        self._lock = threading.Lock()
        self._jobs: SimpleQueue[tuple[str, Job] | None] = SimpleQueue()
        self._keys: set[str] = set()  # waiting or running
        self._running: dict[str, float] = {}
        self._untold = False
        self._threads = 0

    def offer(self, key: str, job: Job) -> bool:
        """Have ``job`` done, unless its key is waiting or at work; was it taken.

        ``job`` must not raise.
        """
        with self._lock:
            if key in self._keys:
                return False
            self._keys.add(key)
            self._jobs.put((key, job))
        self.relieve()
        return True

    def relieve(self) -> None:
        """Start a thread where jobs wait and too few threads are able to take them."""
        with self._lock:
            waiting = len(self._keys) - len(self._running)
            idle = self._threads - len(self._running)
            if waiting > idle and self._threads - self._stalled() < self._size:
                self._threads += 1
                threading.Thread(target=self._work, name="worker", daemon=True).start()

    def _stalled(self) -> int:
        oldest = self._clock() - self._stall_s
        return sum(1 for started in self._running.values() if started < oldest)

    def _work(self) -> None:
        while (taken := self._jobs.get()) is not None:
            key, job = taken
            with self._lock:
                self._running[key] = self._clock()
                tell = self._must_tell()
            if tell:
                self._done()
            try:
                job()
            finally:
                with self._lock:
                    del self._running[key]
                    self._keys.discard(key)
                    self._untold = True
                    tell = self._must_tell()
                    extra = self._threads - self._stalled() > self._size
                    if extra:
                        self._threads -= 1
                if tell:
                    self._done()
            if extra:
                return

    def _must_tell(self) -> bool:
        """Is there a finished job to tell of, and none waiting (the lock is held)."""
        if not self._untold or len(self._keys) > len(self._running):
            return False
        self._untold = False
        return True

    def busy(self, key: str) -> bool:
        """Is a job with this key waiting or at work."""
        return key in self._keys

    def stalled(self) -> dict[str, float]:
        """The keys that have been at work for too long, with their seconds."""
        now = self._clock()
        with self._lock:
            return {
                key: now - started
                for key, started in self._running.items()
                if now - started > self._stall_s
            }

    def idle(self) -> bool:
        """Is nothing waiting or at work."""
        return not self._keys

    def close(self) -> None:
        """Let idle threads end."""
        with self._lock:
            for _ in range(self._threads):
                self._jobs.put(None)
