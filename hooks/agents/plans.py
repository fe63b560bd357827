"""What an install or uninstall changes, as values: a file's change, the plan, how it stands."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from gitstate.errors import printable
from gitstate.values import dataclass, field

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file as it is and as it is to be; ``None``: it is not there."""

    path: str
    old: bytes | None
    new: bytes | None

    def diff(self) -> list[str]:
        """The change as a diff."""
        name = printable(self.path)
        before, after = f"a/{name}", f"b/{name}"
        if self.old is None:
            before = "/dev/null"
        if self.new is None:
            after = "/dev/null"
        rows = difflib.unified_diff(
            _lines(self.old), _lines(self.new), before, after, lineterm=""
        )
        return [printable(row) for row in rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be done, and what a person has to know.

    ``excluded``: lines for ``info/exclude``; ``shown``: those to be taken out of it, since
    others wrote in a file that we made. ``left``: files that could not be looked at.
    """

    changes: tuple[Change, ...] = ()
    excluded: tuple[bytes, ...] = ()
    shown: tuple[bytes, ...] = ()
    says: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    def diff(self) -> list[str]:
        """All of it as a diff."""
        return [line for one in self.changes for line in one.diff()]

    def in_short(self) -> list[str]:
        """What would be done: of a file that is ours alone no more than the name."""
        said: list[str] = []
        for one in self.changes:
            if one.new is None:
                said.append(f"would remove {printable(one.path)}")
            else:
                said += one.diff()
        return said


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Is an agent's part in; ``missing``: files where it is not, or of another version."""

    agent: str
    installed: bool
    missing: tuple[str, ...] = ()
    old: tuple[str, ...] = field(default_factory=tuple)

    @property
    def well(self) -> bool:
        """Does the client get what this version would put in."""
        return self.installed and not self.missing and not self.old


def _lines(data: bytes | None) -> Sequence[str]:
    return (data or b"").decode("utf-8", "replace").splitlines()
