"""The front matter in which a numbered file describes itself.

As an init.d script does: what it provides, what it requires, how it is bounded.
"""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from gitstate.documents.bounded_yaml import Broken, fields
from gitstate.documents.vocabulary import vocabulary
from gitstate.errors import printable
from gitstate.late import late
from gitstate.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Callable

    from gitstate.documents.bounded_yaml import Field, Value

Strength = Literal["high", "medium", "low"]

MAX_LINES = 100
MAX_CHARS = 8192
UNNUMBERED = 1_000_000  # the order of a file whose name has no number
_FIELDS = (
    "order",
    "title",
    "provides",
    "requires",
    "strength",
    "capacity",
    "archive",
    "verify",
)
_NAME = late(r"(\d{1,6})[-_. ]+(.*)", re.DOTALL)
_FIELD_LINE = late(rf"({'|'.join(_FIELDS)})\s*:")
_SIZE = late(r"(\d{1,12})\s*(|b|bytes|k|kb|kib|m|mb|mib)", re.IGNORECASE)
_SAID = "it is taken from the file's name"
_UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20}


class Problem(NamedTuple):
    """Something that was not as it should be: the line (0: the whole file), and what."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Capacity:
    """What a file may hold before older things move out; ``None``: no limit said."""

    items: int | None = None
    size: int | None = None  # bytes


@dataclass(frozen=True, slots=True)
class Header:
    """What a numbered file says of itself."""

    order: int
    title: str
    provides: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    strength: Strength = "medium"
    capacity: Capacity = Capacity()
    archive: str | None = None  # a folder of the state directory, ending in "/"
    verify: str | None = None


@dataclass(frozen=True, slots=True)
class HeaderRead:
    """A header, how many lines it takes (0: the file has none), and what was wrong."""

    header: Header
    lines: int
    problems: tuple[Problem, ...]


_KIB = 1 << 10
# what the templates say, for a file that says nothing; a test holds the two together
_KNOWN: dict[str, tuple[tuple[str, ...], Strength, Capacity, str]] = {
    "project-context": ((), "high", Capacity(None, 8 * _KIB), "archive/"),
    "coding-conventions": (
        ("project-context",),
        "high",
        Capacity(40, 8 * _KIB),
        "archive/",
    ),
    "current-task": (
        ("project-context", "coding-conventions"),
        "high",
        Capacity(1, 8 * _KIB),
        "completed/",
    ),
    "known-issues": (
        ("project-context",),
        "medium",
        Capacity(20, 16 * _KIB),
        "resolved/",
    ),
    "decision-log": (
        ("project-context",),
        "medium",
        Capacity(20, 16 * _KIB),
        "archive/",
    ),
    "file-map": (("project-context",), "medium", Capacity(80, 12 * _KIB), "archive/"),
}


def from_name(name: str) -> Header:
    """What a file's name alone says: ``02-current-task.md`` is number 2, current task."""
    stem = name.rsplit("/", 1)[-1].removesuffix(".md")
    found = _NAME.fullmatch(stem)
    order = int(found[1]) if found else UNNUMBERED
    slug = (found[2] if found else stem).strip("-_. ") or stem
    title = re.sub(r"[-_]+", " ", slug).strip() or stem
    title = title[:1].upper() + title[1:]
    known = _KNOWN.get(slug)
    if known is None:
        return Header(order, title, (slug,))
    requires, strength, capacity, archive = known
    return Header(order, title, (slug,), requires, strength, capacity, archive)


def lines_of_header(lines: list[str]) -> int:
    """How many of a text's first lines are its front matter; 0 when it has none.

    ``lines`` are without their ends. A ruler that opens a text is no header: one is
    closed within ``MAX_LINES``, and says at least one of the fields' names.
    """
    if not lines or lines[0].removeprefix("\ufeff").rstrip() != "---":
        return 0
    named = False
    for number, line in enumerate(lines[1:MAX_LINES], 1):
        if line.rstrip() in {"---", "..."}:
            return number + 1 if named or number == 1 else 0
        named = named or _FIELD_LINE.match(line) is not None
    return 0


