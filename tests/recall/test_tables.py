"""The tables of words: each line is one that the code reads as it was meant."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest

from gitstate.recall import concepts

ROOM = Path(concepts.__file__).parent
CONCEPTS = (ROOM / "concepts.txt").read_text("utf-8").splitlines()
CONTRASTS = (ROOM / "contrasts.txt").read_text("utf-8").splitlines()
HAN = "\u4e00-\u9fff"
# one line: its English words, "|", its Chinese ones, with one blank between two
_CONCEPT = re.compile(
    rf"(?:[a-z0-9]+(?: [a-z0-9]+)*)?\|(?:[{HAN}a-z0-9]+(?: [{HAN}a-z0-9]+)*)?"
)
_ENGLISH = r"(?:[A-Za-z0-9]+(?: [A-Za-z0-9]+)*|[+*-])"
_CHINESE = rf"[{HAN}]+(?: [{HAN}]+)*"
# at least two alternatives on a side that has any
_CONTRAST = re.compile(
    rf"(?:{_ENGLISH}(?: / {_ENGLISH})+)?\|(?:{_CHINESE}(?: / {_CHINESE})+)?"
)


def numbered(lines: list[str]) -> list[tuple[int, str]]:
    return list(enumerate(lines, 1))


def alternatives(side: str) -> list[list[str]]:
    return [one.split() for one in side.split("/")] if side else []


def twice(words: list[str]) -> list[str]:
    return sorted({one for one in words if words.count(one) > 1})


def test_every_concept_is_well_formed() -> None:
    odd = [one for one in numbered(CONCEPTS) if not _CONCEPT.fullmatch(one[1])]
    assert odd == []
    assert [one for one in numbered(CONCEPTS) if one[1] == "|"] == []


def test_no_concept_has_a_word_twice() -> None:
    found = [
        (at, twice([*english.split(), *chinese.split()]))
        for at, line in numbered(CONCEPTS)
        for english, _, chinese in [line.partition("|")]
    ]
    assert [one for one in found if one[1]] == []


def test_the_table_of_concepts_ends_with_a_line() -> None:
    for name in ("concepts.txt", "contrasts.txt"):
        text = (ROOM / name).read_bytes()
        assert text.endswith(b"\n")
        assert b"\r" not in text
        assert not text.startswith(b"\xef\xbb\xbf")


def test_every_contrast_is_well_formed() -> None:
    odd = [one for one in numbered(CONTRASTS) if not _CONTRAST.fullmatch(one[1])]
    assert odd == []
    assert [one for one in numbered(CONTRASTS) if one[1] == "|"] == []


def test_no_contrast_has_a_word_twice() -> None:
    found = [(at, twice(re.split(r"[ /|]+", line))) for at, line in numbered(CONTRASTS)]
    assert [one for one in found if one[1]] == []


def test_a_contrast_has_the_same_alternatives_in_both_languages() -> None:
    odd: list[tuple[int, int, int]] = []
    for at, line in numbered(CONTRASTS):
        english, _, chinese = line.partition("|")
        counts = len(alternatives(english)), len(alternatives(chinese))
        if all(counts) and counts[0] != counts[1]:
            odd.append((at, *counts))
    assert odd == []


@pytest.mark.parametrize("language", ["english", "chinese"])
def test_what_excludes_another_word_is_not_of_the_same_concept(language: str) -> None:
    of = concepts.english() if language == "english" else concepts.chinese()
    odd: list[tuple[int, str, str]] = []
    for at, line in numbered(CONTRASTS):
        english, _, chinese = line.partition("|")
        side = english if language == "english" else chinese
        for one, other in combinations(alternatives(side.casefold()), 2):
            odd += [
                (at, mine, theirs)
                for mine in one
                for theirs in other
                if mine in of and of[mine] == of.get(theirs)
            ]
    assert odd == []
