"""What an edit refuses, in which words, and where it puts what it adds."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitstate.documents import (
    conventions,
    current_task,
    decision_log,
    file_map,
    known_issues,
)
from gitstate.documents.anchors import Anchor, anchor_of
from gitstate.documents.edit_context import drop_fact, set_command, set_fact
from gitstate.documents.edit_decisions import add as decide
from gitstate.documents.edit_issues import add as open_issue
from gitstate.documents.edit_issues import resolve
from gitstate.documents.edit_map import put
from gitstate.documents.edit_rules import add_rule, drop_rule
from gitstate.documents.edit_steps import add_step, set_step
from gitstate.documents.edit_task import (
    add_blocker,
    add_constraint,
    drop_blocker,
    drop_failed,
    set_anchor,
    set_goal,
    set_next,
)
from gitstate.documents.file_map import MapEntry
from gitstate.errors import Refused
from tests.documents.taking import decision_taken

if TYPE_CHECKING:
    from collections.abc import Callable

FENCE = "# T\n\n## Steps\n\n```\nnever closed\n"
CLOSE = "line 5 begins a block of code or a comment that never ends: close it first"


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        (lambda: set_goal("", " "), "the goal says nothing: (empty)"),
        (lambda: add_step("", "TBD\n"), "the step says nothing: TBD"),
        (lambda: set_goal(FENCE, "x y"), None),
        (lambda: set_next(FENCE, "x y"), CLOSE),
        (lambda: decide(FENCE, "a b", "c d"), CLOSE),
        (
            lambda: set_step("1. a", 1, status="done"),
            "there is no step 1; the steps are: none",
        ),
        (
            lambda: set_step("## Steps\n1. a\n2. b\n", 3, status="done"),
            "there is no step 3; the steps are: 1, 2",
        ),
        (
            lambda: set_anchor("", Anchor("src/a.ts:12", 3)),
            "not the path of a file: src/a.ts:12",
        ),
        (
            lambda: set_anchor("", Anchor("a\nb", 3)),
            "a path cannot be written on a line: a\\nb",
        ),
        (lambda: resolve("", "I-3"), "there is no I-3"),
        (
            lambda: resolve("## I-2 a\n", "x\ny"),
            "there is no x\\ny; the newest is I-0002",
        ),
        (
            lambda: resolve("## I-2 a\n\n## I-2 b\n", "2"),
            "I-0002 stands in lines 1 and 3: give one of them another number",
        ),
        (
            lambda: decide("", "a b", "c d", supersedes=["D-1"]),
            "there is no decision D-1 before D-0001",
        ),
        (
            lambda: decide("", "a b", "c d", supersedes=["the old one"]),
            "there is no decision the old one before D-0001",
        ),
        (lambda: drop_fact("", "os"), "there is no fact os"),
        (
            lambda: set_fact("- os: a\n- os: b\n", "os", "c"),
            "os stands in lines 1 and 2: change them by hand",
        ),
        (
            lambda: put("- a.ts: x\n- a.ts: y\n", MapEntry("a.ts", "z")),
            "a.ts stands in lines 1 and 2: keep one of them",
        ),
        (
            lambda: put(
                "- a.ts: x\n\n  ```\n  code\n  ```\n  - Uses: b.ts\n", MapEntry("a.ts")
            ),
            "line 1 holds more than an entry: change it by hand",
        ),
        (
            lambda: set_step(
                "## Steps\n\n| Step |\n|---|\n| a |\n", 1, conclusion="b c"
            ),
            "the table of steps has no column for the conclusion: add one",
        ),
    ],
)
def test_refused_in_one_line(edit: Callable[[], object], line: str | None) -> None:
    if line is None:
        edit()
        return
    with pytest.raises(Refused) as caught:
        edit()
    assert str(caught.value) == line


def test_what_has_changed_since_it_was_read_is_not_dropped() -> None:
    text = "## Rules\n- Must a\n- Must b\n"
    [first, second] = conventions.parse(text).rules
    left = drop_rule(text, first)
    assert left == "## Rules\n- Must b\n"
    with pytest.raises(Refused) as caught:
        drop_rule(left, second)
    assert str(caught.value) == "line 3 does not say so any more: read it again"
    task = "## Blockers\n- a b\n- c d\n"
    [one, _] = current_task.parse(task).blockers
    assert drop_blocker(task, one) == "## Blockers\n- c d\n"
    with pytest.raises(Refused):
        drop_blocker("## Blockers\n- c d\n", one)


def test_a_rule_that_holds_rules_is_not_dropped() -> None:
    text = "- Never a\n  - Never b\n"
    first, second = conventions.parse(text).rules
    with pytest.raises(Refused) as caught:
        drop_rule(text, first)
    assert str(caught.value) == "other rules are nested in line 1: drop those first"
    assert drop_rule(text, second) == "- Never a\n"


def test_nothing_gives_way_to_something() -> None:
    assert add_blocker("## Blockers\n\nNone.\n", "a b") == "## Blockers\n\n- a b\n"
    assert add_blocker("## Blockers\n* none\n", "a b") == "## Blockers\n* a b\n"
    assert add_constraint("**Constraints:** n/a\n", "a b") == "**Constraints:** a b\n"
    text = "- **Blockers:** a b\n"
    [blocker] = current_task.parse(text).blockers
    assert drop_blocker(text, blocker) == "- **Blockers:**\n"


def test_a_step_looks_like_the_last_one() -> None:
    assert add_step("## Plan\n- [x] a\n", "b") == "## Plan\n- [x] a\n- [ ] b\n"
    assert add_step("## 计划\n3) a\n", "b") == "## 计划\n3) a\n4) [待办] b\n"
    loose = "## Steps\n\n1. a\n\n2. b\n   c\n"
    assert add_step(loose, "d") == f"{loose}\n3. [todo] d\n"
    quoted = "## Steps\n> 1. a\n"
    assert add_step(quoted, "b") == f"{quoted}> 2. [todo] b\n"
    ones = "## Steps\n1. a\n1. b\n"
    assert add_step(ones, "c") == f"{ones}3. [todo] c\n"
    headings = "## Steps\n\n### 1. a\n\nb\n\n## Next\n"
    assert add_step(headings, "c") == (
        "## Steps\n\n### 1. a\n\nb\n\n### 2. [todo] c\n\n## Next\n"
    )
    table = "## Steps\n\n| # | Step | Status |\n|---|---|---|\n| 1 | a | done |\n"
    assert add_step(table, "b | c") == f"{table}| 2 | b \\| c | todo |\n"


def test_a_mark_behind_several_lines_makes_them_one() -> None:
    text = "## Steps\n1. a long\n   text (todo)\n2. b\n"
    assert set_step(text, 1, status="done") == (
        "## Steps\n1. a long text (done)\n2. b\n"
    )


def test_a_section_is_added_where_it_belongs() -> None:
    text = "# Task\n\n### Goal\na b\n\n### Steps\n1. c\n"
    assert add_constraint(text, "d e") == (
        "# Task\n\n### Goal\na b\n\n### Constraints\n\n- d e\n\n### Steps\n1. c\n"
    )
    assert set_goal("", "a b") == "## Goal\n\na b\n"
    assert set_next("x", "a b") == "x\n\n## Next step\n\na b\n"
    assert set_next("任务内容", "a b") == "任务内容\n\n## 下一步\n\na b\n"


def test_the_form_of_a_line_is_kept() -> None:
    assert set_goal("**Goal:** a\n  b\n", "c d") == "**Goal:** c d\n"
    assert set_goal("* __Goal__ : a\n", "c d") == "* __Goal__ : c d\n"
    assert set_next("## Next: a\n", "c d") == "## Next: c d\n"
    assert set_anchor("锚点：a.ts:1\r\n", Anchor("b.ts", 2)) == "锚点：b.ts:2\r\n"
    assert set_fact("1. **os** = a\n", "os", "b") == "1. **os** = b\n"
    assert set_goal("## Goal\n\n> a\n> b\n", "c d") == "## Goal\n\n> c d\n"


def test_line_ends_stay_and_new_lines_end_like_their_neighbours() -> None:
    text = "## Rules\r\n- Must a\r\n- Must b\n- Must c"
    assert add_rule(text, "Must d") == f"{text}\n- Must d\n"
    text = "\ufeff## Rules\r- Must a\r"
    assert add_rule(text, "Must d") == f"{text}- Must d\r"
    text = "## Steps\r\n1. a\r\n2. b"
    assert set_step(text, 2, status="done") == "## Steps\r\n1. a\r\n2. [done] b"


def test_the_newest_stand_where_the_newest_are() -> None:
    text = "# Log\n\n### D-12 b\n\n### D-11 a\n"
    new, decision = decide(text, "c d", "e f")
    assert decision.id == "D-0013"
    assert new == (
        "# Log\n\n### D-0013 c d\n\n- Reason: e f\n- Confidence: medium\n\n"
        "### D-12 b\n\n### D-11 a\n"
    )


def test_a_decision_moves_with_the_bar_that_closes_it() -> None:
    text = "# L\n\n## D-1 a\n\n- Reason: b\n\n---\n\n## D-2 c\n\n- Reason: d\n"
    taken = decision_taken(text, "D-0001")
    assert taken.text == "# L\n\n## D-2 c\n\n- Reason: d\n"
    assert taken.entries == ("## D-1 a\n\n- Reason: b",)


def test_a_backtick_of_a_role_may_begin_a_code_span_of_the_whole_line() -> None:
    entry = MapEntry("a.ts", "` 1 <!--", generated_from=("a b.ts",))
    text = put("## Files\n", entry)
    assert text == "## Files\n\n- a.ts: ` 1 <!--; generated from: `a b.ts`\n"
    assert file_map.parse(text).entries == (entry,)


def test_a_row_is_added_where_all_are_rows() -> None:
    text = "| ID | Issue | Type | Status |\n|---|---|---|---|\n| 1 | a | bug | open |\n"
    new, issue = open_issue(text, "b | c", kind_="debt")
    assert new == f"{text}| I-0002 | b \\| c | debt | open |\n"
    assert known_issues.parse(new).issues[1] == issue
    new, _ = open_issue(text, "b", workaround="no column for it")
    assert new.startswith(f"{text}\n## I-0002 b\n")


def test_an_issue_is_resolved_where_its_status_stands() -> None:
    assert resolve("- [ ] I-3 a\n", "3") == "- [x] I-3 a\n"
    assert resolve("## [open] I-3 a\n", "3") == "## [resolved] I-3 a\n"
    assert resolve("## I-3 a\nStatus: open\n", "3") == "## I-3 a\nStatus: resolved\n"
    assert resolve("## I-3 a\n", "3", "b c") == (
        "## I-3 a\n\n- Status: resolved\n- Resolution: b c\n"
    )
    assert resolve("| ID | Issue | Status |\n|-|-|-|\n| 3 | a | open |\n", "3") == (
        "| ID | Issue | Status |\n|-|-|-|\n| 3 | a | resolved |\n"
    )


def test_failed_attempts_leave_the_task() -> None:
    text = "## Failed attempts\n\n- a: b\n  - c\n- d — e\n\n## Next\n\nf g\n"
    assert [(one.approach, one.reason) for one in current_task.parse(text).failed] == [
        ("a", "b; c"),
        ("d", "e"),
    ]
    assert drop_failed(text) == "## Failed attempts\n\n\n## Next\n\nf g\n"


def test_a_command_in_a_script_stays_there() -> None:
    text = "## Commands\n```sh\n$ make a  # build\n```\n"
    assert set_command(text, "build", "make b") == (
        "## Commands\n```sh\n$ make b  # build\n```\n"
    )


@pytest.mark.parametrize(
    ("text", "file", "line"),
    [
        ("src/a.ts:142", "src/a.ts", 142),
        ("`src/a.ts:142`", "src/a.ts", 142),
        ("`src/a.ts`:142", "src/a.ts", 142),
        ("src/a.ts", "src/a.ts", None),
        ("src/a.ts line 142", "src/a.ts", 142),
        ("src/a.ts, L142 (parseExpr)", "src/a.ts", 142),
        ("src/a.ts#L142-L150", "src/a.ts", 142),
        ("src/a.ts:142:7", "src/a.ts", 142),
        ("[a.ts:142](src/a.ts)", "src/a.ts", 142),
        ("[a](src/a.ts#L142)", "src/a.ts", 142),
        ("文件：src/a.ts；第 142 行", "src/a.ts", 142),
        ("File: `a b.ts`, line 7", "a b.ts", 7),
    ],
)
def test_anchors(text: str, file: str, line: int | None) -> None:
    assert anchor_of(text) == Anchor(file, line)


@pytest.mark.parametrize("text", ["", "none", "待定", "-", ":"])
def test_no_anchor(text: str) -> None:
    assert anchor_of(text) is None


def test_which_decisions_are_in_force() -> None:
    log = decision_log.parse(
        "- D-5 e\n- ~~D-6 f~~\n\n## D-1 a\n\n## D-2 b\n- Supersedes: D-1\n\n## D-3 c\n- Supersedes: D-2\n"
        "- Status: withdrawn\n\n## D-4 d (superseded by D-9)\n\n"
        "## g\n- Reason: h\n"
    )
    assert [one.id for one in log.live()] == ["D-0005", "D-0002", None]
    for id_ in ("2", "d2", "#2", "Decision 2"):
        found = log.find(id_)
        assert found is not None
        assert found.decision == "b"
    assert log.find("x") is None
