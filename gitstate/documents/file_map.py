"""``05-file-map.md``: where things are: a path, its role, and how files hang together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from gitstate.documents.fields import Coverage, Lines
from gitstate.documents.inline import (
    join,
    label,
    visible,
)
from gitstate.documents.items import with_more, without_box
from gitstate.documents.map_lines import taken_apart, whole_path
from gitstate.documents.paths import path, paths
from gitstate.documents.sections import Outline, outline
from gitstate.documents.tables import records
from gitstate.documents.trees import tree_of
from gitstate.documents.vocabulary import says_nothing, vocabulary
from gitstate.values import dataclass, field

if TYPE_CHECKING:
    from gitstate.documents.blocks import Block
    from gitstate.documents.tables import Record

Form = Literal["item", "heading", "row", "tree"]
Relation = Literal["uses", "used_by", "tested_by", "generated_from"]
RELATIONS: tuple[Relation, ...] = ("uses", "used_by", "tested_by", "generated_from")


@dataclass(frozen=True, slots=True)
class MapEntry:
    """A file or folder, its role, and the paths that it hangs together with."""

    path: str
    role: str | None = None
    uses: tuple[str, ...] = ()
    used_by: tuple[str, ...] = ()
    tested_by: tuple[str, ...] = ()
    generated_from: tuple[str, ...] = ()
    lines: Lines = field(default=Lines(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class FileMap:
    """The entries, in the file's order; ``unread`` lines were not understood."""

    entries: tuple[MapEntry, ...] = ()
    unread: tuple[Lines, ...] = field(default=(), compare=False)

    def find(self, path: str) -> MapEntry | None:
        """The entry of that path."""
        return next((one for one in self.entries if one.path == path), None)


@dataclass(slots=True)
class Found:
    """An entry as it was found, and where it is, for those who change it."""

    path: str
    start: int
    stop: int
    form: Form
    own_stop: int = 0  # the line after its own text
    said: dict[str, str] = field(default_factory=dict)  # a label's key -> its values
    parts: set[str] = field(default_factory=set)  # the labels below it
    top: int = -1  # its block, where it is a top item of a list of whole paths
    record: Record | None = None

    def add(self, key: str, value: str) -> None:
        """More of what a label says."""
        known = self.said.get(key)
        self.said[key] = with_more(known, value, item=True) if known else value

    def entry(self) -> MapEntry:
        """The entry with all that was found of it."""
        said = self.said
        return MapEntry(
            self.path,
            said.get("role"),
            _listed(said.get("uses")),
            _listed(said.get("used_by")),
            _listed(said.get("tested_by")),
            _listed(said.get("generated_from")),
            Lines(self.start + 1, self.stop),
        )


def _listed(text: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(paths(text))) if text else ()


@dataclass(slots=True)
class Parts:
    """The map with where its entries are, for those who change them."""

    outline: Outline
    map: FileMap
    found: list[Found]


def parse(text: str | Outline) -> FileMap:
    """The map that ``text``, the whole file, draws; never fails."""
    return parts(text).map


def parts(text: str | Outline) -> Parts:
    """The map, with where its entries are."""
    source = text if isinstance(text, Outline) else outline(text, vocabulary("file"))
    read = Coverage(source)
    found = _Finder(source, read).all()
    return Parts(
        source, FileMap(tuple(one.entry() for one in found), read.unread()), found
    )


