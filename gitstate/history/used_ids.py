"""Numbers of decisions and issues that are in no file any more, and stay used.

A restore puts an older log back, and with it the number that would come next; what was
decided since stands in the versions, under numbers of its own. So where files are
replaced by those of a version, the highest number in what goes is noted in the worktree's
runtime folder, for whoever gives the next one.
"""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

from gitstate.documents import DECISION_LOG, KNOWN_ISSUES
from gitstate.errors import ObjectDamaged, ObjectMissing
from gitstate.files import read_json, write_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitstate.git.engine import Engine
    from gitstate.history.exchange import Change
    from gitstate.workspace import Workspace

_FILE = "used-ids"
_MOST = 999_999  # a larger one is a slip, and a restore is what heals it
_ENTRY = re.compile(r"^[ \t>]*(#{1,6}|[-*+|])[ \t]*([^\r\n]*\d[^\r\n]*)", re.MULTILINE)
# an item or a row with a word before a number, behind a mark: "[x] Decision 7", "**#3**"
_BY_HAND = re.compile(
    r"(?:\[[^\]\r\n]{0,20}\])?[^\w#＃]*(?:[^\W\d]{1,8}[ \t#＃_-]{0,4}|[#＃])\d"
)
# a letter -> its file, and the folder that takes in what is moved from it
_HOMES = {"D": (DECISION_LOG, "archive/"), "I": (KNOWN_ISSUES, "resolved/")}


def highest(ws: Workspace, letter: str) -> int:
    """The highest number of ``D`` or ``I`` that was noted; 0 without any."""
    number = (read_json(ws.runtime / _FILE) or {}).get(letter)
    return number if type(number) is int else 0


def note(ws: Workspace, engine: Engine, changes: Sequence[Change]) -> None:
    """Note what is about to be replaced or removed; raises ``CannotWrite``.

    Before that is done: a kill in between costs a number, which nobody misses.
    """
    known = {letter: highest(ws, letter) for letter in _HOMES}
    found = dict(known)
    for change in changes:
        letter, data = _letter_of(change.path), change.old and change.old.data
        if letter is None or change.old is None:
            continue
        with contextlib.suppress(ObjectMissing, ObjectDamaged):  # as far as it is known
            data = engine.blob(change.old.id) if data is None else data
        numbers = _numbers_in((data or b"").decode("utf-8", "replace"), letter)
        found[letter] = max(found[letter], *numbers, 0)
    if found != known:
        write_json(ws.runtime / _FILE, found, mode=ws.file_mode)


def _letter_of(path: bytes) -> str | None:
    """Whose entries a file holds: the log's or the list's, or what was moved from it."""
    for letter, (name, folder) in _HOMES.items():
        stem = name.removesuffix(".md").encode()
        own = path.rpartition(b"/")[2].startswith(stem)
        if path.endswith(b".md") and (own or path.startswith(folder.encode())):
            return letter
    return None


def _numbers_in(text: str, letter: str) -> Iterator[int]:
    """The numbers of the lines that can begin an entry: a heading, an item, a row."""
    plain = re.compile(rf"{letter}-(\d{{4,6}})(?=[ \t])")
    for found in _ENTRY.finditer(text):
        heading, said = found[1].startswith("#"), found[2]
        if as_written := plain.match(said):  # by a verb: no reader of ours is loaded
            number: int | None = int(as_written[1])
        elif heading or _BY_HAND.match(said):
            number = _number_of(said, letter, heading=heading)
        else:
            continue
        if number is not None and number <= _MOST:
            yield number


def _number_of(said: str, letter: str, *, heading: bool) -> int | None:
    from gitstate.documents import decision_log, known_issues  # noqa: PLC0415 10 ms, for few
    from gitstate.documents.entries import title_of  # noqa: PLC0415 the same
    from gitstate.documents.inline import visible  # noqa: PLC0415 the same

    kind = (decision_log if letter == "D" else known_issues).kind()
    said = visible(said)
    number = title_of(said, kind).number
    # "3. Do it" is no entry in a list
    return number if heading or kind.ids.of(number) in kind.ids.all_in(said) else None
