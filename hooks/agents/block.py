"""Our marked block in a Markdown file of others: put in, renewed, cut out; bytes, pure.

Every byte around it stays: line ends, a byte order mark, a last line without an end. The
mark's word says what was done besides putting lines in: ``file`` (all of the file is
ours) or ``newline`` (its last line had no end).
"""

from __future__ import annotations

import re

from gitstate.errors import Refused

_BEGIN = re.compile(
    rb"(?:^|(?<=\xef\xbb\xbf))<!-- >>> gitstate(?: (file|newline))? >>>[^\n]*-->\r?\n",
    re.MULTILINE,
)
_END = re.compile(rb"^<!-- <<< gitstate <<< -->(?:\r?\n|\Z)", re.MULTILINE)


def put(data: bytes | None, text: str, by: str) -> bytes:
    """The file with ``text`` as its block, where there is one or else at its end.

    ``by``: the command that takes it out again. ``None``: there is no file. Raises
    ``Refused`` where a mark has no end: what is ours is not known then.
    """
    if data is None:
        return _block(text, by, b"file", b"\n")
    spans = _spans(data)
    if any(end < 0 for _, end, _ in spans):
        raise Refused("gitstate's lines in it have no end; take them out by hand")
    if len(spans) == 1:
        start, end, kind = spans[0]
        own = _eol(data[start:end])
        return data[:start] + _block(text, by, kind, own) + data[end:]
    if spans:
        data = cut(data) or b""
    eol = _eol(data)
    if not data or data.endswith(b"\n") or data == b"\xef\xbb\xbf":
        return data + _block(text, by, b"", eol)
    return data + eol + _block(text, by, b"newline", eol)


def cut(data: bytes) -> bytes | None:
    """The file without the block; ``None`` where all of it was ours.

    What others wrote around it stays. A mark without its end stays too.
    """
    alone = False
    for start, end, kind in reversed(_spans(data)):
        if end < 0:
            continue
        alone = alone or kind == b"file"
        head = data[:start]
        if kind == b"newline" and end == len(data):
            head = head.removesuffix(_eol(data[start:end]))
        data = head + data[end:]
    return None if alone and not data else data


def _spans(data: bytes) -> list[tuple[int, int, bytes]]:
    """Each block's begin, its end (-1: it has none), and its kind."""
    spans, position = [], 0
    while begin := _BEGIN.search(data, position):
        end = _END.search(data, begin.end())
        another = _BEGIN.search(data, begin.end())
        if end and another and another.start() < end.start():
            end = None
        spans.append((begin.start(), end.end() if end else -1, begin[1] or b""))
        position = end.end() if end else begin.end()
    return spans


def _block(text: str, by: str, kind: bytes, eol: bytes) -> bytes:
    word = b" " + kind if kind else b""
    begin = b"<!-- >>> gitstate%s >>> `%s` takes it out again -->\n" % (
        word,
        by.encode(),
    )
    whole = begin + text.encode() + b"<!-- <<< gitstate <<< -->\n"
    return whole.replace(b"\n", eol)


def _eol(data: bytes) -> bytes:
    first = data.find(b"\n")
    return b"\r\n" if first > 0 and data[first - 1 : first] == b"\r" else b"\n"
