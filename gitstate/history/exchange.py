"""Put contents onto the disk without losing a byte that anyone writes meanwhile.

Everything new is written and flushed beside the state directory's files first; only
then does anything change, one exchange of names a file. What an exchange displaced is
read afterwards: the bytes that really were there are never lost, whoever wrote them
and however late. Nothing that ever stood in the state directory is unlinked here;
``settle`` does that, when a version has the bytes.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitstate.errors import CannotWrite, printable
from gitstate.history.live import Live
from gitstate.history.moves import Mover
from gitstate.history.names import is_allowed
from gitstate.history.primitives import Way, flush
from gitstate.history.reading import folder, is_gone, open_state
from gitstate.history.scratch import SCRATCH_NAME, Run, new_run
from gitstate.history.settle import Displaced, leftovers, settle
from gitstate.history.undo import Change
from gitstate.values import dataclass
from gitstate.workspace import SCRATCH

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = [
    "Applied",
    "Change",
    "Displaced",
    "Way",
    "apply",
    "leftovers",
    "settle",
]

_DOING = "write the state files"


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of the changes.

    ``done``: the paths that are now as asked (some were already). ``left``: those that
    were not touched, each with the reason. ``surprises``: bytes that were displaced and
    that the plan did not know; they are kept, and belong in a version of their own.
    """

    done: tuple[bytes, ...] = ()
    left: tuple[tuple[bytes, str], ...] = ()
    surprises: tuple[Displaced, ...] = ()


def apply(
    state_dir: Path,
    changes: Sequence[Change],
    *,
    object_format: str,
    durable: bool,
    way: Way = Way.EXCHANGE,
) -> Applied:
    """Make the files of the state directory as ``changes`` say; make it if missing.

    A path that is, just before, neither as ``old`` nor as ``new`` is left. When the disk
    is full, a folder cannot be written or anything else fails, what was done is undone.
    ``durable``: the new bytes are flushed before and the folders after.

    Raises ``CannotWrite``, and ``Refused`` where the state directory or its scratch
    folder is a link or a file.
    """
    left = [(change.path, reason) for change in changes if (reason := _refusal(change))]
    bad = {path for path, _ in left}
    plan = [change for change in changes if change.path not in bad]
    if not plan:
        return Applied(left=tuple(left))
    try:
        state = _open(state_dir)
        try:
            with new_run(state) as run:
                return _apply(state, run, plan, left, object_format, way, durable)
        finally:
            os.close(state)
    except OSError as error:
        raise CannotWrite.from_os(error, doing=_DOING) from error


def _refusal(change: Change) -> str | None:
    if change.new is not None and change.new.data is None:
        message = f"no bytes for {printable(change.path)}"
        raise ValueError(message)
    parts = change.path.split(b"/")
    if not all(is_allowed(part) for part in parts):
        return "git allows no such name in a version"
    # a file system that ignores case would lead it into the scratch folder
    if parts[0].lower() == SCRATCH_NAME:
        return f"{SCRATCH} is gitstate's own folder"
    return None


def _open(state_dir: Path) -> int:
    state = open_state(state_dir)
    if state is None:
        state_dir.mkdir(parents=True, exist_ok=True)
        state = open_state(state_dir)
    if state is None:
        message = f"cannot {_DOING}: {printable(state_dir)} vanishes as it is made"
        raise CannotWrite(message)
    return state


def _apply(  # noqa: PLR0913, PLR0917 the steps of one call
    state: int,
    run: Run,
    plan: Sequence[Change],
    left: list[tuple[bytes, str]],
    object_format: str,
    way: Way,
    durable: bool,  # noqa: FBT001 as above
) -> Applied:
    plan = _stage(run, plan, left, durable=durable)
    mover = Mover(plan, Live(state, object_format), run, way)
    mover.left += left
    try:
        mover.prepare()
        run.publish()
        # what goes makes room for what comes: a file where a folder shall be
        for change in plan:
            if change.new is None:
                mover.remove(change)
        for change in plan:
            if change.new is not None:
                mover.put(change)
        if durable:
            _flush_folders(state, mover.touched)
    except BaseException as error:
        stuck = mover.undo()
        if isinstance(error, OSError) and stuck:
            message = f"{_DOING} ({error.strerror}); {stuck} could not be put back"
            where = f"their bytes are kept in {SCRATCH}"
            raise CannotWrite(f"cannot {message}, {where}") from error
        raise
    done = mover.finish()
    return Applied(done, tuple(mover.left), tuple(mover.surprises))


def _stage(
    run: Run,
    plan: Sequence[Change],
    left: list[tuple[bytes, str]],
    *,
    durable: bool,
) -> list[Change]:
    staged: list[Change] = []
    for change in sorted(plan, key=lambda item: item.path):
        try:
            if change.new is not None:
                run.stage(change.path, change.new, durable=durable)
            if change.old is not None:
                run.prepare(change.path)
        except (FileExistsError, NotADirectoryError):
            left.append((change.path, "this file system takes its name for another's"))
        else:
            staged.append(change)
    if durable:
        flush(run.fd)
    return staged


def _flush_folders(state: int, folders: set[bytes]) -> None:
    for path in sorted(folders):
        try:
            with folder(state, path.split(b"/") if path else []) as fd:
                flush(fd)
        except OSError as error:
            if not is_gone(error):
                raise
