"""What is kept of the state when it is made shorter, in the order of its files; pure.

Parsing is what costs: whoever asks again may bring what was found of a text before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitstate.memory import operations_log
from gitstate.memory.operations_log import OPERATIONS
from gitstate.memory.outcome import outcome
from gitstate.memory.shelf import CONCLUSIONS, FAILED_ATTEMPTS, numbered
from gitstate.memory.strength import strength_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitstate.documents.header import Strength
    from gitstate.memory.shelf import Shelf
    from gitstate.memory.strength import Kind


class Kept(NamedTuple):
    """One thing that is kept: as what, how strongly, in which words, and from where.

    ``line`` is 0 where a thing stands in no line of its own; ``under``: the heading above
    what long_mem has of several tasks.
    """

    kind: Kind
    strength: Strength
    text: str
    file: str
    line: int = 0
    under: str = ""


def of_text(name: str, text: str) -> list[Kept]:
    """What is kept of one file, told by its name in the state directory."""
    from gitstate.memory import condense  # noqa: PLC0415 50 ms with its parsers, where it is not known

    return condense.of_text(name, text)


def condensed(
    shelf: Shelf, found_in: Callable[[str, str], list[Kept]] = of_text
) -> list[Kept]:
    """What stays of the state, in the order of the files; raises ``Refused``.

    ``found_in``: what is kept of a name's text.
    """
    found: list[Kept] = []
    for name in [*numbered(shelf), CONCLUSIONS, FAILED_ATTEMPTS]:
        if (text := shelf.text(name)) is not None:
            found += found_in(name, text)
    if (text := shelf.text(OPERATIONS)) is not None:
        found += _operations(text)
    return found


def _operations(text: str) -> Iterator[Kept]:
    """The last operation that wrote each file, and whether each command succeeded."""
    from gitstate.memory.shortening import forceful  # noqa: PLC0415 only where there is such a log

    last: dict[tuple[str, str | None], operations_log.Operation] = {}
    for one in operations_log.parse(text):
        for said in forceful(one.summary):
            yield Kept("prohibition", "high", said, OPERATIONS)
        if one.action != "read":
            command = one.summary.partition(": ")[0] if one.action == "run" else None
            last[one.path, command] = one
    for one in last.values():
        if one.action == "run":
            said = f"{one.path}: {outcome(one.summary)}"
            yield Kept("output", strength_of("output", None), said, OPERATIONS)
        else:
            said = f"{one.path} {one.action}" + (f" {one.blob}" if one.blob else "")
            yield Kept("place", strength_of("place", None), said, OPERATIONS)
