"""What people and scripts read: aligned, quiet, coloured only on a terminal.

Nothing here can fail on a character: what a stream's encoding lacks, surrogates of
undecodable names too, is written as a backslash escape.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import unicodedata
from typing import TYPE_CHECKING, Any, TextIO

from gitstate import utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

_CODES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "cyan": "36",
}
_PATIENCE_S = 1.0
_REDRAW_S = 0.2


def prepare_streams() -> None:
    """Make stdin, stdout and stderr safe to use, whatever they were started with.

    A closed descriptor is opened on ``/dev/null``: the next file that is opened would
    get its number, and a child's output would land in that file.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 lives as long as the process
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
            chosen = os.environ.get("PYTHONIOENCODING")
            if not chosen and stream.isatty() and (encoding := utf8.of_locale()):
                # as the terminal shows it
                stream.reconfigure(encoding=encoding, errors="backslashreplace")


def say(*lines: str) -> None:
    """Write lines to stdout."""
    for line in lines:
        sys.stdout.write(line + "\n")


def say_bytes(data: bytes) -> None:
    """Write a file's bytes to stdout, as they are."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def several(count: int, noun: str) -> str:
    """``1 version``, ``2 versions``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def complain(line: str) -> None:
    """Write one line to stderr, marked as gitstate's; never raises."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    with contextlib.suppress(OSError, ValueError):
        mark = paint("gitstate:", "bold", stream=sys.stderr)
        sys.stderr.write(f"{mark} {line}\n")
        sys.stderr.flush()


def say_json(value: Any) -> None:  # noqa: ANN401 a JSON document
    """Write one JSON document to stdout.

    Text stays readable where the stream is UTF-8; a surrogate (a name that is not
    UTF-8) makes the whole document ASCII, so that it is valid everywhere.
    """
    text = json.dumps(value, ensure_ascii=False, indent=2)
    encoding = (sys.stdout.encoding or "ascii").lower().replace("-", "")
    try:
        text.encode("utf-8" if encoding == "utf8" else "ascii")
    except UnicodeEncodeError:
        text = json.dumps(value, ensure_ascii=True, indent=2)
    say(text)


def colours(stream: TextIO) -> bool:
    """Is ``stream`` a terminal that wants colours (https://no-color.org)."""
    return (
        not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
        and stream.isatty()
    )


def paint(text: str, *styles: str, stream: TextIO | None = None) -> str:
    """``text`` in ``styles`` (bold, dim, red, green, yellow, cyan) where that shows."""
    if not styles or not colours(stream or sys.stdout):
        return text
    return f"\x1b[{';'.join(_CODES[style] for style in styles)}m{text}\x1b[0m"


def width(text: str) -> int:
    """Terminal columns of ``text``; colour codes of ``paint`` count nothing."""
    columns, position = 0, 0
    while position < len(text):
        char = text[position]
        if char == "\x1b" and text[position + 1 : position + 2] == "[":
            position = text.find("m", position) + 1 or len(text)
            continue
        if not unicodedata.combining(char):
            columns += 2 if unicodedata.east_asian_width(char) in "WF" else 1
        position += 1
    return columns


def aligned(
    rows: Iterable[Sequence[str]],
    *,
    right: Collection[int] = (),
    indent: int = 0,
) -> list[str]:
    """Rows as lines with aligned columns; columns in ``right`` stand to the right.

    Two spaces between columns, none at the end of a line.
    """
    table = [list(row) for row in rows]
    widths = [
        max(width(row[column]) for row in table if column < len(row))
        for column in range(max(map(len, table), default=0))
    ]
    lines = []
    for row in table:
        cells = []
        for column, cell in enumerate(row):
            gap = " " * (widths[column] - width(cell))
            cells.append(gap + cell if column in right else cell + gap)
        lines.append((" " * indent + "  ".join(cells)).rstrip(" "))
    return lines


@contextlib.contextmanager
def progress(what: str, *, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Show ``what`` on stderr when the work inside takes more than a second.

    Yields a function that is told how many are done so far. Only on a terminal, and
    gone when the work ends.
    """
    done = 0

    def tell(so_far: int) -> None:
        nonlocal done
        done = so_far

    stream = sys.stderr
    if not stream.isatty() or os.environ.get("TERM") == "dumb":
        yield tell
        return
    ended = threading.Event()

    def draw() -> None:
        if ended.wait(_PATIENCE_S):
            return
        with contextlib.suppress(OSError, ValueError):
            while True:
                count = f" {done}" if total is None else f" {done}/{total}"
                stream.write(f"\r{what} …{count if done else ''}\x1b[K")
                stream.flush()
                if ended.wait(_REDRAW_S):
                    break
            stream.write("\r\x1b[K")
            stream.flush()

    painter = threading.Thread(target=draw, name="progress", daemon=True)
    painter.start()
    try:
        yield tell
    finally:
        ended.set()
        painter.join()
