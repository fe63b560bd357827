"""What tells git which folders are one another's versions, when it looks for deltas.

git tries a delta between objects of like names and sizes, and asked to pack by id it
knows no names. A folder of notes has a size like 255 others: without a hint each is
packed whole (10,000 notes, 50 at a time: 10.3 MiB, with hints 5.8). Its first row names
it: notes are added somewhere among others, so that the first seldom changes.
"""

from __future__ import annotations

import mmap
import re
import struct
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gitstate.git.pack_index import PackIndex

_TREE = 2  # the type of an entry that is a whole tree
_MOST_HEADER = 10  # bytes
_LOOKED_AT = 128  # packed bytes, which hold the first row
_NOTE = rb"100644 ([0-9a-f]{32,64})\0"  # compiled where notes are packed


def hints(index: PackIndex, pack: Path) -> Iterator[tuple[bytes, bytes]]:
    """Raw id and name of each folder of notes that lies whole in a pack.

    Nothing of a pack that cannot be read: git will say what is wrong with it.
    """
    try:
        with (
            pack.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            for raw, offset in zip(index.raw_ids(), index.offsets(), strict=True):
                if offset < len(data) and data[offset] >> 4 & 7 == _TREE:
                    found = re.match(_NOTE, _begin(data, offset))
                    if found is not None:
                        yield raw, found[1]
    except (OSError, ValueError, struct.error):
        return


def _begin(data: mmap.mmap, offset: int) -> bytes:
    """The first bytes of the entry at an offset."""
    for at in range(offset, offset + _MOST_HEADER):
        if data[at : at + 1] < b"\x80":  # the last byte of the entry's header
            packed = data[at + 1 : at + 1 + _LOOKED_AT]
            try:
                return zlib.decompressobj().decompress(packed, _LOOKED_AT)
            except zlib.error:
                break
    return b""
