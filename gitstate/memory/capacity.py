"""What has to go from the state files so that they stay within their limits; pure.

Nothing is deleted: each thing goes to a folder beside (``archive``), as it is written.
Limits are those of each file's header. What goes:

- decisions over the limit: those no longer in force first, then the oldest; the newest
  in force stay, however large they are;
- issues that are resolved;
- failed attempts in the task file, to the one place of them;
- operations that say nothing of how a file is to look, when they are old.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitstate.documents import (
    CURRENT_TASK,
    DECISION_LOG,
    KNOWN_ISSUES,
    decision_log,
    header,
    known_issues,
)
from gitstate.documents import current_task as task_file
from gitstate.documents.edit_entries import take_out
from gitstate.documents.edit_task import drop_failed, drop_failed_heading
from gitstate.documents.inline import guard_title
from gitstate.documents.sections import outline
from gitstate.documents.splice import verified
from gitstate.documents.writing import language
from gitstate.errors import Refused
from gitstate.memory import archives, attempts, log_keeping
from gitstate.memory.operations_log import OPERATIONS
from gitstate.memory.overflow import over
from gitstate.memory.shelf import FAILED_ATTEMPTS
from gitstate.values import dataclass, field

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from gitstate.documents.attempts import Attempt
    from gitstate.documents.decision_log import Decision
    from gitstate.documents.edit_entries import TakenOut
    from gitstate.documents.entries import Entry
    from gitstate.documents.sections import Outline
    from gitstate.memory.shelf import Shelf

_LOG_FOLDER = "archive/"


class Move(NamedTuple):
    """One thing that goes: what it is, from where to where, and why."""

    what: str
    source: str
    target: str
    why: str


@dataclass(slots=True)
class Tidied:
    """The new texts by name, in the order in which they must be written.

    What takes in stands before what gives. ``problems``: what had to stay, and why.
    """

    moves: list[Move] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    _targets: dict[str, str] = field(default_factory=dict)
    _sources: dict[str, str] = field(default_factory=dict)

    @property
    def texts(self) -> Mapping[str, str]:
        """New texts by name."""
        return {**self._targets, **self._sources}

    def add(
        self, source: str, text: str, targets: Mapping[str, str], moves: Iterable[Move]
    ) -> None:
        """One file's things go."""
        self._targets.update(targets)
        self._sources[source] = text
        self.moves += moves


def tidy(
    shelf: Shelf, *, log_before: datetime, log_turns: int = 50, max_size: int
) -> Tidied:
    """What has to go, and the texts after that; never raises ``Refused``.

    Operations of low strength go when they are older than the last ``log_turns`` turns,
    or from before ``log_before`` where turns are not known; ``max_size``: bytes of the
    largest file that a version takes.
    """
    tidier = _Tidier(shelf, max_size)
    steps: tuple[Callable[[], None], ...] = (
        tidier.decisions,
        tidier.issues,
        tidier.attempts,
        lambda: tidier.log(log_before, log_turns),
    )
    for step in steps:
        try:
            step()
        except Refused as error:
            tidier.found.problems.append(str(error))
    return tidier.found


class _Moved(NamedTuple):
    """An entry that goes."""

    id: str | None
    title: str
    why: str
    entry: Entry

    @property
    def said(self) -> str:
        return f"{self.id} {self.title}" if self.id else self.title


class _File(NamedTuple):
    """A numbered file with entries, and what it says of itself."""

    name: str
    about: header.Header
    outline: Outline
    entries: Sequence[Entry]

    @property
    def folder(self) -> str:
        return self.about.archive or header.from_name(self.name).archive or "archive/"


