"""A word on the desktop, where there is one; never a failure."""

from __future__ import annotations

import contextlib
import html
import shutil
import subprocess
import sys

_TIMEOUT_S = 5.0
# the words come as arguments: nothing in them is taken for a script
_SCRIPT = (
    "on run argv",
    "display notification (item 2 of argv) with title (item 1 of argv)",
    "end run",
)


def notify(title: str, text: str) -> bool:
    """Show a notification; says whether there was anybody to show it."""
    words = _command(title, text)
    if words is None:
        return False
    with contextlib.suppress(OSError, ValueError, subprocess.SubprocessError):
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_TIMEOUT_S,
            check=False,
        )
        return done.returncode == 0
    return False


def _command(title: str, text: str) -> list[str] | None:
    program = shutil.which("osascript" if sys.platform == "darwin" else "notify-send")
    if program is None:
        return None
    if sys.platform == "darwin":
        return [
            program,
            *(part for line in _SCRIPT for part in ("-e", line)),
            title,
            text,
        ]
    plain = html.escape(text, quote=False)  # the text may hold marks, the title not
    return [program, "--app-name=gitstate", "--", title, plain]
