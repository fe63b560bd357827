"""The log of operations, written in batches; what waits stands in the scratch folder.

The git dir may be read-only where an agent works, and the scratch folder is never
versioned: an operation alone changes no state file. All under the lock of ``editing``.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from gitstate.history.editing import Files, edit_locked, locked, opened
from gitstate.history.primitives import write_all
from gitstate.history.reading import FILE_FLAGS, FOLDER_FLAGS
from gitstate.history.scratch import SCRATCH_NAME, hide, remove_if_empty
from gitstate.memory import operations_log
from gitstate.memory.operations_log import BATCH, OPERATIONS, Operation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gitstate.workspace import Workspace

_NAME = b"operations"
_MOST = 1 << 20  # bytes


def log(ws: Workspace, operation: Operation) -> bool:
    """Log an operation, at once or with those that follow; was the log written.

    Raises ``Refused``, ``LockHeld`` and ``CannotWrite``.
    """
    line = operations_log.line_of(operation)
    with locked(ws) as state:
        _add(state, line)
        return len(_lines(state)) >= BATCH and flush(ws, state)


def log_all(ws: Workspace, lines: Sequence[str], *, flush_now: bool) -> bool:
    """Log lines that were made by ``operations_log``, in one go; was the log written.

    ``flush_now``: do not wait for a batch. Those that were just logged are not logged once
    more. Raises as ``log`` does.
    """
    with locked(ws) as state:
        if lines:
            text = Files(ws, state).text(OPERATIONS)
            lines = operations_log.unlogged(text, _lines(state), lines)
        if lines:
            _add(state, "\n".join(lines))
        return (flush_now or len(_lines(state)) >= BATCH) and flush(ws, state)


def turn(ws: Workspace, time: str) -> bool:
    """Log that a turn of the agent begins, with the operations; was the log written.

    Raises as ``log`` does.
    """
    with locked(ws) as state:
        _add(state, operations_log.turn_line(time))
        return len(_lines(state)) >= BATCH and flush(ws, state)


def waiting(ws: Workspace) -> str:
    """The lines that wait, for those who only read; "" where they cannot be read.

    Who reads the log too reads it after this: a batch that is written in between then
    stands in both, and is not missed. Raises ``Refused`` where there is no state.
    """
    with opened(ws) as state, contextlib.suppress(OSError):
        return "".join(f"{line}\n" for line in _lines(state))
    return ""


def flush(ws: Workspace, state: int) -> bool:
    """Put what waits into the log: a step ended; inside ``locked``. Was there any."""
    waiting = _lines(state)
    if not waiting:
        return False
    new = "".join(f"{line}\n" for line in waiting)

    def change(files: Files) -> Mapping[str, str]:
        text = files.text(OPERATIONS)
        if text is not None and text.endswith(new):
            return {}  # a process was killed before it could clear them
        return {OPERATIONS: operations_log.appended(text, new)}

    edit_locked(ws, state, change)
    _clear(state)
    return True


@contextlib.contextmanager
def _scratch(state: int, *, make: bool) -> Iterator[int | None]:
    if make:
        with contextlib.suppress(FileExistsError):
            os.mkdir(SCRATCH_NAME, 0o700, dir_fd=state)
    try:
        fd = os.open(SCRATCH_NAME, FOLDER_FLAGS, dir_fd=state)
    except FileNotFoundError:
        yield None
        return
    try:
        if make:
            hide(fd)
        yield fd
    finally:
        os.close(fd)


def _add(state: int, line: str) -> None:
    """Have one more line wait; raises ``OSError``."""
    with _scratch(state, make=True) as scratch:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        # a pipe of that name is not waited for
        fd = os.open(_NAME, flags | os.O_NONBLOCK, 0o600, dir_fd=scratch)
        try:
            write_all(fd, f"{line}\n".encode("utf-8", "surrogateescape"))
        finally:
            os.close(fd)


def _lines(state: int) -> list[str]:
    """The lines that wait, whole ones; raises ``OSError``."""
    with _scratch(state, make=False) as scratch:
        if scratch is None:
            return []
        try:
            fd = os.open(_NAME, FILE_FLAGS, dir_fd=scratch)
        except FileNotFoundError:
            return []
        with os.fdopen(fd, "rb") as file:
            text = file.read(_MOST).decode("utf-8", "replace")
    return [line for line in text.split("\n")[:-1] if line]


def _clear(state: int) -> None:
    """They are in the log now; raises ``OSError``."""
    with _scratch(state, make=False) as scratch:
        if scratch is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(_NAME, dir_fd=scratch)
            remove_if_empty(state, scratch)
