"""The state made shorter by strength (``memory.strength``): history, not the task; pure.

Narrative goes. What stays word for word, wherever it stands: what forbids or demands,
the reason of a decision, the names of what was rejected. The words between are of the
language of the file (``memory.short_words``).
"""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re
from typing import TYPE_CHECKING

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
from gitstate.documents.inline import join, visible
from gitstate.documents.sections import outline
from gitstate.documents.writing import language
from gitstate.memory import attempts, conclusions, short_entries
from gitstate.memory.kept import Kept
from gitstate.memory.shelf import CONCLUSIONS, FAILED_ATTEMPTS
from gitstate.memory.short_words import words
from gitstate.memory.shortening import core, forceful, left_out
from gitstate.memory.strength import strength_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gitstate.documents.attempts import Attempt
    from gitstate.documents.fields import Lines
    from gitstate.documents.header import Strength
    from gitstate.documents.rules import Rule
    from gitstate.documents.sections import Outline
    from gitstate.memory.short_words import Words
    from gitstate.memory.strength import Kind


_LABEL = re.compile(r"^[^:：]{1,40}[:：]\s*")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_BEGINS = re.compile(r"\s*(?:[-*+>|#]+|\d+[.)])(?=\s|$|\|)\s*")
_NO_WORD = re.compile(r"[\W_]+")


def of_text(name: str, text: str) -> list[Kept]:
    """What stays of one file of the state (``memory.kept`` says which)."""
    source = outline(text)
    say = words(language(source))
    reader = _READERS.get(name)
    found = list(reader(source, say) if reader else _other(name, source, say))
    return [*found, *_missed(name, source, found)]


def _kept(
    kind: Kind,
    text: str,
    file: str,
    lines: Lines | None,
    marked: Strength | None = None,
) -> Kept:
    return Kept(
        kind, strength_of(kind, marked), text, file, lines.first if lines else 0
    )


def _missed(name: str, source: Outline, found: Iterable[Kept]) -> Iterator[Kept]:
    """What forbids or demands and is in none of the things found, wherever it stands.

    Text that was not understood, or that belongs to nothing that is kept.
    """
    said = _bare("\n".join(one.text for one in found))
    if all(
        _bare(one) in said or _bare(_LABEL.sub("", one)) in said
        for unit in _units(source.text)
        for one in forceful(unit)
    ):
        return  # nothing that could be missed
    for block in source.blocks:
        if block.kind not in {"item", "text", "table"}:
            continue
        rows = block.rows if block.kind == "table" else (join(block.rows),)
        for one in (one for row in rows for one in forceful(visible(row))):
            bare = _bare(one)
            if bare not in said and _bare(_LABEL.sub("", one)) not in said:
                yield Kept("prohibition", "high", one, name, block.start + 1)


def _units(text: str) -> Iterator[str]:
    """The lines of a text without its header and comments, those that wrap joined."""
    lines = text.removeprefix("\ufeff").splitlines()
    body = "\n".join(lines[header.lines_of_header(lines) :])
    unit: list[str] = []
    for line in [*_COMMENT.sub("", body).splitlines(), ""]:
        if unit and (not line.strip() or _BEGINS.match(line)):
            if not unit[0].startswith("#"):  # headings are not among what is missed
                yield visible(_BEGINS.sub("", " ".join(unit), count=1))
            unit = []
        if line.strip():
            unit.append(line.strip())


def _bare(text: str) -> str:
    return _NO_WORD.sub(" ", text).strip()


# the numbered files


def _context(source: Outline, say: Words) -> Iterator[Kept]:
    found = project_context.parse(source)
    for fact in found.facts:
        said = f"{fact.key}: {fact.value}" if fact.key else fact.value
        yield _kept("fact", said, PROJECT_CONTEXT, fact.lines)
    for command in found.commands:
        said = f"{command.name}: {command.command}" if command.name else command.command
        yield _kept("command", said, PROJECT_CONTEXT, command.lines)
    for rule in found.forbidden:
        yield _rule(rule, PROJECT_CONTEXT, say)


def _rules(source: Outline, say: Words) -> Iterator[Kept]:
    found = conventions.parse(source)
    for rule in found.rules:
        yield _rule(rule, CONVENTIONS, say)


def _rule(rule: Rule, file: str, say: Words) -> Kept:
    """A rule word for word, with the heading that it takes its force from."""
    said = rule.text
    if rule.under and rule.under not in said:
        said = f"{rule.under}: {said}"
    if rule.force == "never" and not forceful(said):
        said = say.never.format(text=said)
    elif rule.force == "must" and not forceful(said):
        said = say.must.format(text=said)
    if rule.reason and rule.reason not in said:
        said = say.reason.format(text=said, reason=rule.reason)
    kind: Kind = "prohibition" if rule.force == "never" else "rule"
    return _kept(kind, said, file, rule.lines, "high")


