"""One thing that a repository proves, and how foreign text is made harmless.

All text that comes from a repository is untrusted: it ends up in a file that coding
agents read as their own memory.
"""

from __future__ import annotations

import re
from typing import Literal

from gitstate.values import dataclass

Section = Literal["facts", "commands"]

MAX_TEXT = 120
MAX_VALUES = 12


@dataclass(frozen=True, slots=True)
class Fact:
    """``key`` is ``values``, as ``sources`` say; ``place`` is a folder ("" is the root).

    A source is a file's path, perhaps with the part of it that counts, or a git command.
    """

    section: Section
    key: str
    values: tuple[str, ...]
    sources: tuple[str, ...]
    place: str = ""

    @property
    def value(self) -> str:
        """The values as one text."""
        return ", ".join(self.values)

    @property
    def source(self) -> str:
        """The sources as one text."""
        return ", ".join(self.sources)

    def tidied(self) -> Fact:
        """The same fact, each text on one line of ``MAX_TEXT`` characters at most."""
        key = re.sub(r"(?:[:：]\s+|：)", ":", one_line(self.key)).rstrip(":")  # noqa: RUF001 Chinese labels end in it
        return Fact(
            self.section,
            key,
            bounded(self.values),
            bounded(self.sources),
            one_line(self.place),
        )


def bounded(texts: tuple[str, ...]) -> tuple[str, ...]:
    """``texts``, each on one line, without repetitions; ``+N`` stands for the rest."""
    lines = tuple(dict.fromkeys(filter(None, map(one_line, texts))))
    if len(lines) <= MAX_VALUES:
        return lines
    return (*lines[:MAX_VALUES], f"+{len(lines) - MAX_VALUES}")


def one_line(text: str, limit: int = MAX_TEXT) -> str:
    """``text`` on one line, without control or invisible characters, at most ``limit``.

    What is not a character (an undecodable byte of a name) shows as U+FFFD. Controls of
    the writing direction and tags go as well: they make a line say what it does not.
    """
    kept = []
    for char in text[: limit * 8]:
        if char.isspace():
            kept.append(" ")
        elif "\ud800" <= char <= "\udfff":
            kept.append("\ufffd")
        elif char.isprintable():
            kept.append(char)
    line = " ".join("".join(kept).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


# three words at most: a sentence of somebody's is shown as a quotation
_PLAIN = re.compile(r"[\w@./+:#-]+(?: [\w@./+:#-]+){0,2}")
_PLAIN_START = re.compile(r"[^\W\d_]")
_LOOSE_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_PUNCTUATION = re.compile(r"([!-%'-/:;=?@\[-`{-~])")


def harmless(text: str, *, at_start: bool = False) -> str:
    """One line of text as Markdown that shows it and can start no structure.

    Plain where it is plain, a code span otherwise; ``at_start`` is for the beginning of
    a list item, where a number or a dash would begin a list in the list.
    """
    plain = _PLAIN.fullmatch(text) and not _LOOSE_UNDERSCORE.search(text)
    if plain and (not at_start or _PLAIN_START.match(text)):
        return text
    return code(text)


def code(text: str) -> str:
    """One line of text as a code span.

    Escaped letter by letter where it has back-ticks, which could end the span, or a
    comment's marks, which a simpler reader of Markdown would take for one.
    """
    if "`" not in text and "<!--" not in text and "-->" not in text:
        return f"`{text}`"
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _PUNCTUATION.sub(r"\\\1", text).replace(r"\;", ";")
