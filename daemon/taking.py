"""What goes into a look at a worktree, when, and what is told of it afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitstate.history.cache import Cache
    from gitstate.workspace import Workspace


class Result(Protocol):
    """What the daemon needs to know of ``gitstate.history.snapshot.Outcome``."""

    @property
    def version(self) -> int | None:
        """The number of the newest version."""

    @property
    def changed(self) -> bool:
        """Was one made."""

    @property
    def vanished(self) -> Sequence[object]:
        """Files that are missing and held."""

    @property
    def skipped(self) -> Sequence[object]:
        """Files that could not be captured."""

    @property
    def notices(self) -> Sequence[str]:
        """What a person should know of the line."""


class Take(Protocol):
    """``gitstate.history.snapshot.take``."""

    def __call__(self, ws: Workspace, /, *, verb: str, cache: Cache) -> Result:
        """Make a version where the directory differs from the newest one."""


class Clockwork(Protocol):
    """What happens by the clock (``jobs.Clockwork``), as the loop sees it."""

    def freshen_every(self, seconds: float) -> None:
        """Have freshness looked at so often from now on."""

    def begin_anew(self) -> None:
        """Count from now: the clock was set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is to be said of a worktree; times are seconds since 1970."""

    root: str
    watching: bool
    mode: str
    last_scan: float | None
    version: int | None
    healthy: bool
    problem: str | None
