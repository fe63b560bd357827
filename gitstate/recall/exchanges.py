"""What takes the place of what in a clean text; is that turned around; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitstate.late import late
from gitstate.recall.pointers import Pointer, balance
from gitstate.recall.tokens import content

if TYPE_CHECKING:
    import re

    # a pattern, the group of what comes new, and that of what goes
    Row = tuple[re.Pattern[str], int, int]

# where it is
_AT = late(r"(?:在|\bat\b|\bin\b)\s*[\w./-]{1,200}\.\w{1,12}:\d{1,7}")
_INSIDE = late(r"\([^()]{1,200}\)")  # commas in it part no clauses
_ROWS: tuple[Row, ...] = (
    (
        late(r"用 ?(.{1,80}?) ?(?:来)?(?:代替|取代|替换|替代)(?:掉)? ?([^,;]{1,80})"),
        1,
        2,
    ),
    (
        late(
            r"(?:把|将)?([^,;]{1,80}?) ?(?:换成|替换为|替换成|换为|改成|改为|改用|改回|换回|变成) ?([^,;]{1,80})"
        ),
        2,
        1,
    ),
    (late(r"\breplac\w+ (.{1,80}?) (?:with|by) (\([^()]{1,80}\)|[^,;]{1,80})"), 2, 1),
    (
        late(
            r"([^,;]{1,80}?) (?:is|are|was|were|be|gets?) (?:replaced|superseded) (?:by|with) ([^,;]{1,80})"
        ),
        2,
        1,
    ),
    (late(r"\b(?:swap\w*|exchang\w+) (.{1,80}?) for ([^,;]{1,80})"), 2, 1),
    (
        late(r"\b(?:chang\w+|turn\w*|convert\w*) (.{1,80}?) (?:in)?to ([^,;]{1,80})"),
        2,
        1,
    ),
    (
        late(
            r"\b(?:use )?(.{1,80}?) (?:instead of|rather than|in place of) ([^,;]{1,80})"
        ),
        1,
        2,
    ),
    (
        late(r"\b(?:from|out of) (.{1,80}?),? (?:and )?(?:in)?to ([^,;]{1,80})"),
        2,
        1,
    ),
    (
        late(
            r"([^,;]{1,80}), ?(?:(?:and |but )?not |[而也]?不[用是取从在按走] ?)([^,;]{1,80})"
        ),
        1,
        2,
    ),
)
# the one is what comes new
_POINTERS = (
    Pointer(late(r"\b(?:from|out of)\b"), "next", one=False),
    Pointer(
        late(
            r"\b(?:with|by|for|into|becomes?|in favou?r of|gets)\b|换成|替换为|替换成|换为|改成|改为|改用|改回|换回|变成|改到|(?<![改使不])用"
        ),
        "next",
        one=True,
    ),
    Pointer(
        late(
            r"\b(?:replac(?:e|es|ing)|swap(?:s|ping)?|instead of|rather than|in place of|where (?:it|there) (?:has|is|was|had))\b"
            r"|代替|取代|替换(?![为成])|替代|而不是|而非|原来的?"
        ),
        "next",
        one=False,
    ),
    Pointer(
        late(r",\s*(?:(?:and |but )?not\b|[而也]?不(?=[用是取从在按走]))"),
        "next",
        one=False,
    ),
    Pointer(
        late(
            r"\b(?:becomes?|(?:is|gets) (?:replaced|swapped|exchanged)|goes (?:away|out)|gives way|makes way)\b"
            r"|换成|替换为|替换成|换为|改成|改为|改用|改回|换回|变成|改到"
        ),
        "previous",
        one=False,
    ),
    Pointer(
        late(
            r"\b(?:replaces|instead of|rather than|in place of|takes (?:its|the) place|comes in|goes in)\b|代替|取代|替换(?![为成])|替代|而不是|而非"
        ),
        "previous",
        one=True,
    ),
)


class _Exchange(NamedTuple):
    """The terms of what comes new, and of what goes."""

    new: frozenset[str]
    old: frozenset[str]


def is_exchanged(text: str, said: str) -> bool:
    """Is what replaces the other in ``text`` told to be replaced by it."""
    text, said = (_INSIDE.sub(_joined, _AT.sub(" ", one)) for one in (text, said))
    mine = _exchange(text)
    if mine is None:
        return False
    found = balance(_POINTERS, mine.new, mine.old, said)
    if found:
        return found < 0
    theirs = _exchange(said)
    if theirs is None:
        return False
    new, old = mine.new - mine.old, mine.old - mine.new
    straight = len(theirs.new & new) + len(theirs.old & old)
    return straight < len(theirs.new & old) + len(theirs.old & new)


def _joined(found: re.Match[str]) -> str:
    return found[0].replace(",", " ")


def _exchange(text: str) -> _Exchange | None:
    """What the first pattern to match relates; ``None`` for none."""
    for pattern, new, old in _ROWS:
        found = pattern.search(text)
        if found:
            return _Exchange(content(found[new]), content(found[old]))
    return None
