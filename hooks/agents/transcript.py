"""What a transcript says since it was read last; only whole lines, each once."""

from __future__ import annotations

import json
import os
import re
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.hooks.agents.adapter import Adapter
    from gitstate.hooks.agents.events import Fact
    from gitstate.hooks.agents.sessions import Session

_MOST = 64 << 20  # bytes at a time; older ones are passed over
_LONGEST = 8 << 20  # bytes of one line
_FIRST = 1 << 20  # bytes from the end where it was never read before


def read(adapter: Adapter, session: Session) -> Iterator[Fact]:
    """The facts since the last reading, whose place is moved on; never raises.

    A transcript that is missing, cut or of another version says nothing.
    """
    path = session.transcript
    if not path or not adapter.needles:
        return
    try:
        file = open(path, "rb", opener=_at_once)  # noqa: SIM115 held below
    except (OSError, ValueError):  # ValueError: what was told can be no path
        return
    with file:
        try:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                return
            size = found.st_size
            start = session.offset
            if start < 0:
                start = max(0, size - _FIRST)
            elif start > size:  # written anew: what it holds was said already
                session.offset = size
                return
            at = max(start, size - _MOST)
            file.seek(at)
            worth = re.compile(b"|".join(map(re.escape, adapter.needles)))
            while block := file.read(_LONGEST):
                end = block.rfind(b"\n") + 1
                if not end and at + len(block) >= size:
                    break  # half of a line is written
                end = end or len(block)  # a part of one that is too long
                for line in _lines(block[:end], worth):
                    yield from _facts(adapter, line)
                at += end
                session.offset = at
                file.seek(at)
        except OSError:
            return


def _lines(block: bytes, worth: re.Pattern[bytes]) -> Iterator[bytes]:
    """The lines of a block that are worth parsing: of millions that are not, none is cut out."""
    at = 0
    while found := worth.search(block, at):
        begin = block.rfind(b"\n", at, found.start()) + 1
        end = block.find(b"\n", found.end()) + 1 or len(block)
        yield block[max(begin, at) : end]
        at = end


def _at_once(path: str, flags: int) -> int:
    """Open what may be a pipe, too."""
    return os.open(path, flags | os.O_NONBLOCK)


def _facts(adapter: Adapter, line: bytes) -> Iterator[Fact]:
    try:
        record = json.loads(line)
        if isinstance(record, dict):
            yield from list(adapter.facts(record))
    except (ValueError, RecursionError, TypeError, AttributeError, KeyError):
        return  # of another version, or half overwritten


def skip(session: Session) -> None:
    """What is there already was said before this session was known."""
    try:
        session.offset = os.stat(session.transcript).st_size
    except (OSError, ValueError):
        session.offset = 0
