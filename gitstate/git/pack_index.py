"""The index of a pack, version 2 (gitformat-pack(5)): read and made; knows no folder."""

from __future__ import annotations

import hashlib
import mmap
import os
import struct
from typing import TYPE_CHECKING, Self

from gitstate.errors import ObjectDamaged, printable
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_MAGIC = b"\xfftOc\x00\x00\x00\x02"
_FANOUT = 256
_LARGE = 0x80000000


@dataclass(frozen=True, slots=True)
class IndexRow:
    """One object of a pack: raw id, crc32 of its packed bytes, offset in the pack."""

    raw_id: bytes
    crc: int
    offset: int

    def moved(self, body_bytes: int) -> IndexRow:
        """The row when ``body_bytes`` of other entries stand before it."""
        return IndexRow(self.raw_id, self.crc, self.offset + body_bytes)


def encode_index(
    rows: Sequence[IndexRow], pack_checksum: bytes, object_format: str
) -> bytes:
    """The bytes of an index; a raw id that stands twice keeps its first row."""
    unique: dict[bytes, IndexRow] = {}
    for row in rows:
        unique.setdefault(row.raw_id, row)
    ordered = sorted(unique.values(), key=lambda row: row.raw_id)
    counts = [0] * _FANOUT
    for row in ordered:
        counts[row.raw_id[0]] += 1
    total = 0
    fanout = []
    for count in counts:
        total += count
        fanout.append(total)
    data = b"".join(
        [
            _MAGIC,
            struct.pack(f">{_FANOUT}I", *fanout),
            *(row.raw_id for row in ordered),
            struct.pack(f">{len(ordered)}I", *(row.crc for row in ordered)),
            struct.pack(f">{len(ordered)}I", *(row.offset for row in ordered)),
            pack_checksum,
        ]
    )
    return data + hashlib.new(object_format, data, usedforsecurity=False).digest()


class PackIndex:
    """An open index; use as a context manager."""

    def __init__(self, data: mmap.mmap, width: int, path: Path | str) -> None:
        self._data = data
        self._width = width
        self._names = len(_MAGIC) + 4 * _FANOUT
        try:
            self._fanout = struct.unpack_from(f">{_FANOUT}I", data, len(_MAGIC))
            whole = self._names + self._fanout[-1] * (width + 8) + 2 * width
            broken = data[: len(_MAGIC)] != _MAGIC or len(data) < whole
        except struct.error:
            broken = True
        if broken:
            data.close()
            raise ObjectDamaged(f"{printable(path)} is not a pack index of version 2")

    @classmethod
    def open(cls, path: Path | str, object_format: str) -> Self:
        """Open an index; raises ``ObjectDamaged``, or ``OSError`` where there is none."""
        width = 32 if object_format == "sha256" else 20
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)  # ten times for each version
        try:
            data = mmap.mmap(fd, 0, access=mmap.ACCESS_READ)
        except ValueError as error:  # an empty file cannot be mapped
            raise ObjectDamaged(f"{printable(path)} is empty") from error
        finally:
            os.close(fd)
        return cls(data, width, path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._data.close()

    def __len__(self) -> int:
        return int(self._fanout[-1])

    def __contains__(self, identity: object) -> bool:
        return self._position(bytes.fromhex(str(identity))) is not None

    def offset(self, identity: str) -> int | None:
        """Where the object's entry begins (packs under 2 GiB); ``None`` without one."""
        position: int | None = self._position(bytes.fromhex(identity))
        if position is None:
            return None
        at = self._names + len(self) * (self._width + 4) + 4 * position
        (offset,) = struct.unpack_from(">I", self._data, at)
        return None if offset & _LARGE else int(offset)

    def _position(self, raw: bytes) -> int | None:
        low = self._fanout[raw[0] - 1] if raw[0] else 0
        high = self._fanout[raw[0]]
        while low < high:
            middle: int = (low + high) // 2
            found = self._name(middle)
            if found == raw:
                return middle
            if found < raw:
                low = middle + 1
            else:
                high = middle
        return None

    def __iter__(self) -> Iterator[str]:
        for position in range(len(self)):
            yield self._name(position).hex()

    def raw_ids(self) -> list[bytes]:
        """All ids as bytes, ascending: many at once, for comparing whole packs."""
        names = self._data[self._names : self._names + len(self) * self._width]
        return [raw for (raw,) in struct.iter_unpack(f"{self._width}s", names)]

    def offsets(self) -> tuple[int, ...]:
        """Where each object stands in the pack, in the order of ``raw_ids`` (below 2 GiB)."""
        count = len(self)
        at = self._names + count * (self._width + 4)
        return struct.unpack_from(f">{count}I", self._data, at)

    @property
    def pack_checksum(self) -> bytes:
        """The trailer of the pack this index belongs to."""
        return self._data[-2 * self._width : -self._width]

    def rows(self) -> list[IndexRow]:
        """All rows in the order of their offsets (packs under 2 GiB)."""
        count = len(self)
        crcs_at = self._names + count * self._width
        crcs = struct.unpack_from(f">{count}I", self._data, crcs_at)
        offsets = struct.unpack_from(f">{count}I", self._data, crcs_at + 4 * count)
        if any(offset & _LARGE for offset in offsets):
            raise ObjectDamaged("a pack of 2 GiB or more is no tail")
        rows = [IndexRow(self._name(at), crcs[at], offsets[at]) for at in range(count)]
        return sorted(rows, key=lambda row: row.offset)

    def _name(self, position: int) -> bytes:
        start = self._names + position * self._width
        return self._data[start : start + self._width]
