"""Texts as they are compared: one width, one case, numbers and times in digits; pure."""

# ruff: noqa: RUF001 Chinese, and what looks like ASCII, is compared as it is written
from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from gitstate.late import late

if TYPE_CHECKING:
    import re

_SHORT = 1000  # characters of an item

_CONTROLS = late(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)

_STRUCK = late(r"~~[^~\n]{1,400}~~")

_ADJACENT = late(
    "[”」]\\s*[“「]|(?<![a-zA-Z0-9_\\])])\\((?:[a-h]|[ivx]{1,3}|\\d{1,2}(?=\\)\\s*\\w))\\)"
)

_DASHES = late(r" - (?: ?- )+")

_CIRCLED = late("[\u2460-\u2473\u2776-\u277f]")

_TEENS = [
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_COUNTED = late(
    rf"(?<!\bthe )\b(two|three|four|five|six|seven|eight|nine|ten|{'|'.join(_TEENS)})\b"
)

_HAN_COUNTED = late(
    "(?<![一二两三四五六七八九十百])[二两三四五六七八九十](?=[次位天周条个项件点步秒分小年月帧页行倍人级层台份组])"
)

_QUOTES = str.maketrans(
    {
        **dict.fromkeys("‘’", "'"),
        **dict.fromkeys("“”", '"'),
        **dict.fromkeys("‐‑–−", "-"),
        **dict.fromkeys("—―", " - "),
        **dict.fromkeys("→⇒", " : "),
        "%": " percent",
        "：": ": ",
        "，": ", ",
        "；": "; ",
        "【": "# ",
        "】": ":",
    }
)

_NUMBERS = {
    **{
        word: str(at)
        for at, word in enumerate(
            ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 2
        )
    },
    **{word: str(at) for at, word in enumerate(_TEENS, 11)},
    **{word: str(at) for at, word in enumerate("一二三四五六七八九十", 1)},
    "两": "2",
}

_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]

_WRITTEN = (
    (late(r"(?<=\s)[-=]+>(?=\s)"), " : "),
    (late(r"(?<=percent)/h\b"), " an hour"),
    (late(r"\b(?:minus|negative) (?=\d)|(?:零下|负) ?(?=\d)"), "-"),
    (late(r"(?<!the )\bfollowing (?=(?:an?|the|each|every)\b)"), "after "),
    (late(r"单个"), "一个"),
    (late(r"半个?小时"), "30 分钟"),
    (late(r"\b(?:one |a )?thousand\b(?! \d)"), "1000"),
    (late(r"\b(?:10|ten) 1000\b"), "10000"),
    (late(r"(?<=\d) ?只(?=[\u4e00-\u9fff])"), " "),
    (late(r"零点(?![\d一二三四五六七八九十])"), " 00:00 "),
    (late(r"(?<![\w.])(\d{1,3})(?:st|nd|rd|th)\b"), r"\1"),
    (late(r"零(?=[,.。;\s]|$)"), "0"),
    (late(r"(?<![\w.])(\d+(?:\.\d+)?) ?px\b"), r"\g<1> pixels"),
    (late(r"(?<![\w.])(\d+(?:\.\d+)?) ?[uμ]s\b"), r"\g<1> microseconds"),
    (late(r"(?<![=\w-])midnight\b|(?<![\w:.])12 ?a\.?m\b\.?"), "00:00"),
    (late(r"(?<![=\w-])noon\b|(?<![\w:.])12 ?p\.?m\b\.?"), "12:00"),
    (late(r"(?<![a-z0-9_:./-])(\d:[0-5]\d)(?![\w:])"), r"0\1"),
    (late(r"\bfall(?:s|ing)? over\b|\bfell over\b"), "crashes"),
    (late(r"\bhalf an hour\b"), "30 minutes"),
    (late(r"\bone hundred\b"), "100"),
    *((late(rf"\b{word}\b(?!-)"), str(10 * at)) for at, word in enumerate(_TENS, 2)),
    (late(r"(?<![\w.])(\d{1,3})k\b"), r"\g<1>000"),
    (late(r"(?<![\w.])v(?=\d+\.\d)"), ""),
    (late(r"(?<![\w.])(\d+(?:\.\d+)?) ?ms\b"), r"\g<1> milliseconds"),
    (late(r"(?<![\w.])(\d+(?:\.\d+)?) ?s\b"), r"\g<1> seconds"),
    (late(r"(?<![\w.])(\d+(?:\.\d+)?) ?mins?\b"), r"\g<1> minutes"),
    (late(r"(?<![\w.])(\d+(?:\.\d+)?) ?(?:h|hrs?)\b"), r"\g<1> hours"),
    (
        late(r"(?<![\w.])(\d+(?:\.\d+)?)(?=[cm]m\b|km\b|kg\b|[mg]b\b|[kmg]ib\b|k?w\b)"),
        r"\g<1> ",
    ),
    (
        late(
            r"(?<=\d:\d\d)\s*[-~至到]\s*(?:次日|第二天|翌日|隔天)?(?:凌晨|清晨|早上|上午|下午|晚上)?\s*(?=\d{1,2}:\d\d)"
        ),
        " to ",
    ),
)

