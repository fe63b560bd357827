"""One change of the plan after the other, each undoable: ``exchange`` moves files here."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from contextlib import ExitStack
from typing import TYPE_CHECKING

from gitstate.git.objects import FILE
from gitstate.history.live import head_of, is_folder, same
from gitstate.history.primitives import (
    At,
    UnsupportedError,
    Way,
    exchange,
    give_back,
    place,
    rename,
)
from gitstate.history.reading import FOLDER_FLAGS, Content, Unread
from gitstate.history.scratch import NEW, OLD
from gitstate.history.settle import Displaced
from gitstate.history.undo import Cleared, Made, undo

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitstate.history.live import Live
    from gitstate.history.scratch import Run
    from gitstate.history.undo import Change, Step

_CHANGED = "changed meanwhile"
_NOT_MOVABLE = {
    errno.EXDEV: "is on another file system",
    errno.EBUSY: "is in use by the system",
}


class Mover:
    """Makes changes, remembers them, and undoes them all when one fails."""

    def __init__(self, plan: Sequence[Change], live: Live, run: Run, way: Way) -> None:
        self._plan = plan
        self._live = live
        self._run = run
        self._way = way
        self._steps: list[Step] = []
        self._exposed: set[bytes] = set()
        self.left: list[tuple[bytes, str]] = []
        self.surprises: list[Displaced] = []
        self.touched: set[bytes] = set()

    def prepare(self) -> None:
        """Make missing folders, and find out that one cannot be written, in advance."""
        make = {head_of(change.path): False for change in self._plan}
        for change in self._plan:
            make[head_of(change.path)] |= change.new is not None
        effective = os.access in os.supports_effective_ids
        for path, missing_too in make.items():
            with ExitStack() as stack:
                at = self._open(stack, _below(path), make=missing_too)
                if at and not os.access(
                    b".", os.W_OK | os.X_OK, dir_fd=at.fd, effective_ids=effective
                ):
                    text = os.strerror(errno.EACCES)
                    raise PermissionError(errno.EACCES, text, os.fsdecode(path or b"."))

    def remove(self, change: Change) -> None:
        """Take a file away, by a rename."""
        with ExitStack() as stack:
            live = self._live.open(stack, change.path)
            found = self._live.look(live) if live else None
            if live is None or found is None or is_folder(found):
                return  # there is no file, as asked
            if not same(found, change.old):
                self._leave(change.path, found)
                return
            self._steps.append(change)
            aside = stack.enter_context(self._run.at(OLD, change.path, make=True))
            self._move_aside(change, live, aside)

    def put(self, change: Change) -> None:
        """Put a staged file into its place."""
        with ExitStack() as stack:
            live = self._open(stack, change.path, make=True)
            if live is None:
                self.left.append(
                    (change.path, "no folder is where its folder should be")
                )
                return
            found = self._live.look(live)
            if same(found, change.new):
                return
            if is_folder(found) and change.old is None:
                if not self._clear(live, change.path):
                    reason = "a folder that is not empty is in its place"
                    self.left.append((change.path, reason))
                    return
                found = None
            if not same(found, change.old):
                self._leave(change.path, found)
                return
            self._steps.append(change)
            staged = stack.enter_context(self._run.at(NEW, change.path))
            if found is None:
                self._place(change, staged, live)
            else:
                self._replace(change, staged, live)

    def finish(self) -> tuple[bytes, ...]:
        """Remove staged files that were not needed; the paths that are as asked."""
        self._drop_unused()
        left = {path for path, _ in self.left}
        return tuple(change.path for change in self._plan if change.path not in left)

    def undo(self) -> int:
        """Put everything back; returns how many files could not be.

        What somebody wrote meanwhile stays where it is.
        """
        stuck = undo(self._steps, self._live, self._run, self._way)
        self._drop_unused()
        return stuck

    def _open(self, stack: ExitStack, path: bytes, *, make: bool) -> At | None:
        made: list[bytes] = []
        try:
            return self._live.open(stack, path, made=made if make else None)
        finally:
            self._steps += map(Made, made)

    def _drop_unused(self) -> None:
        for change in self._plan:
            if change.new is not None and change.path not in self._exposed:
                self._run.drop(change.path)

    def _place(self, change: Change, staged: At, live: At) -> None:
        self._exposed.add(change.path)
        try:
            place(staged, live, self._way)
        except FileExistsError:
            self._exposed.discard(change.path)
            self.left.append((change.path, _CHANGED))
        else:
            self.touched.add(head_of(change.path))

    def _replace(self, change: Change, staged: At, live: At) -> None:
        if self._way is Way.EXCHANGE:
            self._exposed.add(change.path)
            try:
                exchange(staged, live)
            except UnsupportedError:
                self._way = Way.ASIDE
                self._exposed.discard(change.path)
            except OSError as error:
                self._exposed.discard(change.path)
                self._excuse(change, error)
                return
            else:
                self.touched.add(head_of(change.path))
                if not self._examine(change, NEW, staged):
                    self._swap_back(change, staged, live)
                return
        with self._run.at(OLD, change.path, make=True) as aside:
            if self._move_aside(change, live, aside):
                # when somebody wrote a new file just now, theirs is the one to keep
                self._place(change, staged, live)

    def _move_aside(self, change: Change, live: At, aside: At) -> bool:
        try:
            rename(live, aside)
        except OSError as error:
            self._excuse(change, error)
            return False
        self.touched.add(head_of(change.path))
        if self._examine(change, OLD, aside):
            return True
        self.left.append((change.path, _CHANGED))
        with contextlib.suppress(
            OSError
        ):  # else it stays, and `settle` names its files
            give_back(aside, live, self._way)
        return False

    def _swap_back(self, change: Change, staged: At, live: At) -> None:
        self.left.append((change.path, _CHANGED))
        with contextlib.suppress(OSError, UnsupportedError):
            exchange(staged, live)
            self._examine(change, NEW, staged)

    def _examine(self, change: Change, tree: bytes, kept: At) -> bool:
        """Look at what was displaced; false for a folder or a special file."""
        found = self._live.look(kept)
        if isinstance(found, Unread) and found.kind != stat.S_IFREG:
            return False
        if found and not same(found, change.old) and not same(found, change.new):
            mode, data = FILE, None
            if isinstance(found, Content):
                mode, data = found.mode, found.data
            name = b"/".join((self._run.token, tree, change.path))
            self.surprises.append(Displaced(change.path, mode, data, name))
        return True

    def _excuse(self, change: Change, error: OSError) -> None:
        """Leave the change where the reason lies in the path alone; else raise."""
        if error.errno == errno.ENOENT:
            if change.new is not None:
                self.left.append((change.path, "was deleted meanwhile"))
        elif error.errno in _NOT_MOVABLE:
            self.left.append((change.path, _NOT_MOVABLE[error.errno]))
        else:
            raise error

    def _leave(self, path: bytes, found: Content | Unread | None) -> None:
        reason = "was deleted meanwhile" if found is None else _CHANGED
        if isinstance(found, Unread):
            reason = found.reason
        self.left.append((path, reason))

    def _clear(self, live: At, path: bytes) -> bool:
        """Remove a folder that holds nothing but folders.

        By ``rmdir``, not by a rename: a file that is made in it meanwhile refuses it.
        """
        with contextlib.suppress(OSError):
            folders = list(_folders(live, path))
            for inner in reversed(folders):
                with ExitStack() as stack:
                    at = self._live.open(stack, inner.path)
                    if at:
                        self._steps.append(inner)
                        os.rmdir(at.name, dir_fd=at.fd)
            return True
        return False


def _below(folder: bytes) -> bytes:
    return folder + b"/." if folder else b"."


def _folders(at: At, path: bytes) -> Iterator[Cleared]:
    """A folder and all folders in it; raises ``OSError`` when there is anything else."""
    fd: int = os.open(at.name, FOLDER_FLAGS, dir_fd=at.fd)
    try:
        yield Cleared(path, stat.S_IMODE(os.fstat(fd).st_mode))
        for name in map(os.fsencode, os.listdir(fd)):
            yield from _folders(At(fd, name), path + b"/" + name)
    finally:
        os.close(fd)