class _Tidier:
    """One file after the other."""

    def __init__(self, shelf: Shelf, max_size: int) -> None:
        self.shelf, self.max_size = shelf, max_size
        self.found = Tidied()

    def decisions(self) -> None:
        """Those over the limit go."""
        text = self.shelf.text(DECISION_LOG)
        if text is None:
            return
        read = decision_log.parts(text)
        about = header.read(DECISION_LOG, text).header
        file = _File(DECISION_LOG, about, read.outline, read.entries)
        sizes = [_size(read.outline, entry) for entry in read.entries]
        out = over(read.log, about.capacity, sizes, len(text.encode()))
        out = self._that_end(file, out)
        if not out:
            return
        all_ = read.log.decisions
        left = tuple(one for n, one in enumerate(all_) if n not in out)
        taken = take_out(read.outline, read.entries, out)
        verified(taken.text, left, lambda one: decision_log.parse(one).decisions)
        live = {id(one) for one in read.log.live()}
        moved = []
        for n in sorted(out):
            one = all_[n]
            why = "the oldest" if id(one) in live else _why(one)
            moved.append(_Moved(one.id, one.decision, why, read.entries[n]))
        self._put(file, taken, moved)

    def issues(self) -> None:
        """Those that are resolved go."""
        text = self.shelf.text(KNOWN_ISSUES)
        if text is None:
            return
        read = known_issues.parts(text)
        about = header.read(KNOWN_ISSUES, text).header
        file = _File(KNOWN_ISSUES, about, read.outline, read.entries)
        all_ = read.issues.issues
        out = {n for n, one in enumerate(all_) if one.status == "resolved"}
        out = self._that_end(file, out)
        if not out:
            return
        left = tuple(one for n, one in enumerate(all_) if n not in out)
        taken = take_out(read.outline, read.entries, out)
        verified(taken.text, left, lambda one: known_issues.parse(one).issues)
        moved = [
            _Moved(all_[n].id, all_[n].title, "resolved", read.entries[n])
            for n in sorted(out)
        ]
        self._put(file, taken, moved)

    def _that_end(self, file: _File, out: set[int]) -> set[int]:
        """Those of ``out`` that end: what holds code that never ends does not."""
        line = file.outline.unclosed
        if line is None:
            return out
        kept = {n for n in out if file.entries[n].line <= line < file.entries[n].stop}
        if kept:
            self.found.problems.append(
                f"{file.name}:{line + 1} begins a block of code or a comment that never "
                "ends: close it, then what stands there can go"
            )
        return out - kept

    def _put(self, file: _File, taken: TakenOut, moved: Sequence[_Moved]) -> None:
        things = [
            _archived(file.outline, one, text)
            for one, text in zip(moved, taken.entries, strict=True)
        ]
        added = archives.add(
            self.shelf,
            file.folder,
            file.name,
            things,
            title=f"# {file.about.title}",
            max_size=self.max_size,
        )
        moves = [
            Move(one.said, file.name, place, one.why)
            for one, place in zip(moved, added.places, strict=True)
        ]
        self.found.add(file.name, taken.text, added.texts, moves)

    def attempts(self) -> None:
        """Failed attempts in the task file go to the place of them."""
        text = self.shelf.text(CURRENT_TASK)
        task = task_file.parse(text) if text is not None else None
        if text is None or task is None or task.goal is None or not task.failed:
            return
        goal, source = task.goal.text, outline(text)
        there = failed = self.shelf.text(FAILED_ATTEMPTS)
        go: list[Attempt] = []
        for one in task.failed:
            first, last = one.lines
            strange = [part.first for part in task.unread if part.first <= last]
            strange = [line for line in strange if line >= first]
            strange += [
                n for n in range(first, last + 1) if "<!--" in source.lines[n - 1]
            ]
            if strange:
                self.found.problems.append(
                    f"{CURRENT_TASK}:{min(strange)} is no part of a failed attempt: what "
                    "stands around it stays"
                )
                continue
            if not attempts.holds(failed, goal, one):
                failed = attempts.add(failed, goal, one, language(source))
            go.append(one)
        if go:
            new = {} if failed is None or failed == there else {FAILED_ATTEMPTS: failed}
            moves = [
                Move(one.approach, CURRENT_TASK, FAILED_ATTEMPTS, "failed")
                for one in go
            ]
            left = drop_failed_heading(drop_failed(text, go))
            self.found.add(CURRENT_TASK, left, new, moves)

    def log(self, before: datetime, turns: int) -> None:
        """Old operations of low strength go."""
        text = self.shelf.text(OPERATIONS)
        gone = (
            ()
            if text is None
            else (parted := log_keeping.part(text, before, turns)).gone
        )
        if not gone:
            return
        name = OPERATIONS.rpartition("/")[2]
        added = archives.add(
            self.shelf, _LOG_FOLDER, name, gone, max_size=self.max_size
        )
        what = "1 line" if len(gone) == 1 else f"{len(gone)} lines"
        move = Move(what, OPERATIONS, added.places[-1], "old")
        self.found.add(OPERATIONS, parted.text, added.texts, [move])


def _why(one: Decision) -> str:
    return "withdrawn" if one.status == "withdrawn" else "superseded"


def _archived(source: Outline, one: _Moved, text: str) -> str:
    """An entry as it stands in an archive: under a heading of its own, by its number.

    A row of a table has the table's head over it.
    """
    if one.entry.form == "heading":
        return text
    end = "\r\n" if "\r\n" in source.text else "\n"
    if one.entry.record is not None:
        start = source.blocks[one.entry.index].start
        text = end.join([*source.lines[start : start + 2], text])
    title = guard_title(one.title)
    heading = f"## {one.id} {title}" if one.id else f"## {title}"
    return f"{heading}{end}{end}{text}"


def _size(source: Outline, entry: Entry) -> int:
    lines = source.lines[entry.line : entry.stop]
    return sum(len(line.encode()) + 1 for line in lines)
