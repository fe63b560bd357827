"""Files outside the numbered ones that take in what was moved, each thing once; pure.

What is moved is written here first and taken out of its file after. When a process was
killed between the two, it stands in both: the next run finds it here, adds it no second
time, and takes it out there.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gitstate.documents.entries import title_of
from gitstate.documents.inline import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitstate.documents.entries import Kind
    from gitstate.memory.shelf import Shelf

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+([^\r\n]*\d[^\r\n]*)", re.MULTILINE)
_FIRST = 2  # the number of the second file: 04-decision-log-2.md


def ids_in(text: str, kind: Kind) -> Iterator[str]:
    """The ids of the entries that an archive holds: each is under a heading of its own."""
    for found in _HEADING.finditer(text):
        id_ = kind.ids.of(title_of(visible(found[1]), kind).number)
        if id_ is not None:
            yield id_


class Added(NamedTuple):
    """New texts by name, and for each thing the file that holds it now."""

    texts: dict[str, str]
    places: tuple[str, ...]


def add(  # noqa: PLR0913 where, what, and how much
    shelf: Shelf,
    folder: str,
    name: str,
    things: Sequence[str],
    *,
    title: str = "",
    max_size: int,
) -> Added:
    """Add texts to the file ``name`` in ``folder`` (ending in "/"); raises ``Refused``.

    A file that would grow over ``max_size`` bytes is left, and the next one begun
    (``name-2``): larger ones enter no version. With a ``title`` for a new file the
    things are set apart by blank lines; without, each is a line.
    """
    names = _names(shelf.names(folder.rstrip("/")), name)
    pages = {one: _Page(shelf.text(folder + one) or "") for one in names[-2:]}
    now = names[-1]
    places = []
    for thing in things:
        there = next((one for one, page in pages.items() if page.had(thing)), None)
        if there is None:
            there = now
            if not pages[now].add(thing, title, max_size):
                there = now = _following(names[-1], name)
                names.append(now)
                pages[now] = _Page("")
                pages[now].add(thing, title, max_size)
        places.append(folder + there)
    texts = {folder + one: page.text() for one, page in pages.items() if page.new}
    return Added(texts, tuple(places))


class _Page:
    """A file that takes things in."""

    def __init__(self, text: str) -> None:
        self.new: list[str] = []
        self._text = text
        self._plain = f"\n{_plain(text)}\n"
        self._lines = Counter(self._plain.split("\n"))
        self._end = "\r\n" if "\r\n" in text else "\n"
        self._size = len(text.encode())

    def had(self, thing: str) -> bool:
        """Whether these very lines stood here before, one behind the other.

        Of a line that stood here twice, two are found.
        """
        plain = _plain(thing)
        first = plain.partition("\n")[0]
        if not self._lines[first] or f"\n{plain}\n" not in self._plain:
            return False
        self._lines[first] -= 1
        return True

    def add(self, thing: str, title: str, max_size: int) -> bool:
        """Have one more thing at the end; false where there is no room for it."""
        added = f"{thing}{self._end}"
        if title:
            added = f"{self._end}{added}"
        if not self._size and title:
            added = f"{title}{self._end}{added}"
        elif not self.new:
            added = self._gap() + added
        size = len(added.encode())
        if self._size and self._size + size > max_size:
            return False
        self._size += size
        self.new.append(added)
        return True

    def _gap(self) -> str:
        """What is missing at the end of the old text: its last line's end."""
        if not self._text or self._text.endswith(("\n", "\r")):
            return ""
        return self._end

    def text(self) -> str:
        """The text with all that was added; what was there stays byte for byte."""
        return self._text + "".join(self.new)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _names(there: Sequence[str], name: str) -> list[str]:
    """The files of that name, the oldest first; the first one need not be there."""
    stem, dot, ending = name.rpartition(".")
    form = re.compile(
        rf"{re.escape(stem)}-([1-9][0-9]{{0,5}}){re.escape(dot + ending)}"
    )
    numbers = sorted(int(found[1]) for one in there if (found := form.fullmatch(one)))
    return [name, *(f"{stem}-{one}{dot}{ending}" for one in numbers if one >= _FIRST)]


def _following(last: str, name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    number = last.removeprefix(f"{stem}-").removesuffix(dot + ending)
    following = _FIRST if last == name else int(number) + 1
    return f"{stem}-{following}{dot}{ending}"
