"""What has to go from the state files, and where it stands after that."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitstate.documents import (
    CURRENT_TASK,
    DECISION_LOG,
    KNOWN_ISSUES,
    decision_log,
    template,
)
from gitstate.documents.header import Capacity
from gitstate.errors import Refused
from gitstate.memory.capacity import Tidied, tidy
from gitstate.memory.overflow import over
from tests.memory.shelf import Shelf

NOW = datetime.fromisoformat("2026-11-29T12:00:00+01:00")
ARCHIVE = f"archive/{DECISION_LOG}"


def of(shelf: Shelf, max_size: int = 1 << 20) -> Tidied:
    return tidy(shelf, log_before=NOW, max_size=max_size)


def entry(number: int, *lines: str) -> str:
    said = "".join(f"- {line}\n" for line in ("Reason: because", *lines))
    return f"## D-{number:04d} Use thing {number}\n\n{said}"


def log(
    *entries: str, items: int = 20, size: str = "16 KiB", archive: str = "archive/"
) -> str:
    head = f"---\norder: 4\ncapacity: {{items: {items}, size: {size}}}\narchive: {archive}\n---\n"
    return head + "# Decision log\n\n" + "\n".join(entries)


def ids(text: str) -> list[str]:
    return [one.id or "-" for one in decision_log.parse(text).decisions]


def numbered(*numbers: int) -> list[str]:
    return [f"D-{number:04d}" for number in numbers]


def test_the_newest_decisions_stay_and_the_others_stand_in_the_archive() -> None:
    text = log(*(entry(n) for n in range(1, 26)))
    found = of(Shelf({DECISION_LOG: text}))
    assert list(found.texts) == [ARCHIVE, DECISION_LOG]
    assert ids(found.texts[DECISION_LOG]) == numbered(*range(6, 26))
    assert found.texts[ARCHIVE] == "# Decision log\n\n" + "\n".join(
        map(entry, range(1, 6))
    )
    assert found.moves[0] == (
        "D-0001 Use thing 1",
        DECISION_LOG,
        ARCHIVE,
        "the oldest",
    )
    assert found.problems == []
    kept = log(*(entry(n) for n in range(6, 26)))
    assert found.texts[DECISION_LOG] == kept


def test_what_is_no_longer_in_force_goes_before_what_is() -> None:
    text = log(
        entry(1),
        entry(2),
        entry(3, "Status: withdrawn"),
        entry(4),
        entry(5, "Supersedes: D-0002"),
        items=2,
    )
    found = of(Shelf({DECISION_LOG: text}))
    assert ids(found.texts[DECISION_LOG]) == numbered(4, 5)
    assert [(one.what[:6], one.why) for one in found.moves] == [
        ("D-0001", "the oldest"),
        ("D-0002", "superseded"),
        ("D-0003", "withdrawn"),
    ]


def test_what_supersedes_stays_as_long_as_what_it_supersedes() -> None:
    text = log(entry(1, "Supersedes: D-0003"), entry(2), entry(3), items=2)
    found = of(Shelf({DECISION_LOG: text}))
    assert ids(found.texts[DECISION_LOG]) == numbered(1, 2)


def test_a_file_that_is_too_large_loses_only_what_is_not_in_force() -> None:
    text = log(
        entry(1, f"Why not: {'x' * 900}"),
        entry(2, f"Why not: {'x' * 900}"),
        entry(3, "Supersedes: D-0001"),
        size="1 KiB",
    )
    found = of(Shelf({DECISION_LOG: text}))
    assert ids(found.texts[DECISION_LOG]) == numbered(2, 3)


def test_where_only_a_size_is_said_the_oldest_go_until_it_fits() -> None:
    entries = decision_log.parse(log(*(entry(n) for n in range(1, 6))))
    assert over(entries, Capacity(None, 100), [30] * 5, 150) == {0, 1}
    assert over(entries, Capacity(None, 1), [30] * 5, 150) == {0, 1, 2, 3}
    assert over(entries, Capacity(), [30] * 5, 150) == set()


def test_the_newest_may_stand_first() -> None:
    text = log(entry(3), entry(2), "## Use tabs\n\n- Reason: r\n", entry(1), items=2)
    found = of(Shelf({DECISION_LOG: text}))
    assert ids(found.texts[DECISION_LOG]) == numbered(3, 2)


@pytest.mark.parametrize(
    ("written", "archived"),
    [
        (
            "- **D-0001**: Use a\n  - Reason: r",
            "## D-0001 Use a\n\n- **D-0001**: Use a\n  - Reason: r\n",
        ),
        (
            "| ID | Decision | Reason |\n|---|---|---|\n| D-0001 | Use a | r |",
            "## D-0001 Use a\n\n| ID | Decision | Reason |\n|---|---|---|\n| D-0001 | Use a | r |\n",
        ),
    ],
)
def test_an_entry_of_another_form_gets_a_heading_with_its_number(
    written: str, archived: str
) -> None:
    text = log(f"{written}\n", entry(2), items=1)
    found = of(Shelf({DECISION_LOG: text}))
    assert found.texts[ARCHIVE] == f"# Decision log\n\n{archived}"
    assert ids(found.texts[ARCHIVE]) == numbered(1)
    assert ids(found.texts[DECISION_LOG]) == numbered(2)


def test_the_header_names_the_folder() -> None:
    text = log(entry(1), entry(2), items=1, archive="old/decisions")
    found = of(Shelf({DECISION_LOG: text}))
    assert list(found.texts) == [f"old/decisions/{DECISION_LOG}", DECISION_LOG]


def test_a_file_without_a_header_has_the_limits_of_its_name() -> None:
    text = "# Decisions\n\n" + "\n".join(map(entry, range(1, 23)))
    found = of(Shelf({DECISION_LOG: text}))
    assert ids(found.texts[DECISION_LOG]) == numbered(*range(3, 23))


def test_code_that_never_ends_stays() -> None:
    text = log(entry(1), entry(2) + "\n```\nnever closed\n", items=1)
    text = text.replace("D-0002", "D-0000")
    found = of(Shelf({DECISION_LOG: text}))
    assert found.texts == {}
    problem = "begins a block of code or a comment that never ends"
    assert [one.partition(":")[2] for one in found.problems] == [
        f"16 {problem}: close it, then what stands there can go"
    ]


def test_resolved_issues_go_and_open_ones_stay() -> None:
    text = template(KNOWN_ISSUES, "zh") + (
        "\n## I-0001 npm 留下两个锁文件\n\n- 类型：缺陷\n- 状态：已解决\n"
        "\n## I-0002 b\n\n- 状态：未解决\n"
    )
    found = of(Shelf({KNOWN_ISSUES: text}))
    assert found.texts == {
        f"resolved/{KNOWN_ISSUES}": (
            "# 已知问题\n\n## I-0001 npm 留下两个锁文件\n\n- 类型：缺陷\n- 状态：已解决\n"
        ),
        KNOWN_ISSUES: template(KNOWN_ISSUES, "zh")
        + "\n## I-0002 b\n\n- 状态：未解决\n",
    }


TASK = """# Current task

