"""Which packs git's multi-pack-index names (gitformat-pack(5)); read, never written here."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import struct
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import IO

_HEADER = struct.Struct(">4sBBBBI")  # magic, version, hash, chunks, bases, packs
_ROW = struct.Struct(">4sQ")
_NAME = re.compile(rb"pack-[0-9a-f]{40,64}(?=\.idx|\.pack)")
_LONGEST = 1 << 26


def files(folder: Path) -> list[Path]:
    """The file, or the files of a chain, in a pack folder."""
    found = []
    whole = f"{folder}/multi-pack-index"
    if os.path.exists(whole):  # noqa: PTH110 both are asked for several times a version
        found.append(Path(whole))
    if os.path.isdir(f"{whole}.d"):  # noqa: PTH112 the same
        with contextlib.suppress(OSError):
            found += Path(f"{whole}.d").glob("*.midx")
    return found


def pack_names(folder: Path) -> set[str]:
    """The names, without suffix, of all packs that it names; empty where there is none."""
    names: set[str] = set()
    for path in files(folder):
        with contextlib.suppress(OSError), path.open("rb") as file:
            names.update(name.decode("ascii") for name in _NAME.findall(_chunk(file)))
    return names


def _chunk(file: IO[bytes]) -> bytes:
    """The chunk of names; all there is where the form is not known."""
    head = file.read(_HEADER.size)
    with contextlib.suppress(struct.error):
        magic, version, _, chunks, _, _ = _HEADER.unpack(head)
        rows = list(_ROW.iter_unpack(file.read(_ROW.size * (chunks + 1))))
        if magic == b"MIDX" and version in {1, 2} and len(rows) == chunks + 1:
            for (kind, start), (_, end) in itertools.pairwise(rows):
                if kind == b"PNAM" and start <= end <= start + _LONGEST:
                    file.seek(start)
                    return file.read(end - start)
    file.seek(0)
    return file.read(_LONGEST)
