"""Rejected alternatives: ``winston (slow); bunyan: not maintained``, or one an item."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitstate.documents.reasons import split_reason
from gitstate.documents.vocabulary import says_nothing
from gitstate.late import late

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitstate.documents.vocabulary import Lang

_MARKS = late(r"\\*[;；()（）]")
_GUARDED = late(r"\\(\\*[;；()（）])")
_OPENS, _CLOSES = "(（", ")）"


class Alternative(NamedTuple):
    """What was not chosen, and why not; ``None`` where no reason is given."""

    name: str
    why_not: str | None = None


def alternatives_in(text: str) -> tuple[Alternative, ...]:
    """The alternatives of one text: semicolons part them, brackets hold the reason."""
    if not text:
        return ()
    pieces = (piece.strip() for piece in _split(text))
    return tuple(alternative_of(piece) for piece in pieces if not says_nothing(piece))


def _split(text: str) -> Iterator[str]:
    """The pieces between semicolons that stand in no brackets."""
    depth = start = 0
    for found in _MARKS.finditer(text):
        mark = found[0]
        if mark.startswith("\\"):
            continue
        if mark in _OPENS:
            depth += 1
        elif mark in _CLOSES:
            depth = max(0, depth - 1)
        elif not depth:
            yield text[start : found.start()]
            start = found.end()
    yield text[start:]


def alternative_of(text: str) -> Alternative:
    """One alternative; ``npm (slow)``, ``npm: slow``, ``npm because it is slow``."""
    if text.endswith(tuple(_CLOSES)) and not text[-2:].startswith("\\"):
        opening = next(
            (
                found
                for found in _MARKS.finditer(text)
                if not found[0].startswith("\\") and found[0] in _OPENS
            ),
            None,
        )
        if opening and (name := text[: opening.start()].strip()):
            return Alternative(
                _bare(name), _bare(text[opening.end() : -1].strip()) or None
            )
    name, why_not = split_reason(text, loose=True)
    return Alternative(_bare(name.strip()), _bare(why_not) if why_not else None)


def _bare(text: str) -> str:
    return _GUARDED.sub(r"\1", text)


def alternatives_text(alternatives: Iterable[Alternative], lang: Lang) -> str:
    """The alternatives on one line, as ``alternatives_in`` reads them."""
    between, opening, closing = (
        ("；", "（", "）") if lang == "zh" else ("; ", " (", ")")
    )
    said = []
    for name, why_not in alternatives:
        text = _apart(_guarded(name))
        if why_not:
            inside = _apart(_guarded_inside(why_not))
            text = f"{text}{opening}{inside}{closing}"
        said.append(text)
    return between.join(said)


def _apart(text: str) -> str:
    """A text whose last backslash guards nothing that comes behind it."""
    return f"{text} " if text.endswith("\\") else text


def _guarded_inside(text: str) -> str:
    """A text for brackets: as it is, where its own brackets are even."""
    depth = 0
    for found in _MARKS.finditer(text):
        depth += (found[0] in _OPENS) - (found[0] in _CLOSES)
        if found[0].startswith("\\") or depth < 0:
            return _guarded(text)
    return _guarded(text) if depth else text


def _guarded(text: str) -> str:
    return _MARKS.sub(lambda found: f"\\{found[0]}", text)
