"""What screening found, kept by blob id, so that the same bytes are screened once.

Most texts have nothing suspicious and are not worth a row: to look at them again costs
less than a file. The rows are those for which the scanner had to be loaded. They hold
lines, kinds and marks, never a value; a row counts only under the rules that made it.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from gitstate.errors import CannotWrite
from gitstate.files import read_json, write_json
from gitstate.memory import screening
from gitstate.memory.screening import Finding

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_ROWS = 512  # the newest of one worktree
_KNOWN = 4096  # of this process
_known: dict[str, tuple[Finding, ...]] = {}


class Verdicts:
    """The findings of texts by blob id; ``path`` is the file that keeps them.

    The file is a cache: where it cannot be read or written, texts are screened again.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows: dict[str, tuple[Finding, ...]] | None = None
        self._learned = False

    def of(
        self, identity: str, data: Callable[[], bytes | None]
    ) -> tuple[Finding, ...] | None:
        """The findings of a blob; ``None`` where its bytes are needed and gone."""
        found = _known.get(identity)
        if found is None:
            text = data()
            if text is None:
                return None
            found = self._screened(identity, text)
            while len(_known) >= _KNOWN:
                del _known[next(iter(_known))]
            _known[identity] = found
        return found

    def save(self) -> None:
        """Write what was learned, if anything was."""
        if not self._learned or self._rows is None:
            return
        rows = dict(list(self._rows.items())[-_ROWS:])
        document = {"rules": screening.detectors(), "texts": rows}
        with contextlib.suppress(CannotWrite):
            write_json(self._path, document)
        self._learned = False

    def _screened(self, identity: str, text: bytes) -> tuple[Finding, ...]:
        if not screening.is_suspect(text):
            return ()
        if self._rows is None:
            self._rows = _read(self._path)
        found = self._rows.get(identity)
        if found is None:
            found = self._rows[identity] = screening.screen(text)
            self._learned = True
        return found


def _read(path: Path) -> dict[str, tuple[Finding, ...]]:
    found = read_json(path) or {}
    try:
        if found.get("rules") != screening.detectors():
            return {}
        return {
            str(identity): tuple(
                Finding(int(line), str(kind), str(mark)) for line, kind, mark in rows
            )
            for identity, rows in found["texts"].items()
        }
    except (TypeError, KeyError, ValueError, AttributeError):
        return {}
