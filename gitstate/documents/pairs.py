"""``key: value (source: x)``: one fact or command, on one line."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gitstate.documents.inline import guard, guard_value, leading_code, plain, wrapped
from gitstate.late import late

if TYPE_CHECKING:
    from gitstate.documents.vocabulary import Lang

_KEY = late(
    r"(?:(?P<mark>\*\*|__)(?P<bold>[^*_`]{1,120}?)(?P<early>[:：])?(?P=mark)"
    r"|(?P<plain>(?:[^:：`\\]|\\.|:(?=\S)){1,120}?))"
    r"[ \t]*(?:：|:(?=\s|$)|(?(early)|(?!))|(?(plain)(?!)|[ \t](?:—|–|--?|=)[ \t]))\s*"
)
_BEHIND_CODE = late(r"[ \t]*(?:：|:(?=\s|$)|[ \t](?:—|–|--?|=)[ \t])\s*")
_SOURCE = late(
    r"\s*(?P<guards>\\*)(?P<open>[(（])\s*(?:sources?|from|来源|出处)\s*[:：]\s*"
    r"(?P<source>[^()（）]*(?:[(（][^()（）]*[)）][^()（）]*)*)[)）]\s*$",
    re.IGNORECASE,
)
_FAR = 2000  # characters from the end in which a source begins
_SIMPLE_KEY = late(r"[^\W_](?:[^:：`\\*_<>\[\]|&]|_(?=\w))*")


class Pair(NamedTuple):
    """A key ("" where there is none), a value and the source that it names."""

    key: str
    value: str
    source: str | None = None
    code_key: bool = False


def pair_of(text: str) -> Pair:
    """A line taken apart; a text without a colon is a value without a key."""
    text, source = _without_source(text)
    code = leading_code(text)
    found = _BEHIND_CODE.match(text, code[1]) if code else _KEY.match(text)
    if found is None or not (value := text[found.end() :].strip()):
        return Pair("", text, source)
    if code:
        return Pair(code[0], value, source, code_key=True)
    return Pair((found["bold"] or plain(found["plain"])).strip(), value, source)


def value_start(text: str, key: str) -> int | None:
    """Where the value of the pair with that key begins; ``None`` when it is no such."""
    found = pair_of(text)
    if found.key != key or found.code_key:
        return None
    match = _KEY.match(text)
    return match.end() if match else None


def _without_source(text: str) -> tuple[str, str | None]:
    offset = max(0, len(text) - _FAR)
    found = _SOURCE.search(text, offset) if text.endswith((")", "）")) else None
    if found is None:
        return text, None
    if found["guards"]:
        at = found.start("guards")
        return text[:at] + text[at + 1 :], None
    return text[: found.start()], plain(found["source"].strip()) or None


def pair_text(pair: Pair, lang: Lang) -> str:
    """The line that ``pair_of`` reads as this pair; the value as it is given."""
    short = len(pair.key) <= 100  # noqa: PLR2004 what a key is read up to
    simple = short and _SIMPLE_KEY.fullmatch(pair.key) and guard(pair.key) == pair.key
    key = pair.key if simple else wrapped(pair.key)
    return f"{key}{'：' if lang == 'zh' else ': '}{value_text(pair, lang)}"


def value_text(pair: Pair, lang: Lang) -> str:
    """What stands behind the key: the value, and the source in brackets."""
    value = guard_value(pair.value)
    found = _SOURCE.search(value, max(0, len(value) - _FAR))
    if found and not pair.source:
        at = found.start("guards")
        value = f"{value[:at]}\\{value[at:]}"
    opening, closing = ("（来源：", "）") if lang == "zh" else (" (source: ", ")")
    if value.endswith("\\") and not opening.startswith(" "):
        opening = f" {opening}"  # else it would be a guard before the bracket
    return f"{value}{opening}{pair.source}{closing}" if pair.source else value
