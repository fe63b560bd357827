"""The steps of a task: numbered, with a status, a conclusion and the files touched."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, get_args

from gitstate.documents import marks
from gitstate.documents.blocks import column_of
from gitstate.documents.fields import Lines, Reader, notes_of, value_of
from gitstate.documents.inline import join, label, unguard, visible
from gitstate.documents.items import Group, contents
from gitstate.documents.paths import paths
from gitstate.documents.tables import records
from gitstate.documents.vocabulary import says_nothing, vocabulary
from gitstate.late import late
from gitstate.values import dataclass, field, replace

if TYPE_CHECKING:
    from gitstate.documents.fields import Coverage, Field
    from gitstate.documents.sections import Outline
    from gitstate.documents.tables import Record

Status = Literal["todo", "in_progress", "done", "blocked"]
STATUSES: tuple[Status, ...] = get_args(Status)
_STEP_HEADING = late(
    r"(?:\*\*)?(?:(?:step|task|subtask|步骤|子任务|任务)\s*#?\s*(\d{1,4})|第\s*(\d{1,4})\s*步"
    r"|(\d{1,4})(?=[.)、]))(?:\*\*)?[.):：、]?(?:\*\*)?\s*[—–-]?\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Step:
    """One step. ``notes`` are the texts below it that have no label."""

    number: int
    text: str
    status: Status = "todo"
    conclusion: str | None = None
    files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    lines: Lines = field(default=Lines(0, 0), compare=False)


@dataclass(slots=True)
class Found:
    """A step as it was found, and where its parts are, for those who change it."""

    step: Step
    line: int
    stop: int  # after all that belongs to it
    form: Literal["item", "heading", "row"]
    index: int = -1  # its block
    written: int | None = None  # the number that was written
    own_stop: int = 0  # after its own text
    parts: dict[str, Field] = field(default_factory=dict)
    record: Record | None = None


def find_steps(outline: Outline, part: Field, read: Coverage) -> list[Found]:
    """The steps below a label, in order; numbered later, all of a file at once."""
    read.mark(part.line, part.line + 1)
    status: Status = next((one for one in STATUSES if one == part.key), "todo")
    finder = _Finder(outline, read, status)
    for one in contents(outline, part):
        if isinstance(one, tuple):
            finder.row(*one)
        elif isinstance(one, Group):
            finder.item(one)
        elif outline.blocks[one].kind == "heading":
            finder.heading(one)
        elif outline.blocks[one].kind == "table":
            finder.table(one)
        else:
            finder.other(one)
    return finder.done()


def title_start(text: str) -> int:
    """Where the text of a step that is a heading begins, behind its number."""
    found = _STEP_HEADING.match(text)
    return found.end() if found else 0


def numbered(found: list[Found]) -> None:
    """Number the steps of a file: as they are written, or by place where that is vague."""
    written = [one.written for one in found]
    as_written = None not in written and len(set(written)) == len(written)
    for place, one in enumerate(found, 1):
        number = one.written if as_written and one.written is not None else place
        one.step = replace(one.step, number=number)


class _Finder:
    """Blocks of the section, one by one, to steps."""

    def __init__(self, outline: Outline, read: Coverage, status: Status) -> None:
        self.outline = outline
        self.read = read
        self.status = status
        self.found: list[tuple[Found, Reader]] = []
        self.last: Found | None = None  # the step that what comes next may belong to
        self.reader = Reader(outline, vocabulary("step"))
        self.words = vocabulary("step")
        self.statuses = vocabulary("step status")

    def row(self, number: int, text: str) -> None:
        """A line of a paragraph: part of the step before it, where it is indented."""
        last = self.last
        if last is None:
            return
        column = self.outline.blocks[last.index].column + 2
        if (
            last.form == "heading"
            or label(text, self.words)
            or column_of(self.outline.lines[number]) >= column
        ):
            self.reader.row(last.index, number, text)
            last.stop = number + 1

    def item(self, group: Group) -> None:
        """A top item: a step, or a part of the step above it."""
        block = self.outline.blocks[group.index]
        last = self.last
        part = last is not None and (
            last.form == "heading" or label(block.rows[0], self.words)
        )
        if last is not None and part:
            for index in (group.index, *group.nested):
                self.reader.take(index)
            last.stop = group.stop
            return
        step = self._step(visible(join(block.rows)))
        found = Found(step, block.start, group.stop, "item", group.index, block.number)
        found.own_stop = block.stop
        self._begin(found)
        for index in group.nested:
            self.reader.take(index)

    def heading(self, index: int) -> None:
        """A heading in the section: a step where it is numbered or marked."""
        block = self.outline.blocks[index]
        text = visible(join(block.rows))
        numbered_ = _STEP_HEADING.match(text)
        if not numbered_ and marks.find(text, self.statuses) is None:
            self.read.mark(block.start, block.stop)
            self.last = None
            return
        title = text[numbered_.end() :] if numbered_ else text
        written = next(filter(None, numbered_.groups()), None) if numbered_ else None
        found = Found(self._step(title), block.start, block.stop, "heading", index)
        found.written = int(written) if written else None
        found.own_stop = block.stop
        self._begin(found)

    def table(self, index: int) -> None:
        """A table whose rows are steps."""
        block = self.outline.blocks[index]
        words = vocabulary("step table")
        rows = [row for row in records(self.outline, block, words) if row.get("text")]
        if rows:
            self.read.mark(block.start, block.start + 2)
        for row in rows:
            step = self._step(visible(row.get("text")))
            status = self._status(row.get("status")) or step.status
            conclusion = _said(visible(row.get("conclusion")))
            step = replace(
                step,
                status=status,
                conclusion=conclusion,
                files=paths(row.get("files")),
            )
            found = Found(step, row.line, row.line + 1, "row", index, record=row)
            number = row.get("number").strip("#. ")
            found.written = int(number) if number.isdecimal() else None
            found.own_stop = row.line + 1
            self._begin(found)

    def other(self, index: int) -> None:
        """Anything else: kept, and not understood."""
        if self.last is not None and self.last.form == "heading":
            self.reader.take(index)

    def _begin(self, found: Found) -> None:
        self.read.mark(found.line, found.own_stop)
        self.last, self.reader = found, Reader(self.outline, self.words)
        self.found.append((found, self.reader))

    def _step(self, text: str) -> Step:
        mark = marks.find(text, self.statuses)
        status = mark.status if mark else None
        known = next((one for one in STATUSES if one == status), self.status)
        return Step(0, unguard(mark.text if mark else text), known)

    def _status(self, text: str) -> Status | None:
        mark = marks.find(f"{text} .", self.statuses)
        key = self.statuses.key_in_part(text) or (mark.status if mark else None)
        return next((one for one in STATUSES if one == key), None)

    def done(self) -> list[Found]:
        """The steps with all that belongs to them."""
        for found, reader in self.found:
            self._fill(found, reader.fields)
        return [found for found, _ in self.found]

    def _fill(self, found: Found, fields: list[Field]) -> None:
        step, notes = found.step, []
        for part in fields:
            if part.key is None or part.key in found.parts:
                notes += notes_of(self.outline, part, self.read)
                continue
            found.parts[part.key] = part
            value = value_of(self.outline, part, self.read)
            if part.key == "conclusion":
                step = replace(step, conclusion=_said(value))
            elif part.key == "files":
                step = replace(step, files=paths(value))
            elif not self._marked(found):
                step = replace(step, status=self._status(value) or step.status)
        if found.form != "row":
            lines = Lines(found.line + 1, found.stop)
            found.step = replace(step, notes=tuple(notes), lines=lines)
        else:
            found.step = replace(step, lines=Lines(found.line + 1, found.stop))

    def _marked(self, found: Found) -> bool:
        rows = self.outline.blocks[found.index].rows
        return bool(rows) and marks.find(join(rows), self.statuses) is not None


def _said(text: str) -> str | None:
    return None if says_nothing(text) else text
