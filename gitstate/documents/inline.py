"""Text inside a line: labels, comments, code spans, and the guards.

A guard is a backslash before what would otherwise be read as structure. What is read
drops it again, so that a text comes back as it was given: ``unguard(visible(guard(x)))``
is ``x``.
"""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gitstate.documents.vocabulary import LONGEST, says_nothing
from gitstate.errors import Refused, printable
from gitstate.late import late

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitstate.documents.vocabulary import Vocabulary

_BREAKS = late(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_TICKS_OR_OPENING = late("`+|<!--")
_CJK = late("[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]")
_ESCAPED = late(r"\\([!-/:-@\[-`{-~])")

# What a block or an item's mark begins with, and the guards that stand before it
_START = late(
    r"(?P<digits>\d{1,9})?(?P<guards>\\*)(?(digits)[.)](?=[ \t]|$)|(?:"
    r"#{1,6}(?=[ \t]|$)|>|[-+*](?=[ \t]|$)|(?:[-*_=][ \t]*)+$|```|~~~"
    r"|<(?![A-Za-z][A-Za-z0-9+.-]{1,31}:)[A-Za-z/!?]|\[[^\]]*\]:"
    r"|[\[【][^\[\]【】]{0,20}[\]】]|[:：]|[—–-]+(?=[ \t])))"
)
# the same for a heading's text after its number
_TITLE = late(
    r"(?P<digits>\d{4})?(?P<guards>\\*)(?(digits)-\d\d-\d\d"
    r"|(?:[:：|—–-]+(?=\s|$)|[(（]\d{4}-\d\d-\d\d"
    r"|[\[【][^\[\]【】]{0,20}[\]】]|[:：]|[—–-]+(?=[ \t])))"
)
_HASHES = late(r"(?:(?<=[ \t])|^)(?P<guards>\\*)#+$")

# signs before a label, but no punctuation
_LEAD = r"(?:[^\w\s!-~\u3000-\u303f\uff00-\uffef]{1,4}[ \t]{0,2})?"
_LABEL = late(
    rf"(?P<head>{_LEAD}(?P<mark>\*\*\*|\*\*|__|[*_`])?(?P<label>[\w\[【(（#][^:：*_`\\|]{{0,{LONGEST}}}?)"
    r"[ \t]{0,2}(?P<shut>(?P=mark))?[ \t]{0,2})(?P<guards>\\*)(?P<colon>[:：])"
    r"(?P<tail>(?(mark)(?(shut)|(?P=mark)?)|)[ \t]*)"
)
_BOLD_LABEL = late(
    rf"{_LEAD}(?P<mark>\*\*|__)(?P<label>[\w\[【(（#][^:：*_`\\|]{{0,{LONGEST}}})(?P=mark)"
    r"(?:[ \t]*$|[ \t]+(?:—|–|--?)[ \t]+)"
)


class Label(NamedTuple):
    """A label at the start of a text: its key, and where the value begins."""

    key: str
    end: int
    bold: bool


def label(text: str, words: Vocabulary) -> Label | None:
    """The known label with which ``text`` begins: ``**Reason:** x``."""
    if ":" in text or "：" in text:
        found = _LABEL.match(text)
        if found and not found["guards"] and (key := words.key_in_part(found["label"])):
            return Label(key, found.end(), found["mark"] in {"**", "__", "***"})
    if "**" in text or "__" in text:
        bold = _BOLD_LABEL.match(text)
        if bold and (key := words.key_in_part(bold["label"])):
            return Label(key, bold.end(), bold=True)
    return None


def label_parts(text: str, words: Vocabulary) -> tuple[str, str]:
    """What stands around the name of the label with which ``text`` begins."""
    found = _LABEL.match(text)
    if not found or not words.key_in_part(found["label"]):
        found = _BOLD_LABEL.match(text)
    if not found:
        return "", ": "
    return text[: found.start("label")], text[found.end("label") : found.end()]


def guard_label(text: str, words: Vocabulary) -> str:
    """``text``, guarded where it begins like one of the labels."""
    found = _LABEL.match(text)
    if found and words.key_in_part(found["label"]):
        at = found.end("head")
        return f"{text[:at]}\\{text[at:]}"
    bold = _BOLD_LABEL.match(text.lstrip("\\"))
    return f"\\{text}" if bold and words.key_in_part(bold["label"]) else text


def unguard_label(text: str, words: Vocabulary) -> str:
    """What ``guard_label`` made, as it was."""
    found = _LABEL.match(text)
    if found and words.key_in_part(found["label"]):
        at = found.start("guards")
        return text[:at] + text[at + 1 :] if found["guards"] else text
    bold = _BOLD_LABEL.match(text.lstrip("\\"))
    known = bold and words.key_in_part(bold["label"])
    return text[1:] if known and text.startswith("\\") else text


def guard(text: str) -> str:
    """A text for the start of a paragraph or an item."""
    return _with_guard(_START, _guard_comments(text))


def unguard(text: str) -> str:
    """What ``guard`` made, as it was; ``text`` is ``visible`` already."""
    return _without_guard(_START, text)


def guard_title(text: str) -> str:
    """A text for a heading, behind its number."""
    text = _with_guard(_TITLE, _guard_comments(text))
    if found := _HASHES.search(text):
        return f"{text[: found.start()]}\\{text[found.start() :]}"
    return text


def unguard_title(text: str) -> str:
    """What ``guard_title`` made, as it was; ``text`` is ``visible`` already."""
    if (found := _HASHES.search(text)) and found["guards"]:
        text = text[: found.start()] + text[found.start() + 1 :]
    return _without_guard(_TITLE, text)


def guard_value(text: str) -> str:
    """A text for the place behind a label."""
    return _guard_comments(text)


def _with_guard(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.match(text)
    if found is None:
        return text
    at = found.start("guards")
    return f"{text[:at]}\\{text[at:]}"


def _without_guard(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.match(text) if "\\" in text else None
    if found is None or not found["guards"]:
        return text
    at = found.start("guards")
    return text[:at] + text[at + 1 :]


class Span(NamedTuple):
    """A code span, a comment, or (``guards``) an opening of one that is none."""

    start: int
    stop: int
    code: str | None = None
    guards: int = 0


def spans(text: str, *, comments: bool) -> Iterator[Span]:
    """The code spans and comments of ``text``, from left to right, in linear time."""
    marks = list(_TICKS_OR_OPENING.finditer(text))
    closers: dict[int, list[int]] = {}
    for mark in reversed(marks):
        if mark[0] != "<!--":
            closers.setdefault(len(mark[0]), []).append(mark.start())
    position, last_end = 0, text.rfind("-->") if comments else -1
    for mark in marks:
        start = mark.start()
        if start < position:
            continue
        if mark[0] == "<!--":
            guards = 0
            while start - guards > position and text[start - guards - 1] == "\\":
                guards += 1
            if guards or last_end < start:
                yield Span(start - guards, mark.end(), None, guards)
                continue
            position = text.index("-->", start) + 3
            yield Span(start, position)
            continue
        size = len(mark[0])
        ends = closers[size]
        while ends and ends[-1] <= start:
            ends.pop()
        if ends:
            position = ends[-1] + size
            yield Span(start, position, text[mark.end() : ends[-1]])


def visible(text: str) -> str:
    """``text`` without its comments, and with what is guarded against being one."""
    if "<!--" not in text:
        return text
    parts: list[str] = []
    position = 0
    for span in spans(text, comments=True):
        parts.append(text[position : span.start])
        position = span.stop
        if span.code is not None:
            parts.append(text[span.start : span.stop])
        elif span.guards:
            parts.append(text[span.start + 1 : span.stop])
        elif text[span.start : span.stop] == "<!--":
            parts.append("<!--")
        else:
            parts[-1] = parts[-1].rstrip(" \t")
    parts.append(text[position:])
    return "".join(parts).strip()


def _guard_comments(text: str) -> str:
    if "<!--" not in text:
        return text
    parts: list[str] = []
    position = 0
    for span in spans(text, comments=False):
        parts.append(text[position : span.start])
        parts.append("" if span.code is not None else "\\")
        position = span.start
    return "".join([*parts, text[position:]])


def join(rows: Iterable[str]) -> str:
    """Lines of one text as one line; nothing is put between two Chinese characters."""
    parts: list[str] = []
    for row in filter(None, rows):
        if parts and not (_CJK.match(parts[-1][-1]) and _CJK.match(row)):
            parts.append(" ")
        parts.append(row)
    return "".join(parts)


def breaks(text: str) -> bool:
    """Whether a text has more than one line."""
    return _BREAKS.search(text) is not None


def one_line(text: str, *, of: str) -> str:
    """``text`` on one line; raises ``Refused`` when it says nothing."""
    text = " ".join(filter(None, map(str.strip, _BREAKS.split(text))))
    if says_nothing(text):
        raise Refused(f"the {of} says nothing: {printable(text) or '(empty)'}")
    return text


def unwrapped(text: str) -> str:
    """The content of a code span where ``text`` is one, else ``text``."""
    found = leading_code(text)
    return found[0] if found and found[1] == len(text) else text


def leading_code(text: str) -> tuple[str, int] | None:
    """The content of the code span with which ``text`` begins, and where it ends."""
    span = next(spans(text, comments=False), None) if text.startswith("`") else None
    if span is None or span.start or span.code is None:
        return None
    return content_of(span.code), span.stop


def content_of(code: str) -> str:
    """What a code span shows: without the blanks that set its ticks apart."""
    padded = code.startswith(" ") and code.endswith(" ") and code.strip()
    return code[1:-1] if padded else code


def wrapped(text: str) -> str:
    """``text`` as a code span."""
    runs = [len(run) for run in re.findall("`+", text)]
    ticks = "`" * next(size for size in range(1, len(runs) + 2) if size not in runs)
    edge = text.startswith(("`", " ")) or text.endswith(("`", " "))
    return f"{ticks} {text} {ticks}" if edge else f"{ticks}{text}{ticks}"


def plain(text: str) -> str:
    """The text that Markdown shows: a code span's content, or without its escapes."""
    bare = unwrapped(text)
    if (
        bare != text
        or not ("\\" in text or "&" in text)
        or "`" in text.replace("\\`", "")
    ):
        return bare
    text = _ESCAPED.sub(r"\1", text)
    for name, char in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        text = text.replace(name, char)
    return text
