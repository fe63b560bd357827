"""What a version says of itself: written, read by git, read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitstate.git.objects import Commit, Signature
from gitstate.history.record import Record, record_of, subject_of, trailers_of

WHO = Signature("A", "a@b", 1, 0)
# what `printable` leaves as it is; blanks at an end are cut off by git too
plain = st.text(
    st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=20
).filter(str.isprintable)


def commit(message: str) -> Commit:
    return Commit("c" * 40, "t" * 40, (), WHO, WHO, message)


@given(
    version=st.integers(1, 10**9),
    line=plain,
    branch=st.none() | plain,
    head=st.none() | st.just("3f2a" * 10),
    restored=st.none() | st.integers(1, 10**9),
    gap=st.none() | st.just("41-42"),
    skipped=st.lists(plain, max_size=3).map(tuple),
)
def test_a_record_comes_back_as_it_was_written(
    *,
    version: int,
    line: str,
    branch: str | None,
    head: str | None,
    restored: int | None,
    gap: str | None,
    skipped: tuple[str, ...],
) -> None:
    record = Record(
        version=version,
        line=line,
        code_branch=branch,
        code_head=head,
        restored_from=restored,
        gap=gap,
        skipped=skipped,
    )

    assert record_of(commit(f"state v1: x\n\nbody\n\n{record.trailers()}")) == record


@pytest.mark.parametrize(
    "message",
    [
        "",
        "state v1: x\n",
        "state v1: x\n\nState-Version: 1\n",  # of no line
        "x\n\nState-Version: 0\nState-Line: a\n",
        "x\n\nState-Version: -1\nState-Line: a\n",
        "x\n\nState-Version: 1.5\nState-Line: a\n",
        "x\n\nState-Version: \u0661\nState-Line: a\n",
        "x\n\nState-Version: ²\nState-Line: a\n",
        "x\n\nState-Version: \nState-Line: a\n",
        "x\n\nState-Version: 1\nState-Line: a\nno trailer\n",
        "x\n\nState-Version: 1\nState-Line: a\n\nlast paragraph\n",
        "x\n\n    State-Version: 1\n    State-Line: a\n",
    ],
)
def test_what_is_no_version(message: str) -> None:
    assert record_of(commit(message)) is None


def test_the_first_of_two_numbers_counts() -> None:
    text = "x\n\nState-Version: 1\nState-Line: a\nState-Version: 2\n"
    found = record_of(commit(text))

    assert found is not None
    assert found.version == 1


def test_trailers_of_others_are_kept_apart() -> None:
    text = "x\n\nState-Version: 3\nState-Line: a\nAgent: claude-code\n"

    assert trailers_of(text) == [
        ("State-Version", "3"),
        ("State-Line", "a"),
        ("Agent", "claude-code"),
    ]
    found = record_of(commit(text))
    assert found == Record(version=3, line="a")


def test_a_hostile_branch_name_adds_no_trailer() -> None:
    record = Record(
        version=1, line="a", code_branch="x\nState-Version: 9", skipped=("a\n\nb",)
    )

    assert record.trailers().splitlines() == [
        "State-Version: 1",
        "State-Line: a",
        "Code-Branch: x\\nState-Version: 9",
        "State-Lang: en",
        "Skipped: a\\n\\nb",
    ]


def test_the_subject() -> None:
    assert subject_of(commit("state v1: x\n\nbody")) == "state v1: x"
    assert subject_of(commit("")) == ""
