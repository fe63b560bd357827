"""A verb called in the server's own process, with its output as a text."""

from __future__ import annotations

import contextlib
import io
import sys
import threading
from typing import TYPE_CHECKING, NamedTuple

from gitstate.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator

# the streams are the process's: one verb at a time
_ONE = threading.Lock()


class Said(NamedTuple):
    """What a verb came to: its exit code, and what it wrote."""

    code: int
    out: str
    err: str


def call(*words: str, stdin: str = "") -> Said:
    """``gitstate WORDS``, through the command's own table and error handler."""
    with _ONE, _streams(stdin) as (out, err):
        code = main(words)
    return Said(code, _text(out), _text(err))


@contextlib.contextmanager
def _streams(stdin: str) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    """The three streams in memory: nothing of a verb's is on the protocol's."""
    given = io.BytesIO(stdin.encode("utf-8", "surrogateescape"))
    out, err = io.BytesIO(), io.BytesIO()
    out_text, err_text = _as_text(out), _as_text(err)
    before = sys.stdin
    sys.stdin = _as_text(given)
    try:
        with contextlib.redirect_stdout(out_text), contextlib.redirect_stderr(err_text):
            yield out, err
    finally:
        sys.stdin = before
        for text in (out_text, err_text):
            text.flush()
            text.detach()  # a text that is given up would close what it was written to


def _as_text(stream: io.BytesIO) -> io.TextIOWrapper:
    return io.TextIOWrapper(
        stream, encoding="utf-8", errors="surrogateescape", newline="\n"
    )


def _text(stream: io.BytesIO) -> str:
    """What was written, as text that JSON can hold."""
    return stream.getvalue().decode("utf-8", "backslashreplace").rstrip("\n")
