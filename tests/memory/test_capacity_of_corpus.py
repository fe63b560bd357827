"""Tidying every file of the corpus: each of its lines stands somewhere after it."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from gitstate.documents import (
    CURRENT_TASK,
    DECISION_LOG,
    KNOWN_ISSUES,
    decision_log,
    header,
)
from gitstate.memory.archives import ids_in
from gitstate.memory.capacity import tidy
from tests.documents.test_corpus import FILES, text_of
from tests.memory.shelf import Shelf

if TYPE_CHECKING:
    from pathlib import Path

    from gitstate.memory.capacity import Tidied

NOW = datetime.fromisoformat("2026-11-29T12:00:00+01:00")
NAMES = {"decisions": DECISION_LOG, "issues": KNOWN_ISSUES, "task": CURRENT_TASK}
PATHS = [path for path in FILES if path.name.split("-")[0] in NAMES]


def of(shelf: Shelf) -> Tidied:
    return tidy(shelf, log_before=NOW, max_size=1 << 20)


def shelf_with(path: Path) -> Shelf:
    """The file under its name, with room for one entry."""
    name, text = NAMES[path.name.split("-")[0]], text_of(path)
    if header.read(name, text).lines == 0:
        end = "\r\n" if "\r\n" in text else "\n"
        mark = "\ufeff" * text.startswith("\ufeff")
        head = f"---{end}capacity: {{items: 1}}{end}---{end}"
        text = f"{mark}{head}{text.removeprefix(mark)}"
    text = re.sub(r"items: ?\d+", "items: 1", text, count=1)
    return Shelf({name: text})


def lines(*texts: str) -> Counter[str]:
    """What a text says, line by line; tidying may write a failed attempt otherwise."""
    return Counter(
        line.strip("\ufeff \t")
        for text in texts
        for line in re.split(r"\r\n|\r|\n", text)
    )


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_nothing_is_lost(path: Path) -> None:
    shelf = shelf_with(path)
    found = of(shelf)
    after = shelf.with_first(found.texts, 99)
    lost = (
        lines(*shelf.values()) - lines(*after.values()) - Counter({"---": 99, "": 999})
    )
    if path.stem.startswith("task"):
        words = " ".join(after.values())
        said = [one.what for one in found.moves]
        assert all(one in words for one in said), said
    else:
        bars = Counter(
            {one: n for one, n in lost.items() if re.fullmatch(r"[-*_]{3,}", one)}
        )
        assert lost - bars == Counter(), path
    assert of(after).texts == {}
    for count in range(len(found.texts)):
        killed = shelf.with_first(found.texts, count)
        assert killed.with_first(of(killed).texts, 99) == after


@pytest.mark.parametrize(
    "path",
    [one for one in PATHS if one.stem.startswith("decisions")],
    ids=lambda path: path.stem,
)
def test_the_archive_knows_each_number(path: Path) -> None:
    shelf = shelf_with(path)
    before = decision_log.parse(shelf[DECISION_LOG])
    found = of(shelf)
    after = shelf.with_first(found.texts, 99)
    left = decision_log.parse(after[DECISION_LOG]).decisions
    ids = [one.id for one in left]
    archived = [name for name in after if name.startswith("archive/")]
    ids += ids_in("\n".join(after[name] for name in archived), decision_log.kind())
    known = {one.id for one in before.decisions if one.id}
    missing = known - set(ids)
    assert missing == set(), (missing, found.problems)
    assert len(left) == 1 or found.problems
