"""What files outside the numbered ones took in: moved things are not gone; pure."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from gitstate.history import parsed
from gitstate.history.matching import bare

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitstate.documents.current_task import CurrentTask
    from gitstate.documents.decision_log import Decision
    from gitstate.documents.known_issues import Issue


def added_text(old: bytes, new: bytes) -> tuple[str, int]:
    """The lines of ``new`` between what both begin and what both end with, and their first."""
    before, after = old.splitlines(), new.splitlines()
    start, most = 0, min(len(before), len(after))
    while start < most and before[start] == after[start]:
        start += 1
    stop = 0
    while stop < most - start and before[-1 - stop] == after[-1 - stop]:
        stop += 1
    lines = after[start : len(after) - stop]
    return b"\n".join(lines).decode("utf-8", "replace"), start


class Moved:
    """What the files of ``archive/``, ``resolved/`` and ``completed/`` took in."""

    def __init__(
        self, before: Mapping[bytes, bytes], after: Mapping[bytes, bytes]
    ) -> None:
        self.texts: dict[bytes, str] = {}
        for path, data in sorted(after.items()):
            if parsed.took_in(path) and data != before.get(path):
                text, start = added_text(before.get(path, b""), data)
                # what stands in a line is found in that line of the file
                self.texts[path] = "\n" * start + text
        self.used: set[bytes] = set()

    @cached_property
    def decisions(self) -> dict[str, tuple[bytes, Decision]]:
        """Decisions by number, or by their bare text where they have none."""
        return {
            one.id or bare(one.decision): (path, one)
            for path, text in self._in(b"archive/")
            if (log := parsed.decisions(text.encode())) is not None
            for one in log.decisions
        }

    @cached_property
    def issues(self) -> dict[str, tuple[bytes, Issue]]:
        """Issues by number, or by their bare text where they have none."""
        return {
            one.id or bare(one.title): (path, one)
            for path, text in self._in(b"resolved/", b"archive/")
            if (found := parsed.issues(text.encode())) is not None
            for one in found.issues
        }

    @cached_property
    def tasks(self) -> list[tuple[bytes, CurrentTask]]:
        """Tasks that were put away, in the files' order."""
        return [
            (path, task)
            for path, text in self._in(b"completed/")
            if (task := parsed.task(text.encode())) is not None and task.goal
        ]

    def names(self, path: bytes, id_: str) -> bool:
        """Whether a number stands in what a file took in as it is written here."""
        return id_ in self.texts[path]

    def holds(self, text: str) -> bool:
        """Whether one of the files took in a line that says a text."""
        wanted = bare(text)
        for path, lines in self._bare.items():
            if wanted and any(wanted in line for line in lines):
                self.used.add(path)
                return True
        return False

    @cached_property
    def _bare(self) -> dict[bytes, list[str]]:
        return {
            path: [bare(line) for line in text.split("\n")]
            for path, text in self.texts.items()
        }

    def _in(self, *folders: bytes) -> list[tuple[bytes, str]]:
        return [item for item in self.texts.items() if item[0].startswith(folders)]
