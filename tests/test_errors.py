"""One line for a person, whatever the name or the system's reason."""

from __future__ import annotations

import errno
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitstate import errors
from gitstate.errors import CannotWrite, GitstateError, printable


@given(st.text() | st.binary())
def test_printable_is_one_line_that_any_terminal_takes(name: str | bytes) -> None:
    text = printable(name)

    assert text == "" or text.isprintable()
    text.encode()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("plain é 漢", "plain é 漢"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\x1b[31m", "\\x1b[31m"),
        (b"\xff", "\\xff"),
        ("\udcff", "\\xff"),
        ("\u202e", "\\xe2\\x80\\xae"),
        ("back\\slash", "back\\slash"),
        (b"", ""),
    ],
)
def test_what_is_escaped(name: str | bytes, expected: str) -> None:
    assert printable(name) == expected


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EDQUOT, "the disk quota is used up"),
        (errno.EROFS, "the file system is read-only"),
        (errno.EACCES, "permission denied"),
        (errno.EPERM, "not permitted"),
        (errno.EIO, os.strerror(errno.EIO)),
    ],
)
def test_the_systems_reasons(number: int, words: str) -> None:
    error = OSError(number, os.strerror(number), "/a\nb")

    assert str(CannotWrite.from_os(error, doing="write")) == (
        f"cannot write: {words} (/a\\nb); nothing was recorded"
    )
    assert str(CannotWrite.from_os(OSError("odd"), doing="write")) == (
        "cannot write: odd; nothing was recorded"
    )


def test_every_error_has_an_exit_code_and_stands_in_the_tree() -> None:
    kinds = [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, GitstateError)
    ]

    assert {kind.exit_code for kind in kinds} == {1, 2}
    for kind in kinds:
        assert kind.__name__ in str(errors.__doc__)
        assert kind.__doc__