## Goal

Fix parseExpr in src/a.ts

## Failed attempts

- Change line 140 alone
  - Reason: breaks the other branch
- Give up

## Next step

Count brackets in parseExpr
"""
FAILED = """# Failed attempts

## Fix parseExpr in src/a.ts

- Change line 140 alone
  - Reason: breaks the other branch
- Give up
"""


def test_failed_attempts_go_to_the_one_place_of_them() -> None:
    found = of(Shelf({CURRENT_TASK: TASK}))
    start, rest = TASK.split("## Failed attempts")
    assert found.texts == {
        "long_mem/failed-attempts.md": FAILED,
        CURRENT_TASK: start + rest[rest.index("## Next") :],
    }
    assert found.moves == [
        (
            "Change line 140 alone",
            CURRENT_TASK,
            "long_mem/failed-attempts.md",
            "failed",
        ),
        ("Give up", CURRENT_TASK, "long_mem/failed-attempts.md", "failed"),
    ]


def test_what_is_not_understood_of_an_attempt_keeps_it_there() -> None:
    text = TASK.replace("branch\n", "branch\n\n  ```\n  trace\n  ```\n")
    found = of(Shelf({CURRENT_TASK: text}))
    assert "Change line 140" in found.texts[CURRENT_TASK]
    assert "trace" in found.texts[CURRENT_TASK]
    assert "Give up" not in found.texts[CURRENT_TASK]
    assert len(found.problems) == 1


def test_without_a_goal_nobody_knows_whose_attempts_they_are() -> None:
    text = TASK.replace("Fix parseExpr in src/a.ts", "")
    assert of(Shelf({CURRENT_TASK: text})).texts == {}


def whole() -> Shelf:
    return Shelf(
        {
            DECISION_LOG: log(*(entry(n) for n in range(1, 6)), items=2),
            KNOWN_ISSUES: "# K\n\n## I-0001 a\n\n- Status: resolved\n",
            CURRENT_TASK: TASK,
            "long_mem/operations.log": (
                "2026-11-01T00:00:00Z | a | read | x\n2026-11-30T00:00:00Z | a | read | y\n"
            ),
        }
    )


def test_killed_between_any_two_writes_it_is_finished_without_doubling() -> None:
    shelf = whole()
    found = of(shelf)
    assert len(found.texts) == 8
    done = shelf.with_first(found.texts, 8)
    assert of(done).texts == {}
    for count in range(8):
        killed = shelf.with_first(found.texts, count)
        lost = [
            line
            for text in shelf.values()
            for line in text.splitlines()
            if line not in "\n".join(killed.values())
        ]
        assert set(lost) <= {"## Failed attempts"}
        again = of(killed)
        assert killed.with_first(again.texts, 99) == done
        assert len(again.moves) >= 1


def test_one_file_that_cannot_be_read_stops_no_other() -> None:
    class Bad(Shelf):
        def text(self, name: str) -> str | None:
            if name == DECISION_LOG:
                raise Refused("not UTF-8 in line 3")
            return super().text(name)

    found = of(Bad(whole()))
    assert found.problems == ["not UTF-8 in line 3"]
    assert CURRENT_TASK in found.texts
    assert KNOWN_ISSUES in found.texts


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 11)), min_size=1, max_size=12),
    st.integers(1, 12),
)
def test_every_entry_stands_somewhere_and_the_newest_in_force_stay(
    drawn: list[tuple[bool, int]], items: int
) -> None:
    entries = []
    for number, (withdrawn, other) in enumerate(drawn, 1):
        more = ["Status: withdrawn"] if withdrawn else []
        if 0 < other < number:
            more.append(f"Supersedes: D-{other:04d}")
        entries.append(entry(number, *more))
    text = log(*entries, items=items)
    shelf = Shelf({DECISION_LOG: text})
    found = of(shelf)
    after = shelf.with_first(found.texts, 9)
    for one in entries:
        assert sum(one.rstrip("\n") + "\n" in part for part in after.values()) == 1
    before = [one.id for one in decision_log.parse(text).live()]
    left = decision_log.parse(after[DECISION_LOG])
    live = [one.id for one in left.live()]
    assert len(left.decisions) == min(items, len(entries))
    assert live == (before[-len(live) :] if live else [])
    assert len(live) == min(items, len(before))
