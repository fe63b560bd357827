"""What a killed process of ours left beside the files that it was about to replace."""

from __future__ import annotations

import contextlib
import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

# as `gitstate.files.replace_file` names them: the file, its process, something random
_BESIDE = re.compile(r"(.+)\.(\d+)-[0-9a-f]{8}\.tmp")


def sweep(folders: Iterable[Path], names: Iterable[str]) -> None:
    """Remove what was to become a file of these names, where its process is gone.

    And git's lock of that file, where it is ours.
    """
    wanted = set(names)
    for folder in dict.fromkeys(folders):
        with contextlib.suppress(OSError):
            for path in list(folder.iterdir()):
                found = _BESIDE.fullmatch(path.name)
                if found and found[1] in wanted and not _alive(int(found[2])):
                    lock = folder / f"{found[1]}.lock"
                    if lock.exists() and lock.samefile(path):
                        lock.unlink()
                    path.unlink(missing_ok=True)


def _alive(pid: int) -> bool:
    if pid == os.getpid():
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
