"""The command in the test's own process: quick, with its whole output."""

from __future__ import annotations

import contextlib
import io
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gitstate.cli import main

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Said:
    """What a call of the command came to."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """Standard output, line by line."""
        return self.out.splitlines()


def call(cwd: Path, *words: str) -> Said:
    """Run ``gitstate`` with ``words`` in ``cwd``."""
    raw, err = io.BytesIO(), io.StringIO()
    out = io.TextIOWrapper(raw, encoding="utf-8", errors="surrogateescape")
    before = os.open(".", os.O_RDONLY)
    os.chdir(cwd)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(words)
        out.flush()
    finally:
        os.fchdir(before)
        os.close(before)
    text = raw.getvalue().decode("utf-8", "surrogateescape")
    assert "Traceback" not in err.getvalue(), err.getvalue()
    return Said(code, text, err.getvalue())
