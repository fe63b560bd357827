"""What holds for every document and every value, also for those nobody would write."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gitstate.documents import (
    CURRENT_TASK,
    LANGUAGES,
    NUMBERED,
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
    header,
    known_issues,
    project_context,
    template,
)
from gitstate.documents.alternatives import Alternative
from gitstate.documents.anchors import Anchor
from gitstate.documents.file_map import FileMap, MapEntry
from gitstate.documents.inline import guard, unguard, unwrapped, visible, wrapped
from gitstate.documents.items import Item, own_strength
from gitstate.documents.paths import path_text, paths
from gitstate.documents.sections import outline
from gitstate.documents.splice import Splice
from gitstate.documents.steps import STATUSES, Status, Step
from gitstate.documents.vocabulary import says_nothing
from gitstate.errors import Refused
from tests.documents.kept import lost_lines
from tests.documents.mangled import PATHS, TEXTS, documents
from tests.documents.taking import decision_taken

if TYPE_CHECKING:
    from collections.abc import Callable

    from gitstate.documents.decision_log import Decision
    from gitstate.documents.known_issues import Issue

PARSERS: list[Callable[[str], Any]] = [
    current_task.parse,
    decision_log.parse,
    known_issues.parse,
    conventions.parse,
    project_context.parse,
    file_map.parse,
]
LANGS = st.sampled_from(LANGUAGES)
# a task of several edits takes longer than the deadline on a busy machine
FEW = settings(deadline=None, max_examples=40)


@settings(deadline=None)
@given(documents())
def test_to_read_and_write_back_changes_nothing(text: str) -> None:
    assert Splice(outline(text)).text() == text


@settings(deadline=None)
@given(documents(), st.sampled_from(PARSERS))
def test_no_document_is_too_odd_to_read(text: str, parse: Callable[[str], Any]) -> None:
    found = parse(text)
    assert found == parse(text)
    lines = len(outline(text).lines)
    for first, last in found.unread:
        assert 1 <= first <= last <= lines


@settings(deadline=None)
@given(documents(), st.sampled_from(NUMBERED))
def test_no_header_is_too_odd_to_read(text: str, name: str) -> None:
    found = header.read(name, text)
    assert found.lines <= len(outline(text).lines)
    assert all(0 <= problem.line <= found.lines + 1 for problem in found.problems)


@settings(deadline=None)
@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert Splice(outline(text)).text() == text
    for parse in PARSERS:
        parse(text)
    header.read(CURRENT_TASK, text)
    header.read(CURRENT_TASK, f"---\norder: {text}\n---\n")


@given(TEXTS)
def test_a_guard_comes_off_again(text: str) -> None:
    assert unguard(visible(guard(text))) == text
    assert unwrapped(wrapped(text)) == text


@given(st.lists(PATHS, unique=True))
def test_paths_come_back(names: list[str]) -> None:
    for between in (", ", "、", "；"):  # noqa: RUF001 Chinese
        assert paths(between.join(map(path_text, names))) == tuple(names)


# -- edits of a file as it begins: nothing is refused, and all of it comes back


@FEW
@given(st.data(), LANGS)
def test_a_task_is_what_was_said(data: st.DataObject, lang: str) -> None:
    text = template(CURRENT_TASK, lang)
    task = current_task.parse(text)
    for _ in range(data.draw(st.integers(1, 6))):
        said = data.draw(TEXTS)
        verb = data.draw(st.sampled_from(["goal", "next", "rule", "blocker", "step"]))
        before = text
        if verb == "goal":
            text = edit_task.set_goal(text, said)
            task = replace(task, goal=item(said))
        elif verb == "next":
            text = edit_task.set_next(text, said)
            task = replace(task, next=item(said))
        elif verb == "rule":
            text = edit_task.add_constraint(text, said)
            task = replace(task, constraints=(*task.constraints, item(said)))
        elif verb == "blocker":
            text = edit_task.add_blocker(text, said)
            task = replace(task, blockers=(*task.blockers, item(said)))
        elif task.steps and bool(data.draw(st.booleans())):
            text, task = changed_step(data, text, task, said)
        else:
            text = edit_steps.add_step(text, said)
            step = Step(len(task.steps) + 1, said)
            task = replace(task, steps=(*task.steps, step))
        found = current_task.parse(text)
        assert found == task
        assert found.unread == ()
        own = [task_lines(before, verb)]
        assert lost_lines(before, text, [lines for lines in own if lines]) == []


def item(said: str) -> Item:
    return Item(said, own_strength(said))


def task_lines(text: str, verb: str) -> Any:
    found = current_task.parse(text)
    if verb == "step" and found.steps:
        return found.steps[0].lines._replace(last=found.steps[-1].lines.last)
    value = found.goal if verb == "goal" else found.next if verb == "next" else None
    return value and value.lines


def changed_step(
    data: st.DataObject, text: str, task: current_task.CurrentTask, said: str
) -> tuple[str, current_task.CurrentTask]:
    step: Step = data.draw(st.sampled_from(task.steps))
    status: Status = data.draw(st.sampled_from(STATUSES))
    files = tuple(data.draw(st.lists(PATHS, min_size=1, unique=True)))
    new = replace(step, status=status, conclusion=said, files=files)
    text = edit_steps.set_step(
        text, step.number, status=status, conclusion=said, files=files
    )
    steps = tuple(new if one is step else one for one in task.steps)
    return text, replace(task, steps=steps)


@FEW
@given(
    LANGS,
    st.lists(
        st.tuples(
            TEXTS,
            TEXTS,
            st.lists(st.tuples(TEXTS, st.none() | TEXTS), max_size=3),
            st.sampled_from(["high", "medium", "low"]),
        ),
        min_size=1,
        max_size=4,
    ),
)
def test_decisions_are_what_was_decided(lang: str, entries: list[Any]) -> None:
    text = template("04-decision-log.md", lang)
    decided: list[Decision] = []
    for decision, reason, rejected, confidence in entries:
        before = text
        others = [Alternative(*one) for one in rejected if one[1]]
        supersedes = [decided[-1].id or ""] if decided else []
        text, new = edit_decisions.add(
            text,
            decision,
            reason,
            alternatives=others,
            confidence=confidence,
            supersedes=supersedes,
            date="2026-11-29",
        )
        assert lost_lines(before, text) == []
        assert (new.decision, new.reason, list(new.alternatives)) == (
            decision,
            reason,
            others,
        )
        decided.append(new)
    log = decision_log.parse(text)
    assert log.decisions == tuple(decided)
    assert log.unread == ()
    assert log.live() == (decided[-1],)
    taken = decision_taken(text, decided[0].id)
    assert decision_log.parse(taken.text).decisions == tuple(decided[1:])
    assert decision_log.parse(taken.entries[0]).decisions == (decided[0],)


@FEW
@given(LANGS, st.lists(st.tuples(TEXTS, st.none() | TEXTS), min_size=1, max_size=4))
def test_issues_are_what_was_met(lang: str, entries: list[Any]) -> None:
    text = template("03-known-issues.md", lang)
    met: list[Issue] = []
    for title, workaround in entries:
        text, new = edit_issues.add(text, title, workaround=workaround)
        assert (new.title, new.workaround) == (title, workaround)
        met.append(new)
    before = text
    text = edit_issues.resolve(text, met[0].id or "", "gone since " + met[0].title)
    met[0] = replace(met[0], status="resolved", resolution="gone since " + met[0].title)
    found = known_issues.parse(text)
    assert found.issues == tuple(met)
    assert found.unread == ()
    assert lost_lines(before, text, [known_issues.parse(before).issues[0].lines]) == []


@FEW
@given(LANGS, st.lists(TEXTS, min_size=1, max_size=5))
def test_rules_are_what_was_ordered(lang: str, texts: list[str]) -> None:
    text = template("01-coding-conventions.md", lang)
    for rule in texts:
        text = edit_rules.add_rule(text, rule)
    rules = conventions.parse(text).rules
    assert [rule.text for rule in rules] == texts
    before = text
    text = edit_rules.drop_rule(text, rules[0])
    assert conventions.parse(text).rules == rules[1:]
    assert lost_lines(before, text, [rules[0].lines]) == []


@FEW
@given(
    LANGS, st.lists(st.tuples(TEXTS, TEXTS, st.none() | st.just("go.mod")), max_size=4)
)
@example(lang="zh", stated=[("1", "ends in \\", "go.mod")])
def test_facts_are_what_was_stated(lang: str, stated: list[Any]) -> None:
    text = template("00-project-context.md", lang)
    known: dict[str, tuple[str, str | None]] = {}
    for key, value, source in stated:
        known[key] = (value, source)
        text = edit_context.set_fact(text, key, value, source)
        text = edit_context.set_command(text, key, value, source)
    context = project_context.parse(text)
    facts = {fact.key: (fact.value, fact.source) for fact in context.facts}
    commands = {one.name: (one.command, one.source) for one in context.commands}
    assert facts == commands == known
    assert context.unread == ()
    for key in known:
        text = edit_context.drop_fact(text, key)
    assert project_context.parse(text).facts == ()


ENTRIES = st.builds(
    MapEntry,
    path=PATHS,
    role=st.none() | TEXTS,
    uses=st.lists(PATHS, max_size=2, unique=True).map(tuple),
    used_by=st.lists(PATHS, max_size=2, unique=True).map(tuple),
    tested_by=st.lists(PATHS, max_size=1).map(tuple),
    generated_from=st.lists(PATHS, max_size=1).map(tuple),
)


@FEW
@given(LANGS, st.lists(ENTRIES, min_size=1, max_size=5))
def test_the_map_is_what_was_drawn(lang: str, entries: list[MapEntry]) -> None:
    text = template("05-file-map.md", lang)
    drawn: dict[str, MapEntry] = {}
    for entry in entries:
        text = edit_map.put(text, entry)
        drawn[entry.path] = entry
    found = file_map.parse(text)
    assert found == FileMap(tuple(drawn.values()))
    assert found.unread == ()


# -- edits of mangled files: refused in one line, or right

EDITS: dict[str, Callable[[str, str], str]] = {
    "goal": edit_task.set_goal,
    "next": edit_task.set_next,
    "constraint": edit_task.add_constraint,
    "blocker": edit_task.add_blocker,
    "step": edit_steps.add_step,
    "anchor": lambda text, _: edit_task.set_anchor(text, Anchor("src/a.ts", 3)),
    "decision": lambda text, said: edit_decisions.add(text, said, said)[0],
    "issue": lambda text, said: edit_issues.add(text, said, workaround=said)[0],
    "rule": edit_rules.add_rule,
    "forbidden": edit_rules.add_forbidden,
    "fact": lambda text, said: edit_context.set_fact(text, "database", said),
    "command": lambda text, said: edit_context.set_command(text, "tests", said),
    "map": lambda text, said: edit_map.put(text, MapEntry("src/n.ts", said)),
}
READS_BACK: dict[str, Callable[[str], list[str]]] = {
    "goal": lambda text: [said_by(current_task.parse(text).goal)],
    "next": lambda text: [said_by(current_task.parse(text).next)],
    "constraint": lambda text: [x.text for x in current_task.parse(text).constraints],
    "blocker": lambda text: [x.text for x in current_task.parse(text).blockers],
    "step": lambda text: [x.text for x in current_task.parse(text).steps],
    "decision": lambda text: [x.decision for x in decision_log.parse(text).decisions],
    "issue": lambda text: [x.title for x in known_issues.parse(text).issues],
    "rule": lambda text: [x.text for x in conventions.parse(text).rules],
    "forbidden": lambda text: [x.text for x in project_context.parse(text).forbidden],
    "fact": lambda text: [x.value for x in project_context.parse(text).facts],
    "command": lambda text: [x.command for x in project_context.parse(text).commands],
    "map": lambda text: [x.role or "" for x in file_map.parse(text).entries],
}


def said_by(value: Item | None) -> str:
    return value.text if value else ""


@pytest.mark.parametrize("verb", EDITS)
@FEW
@given(text=documents(), said=TEXTS)
def test_an_edit_of_anything_is_right_or_refused(
    verb: str, text: str, said: str
) -> None:
    try:
        new = EDITS[verb](text, said)
    except Refused as refusal:
        one_line = "\n" not in str(refusal)
    else:
        one_line = True
        check(verb, text, said, new)
    assert one_line


def check(verb: str, text: str, said: str, new: str) -> None:
    if verb in READS_BACK:
        assert said in READS_BACK[verb](new)
    if verb in {"decision", "issue", "rule", "forbidden", "constraint", "step"}:
        lost = lost_lines(text, new)
        assert [line for line in lost if not says_nothing(line)] == []
