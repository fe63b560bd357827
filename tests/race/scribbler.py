"""One writer without pause: ``python -m tests.race.scribbler FILE NOTE STOP WAY``.

Every text is noted before it is written, and when it was. Just before the next one the
writer looks at what it is about to overwrite: a text that it destroys itself (before
anybody else saw it, as far as it can know) is excused; every other must be found again.

``WAY``: ``in place`` (open, write over it, cut off the rest), ``truncate`` (as a shell's
``>``), ``rename`` (a file beside it takes its place) or ``held`` (in place, a hundred
times through one descriptor).
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import IO

_BURST = {"in place": 1 << 60, "truncate": 20, "rename": 20, "held": 1}
_MANY = 100
_PAUSE_S = 0.005


def scribble(target: Path, note: Path, stop: Path, way: str) -> None:
    """Write until the stop file is there."""
    pen = Pen(target, note.with_suffix(".new"), way)
    last = ""
    with note.open("w", encoding="ascii") as report:
        count = 0
        while not stop.exists():
            count += 1
            text = f"{way} {count} {time.time_ns()}\n" * (1 + count % 50)
            _say(report, "writing", text)
            try:
                destroyed = pen.write(text.encode(), last_of_many=count % _MANY == 0)
            except FileNotFoundError:  # just being moved aside: nothing was written
                _say(report, "not written", text)
                continue
            if last and destroyed == last.encode():
                _say(report, "excused", last)
            last = text
            _say(report, "written", text)
            if count % _BURST[way] == 0:
                time.sleep(_PAUSE_S)  # so that a restore meets a text at rest, too


def _say(report: IO[str], what: str, text: str) -> None:
    report.write(json.dumps([what, text]) + "\n")
    report.flush()


class Pen:
    """How a file is written."""

    def __init__(self, target: Path, beside: Path, way: str) -> None:
        self._target = target
        self._beside = beside
        self._way = way
        self._fd = -1

    def write(self, data: bytes, *, last_of_many: bool) -> bytes:
        """Write; returns what stood in the very file that was written over."""
        if self._way == "rename":
            return self._replace(data)
        if self._fd < 0:
            self._fd = os.open(self._target, os.O_RDWR)
        before = os.pread(self._fd, 1 << 20, 0)
        if self._way == "truncate":
            os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, data, 0)
        os.ftruncate(self._fd, len(data))
        if self._way != "held" or last_of_many:
            os.close(self._fd)
            self._fd = -1
        return before

    def _replace(self, data: bytes) -> bytes:
        self._beside.write_bytes(data)
        fd = os.open(self._target, os.O_RDONLY)
        try:
            self._beside.replace(self._target)
            # still linked: it was moved away in between, and nothing was destroyed
            return b"" if os.fstat(fd).st_nlink else os.read(fd, 1 << 20)
        finally:
            os.close(fd)


if __name__ == "__main__":
    _, file, note_file, stop_file, how = sys.argv
    scribble(Path(file), Path(note_file), Path(stop_file), how)
