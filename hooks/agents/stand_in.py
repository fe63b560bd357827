"""The state's first files as they are, without comments: until there is a briefing of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitstate.workspace import Workspace

_ASIDE = re.compile(r"(?s)<!--.*?-->|\A---.*?\n---\n|\n(?=\n)")


@dataclass(frozen=True, slots=True)
class Briefing:
    """A text, and the version that it is of."""

    text: str
    version: int = 0


def brief_for(
    ws: Workspace,
    *,
    limit: int,
    unit: str,
    after: int | None = None,
    lean: bool = False,
) -> Briefing:
    """The files that fit into ``limit`` of ``unit``, whole."""
    del after, lean
    chars = limit if unit == "characters" else limit * (3 if unit == "tokens" else 1)
    found = ""
    for path in sorted(ws.state_dir.glob("0[0-2]*.md")):
        text = _ASIDE.sub("", path.read_text("utf-8", "replace"))
        if len(found) + len(text) <= chars:
            found += text
    return Briefing(found)
