"""What stands in a folder of hooks: ours, others', and which of them git runs."""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING

from gitstate.hooks.git import marks
from gitstate.hooks.git.changes import File, read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEPT = ".gitstate-kept"
_KEPT = re.compile(rb"[\w-]+\.gitstate-kept(?:\.\d+)?")
# How pre-commit and prek name what they start; both run ``<hook>.legacy`` first.
_RUNS_LEGACY = b"hook-impl"


def runs_ours(folder: Path, name: str) -> bool:
    """Do ours run when git runs the hook ``name`` of ``folder``."""
    path = folder / name
    try:
        file = read(path) if not path.is_symlink() else _linked(path)
    except OSError:
        return False
    if file is None or not file.executable:
        return False
    by_hand = f"gitstate/shims/{name}".encode()
    return marks.marked(file.data) or by_hand in file.data or runs_legacy(path, file)


def runs_legacy(path: Path, file: File) -> bool:
    """Is ``file`` a manager's that runs ours as ``<hook>.legacy``."""
    if not file.executable or _RUNS_LEGACY not in file.data:
        return False
    legacy = read(path.with_name(f"{path.name}.legacy"))
    return legacy is not None and legacy.executable and marks.marked(legacy.data)


def others(path: Path) -> Path | None:
    """The hook of others that runs at ``path``, as it is there or kept beside ours."""
    file = read(path) if not path.is_symlink() else _linked(path)
    if file is None or not file.executable:
        return None
    if not marks.ours_alone(file.data):
        return path
    kept = kept_beside(path, file.data)
    return None if kept is None else path.with_name(kept)


def left_of_others(folder: Path) -> list[Path]:
    """What is in a folder of ours, and will be when ours is taken out."""
    found = []
    for name in names(folder):
        file = read(folder / name)
        alone = file is not None and marks.ours_alone(file.data)
        kept = kept_beside(folder / name, file.data) if file and alone else None
        if KEPT not in name and (not alone or kept is not None):
            found.append(folder / name)
    return found


def marked_files(folder: Path) -> Iterator[Path]:
    """The files of a folder that have anything of ours in them."""
    for name in names(folder):
        path = folder / name
        file = None if KEPT in name else read(path)
        if file is not None and marks.marked(file.data):
            yield path


def kept_beside(path: Path, data: bytes) -> str | None:
    """The name of the file that ours in ``data`` runs first, where it is there."""
    for found in _KEPT.findall(data):
        name = os.fsdecode(found)
        if os.path.lexists(path.with_name(name)):
            return name
    return None


def names(folder: Path) -> list[str]:
    """What is in a folder, by name; nothing where there is none."""
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 names
    except OSError:
        return []


def script_behind(link: Path) -> bytes | None:
    """The bytes of the regular file that a link leads to."""
    try:
        with link.open("rb") as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return file.read()
    except OSError:
        pass
    return None


def _linked(path: Path) -> File | None:
    data = script_behind(path)
    return None if data is None else File(data=data, mode=path.stat().st_mode & 0o7777)
