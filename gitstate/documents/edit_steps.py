"""Edits of the steps in ``02-current-task.md``: a text and values in, the new text out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.documents import marks
from gitstate.documents.blocks import MARKER
from gitstate.documents.current_task import Parts, parse, parts
from gitstate.documents.edit_task import new_section
from gitstate.documents.inline import guard, guard_value, join, one_line
from gitstate.documents.paths import path_text
from gitstate.documents.splice import Splice, offset_of, verified
from gitstate.documents.steps import Found, Status, Step, title_start
from gitstate.documents.tables import Record, with_cell
from gitstate.documents.vocabulary import Lang, Vocabulary, vocabulary
from gitstate.documents.writing import (
    Below,
    begin_list,
    end_of,
    insert_part,
    language,
    nested_lead,
    set_value,
)
from gitstate.errors import Refused
from gitstate.values import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

_PARTS = ("status", "conclusion", "files")


def add_step(text: str, step: str, *, status: Status = "todo") -> str:
    """The task file with one more step at the end of its steps."""
    found = parts(text)
    value = one_line(step, of="step")
    lang = language(found.outline)
    words = vocabulary("step status")
    number = max((one.number for one in found.task.steps), default=0) + 1
    new = Step(number, value, status)
    expected = replace(found.task, steps=(*found.task.steps, new))
    splice = Splice(found.outline)
    part = found.fields.get("steps")
    last = found.steps[-1] if found.steps else None
    marked = f"[{words.name(status, lang)}] {guard(value)}"
    if last is not None and last.form == "row":
        _add_row(splice, last, new, words.name(status, lang))
    elif last is not None and last.form == "heading":
        block = found.outline.blocks[last.index]
        lines = [f"{'#' * block.level} {number}. {marked}"]
        splice.insert_apart(last.stop, lines)
    elif last is not None:
        sample = marks.find(_row(found, last), words)
        if sample and sample.form in {"box", "two"} and status in {"todo", "done"}:
            marked = f"[{'x' if status == 'done' else ' '}] {guard(value)}"
        splice.insert_item(last.stop, _beside_step(found, last, number, marked))
    elif part is None:
        new_section(splice, found, "steps", [f"1. {marked}"])
    else:
        begin_list(splice, part, f"1. {marked}")
    return verified(splice.text(), expected, parse)


def _row(found: Parts, step: Found) -> str:
    return join(found.outline.blocks[step.index].rows)


def _beside_step(found: Parts, last: Found, number: int, text: str) -> list[str]:
    """A line like the last step's, with the next number."""
    lines = found.outline.lines
    marker = MARKER.match(lines[last.line])
    lead, mark = (marker[1], marker[2]) if marker else ("", "1. ")
    if last.written is not None and mark[0].isdigit():
        mark = f"{number}{mark.lstrip('0123456789')}"
    if not mark.endswith((" ", "\t")):
        mark += " "
    others = [one for one in found.steps if one.form == "item"]
    apart = len(others) > 1 and not lines[last.line - 1].strip()
    return [*([""] if apart else []), f"{lead}{mark}{text}"]


def _add_row(splice: Splice, last: Found, step: Step, word: str) -> None:
    """A row for a step below the last one of a table."""
    record = last.record
    columns = record.columns if record else {}
    cells = {"number": str(step.number), "text": step.text, "status": word}
    line = splice.outline.lines[last.line]
    for column in range(line.count("|") + 1):
        key = next((name for name, index in columns.items() if index == column), "")
        line = with_cell(line, column, cells.get(key, "")) or line
    splice.insert(last.stop, [line])


def set_step(
    text: str,
    number: int,
    *,
    status: Status | None = None,
    conclusion: str | None = None,
    files: Sequence[str] | None = None,
) -> str:
    """The task file with a step's status, conclusion or files changed; ``None``: as is.

    An empty conclusion takes out the one there is.
    Raises ``Refused`` when there is no such step, or more than one.
    """
    found = parts(text)
    step = _step(found, number)
    if step.form == "heading" and conclusion is not None and files is not None:
        text = set_step(text, number, status=status, conclusion=conclusion)
        return set_step(text, number, files=files)
    new = step.step
    splice = Splice(found.outline)
    lang = language(found.outline)
    words = vocabulary("step status")
    if status is not None and status != new.status:
        new = replace(new, status=status)
        if step.record is None:
            _set_status(splice, step, status, words, lang)
    values: dict[str, str] = {}
    if conclusion is not None:
        conclusion = conclusion and one_line(conclusion, of="conclusion")
        new = replace(new, conclusion=conclusion or None)
        values["conclusion"] = guard_value(conclusion)
    if files is not None:
        new = replace(new, files=tuple(dict.fromkeys(files)))
        between = "、" if lang == "zh" else ", "
        values["files"] = between.join(map(path_text, new.files))
    if step.record is None:
        _set_parts(splice, step, values, lang)
    else:
        if new.status != step.step.status:
            values["status"] = words.name(new.status, lang)
        _set_cells(splice, step, step.record, values)
    steps = tuple(new if one is step.step else one for one in found.task.steps)
    return verified(splice.text(), replace(found.task, steps=steps), parse)


def _step(found: Parts, number: int) -> Found:
    steps = [one for one in found.steps if one.step.number == number]
    if len(steps) != 1:
        there = ", ".join(str(one.step.number) for one in found.steps) or "none"
        raise Refused(f"there is no step {number}; the steps are: {there}")
    return steps[0]


def _set_status(
    splice: Splice, step: Found, status: Status, words: Vocabulary, lang: Lang
) -> None:
    block = splice.outline.blocks[step.index]
    skip = title_start(join(block.rows)) if step.form == "heading" else 0
    whole = join(block.rows)[skip:]
    mark = marks.find(whole, words)
    if "status" in step.parts:
        name = words.name(status, lang)
        set_value(splice, step.parts["status"], vocabulary("step"), name)
        if mark is None:
            return
    line = splice.outline.lines[block.start]
    start = offset_of(line, block.rows[0]) + skip
    first = block.rows[0][skip:]
    if mark is not None and (mark.start or mark.form == "two") and len(block.rows) > 1:
        # the mark stands behind a text of several lines, which become one
        new = line[:start] + marks.rewritten(whole, mark, status, words, lang)
        splice.replace(block.start, block.stop, [new])
        return
    mark = mark and marks.find(first, words)
    new = marks.rewritten(first, mark, status, words, lang)
    tail = line[start + len(first) :]
    splice.replace(block.start, block.start + 1, [line[:start] + new + tail])


def _set_parts(splice: Splice, step: Found, values: dict[str, str], lang: Lang) -> None:
    """Write a step's conclusion and files where they stand, or below its text."""
    words = vocabulary("step")
    for key, value in values.items():
        if key in step.parts and not value and key == "conclusion":
            part = step.parts[key]
            splice.replace(part.line, end_of(splice.outline, part), [])
        elif key in step.parts:
            set_value(splice, step.parts[key], words, value)
        elif value:
            item = step.form == "item"
            lead = nested_lead(splice.outline, step.index) if item else ""
            below = Below(step.parts, words, _PARTS, step.own_stop, lead)
            insert_part(splice, below, key, value, lang)


def _set_cells(
    splice: Splice, step: Found, record: Record, values: dict[str, str]
) -> None:
    """Write a step's parts into the cells of its row."""
    line = splice.outline.lines[step.line]
    for key, value in values.items():
        column = record.columns.get(key)
        written = None if column is None else with_cell(line, column, value)
        if written is None:
            raise Refused(f"the table of steps has no column for the {key}: add one")
        line = written
    splice.replace(step.line, step.line + 1, [line])
