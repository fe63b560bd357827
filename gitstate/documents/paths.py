"""Paths inside a line, with notes on them, in code spans, as links; and lists of them."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

from gitstate.documents.inline import breaks, content_of, spans, unwrapped, wrapped
from gitstate.documents.vocabulary import says_nothing
from gitstate.errors import Refused, printable
from gitstate.late import late

_LINK = late(r"\[([^\]]*)\]\(<?([^()<>]+)>?\)")
_SEPARATOR = late(r"[,，、;；]")
_NOTE = late(r"(?:\s+\(.*\)|\s*（.*）|\s+(?:—|–|--?|#)\s.*|:\d+(?:-\d+)?)$")
_PLAIN_PATH = late(r"[^\s,，、;；`()（）<>*:：|\\]+")
_MAX_PATH = 4096  # characters, as on Linux
_SHORTEST = 6  # characters of a path that is surely no way to say "none", as "n/a." is


def paths(text: str) -> tuple[str, ...]:
    """The paths of a list like ``a.ts, `b c.ts`、[d](e/d.ts)``, without notes on them."""
    if "`" not in text:
        return tuple(filter(None, map(_one_path, _SEPARATOR.split(text))))
    text = text.replace("\0", "\ufffd")
    position = 0
    parts: list[str] = []
    codes: list[str] = []
    for span in spans(text, comments=False):
        if span.code is not None:
            parts += [text[position : span.start], "\0"]
            position = span.stop
            codes.append(content_of(span.code))
    pieces = _SEPARATOR.split("".join([*parts, text[position:]]))
    found: list[str] = []
    taken = 0
    for piece in pieces:
        count = piece.count("\0")  # beside code spans, "and" and notes are no paths
        if count:
            found += codes[taken : taken + count]
            taken += count
        else:
            found.append(_one_path(piece))
    return tuple(filter(None, found))


def _one_path(text: str) -> str:
    """The path in one piece of a list; empty where there is none."""
    text = text.strip()
    short = len(text) < _SHORTEST or not ("/" in text or "." in text)
    if short and says_nothing(text):
        return ""
    return text if _PLAIN_PATH.fullmatch(text) else path(text)


def path(text: str) -> str:
    """One path: a code span's content, a link's target, or the text without its note."""
    text = text.strip()
    if (code := unwrapped(text)) != text:
        return code
    if link := _LINK.match(text):
        return link[2].strip()
    if len(text) > _MAX_PATH:
        return text
    return _NOTE.sub("", text).strip().strip("*")


def path_text(path: str) -> str:
    """``path`` as it is written so that ``paths`` reads the same."""
    if breaks(path) or not path.strip() or "\0" in path:
        raise Refused(f"a path cannot be written on a line: {printable(path)}")
    plain = _PLAIN_PATH.fullmatch(path) and not says_nothing(path)
    return path if plain else wrapped(path)
