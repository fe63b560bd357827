"""Changing lines of a document and no others; the primitive under every edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from gitstate.documents.blocks import MARKER
from gitstate.errors import Refused
from gitstate.late import late

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitstate.documents.sections import Outline

_RAW = late(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
T = TypeVar("T")


class Splice:
    """Edits of one text, by the lines of its outline, made all at once by ``text``.

    Line ends, a byte order mark and a missing end of the last line stay as they are; new
    lines end as the line before them does.
    """

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.raw: list[str] = _RAW.findall(outline.text)
        self.edits: list[tuple[int, int, list[str]]] = []

    def replace(self, start: int, stop: int, lines: Sequence[str]) -> None:
        """Put ``lines`` in the place of those from ``start`` up to ``stop``."""
        self.edits.append((start, stop, list(lines)))

    def insert(self, at: int, lines: Sequence[str]) -> None:
        """Put ``lines`` before the line ``at``.

        Raises ``Refused`` where they would stand in code or a comment without an end.
        """
        unclosed = self.outline.unclosed
        if unclosed is not None and at > unclosed:
            message = (
                f"line {unclosed + 1} begins a block of code or a comment that never ends: "
                "close it first"
            )
            raise Refused(message)
        self.edits.append((min(at, len(self.raw)), min(at, len(self.raw)), list(lines)))

    def insert_item(self, at: int, lines: Sequence[str]) -> None:
        """``insert``, and a blank line behind where text follows that is no item."""
        following = self.outline.lines[at : at + 1]
        if following and following[0].strip() and not MARKER.match(following[0]):
            lines = [*lines, ""]
        self.insert(at, lines)

    def insert_apart(self, at: int, lines: Sequence[str]) -> None:
        """``insert`` with a blank line on either side, as far as there is none yet."""
        all_lines = self.outline.lines
        at = min(at, len(self.raw))
        before = [""] if at and all_lines[at - 1].strip() else []
        after = [""] if at < len(self.raw) and all_lines[at].strip() else []
        self.insert(at, [*before, *lines, *after])

    def text(self) -> str:
        """The text with all edits made."""
        parts: list[str] = []
        position = 0
        for start, stop, lines in sorted(self.edits, key=lambda edit: edit[:2]):
            parts += self.raw[position:start]
            parts.append(self._lines(start, stop, lines))
            position = stop
        return "".join([*parts, *self.raw[position:]])

    def _lines(self, start: int, stop: int, lines: list[str]) -> str:
        if not lines:
            return ""
        end = self._end_near(start)
        mark = "\ufeff" if start == 0 and self.outline.text.startswith("\ufeff") else ""
        if stop > start:  # the last one ends as the last one that it replaces
            last = self.raw[stop - 1]
            return mark + end.join(lines) + last[len(last.rstrip("\r\n")) :]
        if start == 0 and mark:
            self.raw[0] = self.raw[0].removeprefix(mark)
        open_ = start == len(self.raw) and self.raw and self.raw[-1][-1] not in "\r\n"
        return (end if open_ else "") + mark + end.join(lines) + end

    def _end_near(self, line: int) -> str:
        """How the line before ``line`` ends, or else the first line that has an end."""
        for number in (line - 1, line - 2, 0):
            if 0 <= number < len(self.raw):
                raw = self.raw[number]
                if end := raw[len(raw.rstrip("\r\n")) :]:
                    return end
        return "\n"


def verified(new: str, expected: T, read: Callable[[str], T]) -> str:
    """``new``, when it reads as ``expected``; raises ``Refused`` otherwise.

    No edit of ours may change what another line means, whatever stands around it.
    """
    if read(new) != expected:
        message = (
            "this cannot be written there without changing what other lines mean: "
            "edit the file by hand"
        )
        raise Refused(message)
    return new


def with_one_more(before: Sequence[T], after: Sequence[T], new: T) -> bool:
    """Whether ``after`` is ``before`` with ``new`` in one place."""
    place = next(
        (n for n, one in enumerate(before) if after[n : n + 1] != (one,)), len(before)
    )
    return (
        tuple(after[:place]) == tuple(before[:place])
        and tuple(after[place : place + 1]) == (new,)
        and tuple(after[place + 1 :]) == tuple(before[place:])
    )


def offset_of(line: str, row: str) -> int:
    """Where the text ``row``, as a block has it, begins in its whole line."""
    bare = line.rstrip()
    return len(bare) - len(row) if bare.endswith(row) else line.find(row)
