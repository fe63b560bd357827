"""Whether an edit left all lines alone that are not its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitstate.documents.fields import Lines

_RAW = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def lost_lines(old: str, new: str, own: Iterable[Lines] = ()) -> list[str]:
    """The lines of ``old``, but for its ``own``, that ``new`` has not in this order.

    Line ends count; only a last line without one may get one. A byte order mark stays
    at the start whatever is written before the first line.
    """
    mine = {n for lines in own for n in range(lines.first, lines.last + 1)}
    before = _RAW.findall(old.removeprefix("\ufeff"))
    after = iter(_RAW.findall(new.removeprefix("\ufeff")))
    lost = []
    for number, line in enumerate(before, 1):
        if number in mine:
            continue
        open_ = number == len(before) and line[-1] not in "\r\n"
        if not any(
            line == one or (open_ and line == one.rstrip("\r\n")) for one in after
        ):
            lost.append(line)
    return lost
