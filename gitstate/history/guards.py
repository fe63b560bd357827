"""Which missing files are deletions, and which vanished: nobody meant those; pure.

Files that disappear together with a HEAD change, a stash or a clean, or more than
one numbered file at once, are held. A single deletion is believed at the second look.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Self

from gitstate.values import dataclass, field, replace

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_NUMBERED = re.compile(rb"^\d{2,}-[^/]*\.md$")
_SECOND_LOOK_S = 1.0


@dataclass(frozen=True, slots=True)
class Sight:
    """What surrounds the directory at one look."""

    branch: str | None
    commit: str | None
    stash: str | None

    def moved_from(self, earlier: Sight | None) -> str | None:
        """What git did in between that takes files away, or ``None``."""
        if earlier is None:
            return None
        if (self.branch, self.commit) != (earlier.branch, earlier.commit):
            return "HEAD moved"
        if self.stash != earlier.stash:
            return "a stash was made or dropped"
        return None


@dataclass(frozen=True, slots=True)
class Vanished:
    """A file that is held: why, and the code commit that was HEAD before."""

    reason: str
    head: str | None


@dataclass(frozen=True, slots=True)
class Memory:
    """What the guard remembers from look to look, in the runtime folder."""

    sight: Sight | None = None
    waiting: Mapping[bytes, float] = field(default_factory=dict)
    vanished: Mapping[bytes, Vanished] = field(default_factory=dict)

    def dump(self) -> dict[str, Any]:
        """As JSON; names as the file system spells them."""
        sight = self.sight
        return {
            "sight": None
            if sight is None
            else [sight.branch, sight.commit, sight.stash],
            "waiting": {
                os.fsdecode(path): since for path, since in self.waiting.items()
            },
            "vanished": {
                os.fsdecode(path): [item.reason, item.head]
                for path, item in self.vanished.items()
            },
        }

    @classmethod
    def load(cls, found: Mapping[str, Any] | None) -> Self:
        """From JSON; what is garbled counts as not remembered."""
        try:
            if not found:
                return cls()
            return cls(
                Sight(*found["sight"]) if found["sight"] else None,
                {
                    os.fsencode(path): float(since)
                    for path, since in found["waiting"].items()
                },
                {
                    os.fsencode(path): Vanished(str(reason), head)
                    for path, (reason, head) in found["vanished"].items()
                },
            )
        except (TypeError, KeyError, ValueError, AttributeError):
            return cls()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do with the missing files."""

    deleted: frozenset[bytes]
    memory: Memory

    @property
    def held(self) -> frozenset[bytes]:
        """The files whose last bytes stay in the version."""
        return frozenset(self.memory.vanished) | frozenset(self.memory.waiting)


def judge(  # noqa: PLR0913 one decision from all that it needs
    missing: Collection[bytes],
    *,
    parent: Collection[bytes],
    memory: Memory,
    sight: Sight,
    operation: str | None,
    now_s: float,
    deletions: bool = False,
    certain: bool = False,
) -> Verdict:
    """Judge the files of the last version that are not on disk.

    ``deletions``: all of them are meant. ``certain``: this look counts as the second
    one for a single deletion.
    """
    if deletions:
        return Verdict(frozenset(missing), Memory(sight))
    vanished = {path: item for path, item in memory.vanished.items() if path in missing}
    fresh = frozenset(missing) - vanished.keys()
    reason = _reason(fresh, parent, memory, sight, operation)
    if reason is not None:
        head = memory.sight.commit if memory.sight else sight.commit
        vanished |= {path: Vanished(reason, head) for path in fresh}
        return Verdict(frozenset(), Memory(sight, {}, vanished))
    deleted = frozenset(
        path
        for path in fresh
        if certain
        or (
            path in memory.waiting
            # either way: a clock that was put back must not hold it for ever
            and abs(now_s - memory.waiting[path]) >= _SECOND_LOOK_S
        )
    )
    waiting = {path: memory.waiting.get(path, now_s) for path in fresh - deleted}
    return Verdict(deleted, Memory(sight, waiting, vanished))


def _reason(
    fresh: frozenset[bytes],
    parent: Collection[bytes],
    memory: Memory,
    sight: Sight,
    operation: str | None,
) -> str | None:
    if not fresh:
        return None
    moved = sight.moved_from(memory.sight)
    if moved:
        return moved
    if operation:
        return f"a {operation} is under way"
    if len(parent) > 1 and len(fresh) == len(parent):
        return "all files went at once"
    if sum(1 for path in fresh if _NUMBERED.match(path)) > 1:
        return "several numbered files went at once"
    return None


def without(memory: Memory, paths: Collection[bytes]) -> Memory:
    """The memory once these files are back."""
    return replace(
        memory,
        waiting={
            path: since for path, since in memory.waiting.items() if path not in paths
        },
        vanished={
            path: item for path, item in memory.vanished.items() if path not in paths
        },
    )
