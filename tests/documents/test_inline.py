# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import pytest

from gitstate.documents.inline import (
    guard,
    guard_label,
    guard_title,
    join,
    label,
    one_line,
    plain,
    unguard_label,
    unguard_title,
    unwrapped,
    visible,
    wrapped,
)
from gitstate.documents.paths import path_text, paths
from gitstate.documents.vocabulary import says_nothing, vocabulary
from gitstate.errors import Refused


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("Goal: x", "goal", "x"),
        ("goal:x", "goal", "x"),
        ("**Goal:** x", "goal", "x"),
        ("**Goal**: x", "goal", "x"),
        ("*Goal*: x", "goal", "x"),
        ("__Next step__：x", "next", "x"),
        ("🎯 **Goal**: x", "goal", "x"),
        ("目标：x", "goal", "x"),
        ("**目标：** x", "goal", "x"),
        ("Goal / 目标: x", "goal", "x"),
        ("Steps (3 of 5): x", "steps", "x"),
        ("下一步 : x", "next", "x"),
        ("**Goal** — x", "goal", "x"),
        ("**Goal**", "goal", ""),
        ("Ｇｏａｌ：x", "goal", "x"),
    ],
)
def test_labels(text: str, key: str, value: str) -> None:
    found = label(text, vocabulary("task"))
    assert found is not None
    assert (found.key, text[found.end :]) == (key, value)


@pytest.mark.parametrize(
    "text",
    [
        "Goal",
        "Our goal: x",
        "goal\\: x",
        "https://goal: x",
        "; next: x",
        "a (goal: x)",
        "Goal x: y",
        "**Goal** x",
    ],
)
def test_no_labels(text: str) -> None:
    assert label(text, vocabulary("task")) is None


@pytest.mark.parametrize("text", ["Next: x", "**Steps:** x", "**Goal** — x", "目标：x"])
def test_what_begins_like_a_label_is_guarded(text: str) -> None:
    words = vocabulary("task")
    guarded = guard_label(text, words)
    assert label(guarded, words) is None
    assert unguard_label(guarded, words) == text
    assert unguard_label(guard_label(guarded, words), words) == guarded


@pytest.mark.parametrize(
    ("text", "guarded"),
    [
        ("plain text", "plain text"),
        ("# no heading", "\\# no heading"),
        ("#5 is fixed", "#5 is fixed"),
        ("- no item", "\\- no item"),
        ("1. no item", "1\\. no item"),
        ("1.5 is a number", "1.5 is a number"),
        ("> no quote", "\\> no quote"),
        ("---", "\\---"),
        ("```", "\\```"),
        ("`code` is plain", "`code` is plain"),
        ("<b>", "\\<b>"),
        ("<https://x.y>", "<https://x.y>"),
        ("[x] no box", "\\[x] no box"),
        ("a <!-- b", "a \\<!-- b"),
        ("`<!--` is code", "`<!--` is code"),
        ("\\# kept", "\\\\# kept"),
    ],
)
def test_guards(text: str, guarded: str) -> None:
    assert guard(text) == guarded


@pytest.mark.parametrize(
    ("text", "guarded"),
    [
        ("Use pino", "Use pino"),
        ("Use C#", "Use C#"),
        ("Use #", "Use \\#"),
        ("- Use", "\\- Use"),
        ("2026-11-29 is the day", "2026\\-11-29 is the day"),
        ("[draft] Use", "\\[draft] Use"),
    ],
)
def test_guards_of_titles(text: str, guarded: str) -> None:
    assert guard_title(text) == guarded
    assert unguard_title(guarded) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a <!-- b --> c", "a c"),
        ("a <!-- b", "a <!-- b"),
        ("a \\<!-- b --> c", "a <!-- b --> c"),
        ("`<!-- b -->`", "`<!-- b -->`"),
        ("<!-- `b --> c ` d", "c ` d"),
        ("<!-- a --> <!-- b -->", ""),
    ],
)
def test_comments_are_no_text(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("src/a.ts", ("src/a.ts",)),
        ("src/a.ts, src/b.ts and more", ("src/a.ts", "src/b.ts and more")),
        ("`a b.ts`、c.ts；d.ts", ("a b.ts", "c.ts", "d.ts")),
        ("`a.ts` and `b.ts`", ("a.ts", "b.ts")),
        ("[a](src/a.ts), b.ts:14-18", ("src/a.ts", "b.ts")),
        ("a.ts (new), b.ts — the rest", ("a.ts", "b.ts")),
        ("app/(group)/page.tsx", ("app/(group)/page.tsx",)),
        ("**a.ts**", ("a.ts",)),
        ("none", ()),
        ("无", ()),
        ("", ()),
        (" , ; ", ()),
    ],
)
def test_lists_of_paths(text: str, names: tuple[str, ...]) -> None:
    assert paths(text) == names


@pytest.mark.parametrize("path", ["a\nb", "", " ", "a\0b", "a\u2028b"])
def test_a_path_that_no_line_can_hold(path: str) -> None:
    with pytest.raises(Refused, match="a path cannot be written on a line"):
        path_text(path)


@pytest.mark.parametrize(
    ("text", "span"),
    [("a", "`a`"), ("`", "`` ` ``"), ("a``b", "`a``b`"), (" a ", "`  a  `")],
)
def test_code_spans(text: str, span: str) -> None:
    assert wrapped(text) == span
    assert unwrapped(span) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("`a\\*b`", "a\\*b"),
        ("a\\*b &lt;c&gt; &amp;", "a*b <c> &"),
        ("\\`a\\`", "`a`"),
        ("`a`, `b\\*`", "`a`, `b\\*`"),
    ],
)
def test_what_markdown_shows(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_lines_are_joined_as_a_reader_would() -> None:
    assert join(["Never use npm or", "yarn"]) == "Never use npm or yarn"
    assert (
        join(["禁止使用", "npm，", "", "只能用", "pnpm"]) == "禁止使用 npm，只能用 pnpm"
    )


def test_one_line() -> None:
    assert one_line(" a \r\n\n b\u2028c ", of="goal") == "a b c"
    with pytest.raises(Refused) as caught:
        one_line(" TBD\n", of="goal")
    assert str(caught.value) == "the goal says nothing: TBD"
    with pytest.raises(Refused) as caught:
        one_line("\n", of="goal")
    assert str(caught.value) == "the goal says nothing: (empty)"


@pytest.mark.parametrize(
    "text", ["", "-", "None.", "N/A", "无", "**暂无**", "…", "TBD"]
)
def test_what_says_nothing(text: str) -> None:
    assert says_nothing(text)


@pytest.mark.parametrize("text", ["no cache", "none of it works", "0", "无法连接"])
def test_what_says_something(text: str) -> None:
    assert not says_nothing(text)
