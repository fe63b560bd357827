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
from gitstate.memory.operations_log import Operation, is_turn, parse

if TYPE_CHECKING:
    from gitstate.documents.header import Strength

_WRITES = frozenset({"edit", "create", "delete"})


class Parted(NamedTuple):
    """A log's text without the lines that go, and these lines, in order."""

    text: str
    gone: tuple[str, ...]


def part(text: str, before: datetime, keep_turns: int) -> Parted:
    """The lines of low strength that are too old, and the others.

    Those of the last ``keep_turns`` turns stay; where fewer are known, what is older
    than all of them goes when it is older than ``before``. What is no operation, or has
    no time that can be read, stays.
    """
    lines = text.split("\n")
    turns = [n for n, line in enumerate(lines) if is_turn(line)]
    full = len(turns) > keep_turns
    kept = turns[-keep_turns if full else 0] if turns else len(lines)
    found = {line: one for line in lines for one in parse(line)}
    last = {one.path: line for line, one in found.items() if one.action in _WRITES}
    stay = set(last.values())

    def goes(place: int, line: str) -> bool:
        one = found.get(line)
        if place >= kept or one is None:
            return place < kept and is_turn(line)
        old = full or _is_before(one.time, before)
        return old and strength(one, last=line in stay) == "low"

    gone = {n: line for n, line in enumerate(lines) if goes(n, line)}
    if not gone:
        return Parted(text, ())
    left = "\n".join(line for n, line in enumerate(lines) if n not in gone)
    return Parted(left, tuple(gone.values()))


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
