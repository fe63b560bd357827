"""What changed over a day -> the message of its one commit; pure."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gitstate.errors import printable
from gitstate.history.columns import columns
from gitstate.history.message import SUBJECT_COLUMNS, body_of, words
from gitstate.history.phrases import OF_DAY, signs
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitstate.history.change import Act, Changes
    from gitstate.history.message import FileChange

_CODE_DIGITS = 12
_MOST_CODE = 100
# what is counted in a subject: singular, plural, Chinese
_COUNTED: dict[str, tuple[str, str, str]] = {
    "prohibitions": ("prohibition removed", "prohibitions removed", "项禁止解除"),
    "decisions": ("decision", "decisions", "项决策"),
    "tasks": ("task finished", "tasks finished", "个任务完成"),
    "steps": ("step done", "steps done", "个步骤完成"),
    "opened": ("issue opened", "issues opened", "个问题提出"),
    "resolved": ("issue resolved", "issues resolved", "个问题解决"),
    "rules": ("rule changed", "rules changed", "条规则变更"),
    "changes": ("change", "changes", "处变更"),
    "files": ("file changed", "files changed", "个文件变更"),
}
_CODE = ("Code commits", "代码提交")


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """A day that is squashed: its date, versions, and what its trailers say.

    ``archive`` is the id of the day's last version, ``lang`` that version's own;
    ``code_heads`` are ids of code commits, in the order in which they were met, and
    ``head_before`` is the one that stood before the day. ``gap`` are numbers below the
    first that cannot be read any more.
    """

    day: str
    first: int
    last: int
    line: str
    archive: str
    lang: str
    code_heads: tuple[str, ...] = ()
    head_before: str = ""
    gap: str | None = None

    @property
    def made(self) -> tuple[str, ...]:
        """The code commits that were made meanwhile, short."""
        before = self.head_before[:_CODE_DIGITS]
        return tuple(head for head in self.heads if head != before)

    @property
    def heads(self) -> tuple[str, ...]:
        """The distinct code commits, short."""
        return tuple(dict.fromkeys(head[:_CODE_DIGITS] for head in self.code_heads))

    def trailers(self) -> str:
        """The last paragraph of the day's message."""
        rows = [
            ("State-Day", self.day),
            ("State-Version", str(self.last)),
            ("State-Versions", f"{self.first}-{self.last}"),
            ("State-Line", self.line),
            ("State-Archive", self.archive),
            ("State-Lang", self.lang),
            *(("Code-Head", head) for head in self.heads),
            *([("State-Gap", self.gap)] if self.gap else []),
        ]
        return "".join(f"{key}: {printable(value)}\n" for key, value in rows)


def compose_day(
    day: Day, told: Changes, files: Sequence[FileChange], body: str | None = None
) -> str:
    """The whole message; ``body`` instead of the one that is made here."""
    made = body_of_day(day, told, files) if body is None else body
    parts = [subject_of_day(day, told, files), *([made] if made else [])]
    return "\n\n".join([*parts, day.trailers()])


def subject_of_day(day: Day, told: Changes, files: Sequence[FileChange]) -> str:
    """The date, what is counted, the versions, in at most 72 columns."""
    head = f"state {day.day}: "
    tail = (
        f" (v{day.first})" if day.first == day.last else f" (v{day.first}–v{day.last})"
    )
    between = signs(day.lang).between
    counted = [_count(key, number, day.lang) for key, number in _numbers(told, files)]
    counted = counted or [words(day.lang)["none"]]
    while (
        len(counted) > 1
        and columns(head + between.join(counted) + tail) > SUBJECT_COLUMNS
    ):
        counted.pop()
    return head + between.join(counted) + tail


def _numbers(told: Changes, files: Sequence[FileChange]) -> list[tuple[str, int]]:
    both: Act = "opened and resolved"
    numbers = {
        "prohibitions": sum(one.prohibition for one in told.items),
        "decisions": len(told.of("decision", "made")),
        "tasks": len(told.of("task", "finished", "started and finished")),
        "steps": len(told.of("step", "done")),
        "opened": len(told.of("issue", "opened")),  # and still open at the day's end
        "resolved": len(told.of("issue", "resolved", both)),
        "rules": sum(not one.prohibition for one in told.of("rule")),
    }
    found = [(key, number) for key, number in numbers.items() if number]
    if found:
        return found
    if told.items:
        return [("changes", len(told.items))]
    return [("files", len(files))] if files else []


def _count(key: str, number: int, lang: str) -> str:
    one, many, chinese = _COUNTED[key]
    if lang == "zh":
        return f"{number} {chinese}"
    return f"{number} {one if number == 1 else many}"


def body_of_day(day: Day, told: Changes, files: Sequence[FileChange]) -> str:
    """The day's changes, then the code commits made meanwhile."""
    parts = [body_of(told, files, day.lang, OF_DAY)]
    if day.made:
        title = _CODE[day.lang == "zh"] + signs(day.lang).colon.rstrip()
        shown = [f"- {printable(head)}" for head in day.made[:_MOST_CODE]]
        left = len(day.made) - len(shown)
        if left:
            shown.append("- " + words(day.lang)["more"].format(count=left))
        parts.append("\n".join([title, *shown]))
    return "\n".join(part for part in parts if part)


def document(day: Day, told: Changes, files: Sequence[FileChange]) -> dict[str, Any]:
    """All of it as plain values, for a command of the user's that words the body."""
    return {
        "day": day.day,
        "versions": [day.first, day.last],
        "line": printable(day.line),
        "lang": day.lang,
        "changes": told.as_json(),
        "files": [
            {
                "path": printable(one.path),
                "change": one.kind,
                "headings": list(one.headings),
            }
            for one in files
        ],
        "code_heads": list(day.made),
        "subject": subject_of_day(day, told, files),
        "body": body_of_day(day, told, files),
    }
