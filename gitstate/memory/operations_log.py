"""``long_mem/operations.log``: what was done to which file, one line each; pure.

``time | path | read/edit/create/delete/run | summary``; an edit's action has the id of
the blob that it made behind it (twelve digits). ``time | turn`` says that a turn of the
agent began, where that is known. Written in batches: an operation waits
in a file of the scratch folder until there are five, or a step ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from gitstate.errors import Refused
from gitstate.late import late
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

Action = Literal["read", "edit", "create", "delete", "run"]
ACTIONS: tuple[Action, ...] = get_args(Action)
OPERATIONS = "long_mem/operations.log"
BATCH = 5
_ID = 12  # digits of a blob id
_BETWEEN = " | "
_TURN = "turn"
_BREAKS = late(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class Operation:
    """One line; ``time`` is ISO 8601 with its offset, ``path`` whole from the root."""

    time: str
    path: str
    action: Action
    summary: str
    blob: str | None = None


def line_of(one: Operation) -> str:
    """An operation's line, as ``parse`` reads it; raises ``Refused`` for such a path."""
    if _BREAKS.search(one.path) or _BETWEEN in one.path:
        raise Refused(f"a path cannot be written on a line: {one.path!r}")
    action = f"{one.action} {one.blob[:_ID]}" if one.blob else one.action
    summary = " ".join(filter(None, map(str.strip, _BREAKS.split(one.summary))))
    said = (one.time, one.path, action, summary)
    return _BETWEEN.join(said if summary else said[:3])


def turn_line(time: str) -> str:
    """The line that says that a turn began."""
    return f"{time}{_BETWEEN}{_TURN}"


def is_turn(line: str) -> bool:
    """Does a line say that a turn began."""
    time, _, rest = line.partition(_BETWEEN)
    return bool(time) and rest.strip() == _TURN


def parse(text: str) -> list[Operation]:
    """The operations of a log, in order; lines that are none are left out."""
    found = []
    for line in text.split("\n"):
        time, _, rest = line.partition(_BETWEEN)
        path, _, rest = rest.partition(_BETWEEN)
        said, _, summary = rest.partition(_BETWEEN)
        word, _, blob = said.strip().partition(" ")
        action = next((one for one in ACTIONS if one == word), None)
        if action is not None and time and path:
            found.append(
                Operation(time.strip(), path, action, summary.strip(), blob or None)
            )
    return found


def known(text: str | None, waiting: str) -> list[Operation]:
    """The operations of a log and of what waits to be in it, each once."""
    text = text or ""
    written = not waiting or text.endswith(waiting)
    return parse(text if written else appended(text, waiting))


def appended(text: str | None, lines: str) -> str:
    """The log with more lines at its end, which ``lines`` are with their ends."""
    text = text or ""
    return f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{lines}"


def unlogged(
    text: str | None, waiting: Sequence[str], lines: Sequence[str]
) -> list[str]:
    """Of ``lines`` those that are no end of the log and of what waits to be in it.

    Whoever logged them may have been killed before he noted that he did. A turn that
    began then stands behind them.
    """
    known = [*(text or "").split("\n")[:-1], *waiting]
    while known and is_turn(known[-1]):
        known.pop()
    for count in range(min(len(known), len(lines)), 0, -1):
        if known[-count:] == [*lines[:count]]:
            return [*lines[count:]]
    return [*lines]
