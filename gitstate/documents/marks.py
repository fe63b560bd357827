"""How the status of a step or issue is marked in its text: ``[x]``, ``(done)``, ``✅``.

A mark is read wherever agents put it, and is changed in the form in which it stands.
"""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitstate.late import late

if TYPE_CHECKING:
    import re

    from gitstate.documents.vocabulary import Lang, Vocabulary

_BOXES = {
    "": "todo",
    "x": "done",
    "X": "done",
    "✓": "done",
    "✔": "done",
    "~": "in_progress",
    "-": "in_progress",
    "/": "in_progress",
    ">": "in_progress",
    "!": "blocked",
}
# the first of each status is the one that is written
_SIGNS = {
    "✅": "done",
    "🔄": "in_progress",
    "⬜": "todo",
    "⛔": "blocked",
    "☑": "done",
    "✔": "done",
    "✓": "done",
    "🟢": "done",
    "⏳": "in_progress",
    "🚧": "in_progress",
    "🔨": "in_progress",
    "▶": "in_progress",
    "🟡": "in_progress",
    "🏃": "in_progress",
    "☐": "todo",
    "🔲": "todo",
    "◻": "todo",
    "⚪": "todo",
    "🚫": "blocked",
    "🛑": "blocked",
    "🔒": "blocked",
    "🔴": "blocked",
    "⏸": "blocked",
}
# an issue is open or resolved where a step has one of four statuses
_OF_ISSUES = {
    "todo": "open",
    "in_progress": "open",
    "blocked": "open",
    "done": "resolved",
}
_SIGN = f"[{''.join(_SIGNS)}]\ufe0f?"
_WORD = r"[^\[\]【】()（）:：*`]{0,20}?"
_EMPHASIS = r"(?:\*\*|__|[*`])?"
_BEFORE = late(
    rf"(?P<lead>{_EMPHASIS})(?:"
    rf"(?P<open>[\[【(（])[ \t]*(?P<word>{_WORD})[ \t]*(?P<shut>[\]】)）])"
    rf"|(?P<sign>{_SIGN})"
    rf"|(?P<bare>{_WORD})(?=[ \t]*(?:(?P=lead))?[ \t]*[:：]|[ \t]+[—–-]+[ \t]))"
    r"(?P<tail>(?:(?P=lead)[ \t]*(?:[:：]|[—–-]+(?=[ \t]))?|[:：](?P=lead))[ \t]*)"
)
_BEHIND = late(
    rf"(?P<gap>[ \t]*(?:[—–→-]+>?[ \t]+|：)?)(?P<lead>{_EMPHASIS})(?:"
    rf"(?P<open>[\[【(（])[ \t]*(?P<word>{_WORD})[ \t]*(?P<shut>[\]】)）])"
    rf"|(?P<sign>{_SIGN})"
    rf"|(?:(?<=[—–→>-][ \t])|(?<=：))(?P<bare>{_WORD}))"
    r"(?P<tail>(?P=lead)[ \t]*[.。]?)$"
)
_MAYBE = late(rf"[\[【(（—–→：-]|{_SIGN}")
_TAIL = 60  # characters from the end in which a mark behind a text can stand


class Mark(NamedTuple):
    """A status in a text: what it says, and which part of the text it is.

    ``text`` is what is left without it; ``opening`` and ``closing`` stand around the
    word and stay when it changes; ``form`` is ``box``, ``sign``, ``word`` or ``two``.
    """

    status: str
    text: str
    start: int
    stop: int
    form: str
    opening: str
    closing: str


def find(text: str, words: Vocabulary) -> Mark | None:
    """The mark before a text, or else the one behind it.

    Beside an empty box another mark may stand, which then counts: ``[ ] x (blocked)``.
    """
    mark = before(text, words)
    if mark is None:
        return _behind(text, words)
    if mark.form == "box" and mark.status in {"todo", "open"}:
        other = before(mark.text, words) or _behind(mark.text, words)
        if other is not None:
            stop = len(text)
            return Mark(other.status, other.text, 0, stop, "two", "", f" {other.text}")
    return mark


def before(text: str, words: Vocabulary) -> Mark | None:
    """The mark before a text."""
    found = _BEFORE.match(text)
    said = _said(found, words) if found else None
    return _mark(found, said, text[found.end() :], "") if found and said else None


def _behind(text: str, words: Vocabulary) -> Mark | None:
    offset = max(0, len(text) - _TAIL)
    if _MAYBE.search(text, offset) is None:
        return None
    for found in _BEHIND.finditer(text, offset):
        if found.start() and (said := _said(found, words)):
            rest = text[: found.start()].rstrip()
            return _mark(found, said, rest, found["gap"])
    return None


def _said(found: re.Match[str], words: Vocabulary) -> tuple[str, str] | None:
    """The status and the form of a mark; ``None`` when it is none."""
    if sign := found["sign"]:
        status = _known(_SIGNS[sign[0]], words)
        return (status, "sign") if status else None
    if (word := found["word"]) is not None:
        box = _known(_BOXES.get(word), words) if found["open"] == "[" else None
        if box:
            return box, "box"
        inner = _known(_SIGNS.get(word.removesuffix("\ufe0f")), words)
        if inner:
            return inner, "word"
        key = words.key(word) if word else None
        return (key, "word") if key else None
    bare = found["bare"]
    key = words.key(bare) if bare else None
    return (key, "word") if key else None


def _known(status: str | None, words: Vocabulary) -> str | None:
    """A sign's status in the words of the kind of thing that it marks."""
    if status in words.written:
        return status
    status = _OF_ISSUES.get(status or "")
    return status if status in words.written else None


def _mark(found: re.Match[str], said: tuple[str, str], text: str, gap: str) -> Mark:
    opening = f"{gap}{found['lead']}{found['open'] or ''}"
    closing = f"{found['shut'] or ''}{found['tail']}"
    return Mark(said[0], text, found.start(), found.end(), said[1], opening, closing)


def rewritten(
    text: str, mark: Mark | None, status: str, words: Vocabulary, lang: Lang
) -> str:
    """``text`` with its mark saying ``status``, or with a new mark before it."""
    word = words.name(status, lang)
    if mark is None:
        return f"[{word}] {text}"
    if mark.form in {"box", "two"}:
        word = {"todo": " ", "open": " ", "done": "x", "resolved": "x"}.get(
            status, word
        )
    if mark.form == "sign":
        word = next(s for s, said in _SIGNS.items() if _known(said, words) == status)
    if mark.form == "two":
        word = f"[{word}]"
    return f"{text[: mark.start]}{mark.opening}{word}{mark.closing}{text[mark.stop :]}"
