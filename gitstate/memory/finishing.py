"""A finished task: what goes to ``completed/`` and ``conclusions.md``, what is left; pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gitstate.documents import CURRENT_TASK, template
from gitstate.documents.current_task import parse
from gitstate.documents.sections import outline
from gitstate.documents.writing import language
from gitstate.errors import Refused
from gitstate.memory import attempts, conclusions
from gitstate.memory.tasks import require_task

if TYPE_CHECKING:
    from collections.abc import Collection

    from gitstate.documents.current_task import CurrentTask

COMPLETED = "completed"
_COMMENT = re.compile(r"<!--.*?-->(?:[ \t]*(?:\r\n|\r|\n))*", re.DOTALL)
_SLUG = 48  # characters


class Finished(NamedTuple):
    """The texts after a task's end; ``None`` where a file need not be written."""

    goal: str
    task: str  # 02-current-task.md, as it begins
    completed: str
    conclusions: str | None
    failed: str | None


def finish(
    text: str,
    conclusions_text: str | None,
    failed_text: str | None,
    *,
    unfinished: bool = False,
) -> Finished:
    """End the task in ``text``.

    All that was written of it goes to ``completed``, without the template's guidance;
    its header stays in the task file. Raises ``Refused`` where there is no task, or a
    step is not done and nobody said that this is meant.
    """
    goal = require_task(text)
    task = parse(text)
    _all_done(task, unfinished=unfinished)
    source = outline(text)
    lang = language(source)
    header, body = _at_body(text, source.body)
    begin = template(CURRENT_TASK, lang)
    fresh = _at_body(begin, outline(begin).body)[1]
    if "\r\n" in text:
        fresh = fresh.replace("\n", "\r\n")
    failed = failed_text
    for attempt in task.failed:
        known = attempts.of_task(failed, goal)
        if attempt.reason and attempt not in known:
            failed = attempts.add(failed, goal, attempt, lang)
    return Finished(
        goal=goal,
        task=header + fresh,
        completed=_without_guidance(body, begin),
        conclusions=conclusions.add_task(conclusions_text, goal, task.steps, lang),
        failed=None if failed == failed_text else failed,
    )


def _all_done(task: CurrentTask, *, unfinished: bool) -> None:
    left = [str(one.number) for one in task.steps if one.status != "done"]
    if left and not unfinished:
        what = "step" if len(left) == 1 else "steps"
        verb = "is" if len(left) == 1 else "are"
        raise Refused(
            f"{what} {', '.join(left)} {verb} not done: `gitstate task done {left[0]} "
            "CONCLUSION`, or `gitstate task finish --unfinished`"
        )


def _at_body(text: str, body: int) -> tuple[str, str]:
    """A text's header and the rest of it, byte for byte."""
    end = 0
    for _ in range(body):
        found = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)?").match(text, end)
        end = found.end() if found else end
    return text[:end], text[end:]


def _without_guidance(body: str, begin: str) -> str:
    """A text without the comments that are the template's own."""
    known = {_plain(one) for one in _COMMENT.findall(begin)}
    kept = _COMMENT.sub(lambda one: "" if _plain(one[0]) in known else one[0], body)
    end = "\r\n" if "\r\n" in body else "\n"
    return kept.strip("\r\n") + end


def _plain(comment: str) -> str:
    return " ".join(comment.split())


def name_of(goal: str, day: str, taken: Collection[str]) -> str:
    """A free name in ``completed/`` for a task that ended on ``day`` (YYYY-MM-DD)."""
    words = re.findall(r"[a-z0-9]+", goal.lower())
    slug = ""
    for word in words:
        if len(slug) + len(word) + 1 > _SLUG:
            break
        slug += f"-{word}"
    name = f"{day}{slug}"
    number = 1
    lowered = {one.lower() for one in taken}
    while f"{name if number == 1 else f'{name}-{number}'}.md" in lowered:
        number += 1
    return f"{COMPLETED}/{name if number == 1 else f'{name}-{number}'}.md"
