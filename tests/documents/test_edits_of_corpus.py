"""Every edit on every file of the corpus: its own lines change, and it reads back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitstate.documents import (
    conventions,
    current_task,
    decision_log,
    edit_context,
    edit_decisions,
    edit_issues,
    edit_map,
    edit_rules,
    edit_steps,
    edit_task,
    file_map,
    known_issues,
    project_context,
)
from gitstate.documents.alternatives import Alternative
from gitstate.documents.anchors import Anchor
from gitstate.documents.fields import Lines
from gitstate.documents.file_map import MapEntry
from gitstate.documents.steps import STATUSES
from gitstate.errors import Refused
from tests.documents.kept import lost_lines
from tests.documents.taking import decision_taken, issue_taken
from tests.documents.test_corpus import FILES, text_of

if TYPE_CHECKING:
    from pathlib import Path


def of(kind: str) -> pytest.MarkDecorator:
    paths = [path for path in FILES if path.name.startswith(f"{kind}-")]
    return pytest.mark.parametrize("path", paths, ids=lambda path: path.stem)


def says_none(text: str, *words: str) -> list[Lines]:
    """The lines that only say that there is nothing, which give way to an item."""
    lines = text.splitlines()
    return [Lines(n, n) for n, line in enumerate(lines, 1) if line.endswith(words)]


@of("task")
def test_the_parts_of_a_task(path: Path) -> None:
    old = text_of(path)
    task = current_task.parse(old)
    goal = "Sort the imports of src/new/place.py"
    new = edit_task.set_goal(old, goal)
    found = current_task.parse(new)
    assert found.goal is not None
    assert found.goal.text == goal
    assert lost_lines(old, new, [task.goal.lines] if task.goal else []) == []
    new = edit_task.set_next(old, goal)
    found = current_task.parse(new)
    assert found.next is not None
    assert found.next.text == goal
    assert lost_lines(old, new, [task.next.lines] if task.next else []) == []
    new = edit_task.set_anchor(old, Anchor("src/new/place.py", 7))
    assert current_task.parse(new).anchor == Anchor("src/new/place.py", 7)
    assert lost_lines(old, new, [task.anchor.lines] if task.anchor else []) == []
    assert current_task.parse(edit_task.set_next(old, None)).next is None
    assert current_task.parse(edit_task.set_anchor(old, None)).anchor is None


@of("task")
def test_the_lists_of_a_task(path: Path) -> None:
    old = text_of(path)
    task = current_task.parse(old)
    rule = "Never touch src/new/place.py"
    new = edit_task.add_constraint(old, rule)
    said = [item.text for item in current_task.parse(new).constraints]
    assert said == [*(item.text for item in task.constraints), rule]
    assert lost_lines(old, new) == []
    new = edit_task.add_blocker(old, "ops must open port 8443")
    assert current_task.parse(new).blockers[-1].text == "ops must open port 8443"
    none = () if task.blockers else ("none", "None at the moment.", "N/A", "无")
    assert lost_lines(old, new, says_none(old, *none) if none else []) == []
    for item in task.blockers:
        new = edit_task.drop_blocker(old, item)
        left = tuple(one for one in task.blockers if one is not item)
        assert current_task.parse(new).blockers == left
        assert lost_lines(old, new, [item.lines]) == []
    new = edit_task.drop_failed(old)
    assert current_task.parse(new).failed == ()
    assert lost_lines(old, new, [attempt.lines for attempt in task.failed]) == []


@of("task")
def test_the_steps_of_a_task(path: Path) -> None:
    old = text_of(path)
    task = current_task.parse(old)
    new = edit_steps.add_step(old, "Run tests/new/test_place.py")
    found = current_task.parse(new).steps
    assert found[:-1] == task.steps
    assert (found[-1].text, found[-1].status) == ("Run tests/new/test_place.py", "todo")
    assert lost_lines(old, new) == []
    for step in task.steps:
        for status in STATUSES:
            new = edit_steps.set_step(
                old,
                step.number,
                status=status,
                conclusion="it was src/new/place.py",
                files=["src/new/place.py", "a b.py"],
            )
            changed = next(
                one
                for one in current_task.parse(new).steps
                if one.number == step.number
            )
            assert (changed.status, changed.conclusion, changed.files) == (
                status,
                "it was src/new/place.py",
                ("src/new/place.py", "a b.py"),
            )
            assert (changed.text, changed.notes) == (step.text, step.notes)
            assert lost_lines(old, new, [step.lines]) == []


@of("decisions")
def test_decisions(path: Path) -> None:
    old = text_of(path)
    log = decision_log.parse(old)
    new, decision = edit_decisions.add(
        old,
        "Use tabs in src/new",
        "the linter says so",
        alternatives=[Alternative("spaces", "wide")],
        confidence="low",
        date="2026-11-29",
    )
    assert decision_log.parse(new).find(decision.id or "") == decision
    assert lost_lines(old, new) == []
    for one in log.decisions:
        if one.id is None:
            continue
        taken = decision_taken(old, one.id)
        assert one.decision.split(":")[0] in taken.entries[0].replace("**", "")
        assert decision_log.parse(taken.text).find(one.id) is None


@of("issues")
def test_issues(path: Path) -> None:
    old = text_of(path)
    issues = known_issues.parse(old).issues
    new, issue = edit_issues.add(old, "src/new/place.py is slow", workaround="wait")
    assert known_issues.parse(new).find(issue.id or "") == issue
    assert lost_lines(old, new) == []
    ids = [one.id for one in issues]
    for one in issues:
        if one.id is None:
            continue
        if ids.count(one.id) > 1:
            with pytest.raises(Refused, match="stands in lines 8 and 19"):
                edit_issues.resolve(old, one.id)
            continue
        new = edit_issues.resolve(old, one.id)
        found = known_issues.parse(new).find(one.id)
        assert found is not None
        assert (found.status, found.title) == ("resolved", one.title)
        assert lost_lines(old, new, [one.lines]) == []
        taken = issue_taken(old, one.id)
        assert known_issues.parse(taken.text).find(one.id) is None


@of("rules")
def test_rules(path: Path) -> None:
    old = text_of(path)
    rules = conventions.parse(old).rules
    new = edit_rules.add_rule(old, "Must sort src/new/place.py")
    assert "Must sort src/new/place.py" in [
        rule.text for rule in conventions.parse(new).rules
    ]
    assert lost_lines(old, new) == []
    for rule in rules:
        new = edit_rules.drop_rule(old, rule)
        left = tuple(one for one in rules if one is not rule)
        assert conventions.parse(new).rules == left
        assert lost_lines(old, new, [rule.lines]) == []


@of("context")
def test_context(path: Path) -> None:
    old = text_of(path)
    context = project_context.parse(old)
    new = edit_context.set_fact(old, "database", "Postgres 16", "compose.yml")
    assert lost_lines(old, new) == []
    new = edit_context.set_command(old, "format", "make format")
    assert lost_lines(old, new) == []
    new = edit_rules.add_forbidden(old, "Never run make clean")
    assert lost_lines(old, new) == []
    keys = [fact.key for fact in context.facts]
    for fact in context.facts:
        if not fact.key:
            continue
        if keys.count(fact.key) > 1:
            with pytest.raises(Refused, match="runtime stands in lines 17 and 18"):
                edit_context.set_fact(old, fact.key, "new")
            continue
        new = edit_context.set_fact(old, fact.key, "new")
        found = {one.key: one.value for one in project_context.parse(new).facts}
        assert found[fact.key] == "new"
        assert lost_lines(old, new, [fact.lines]) == []
        new = edit_context.drop_fact(old, fact.key)
        assert lost_lines(old, new, [fact.lines]) == []
    for command in filter(lambda one: one.name, context.commands):
        new = edit_context.set_command(old, command.name, "make new")
        assert lost_lines(old, new, [command.lines]) == []
    for rule in context.forbidden:
        new = edit_rules.drop_forbidden(old, rule)
        assert lost_lines(old, new, [rule.lines]) == []


@of("map")
def test_the_map(path: Path) -> None:
    old = text_of(path)
    entries = file_map.parse(old).entries
    new = edit_map.put(old, MapEntry("src/new/place.py", "new", uses=("src/old.py",)))
    assert file_map.parse(new).find("src/new/place.py") is not None
    assert lost_lines(old, new) == []
    for entry in entries:
        new = edit_map.put(old, MapEntry(entry.path, "a new role"))
        assert file_map.parse(new).find(entry.path) == MapEntry(
            entry.path, "a new role"
        )
        assert lost_lines(old, new, [entry.lines]) == []
