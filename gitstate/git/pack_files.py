"""The files of our packs: which there are, putting them into place, removing them.

The rule that makes this safe without any lock: a pack is removed only when another,
already in place, holds everything that was in it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from typing import TYPE_CHECKING

from gitstate import lock
from gitstate.git import multi_pack_index
from gitstate.git.pack_index import PackIndex
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

TAIL_MARK = b"gitstate tail\n"
UNFLUSHED_MARK = b"gitstate tail, not flushed\n"
PACKED_MARK = b"gitstate packed\n"
RETIRED_MARK = b"gitstate retired\n"
_MARK = b"gitstate "
_SCRATCH_PREFIX = "gitstate-tmp-"
SCRATCH_STALE_S = 3600.0
_HELD_AT_MOST_S = 12 * 3600.0  # as git's gc has it
RETIRED_S = 10.0
_MOST_RETIRED = 4
_MOST_WHILE_GIT_TIDIES = 50
# In the order of removal: without its index a pack is no longer looked at, and
# its `.keep` goes last, so that nothing half removed ever looks like the user's.
_SUFFIXES = (".idx", ".rev", ".bitmap", ".mtimes", ".pack", ".keep")


@dataclass(frozen=True, slots=True)
class OurPack:
    """One pack of ours: its name without suffix, and the text of its ``.keep``."""

    name: str
    mark: bytes

    @property
    def tail(self) -> bool:
        """Is it one that still grows."""
        return self.mark in {TAIL_MARK, UNFLUSHED_MARK}

    @property
    def flushed(self) -> bool:
        """Would it survive a power failure."""
        return self.mark != UNFLUSHED_MARK


class PackFolder:
    """The packs of gitstate in one object directory, as files."""

    def __init__(
        self, objects_dir: Path, object_format: str, *, shared_bits: int = 0
    ) -> None:
        self.objects_dir = objects_dir
        self.folder = objects_dir / "pack"
        self.object_format = object_format
        self.shared_bits = shared_bits
        self._counter = 0
        self._waiting: list[tuple[float, str]] = []  # since when, and which

    def standing(self) -> list[OurPack]:
        """Our complete packs, by name, those in retirement too."""
        return self._marked(self._keeps())

    def ours(self) -> list[OurPack]:
        """Our complete packs, by name, without those that only wait for their end."""
        return self._marked(self._sort())

    def _sort(self) -> list[str]:
        """The packs that may be ours and in use; the others' names are remembered.

        A ``.keep`` of the size of a retired pack's is not opened: our other marks have
        other sizes, and a file of the user's that has this one is not ours either.
        """
        used: list[str] = []
        self._waiting = []
        for name, keep in self._keeps().items():
            try:
                status = keep.stat()
            except OSError:
                continue  # just removed
            if status.st_size == len(RETIRED_MARK):
                self._waiting.append((status.st_mtime, name))
            else:
                used.append(name)
        return used

    def _keeps(self) -> dict[str, os.DirEntry[str]]:
        """The ``.keep`` of each complete pack that has one, by the pack's name."""
        try:
            found = {entry.name: entry for entry in os.scandir(self.folder)}
        except FileNotFoundError:
            return {}
        return {
            stem: found[name]
            for name in sorted(found)
            if (stem := name.removesuffix(".keep")) != name
            and f"{stem}.idx" in found
            and f"{stem}.pack" in found
        }

    def _marked(self, names: Iterable[str]) -> list[OurPack]:
        marks = ((name, self._mark(name)) for name in names)
        return [OurPack(name, mark) for name, mark in marks if mark.startswith(_MARK)]

    def index(self, name: str) -> PackIndex:
        """The index of a pack; raises ``ObjectDamaged`` or ``OSError``."""
        return PackIndex.open(f"{self.folder}/{name}.idx", self.object_format)

    def stands(self, name: str, mark: bytes) -> bool:
        """Is there a complete pack of this name and mark."""
        paths = (self.folder / f"{name}{suffix}" for suffix in (".pack", ".idx"))
        return self._mark(name) == mark and all(path.exists() for path in paths)

    def is_whole(self, name: str) -> bool:
        """Are the pack's bytes those that were written."""
        width = hashlib.new(self.object_format, usedforsecurity=False).digest_size
        try:
            data = (self.folder / f"{name}.pack").read_bytes()
        except OSError:
            return False
        digest = hashlib.new(self.object_format, data[:-width], usedforsecurity=False)
        return digest.digest() == data[-width:]

    def adopt(self, name: str, files: dict[str, Path], mark: bytes) -> None:
        """Put finished pack files into place: the ``.keep`` first, the index last."""
        made = {".keep": self.scratch(mark, durable=False), **files}
        for suffix in sorted(
            made, key=lambda end: (end == ".idx", end != ".keep", end)
        ):
            os.replace(made[suffix], f"{self.folder}/{name}{suffix}")  # noqa: PTH105 each version

    def close(self, name: str) -> None:
        """Let a tail be one no longer: nothing is added to it."""
        made = self.scratch(PACKED_MARK, durable=False)
        made.rename(self.folder / f"{name}.keep")

    def scratch(self, data: bytes, *, durable: bool) -> Path:
        """A finished file beside the packs, under a name that git's gc leaves alone."""
        self._counter += 1
        path = (
            self.folder
            / f"{_SCRATCH_PREFIX}{os.getpid()}-{os.urandom(4).hex()}-{self._counter}"
        )
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        try:
            fd = os.open(path, flags, 0o444)
        except FileNotFoundError:
            self.folder.mkdir(parents=True, exist_ok=True)
            fd = os.open(path, flags, 0o444)
        try:
            try:
                view = memoryview(data)
                while view:
                    view = view[os.write(fd, view) :]
                if self.shared_bits:
                    os.fchmod(fd, 0o444 if self.shared_bits & 0o004 else 0o440)
                if durable:
                    os.fsync(fd)
            finally:
                os.close(fd)
        except OSError:
            path.unlink(missing_ok=True)
            raise
        return path

    def retire(self, names: Iterable[str]) -> None:
        """Let packs go after a while; others of ours must hold all that is in them.

        Not at once: a git process that has listed the packs, and is held up before it
        opens them, looks once more when it misses an object. Had the pack that it listed
        and the one that it then finds both gone meanwhile, it would call our branch
        broken, and ``git gc`` would fail.
        """
        for name in names:
            index, keep = (self.folder / f"{name}{end}" for end in (".idx", ".keep"))
            if index.exists():
                self.scratch(RETIRED_MARK, durable=False).rename(keep)
                if not index.exists():  # no flock here: another has just removed it
                    keep.unlink(missing_ok=True)

    def remove_retired(self) -> None:
        """Remove packs that have been in retirement for long enough, or are too many.

        While git keeps house none goes: it works from one list for all that time.
        """
        self._sort()
        self._remove_due(at_least=1)

    def _remove_due(self, *, at_least: int) -> None:
        over = len(self._waiting) - _MOST_RETIRED
        now = time.time()
        due = [
            name
            for at, (since, name) in enumerate(sorted(self._waiting))
            if at < over or not 0 <= now - since < RETIRED_S
        ]
        patient = len(self._waiting) < _MOST_WHILE_GIT_TIDIES
        if len(due) < at_least or (patient and self.git_tidies()):
            return
        self.remove(name for name in due if self._mark(name) == RETIRED_MARK)

    def remove(self, names: Iterable[str]) -> list[str]:
        """Remove packs of ours, except those a multi-pack-index names; returns the removed.

        Others of ours must hold all that is in them.
        """
        named = multi_pack_index.pack_names(self.folder)
        removed = []
        for name in names:
            if name in named:
                continue
            for suffix in _SUFFIXES:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(f"{self.folder}/{name}{suffix}")  # noqa: PTH108 each version
            removed.append(name)
        return removed

    def git_tidies(self) -> bool:
        """Is a gc or maintenance of git's under way, as far as its lock files tell."""
        return any(
            _is_live(path)
            for path in (
                self.objects_dir.parent / "gc.pid",
                self.objects_dir / "maintenance.lock",
            )
        )

    def sweep(self, now_s: float) -> None:
        """Remove what killed writers left an hour ago: scratch files, half a pack."""
        with contextlib.suppress(OSError):
            entries = list(os.scandir(self.folder))
            names = {entry.name for entry in entries}
            for entry in entries:
                with contextlib.suppress(OSError):
                    if now_s - entry.stat().st_mtime < SCRATCH_STALE_S:
                        continue
                    stem = entry.name.removesuffix(".keep")
                    if entry.name.startswith(_SCRATCH_PREFIX):
                        (self.folder / entry.name).unlink()
                    elif (
                        stem != entry.name
                        and f"{stem}.idx" not in names
                        and self._mark(stem).startswith(_MARK)
                    ):
                        for suffix in _SUFFIXES:
                            (self.folder / f"{stem}{suffix}").unlink(missing_ok=True)

    def named_by_multi_pack_index(
        self, packs: Iterable[OurPack] | None = None
    ) -> set[str]:
        """The packs of ours (among ``packs``, where given) that a multi-pack-index names.

        Deleting one of them breaks ``git fsck``.
        """
        named = multi_pack_index.pack_names(self.folder)
        if not named:
            return set()
        return {
            pack.name
            for pack in (self.ours() if packs is None else packs)
            if pack.name in named
        }

    def lost_to_multi_pack_index(self) -> set[str]:
        """The packs that a multi-pack-index names and that are not there.

        It was being written when a pack of ours gave way to a larger one: then git's
        own bitmaps, ``gc`` and ``fsck`` stumble over it.
        """
        named = multi_pack_index.pack_names(self.folder)
        return {name for name in named if not (self.folder / f"{name}.idx").exists()}

    def _mark(self, name: str) -> bytes:
        try:
            fd = os.open(f"{self.folder}/{name}.keep", os.O_RDONLY | os.O_CLOEXEC)
            try:
                return os.read(fd, 64)
            finally:
                os.close(fd)
        except OSError:
            return b""


def _is_live(path: Path) -> bool:
    """Is that lock of git's a running process's, as far as git itself could tell."""
    try:
        if time.time() - path.stat().st_mtime > _HELD_AT_MOST_S:
            return False
        return lock.lives(path.read_text("utf-8", "replace")) is not False
    except OSError:
        return False
