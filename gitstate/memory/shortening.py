"""Texts made shorter by leaving out narrative; nothing is said in other words; pure.

What forbids or demands stays word for word with its whole sentence, whatever stands
around it, and so do the paths and commands in what is left out.
"""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitstate.documents.rules import force_of, may_have_force
from gitstate.late import late
from gitstate.memory.short_words import ENGLISH

if TYPE_CHECKING:
    from gitstate.memory.short_words import Words

LONG = 60  # characters, a Chinese one counts twice; a shorter text is short enough

# a full stop that ends no sentence
_ABBREVIATION = late(
    r"(?:^|[\s(（])(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|no|nr|fig|st|mr|ms|dr|[A-Za-z])\.$",
    re.IGNORECASE,
)
_TAIL = 12  # characters before an end that tell: longer than any abbreviation
_END = late(r"(?<=[.!?])[\"')\]]*\s+|(?<=[。！？])\s*|\n+")
_BEGINS = late(r"[\"'(`\[*_“‘]*[A-Z0-9`\u2e80-\u9fff]")
# a sentence that goes on with what the one before it forbids
_GOES_ON = late(
    r"(?:not|nor|neither|even|except|unless|only|this|that|these|those|it|they|otherwise"
    r"|exceptions?|also|same)\b|也|除|但|否则|例外|即使|这|那|它|同样|包括",
    re.IGNORECASE,
)
_CLAUSE = late(r"(?<=[,;:])\s+|\s+(?=[—–]\s|-- ?)|(?<=[，；：])")
_LEAD_IN = late(
    r"(?:after|having|although|though|in the end|eventually|finally|following|during"
    r"|as discussed|to be honest|i think|we think)\b|经过|最终|最后|考虑到|讨论",
    re.IGNORECASE,
)
_CONDITION = late(
    r"(?:if|unless|when|whenever|while|where|for|in|on|at|with|without|as long as|until"
    r"|since|because|once|before)\b|如果|若|当|除非|只要|在|对|由于|因为|既然",
    re.IGNORECASE,
)
_DECIDED = late(
    r"^(?:(?:so|then|and|therefore|thus|hence|in the end|eventually|finally)[,\s]+)*"
    r"(?:we|i|the team|it was|they)\s+(?:have\s+|had\s+|has\s+|then\s+|all\s+|finally\s+)*"
    r"(?:decided|agreed|chose|opted|resolved)\s+(?:to|that\s+we\s+(?:will|should))\s+"
    r"|^(?:最终|最后)?(?:我们)?(?:决定|选择)(?=采用|使用|用|改用|保留|把|将|由)",
    re.IGNORECASE,
)
_REJECTS = late(
    r"(?:and\s+|but\s+)?(?:not|instead\s+of|rather\s+than|over|without|except|unless)\b"
    r"|而不是|而非|不用|不选|代替|取代|除",
    re.IGNORECASE,
)
_NEGATED = late(r"\b(?:not|never|no)\b|n['’]t\b|[不没未无]", re.IGNORECASE)
_NAMES = late(
    r"`[^`\n]+`"
    r"|(?<![\w/.@-])\.?(?:[\w@.-]*\w/)+[\w@.-]*\w(?::\d+)?"
    r"|(?<![\w/.@-])[\w-]+(?:\.[\w-]+)*\.[A-Za-z][A-Za-z0-9]{0,5}(?::\d+)?(?![\w/])"
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order, none empty."""
    found: list[str] = []
    start = 0
    for end in _END.finditer(text):
        before = text[max(start, end.start() - _TAIL) : end.start()]
        latin = "\n" not in end[0] and not before.endswith(("。", "！", "？"))
        if latin and (
            _ABBREVIATION.search(before) or not _BEGINS.match(text, end.end())
        ):
            continue
        found.append(text[start : end.end()].strip())
        start = end.end()
    found.append(text[start:].strip())
    return [one for one in found if one]


def forceful(text: str) -> list[str]:
    """The sentences that forbid or demand, and those that go on with it."""
    found: list[str] = []
    before = False
    if not may_have_force(text):
        return found
    for one in sentences(text):
        before = force_of(one) is not None or (before and bool(_GOES_ON.match(one)))
        if before:
            found.append(one)
    return found


def names(text: str) -> list[str]:
    """The paths, file names with their lines, and code in a text, each once."""
    if not any(mark in text for mark in "`/."):
        return []  # each has one of them
    found = dict.fromkeys(found[0] for found in _NAMES.finditer(text))
    return [one for one in found if one.lower() not in {"e.g", "i.e"}]


def core(text: str) -> str:
    """What a text says first or decides, without narrative; short ones as they are.

    A part of the text, or all of it: a sentence that forbids, demands or has a
    condition is never cut.
    """
    if _length(text) <= LONG:
        return text
    all_ = sentences(text)
    one = next((one for one in all_ if _decides(one)), all_[0])
    if force_of(one):
        return one
    clauses = [part.strip() for part in _CLAUSE.split(one) if part.strip()]
    chosen = next((n for n, part in enumerate(clauses) if _DECIDED.match(part)), 0)
    clauses = clauses[chosen:]
    while (
        len(clauses) > 1
        and _LEAD_IN.match(clauses[0])
        and not _NEGATED.search(clauses[0])
    ):
        del clauses[0]
    if _length(" ".join(clauses)) > LONG and not _CONDITION.match(clauses[0]):
        clauses = [clauses[0], *(part for part in clauses[1:] if _REJECTS.match(part))]
    said = _joined(clauses).strip(" ,;:，；：—–-").rstrip(".。")
    lead = _DECIDED.match(said)
    return said[lead.end() :] if lead else said


def _length(text: str) -> int:
    if text.isascii():
        return len(text)
    return len(text) + sum("\u2e80" <= char <= "\uff60" for char in text)


def _decides(sentence: str) -> bool:
    clauses = (part.strip() for part in _CLAUSE.split(sentence))
    return any(_DECIDED.match(part) for part in clauses)


def _joined(clauses: list[str]) -> str:
    text = ""
    for part in clauses:
        text += part if not text or text.endswith(("，", "；", "：")) else f" {part}"
    return text


def left_out(kept: str, *texts: str, say: Words = ENGLISH) -> list[str]:
    """The sentences with force, then the names, of ``texts`` that ``kept`` has not."""
    found: list[str] = []
    for one in (one for text in texts for one in forceful(text)):
        if one not in kept and one not in found:
            found.append(one)
    said = " ".join([kept, *found])
    all_ = dict.fromkeys(one for text in texts for one in names(text))
    rest = [one for one in all_ if one.strip("`") not in said]
    return [*found, *([say.see.format(names=say.between.join(rest))] if rest else [])]
