"""Small files by which hooks tell one another something, each in a folder of its kind.

While the folder is there every tool use looks into it, so the last file takes it along;
somebody else may be making one in it at that moment.
"""

from __future__ import annotations

import contextlib
import os

TYPE_CHECKING = False  # as typing's, which costs a hook 10 ms
if TYPE_CHECKING:
    from pathlib import Path

_TRIES = 100


def put(path: str, data: bytes = b"") -> None:
    """Make a file, or make it anew, and its folder; raises ``OSError``."""
    beside = f"{path}.{os.getpid()}.tmp" if data else path
    for left in reversed(range(_TRIES)):
        try:
            os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
            fd = os.open(
                beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600
            )
            with open(fd, "wb") as file:
                file.write(data)
            if data:
                os.replace(beside, path)
        # the folder was taken along meanwhile, perhaps between makedirs' own two looks
        except (FileNotFoundError, FileExistsError):
            if not left:
                raise
        else:
            return


def take(path: str | Path) -> None:
    """Take a file away, and its folder where it was the last one; where it can be."""
    with contextlib.suppress(OSError):
        os.unlink(path)
    with contextlib.suppress(OSError):
        os.rmdir(os.path.dirname(path))
