"""Edits of ``02-current-task.md``: a text and values in, the new text out.

Each changes the lines of what it is about and no others, and raises ``Refused`` where
the text has no place for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.documents.anchors import Anchor, anchor_text
from gitstate.documents.current_task import CurrentTask, Parts, first_only, parse, parts
from gitstate.documents.fields import texts
from gitstate.documents.inline import guard, guard_label, one_line
from gitstate.documents.items import Item, own_strength
from gitstate.documents.splice import Splice, verified
from gitstate.documents.vocabulary import vocabulary
from gitstate.documents.writing import add_item, add_section, language, set_value
from gitstate.errors import Refused
from gitstate.values import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitstate.documents.attempts import Attempt
    from gitstate.documents.fields import Field
    from gitstate.documents.sections import Outline

_ORDER = ("goal", "constraints", "steps", "next", "anchor", "blockers", "failed")


def set_goal(text: str, goal: str) -> str:
    """The task file with another goal."""
    return _set(text, "goal", one_line(goal, of="goal"))


def set_next(text: str, step: str | None) -> str:
    """The task file with another (first) next step, or without any."""
    return _set(text, "next", None if step is None else one_line(step, of="next step"))


def set_anchor(text: str, anchor: Anchor | None) -> str:
    """The task file with another place to open first, or without one."""
    found = parts(text)
    expected = replace(found.task, anchor=anchor)
    value = "" if anchor is None else anchor_text(anchor)
    return _put(found, "anchor", value, expected)


def _set(text: str, key: str, value: str | None) -> str:
    found = parts(text)
    item = None if value is None else Item(value, own_strength(value))
    task = found.task
    expected = replace(task, goal=item) if key == "goal" else replace(task, next=item)
    words = vocabulary("task")
    written = "" if value is None else guard(guard_label(value, words))
    return _put(found, key, written, expected)


def _put(found: Parts, key: str, value: str, expected: CurrentTask) -> str:
    """Write a section's one text where the section is, or with a new section."""
    splice = Splice(found.outline)
    part = found.fields.get(key)
    if part is not None:
        part = first_only(found.outline, part) if key == "next" and value else part
        set_value(splice, part, vocabulary("task"), value)
    elif value:
        new_section(splice, found, key, [value])
    return verified(splice.text(), expected, parse)


def new_section(splice: Splice, found: Parts, key: str, lines: Sequence[str]) -> None:
    """Add a section of the task file, in its place among those that are there."""
    title = vocabulary("task").name(key, language(found.outline))
    known = [part for name, part in found.fields.items() if name in _ORDER]
    known.sort(key=lambda part: part.line)
    add_section(splice, known, _ORDER[_ORDER.index(key) + 1 :], title, lines)


def add_constraint(text: str, constraint: str) -> str:
    """The task file with one more constraint."""
    return _add(text, "constraints", one_line(constraint, of="constraint"))


def add_blocker(text: str, blocker: str) -> str:
    """The task file with one more blocker."""
    return _add(text, "blockers", one_line(blocker, of="blocker"))


def _add(text: str, key: str, value: str) -> str:
    found = parts(text)
    items = _items(found.task, key)
    item = Item(value, own_strength(value))
    expected = _with_items(found.task, key, (*items, item))
    splice = Splice(found.outline)
    part = found.fields.get(key)
    if part is None:
        new_section(splice, found, key, [f"- {guard(value)}"])
    elif items or not (said := _nothing(found.outline, part)):
        add_item(splice, part, guard(value))
    else:  # "None." gives way
        marker = "" if said == "marked" else "- "
        set_value(splice, part, vocabulary("task"), marker + guard(value))
    return verified(splice.text(), expected, parse)


def _nothing(outline: Outline, part: Field) -> str:
    """How a section without items says so: ``marked`` (as an item), ``plain`` or ""."""
    said = texts(outline, part)
    if part.value.strip() or (said and said[0].item):
        return "marked"
    return "plain" if said else ""


def drop_blocker(text: str, blocker: Item) -> str:
    """The task file without a blocker that ``parse`` found in it."""
    found = parts(text)
    items, lines = found.task.blockers, blocker.lines
    left = tuple(one for one in items if (one, one.lines) != (blocker, lines))
    if len(left) == len(items):
        raise Refused(f"line {lines.first} does not say so any more: read it again")
    splice = Splice(found.outline)
    part = found.fields["blockers"]
    if lines.first == part.line + 1:
        set_value(splice, replace(part, rest=[]), vocabulary("task"), "")
    else:
        splice.replace(lines.first - 1, lines.last, [])
    return verified(splice.text(), replace(found.task, blockers=left), parse)


def _items(task: CurrentTask, key: str) -> tuple[Item, ...]:
    return task.blockers if key == "blockers" else task.constraints


def _with_items(task: CurrentTask, key: str, items: tuple[Item, ...]) -> CurrentTask:
    if key == "blockers":
        return replace(task, blockers=items)
    return replace(task, constraints=items)


def drop_failed(text: str, gone: Sequence[Attempt] | None = None) -> str:
    """The task file without its failed attempts (or some), which stand elsewhere by now."""
    found = parts(text)
    task = found.task
    gone = task.failed if gone is None else gone
    splice = Splice(found.outline)
    for attempt in task.failed:
        if attempt in gone:
            splice.replace(attempt.lines.first - 1, attempt.lines.last, [])
    left = tuple(one for one in task.failed if one not in gone)
    return verified(splice.text(), replace(task, failed=left), parse)


def drop_failed_heading(text: str) -> str:
    """The task file without the heading of its failed attempts, where nothing is below."""
    found = parts(text)
    part, source = found.fields.get("failed"), found.outline
    if part is None or part.style != "heading":
        return text
    after = source.section_end(part.index)
    last = len(source.lines)
    stop = source.blocks[after].start if after < len(source.blocks) else last
    if any(line.strip() for line in source.lines[part.line + 1 : stop]):
        return text
    splice = Splice(source)
    splice.replace(part.line, stop, [])
    return verified(splice.text(), found.task, parse)
