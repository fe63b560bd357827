"""What is wrong with the state as a text to work by; pure.

Each warning names its file and line, and what to do. What is looked at:

- rules that cannot be checked, and rules that are no orders;
- a vague goal, a missing next step;
- an anchor or an entry of the map whose file or line is gone;
- decisions without a reason;
- rules that a superseding decision contradicts;
- a file over its limit, more than eight numbered files;
- text of high strength that takes more than half of a briefing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gitstate.documents import (
    CONVENTIONS,
    CURRENT_TASK,
    DECISION_LOG,
    FILE_MAP,
    KNOWN_ISSUES,
    PROJECT_CONTEXT,
    conventions,
    current_task,
    decision_log,
    file_map,
    header,
    known_issues,
    project_context,
)
from gitstate.errors import Refused, printable
from gitstate.memory.checkable import can_be_checked, wish_in
from gitstate.memory.contradictions import contradictions
from gitstate.memory.kept import condensed
from gitstate.memory.shelf import numbered
from gitstate.memory.wording import names_something

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitstate.documents.decision_log import Decision
    from gitstate.documents.rules import Rule
    from gitstate.memory.shelf import Shelf

MOST_FILES = 8
_WITH_LINE = re.compile(r"(.+)(?::|#L)(\d{1,7})")
_GLOB = re.compile(r"[*?\[{]")
_NOT_HIGH = (FILE_MAP,)  # read as far as there is room


class Warned(NamedTuple):
    """One warning: the file and its line (from 1), the check, and what is wrong."""

    file: str
    line: int
    check: str
    text: str


def lint(
    shelf: Shelf, lines_of: Callable[[str], int | None], *, budget_chars: int
) -> list[Warned]:
    """All warnings, in the order of the files and lines; raises ``Refused``.

    ``lines_of``: how many lines a file of the worktree has, by its path from the root;
    ``None`` where there is nothing. ``budget_chars``: characters of a briefing.
    """
    linter = _Linter(shelf, lines_of)
    found = [
        *linter.rules(),
        *linter.task(),
        *linter.decisions(),
        *linter.map(),
        *linter.limits(),
        *linter.weight(budget_chars),
    ]
    return sorted(found, key=lambda one: (linter.order(one.file), one.line))


class _Linter:
    def __init__(self, shelf: Shelf, lines_of: Callable[[str], int | None]) -> None:
        self.shelf, self.lines_of = shelf, lines_of
        self.names = numbered(shelf)
        self.texts = {
            name: text for name in self.names if (text := shelf.text(name)) is not None
        }

    def order(self, name: str) -> int:
        """A file's place among the numbered ones."""
        return self.names.index(name)

    def _text(self, name: str) -> str:
        return self.texts.get(name, "")

    def _all_rules(self) -> list[tuple[str, Rule]]:
        forbidden = project_context.parse(self._text(PROJECT_CONTEXT)).forbidden
        rules = conventions.parse(self._text(CONVENTIONS)).rules
        found = [(PROJECT_CONTEXT, one) for one in forbidden]
        return found + [(CONVENTIONS, one) for one in rules]

    def rules(self) -> Iterator[Warned]:
        """Those that cannot be checked, and those that are no orders."""
        for name, rule in self._all_rules():
            said, line = printable(rule.text), rule.lines.first
            if wish := wish_in(rule.text):
                yield Warned(
                    name,
                    line,
                    "no order",
                    f'"{wish}" makes a wish of it: {said}; say Must or Never',
                )
            elif not can_be_checked(rule.text):
                yield Warned(
                    name,
                    line,
                    "cannot be checked",
                    f"it names no path, name or command: {said}",
                )

    def task(self) -> Iterator[Warned]:
        """A vague goal, no next step, an anchor that is gone."""
        task = current_task.parse(self._text(CURRENT_TASK))
        if task.goal and not names_something(task.goal.text):
            yield Warned(
                CURRENT_TASK,
                task.goal.lines.first,
                "vague goal",
                "the goal names no file, function or other thing: "
                f"{printable(task.goal.text)}",
            )
        left = [one for one in task.steps if one.status in {"todo", "in_progress"}]
        if task.goal and not task.next and not left:
            yield Warned(
                CURRENT_TASK,
                task.goal.lines.first,
                "no next step",
                'nothing says how to go on: `gitstate task next "..."`, or `gitstate task '
                "finish`",
            )
        if task.anchor:
            place = printable(task.anchor.file)
            line = task.anchor.lines.first
            if what := self._gone(task.anchor.file, task.anchor.line):
                yield Warned(CURRENT_TASK, line, "gone", f"the anchor {place} {what}")

    def _gone(self, path: str, line: int | None) -> str | None:
        """What is wrong with a place; ``None`` where it is there."""
        there = self.lines_of(path)
        if there is None:
            return "is not there"
        if line is not None and line > max(there, 1):
            many = "1 line" if there == 1 else f"{there} lines"
            return f"has {many}, and no line {line}"
        return None

    def map(self) -> Iterator[Warned]:
        """Entries whose file or line is gone."""
        for one in file_map.parse(self._text(FILE_MAP)).entries:
            path, line = one.path, None
            what = self._gone(path, None)
            if what and (found := _WITH_LINE.fullmatch(path)):
                path, line = found[1], int(found[2])
                what = self._gone(path, line)
            if what and not _GLOB.search(path):
                said = f"{printable(path)} {what}"
                yield Warned(FILE_MAP, one.lines.first, "gone", said)

    def decisions(self) -> Iterator[Warned]:
        """Those without a reason, and rules that one of them contradicts."""
        log = decision_log.parse(self._text(DECISION_LOG))
        for one in log.decisions:
            if not one.reason and one.status != "withdrawn":
                said = f"{one.id} {one.decision}" if one.id else one.decision
                yield Warned(
                    DECISION_LOG,
                    one.lines.first,
                    "no reason",
                    f"nothing says why: {printable(said)}",
                )
        rules = self._all_rules()
        where = {id(rule): name for name, rule in rules}
        for rule, new, name in contradictions(
            [rule for _, rule in rules], log, self._archived
        ):
            file = where[id(rule)]
            supersedes = ", ".join(new.supersedes)
            yield Warned(
                file,
                rule.lines.first,
                "contradiction",
                f"{new.id or 'a decision'} ({printable(new.decision)}, which supersedes "
                f"{supersedes}) says otherwise of {printable(name)}: "
                f"{printable(rule.text)}",
            )

    def _archived(self, id_: str) -> Decision | None:
        about = header.read(DECISION_LOG, self._text(DECISION_LOG)).header
        folder = (about.archive or "archive/").rstrip("/")
        stem = DECISION_LOG.removesuffix(".md")
        for name in reversed(self.shelf.names(folder)):
            if not name.startswith(stem) or not name.endswith(".md"):
                continue
            try:
                text = self.shelf.text(f"{folder}/{name}")
            except Refused:
                continue
            if found := decision_log.parse(text or "").find(id_):
                return found
        return None

    def limits(self) -> Iterator[Warned]:
        """Files over their limits, and too many of them."""
        for name, text in self.texts.items():
            about = header.read(name, text).header
            over = []
            size = len(text.encode())
            if about.capacity.size is not None and size > about.capacity.size:
                over.append(f"{size:,} of {about.capacity.size:,} bytes")
            count, what = self._items(name, text)
            if about.capacity.items is not None and count > about.capacity.items:
                over.append(f"{count} of {about.capacity.items} {what}")
            if over:
                said = f"{' and '.join(over)}; {self._way(name, text)}"
                yield Warned(name, 1, "over its limit", said)
        if len(self.texts) > MOST_FILES:
            name = list(self.texts)[MOST_FILES]
            many = f"{len(self.texts)} numbered files, more than {MOST_FILES}"
            yield Warned(name, 1, "many files", f"{many}: put two of them together")

    def _way(self, name: str, text: str) -> str:
        """What to do with a file that is over its limit."""
        if name == DECISION_LOG:
            log = decision_log.parse(text)
            items = header.read(name, text).header.capacity.items
            many = items is not None and len(log.decisions) > items
            if many or len(log.live()) < len(log.decisions):
                return "`gitstate tidy` moves the older ones"
        if name == KNOWN_ISSUES:
            found = known_issues.parse(text)
            if len(found.open()) < len(found.issues):
                return "`gitstate tidy` moves the resolved ones"
            return "resolve those that are gone"
        return "say it in fewer words"

    def _items(self, name: str, text: str) -> tuple[int, str]:
        if name == CONVENTIONS:
            return len(conventions.parse(text).rules), "rules"
        if name == DECISION_LOG:
            return len(decision_log.parse(text).decisions), "decisions"
        if name == KNOWN_ISSUES:
            return len(known_issues.parse(text).issues), "issues"
        if name == FILE_MAP:
            return len(file_map.parse(text).entries), "files"
        return 0, "entries"

    def weight(self, budget_chars: int) -> Iterator[Warned]:
        """Text of high strength that leaves less than half of a briefing."""
        chars = dict.fromkeys(self.texts, 0)
        for one in condensed(self.shelf):
            if (
                one.strength == "high"
                and one.file in chars
                and one.file not in _NOT_HIGH
            ):
                chars[one.file] += len(one.text) + 1
        whole = sum(chars.values())
        if whole > budget_chars / 2:
            name = max(chars, key=lambda one: chars[one])
            yield Warned(
                name,
                1,
                "heavy",
                f"{whole:,} characters of high strength are more than half of a briefing "
                f"of {budget_chars:,}; here are {chars[name]:,} of them",
            )
