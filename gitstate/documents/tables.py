"""Tables as agents write them: rows with known columns, in any order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gitstate.late import late

if TYPE_CHECKING:
    from gitstate.documents.blocks import Block
    from gitstate.documents.sections import Outline
    from gitstate.documents.vocabulary import Vocabulary

_PIPE = late(r"(?<!\\)\|")
_GUARDED_PIPE = late(r"\\(\\*\|)")


class Record(NamedTuple):
    """A row: its line, its cells by their columns' keys, and where each column is."""

    line: int
    cells: dict[str, str]
    columns: dict[str, int]

    def get(self, key: str) -> str:
        """The cell of a column; empty where the table has no such column."""
        return self.cells.get(key, "")


def records(
    outline: Outline, block: Block, words: Vocabulary, unnamed: tuple[str, ...] = ()
) -> list[Record]:
    """The rows of a table, as far as its columns are known.

    ``unnamed`` are the keys of the first columns of a table that names none of them.
    """
    columns: dict[str, int] = {}
    for index, name in enumerate(_cells(outline.lines[block.start])):
        key = words.key_in_part(name)
        if key is not None:
            columns.setdefault(key, index)
    if unnamed and not columns.keys() & set(unnamed):
        columns = {key: index for index, key in enumerate(unnamed)}
    found = []
    for line in range(block.start + 2, block.stop):
        row = _cells(outline.lines[line])
        cells = {key: row[index] for key, index in columns.items() if index < len(row)}
        found.append(Record(line, cells, columns))
    return found


def _cells(line: str) -> list[str]:
    spans = _cell_spans(line)
    return [_GUARDED_PIPE.sub(r"\1", line[start:stop]).strip() for start, stop in spans]


def _cell_spans(line: str) -> list[tuple[int, int]]:
    """Where the cells of a row stand in its line, without the pipes."""
    start = len(line) - len(line.lstrip(" \t>"))
    stop = len(line.rstrip())
    pipes = [found.start() for found in _PIPE.finditer(line, start, stop)]
    if pipes and pipes[0] == start:
        start = pipes.pop(0) + 1
    if pipes and pipes[-1] == stop - 1:
        stop = pipes.pop()
    starts = [start, *(pipe + 1 for pipe in pipes)]
    return list(zip(starts, [*pipes, stop], strict=True))


def with_cell(line: str, column: int, text: str) -> str | None:
    """A row's line with another text in a column; ``None`` when it has not so many."""
    spans = _cell_spans(line)
    if column >= len(spans):
        return None
    start, stop = spans[column]
    return f"{line[:start]} {escaped(text)} {line[stop:]}"


def escaped(text: str) -> str:
    """A text for a cell."""
    return re.sub(r"\\*\|", lambda found: f"\\{found[0]}", text)
