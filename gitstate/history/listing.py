"""Everything that stands in the state directory, by ``lstat``: no file is opened."""

from __future__ import annotations

import os
import stat

from gitstate.history.names import is_allowed
from gitstate.history.reading import FOLDER_FLAGS, is_gone, moment, reason_of
from gitstate.history.skipped import Skipped
from gitstate.values import dataclass, field
from gitstate.workspace import SCRATCH

MAX_DEPTH = 64  # one descriptor is open a level; macOS allows 256
_LISTINGS = 3
_SCRATCH = os.fsencode(SCRATCH)


@dataclass(slots=True)
class Found:
    """What a listing found: files, links and special files, and what it left out."""

    files: dict[bytes, os.stat_result] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)


def list_folder(fd: int, prefix: bytes, depth: int, found: Found) -> None:
    """Add everything in an open folder to ``found``; ``depth`` counts from 1.

    Raises ``OSError`` when the folder itself cannot be listed.
    """
    names = _names(fd)
    for name in sorted(names):
        path = prefix + name
        if path == _SCRATCH:
            continue
        try:
            entry = os.stat(name, dir_fd=fd, follow_symlinks=False)
        except FileNotFoundError:
            continue  # it vanished between the listing and here
        except OSError as error:
            found.skipped.append(Skipped(path, f"cannot be read: {reason_of(error)}"))
            continue
        if not is_allowed(name):
            found.skipped.append(Skipped(path, "git allows no such name in a version"))
        elif stat.S_ISDIR(entry.st_mode):
            _enter(fd, name, path, depth, found)
        else:
            found.files[path] = entry


def _enter(fd: int, name: bytes, path: bytes, depth: int, found: Found) -> None:
    if depth == MAX_DEPTH:
        found.skipped.append(Skipped(path, f"folders more than {MAX_DEPTH} deep"))
        return
    try:
        below = os.open(name, FOLDER_FLAGS, dir_fd=fd)
        try:
            if _is_repository(below):
                found.skipped.append(Skipped(path, "a git repository of its own"))
            else:
                list_folder(below, path + b"/", depth + 1, found)
        finally:
            os.close(below)
    except OSError as error:
        if not is_gone(error):  # or replaced by a link or a file, since lstat
            found.skipped.append(Skipped(path, f"cannot be read: {reason_of(error)}"))


def _is_repository(fd: int) -> bool:
    try:
        os.stat(b".git", dir_fd=fd, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _names(fd: int) -> set[bytes]:
    # a file that is renamed into place while the folder is listed may be missed
    # (POSIX leaves it open; btrfs does): what several listings saw is what there is
    names: set[bytes] = set()
    for _ in range(_LISTINGS):
        before = moment(os.fstat(fd))
        names.update(map(os.fsencode, os.listdir(fd)))
        if moment(os.fstat(fd)) == before:
            break
    return names
