"""Relations in a clean text: limits and amounts, what is taken from where; pure."""

from __future__ import annotations

import re
from functools import cache

from gitstate.late import late
from gitstate.recall.exchanges import is_exchanged
from gitstate.recall.terms import in_order

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
_MARK = r"(?:from|out of|in|inside|into|to|within|at|在|从|向|到)\s*(?:the\s+)?$"
_FOR = late(r"(?<![\w.+-])([a-z][\w.+-]{0,60}) for ([a-z][\w.+#-]{0,60})")
# "width 2000, level 500"
_SIZE = late(r"([a-z\u4e00-\u9fff]{2,12})\s*(?:is|of|=|:|为|是)?\s*(-?\d[\d.]{0,20})")
# "80 percent forward, 65 percent sideways"
_OF_SIZE = late(
    r"(?<![\d.])(-?\d[\d.]{0,20})(?: ?(?:percent|[a-z]{1,3}))? ([a-z]{4,20})(?=\s*(?:,|;|and\b|$))"
)
_PULLED = late(r"\b(?:pull|bring|drag)\w* in\b")
_FROM_IT = late(r"\b(import(?:s|ing)?) from\b")
_NAME = late(r"(?<!\S)\S{0,120}?[/.]\w\S{0,120}")
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
    "字节 byte bytes",
    "字",
    "工作日 workday workdays",
    "自然日",
    "个月 月 month months",
    "季度 quarter quarters",
    "年 year years",
    "cm 厘米 公分",
    "mm 毫米",
    "km 公里 千米",
    "kg 公斤 千克",
    "英里 mile miles",
    "米 metre metres meter meters",
    "元 yuan",
    "分 cent cents",
    "倍",
    "pixel pixels px 像素",
    "°c celsius 摄氏度",
    "°f fahrenheit 华氏度",
    "m/s",
    "km/h",
    "mph",
    "bar",
    "psi",
    "hpa",
    "kpa",
    "g 克",
    "mg 毫克",
    "l 升 litre litres liter liters",
    "ml 毫升",
    "hz",
    "khz",
    "mhz",
    "ghz",
    "v volt volts 伏",
    "mv",
    "kv",
    "w 瓦",
    "kw 千瓦",
    "kwh",
    "mwh",
    "db",
    "bit bits",
    "kbps",
    "mbps",
    "rpm",
    "ppm",
    "dpi",
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
# how often: "hourly", 每天
_EACH = late(
    r"(?:每|\b(?:every|each|once (?:an?|per)|per) )个?(小时|天|分钟|秒|周|月|季度|年|hour|day|minute|second|week|month|quarter|year)s?(?![a-z])"
)
_WITH_UNIT = late(
    r"(\d+(?:\.\d+)?)[ -]?个?([a-zμ]+(?:/[sh]\b)?|°[cf]|[毫微]秒|秒钟?|分钟|小时|工作日|自然日|字节|字符|季度|像素|厘米|公分|毫米|公里|千米|英里|公斤|千克|毫克|毫升|千瓦|[摄华]氏度|个?月|[天周行列次字年元分倍克升伏瓦])"
)


def swapped(text: str, said: str, names: tuple[str, ...]) -> bool:
    """Do two things of ``text`` stand in each other's place in what was said."""
    if is_exchanged(text, said) or _paired_otherwise(text, said):
        return True
    said = _PULLED.sub("import", said)
    said = _FROM_IT.sub(r"\1 ", said)  # "import from a": what is imported, not where
    names = tuple(one for one in names if not one[0].isdigit())
    linked = _LINKS.search(_NAME.sub(" ", text)) is not None
    if len(names) != 2 or not linked:  # noqa: PLR2004 one and the other
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


def _paired_otherwise(text: str, said: str) -> bool:
    """Is what is recorded for one thing told for the other: "cargo for Rust and uv for Python"."""
    return other_pairs(
        [(thing, what) for what, thing in _FOR.findall(text)],
        [(thing, what) for what, thing in _FOR.findall(said)],
    ) or any(other_pairs(one(text), one(said)) for one in (_SIZE.findall, _sizes))


def _sizes(text: str) -> list[tuple[str, str]]:
    """What a number stands before, and the number."""
    return [(thing, number) for number, thing in _OF_SIZE.findall(text)]


def other_pairs(own: list[tuple[str, str]], told: list[tuple[str, str]]) -> bool:
    """Has a thing what another one has, of some that each have their own."""
    mine = dict(own)
    if len(mine) < 2 or len(set(mine.values())) < 2:  # noqa: PLR2004 one and the other
        return False
    return any(
        thing in mine and what in mine.values() and mine[thing] != what
        for thing, what in told
    )


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


def _marked(text: str, names: tuple[str, ...]) -> str | None:
    """Which of two names a preposition stands before; ``None`` for none or both."""
    found = [
        one
        for one, at in zip(names, in_order(text, names), strict=True)
        if at >= 0 and re.search(_MARK, text[:at])
    ]
    return found[0] if len(found) == 1 else None


@cache
def unit_words() -> frozenset[str]:
    """What units are called."""
    return frozenset(word for row in _UNITS for word in row.split())


def units(text: str) -> dict[str, set[int]]:
    """The numbers of a clean text that have a unit, and which (by its row in a table)."""
    found: dict[str, set[int]] = {}
    for number, word in _WITH_UNIT.findall(_EACH.sub(r"1 \1", text)):
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
