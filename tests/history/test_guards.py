"""Deletions that are meant, and files that vanished: the rules, one by one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitstate.history.guards import Memory, Sight, Vanished, Verdict, judge, without

if TYPE_CHECKING:
    from collections.abc import Collection

MAIN = Sight("main", "a" * 40, None)
PARENT = (b"00-a.md", b"01-b.md", b"notes.md", b"x/y.md", b"x/z.md")


def look(
    missing: Collection[bytes],
    memory: Memory | None = None,
    *,
    sight: Sight = MAIN,
    now_s: float = 100.0,
    **words: Any,
) -> Verdict:
    return judge(
        missing,
        parent=PARENT,
        memory=Memory(MAIN) if memory is None else memory,
        sight=sight,
        operation=words.pop("operation", None),
        now_s=now_s,
        **words,
    )


def test_nothing_missing() -> None:
    assert look([]) == Verdict(frozenset(), Memory(MAIN))


def test_a_single_deletion_is_believed_at_the_second_look() -> None:
    first = look([b"notes.md"])
    assert not first.deleted
    assert first.held == {b"notes.md"}

    at_once = look([b"notes.md"], first.memory, now_s=100.2)
    assert not at_once.deleted
    assert at_once.held == {b"notes.md"}

    second = look([b"notes.md"], at_once.memory, now_s=101.0)
    assert second == Verdict(frozenset({b"notes.md"}), Memory(MAIN))


def test_a_deletion_that_was_taken_back_waits_anew() -> None:
    first = look([b"notes.md"])
    back = look([], first.memory, now_s=150)
    assert back.memory == Memory(MAIN)

    assert look([b"notes.md"], back.memory, now_s=160).deleted == frozenset()


def test_a_clock_that_was_put_back_does_not_hold_a_deletion_for_ever() -> None:
    first = look([b"notes.md"], now_s=1e9)

    assert look([b"notes.md"], first.memory, now_s=100).deleted == {b"notes.md"}


def test_a_command_of_the_user_counts_as_the_second_look() -> None:
    assert look([b"notes.md"], certain=True).deleted == {b"notes.md"}
    assert look([b"00-a.md"], certain=True).deleted == {b"00-a.md"}


@pytest.mark.parametrize(
    ("sight", "operation", "missing", "reason"),
    [
        (Sight("side", "a" * 40, None), None, [b"notes.md"], "HEAD moved"),
        (Sight("main", "b" * 40, None), None, [b"notes.md"], "HEAD moved"),
        (Sight(None, "a" * 40, None), None, [b"notes.md"], "HEAD moved"),
        (Sight("main", None, None), None, [b"notes.md"], "HEAD moved"),
        (
            Sight("main", "a" * 40, "c" * 40),
            None,
            [b"notes.md"],
            "a stash was made or dropped",
        ),
        (MAIN, "rebase", [b"notes.md"], "a rebase is under way"),
        (MAIN, None, [b"00-a.md", b"01-b.md"], "several numbered files went at once"),
        (MAIN, None, PARENT, "all files went at once"),
    ],
)
@pytest.mark.parametrize("certain", [False, True])
def test_what_vanished_is_held_with_its_reason(
    *,
    sight: Sight,
    operation: str | None,
    missing: list[bytes],
    reason: str,
    certain: bool,
) -> None:
    found = look(missing, sight=sight, operation=operation, certain=certain)

    assert found.deleted == frozenset()
    assert found.held == set(missing)
    assert found.memory == Memory(
        sight, {}, {path: Vanished(reason, "a" * 40) for path in missing}
    )
    # however often it is looked at
    again = look(missing, found.memory, sight=sight, now_s=1e6, certain=certain)
    assert again.memory.vanished == found.memory.vanished
    assert again.deleted == frozenset()


def test_two_files_that_are_not_numbered_are_deletions() -> None:
    first = look([b"notes.md", b"x/y.md"])
    assert first.memory.vanished == {}

    second = look([b"notes.md", b"x/y.md"], first.memory, now_s=102)
    assert second.deleted == {b"notes.md", b"x/y.md"}


def test_numbered_files_in_folders_are_no_numbered_files() -> None:
    found = judge(
        [b"archive/00-a.md", b"archive/01-b.md"],
        parent=[*PARENT, b"archive/00-a.md", b"archive/01-b.md"],
        memory=Memory(MAIN),
        sight=MAIN,
        operation=None,
        now_s=1,
    )

    assert found.memory.vanished == {}


def test_the_only_file_can_be_deleted() -> None:
    found = judge(
        [b"00-a.md"],
        parent=[b"00-a.md"],
        memory=Memory(MAIN),
        sight=MAIN,
        operation=None,
        now_s=1,
        certain=True,
    )

    assert found.deleted == {b"00-a.md"}


def test_a_deletion_after_something_vanished_is_judged_for_itself() -> None:
    held = look([b"00-a.md", b"01-b.md"])

    found = look([b"00-a.md", b"01-b.md", b"notes.md"], held.memory, certain=True)

    assert found.deleted == {b"notes.md"}
    assert found.held == {b"00-a.md", b"01-b.md"}


def test_what_comes_back_is_held_no_more() -> None:
    held = look([b"00-a.md", b"01-b.md"])

    found = look([b"01-b.md"], held.memory, now_s=1e6)

    assert set(found.memory.vanished) == {b"01-b.md"}
    assert found.deleted == frozenset()


def test_deletions_that_are_meant() -> None:
    held = look(PARENT)

    found = look(PARENT, held.memory, deletions=True)

    assert found == Verdict(frozenset(PARENT), Memory(MAIN))


def test_without_forgets_what_is_back() -> None:
    memory = Memory(
        MAIN,
        {b"a": 1.0, b"b": 2.0},
        {b"c": Vanished("x", None), b"d": Vanished("x", None)},
    )

    assert without(memory, {b"a", b"c"}) == Memory(
        MAIN, {b"b": 2.0}, {b"d": Vanished("x", None)}
    )


memories = st.builds(
    Memory,
    st.none()
    | st.builds(Sight, st.none() | st.text(), st.none() | st.text(), st.none()),
    st.dictionaries(
        st.binary(min_size=1).filter(lambda b: b"\0" not in b), st.floats(0, 1e12)
    ),
    st.dictionaries(
        st.binary(min_size=1).filter(lambda b: b"\0" not in b),
        st.builds(Vanished, st.text(), st.none() | st.text()),
    ),
)


@given(memory=memories)
def test_a_memory_outlives_its_process(memory: Memory) -> None:
    text = json.dumps(memory.dump(), ensure_ascii=True)

    assert Memory.load(json.loads(text)) == memory


@pytest.mark.parametrize(
    "found",
    [
        None,
        {},
        {"sight": 3, "waiting": {}, "vanished": {}},
        {"sight": ["a"], "waiting": {}, "vanished": {}},
        {"sight": None, "waiting": [], "vanished": {}},
        {"sight": None, "waiting": {"a": "x"}, "vanished": {}},
        {"sight": None, "waiting": {"a": None}, "vanished": {}},
        {"sight": None, "waiting": {}, "vanished": {"a": 1}},
        {"sight": None, "waiting": {}, "vanished": {"a": ["x"]}},
        {"sight": None, "waiting": {"\ud800": 1}, "vanished": {}},
        {"sight": None, "waiting": 7, "vanished": None},
        {"waiting": {}},
    ],
)
def test_a_garbled_memory_is_no_memory(found: dict[str, Any] | None) -> None:
    assert Memory.load(found) == Memory()


@given(
    missing=st.sets(st.sampled_from(PARENT)),
    memory=memories,
    operation=st.none() | st.just("merge"),
    now_s=st.floats(0, 1e12),
    certain=st.booleans(),
)
def test_every_missing_file_is_deleted_or_held(
    *,
    missing: set[bytes],
    memory: Memory,
    operation: str | None,
    now_s: float,
    certain: bool,
) -> None:
    found = look(missing, memory, operation=operation, now_s=now_s, certain=certain)

    assert found.deleted | found.held == missing
    assert not found.deleted & found.held
    if operation:
        assert not found.deleted