def read(name: str, text: str) -> HeaderRead:
    """The header of ``text``, the content of the file called ``name``; never fails.

    What is missing or cannot be read is as the file's name says, with a problem that
    names its line. Fields that are not known are left alone.
    """
    fallback = from_name(name)
    start = text[: MAX_CHARS * 2].removeprefix("\ufeff")
    lines = re.split(r"\r\n|\r|\n", start, maxsplit=MAX_LINES + 1)
    count = lines_of_header(lines)
    if not count:
        opened = lines[0].rstrip() == "---"
        what = "the header is not closed, or names no field" if opened else "no header"
        problem = Problem(int(opened), f"{what}; {_SAID}")
        return HeaderRead(fallback, 0, (problem,))
    source = "\n".join(lines[1 : count - 1])
    if len(source) > MAX_CHARS:
        problem = Problem(1, f"the header has over {MAX_CHARS} characters; {_SAID}")
        return HeaderRead(fallback, count, (problem,))
    try:
        found = _Reader(fallback).take(fields(source))
    except Broken as error:
        problem = Problem(error.line + 2, f"the header is broken: {error}; {_SAID}")
        return HeaderRead(fallback, count, (problem,))
    return HeaderRead(found.header, count, tuple(found.problems))


class _Reader:
    """Fields of the front matter -> a header, each as far as it can be understood."""

    def __init__(self, fallback: Header) -> None:
        self.header = fallback
        self.fallback = fallback
        self.problems: list[Problem] = []
        self.seen: set[str] = set()

    def take(self, fields: list[Field]) -> _Reader:
        for key, value, line in fields:
            if key in self.seen:
                self._problem(line, f"{key} stands twice; the last one counts")
            self.seen.add(key)
            if key not in _FIELDS:
                self._unknown(key, line)
                continue
            understood = _READERS[key](value)
            if understood is None:
                self._problem(line, f"{key} is not {_FORMS[key]}; {_SAID}")
                understood = getattr(self.fallback, key)
            self.header = replace(self.header, **{key: understood})  # type: ignore[arg-type]  # _READERS has the field's type
        return self

    def _unknown(self, key: str, line: int) -> None:
        import difflib  # noqa: PLC0415 a mistake is rare

        close = difflib.get_close_matches(key[:40], _FIELDS, 1, 0.75)
        if close:
            self._problem(line, f"no field is called {printable(key)}: {close[0]}?")

    def _problem(self, line: int, text: str) -> None:
        self.problems.append(Problem(line + 2, text))


def _order(value: Value) -> int | None:
    fits = isinstance(value, str) and re.fullmatch(r"[0-9]{1,6}", value.strip())
    return int(value.strip()) if isinstance(value, str) and fits else None


def _text(value: Value) -> str | None:
    return " ".join(value.split()) or None if isinstance(value, str) else None


def _list(value: Value) -> tuple[str, ...] | None:
    if isinstance(value, dict):
        return None
    items = re.split("[,，、]", value) if isinstance(value, str) else value
    return tuple(text for item in items if (text := item.strip()))


def _strength(value: Value) -> Strength | None:
    key = vocabulary("strength").key(value) if isinstance(value, str) else None
    return next((one for one in get_args(Strength) if one == key), None)


def _capacity(value: Value) -> Capacity | None:
    if not isinstance(value, dict):
        return None
    items, size = value.get("items"), value.get("size")
    number = _order(items) if items is not None else None
    found = _SIZE.fullmatch(size.strip()) if size is not None else None
    bytes_ = int(found[1]) * _UNITS[found[2][:1].lower()] if found else None
    if (items is not None and not number) or (size is not None and not bytes_):
        return None
    return Capacity(number, bytes_)


def _archive(value: Value) -> str | None:
    """A folder inside the state directory, whatever it is called."""
    folder = value.strip().strip("/") if isinstance(value, str) else ""
    parts = folder.split("/")
    if not folder.isprintable() or "\\" in folder or {"", ".", ".."} & set(parts):
        return None
    return None if value.strip().startswith("/") else folder + "/"  # type: ignore[union-attr]  # it is a text here


_READERS: dict[str, Callable[[Value], object]] = {
    "order": _order,
    "title": _text,
    "provides": _list,
    "requires": _list,
    "strength": _strength,
    "capacity": _capacity,
    "archive": _archive,
    "verify": _text,
}
_FORMS = {
    "order": "a number from 0 to 999999",
    "title": "a text",
    "provides": "a list of names",
    "requires": "a list of names",
    "strength": "high, medium or low",
    "capacity": "like {items: 20, size: 16 KiB}",
    "archive": "a folder of the state directory, like archive/",
    "verify": "a text",
}
