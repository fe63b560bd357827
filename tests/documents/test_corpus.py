"""Files written the ways agents write, each with what is to be read from it.

``corpus/<file>-<shape>.md`` beside ``.json``: every value, with what a field has by
default left out and lines as people count them (``tests/documents/plainly.py``).
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gitstate.documents import (
    conventions,
    current_task,
    decision_log,
    file_map,
    known_issues,
    project_context,
)
from gitstate.documents.header import read
from gitstate.documents.sections import outline
from gitstate.documents.splice import Splice
from tests.documents.plainly import plain

if TYPE_CHECKING:
    from collections.abc import Callable

CORPUS = Path(__file__).parent / "corpus"
FILES = sorted(CORPUS.glob("*.md"), key=lambda path: path.name)
READERS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "context": ("00-project-context.md", project_context.parse),
    "rules": ("01-coding-conventions.md", conventions.parse),
    "task": ("02-current-task.md", current_task.parse),
    "issues": ("03-known-issues.md", known_issues.parse),
    "decisions": ("04-decision-log.md", decision_log.parse),
    "map": ("05-file-map.md", file_map.parse),
}
EACH = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def text_of(path: Path) -> str:
    return path.read_bytes().decode()


def reader_of(path: Path) -> tuple[str, Callable[[str], Any]]:
    return READERS[path.name.partition("-")[0]]


def test_the_corpus_is_what_it_says() -> None:
    assert len(FILES) >= 40
    assert {path.stem for path in FILES} == {
        path.stem for path in CORPUS.glob("*.json")
    }
    kinds = [path.name.partition("-")[0] for path in FILES]
    assert all(kinds.count(kind) >= 5 for kind in READERS)
    chinese = [path for path in FILES if re.search("[\u4e00-\u9fff]", text_of(path))]
    assert len(chinese) >= 8
    assert len({text_of(path) for path in FILES}) == len(FILES)


@EACH
def test_what_is_read(path: Path) -> None:
    name, parse = reader_of(path)
    text = text_of(path)
    found = plain(parse(text))
    if text.startswith("---"):
        found = {"header": plain(read(name, text)), **found}
    expected = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert found == expected


@EACH
def test_written_back_it_is_the_same(path: Path) -> None:
    text = text_of(path)
    assert Splice(outline(text)).text() == text


@EACH
def test_the_same_with_other_line_ends(path: Path) -> None:
    """Only the line ends differ, so nothing that is read does."""
    _, parse = reader_of(path)
    text = text_of(path).replace("\r\n", "\n")
    values = plain(parse(text))
    for end in ("\r\n", "\r"):
        other = text.replace("\n", end)
        assert Splice(outline(other)).text() == other
        assert plain(parse(other)) == values
    assert plain(parse(text.rstrip("\n"))) == values
