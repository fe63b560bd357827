"""The state directory as values: what is there now, and what cannot be kept.

Two passes. The first lists everything with ``lstat`` and no file opened, so that the
bounds choose the same files every time; the second reads the chosen ones that a cache
does not know. Both go through ``reading``: no link is ever followed.
"""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack
from typing import TYPE_CHECKING

from gitstate.errors import Refused, printable
from gitstate.git.objects import LINK
from gitstate.history.cache import Cache
from gitstate.history.listing import Found, list_folder
from gitstate.history.names import is_allowed_content, is_numbered
from gitstate.history.reading import (
    Content,
    Entry,
    Patience,
    Unread,
    folder,
    git_mode,
    is_gone,
    open_state,
    read_entry,
    reason_of,
    size_text,
)
from gitstate.history.skipped import TOP, Skipped, counted, summed
from gitstate.memory.text import unfit
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = [
    "MAX_FILES",
    "MAX_TOTAL",
    "Cache",
    "Content",
    "Scan",
    "Skipped",
    "read_file",
    "scan",
]

MAX_FILES = 5_000
MAX_TOTAL = 64 << 20
_PATIENCE_S = 0.5


@dataclass(frozen=True, slots=True)
class Scan:
    """What a state directory holds: raw paths relative to it -> content.

    ``present`` is false where there is no directory. ``skipped`` is for people and
    sums up; ``left_out`` has every single path, files and whole folders.
    """

    files: Mapping[bytes, Content]
    skipped: tuple[Skipped, ...] = ()
    present: bool = True
    left_out: frozenset[bytes] = frozenset()

    def is_left_out(self, path: bytes) -> bool:
        """Is ``path``, or a folder it lies in, there but not captured.

        Such a path is missing from ``files`` without having been deleted.
        """
        parts = path.split(b"/")
        heads = (b"/".join(parts[:count]) for count in range(1, len(parts) + 1))
        return TOP in self.left_out or any(head in self.left_out for head in heads)


def scan(
    state_dir: Path,
    *,
    object_format: str,
    max_file_size: int,
    cache: Cache | None = None,
) -> Scan:
    """Read the state directory; files over ``max_file_size`` bytes are left out.

    With a ``cache``, files that it knows come without their bytes. Raises ``Refused``
    where a link or a file is in the directory's place, or it cannot be read at all.
    """
    top = open_state(state_dir)
    if top is None:
        return Scan({}, present=False)
    found = Found()
    try:
        try:
            list_folder(top, b"", 1, found)
        except OSError as error:
            reason = f"{printable(state_dir)} cannot be read: {reason_of(error)}"
            raise Refused(reason) from error
        reader = _Reader(top, object_format, max_file_size, cache)
        with reader:
            files, past = _read_chosen(reader, found)
    finally:
        os.close(top)
    if cache is not None:
        cache.keep_only(files)
    left_out = frozenset([row.path for row in found.skipped] + past)
    reason = f"past the limits of {MAX_FILES:,} files and {size_text(MAX_TOTAL)}"
    skipped = summed(found.skipped) + counted(past, reason)
    return Scan(
        dict(sorted(files.items())),
        tuple(sorted(skipped, key=lambda row: (row.path, row.reason))),
        left_out=left_out,
    )


def read_file(
    state_dir: Path, path: bytes, *, object_format: str, max_file_size: int
) -> Content | None:
    """One file with its bytes, as ``scan`` would read it; ``None`` where it would not.

    For a file whose id alone a cached scan knew. Raises ``Refused`` as ``scan`` does.
    """
    top = open_state(state_dir)
    if top is None:
        return None
    *parts, name = path.split(b"/")
    try:
        with folder(top, parts) as fd:
            entry = read_entry(
                fd, name, object_format=object_format, max_size=max_file_size
            )
    except OSError:
        return None
    finally:
        os.close(top)
    return entry.content if isinstance(entry, Entry) else None


class _Reader:
    """Reads files, in the order of their folders, with one folder open at a time."""

    def __init__(
        self, top: int, object_format: str, max_size: int, cache: Cache | None
    ) -> None:
        self._top = top
        self._format = object_format
        self.max_size = max_size
        self._cache = cache
        self._patience = Patience(_PATIENCE_S)
        self._open = ExitStack()
        self._parts: Sequence[bytes] | None = None
        self._fd = -1

    def __enter__(self) -> None:
        self._open.__enter__()

    def __exit__(self, *exc: object) -> None:
        self._open.close()

    def read(
        self, path: bytes, seen: os.stat_result
    ) -> tuple[Content, int] | Unread | None:
        """The content and its size, why there is none, or ``None`` when it is gone."""
        if stat.S_ISREG(seen.st_mode):
            known = self._known(path, seen)
            if known is not None:
                return Content(git_mode(seen), known, None), seen.st_size
        started = 0.0 if self._cache is None else self._cache.clock()
        *parts, name = path.split(b"/")
        try:
            entry = read_entry(
                self._folder(parts),
                name,
                object_format=self._format,
                max_size=self.max_size,
                patience=self._patience,
            )
        except OSError as error:
            if is_gone(error):  # its folder is gone, or a link now
                return None
            return Unread(f"cannot be read: {reason_of(error)}", 0)
        if not isinstance(entry, Entry):
            return None if entry is None or entry.kind == stat.S_IFDIR else entry
        data = entry.content.data or b""
        reason = None if entry.content.mode == LINK else unfit(data)
        if reason is None and not is_allowed_content(name, data):
            reason = "git reads no attributes with lines so long"
        if reason is not None:
            return Unread(reason, stat.S_IFREG)
        if self._cache is not None and entry.steady is not None:
            self._cache.learn(
                path,
                entry.steady,
                entry.content.id,
                object_format=self._format,
                started=started,
            )
        return entry.content, len(data)

    def _known(self, path: bytes, seen: os.stat_result) -> str | None:
        if self._cache is None or seen.st_size > self.max_size:
            return None
        return self._cache.find(path, seen, self._format)

    def _folder(self, parts: Sequence[bytes]) -> int:
        if parts != self._parts:
            self._open.close()
            self._parts = None
            self._fd = self._open.enter_context(folder(self._top, parts))
            self._parts = parts
        return self._fd


def _read_chosen(
    reader: _Reader, found: Found
) -> tuple[dict[bytes, Content], list[bytes]]:
    files: dict[bytes, Content] = {}
    past: list[bytes] = []
    total = 0

    def order(path: bytes) -> tuple[bool, bytes, bytes]:
        head, _, tail = path.rpartition(b"/")
        return not is_numbered(path), head, tail

    for path in sorted(found.files, key=order):
        seen = found.files[path]
        fits = total + seen.st_size <= MAX_TOTAL or seen.st_size > reader.max_size
        if len(files) >= MAX_FILES or not fits:
            past.append(path)
            continue
        entry = reader.read(path, seen)
        if isinstance(entry, Unread):
            found.skipped.append(Skipped(path, entry.reason))
        elif entry is not None and total + entry[1] > MAX_TOTAL:
            past.append(path)
        elif entry is not None:
            files[path], size = entry
            total += size
    return files, past
