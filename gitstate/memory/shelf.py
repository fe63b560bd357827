"""The state directory as memory sees it: texts by name."""

from __future__ import annotations

import re
from typing import Protocol

from gitstate.documents import NUMBERED, header

CONCLUSIONS = "long_mem/conclusions.md"
FAILED_ATTEMPTS = "long_mem/failed-attempts.md"
_NUMBERED = re.compile(r"\d{1,6}[-_. ]+.+\.md")


class Shelf(Protocol):
    """The state directory's files, as ``history.editing.Files`` shows them."""

    def text(self, name: str) -> str | None:
        """A file's text; ``None`` where there is none. Raises ``Refused``."""

    def names(self, parent: str) -> list[str]:
        """The names in a folder; "" is the state directory itself."""


def numbered(shelf: Shelf) -> list[str]:
    """The numbered files by number, the six first names whether they are there or not."""
    there = {one for one in shelf.names("") if _NUMBERED.fullmatch(one)}
    return sorted(
        there | set(NUMBERED), key=lambda one: (header.from_name(one).order, one)
    )
