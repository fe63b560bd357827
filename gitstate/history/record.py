"""What a version's commit says of itself, in git trailers; pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitstate.errors import printable
from gitstate.late import late
from gitstate.values import dataclass, field

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitstate.git.objects import Commit

_TRAILER = re.compile(r"^([A-Za-z][A-Za-z0-9-]*): (.*)$")
_DAY = late(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SPAN = late(r"([0-9]{1,18})-([0-9]{1,18})")
_ID = late(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The trailers of one version."""

    version: int
    line: str
    code_branch: str | None = None
    code_head: str | None = None
    lang: str = "en"
    restored_from: int | None = None
    gap: str | None = (
        None  # "41-42": numbers that were used and cannot be read any more
    )
    skipped: tuple[str, ...] = field(default=())
    # of a squashed day: its date, its lowest number, the id of its last own version
    day: str | None = None
    day_begins: int | None = None
    archive: str | None = None

    @property
    def first(self) -> int:
        """The lowest number that the commit stands for."""
        return self.version if self.day_begins is None else self.day_begins

    def trailers(self) -> str:
        """The last paragraph of the version's message."""
        rows: list[tuple[str, str | int | None]] = [
            ("State-Version", self.version),
            ("State-Line", self.line),
            ("Code-Branch", self.code_branch),
            ("Code-Head", self.code_head),
            ("State-Lang", self.lang),
            ("Restored-From", self.restored_from),
            ("State-Gap", self.gap),
            *(("Skipped", text) for text in self.skipped),
        ]
        return "".join(
            f"{key}: {printable(value)}\n" for key, value in rows if value is not None
        )


def trailers_of(message: str) -> list[tuple[str, str]]:
    """The trailers in the last paragraph of a message, in order."""
    rows = []
    for line in message.rstrip("\n").rpartition("\n\n")[2].split("\n"):
        found = _TRAILER.match(line)
        if found is None:
            return []
        rows.append((found[1], found[2]))
    return rows


def record_of(commit: Commit) -> Record | None:
    """The record of a version, or ``None`` for a commit that is no version of gitstate's."""
    rows = trailers_of(commit.message)
    one = dict(reversed(rows))
    number = one.get("State-Version", "")
    line = one.get("State-Line", "")
    if not number.isascii() or not number.isdigit() or int(number) == 0 or not line:
        return None
    restored = one.get("Restored-From", "")
    day, begins, archive = _day_in(one, int(number))
    if day is not None:
        one.update(row for row in rows if row[0] == "Code-Head")  # the last of several
    return Record(
        version=int(number),
        line=line,
        code_branch=one.get("Code-Branch"),
        code_head=one.get("Code-Head"),
        lang=one.get("State-Lang", "en"),
        restored_from=int(restored)
        if restored.isascii() and restored.isdigit()
        else None,
        gap=one.get("State-Gap"),
        skipped=tuple(value for key, value in rows if key == "Skipped"),
        day=day,
        day_begins=begins,
        archive=archive,
    )


def _day_in(
    one: Mapping[str, str], version: int
) -> tuple[str | None, int | None, str | None]:
    """What a squashed day's commit says of itself, where it says all of it."""
    if "State-Day" not in one:
        return None, None, None
    day, archive = one["State-Day"], one.get("State-Archive", "")
    found = _SPAN.fullmatch(one.get("State-Versions", ""))
    if not _DAY.fullmatch(day) or not _ID.fullmatch(archive) or found is None:
        return None, None, None
    first, last = int(found[1]), int(found[2])
    return (day, first, archive) if 0 < first <= last == version else (None, None, None)


def subject_of(commit: Commit) -> str:
    """The first line of a version's message."""
    return commit.message.partition("\n")[0]
