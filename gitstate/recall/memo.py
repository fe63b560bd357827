"""What was found in the files of the state, remembered by their bytes.

To parse a state takes longer than all else that a briefing does, and most of its files
stay as they are from one briefing to the next. A row counts only for the very text that
it was made of, under the very code that made it; a file that is not as it was written
counts for nothing, and everything is read anew.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from hashlib import sha256
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

from gitstate.errors import CannotWrite
from gitstate.files import read_bytes, replace_file
from gitstate.memory import kept
from gitstate.memory.kept import Kept

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitstate.workspace import Workspace

_ROOMS = ("documents", "memory")  # whose code decides what is found
_LARGEST = 4 << 20  # bytes: more is not worth remembering


class Memo:
    """What is kept of texts, as it was found before; ``of`` is asked for each."""

    def __init__(self, ws: Workspace) -> None:
        self._path = ws.runtime / "parsed"
        self._mode = ws.file_mode
        self._code = code_mark()
        self._known = self._read()
        self._used: dict[str, tuple[str, list[Kept]]] = {}
        self._learned = False

    def of(self, name: str, text: str) -> list[Kept]:
        """What is kept of a file; parsed only where it was never seen like this."""
        key = _digest(f"{name}\0{text}".encode())
        rows = self._known.get(key)
        if rows is None:
            self._learned = True
            rows = kept.of_text(name, text)
        self._used[key] = name, rows
        return [Kept(*row) for row in rows]

    def save(self, may: Callable[[str], bool]) -> None:
        """Remember the files that were asked for, of which ``may`` says that it is allowed."""
        if not self._learned or not self._code:
            return
        rows = {key: rows for key, (name, rows) in self._used.items() if may(name)}
        if rows.keys() == self._known.keys():
            return
        text = json.dumps([self._code, rows], ensure_ascii=True).encode()
        if len(text) <= _LARGEST:
            with contextlib.suppress(CannotWrite):
                data = b"%s\n%s" % (_digest(text).encode(), text)
                replace_file(self._path, data, mode=self._mode)

    def _read(self) -> dict[str, list[Kept]]:
        try:
            digest, _, text = read_bytes(self._path).partition(b"\n")
            if _digest(text).encode() == digest:
                code, rows = json.loads(text)
                if code and code == self._code and isinstance(rows, dict):
                    return rows
        except (OSError, ValueError, TypeError, RecursionError):
            pass
        return {}


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def code_mark() -> str:
    """Which code parses: another release, an edited file or another library is another.

    "" where that cannot be told, as while it is being upgraded: then nothing is remembered.
    """
    parser = PathFinder.find_spec("markdown_it")
    found = [sys.version]
    try:
        found += _stats(parser.origin if parser else None)
        for room in _ROOMS:
            found += _stats(str(Path(__file__).parents[1] / room))
    except OSError:
        return ""
    return _digest("\n".join(found).encode("utf-8", "surrogateescape"))


def _stats(path: str | None) -> Iterator[str]:
    """Name, size and time of a file, or of the modules in a folder."""
    if path is None:
        return
    files = [path] if path.endswith(".py") else []
    if not files:
        with os.scandir(path) as rows:
            files = sorted(row.path for row in rows if row.name.endswith(".py"))
    for file in files:
        seen = os.stat(file)  # noqa: PTH116 90 of them, at half the cost
        yield f"{file} {seen.st_size} {seen.st_mtime_ns}"
