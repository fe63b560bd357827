# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import pytest

from gitstate.documents.marks import find, rewritten
from gitstate.documents.vocabulary import vocabulary

STEP = vocabulary("step status")


@pytest.mark.parametrize(
    ("text", "status", "rest", "in_progress", "done"),
    [
        ("[done] a", "done", "a", "[in progress] a", "[done] a"),
        ("[x] a", "done", "a", "[in progress] a", "[x] a"),
        ("[ ] a", "todo", "a", "[in progress] a", "[x] a"),
        ("[~] a", "in_progress", "a", "[in progress] a", "[x] a"),
        ("[!] a", "blocked", "a", "[in progress] a", "[x] a"),
        ("**[WIP]** a", "in_progress", "a", "**[in progress]** a", "**[done]** a"),
        ("**Done:** a", "done", "a", "**in progress:** a", "**done:** a"),
        ("DONE: a", "done", "a", "in progress: a", "done: a"),
        ("Blocked - a", "blocked", "a", "in progress - a", "done - a"),
        ("✅ a", "done", "a", "🔄 a", "✅ a"),
        ("⏸️ a", "blocked", "a", "🔄 a", "✅ a"),
        ("a ✅", "done", "a", "a 🔄", "a ✅"),
        ("a (in progress)", "in_progress", "a", "a (in progress)", "a (done)"),
        ("a **(blocked)**", "blocked", "a", "a **(in progress)**", "a **(done)**"),
        ("a — done", "done", "a", "a — in progress", "a — done"),
        ("a -> done.", "done", "a", "a -> in progress.", "a -> done."),
        ("[ ] a (blocked)", "blocked", "a", "[in progress] a", "[x] a"),
        ("[ ] 🔄 a", "in_progress", "a", "[in progress] a", "[x] a"),
    ],
)
def test_marks_are_read_and_changed_where_they_stand(
    text: str, status: str, rest: str, in_progress: str, done: str
) -> None:
    mark = find(text, STEP)
    assert mark is not None
    assert (mark.status, mark.text) == (status, rest)
    assert rewritten(text, mark, "in_progress", STEP, "en") == in_progress
    assert rewritten(text, mark, "done", STEP, "en") == done


@pytest.mark.parametrize(
    ("text", "status", "blocked"),
    [
        ("[已完成] 定位", "done", "[受阻] 定位"),
        ("【进行中】定位", "in_progress", "【受阻】定位"),
        ("（待办）定位", "todo", "（受阻）定位"),
        ("定位（已完成）", "done", "定位（受阻）"),
        ("已完成：定位", "done", "受阻：定位"),
        ("定位：进行中", "in_progress", "定位：受阻"),
    ],
)
def test_marks_in_chinese(text: str, status: str, blocked: str) -> None:
    mark = find(text, STEP)
    assert mark is not None
    assert (mark.status, mark.text) == (status, "定位")
    assert rewritten(text, mark, "blocked", STEP, "zh") == blocked


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "done",
        "[a] b",
        "fix: done deals",
        "Set status: done",
        "is it done?",
        "[src/a.ts](x) b",
        "step (3 of 5)",
    ],
)
def test_no_marks(text: str) -> None:
    assert find(text, STEP) is None
    assert rewritten(text, None, "done", STEP, "en") == f"[done] {text}"


def test_an_issue_has_two_statuses() -> None:
    words = vocabulary("issue status")
    for text, status in (
        ("[x] a", "resolved"),
        ("[ ] a", "open"),
        ("✅ a", "resolved"),
    ):
        mark = find(text, words)
        assert mark is not None
        assert mark.status == status
        assert find(rewritten(text, mark, "resolved", words, "en"), words) is not None
    assert rewritten("[ ] a", find("[ ] a", words), "resolved", words, "en") == "[x] a"
