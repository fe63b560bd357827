"""``gitstate.messageCommand``: a command of the user's words the body of a day's message.

It gets the changes as JSON on its standard input, and what it prints is the body. It is
started without a shell, split as a shell would split it; where it fails, prints nothing
or takes too long, the generated body stands. Subject and trailers are always ours.
"""

from __future__ import annotations

import json
import os
import re
import select
import shlex
import signal
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING, Any

from gitstate.errors import Refused, printable
from gitstate.history.columns import one_line
from gitstate.settings import variable_name

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

TIMEOUT_S = 60.0
MAX_BYTES = 64 << 10
_MOST_LINES = 500
# a divider, a comment or scissors, a patch, a trailer: git, or a reader who greps for
# trailers, would take such a line for what it is not
_GUARDED = re.compile(
    r"---|#|;|diff -|Index: |[A-Za-z0-9-]+[ \t]*:[ \t]*\S|\(cherry picked"
)


def body_of_day(
    command: str | None,
    document: Mapping[str, Any],
    *,
    cwd: Path,
    timeout_s: float = TIMEOUT_S,
) -> tuple[str, str | None]:
    """The body of a day's message, and why it is the generated one after all.

    ``document`` is ``day_message.document``; ``command`` is the setting, ``None`` where
    it is not set.
    """
    generated = str(document["body"])
    if command is None:
        return generated, None
    try:
        return worded(command, document, cwd=cwd, timeout_s=timeout_s), None
    except Refused as error:
        return generated, f"{error}; the day is told as without it"


def worded(
    command: str,
    document: Mapping[str, Any],
    *,
    cwd: Path,
    timeout_s: float = TIMEOUT_S,
) -> str:
    """The body that the command prints for ``document``, fit for a message.

    Raises ``Refused`` with the reason where there is none to be had.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise Refused(f"gitstate.messageCommand cannot be read: {error}") from error
    if not words:
        raise Refused("gitstate.messageCommand is empty")
    body = fit(_run(words, document, cwd, timeout_s))
    if not body:
        raise Refused(
            f"gitstate.messageCommand ({printable(words[0])}) printed nothing"
        )
    return body


def _run(
    words: list[str], document: Mapping[str, Any], cwd: Path, timeout_s: float
) -> bytes:
    name = f"gitstate.messageCommand ({printable(words[0])})"
    try:
        process = _start(words, document, cwd)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Refused(f"{name} cannot be started: {reason}") from error
    try:
        said = _read(process, name, time.monotonic() + timeout_s)
    finally:
        _end(process)
    if process.returncode != 0:
        raise Refused(f"{name}: exit code {process.returncode}")
    return said


def _start(
    words: list[str], document: Mapping[str, Any], cwd: Path
) -> subprocess.Popen[bytes]:
    """Start it; raises ``OSError``, also where there is no room for what it is asked."""
    with tempfile.TemporaryFile() as asked:  # a file: it need not read it all
        asked.write(json.dumps(document, ensure_ascii=False).encode())
        asked.seek(0)
        return subprocess.Popen(
            words,
            cwd=cwd,
            env=environment(),
            stdin=asked,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # with all that it starts, it can be ended
        )


def _read(process: subprocess.Popen[bytes], name: str, deadline: float) -> bytes:
    assert process.stdout is not None  # noqa: S101 a pipe
    stream, said = process.stdout.fileno(), b""
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([stream], [], [], left)[0]:
            raise Refused(f"{name} took too long and was stopped")
        data = os.read(stream, 1 << 16)
        if not data:
            break
        said += data
        if len(said) > MAX_BYTES:
            raise Refused(f"{name} printed more than {MAX_BYTES >> 10} KiB")
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired as error:
        raise Refused(f"{name} took too long and was stopped") from error
    return said


def _end(process: subprocess.Popen[bytes]) -> None:
    """Where it did not end by itself, end the command and what it started."""
    if (
        process.returncode is None
    ):  # not waited for: its group's number is still its own
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            process.kill()
    if process.stdout is not None:
        process.stdout.close()
    process.wait()


def environment() -> dict[str, str]:
    """The user's environment without what belongs to a git or gitstate that runs.

    In a hook's ``GIT_DIR`` or ``GIT_INDEX_FILE`` a git command of theirs would work on
    another repository; ``GITSTATE_NOW`` and the like are for this process alone. A
    gitstate that the command starts has no such command: else neither would ever end.
    """
    found = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("GIT_", "GITSTATE_"))
    }
    return {**found, variable_name("messageCommand"): ""}


def fit(said: bytes) -> str:
    """A text as the body of a message: no line can be taken for anything else.

    A line that git could take for a divider, a comment, a patch or a trailer is indented.
    """
    lines = []
    for raw in said.decode("utf-8", "replace").splitlines():
        indent = raw[: len(raw) - len(raw.lstrip(" \t"))].expandtabs(4)
        text = one_line(raw)
        if not text:
            indent = ""
        elif not indent and _GUARDED.match(text):
            indent = "  "
        lines.append(indent[:40] + text)
    body = "\n".join(lines[:_MOST_LINES]).strip("\n")
    return re.sub(r"\n{3,}", "\n\n", body)
