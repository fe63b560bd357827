"""Under which headings of a Markdown file something changed; pure, without a parser."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitstate.errors import printable
from gitstate.late import late

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_HEADING = late(rb"^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$")
_FENCES = (b"`", b"~")
_FENCE = late(rb"^ {0,3}(```+|~~~+)")


class _Section(NamedTuple):
    title: str  # "" for what stands before the first heading
    line: int  # of the heading, from 1
    text: bytes


def changed_headings(old: bytes, new: bytes) -> tuple[str, ...]:
    """The headings of ``new`` (and lost ones of ``old``) whose own text differs."""
    before, after = _texts(old), _texts(new)
    found = [title for title, text in after.items() if before.get(title) != text]
    found += [title for title in before if title not in after]
    return tuple(printable(title) for title in found if title)


def headings_over(data: bytes, spans: Iterable[tuple[int, int]]) -> set[str]:
    """The headings under which these lines stand (from 1, both ends included)."""
    found = [(section.line, printable(section.title)) for section in _sections(data)]
    titles = set()
    for first, last in spans:
        above = [title for line, title in found if line <= first]
        titles |= {title for line, title in found if first < line <= last}
        titles |= set(above[-1:])
    return titles


def _texts(data: bytes) -> dict[str, bytes]:
    """Each heading's own text; of headings that say the same, all of theirs."""
    texts: dict[str, bytes] = {}
    for title, _, text in _sections(data):
        texts[title] = texts.get(title, b"") + text
    return texts


def _sections(data: bytes) -> Iterator[_Section]:
    title, start, lines, fence = "", 1, list[bytes](), b""
    for number, line in enumerate(data.splitlines(), 1):
        sign = line.lstrip(b" ")[:1]  # most lines begin with none of these
        mark = _FENCE.match(line) if sign in _FENCES else None
        if mark:
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence):
                fence = b""
        heading = _HEADING.match(line) if sign == b"#" and not fence else None
        if heading:
            yield _section(title, start, lines)
            title, start, lines = heading[1].decode("utf-8", "replace"), number, []
        else:
            lines.append(line.rstrip())
    yield _section(title, start, lines)


def _section(title: str, line: int, lines: list[bytes]) -> _Section:
    # blank lines at the end come and go with what follows
    return _Section(title, line, b"\n".join(lines).rstrip(b"\n"))
