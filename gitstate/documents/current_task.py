"""``02-current-task.md``: the goal, constraints, steps, next step, anchor and blockers."""

from __future__ import annotations

from gitstate.documents.anchors import Anchor, anchor_of
from gitstate.documents.attempts import Attempt, attempts_of
from gitstate.documents.fields import (
    Coverage,
    Field,
    Lines,
    fields_of,
    texts,
    value_of,
)
from gitstate.documents.header import Problem
from gitstate.documents.inline import label, unguard, unguard_label
from gitstate.documents.items import Item, groups, items_of, own_strength
from gitstate.documents.sections import Outline, outline
from gitstate.documents.steps import STATUSES, Found, Step, find_steps, numbered
from gitstate.documents.vocabulary import Vocabulary, says_nothing, vocabulary
from gitstate.values import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class CurrentTask:
    """What the task file says; ``unread`` are the lines that were not understood."""

    goal: Item | None = None
    constraints: tuple[Item, ...] = ()
    steps: tuple[Step, ...] = ()
    next: Item | None = None
    anchor: Anchor | None = None
    blockers: tuple[Item, ...] = ()
    failed: tuple[Attempt, ...] = ()
    unread: tuple[Lines, ...] = field(default=(), compare=False)
    problems: tuple[Problem, ...] = field(default=(), compare=False)


@dataclass(slots=True)
class Parts:
    """A task with where its parts are, for those who change them."""

    outline: Outline
    task: CurrentTask
    fields: dict[str, Field]
    steps: list[Found]


def parse(text: str | Outline) -> CurrentTask:
    """The task that ``text``, the whole file, tells of; never fails."""
    return parts(text).task


def _labels() -> tuple[Vocabulary, ...]:
    return vocabulary("task"), vocabulary("step")


def parts(text: str | Outline) -> Parts:
    """The task, with where its parts are."""
    source = text if isinstance(text, Outline) else outline(text, *_labels())
    read = Coverage(source)
    words = vocabulary("task")
    found: dict[str, Field] = {}
    steps: list[Found] = []
    problems: list[Problem] = []
    failed: tuple[Attempt, ...] = ()
    lists: dict[str, tuple[Item, ...]] = {"constraints": (), "blockers": ()}
    all_fields = fields_of(source, 0, len(source.blocks), words, sections=True)
    planned = any(part.key == "steps" for part in all_fields)
    for number, part in enumerate(all_fields):
        _read_title(source, part, read, first=number == 0)
        key = part.key
        if key == "blocked" and planned:
            key = "blockers"
        if key is None:
            continue
        if key == "steps" or key in STATUSES:
            steps += find_steps(source, part, read)
            found.setdefault("steps", part)
        elif key == "failed":
            failed += attempts_of(source, part, read)
            found.setdefault(key, part)
        elif key in lists:
            lists[key] += items_of(source, part, read)
            found.setdefault(key, part)
        elif key in found:
            first = found[key].line + 1
            problem = f"{words.name(key, 'en').lower()} stands in line {first} already"
            problems.append(Problem(part.line + 1, problem))
        else:
            found[key] = part
    numbered(steps)
    task = CurrentTask(
        goal=_goal(source, found, read),
        constraints=lists["constraints"],
        steps=tuple(one.step for one in steps),
        next=_one(source, found, "next", read),
        anchor=_anchor(source, found, read),
        blockers=lists["blockers"],
        failed=failed,
        unread=read.unread(),
        problems=tuple(problems),
    )
    return Parts(source, task, found, steps)


def _read_title(source: Outline, part: Field, read: Coverage, *, first: bool) -> None:
    """A file's title and a heading that says "task" are no more than that."""
    if part.style == "heading" or (first and part.level == 1):
        read.mark(part.line, source.blocks[part.index].stop)


def _goal(source: Outline, found: dict[str, Field], read: Coverage) -> Item | None:
    if "goal" in found:
        return _one(source, found, "goal", read)
    part = found.get("task")
    if part is not None and (part.value or part.level != 1):
        found["goal"] = replace(part, rest=[]) if part.value else part
        return _one(source, found, "goal", read)
    return None


def _one(
    source: Outline, found: dict[str, Field], key: str, read: Coverage
) -> Item | None:
    """The one text of a section; of several next steps it is the first."""
    part = found.get(key)
    if part is None:
        return None
    if key == "next":
        part = first_only(source, part)
    text = value_of(source, part, read)
    words = vocabulary("task")
    again = label(text, words)
    if again and again.key == part.key:
        text = text[again.end :]
    text = unguard_label(unguard(text), words)
    if says_nothing(text):
        return None
    lines = said_lines(source, part)
    return Item(text, own_strength(text), lines)


def first_only(source: Outline, part: Field) -> Field:
    """A section without the items after the first."""
    tops = groups(source, part)
    if len(tops) < 2:  # noqa: PLR2004 one next step is what there should be
        return part
    cut = part.rest.index(tops[1].index)
    return replace(part, rest=part.rest[:cut])


def said_lines(source: Outline, part: Field) -> Lines:
    """The lines on which a field's value stands, its label's line where it is there."""
    said = texts(source, part)
    first = part.line if part.value.strip() or not said else said[0].start
    if said:
        return Lines(first + 1, said[-1].stop)
    # an underlined heading may be of several lines; its last is the bar
    stop = source.blocks[part.index].stop - 1 if part.style == "heading" else 0
    return Lines(first + 1, max(stop, part.line + 1))


def _anchor(source: Outline, found: dict[str, Field], read: Coverage) -> Anchor | None:
    part = found.get("anchor")
    if part is None:
        return None
    anchor = anchor_of(value_of(source, part, read))
    return anchor and replace(anchor, lines=said_lines(source, part))
