"""Taking back what a failed call had done, without losing what anyone wrote meanwhile."""

from __future__ import annotations

import contextlib
import os
from contextlib import ExitStack
from typing import TYPE_CHECKING

from gitstate.history.live import same
from gitstate.history.primitives import (
    At,
    UnsupportedError,
    Way,
    exchange,
    give_back,
    rename,
)
from gitstate.history.scratch import NEW, OLD
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitstate.history.live import Live
    from gitstate.history.reading import Content
    from gitstate.history.scratch import Run


@dataclass(frozen=True, slots=True)
class Change:
    """What one path shall hold instead of what it held; ``None``: nothing."""

    path: bytes
    old: Content | None
    new: Content | None


@dataclass(frozen=True, slots=True)
class Cleared:
    """A folder that made room for a file, and its mode."""

    path: bytes
    mode: int


@dataclass(frozen=True, slots=True)
class Made:
    """A folder that was made for a file."""

    path: bytes


Step = Change | Cleared | Made


def undo(steps: Sequence[Step], live: Live, run: Run, way: Way) -> int:
    """Undo the steps, last first; returns how many could not be.

    A step may have been begun only: what stands on the disk says how far it came.
    """
    stuck = 0
    for step in reversed(steps):
        try:
            undone = _undo(step, live, run, way)
        except (OSError, UnsupportedError):
            undone = False
        stuck += not undone
    return stuck


def _undo(step: Step, live: Live, run: Run, way: Way) -> bool:
    with ExitStack() as stack:
        at = live.open(stack, step.path)
        if at is None:
            return False
        if isinstance(step, Cleared):
            with contextlib.suppress(FileExistsError):
                os.mkdir(at.name, step.mode, dir_fd=at.fd)
            return True
        if isinstance(step, Made):
            with contextlib.suppress(OSError):  # somebody uses it, and it may stay
                os.rmdir(at.name, dir_fd=at.fd)
            return True
        found = live.look(at)
        if step.new is not None and same(found, step.new):
            home = stack.enter_context(run.at(NEW, step.path))
            inside = live.look(home)
            if inside is not None and not same(inside, step.new):
                exchange(home, at)  # it holds what was displaced
                return True
            _take_home(at, home)
            found = None
        if found is not None or step.old is None:
            return same(found, step.old)
        kept = stack.enter_context(run.at(OLD, step.path))
        give_back(kept, at, way)
        return True


def _take_home(live: At, home: At) -> None:
    rename(live, home)
    # two names of one file: rename does nothing; seen when link and unlink were parted
    with contextlib.suppress(FileNotFoundError):
        one = os.stat(live.name, dir_fd=live.fd, follow_symlinks=False)
        other = os.stat(home.name, dir_fd=home.fd, follow_symlinks=False)
        if (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino):
            os.unlink(live.name, dir_fd=live.fd)
