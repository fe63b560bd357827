from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitstate.history.note import CHECKS, FIRST_BASELINE, Note, join, parse

NOTE = Note(
    line="agent-state",
    version=42,
    commit="c" * 40,
    check="stale",
    reason="unchanged since code commit 0123456789ab",
    task="a" * 40,
    approximate=True,
)
TEXT = f"""\
State-Line: agent-state
State-Version: 42
State-Commit: {"c" * 40}
State-Check: stale
State-Reason: unchanged since code commit 0123456789ab
State-Task: {"a" * 40}
State-Approximate: yes
"""


def note(version: int, check: str, **more: object) -> Note:
    words: dict[str, object] = {"line": "agent-state", "commit": "", **more}
    return Note(version=version, check=check, **words)  # type: ignore[arg-type]


def test_the_text_is_trailers() -> None:
    assert NOTE.text() == TEXT
    assert parse(TEXT) == NOTE


def test_what_is_empty_is_left_out() -> None:
    found = note(7, "updated")
    assert found.text() == (
        "State-Line: agent-state\nState-Version: 7\nState-Check: updated\n"
    )
    assert parse(found.text()) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "banana",
        "State-Version: 1",
        "State-Check: stale",
        "State-Version: x\nState-Check: stale",
        "State-Version: ²\nState-Check: stale",
        "State-Version: -1\nState-Check: stale",
        f"State-Version: {'9' * 19}\nState-Check: stale",
        "State-Version: 1\nState-Check: banana",
        "State-Version:1\nState-Check:stale",
        "\0",
    ],
)
def test_no_record(text: str) -> None:
    assert parse(text) is None


def test_of_several_the_newest_version_and_the_weakest_check_count() -> None:
    """git's own ``notes.rewriteRef`` puts them one below the other."""
    texts = [
        note(3, "updated", task="3", commit="three").text(),
        note(5, "exempt", reason="merge", task="5", commit="five").text(),
        note(4, "bypassed", reason="why", task="4", commit="four").text(),
    ]
    for rows in (texts, texts[::-1]):
        assert parse("\n".join(rows)) == note(
            5, "bypassed", reason="why", task="5", commit="five"
        )


@pytest.mark.parametrize("weaker", range(len(CHECKS) - 1))
def test_the_order_of_the_checks(weaker: int) -> None:
    assert CHECKS == ("stale", "bypassed", "exempt", "updated")
    pair = [note(1, CHECKS[weaker]), note(2, CHECKS[weaker + 1])]
    assert join(pair).check == join(pair[::-1]).check == CHECKS[weaker]


def test_a_record_that_was_cut_is_passed_over() -> None:
    found = parse("State-Line: x\nState-Version: 9\n\n" + TEXT)
    assert found == NOTE


def test_lines_of_others_are_kept() -> None:
    text = TEXT + "\nReviewed by me\n\n\n- State: fine\nState-Of-Mind: calm\n"
    found = parse(text)
    assert found is not None
    assert found.others == (
        "Reviewed by me",
        "",
        "- State: fine",
        "State-Of-Mind: calm",
    )
    assert parse(found.text()) == found
    assert found.text().startswith(TEXT)


def test_joining_keeps_the_lines_of_others_once_a_note() -> None:
    one, two = (note(1, "updated", others=lines) for lines in (("a", "b"), ("c",)))
    assert join([one, two, one]).others == ("a", "b", "", "c")


def test_what_a_clones_init_noted_gives_way_to_a_record_of_the_commit() -> None:
    first = note(3, "exempt", reason=FIRST_BASELINE)
    real = note(2, "updated")
    assert join([first, real]) == join([real, first]) == real
    assert join([first, note(1, "exempt", reason=FIRST_BASELINE)]) == first


def test_a_reason_stays_on_one_line() -> None:
    found = note(1, "exempt", reason="two\nState-Check: stale\x1b[0m")
    assert parse(found.text()) == note(
        1, "exempt", reason="two\\nState-Check: stale\\x1b[0m"
    )


@given(st.text())
def test_any_text_is_read_and_what_is_written_is_read_the_same(text: str) -> None:
    found = parse(text + "\n" + TEXT)
    assert found is not None
    assert parse(found.text()) == found
    parse(text)
