"""Our lines in bytes of others: what is put in comes out again, whatever the bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitstate.hooks.git import marks

LINES = b"echo ours\n"
FIRST = st.sampled_from(
    [b"", b"#!/bin/sh", b"#!/bin/sh\n", b"#!/usr/bin/env bash\n", b"#! /bin/zsh -f\n"]
)
OTHER = st.sampled_from(
    [b"#!/usr/bin/env python3\n", b"#!/usr/bin/perl -w\n", b"#!/usr/bin/ruby"]
)
BYTES = st.binary(max_size=200).filter(lambda data: not marks.marked(data))


@given(FIRST, BYTES)
def test_put_in_and_cut(first: bytes, rest: bytes) -> None:
    data = first + rest
    put = marks.put_in(data, LINES)
    assert marks.marked(put)
    assert not marks.ours_alone(put) or data == b""
    assert marks.cut(put) == data


@given(OTHER, BYTES)
def test_put_before_and_cut(first: bytes, rest: bytes) -> None:
    data = first + b"\n" * (not first.endswith(b"\n")) + rest
    assert marks.cut(marks.put_before(data, LINES)) == data


@given(BYTES)
def test_put_at_the_end_and_cut(data: bytes) -> None:
    put = marks.put_at_end(data, LINES)
    assert put.startswith(data)
    assert marks.cut(put) == data


def test_what_follows_stays_on_a_line_of_its_own() -> None:
    put = marks.put_at_end(b"[a]\n\tb = c", LINES) + b"[d]\n"
    assert marks.cut(put) == b"[a]\n\tb = c\n[d]\n"


def test_several_times_is_once() -> None:
    data = b"#!/bin/sh\necho theirs\n"
    put = marks.put_in(marks.put_in(data, LINES), LINES)
    assert marks.cut(put) == data


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"#!/bin/sh\n", "sh"),
        (b"#! /usr/bin/env bash\n", "sh"),
        (b"#!/usr/bin/env -S zsh -f\n", "sh"),
        (b"#!/usr/bin/env A=b dash\n", "sh"),
        (b"#!/bin/busybox sh\n", "sh"),
        (b"echo no first line\n", "sh"),
        (b"#!/usr/bin/python3.12 -I\n", "python"),
        (b"#!/usr/bin/python2\n", ""),
        (b"#!/usr/bin/env perl5.36\n", "perl"),
        (b"#!/usr/bin/env ruby\n", "ruby"),
        (b"#!/usr/bin/env node\n", ""),
        (b"#!/usr/bin/env\n", ""),
        (b"#!\n", ""),
        (b"#!/bin/sh\r\n", ""),
        (b"\x7fELF\0\0", ""),
        (b"", ""),
    ],
)
def test_languages(data: bytes, found: str) -> None:
    assert marks.language(data) == found
