"""Two texts of a file without the sections that are the same in both; pure.

What changed stands in a few sections of a file; the parser's time goes by the length of
what it gets. A section that is the same keeps its heading, and blank lines in the place
of the rest: each line has its number still, and stands under the headings it stood under.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_HEADINGS = (b"# ", b"#\t", b"## ", b"##\t")
_BARE_HEADINGS = frozenset({b"#", b"##"})
# "# D-7 Use pino", "# 3. Use pino", "# 决策 3"
_NUMBERED = re.compile(
    rb"#[\W_]*(?:(?:decision|adr|dec|issue|bug|problem|debt|ki|d|i)?[\W_]*[0-9]"
    rb"|[\x80-\xff]+\s*[0-9])",
    re.IGNORECASE,
)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_SIGNS = (b"<", b" #", b"\t#", b"=")  # one of them is in all that is found below
_REACHES = re.compile(
    rb"^(?:[ \t>]*(?:[-*+][ \t]+|[0-9]+[.)][ \t]+)*<[A-Za-z/?!]"  # HTML
    rb"|[ \t]+#{1,2}(?:[ \t]|$)"  # a heading in an item
    rb"| {0,3}=+[ \t]*$)",  # the line above is a heading
    re.MULTILINE,
)
_FENCES = (b"```", b"~~~")
_FENCE = re.compile(rb"^.*?(`{3,}|~{3,})(.*)$", re.MULTILINE)
_ITEM = re.compile(rb"(?:[-*+]|[0-9]{1,9}[.)])[ \t]")
_WORTH_IT = 0.7  # of the length; else the whole is parsed
_Lines = list[bytes]


def changed_parts(
    old: bytes, new: bytes, *, items: bool = False
) -> tuple[bytes, bytes] | None:
    """Both texts, shortened; ``None`` where that is not worth it, or could mislead.

    It could where headings of the first level part the file, or its title is numbered:
    sections of the second level then belong to one thing; and where a fence or a comment
    reaches over a heading. With ``items``, items of a list that are the same go too, for
    a file in which each stands for itself; a heading more or less may rule them all there.
    """
    before, after = _sections(old), _sections(new)
    if not (_are_apart(old, before) and _are_apart(new, after)):
        return None
    if items and [one[:1] for one in before[1:]] != [one[:1] for one in after[1:]]:
        return None
    first, last = _same_ends(before, after)
    changed = before[first : len(before) - last], after[first : len(after) - last]
    left = (0, 0)
    if items and first and len(changed[0]) == len(changed[1]) == 1:
        left = _same_items(changed[0][0], changed[1][0])
    shorter = [_without(sections, first, last, left) for sections in (before, after)]
    if len(shorter[1]) > _WORTH_IT * len(new):
        return None
    return shorter[0], shorter[1]


def _sections(data: bytes) -> list[_Lines]:
    """What comes before the first heading, then each heading with what is below it."""
    sections: list[_Lines] = [[]]
    for line in data.splitlines():
        if line.startswith(_HEADINGS) or line in _BARE_HEADINGS:
            sections.append([])
        sections[-1].append(line)
    return sections


def _are_apart(data: bytes, sections: list[_Lines]) -> bool:
    if data.startswith(b"\xef\xbb\xbf"):
        return False  # a heading may stand behind the mark
    titles = [one[0] for one in sections[1:] if not one[0].startswith(b"##")]
    if len(titles) > 1 or any(map(_NUMBERED.match, titles)):
        return False
    if not any(sign in data for sign in (*_SIGNS, *_FENCES, b"-->")):
        return True
    return all(_is_whole(b"\n".join(one)) for one in sections)


def _is_whole(text: bytes) -> bool:
    """Whether nothing reaches out of a section, or into it: a fence, a comment, an item.

    Neither has it headings that are not told by their first sign.
    """
    bare = _COMMENT.sub(b"", text) if b"<!--" in text else text
    if b"-->" in bare or (
        any(sign in bare for sign in _SIGNS) and _REACHES.search(bare)
    ):
        return False
    if not any(sign in bare for sign in _FENCES):
        return True
    fence = b""
    for mark in _FENCE.finditer(bare):
        if not fence:
            fence = mark[1]
        elif mark[1].startswith(fence) and not mark[2].strip():
            fence = b""
    return not fence


def _same_ends(before: Sequence[_Lines], after: Sequence[_Lines]) -> tuple[int, int]:
    """How many are the same at the beginning, and at the end."""
    most = min(len(before), len(after))
    first = 0
    while first < most and before[first] == after[first]:
        first += 1
    last = 0
    while last < most - first and before[-1 - last] == after[-1 - last]:
        last += 1
    return first, last


def _same_items(old: _Lines, new: _Lines) -> tuple[int, int]:
    """How many lines of a section are items that are the same, at its ends."""
    before, after = _items(old), _items(new)
    if before is None or after is None or before[0] != after[0]:
        return 0, 0
    first, last = _same_ends(before, after)
    last = min(last, len(before) - 1, len(after) - 1)  # the heading stays
    head = sum(map(len, before[1:first]))
    return head, sum(map(len, before[len(before) - last :]))


def _items(section: _Lines) -> list[_Lines] | None:
    """What comes before a list, and each top item of it; ``None`` where that is vague."""
    found: list[_Lines] = [[]]
    for line in section:
        if _ITEM.match(line):
            found.append([])
        elif line.startswith(b"###") or (
            len(found) > 1 and line and line[:1] not in b" \t"
        ):
            return None
        found[-1].append(line)
    if any(sign in line for sign in (*_FENCES, b"<!--") for line in section):
        return None
    return found


def _without(
    sections: list[_Lines], first: int, last: int, left: tuple[int, int]
) -> bytes:
    """The text without its first and last sections, and so many lines of a list."""
    lines: _Lines = []
    for number, section in enumerate(sections):
        if first <= number < len(sections) - last:
            head, tail = left
            stop = len(section) - tail
            begin = next((n for n, one in enumerate(section) if _ITEM.match(one)), stop)
            lines += section[:begin]
            lines += [b""] * head
            lines += section[begin + head : stop]
            lines += [b""] * tail
        else:
            # before the first heading stands the header, or nothing
            kept = section[:1] if number else []
            lines += kept
            lines += [b""] * (len(section) - len(kept))
    return b"\n".join(lines)
