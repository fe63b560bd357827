"""Loose objects, read without libgit2: it never returns from one that was cut short.

A power failure leaves such objects. libgit2 (seen: 1.9) asks zlib again and again for
bytes that do not exist; no signal handler of Python's runs meanwhile.
"""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING, cast, get_args

from gitstate.errors import ObjectDamaged
from gitstate.git.objects import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_DEEPEST = 5  # git's own limit of alternates of alternates


def object_folders(objects_dir: Path) -> list[Path]:
    """An object directory and its alternates, in the order git looks."""
    found: list[Path] = []
    waiting = [(objects_dir, 0)]
    while waiting:
        folder, depth = waiting.pop(0)
        if folder in found:
            continue
        found.append(folder)
        if depth < _DEEPEST:
            waiting += [(other, depth + 1) for other in _alternates(folder)]
    return found


def _alternates(folder: Path) -> list[Path]:
    try:
        rows = (folder / "info" / "alternates").read_bytes().split(b"\n")
    except OSError:
        return []
    return [
        folder / os.fsdecode(row) for row in rows if row and not row.startswith(b"#")
    ]


def read_loose(folders: Sequence[Path], identity: str) -> tuple[Kind, bytes] | None:
    """The loose object of that id, or ``None``; raises ``ObjectDamaged``."""
    for folder in folders:
        try:
            # asked for each object of a walk, nearly always in vain: no Path is made
            with open(f"{folder}/{identity[:2]}/{identity[2:]}", "rb") as file:  # noqa: PTH123 see above
                packed = file.read()
        except OSError:
            continue
        stream = zlib.decompressobj()
        try:
            head, _, data = stream.decompress(packed).partition(b"\0")
            kind, size = head.decode("ascii").split(" ")
            whole = stream.eof and int(size) == len(data) and kind in get_args(Kind)
        except (zlib.error, ValueError):
            whole = False
        if not whole:
            raise ObjectDamaged(f"object {identity} is damaged in {folder}")
        return cast("Kind", kind), data
    return None
