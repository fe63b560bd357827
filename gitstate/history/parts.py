"""Two texts of a file without the sections that are the same in both; pure.

What changed stands in a few sections of a file; the parser's time goes by the length of
what it gets. A section that is the same keeps its heading, and blank lines in the place
of the rest: each line has its number still, and stands under the headings it stood under.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_HEADING = re.compile(rb"#{1,2}(?:[ \t]|$)")
_TITLE = re.compile(rb"#(?:[ \t]|$)")
# "# D-7 Use pino", "# 3. Use pino", "# 决策 3"
_NUMBERED = re.compile(
    rb"#[\W_]*(?:(?:decision|adr|dec|issue|bug|problem|debt|ki|d|i)?[\W_]*[0-9]"
    rb"|[\x80-\xff]+\s*[0-9])",
    re.IGNORECASE,
)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_REACHES = re.compile(
    rb"^(?:[ \t>]*(?:[-*+][ \t]+|[0-9]+[.)][ \t]+)*<[A-Za-z/?!]"  # HTML
    rb"|[ \t]+#{1,2}(?:[ \t]|$)"  # a heading in an item
    rb"| {0,3}=+[ \t]*$)",  # the line above is a heading
    re.MULTILINE,
)
_FENCE = re.compile(rb"^.*?(`{3,}|~{3,})(.*)$", re.MULTILINE)
_DEEPER = re.compile(rb" {0,3}#{3,6}(?:[ \t]|$)")
_ITEM = re.compile(rb"(?:[-*+]|[0-9]{1,9}[.)])[ \t]")
_WORTH_IT = 0.7  # of the length; else the whole is parsed
_Section = list[bytes]


def changed_parts(
    old: bytes, new: bytes, *, items: bool = False
) -> tuple[bytes, bytes] | None:
    """Both texts, shortened; ``None`` where that is not worth it, or could mislead.

    It could where headings of the first level part the file, or its title is numbered:
    sections of the second level then belong to one thing; and where a fence or a comment
    reaches over a heading. With ``items``, items of a list that are the same go too:
    where each stands for itself.
    """
    before, after = _sections(old), _sections(new)
    if not (_has_one_title(before) and _has_one_title(after)):
        return None
    same = _same(map(_key, before), map(_key, after))
    keys = {_key(one) for one in (*before, *after)}
    if not all(map(_is_whole, keys)):
        return None
    chunks = [
        [
            _chunks(one) if items and number and _key(one) not in same else [one]
            for number, one in enumerate(sections)
        ]
        for sections in (before, after)
    ]
    same |= _same(*(_keys(found) for found in chunks)) if items else set()
    shorter = [_without(same, sections) for sections in chunks]
    if len(shorter[1]) > _WORTH_IT * len(new):
        return None
    return shorter[0], shorter[1]


def _same(before: Iterable[bytes], after: Iterable[bytes]) -> set[bytes]:
    """What is as often in both."""
    counts = Counter(before), Counter(after)
    return {key for key, count in counts[0].items() if counts[1][key] == count}


def _keys(sections: list[list[_Section]]) -> Iterator[bytes]:
    """A key for each item of a list, under its heading."""
    for heading, *chunks in sections:
        for one in chunks:
            yield _item_key(heading, one)


def _item_key(heading: _Section, item: _Section) -> bytes:
    return b"\n".join([*heading[:1], b"", *item]).rstrip()


def _sections(data: bytes) -> list[_Section]:
    sections: list[_Section] = [[]]
    for line in data.splitlines():
        if _HEADING.match(line):
            sections.append([])
        sections[-1].append(line)
    return sections


def _has_one_title(sections: list[_Section]) -> bool:
    titles = [one[0] for one in sections if one and _TITLE.match(one[0])]
    return len(titles) <= 1 and not any(map(_NUMBERED.match, titles))


def _key(section: _Section) -> bytes:
    return b"\n".join(section).rstrip()


def _chunks(section: _Section) -> list[_Section]:
    """A section with each top item of its lists apart; first what comes before them.

    What comes after the last item is a part of it.
    """
    starts = [at for at, line in enumerate(section) if _ITEM.match(line)]
    if not starts or any(_DEEPER.match(line) for line in section):
        return [section]
    edges = [0, *starts, len(section)]
    return [section[at:end] for at, end in pairwise(edges)]


def _without(same: set[bytes], sections: list[list[_Section]]) -> bytes:
    lines: list[bytes] = []
    for number, (first, *items) in enumerate(sections):
        text = _key(first)
        if not items and text in same:
            # before the first heading stands the header, or nothing
            kept = first[:1] if number else []
            lines += [*kept, *[b""] * (len(first) - len(kept))]
            continue
        lines += first
        for item in items:
            key = _item_key(first, item)
            gone = key in same and _is_whole(key) and _stands_alone(item)
            lines += [b""] * len(item) if gone else item
    return b"\n".join(lines)


def _stands_alone(item: _Section) -> bool:
    """Whether all lines below an item are its own, or blank."""
    return all(not line or line[:1] in b" \t" for line in item[1:])


def _is_whole(text: bytes) -> bool:
    """Whether nothing reaches out of a section, or into it: a fence, a comment, an item.

    Neither has it headings that are not told by their first sign.
    """
    bare = _COMMENT.sub(b"", text)
    if b"<!--" in bare or b"-->" in bare or _REACHES.search(bare):
        return False
    fence = b""
    for mark in _FENCE.finditer(bare):
        if not fence:
            fence = mark[1]
        elif mark[1].startswith(fence) and not mark[2].strip():
            fence = b""
    return not fence
