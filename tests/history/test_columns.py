"""How wide a text is, and where it is cut."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitstate.history.columns import clip, columns, one_line

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
FLAG = "\U0001f1e9\U0001f1ea"
THUMB = "\U0001f44d\U0001f3fd"


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("plain", 5, "plain"),
        ("plain text", 6, "plain…"),
        ("plain text", 7, "plain…"),  # no blank before the mark
        ("漢字漢字", 8, "漢字漢字"),
        ("漢字漢字", 7, "漢字漢…"),
        ("漢字漢字", 6, "漢字…"),  # a half of a wide sign is none
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
        (f"ab{FAMILY}cd", 8, "ab…"),
        (f"ab{FAMILY}cdefgh", 11, f"ab{FAMILY}…"),
        (f"{FLAG}{FLAG}", 3, f"{FLAG}…"),
        (f"{FLAG}{FLAG}", 2, "…"),
        (f"{THUMB}{THUMB}", 6, f"{THUMB}…"),
        ("각각각", 4, "각…"),
        ("\u1100\u1161\u11a8\u1100\u1161\u11a8", 5, "\u1100\u1161\u11a8…"),
        ("x", 1, "x"),
        ("xy", 1, "…"),
    ],
)
def test_a_text_is_cut_between_what_a_reader_sees(
    text: str, limit: int, expected: str
) -> None:
    assert clip(text, limit) == expected


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["a", "漢", " ", FAMILY, FLAG, THUMB, "e\u0301", "ที่", "…"]),
        max_size=30,
    ),
    st.integers(1, 40),
)
def test_a_cut_text_keeps_whole_signs(signs: list[str], limit: int) -> None:
    text = "".join(signs)

    clipped = clip(text, limit)

    assert columns(clipped) <= limit
    if clipped != text:
        kept = clipped.removesuffix("…")
        starts = {"".join(signs[:count]).rstrip() for count in range(len(signs))}
        assert kept in starts


def test_columns() -> None:
    assert columns("abc") == 3
    assert columns("漢字") == 4
    assert columns("e\u0301") == 1
    assert columns("，") == 2  # noqa: RUF001 Chinese


@settings(deadline=None)
@given(st.text())
def test_a_text_becomes_one_line(text: str) -> None:
    said = one_line(text)

    assert len(said.splitlines()) <= 1
    assert said == said.strip()
    assert all(
        char.isprintable() or unicodedata.name(char).startswith("ZERO WIDTH")
        for char in said
    )
    said.encode()  # a lone surrogate is escaped


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n\tb  c\r\n", "a b c"),
        ("漢\u3000字", "漢 字"),
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\u202eb", "a\\xe2\\x80\\xaeb"),
        (FAMILY, FAMILY),
        ("\ud800", "\\ud800"),
    ],
)
def test_one_line(text: str, expected: str) -> None:
    assert one_line(text) == expected
