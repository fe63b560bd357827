"""How long ``operations.log`` keeps an operation; pure.

An operation is of low strength when it says nothing of how a file is to look now: it
read, it ran something, or a later one wrote the same file again. The last operation
that wrote a file is of medium strength and stays. ``(strength: high)`` in a summary
overrides both.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from gitstate.documents.items import own_strength
from gitstate.memory.operations_log import Operation, parse

if TYPE_CHECKING:
    from gitstate.documents.header import Strength

_WRITES = frozenset({"edit", "create", "delete"})


class Parted(NamedTuple):
    """A log's text without the lines that go, and these lines, in order."""

    text: str
    gone: tuple[str, ...]


def part(text: str, before: datetime) -> Parted:
    """The lines of low strength that are older than ``before``, and the others.

    What is no operation, or has no time that can be read, stays.
    """
    lines = text.split("\n")
    found = {line: one for line in lines for one in parse(line)}
    last = {one.path: line for line, one in found.items() if one.action in _WRITES}
    stay = set(last.values())

    def goes(line: str) -> bool:
        one = found.get(line)
        return (
            one is not None
            and strength(one, last=line in stay) == "low"
            and _is_before(one.time, before)
        )

    gone = tuple(line for line in lines if goes(line))
    if not gone:
        return Parted(text, ())
    return Parted("\n".join(line for line in lines if not goes(line)), gone)


def strength(one: Operation, *, last: bool) -> Strength:
    """An operation's strength; ``last``: no later one wrote the same file."""
    marked = own_strength(one.summary)
    return marked or ("medium" if last and one.action in _WRITES else "low")


def _is_before(time: str, before: datetime) -> bool:
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return False
    return moment.tzinfo is not None and moment < before
