"""The watches of Linux: one inotify instance and one thread for every directory.

A user has 128 instances. This is watchdog's ``InotifyFD``; its observers are not used
here: they start a thread for each watch, hold a moved file's events back for half a
second, and drop an overflow without a word to their handlers.
"""

from __future__ import annotations

import errno
import os
import threading
from typing import TYPE_CHECKING

from gitstate.daemon.hints import Heard, UnwatchableError
from gitstate.workspace import SCRATCH

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from watchdog.observers.inotify_c import (
        CallbackId,
        InotifyEvent,
        InotifyFD,
        Mask,
        WatchDescriptor,
    )

    from gitstate.daemon.hints import Watch
    from gitstate.daemon.scan import Identity

# One repository must not use up the user's watches (a common limit is 8,192 or more).
MOST_DIRECTORIES = 2_000

_SCRATCH = os.fsencode(SCRATCH)


class Inotify:
    """One inotify instance for every watch of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reader: InotifyFD | None = None

    def reader(self) -> InotifyFD:
        """The running instance; a new one where the former died. Raises ``UnwatchableError``."""
        from watchdog.observers.inotify_c import InotifyFD  # noqa: PLC0415 Linux alone

        with self._lock:
            if self._reader is None or not self._reader.is_alive():
                try:
                    self._reader = InotifyFD()
                except OSError as error:
                    raise UnwatchableError.of(error) from error
                self._reader.start()
            return self._reader

    def watch(self, root: bytes, top: bytes, wake: Callable[[], None]) -> Watch:
        """A watch for ``root``, not yet armed."""
        return InotifyWatch(self, root, top, wake)

    def alive(self) -> bool:
        """Is the reader running, once it was started."""
        return self._reader is None or self._reader.is_alive()

    def close(self) -> None:
        """Stop the reader."""
        with self._lock:
            if self._reader is not None and self._reader.is_alive():
                self._reader.stop()
                self._reader.join(timeout=2)
            self._reader = None


class InotifyWatch(Heard):
    """The folders of one state directory, and the folder that holds it.

    A new subfolder is only a hint: the look that follows arms it.
    """

    def __init__(
        self, inotify: Inotify, root: bytes, top: bytes, wake: Callable[[], None]
    ) -> None:
        super().__init__(wake)
        from watchdog.observers.inotify_c import InotifyConstants as In  # noqa: PLC0415 Linux alone

        added = In.IN_ONLYDIR | In.IN_DONT_FOLLOW | In.IN_MASK_ADD
        moved = In.IN_CREATE | In.IN_DELETE | In.IN_MOVED_FROM | In.IN_MOVED_TO
        ends = In.IN_DELETE_SELF | In.IN_MOVE_SELF
        written = In.IN_MODIFY | In.IN_CLOSE_WRITE | In.IN_ATTRIB
        # reads (IN_ACCESS, IN_OPEN, IN_CLOSE_NOWRITE) are left out: they wake nobody
        self._tree_mask: Mask = added | moved | ends | written  # type: ignore[assignment]
        self._anchor_mask: Mask = added | moved | ends  # type: ignore[assignment]
        self._ends = ends
        self._inotify = inotify
        self._reader: InotifyFD | None = None
        self._root = root
        self._top = top
        self._lock = threading.Lock()
        self._tree: dict[Identity, WatchDescriptor] = {}
        self._root_wd: WatchDescriptor | None = None
        self._anchor: tuple[Identity, WatchDescriptor] | None = None
        self._awaited = b""

    def arm(self, directories: Mapping[Identity, bytes]) -> int:
        """Watch exactly these folders and the nearest existing one above."""
        reader = self._inotify.reader()
        if reader is not self._reader:
            self._forget()
            self._reader = reader
        if len(directories) > MOST_DIRECTORIES:
            self.close()
            message = f"more than {MOST_DIRECTORIES} folders"
            raise UnwatchableError(message)
        try:
            anchor = self._find_anchor()
            # The reader's thread waits for this lock with what it heard of a new watch,
            # so that no folder that goes at once stays in the books as watched.
            with self._lock:
                self._arm_anchor(reader, *anchor)
                added = self._arm_tree(reader, directories)
                armed = bool(self._tree) or self._anchor is not None
        except OSError as error:
            self.close()
            raise UnwatchableError.of(error) from error
        if not armed:
            message = "permission denied"
            raise UnwatchableError(message)
        return added

    def _arm_tree(
        self, reader: InotifyFD, directories: Mapping[Identity, bytes]
    ) -> int:
        stale = self._tree.keys() - directories.keys()
        removed = [(self._tree.pop(identity), self._id(b"tree")) for identity in stale]
        reader.remove_callbacks(removed)
        added = 0
        for identity, path in directories.items():
            if identity in self._tree:
                continue
            wd = self._add(reader, path, self._tree_mask, b"tree")
            if wd is None:
                continue  # gone or not readable: the next scan tells
            self._tree[identity] = wd
            if path == self._root:
                self._root_wd = wd
            added += 1
        return added

    def _find_anchor(self) -> tuple[Identity, bytes, bytes]:
        """The nearest existing folder above the root, and the name awaited in it."""
        child, folder = self._root, self._root.rpartition(b"/")[0]
        while True:
            try:
                found = os.lstat(folder)
            except OSError:
                if folder in {self._top, b""}:
                    raise
                child, folder = folder, folder.rpartition(b"/")[0]
            else:
                return (found.st_dev, found.st_ino), folder, child.rpartition(b"/")[2]

    def _arm_anchor(
        self, reader: InotifyFD, identity: Identity, folder: bytes, awaited: bytes
    ) -> None:
        self._awaited = awaited
        former = self._anchor
        if former is not None and former[0] == identity:
            return
        self._anchor = None
        if former is not None:
            reader.remove_callbacks([(former[1], self._id(b"anchor"))])
        wd = self._add(reader, folder, self._anchor_mask, b"anchor")
        self._anchor = None if wd is None else (identity, wd)

    def _add(
        self, reader: InotifyFD, path: bytes, mask: Mask, kind: bytes
    ) -> WatchDescriptor | None:
        try:
            wd = reader.add_callback(path, mask, self, self._id(kind))
        except OSError as error:
            if error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EACCES}:
                return None
            raise
        return wd if wd >= 0 else None  # watchdog does not raise for EACCES

    def _id(self, kind: bytes) -> CallbackId:
        # one folder may be the tree of one repository and the anchor of another
        return id(self) * 2 + (kind == b"anchor")  # type: ignore[return-value]

    def alive(self) -> bool:
        """Is the reader running and something armed."""
        with self._lock:
            armed = bool(self._tree) or self._anchor is not None
        return armed and self._reader is not None and self._reader.is_alive()

    def close(self) -> None:
        """Remove every watch of this directory."""
        reader = self._reader
        with self._lock:
            callbacks = [(wd, self._id(b"tree")) for wd in self._tree.values()]
            if self._anchor is not None:
                callbacks.append((self._anchor[1], self._id(b"anchor")))
        self._forget()
        if reader is not None and reader.is_alive():
            reader.remove_callbacks(callbacks)

    def _forget(self) -> None:
        with self._lock:
            self._tree.clear()
            self._anchor = self._root_wd = None

    # called by the reader's thread

    def on_event(self, event: InotifyEvent) -> None:
        """A hint, unless it is about a neighbour or the scratch folder."""
        with self._lock:
            of_anchor = self._anchor is not None and event.wd == self._anchor[1]
            of_root = event.wd == self._root_wd
        if not event.mask & self._ends and (
            (of_anchor and event.name != self._awaited)
            or (of_root and event.name == _SCRATCH)
        ):
            return
        self.hear()

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        """The kernel dropped a watch: its folder is gone or was unmounted."""
        with self._lock:
            self._tree = {key: of for key, of in self._tree.items() if of != wd}
            if self._anchor is not None and self._anchor[1] == wd:
                self._anchor = None
            if self._root_wd == wd:
                self._root_wd = None
        self.hear()

    def on_queue_overflow(self) -> None:
        """The kernel dropped events: anything may have changed."""
        self.hear()
