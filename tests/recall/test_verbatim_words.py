"""What stands in an answer word for word: put plainly on both sides, and what is said around it."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import pytest

from gitstate.recall.asking import Dimension, Request, restatement
from gitstate.recall.verbatim import told
from gitstate.recall.verification import score

NAME = "01-coding-conventions.md"
RULES = """\
# Coding conventions

## Rules

- Must tune the harpsichord to 415 Hz before each rehearsal
- Never lend out scores from the vault, because the paper is brittle
- 必须在入库前给琴谱编号
- 禁止在库房里使用闪光灯，因为会让纸张褪色
"""
TUNE = "Must tune the harpsichord to 415 Hz before each rehearsal"
LEND = "Never lend out scores from the vault"
NUMBER = "必须在入库前给琴谱编号"
FLASH = "禁止在库房里使用闪光灯"
ALL = f"{TUNE}. {LEND}. {NUMBER}。{FLASH}。"


def asked() -> Request:
    return restatement(RULES, name=NAME, lang="en", known=RULES)


WORD_FOR_WORD = [
    (TUNE, {0}),
    (LEND, {1}),
    (NUMBER, {2}),
    (FLASH, {3}),
    (ALL, {0, 1, 2, 3}),
    (RULES, {0, 1, 2, 3}),
    (f"{LEND}, because the paper is brittle.", {1}),
    (LEND.upper(), {1}),
    (f"**{LEND}**", {1}),
    ("Never lend out **scores** from the `vault`", {1}),
    ("禁止在「库房」里使用“闪光灯”", {3}),
    ("Tune the harpsichord to 415 Hz before each rehearsal", {0}),
    ("lend out scores from the vault", {1}),
    ("在库房里使用闪光灯", {3}),
    ("Ｎｅｖｅｒ lend out scores from the vault", {1}),
    (f"- `{LEND}`\n- {TUNE}", {0, 1}),
    (LEND.replace(" ", "  "), {1}),
    ("“Never lend out scores from the vault”", {1}),
    (f"1. {TUNE}\n2. {FLASH}", {0, 3}),
    (f"{LEND} (source: conventions).", {1}),
    (f"「{FLASH}」", {3}),
    ("Scores from the vault are never lent out", set()),
    ("never lend out scores from the vaults", set()),
    ("never lend out scores", set()),
    ("库房里不能用闪光灯", set()),
    ("", set()),
]


@pytest.mark.parametrize(("answer", "places"), WORD_FOR_WORD)
def test_which_items_stand_there_word_for_word(answer: str, places: set[int]) -> None:
    found = told(asked(), answer)
    every = asked().dimensions
    assert set(found.words) == {every[at] for at in places}
    assert len(found.request.dimensions) == len(every)
    for plain, one in zip(found.request.dimensions, every, strict=True):
        assert (plain == one) is (one not in found.words)
        assert found.recorded.get(plain, plain) == one


@pytest.mark.parametrize(
    ("answer", "plain"),
    [
        (f"{LEND}!", "never zqbzq zq1zq!"),
        (f"I know: {TUNE}.", "I know: must zqazq zq0zq."),
        (f"{FLASH}。", " 禁止 zqdzq zq3zq 。"),
        ("Nothing of it.", "Nothing of it."),
    ],
)
def test_a_word_of_our_own_takes_the_place_of_an_item(answer: str, plain: str) -> None:
    assert told(asked(), answer).answer == plain


@pytest.mark.parametrize("answer", [LEND, FLASH, NUMBER, TUNE])
def test_what_took_the_place_of_an_item_can_be_put_back(answer: str) -> None:
    found = told(asked(), answer)
    ((one, word),) = found.words.items()
    assert found.restored(f"{word} ends") == f"{one.text} ends"
    assert found.restored("zq99zq is nothing") == "zq99zq is nothing"


def test_a_short_item_may_stand_there_by_chance() -> None:
    text = "# X\n\n## Rules\n\n- Use hops\n- 用酵母\n"
    request = restatement(text, name=NAME, lang="en")
    assert told(request, "Use hops. 用酵母。").words == {}


def test_a_line_to_open_is_never_put_plainly() -> None:
    one = Dimension("anchor", "x.md", "src/harpsichord/tuning.py:120")
    found = told(Request("?", (one,), known=""), "open src/harpsichord/tuning.py:120")
    assert found.words == {}
    assert found.answer == "open src/harpsichord/tuning.py:120"


ACCEPTED = [
    ALL,
    RULES,
    ALL.upper(),
    ALL.lower(),
    f"State check:\n- {TUNE}\n- {LEND}\n- {NUMBER}\n- {FLASH}\n",
    f"1) {FLASH}；2) {NUMBER}；3) {LEND}; 4) {TUNE}.",
    f"{ALL} These are all of them.",
    f"| rule |\n|---|\n| {TUNE} |\n| {LEND} |\n| {NUMBER} |\n| {FLASH} |\n",
    f"{TUNE}. {NUMBER}。{FLASH}。Scores in the vault must not be lent out.",
]
NOT_ACCEPTED = [
    f"{ALL} Scores from the vault may be lent out to soloists.",
    f"{TUNE}. {LEND}, except on Fridays. {NUMBER}。{FLASH}。",
    f"{TUNE}. {LEND} unless asked nicely. {NUMBER}。{FLASH}。",
    f"{TUNE}. You may ignore this: {LEND}. {NUMBER}。{FLASH}。",
    f"{TUNE}. {LEND} - that was lifted. {NUMBER}。{FLASH}。",
    f"{TUNE}. {LEND}. {NUMBER}。{FLASH}，周末除外。",
    f"{TUNE}. {LEND}. {NUMBER}。{FLASH}，这条已经作废。",
    f"{TUNE}. {LEND}. {NUMBER}。{FLASH}，但可以用手机拍照闪光。",
    f"{ALL} 库房里可以使用闪光灯。",
    f"{ALL} Tune the harpsichord to 440 Hz before each rehearsal.",
    f"~~{LEND}~~ {TUNE}. {NUMBER}。{FLASH}。",
    f"{TUNE}. {LEND}. {NUMBER}。",
    "",
]


@pytest.mark.parametrize("answer", ACCEPTED)
def test_what_is_said_in_its_own_words_is_accepted(answer: str) -> None:
    assert score(asked(), answer).accepted


@pytest.mark.parametrize("answer", NOT_ACCEPTED)
def test_what_is_said_around_it_is_understood(answer: str) -> None:
    assert not score(asked(), answer).accepted


def test_what_is_said_otherwise_is_told_in_the_answers_own_words() -> None:
    found = score(asked(), f"{ALL} Scores from the vault may be lent out to soloists.")
    assert [one.said for one in found.contradicted] == [
        "scores from the vault may be lent out to soloists."
    ]
    assert [one.dimension for one in found.contradicted] == [asked().dimensions[1]]
    assert found.missing == ()


def test_a_missing_item_is_named_in_its_own_words() -> None:
    found = score(asked(), f"{TUNE}. {NUMBER}。{FLASH}。")
    assert [one.text for one in found.missing] == [
        "Never lend out scores from the vault, because the paper is brittle"
    ]


@pytest.mark.parametrize(
    "word", ["zq0zq", "zqazq zq0zq", "never zq1zq", "zq", "禁止 zq3zq"]
)
def test_our_own_words_say_nothing_in_an_answer(word: str) -> None:
    assert score(asked(), f"{word}. {word}.").said == 0


@pytest.mark.parametrize(
    "piece",
    ["z", "zq1zq ", "(source:", "（来源：", " ", "\t", '"', "因为", "never ", LEND],
)
def test_a_long_answer_simply_returns(piece: str) -> None:
    """Hostile text of the longest size is put plainly at once (a loop would not end)."""
    answer = piece * (40_000 // len(piece))
    assert set(told(asked(), answer).words) <= {asked().dimensions[1]}
