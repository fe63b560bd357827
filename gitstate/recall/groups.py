"""The state's files -> the items of a briefing, in groups and with their strength."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from gitstate.documents import CURRENT_TASK, FILE_MAP
from gitstate.errors import GitstateError
from gitstate.memory import operations_log
from gitstate.memory.kept import condensed, of_text
from gitstate.memory.operations_log import OPERATIONS
from gitstate.memory.shelf import CONCLUSIONS, FAILED_ATTEMPTS, numbered
from gitstate.memory.short_words import words
from gitstate.recall.fence import line_of
from gitstate.recall.words import word
from gitstate.values import dataclass, field, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gitstate.memory.kept import Kept
    from gitstate.memory.operations_log import Operation
    from gitstate.memory.shelf import Shelf

Title = Literal["goal", "work", "rules", "facts", "issues", "decisions", "map", "files"]
ORDER: tuple[Title, ...] = (
    "goal",
    "work",
    "rules",
    "facts",
    "issues",
    "decisions",
    "map",
    "files",
)
_OF_KIND: dict[str, Title] = {
    "goal": "goal",
    "constraint": "goal",
    "conclusion": "work",
    "attempt": "work",
    "blocker": "work",
    "rule": "rules",
    "prohibition": "rules",
    "fact": "facts",
    "command": "facts",
    "issue": "issues",
    "decision": "decisions",
}
_BINDS = {"rule", "prohibition", "constraint", "goal"}
_MOST_FILES = 60
_NEW_FILES = 20  # that were changed: older ones are of low strength
_STATUS = re.compile(r"\d+\. \[([^\]]+)\] ?")
_DONE = {words(lang).done for lang in ("en", "zh")}
_NOTES = {words(lang).notes for lang in ("en", "zh")}
_DOING = {words(lang).in_progress for lang in ("en", "zh")}
_PATH_ENDS = re.compile(
    "|".join([": ", *(words(lang).semicolon for lang in ("en", "zh"))])
)
_OF_TASK = {"goal": "goal", "next step": "next_step", "place": "anchor"}
_HIGH = 2
LAST = 3  # of what is dropped: what the work cannot go on without


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a briefing; ``command`` reads it where it had to be left out.

    ``weight`` orders what goes first: 0 low, 1 medium, 2 high, 3 last of all. ``past``:
    of a task that is finished; of equal weight it goes before all others.
    """

    group: Title
    text: str
    weight: int
    command: str
    name: str
    past: bool = False


@dataclass(slots=True)
class Gathered:
    """All that a briefing can say of the state."""

    items: list[Item] = field(default_factory=list)
    goal: str | None = None
    next_step: str | None = None
    anchor: str | None = None
    prohibitions: tuple[str, ...] = ()
    operations: list[Operation] = field(default_factory=list)
    broken: tuple[str, ...] = ()


class _Readable:
    """A shelf without the files that cannot be read: their names are kept instead."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self.broken: list[str] = []

    def text(self, name: str) -> str | None:
        try:
            return self._shelf.text(name)
        except GitstateError:
            if name not in self.broken:
                self.broken.append(name)
            return None

    def names(self, parent: str) -> list[str]:
        return self._shelf.names(parent)


def gather(
    shelf: Shelf,
    waiting: str = "",
    found_in: Callable[[str, str], list[Kept]] = of_text,
    *,
    lang: str = "en",
) -> Gathered:
    """The items in the order of a briefing; a file that cannot be read is named.

    ``waiting``: lines that the operations log does not have yet. ``found_in``: what is
    kept of a name's text. ``lang``: of the words that are no file's.
    """
    files = _Readable(shelf)
    found = Gathered()
    order = {name: at for at, name in enumerate(numbered(files))}
    kept = sorted(
        condensed(files, found_in), key=lambda one: order.get(one.file, len(order))
    )
    prohibitions: list[str] = []
    doing: str | None = None
    past: list[Item] = []
    goal = next((one.text for one in kept if _is_goal(one)), None)
    for one in kept:
        if not (text := line_of(one.text)):
            continue
        if one.file == CURRENT_TASK and one.kind in _OF_TASK:
            setattr(found, _OF_TASK[one.kind], text)
        title = _OF_KIND.get(one.kind)
        if one.kind == "place" and one.file == FILE_MAP:
            path = _PATH_ENDS.split(text, maxsplit=1)[0]
            item = Item("map", text, 1, shows(FILE_MAP), _clipped(path))
            found.items.append(item)
        elif title is not None:
            item = _item(title, text, one, lang)
            if _is_past(one, goal):
                past.append(replace(item, past=True))
            else:
                found.items.append(item)
            if one.kind == "prohibition":
                prohibitions.append(text)
        if found.next_step is None and title == "work" and _status(text) in _DOING:
            doing = doing or _STATUS.sub("", text, count=1)
    found.next_step = found.next_step or doing
    found.prohibitions = tuple(prohibitions)
    found.operations = operations_log.known(files.text(OPERATIONS), waiting)
    found.items += _files(found.operations, lang)
    found.items += reversed(past)  # the newest first
    found.broken = tuple(files.broken)
    found.items.sort(key=lambda item: ORDER.index(item.group))
    return found


def _item(title: Title, text: str, one: Kept, lang: str) -> Item:
    weight = {"low": 0, "medium": 1, "high": 2}[one.strength]
    if one.kind in {"goal", "prohibition"}:
        weight = LAST
    elif (
        one.file == CURRENT_TASK
        and one.kind == "conclusion"
        and _status(text) not in _DONE
    ):
        weight = _HIGH  # a step that is still to be done
    return Item(title, text, weight, shows(one.file), _name(text, one, lang))


def _status(text: str) -> str | None:
    """How a step is marked that is told in these words."""
    found = _STATUS.match(text)
    return found[1] if found else None


def _is_goal(one: Kept) -> bool:
    return one.file == CURRENT_TASK and one.kind == "goal"


def _is_past(one: Kept, goal: str | None) -> bool:
    """Is it of a task that is finished; notes belong to none."""
    task = one.file in {CONCLUSIONS, FAILED_ATTEMPTS} and one.under
    return bool(task) and one.under not in {goal, *_NOTES}


def shows(file: str) -> str:
    """The command that reads a file of the state."""
    return f"gitstate show HEAD:{file}"


def _name(text: str, one: Kept, lang: str) -> str:
    """A short name: a number, a key, or the line; never a part of what binds.

    A rule that is cut could be taken for another rule.
    """
    first = text.split(" ", 1)[0]
    if first.startswith(("D-", "I-")):
        return first
    if one.kind in _BINDS:
        kind = word(lang, f"kind {one.kind}")
        return word(lang, "in line", kind=kind, line=one.line) if one.line else kind
    return _clipped(text.partition(": ")[0])


def _clipped(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"  # noqa: PLR2004 columns


def _files(operations: Iterable[Operation], lang: str) -> list[Item]:
    """The files that were read or changed, the newest first, with what was found."""
    last: dict[str, Operation] = {}
    for one in operations:
        if one.action != "run":
            last.pop(one.path, None)
            last[one.path] = one
    found: list[Item] = []
    changed = 0
    for one in list(reversed(last.values()))[:_MOST_FILES]:
        changed += one.action != "read"
        how = word(lang, f"how {one.action}")
        said = word(lang, "file", path=one.path, how=how, when=one.time)
        line = line_of(f"{said}: {one.summary}" if one.summary else said)
        weight = 0 if one.action == "read" or changed > _NEW_FILES else 1
        found.append(Item("work", line, weight, shows(OPERATIONS), one.path))
    return found