class _Finder:
    """Blocks of the file, one by one, to entries."""

    def __init__(self, outline: Outline, read: Coverage) -> None:
        self.outline = outline
        self.read = read
        self.words = vocabulary("file")
        self.found: list[Found] = []
        self.base = ""  # the folder whose heading is the last one
        self.owner: Found | None = None  # the entry that labels below belong to

    def all(self) -> list[Found]:
        blocks = self.outline.blocks
        index, titled = 0, False
        while index < len(blocks):
            block = blocks[index]
            if block.kind == "heading":
                self._heading(block, title=not titled)
                titled = True
            elif block.kind == "item":
                self._item(index, self.base)
                index = self.outline.ends[index]
                continue
            elif block.kind == "text":
                self._paragraph(block)
            elif block.kind == "table":
                self._table(block)
            elif block.kind == "verbatim":
                self._tree(block)
            index += 1
        return self.found

    def _begin(self, path: str, start: int, stop: int, form: Form) -> Found:
        self.read.mark(start, stop)
        found = Found(path, start, stop, form, stop)
        self.found.append(found)
        return found

    def _heading(self, block: Block, *, title: bool) -> None:
        text = visible(join(block.rows))
        known = vocabulary("map").key_in_part(text)
        apart = None if known else taken_apart(text, "")
        self.base, self.owner = "", None
        if apart is None:
            if known or (title and block.level == 1):
                self.read.mark(block.start, block.stop)
            return
        self.read.mark(block.start, block.stop)
        name, said = apart
        if name.endswith("/"):
            self.base = name
        if said or not self.base:
            found = self._begin(name, block.start, block.stop, "heading")
            for key, value in said:
                found.add(key, value)
            self.owner = None if self.base else found

    def _item(self, index: int, base: str) -> None:
        """An item: an entry, or a labelled part of the one before it."""
        block = self.outline.blocks[index]
        text = visible(without_box(join(block.rows)))
        apart = taken_apart(text, base)
        # a name with a dot is no label; "Uses: a.ts" may look like one without
        known = None if apart and "." in apart[0] else label(text, self.words)
        if known and known.key == "path":
            name = whole_path(path(text[known.end :]), base)
            self.owner = self._begin(name, block.start, block.stop, "item")
        elif self.owner is not None and (known or self.owner.form == "heading"):
            self._part(index, self.owner)
            return
        else:
            if apart is None:
                self._inside(index, base, None)
                return
            owner = self._begin(apart[0], block.start, block.stop, "item")
            for key, value in apart[1]:
                owner.add(key, value)
            if not base and not block.column:
                owner.top = index
            self._inside(index, base, owner)
            return
        self._inside(index, base, self.owner)

    def _inside(self, index: int, base: str, owner: Found | None) -> None:
        """What is nested in an item: parts of its entry, and entries of a folder."""
        blocks, ends = self.outline.blocks, self.outline.ends
        if owner is not None and owner.path.endswith("/"):
            base = owner.path
        inner = index + 1
        while inner < ends[index]:
            block = blocks[inner]
            stop = ends[inner] if block.kind == "item" else inner + 1
            if block.kind == "item":
                text = visible(without_box(join(block.rows)))
                part = label(text, self.words) or taken_apart(text, base) is None
                if part and owner is not None:
                    self._part(inner, owner)
                else:
                    kept, self.owner = self.owner, None
                    self._item(inner, base)
                    self.owner = kept
            elif block.kind == "text" and owner is not None:
                self._rows(block, owner)
            inner = stop

    def _paragraph(self, block: Block) -> None:
        """Lines of an entry with a heading, labels of one without, or entries."""
        for line, row in enumerate(block.rows, block.start):
            text = visible(row)
            known = label(text, self.words)
            owner = self.owner
            if owner is not None and (known or owner.form == "heading"):
                self._line(owner, line, text)
            elif (apart := taken_apart(text, self.base)) and apart[1]:
                found = self._begin(apart[0], line, line + 1, "item")
                for key, value in apart[1]:
                    found.add(key, value)

    def _line(self, owner: Found, line: int, text: str) -> None:
        """A line that says something of an entry."""
        known = label(text, self.words)
        value = text[known.end :] if known else text
        self.read.mark(line, line + 1)
        self._add(owner, known.key if known else "role", value, line + 1)

    def _part(self, index: int, owner: Found) -> None:
        """An item that says something of an entry, with all that is nested in it."""
        blocks = self.outline.blocks
        block = blocks[index]
        text = visible(without_box(join(block.rows)))
        known = label(text, self.words)
        value = text[known.end :] if known else text
        stop = block.stop
        for inner in range(index + 1, self.outline.ends[index]):
            if blocks[inner].kind not in {"item", "text"}:
                break
            more = visible(join(blocks[inner].rows))
            value = with_more(value, more, item=blocks[inner].kind == "item")
            stop = blocks[inner].stop
        self.read.mark(block.start, stop)
        self._add(owner, known.key if known else "role", value, stop)

    def _rows(self, block: Block, owner: Found) -> None:
        """Lines below an entry, each with its label or more of the role."""
        for line, row in enumerate(block.rows, block.start):
            self._line(owner, line, visible(row))

    def _add(self, owner: Found, key: str, value: str, stop: int) -> None:
        owner.add(key, value)
        owner.parts.add(key)
        owner.stop = max(owner.stop, stop)

    def _table(self, block: Block) -> None:
        for row in records(self.outline, block, self.words, ("path", "role")):
            name = path(visible(row.get("path")))
            if not name:
                continue
            self.read.mark(block.start, block.start + 2)
            found = self._begin(
                whole_path(name, self.base), row.line, row.line + 1, "row"
            )
            found.record = row
            for key, value in row.cells.items():
                if key != "path" and not says_nothing(value):
                    found.add(key, visible(value))

    def _tree(self, block: Block) -> None:
        lines = self.outline.lines[block.start : block.stop]
        entries = tree_of(lines)
        for number, (name, role) in entries.items():
            line = block.start + number
            found = self._begin(whole_path(name, self.base), line, line + 1, "tree")
            if role:
                found.add("role", role)
        if entries:
            self.read.mark(block.start, block.stop)
