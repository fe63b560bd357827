"""Relations in a clean text: limits, what replaces what; pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitstate.late import late
from gitstate.recall.terms import in_order, terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    # a pattern, the group of what comes new or first, and that of the other
    Row = tuple[re.Pattern[str], int, int]

_UPPER = late(
    r"\b(?:under|below|less than|fewer than|at most|no more than|no longer than|within|up to|shorter than|or less|or fewer|maximum|max)\b|<=?|≤|以内|以下|不到|至多|最多|少于|小于|低于|之内|短于|最长|封顶|为限|上限|\d ?\S{1,3}内"
)
_LOWER = late(
    r"\b(?:over|above|exceed\w*|reach\w*|wider than|more than|longer than|at least|or more|or longer|minimum|min)\b|>=?|≥|超过|超出|以上|至少|最少|多于|大于|高于|长于|长过|多过|大过|最短"
)
_NOT_OVER = late(
    r"不(?:得|能|应|要|许|可|会)?(?:高于|超过|多于|大于|长于|超出|过)|\btoo (?:long|many|much|big|large)\b|到头|顶多"
)
_NOT_UNDER = late(r"不(?:得|能|应|要|许|可|会)?(?:低于|少于|小于|短于)")
_MARK = r"(?:from|in|inside|into|to|within|at|在|从|向|到)\s*(?:the\s+)?$"
_EXCHANGES = (
    (
        late(r"用 ?(.{1,60}?) ?(?:来)?(?:代替|取代|替换|替代)(?:掉)? ?([^,;]{1,60})"),
        1,
        2,
    ),
    (
        late(
            r"(?:把|将)?([^,;]{1,60}?) ?(?:换成|替换为|替换成|换为|改成|改为|改用) ?([^,;]{1,60})"
        ),
        2,
        1,
    ),
    (late(r"\breplac\w+ (.{1,60}?) (?:with|by) ([^,;]{1,60})"), 2, 1),
    (late(r"\b(?:use )?(.{1,60}?) (?:instead of|rather than) ([^,;]{1,60})"), 1, 2),
)
_PULLED = late(r"\b(?:pull|bring|drag)\w* in\b")
_FROM_IT = late(r"\b(import(?:s|ing)?) from\b")
_LINKS = late(r"\bimport|\bdepend|\bcall|\blink|\binclude|导入|引用|依赖|调用")
_UNITS = (
    "us μs microsecond microseconds 微秒",
    "ms millisecond milliseconds 毫秒",
    "s sec second seconds 秒 秒钟",
    "min minute minutes 分钟",
    "h hour hours 小时",
    "day days 天",
    "week weeks 周",
    "line lines 行",
    "column columns char chars character characters 列 字符",
    "kb kib",
    "mb mib",
    "gb gib",
    "percent",
    "次 times",
)
# a row of the units -> of what it is one, and how many of the smallest
_SCALES = {
    0: ("time", 0.001),
    1: ("time", 1.0),
    2: ("time", 1_000.0),
    3: ("time", 60_000.0),
    4: ("time", 3_600_000.0),
    5: ("time", 86_400_000.0),
    6: ("time", 604_800_000.0),
    9: ("size", 1.0),
    10: ("size", 1024.0),
    11: ("size", 1024.0**2),
}
_WITH_UNIT = late(
    r"(\d+(?:\.\d+)?)[ -]?个?([a-zμ]+|[毫微]秒|秒钟?|分钟|小时|[天周行列次]|字符)"
)


def swapped(text: str, said: str, names: tuple[str, ...]) -> bool:
    """Do two things of ``text`` stand in each other's place in what was said."""
    mine, theirs = _pair(_EXCHANGES, text), _pair(_EXCHANGES, said)
    if mine and theirs:
        new, old = theirs
        if new & mine[1] - mine[0] and old & mine[0] - mine[1]:
            return True  # whatever else is said on both sides
        return len(new & mine[0]) + len(old & mine[1]) < len(new & mine[1]) + len(
            old & mine[0]
        )
    said = _PULLED.sub("import", said)
    said = _FROM_IT.sub(r"\1 ", said)  # "import from a": what is imported, not where
    names = tuple(one for one in names if not one[0].isdigit())
    if len(names) != 2 or not _LINKS.search(text):  # noqa: PLR2004 one and the other
        return False
    marked = _marked(text, names)
    if marked is None:
        return False
    there = _marked(said, names)
    if there is not None:
        return there != marked
    first, then = in_order(said, (marked, next(one for one in names if one != marked)))
    passive = "imported by" in said or "被" in said
    return (first > then) != passive


def direction(text: str, *, negated: bool) -> int:
    """On which side of its number a limit is: 1 below it, -1 above it, 0 for none."""
    if not re.search(r"\d", text):
        return 0
    if _NOT_OVER.search(text) or _NOT_UNDER.search(text):
        return 1 if _NOT_OVER.search(text) else -1
    upper, lower = _UPPER.search(text) is not None, _LOWER.search(text) is not None
    if re.search(r"\b(?:no|not) (?:more|longer) than\b", text):
        return 1
    if upper == lower:
        return 0
    return (1 if upper else -1) * (-1 if negated else 1)


def _pair(
    rows: Sequence[Row], text: str
) -> tuple[frozenset[str], frozenset[str]] | None:
    """The terms of two things that the first pattern to match relates; ``None`` for none."""
    for pattern, one, other in rows:
        found = pattern.search(text)
        if found:
            first, second = terms(found[one]), terms(found[other])
            return first.names | first.words, second.names | second.words
    return None


def _marked(text: str, names: tuple[str, ...]) -> str | None:
    """Which of two names a preposition stands before; ``None`` for none or both."""
    found = [
        one
        for one, at in zip(names, in_order(text, names), strict=True)
        if at >= 0 and re.search(_MARK, text[:at])
    ]
    return found[0] if len(found) == 1 else None


def units(text: str) -> dict[str, set[int]]:
    """The numbers of a clean text that have a unit, and which (by its row in a table)."""
    found: dict[str, set[int]] = {}
    for number, word in _WITH_UNIT.findall(text):
        row = next((at for at, one in enumerate(_UNITS) if word in one.split()), None)
        if row is not None:
            found.setdefault(number, set()).add(row)
    return found


def amounts(text: str) -> dict[str, set[float]]:
    """How much of what a clean text says, in one unit of each kind: a second is 1000 ms."""
    found: dict[str, set[float]] = {}
    for number, rows in units(text).items():
        for row in rows:
            kind, factor = _SCALES.get(row, (_UNITS[row], 1.0))
            found.setdefault(kind, set()).add(round(float(number) * factor, 6))
    return found


def has_word(text: str, word: str) -> bool:
    """Is a word in a text; an English one whole."""
    if word.isascii():
        return re.search(rf"\b{word}\b", text) is not None
    return word in text
