"""The message of a day: net over its versions, in both languages."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitstate.history.change import NOTHING
from gitstate.history.columns import columns
from gitstate.history.day_message import Day, compose_day, document, subject_of_day
from gitstate.history.message import FileChange
from gitstate.history.record import trailers_of
from gitstate.history.spans import MOST_LOOKS, over
from tests.documents.taking import issue_taken
from tests.history.stories import ISSUES, LOG, RULES, TASK, State

if TYPE_CHECKING:
    from gitstate.documents.vocabulary import Lang

ARCHIVE = "3f2a" * 10


def day(lang: str = "en", heads: tuple[str, ...] = ()) -> Day:
    return Day(
        day="2026-11-29",
        first=17,
        last=42,
        line="agent-state",
        archive=ARCHIVE,
        lang=lang,
        code_heads=heads,
    )


def trailers(lang: str, *heads: str) -> str:
    return (
        "State-Day: 2026-11-29\n"
        "State-Version: 42\n"
        "State-Versions: 17-42\n"
        "State-Line: agent-state\n"
        f"State-Archive: {ARCHIVE}\n"
        f"State-Lang: {lang}\n" + "".join(f"Code-Head: {head}\n" for head in heads)
    )


def a_day(lang: Lang) -> list[dict[bytes, bytes]]:
    """The states that a day went through."""
    state = State(lang)
    state.start(
        "Fix nested brackets in src/core/parser.ts parseExpr", "Locate", "Repair"
    )
    state.rule("Never edit dist/ by hand")
    states = [state.data()]
    state.step(1, "in_progress")
    states.append(state.data())
    state.step(1, "done", "root cause in parseExpr, line 142")
    state.decide("Use winston", "the team knows it")
    states.append(state.data())
    state.open_issue("Mixed lock files")
    state.open_issue("Flaky tests/parser.test.ts")
    states.append(state.data())
    state.resolve("1", "package-lock.json is gone")
    states.append(state.data())
    state.edit(
        ISSUES, lambda text: issue_taken(text, "I-0001").text
    )  # and nowhere kept
    state.decide("Use pino", "child loggers", "1", confidence="high")
    state.edit(RULES, lambda text: text.replace("- Never edit dist/ by hand\n", ""))
    states.append(state.data())
    return states


def test_a_day_in_english() -> None:
    told = over(a_day("en"))

    assert compose_day(day(heads=("a" * 40, "b" * 40, "a" * 40)), told, []) == (
        "state 2026-11-29: 1 prohibition removed, 2 decisions (v17–v42)\n"
        "\n"
        "Rules:\n"
        "- removed: Never edit dist/ by hand\n"
        "Decisions:\n"
        "- D-0001 Use winston (reason: the team knows it)\n"
        "- D-0002 Use pino (reason: child loggers; confidence: high)\n"
        "- superseded D-0001 Use winston (by D-0002)\n"
        "Progress:\n"
        "- done: Locate – root cause in parseExpr, line 142\n"
        "Issues:\n"
        "- opened I-0002 Flaky tests/parser.test.ts\n"
        "- opened and resolved I-0001 Mixed lock files"
        " (resolution: package-lock.json is gone)\n"
        "Code commits:\n"
        "- aaaaaaaaaaaa\n"
        "- bbbbbbbbbbbb\n"
        "\n" + trailers("en", "a" * 12, "b" * 12)
    )


def test_a_day_in_chinese() -> None:
    states = a_day("zh")
    states[-1][RULES.encode()] = states[0][RULES.encode()]

    message = compose_day(day("zh"), over(states), [FileChange(b"notes.md", "added")])

    assert message == (
        "state 2026-11-29: 2 项决策、1 个步骤完成、1 个问题提出 (v17–v42)\n"
        "\n"
        "决策：\n"
        "- D-0001 Use winston（理由：the team knows it）\n"
        "- D-0002 Use pino（理由：child loggers；置信度：高）\n"
        "- 被取代 D-0001 Use winston（取代者：D-0002）\n"
        "进展：\n"
        "- 完成：Locate – root cause in parseExpr, line 142\n"
        "问题：\n"
        "- 提出 I-0002 Flaky tests/parser.test.ts\n"
        "- 提出并解决 I-0001 Mixed lock files（解决方式：package-lock.json is gone）\n"
        "文件：\n"
        "- 新增 notes.md\n"
        "\n" + trailers("zh")
    )


def test_an_issue_that_came_and_went_is_counted_as_resolved_alone() -> None:
    """A subject may have no room for more than one of both, and nothing is open."""
    state = State()
    states = [state.data()]
    state.open_issue("Mixed lock files")
    states.append(state.data())
    state.resolve("1", "package-lock.json is gone")
    states.append(state.data())

    assert subject_of_day(day(), over(states), []) == (
        "state 2026-11-29: 1 issue resolved (v17–v42)"
    )


def test_git_and_we_read_the_trailers() -> None:
    message = compose_day(day(heads=("c" * 40,)), over(a_day("en")), [])

    assert trailers_of(message) == [
        tuple(row.split(": ")) for row in trailers("en", "c" * 12).splitlines()
    ]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_subject_is_never_too_long(lang: str) -> None:
    state = State()
    before = state.data()
    state.start("Fix a.py", *(f"Step {number} in b.py" for number in range(11)))
    for number in range(1, 12):
        state.step(number, "done", f"conclusion {number}")
        state.decide(f"Use library {number}", "why")
        state.open_issue(f"Issue {number}")
        state.rule(f"Must keep f{number}.py")
    for number in range(1, 12):
        state.resolve(str(number), "gone")
    told = over([before, state.data()])

    subject = subject_of_day(day(lang), told, [])

    assert columns(subject) <= 72
    assert subject.startswith("state 2026-11-29: 11 ")
    assert subject.endswith(" (v17–v42)")


def test_a_day_that_says_nothing_in_words() -> None:
    files = [FileChange(b"a.md", "changed", ("Notes",)), FileChange(b"b.md", "added")]

    assert compose_day(day(), NOTHING, files) == (
        "state 2026-11-29: 2 files changed (v17–v42)\n"
        "\n"
        "Files:\n"
        "- changed a.md: Notes\n"
        "- added b.md\n"
        "\n" + trailers("en")
    )
    assert compose_day(day(), NOTHING, []) == (
        f"state 2026-11-29: no file changed (v17–v42)\n\n{trailers('en')}"
    )


def test_a_day_of_one_version() -> None:
    one = Day(
        day="2026-11-29",
        first=17,
        last=17,
        line="agent-state",
        archive=ARCHIVE,
        lang="en",
    )

    assert subject_of_day(one, NOTHING, []) == "state 2026-11-29: no file changed (v17)"
    assert "State-Versions: 17-17\n" in one.trailers()


def test_what_a_command_is_given() -> None:
    given = document(day(heads=("a" * 40,)), over(a_day("en")), [])

    assert {
        key: value for key, value in given.items() if key not in {"changes", "body"}
    } == {
        "day": "2026-11-29",
        "versions": [17, 42],
        "line": "agent-state",
        "lang": "en",
        "files": [],
        "code_heads": ["a" * 12],
        "subject": "state 2026-11-29: 1 prohibition removed, 2 decisions (v17–v42)",
    }
    assert [one["text"] for one in given["changes"]][:2] == [
        "Never edit dist/ by hand",
        "Locate",
    ]
    message = compose_day(day(heads=("a" * 40,)), over(a_day("en")), [])
    assert given["body"] in message


def test_another_body_keeps_subject_and_trailers() -> None:
    message = compose_day(day(), over(a_day("en")), [], "In other words.")

    assert message == (
        "state 2026-11-29: 1 prohibition removed, 2 decisions (v17–v42)\n"
        f"\nIn other words.\n\n{trailers('en')}"
    )


# --- what is told over several states -------------------------------------------------


def told(*states: State | dict[bytes, bytes]) -> list[tuple[str, str, str]]:
    data = [one.data() if isinstance(one, State) else one for one in states]
    return [(one.subject, one.act, one.text) for one in over(data).items]


def test_done_and_undone_does_not_show() -> None:
    state = State()
    first = state.data()
    state.decide("Use pino", "child loggers")
    state.open_issue("Mixed lock files")

    assert told(first, state.data(), first) == []


def test_an_issue_of_before_that_was_resolved_and_taken_out() -> None:
    state = State()
    state.open_issue("Mixed lock files")
    first = state.data()
    state.resolve("1", "gone")
    second = state.data()
    state.edit(ISSUES, lambda text: issue_taken(text, "I-0001").text)

    assert told(first, second, state.data()) == [
        ("issue", "resolved", "Mixed lock files")
    ]
    assert told(first, state.data()) == [("issue", "removed", "Mixed lock files")]


def test_a_task_that_came_and_went() -> None:
    empty = State()
    state = State()
    state.start("Fix nested brackets in src/core/parser.ts", "Locate the function")
    second = state.data()
    state.step(1, "done", "line 142")
    other = State()
    other.start("Release 2.0 from scripts/release.sh", "Tag the commit")

    assert told(empty, second, state.data(), other) == [
        ("task", "started", "Release 2.0 from scripts/release.sh"),
        ("step", "added", "Tag the commit"),
        ("task", "started and ended", "Fix nested brackets in src/core/parser.ts"),
        ("step", "done", "Locate the function"),
    ]


def test_a_task_that_ended_tells_what_was_done_in_it() -> None:
    state = State()
    state.start("Fix nested brackets in src/core/parser.ts", "Locate the function")
    first = state.data()
    state.step(1, "done", "line 142")

    assert told(first, state.data(), State()) == [
        ("task", "ended", "Fix nested brackets in src/core/parser.ts"),
        ("step", "done", "Locate the function"),
    ]


def test_a_goal_that_was_worded_anew_is_one_task() -> None:
    states = []
    for goal in (
        "Fix brackets in a.ts",
        "Fix all brackets in a.ts",
        "Fix it all in a.ts",
    ):
        state = State()
        state.start(goal, "Locate the function")
        states.append(state)

    assert told(State(), *states) == [
        ("task", "started", "Fix it all in a.ts"),
        ("step", "added", "Locate the function"),
    ]


def test_a_day_of_very_many_versions_looks_at_some() -> None:
    states = []
    for number in range(MOST_LOOKS * 3):
        text = f"# Task\n\n## Goal\n\nFix a.py\n\n## Steps\n\n1. [todo] one\n\n## Notes\n\n{number}\n"
        states.append({TASK.encode(): text.encode()})
    states.append({TASK.encode(): text.replace("[todo]", "[done]").encode()})

    assert told(*states) == [("step", "done", "one")]


def test_one_state_and_none() -> None:
    assert told(State()) == []
    with pytest.raises(ValueError, match="no states"):
        over([])


def test_files_that_appear_and_vanish() -> None:
    assert told({}, {LOG.encode(): b"x"}, {}) == []
