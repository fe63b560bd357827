"""A configuration file of git's is replaced with git's own lock of it held."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from typing import TYPE_CHECKING

from gitstate.errors import CannotWrite, Refused, printable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_WAIT_S = 2.0
_POLL_S = 0.02


def replace_as_git(
    path: Path, data: bytes, mode: int, check: Callable[[], None]
) -> None:
    """Replace a file of git's as git does: through ``<path>.lock``, renamed over it.

    ``check`` is called when nobody else can change it, and may raise. Raises ``Refused``
    where another process holds the lock. Ours is another name of a file that names its
    process: ``leftovers.sweep`` knows what a kill left.
    """
    lock = path.with_name(f"{path.name}.lock")
    beside = path.with_name(f"{path.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
    held = False
    try:
        with beside.open("xb") as file:
            file.write(data)
            os.fchmod(file.fileno(), mode)
        _take(beside, lock)
        held = True
        check()
        lock.rename(path)
        held = False
    except OSError as error:
        raise CannotWrite.from_os(error, doing=f"write {path.name}") from error
    finally:
        with contextlib.suppress(OSError):
            if held:
                lock.unlink()
            beside.unlink(missing_ok=True)


def _take(beside: Path, lock: Path) -> None:
    deadline = time.monotonic() + _WAIT_S
    while True:
        try:
            _link(beside, lock)
        except FileExistsError as error:
            if time.monotonic() > deadline:
                message = (
                    f"another process holds {printable(lock)}; nothing was changed (if no "
                    "git runs, remove that file)"
                )
                raise Refused(message) from error
            time.sleep(_POLL_S)
        else:
            return


def _link(beside: Path, lock: Path) -> None:
    try:
        os.link(beside, lock)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        with lock.open("xb") as file:
            file.write(beside.read_bytes())
            os.fchmod(file.fileno(), stat.S_IMODE(beside.stat().st_mode))
