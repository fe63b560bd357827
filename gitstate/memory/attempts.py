"""``long_mem/failed-attempts.md``: what was tried and failed, by task; pure.

A section of its own for each task, under the task's goal as the heading::

    # Failed attempts

    ## Fix nested brackets in src/core/parser.ts parseExpr

    - Change the condition in line 140
      - Reason: it breaks the other branch
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.documents.attempts import Attempt, attempts_of
from gitstate.documents.fields import Coverage
from gitstate.documents.inline import guard, guard_value, one_line
from gitstate.documents.sections import outline
from gitstate.documents.splice import verified
from gitstate.documents.vocabulary import Lang, vocabulary
from gitstate.documents.writing import colon, language
from gitstate.memory import sectioned
from gitstate.memory.sectioned import place_of, with_item

if TYPE_CHECKING:
    from collections.abc import Mapping

_TITLES: Mapping[Lang, str] = {"en": "# Failed attempts", "zh": "# 失败的尝试"}


def sections(text: str) -> list[tuple[str, tuple[Attempt, ...]]]:
    """The tasks' goals with their attempts, in the file's order; never fails."""
    source = outline(text)
    read = Coverage(source)
    return [
        (title, attempts_of(source, part, read))
        for title, part in sectioned.sections(source)
    ]


def of_task(text: str | None, goal: str | None) -> tuple[Attempt, ...]:
    """The attempts at one task; none where there is no file or no goal."""
    if text is None or goal is None:
        return ()
    found = (attempts for title, attempts in sections(text) if title == goal)
    return tuple(attempt for attempts in found for attempt in attempts)


def add(text: str | None, goal: str, attempt: Attempt, lang: Lang) -> str:
    """The file with one more attempt at the task; a new one is in ``lang``.

    Raises ``Refused`` where there is no place for it.
    """
    if text is None or not text.strip():
        text = f"{_TITLES[lang]}\n"
    source = outline(text)
    lang = language(source)
    goal = one_line(goal, of="goal")
    lines = _lines(attempt, lang)
    new = _as_read(lines)
    expected = sections(text)
    place = place_of(expected, goal)
    if place is None:
        expected.append((goal, (new,)))
    else:
        expected[place] = (goal, (*expected[place][1], new))
    return verified(with_item(source, goal, lines), expected, sections)


def holds(text: str | None, goal: str, attempt: Attempt) -> bool:
    """Whether the file has this attempt at the task already, as ``add`` writes it."""
    new = _as_read(_lines(attempt, "en"))
    return new in of_task(text, one_line(goal, of="goal"))


def _lines(attempt: Attempt, lang: Lang) -> list[str]:
    lines = [f"- {guard(one_line(attempt.approach, of='attempt'))}"]
    if attempt.reason is not None:
        name = vocabulary("attempt").name("reason", lang)
        reason = guard_value(one_line(attempt.reason, of="reason"))
        lines.append(f"  - {name}{colon(lang)}{reason}")
    return lines


def _as_read(lines: list[str]) -> Attempt:
    """The attempt that these lines are: without "Attempt 2:" and the like before it."""
    ((_, attempts),) = sections("\n".join(["## _", "", *lines]))
    return attempts[0]
