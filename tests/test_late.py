from __future__ import annotations

import re

import pytest

from gitstate.late import late


def test_it_does_what_the_compiled_pattern_does() -> None:
    one = late(r"(?P<word>[a-z]+)-(\d)", re.IGNORECASE)
    other = re.compile(r"(?P<word>[a-z]+)-(\d)", re.IGNORECASE)
    text = "A-1, b-2"
    assert one.findall(text) == other.findall(text)
    assert one.sub("x", text, count=1) == other.sub("x", text, count=1)
    assert (one.pattern, one.flags, one.groups) == (
        other.pattern,
        other.flags,
        other.groups,
    )
    assert late(rb"\d").findall(b"a1b2") == [b"1", b"2"]


def test_a_mistake_is_told_when_it_is_used() -> None:
    broken = late("(")
    with pytest.raises(re.error):
        broken.match("x")
