"""An answer that is the state's own words for the most part, and what it adds to them."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import pytest

from gitstate.recall.asking import Request, combined, restatement
from gitstate.recall.verification import Verdict, score

NAME = "01-coding-conventions.md"
RULES = """\
# Coding conventions

## Rules

- Must tune the harpsichord to 415 Hz before each rehearsal
- Must answer NOT_FOUND for a lost score, because the shelf robot retries on INTERNAL
- Must take the time from the hall clock, not from the watch of the conductor
- Never lend out scores from the vault, because the paper is brittle
- Never open the organ case by hand, because a script watches its lid
- 禁止在库房里使用闪光灯，因为会让纸张褪色
- 未升级 INDEX_REV 时，禁止改动 catalogue/cards.proto
- 借阅顺序只按登记时间排
"""
TASK = """\
# Current task

## Goal

The index finds a score by its first bar within 2 seconds, and never shows a withdrawn one.

## Steps

1. [done] Read the old cards
2. [in progress] Sort the cards when the catalogue is open
3. Print the shelf labels

## Next

Replace all(c < 0 for c in window) with any(c < 0 for c in bars) in index/find.py:52
"""
ISSUES = """\
# Known issues

## I-0001: The label printer drops the eighth line

- Status: open
"""


def items() -> list[str]:
    return [one.removeprefix("- ") for one in RULES.splitlines() if one.startswith("-")]


def verdict(**changed: str) -> Verdict:
    """The rules in their own words but for those that begin with a key's words."""
    told = items()
    for start, text in changed.items():
        (at,) = [n for n, one in enumerate(told) if start in one]
        told[at] = text
    request = restatement(RULES, name=NAME, lang="en", known=RULES)
    return score(request, "\n".join(f"- {one}" for one in told))


def test_the_state_in_its_own_words_is_accepted() -> None:
    assert verdict() == Verdict((), (), len(items()))


KEPT = [
    {"vault": "Never lend out scores from the vault"},
    {"vault": "Never lend scores out of the vault, since the paper is brittle"},
    {"vault": "never lend out scores from the vault (they are brittle)"},
    {"harpsichord": "Must tune the harpsichord to 415 Hz before every rehearsal"},
    {"organ": "Never open the organ case by hand: a script watches its lid"},
    {"闪光灯": "库房里禁止使用闪光灯"},
    {"INDEX_REV": "没有升级 INDEX_REV 时，禁止改动 catalogue/cards.proto"},
    {"借阅": "借阅顺序只按登记时间来排"},
]


@pytest.mark.parametrize("changed", KEPT)
def test_a_shortened_or_plainly_the_same_item_is_accepted(
    changed: dict[str, str],
) -> None:
    assert verdict(**changed).accepted


STRESSED = (
    " (hard rule)",
    " - understood",
    " (no exceptions)",
    ", always",
    " (critical)",
    " under any circumstances",
    ", no matter what",
    " - I will keep to it",
    "，必须遵守",
    "（硬性规定）",
)


@pytest.mark.parametrize("stress", STRESSED)
def test_what_says_once_more_that_it_binds_adds_nothing(stress: str) -> None:
    assert verdict(vault=f"Never lend out scores from the vault{stress}").accepted


ALTERED = [
    {
        "NOT_FOUND": "Must answer INTERNAL for a lost score, because the robot retries on NOT_FOUND"
    },
    {
        "hall": "Must take the time from the watch of the conductor, not from the hall clock"
    },
    {"vault": "Never lend out scores from the vault, scans may leave it after a year"},
    {"vault": "Never lend out rare scores from the vault"},
    {"vault": "Never lend out scores from the vault on concert days"},
    {
        "organ": "Never open the organ case from a script, because a hand watches its lid"
    },
    {"harpsichord": "Must tune the harpsichord to 440 Hz before each rehearsal"},
    {"harpsichord": "Must tune the harpsichord to 415 Hz after each rehearsal"},
    {"闪光灯": "禁止在阅览室里使用闪光灯"},
    {"闪光灯": "禁止在库房里使用闪光灯，满一年后即可取消"},
    {"INDEX_REV": "升级 INDEX_REV 之后，禁止改动 catalogue/cards.proto"},
    {
        "INDEX_REV": "未升级 INDEX_REV 时，禁止改动 catalogue/cards.proto；没有升级时可以改动注释"
    },
    {"借阅": "借阅顺序按职务和登记时间排"},
]


@pytest.mark.parametrize("changed", ALTERED)
def test_what_is_put_into_an_item_makes_it_another(changed: dict[str, str]) -> None:
    assert not verdict(**changed).accepted


def asked() -> Request:
    files = {"02-current-task.md": TASK, "03-known-issues.md": ISSUES}
    return combined(files, lang="en")


STEP = "In progress: Sort the cards when the catalogue is open"
NEXT = "Next: Replace all(c < 0 for c in window) with any(c < 0 for c in bars) in index/find.py:52"
OPEN = "Open: I-0001 The label printer drops the eighth line"


@pytest.mark.parametrize(
    ("lines", "accepted"),
    [
        ((STEP, NEXT, OPEN), True),
        ((STEP.replace("when", "while"), NEXT, OPEN), True),
        ((STEP.replace("when", "unless"), NEXT, OPEN), False),
        ((STEP, NEXT.replace("any(", "all("), OPEN), False),
        ((STEP, NEXT.replace("window", "bars"), OPEN), False),
        ((STEP, NEXT, OPEN.replace("eighth", "eighteenth")), False),
        ((STEP.replace("cards", "labels"), NEXT, OPEN), False),
        (
            (
                STEP,
                "Next: Replace any(c < 0 for c in bars) with all(c < 0 for c in window)",
                OPEN,
            ),
            False,
        ),
    ],
)
def test_the_task_in_its_own_words(lines: tuple[str, ...], *, accepted: bool) -> None:
    assert score(asked(), "\n".join(lines)).accepted is accepted


def test_an_answer_that_is_told_freely_may_use_words_of_its_own() -> None:
    told = (
        "I tune the harpsichord to 415 Hz ahead of every rehearsal, a missing score is answered with NOT_FOUND,"
        " and the hall clock gives the time, not the conductor's watch. Scores in the vault must not be lent out,"
        " nobody opens the organ case with bare hands. 库房里不许用闪光灯。没升级 INDEX_REV 就不许动 catalogue/cards.proto。"
    )
    request = restatement(RULES, name=NAME, lang="en", known=RULES)
    assert score(request, told).contradicted == ()


def test_what_was_added_is_named_in_the_answers_words() -> None:
    (found,) = verdict(vault="Never lend out rare scores from the vault").contradicted
    assert found.said == "never lend out rare scores from the vault"
    said = "Never lend out scores from the vault on concert days"
    told = {one.said for one in verdict(vault=said).contradicted}
    assert told == {f"{items()[3]} on concert days"}
    assert found.dimension is not None
    assert found.dimension.text.startswith("Never lend out scores from the vault")


@pytest.mark.parametrize(
    "piece",
    [
        "x",
        "，",
        "vault ",
        "zq3zq ",
        "(",
        "Never lend out scores from the vault, ",
        "未",
    ],
)
def test_a_long_tail_of_a_quote_simply_returns(piece: str) -> None:
    """Hostile text behind what stands word for word is judged at once (a loop would not end)."""
    tail = piece * (30_000 // len(piece))
    told = verdict(vault=f"Never lend out scores from the vault {tail}")
    assert told.said >= len(items()) - 1
