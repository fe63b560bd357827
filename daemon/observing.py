"""Watches where there is no inotify: watchdog's own observer, one for all directories."""

from __future__ import annotations

import contextlib
import os
import threading
from typing import TYPE_CHECKING

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEventHandler,
)

from gitstate.daemon.hints import Heard, UnwatchableError
from gitstate.workspace import SCRATCH

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from watchdog.events import FileSystemEvent
    from watchdog.observers.api import BaseObserver, ObservedWatch

    from gitstate.daemon.hints import Watch
    from gitstate.daemon.scan import Identity

_SCRATCH = os.fsencode(SCRATCH)


class Observing:
    """watchdog's observer for this system (macOS: FSEvents)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._observer: BaseObserver | None = None

    def observer(self) -> BaseObserver:
        """The running observer; a new one where the former died."""
        from watchdog.observers import Observer  # noqa: PLC0415 not on Linux

        with self._lock:
            if self._observer is None or not self._observer.is_alive():
                self._observer = Observer()
                self._observer.start()
            return self._observer

    def watch(self, root: bytes, top: bytes, wake: Callable[[], None]) -> Watch:
        """A watch for ``root``, not yet armed."""
        del top  # these systems name what they watch by its path
        return ObservedDirectory(self, root, wake)

    def alive(self) -> bool:
        """Are the observer and its emitters running, once they were started."""
        observer = self._observer
        return observer is None or (
            observer.is_alive()
            and all(emitter.is_alive() for emitter in tuple(observer.emitters))
        )

    def close(self) -> None:
        """Stop the observer and its threads."""
        with self._lock:
            if self._observer is not None and self._observer.is_alive():
                self._observer.stop()
                self._observer.join(timeout=2)
            self._observer = None


_FILTER: list[type[FileSystemEvent]] = [
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
]


class ObservedDirectory(Heard, FileSystemEventHandler):
    """One state directory under watchdog's own observer, with its subfolders."""

    def __init__(
        self, observing: Observing, root: bytes, wake: Callable[[], None]
    ) -> None:
        super().__init__(wake)
        self._observing = observing
        self._observer: BaseObserver | None = None
        self._root = root
        self._identity: Identity | None = None
        self._watch: ObservedWatch | None = None

    def arm(self, directories: Mapping[Identity, bytes]) -> int:
        """Watch the root again when it is another one, or its emitter died."""
        identity = next(iter(directories), None)
        if self.alive() and identity == self._identity:
            return 0
        self.close()
        if identity is None:
            message = "there is no directory yet"
            raise UnwatchableError(message)
        try:
            self._observer = self._observing.observer()
            self._watch = self._observer.schedule(
                self, os.fsdecode(self._root), recursive=True, event_filter=_FILTER
            )
        except (OSError, RuntimeError) as error:
            self._watch = None
            raise UnwatchableError.of(error) from error
        self._identity = identity
        return 1

    def alive(self) -> bool:
        """Is the emitter of this watch running."""
        return (
            self._watch is not None
            and self._observer is not None
            and self._observer.is_alive()
            and any(
                emitter.watch is self._watch and emitter.is_alive()
                for emitter in tuple(self._observer.emitters)
            )
        )

    def close(self) -> None:
        """Hear nothing any more."""
        if self._watch is not None and self._observer is not None:
            with contextlib.suppress(KeyError):  # the observer was stopped
                self._observer.unschedule(self._watch)
        self._watch = self._identity = None

    def on_any_event(self, event: FileSystemEvent) -> None:
        """A hint, unless it is about the scratch folder."""
        path = os.fsencode(event.src_path)
        if not path.startswith(self._root + b"/" + _SCRATCH):
            self.hear()
