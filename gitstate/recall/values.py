"""What of a fact's value an answer has to say: the rest is a count, a version, what not to use; pure."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gitstate.late import late
from gitstate.recall.cleaning import clean
from gitstate.recall.terms import camel, families, is_chinese, terms

if TYPE_CHECKING:
    from gitstate.recall.asking import Dimension

_COUNTS = late(r"\s*[(（]\d+[^)）]{0,8}[)）]")
_COUNTED_KEY = late(r"[(（](?:files|文件数)[)）]")
_FOIL = late(
    r"[,，;；]?\s*\b(?:never|not|no|instead of|rather than)\b(.*)$|[，,；;]?(?:(?:禁止|不得|严禁|切勿|绝不|不准|不许|不能)(?:直接)?(?:使用|调用|用)|不使用|不用|禁用|而非|而不是|不是|(?<=[，,；;])\s*(?:禁止|不得|严禁|切勿|不准|不许|不能))(.*)$",
    re.IGNORECASE,
)
_COMMAND = late(r"[a-z][\w.-]*(?: [a-z][\w.-]*)+")
_VERSIONED = late(r"\s*([a-z][\w+.-]*) v?(\d+(?:\.\d+)*)\s*", re.IGNORECASE)
_OF_VERSION = late(
    r"\b(?:version|runtime|toolchain)|版本|运行环境|运行时|工具链", re.IGNORECASE
)


class Value(NamedTuple):
    """``text``: what has to be said; ``foils``: the names of what must not be used instead.

    ``foil_words``: its words, where it has no name; ``version``: that of the tool ``text`` is.
    """

    text: str
    foils: frozenset[str] = frozenset()
    foil_words: frozenset[str] = frozenset()
    version: str = ""


def value_of(one: Dimension, raw: str) -> Value:
    """What has to be said of a fact whose value is ``raw``."""
    raw = _COUNTS.sub("", raw)
    if _COUNTED_KEY.search(one.key):
        raw = re.sub(r"\s+\d+\b", "", raw)
    foils = foil_words = frozenset[str]()
    foil = _FOIL.search(raw)
    if foil:
        other = foil[1] or foil[2] or ""
        foils = _foils(other)
        foil_words = frozenset[str]() if foils else terms(clean(other)).words
        raw = raw[: foil.start()]
    found = _VERSIONED.fullmatch(raw)
    asked = _OF_VERSION.search(one.key) is not None
    if found and not asked and found[1].casefold() in families():
        return Value(found[1], foils, foil_words, found[2])  # which tool: that is asked
    return Value(raw, foils, foil_words)


def _capital(text: str) -> frozenset[str]:
    """Names by their first letter."""
    return frozenset(one.casefold() for one in re.findall(r"\b[A-Z]\w+", text))


def _foils(text: str) -> frozenset[str]:
    """What must not be used: tools, and commands of several words between Chinese."""
    plain = clean(text)
    names = set(terms(plain, camel(text) | _capital(text) | latin(plain)).names)
    for phrase in _COMMAND.findall(plain) if is_chinese(plain) else ():
        names -= set(phrase.split())
        names.add(phrase)
    return frozenset(names)


def latin(text: str) -> frozenset[str]:
    """Latin words in a Chinese text are names."""
    if not is_chinese(text):
        return frozenset()
    return frozenset(re.findall(r"[a-z][a-z0-9_.-]+", text)) - {"to"}  # 9:00 to 18:00