# "an OR expression"
_OPERATORS = late(
    r"\b(AND|OR)\b(?= (?:expression|condition|clause|operator|branch(?:es)?|node|filter|join|query|querie)s?\b)"
)
_SIGNS = {"AND": "&&", "OR": "||"}

_CLOCK = late(r"(?<![\w:.])(1[0-2]|0?[1-9])(?:[:.]([0-5]\d))? ?([ap])\.?m\b\.?")

_LATE = ("下午", "晚上", "晚间", "傍晚", "夜里", "当晚", "每晚", "晚")

_HAN_CLOCK = late(
    "(?:(凌晨|早上|早晨|清晨|上午|中午|下午|晚上|晚间|傍晚|夜里|当晚|每晚|晚) ?)?(?<![\\d.])([01]?\\d|2[0-4]|[一二两三四五六七八九十]{1,3}) ?点(?:(半)|(\\d{1,2})分?)?"
    "(?=整|钟|之?前|之?后|以前|以后|到|至|开始|起|结束|(?<=[早午晚里晨].点)|(?<=[早午晚里晨]..点)|(?<=[早午晚里晨]...点)|(?<=半)|(?<=分)|(?<=[到至]\\d点)|(?<=[到至]\\d\\d点)|(?<=[到至] \\d 点)|(?<=[到至] \\d\\d 点))"
)

_HAN_NUMBER = late("[一二两三四五六七八九十百千万]{2,8}(?=[行秒分天个页条次小]|分钟)")

_DIGITS = {one: at for at, one in enumerate("一二三四五六七八九", 1)} | {"两": 2}

_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10_000}

_TENS_AND = late(
    rf"\b({'|'.join(_TENS)})-(one|two|three|four|five|six|seven|eight|nine)\b"
)


def _tens(found: re.Match[str]) -> str:
    """Digits for a number like ninety-two."""
    ones = 1 if found[2] == "one" else int(_NUMBERS[found[2]])
    return str(10 * (_TENS.index(found[1]) + 2) + ones)


def _clock(found: re.Match[str]) -> str:
    """10 pm -> 22:00."""
    hour = int(found[1]) % 12 + (12 if found[3] == "p" else 0)
    return f"{hour:02}:{found[2] or '00'}"


def _han_clock(found: re.Match[str]) -> str:
    """晚上十点半 -> 22:30."""
    told = found[2]
    hour = int(told) if told.isdigit() else _number(told)
    if found[1] in _LATE and hour < 12:  # noqa: PLR2004 hours of half a day
        hour += 12
    minute = "30" if found[3] == "半" else found[4] or "00"
    return f"{hour:02}:{int(minute):02}"


def _number(text: str) -> int:
    """A number written in Chinese."""
    total = current = 0
    for one in text:
        if one in _DIGITS:
            current = _DIGITS[one]
        else:
            total, current = total + (current or 1) * _SCALES[one], 0
    return total + current


def clean(text: str) -> str:
    """A text as it is compared: plain width, no case, no control or struck characters."""
    return _kept(text) if len(text) <= _SHORT else _cleaned(text)


@lru_cache(maxsize=1024)
def _kept(text: str) -> str:
    """An item's text, which is asked for again and again."""
    return _cleaned(text)


def _cleaned(text: str) -> str:
    text = _CIRCLED.sub(" ; ", text.replace("\r", "\n"))
    text = _DASHES.sub(" - ", _ADJACENT.sub(" ; ", text).translate(_QUOTES))
    text = _OPERATORS.sub(lambda one: f" {_SIGNS[one[1]]} ", text)
    text = unicodedata.normalize("NFKC", text).casefold()
    text = _STRUCK.sub(" ", _CONTROLS.sub("", text))
    text = _HAN_CLOCK.sub(_han_clock, _CLOCK.sub(_clock, text))
    text = _TENS_AND.sub(_tens, text)
    for pattern, written in _WRITTEN:
        text = pattern.sub(written, text)
    text = _HAN_NUMBER.sub(lambda one: str(_number(one[0])), text)
    text = _COUNTED.sub(lambda one: _NUMBERS[one[0]], text)
    return _HAN_COUNTED.sub(lambda one: _NUMBERS[one[0]], text)
