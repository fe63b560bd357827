"""Where gitstate's objects are kept: packs of our own, marked ``.keep``.

A version's objects are never loose. They are appended to a small *tail* pack: the
new tail holds all that the old one held and the new objects, stands complete on
the disk before the old one is removed, and carries its ``.keep`` from the first
moment. So the user's ``git gc --prune=now`` can at no time see an object of ours
that it may remove, nothing counts towards ``gc --auto``, and two flushes make a
version's objects durable however many they are.

The rule that makes this safe without any lock: a pack is removed only when another,
already in place, holds everything that was in it.

Formats: gitformat-pack(5), versions 2 of pack and index.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import struct
import time
import zlib
from typing import TYPE_CHECKING

from gitstate.errors import CannotWrite, ObjectDamaged
from gitstate.files import read_bytes
from gitstate.git.pack_files import (
    PACKED_MARK,
    TAIL_MARK,
    UNFLUSHED_MARK,
    OurPack,
    PackFolder,
)
from gitstate.git.pack_index import IndexRow, encode_index
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from typing import IO

    from gitstate.git.objects import Kind, NewObject

TAIL_OBJECTS = 256
TAIL_BYTES = 512 * 1024
MOST_PACKS = 5

_TYPES = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}
_KINDS: dict[int, Kind] = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_READ_BYTES = 4096
_HEADER = struct.Struct(">4sII")
_WRITE_TRIES = 5
_REMOVED_AT_ONCE = 2
_FLUSH_EVERY_S = 5.0


@dataclass(frozen=True, slots=True)
class _Tail:
    name: str
    body: bytes
    rows: list[IndexRow]


class PackStore(PackFolder):
    """Objects in packs of our own."""

    def __init__(
        self, objects_dir: Path, object_format: str, *, shared_bits: int = 0
    ) -> None:
        super().__init__(objects_dir, object_format, shared_bits=shared_bits)
        self._tail_ids: dict[str, tuple[tuple[int, ...], frozenset[bytes]]] = {}
        self._after: list[OurPack] | None = None

    def at_hand(self) -> list[OurPack]:
        """Our packs as they stood after the last ``add``; looked at where there was none."""
        return self.ours() if self._after is None else self._after

    def holds(self, identities: Iterable[str]) -> set[str]:
        """Which of these objects are in packs of ours."""
        return self._holds(identities, self.ours())

    def _holds(self, identities: Iterable[str], packs: Sequence[OurPack]) -> set[str]:
        wanted = set(identities)
        found: set[str] = set()
        for pack in packs:
            # replaced meanwhile, or damaged: then it holds nothing
            with contextlib.suppress(FileNotFoundError, ObjectDamaged):
                if pack.tail:
                    ids = self._ids_of(pack.name)
                    found |= {item for item in wanted if bytes.fromhex(item) in ids}
                    continue
                with self.index(pack.name) as index:
                    found |= {item for item in wanted - found if item in index}
        return found

    def _ids_of(self, name: str) -> frozenset[bytes]:
        """The raw ids in a tail, as its index says, which is read once."""
        status = os.stat(f"{self.folder}/{name}.idx")  # noqa: PTH116 often
        stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
        known = self._tail_ids.get(name)
        if known is not None and known[0] == stamp:
            return known[1]
        with self.index(name) as index:
            found = frozenset(index.raw_ids())
        self._tail_ids[name] = (stamp, found)
        return found

    def read_back(self, identities: Iterable[str]) -> dict[str, tuple[Kind, bytes]]:
        """What of these stands in the pack that was written last, as it is on the disk.

        Without a look at any other pack. What is not there, or is damaged, is left out.
        """
        found: dict[str, tuple[Kind, bytes]] = {}
        if not self._after:
            return found
        name = self._after[-1].name
        with (
            contextlib.suppress(OSError, ObjectDamaged),
            self.index(name) as index,
            open(f"{self.folder}/{name}.pack", "rb") as pack,  # noqa: PTH123 often
        ):
            for identity in identities:
                offset = index.offset(identity)
                entry = None if offset is None else _entry_at(pack, offset)
                if entry is not None:
                    found[identity] = entry
        return found

    def add(
        self, objects: Sequence[NewObject], *, durable: bool, again: bool = False
    ) -> None:
        """Keep these objects. When it returns they are in a kept pack, flushed if ``durable``.

        Objects that a pack of ours already holds are not written again, unless
        ``again``: then a pack of their own holds them. Raises ``CannotWrite``; then
        nothing was added.
        """
        self._after = None
        try:
            if again:
                self._place(*_encode(objects), PACKED_MARK, durable=True, again=True)
            else:
                self._add(objects, durable=durable)
        except OSError as error:
            raise CannotWrite.from_os(
                error, doing="write to git's object store"
            ) from error

    def _add(self, objects: Sequence[NewObject], *, durable: bool) -> None:
        for attempt in range(_WRITE_TRIES):
            packs = every = self.ours()
            held = self._holds((item.id for item in objects), packs)
            fresh = {item.id: item for item in objects if item.id not in held}
            if not fresh:
                self._after = packs
                return
            spent = self.superseded(packs)
            packs = [pack for pack in packs if pack.name not in spent]
            body, rows = _encode(fresh.values())
            flush = durable or not self._flushed_lately(packs)
            old = self._open_tail(packs, len(rows), len(body)) or _Tail("", b"", [])
            if not fresh.keys().isdisjoint(row.raw_id.hex() for row in old.rows):
                continue  # another writer was faster with the same bytes
            try:
                new = self._place(
                    old.body + body,
                    [*old.rows, *(row.moved(len(old.body)) for row in rows)],
                    TAIL_MARK if flush else UNFLUSHED_MARK,
                    durable=flush,
                )
                gone = {*self._retire_spent(spent, old.name), new.name}
                self._after = [pack for pack in every if pack.name not in gone]
                self._after.append(new)
            except FileNotFoundError:
                # a concurrent gc removed what was being made: make it again
                if attempt == _WRITE_TRIES - 1:
                    raise
                self.folder.mkdir(parents=True, exist_ok=True)
            else:
                return
        raise CannotWrite(
            "git's object store changes faster than a version can be written; try again"
        )

    def _retire_spent(self, spent: dict[str, set[str]], old: str) -> list[str]:
        """Retire the tails that whole ones hold; never ``old``, that the new tail holds."""
        names = [
            name
            for name, larger in spent.items()
            if old in larger or any(map(self.is_whole, larger))
        ]
        self.retire(names)
        # of those seen a moment ago; a version does not pay for one at a time
        self._remove_due(at_least=_REMOVED_AT_ONCE)
        return names

    def _flushed_lately(self, packs: Sequence[OurPack]) -> bool:
        """Is there a flushed tail so young that an unflushed one may stand beside it.

        Without ``durable`` a version is flushed at most once in a few seconds; the
        last flushed tail stays until then, so a power failure costs those seconds.
        """
        for pack in packs:
            if pack.mark == TAIL_MARK:
                with contextlib.suppress(OSError):
                    written = os.stat(f"{self.folder}/{pack.name}.pack").st_mtime  # noqa: PTH116 often
                    if 0 <= time.time() - written < _FLUSH_EVERY_S:
                        return True
        return False

    def _open_tail(
        self, packs: Sequence[OurPack], count: int, size: int
    ) -> _Tail | None:
        """The fullest tail that ``count`` objects of ``size`` bytes still fit into."""
        named = self.named_by_multi_pack_index(packs)
        best: _Tail | None = None
        for pack in packs:
            if not pack.tail or pack.name in named:
                continue
            with contextlib.suppress(OSError, ObjectDamaged):
                known = len(self._ids_of(pack.name))
                if known + count > TAIL_OBJECTS or known <= len(
                    best.rows if best else ()
                ):
                    continue
                data = read_bytes(f"{self.folder}/{pack.name}.pack")
                digest = hashlib.new(self.object_format, usedforsecurity=False)
                width = digest.digest_size
                if len(data) + size > TAIL_BYTES + width:
                    continue
                with self.index(pack.name) as index:
                    digest.update(data[:-width])
                    # a damaged tail is left where it is, for fsck to tell
                    if digest.digest() == data[-width:] == index.pack_checksum:
                        best = _Tail(
                            pack.name, data[_HEADER.size : -width], index.rows()
                        )
        return best

    def superseded(
        self, packs: Sequence[OurPack], *, also_unflushed: bool = False
    ) -> dict[str, set[str]]:
        """The tails among ``packs`` that larger ones hold whole: name -> those names.

        One that is not flushed supersedes none that is, unless ``also_unflushed``.
        """
        tails = [pack for pack in packs if pack.tail]
        ids: dict[OurPack, frozenset[bytes]] = {}
        for pack in tails if len(tails) > 1 else ():
            with contextlib.suppress(OSError, ObjectDamaged):
                ids[pack] = self._ids_of(pack.name)
        found = {
            pack.name: {
                larger.name
                for larger, more in ids.items()
                if some < more
                and (also_unflushed or larger.flushed or not pack.flushed)
            }
            for pack, some in ids.items()
        }
        return {name: larger for name, larger in found.items() if larger}

    def _place(
        self,
        body: bytes,
        rows: Sequence[IndexRow],
        mark: bytes,
        *,
        durable: bool,
        again: bool = False,
    ) -> OurPack:
        digest = hashlib.new(self.object_format, usedforsecurity=False)
        header = _HEADER.pack(b"PACK", 2, len(rows))
        digest.update(header)
        digest.update(body)
        checksum = digest.digest()
        name = f"pack-{checksum.hex()}"
        if not again and self.stands(name, mark):
            return OurPack(name, mark)  # another writer made the very same
        index = encode_index(rows, checksum, self.object_format)
        files: dict[str, Path] = {}
        try:
            for suffix, data in ((".pack", header + body + checksum), (".idx", index)):
                files[suffix] = self.scratch(data, durable=durable)
            self.adopt(name, files, mark)
        except OSError:  # on a full disk what was made must not stay and fill it more
            for path in files.values():
                path.unlink(missing_ok=True)
            raise
        return OurPack(name, mark)


def _entry_at(pack: IO[bytes], offset: int) -> tuple[Kind, bytes] | None:
    """The object whose entry begins there; ``None`` for a delta, and where it is damaged."""
    pack.seek(offset)
    byte = pack.read(1)
    kind = _KINDS.get(byte[0] >> 4 & 7) if byte else None
    while byte and byte[0] & 0x80:  # the rest of the size, which its id vouches for
        byte = pack.read(1)
    if kind is None:
        return None
    stream = zlib.decompressobj()
    parts = []
    try:
        while not stream.eof:
            packed = pack.read(_READ_BYTES)
            if not packed:
                return None
            parts.append(stream.decompress(packed))
    except zlib.error:
        return None
    return kind, b"".join(parts)


def _encode(objects: Iterable[NewObject]) -> tuple[bytes, list[IndexRow]]:
    """Pack entries, undeltified, and their index rows counted from the pack's first byte."""
    parts: list[bytes] = []
    rows: list[IndexRow] = []
    at = _HEADER.size
    for item in objects:
        size = len(item.data)
        byte = _TYPES[item.kind] << 4 | size & 15
        size >>= 4
        head = bytearray()
        while size:
            head.append(byte | 0x80)
            byte = size & 0x7F
            size >>= 7
        head.append(byte)
        entry = bytes(head) + zlib.compress(item.data, 6)
        rows.append(IndexRow(bytes.fromhex(item.id), zlib.crc32(entry), at))
        parts.append(entry)
        at += len(entry)
    return b"".join(parts), rows