def _task(source: Outline, say: Words) -> Iterator[Kept]:
    task = current_task.parse(source)
    if task.goal:
        yield _kept("goal", task.goal.text, CURRENT_TASK, task.goal.lines, "high")
    for one in task.constraints:
        yield _kept("constraint", one.text, CURRENT_TASK, one.lines, "high")
    for step in task.steps:
        yield _kept(
            "conclusion", short_entries.step(step, say), CURRENT_TASK, step.lines
        )
    if task.next:
        yield _kept("next step", task.next.text, CURRENT_TASK, task.next.lines, "high")
    if task.anchor:
        line = f":{task.anchor.line}" if task.anchor.line else ""
        said = f"{task.anchor.file}{line}"
        yield _kept("place", said, CURRENT_TASK, task.anchor.lines)
    for one in task.blockers:
        yield _kept("blocker", one.text, CURRENT_TASK, one.lines, "high")
    for attempt in task.failed:
        yield _attempt(attempt, CURRENT_TASK, attempt.lines, say)


def _issues(source: Outline, say: Words) -> Iterator[Kept]:
    found = known_issues.parse(source)
    for issue in found.issues:
        if said := short_entries.issue(issue, say):
            yield _kept("issue", said, KNOWN_ISSUES, issue.lines, issue.strength)


def _decisions(source: Outline, say: Words) -> Iterator[Kept]:
    found = decision_log.parse(source)
    live = {id(one) for one in found.live()}
    for one in found.decisions:
        said = short_entries.decision(one, say, live=id(one) in live)
        yield _kept("decision", said, DECISION_LOG, one.lines, one.strength)


def _map(source: Outline, say: Words) -> Iterator[Kept]:
    found = file_map.parse(source)
    for one in found.entries:
        said = f"{one.path}: {one.role}" if one.role else one.path
        relations = {
            say.uses: one.uses,
            say.used_by: one.used_by,
            say.tested_by: one.tested_by,
            say.generated_from: one.generated_from,
        }
        more = (
            how.format(paths=say.between.join(all_))
            for how, all_ in relations.items()
            if all_
        )
        yield _kept("place", say.semicolon.join([said, *more]), FILE_MAP, one.lines)


def _other(name: str, source: Outline, say: Words) -> Iterator[Kept]:
    """A numbered file of somebody's own, as strongly as its header says."""
    strength = header.read(name, source.text).header.strength
    for block in source.blocks:
        said = visible(join(block.rows)) if block.kind in {"item", "text"} else ""
        kept = (
            said if strength == "high" else core(said) if strength == "medium" else ""
        )
        more = forceful(said) if strength == "low" else left_out(kept, said, say=say)
        if whole := say.semicolon.join(filter(None, [kept, *more])):
            yield Kept("fact", strength, whole, name, block.start + 1)


# long_mem


def _conclusions(source: Outline, say: Words) -> Iterator[Kept]:
    for title, found in conclusions.parse(source.text):
        for one in found:
            said = f"{core(one.text)}: {one.conclusion}" if one.conclusion else one.text
            places = [*one.files]
            if one.anchor:
                line = f":{one.anchor.line}" if one.anchor.line else ""
                places.append(f"{one.anchor.file}{line}")
            missing = [place for place in places if place not in said]
            more = f" [{say.between.join(missing)}]" if missing else ""
            said = say.semicolon.join(
                [f"{said}{more}", *left_out(said, one.text, say=say)]
            )
            yield _kept("conclusion", said, CONCLUSIONS, None)._replace(under=title)


def _failed(source: Outline, say: Words) -> Iterator[Kept]:
    for title, found in attempts.sections(source.text):
        for one in found:
            kept = _attempt(one, FAILED_ATTEMPTS, one.lines, say)
            yield kept._replace(under=title)


def _attempt(one: Attempt, file: str, lines: Lines | None, say: Words) -> Kept:
    said = core(one.approach)
    if one.reason:
        said = say.failed.format(text=said, reason=core(one.reason))
    more = left_out(said, one.approach, one.reason or "", say=say)
    text = say.semicolon.join([said, *more])
    return _kept("attempt", text, file, lines)


_READERS: dict[str, Callable[[Outline, Words], Iterator[Kept]]] = {
    PROJECT_CONTEXT: _context,
    CONVENTIONS: _rules,
    CURRENT_TASK: _task,
    KNOWN_ISSUES: _issues,
    DECISION_LOG: _decisions,
    FILE_MAP: _map,
    CONCLUSIONS: _conclusions,
    FAILED_ATTEMPTS: _failed,
}
