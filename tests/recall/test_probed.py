"""The value that an answer gives where one fact was asked for."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import pytest

from gitstate.recall.asking import Dimension, Request
from gitstate.recall.cleaning import clean
from gitstate.recall.held import Held
from gitstate.recall.probed import probed

KNOWN = """\
- boil time: 60 minutes
- steep time: 90 minutes
- rest: 30 minutes, with 15 for a small kettle
- maximum gravity: 1.070
- yeast: saison-3711
- ticket price: 4.50
- ticket price for children: 3.10
- telescope port: 7015
- guide port: 7016
- 煮沸时间: 60 分钟
- 浸泡时间: 90 分钟
- 静置: 30 分钟，小锅 15 分钟
- 最高温度: 68
- 酵母: saison-3711
- 票价: 4 元
- 儿童票价: 2 元
"""
BOIL = ("boil time", "60 minutes")
YEAST = ("yeast", "saison-3711")
REST = ("rest", "30 minutes, with 15 for a small kettle")
GRAVITY = ("maximum gravity", "1.070")
PRICE = ("ticket price", "4.50")
PORT = ("telescope port", "7015")
HAN_BOIL = ("煮沸时间", "60 分钟")
HAN_REST = ("静置", "30 分钟，小锅 15 分钟")
HAN_MOST = ("最高温度", "68")
HAN_YEAST = ("酵母", "saison-3711")
HAN_PRICE = ("票价", "4 元")

AS_RECORDED = [
    (BOIL, "60 minutes"),
    (BOIL, "60 minutes; at 90 the wort darkens."),
    (BOIL, "60 minutes. At 90 it darkens."),
    (BOIL, "The boil time is 60 minutes."),
    (BOIL, "Not 90 but 60 minutes."),
    (BOIL, "It is 60, never 90."),
    (BOIL, "It boils for an hour."),
    (BOIL, ""),
    (BOIL, "1 hour, which is 60 minutes."),
    (BOIL, "45 would be a number that nobody recorded, 60 it is."),
    (REST, "30 minutes, with 15 for a small kettle"),
    (REST, "15 for a small kettle, 30 minutes else"),
    (GRAVITY, "1.070"),
    (GRAVITY, "at most 1.070"),
    (HAN_REST, "小锅 15 分钟，其他 30 分钟"),
    (HAN_MOST, "68"),
    (HAN_MOST, "不超过 68"),
    (YEAST, "saison-3711"),
    (YEAST, "The yeast is saison-3711."),
    (YEAST, "yeast: saison-3711"),
    (YEAST, "The yeast is not ale-05."),
    (YEAST, "The yeast is a living thing: saison-3711."),
    (PRICE, "4.50"),
    (PRICE, "4.50, and 3.10 for children."),
    (PRICE, "Instead of 3.10 it is 4.50."),
    (PORT, "7015"),
    (PORT, "7015, next to 7016 of the guide."),
    (HAN_BOIL, "60 分钟"),
    (HAN_BOIL, "煮沸时间是 60 分钟。"),
    (HAN_BOIL, "60 分钟，超过 90 分钟会变黑。"),
    (HAN_BOIL, "不是 90，是 60 分钟。"),
    (HAN_YEAST, "酵母是 saison-3711。"),
    (HAN_YEAST, "酵母：saison-3711"),
    (HAN_PRICE, "4 元，儿童 2 元。"),
    (HAN_PRICE, "票价为 4 元。"),
]
OTHERWISE = [
    (BOIL, "The boil time is 90 minutes."),
    (BOIL, "90 minutes, and 60 is too short."),
    (BOIL, "boil time: 90, not 60"),
    (GRAVITY, "at least 1.070"),
    (GRAVITY, "1.070 or more"),
    (HAN_MOST, "至少 68"),
    (HAN_MOST, "不低于 68"),
    (YEAST, "The yeast is ale-05."),
    (YEAST, "yeast = ale-05, formerly saison-3711"),
    (PRICE, "3.10, it was 4.50 once."),
    (PRICE, "The ticket price is 3.10."),
    (PORT, "7016, and 7015 is of the guide."),
    (PORT, "The telescope port is 7016."),
    (HAN_BOIL, "煮沸时间是 90 分钟。"),
    (HAN_BOIL, "90 分钟，60 分钟太短。"),
    (HAN_YEAST, "酵母是 ale-05。"),
    (HAN_YEAST, "酵母叫 ale-05，以前是 saison-3711"),
    (HAN_PRICE, "2 元，儿童 4 元。"),
    (HAN_PRICE, "票价为 2元。"),
]


def held(fact: tuple[str, str], told: str) -> Held:
    key, value = fact
    asked = (Dimension("fact", "x.md", value, None, key),)
    return Held(Request("?", asked, known=KNOWN), told)


@pytest.mark.parametrize(("fact", "told"), AS_RECORDED)
def test_the_recorded_value(fact: tuple[str, str], told: str) -> None:
    assert list(probed(held(fact, told))) == []


@pytest.mark.parametrize(("fact", "told"), OTHERWISE)
def test_another_value_in_its_place(fact: tuple[str, str], told: str) -> None:
    (found,) = probed(held(fact, told))
    assert found.said == clean(told)
    assert found.dimension == Dimension("fact", "x.md", fact[1], None, fact[0])


def test_only_what_comes_first_is_the_answer() -> None:
    assert list(probed(held(BOIL, "60 minutes. The boil time is 90 minutes."))) == []
    (found,) = probed(held(BOIL, "The boil time is 90 minutes. No: 60 minutes."))
    assert found.said == "the boil time is 90 minutes."


def test_what_asks_for_more_than_one_fact_is_not_looked_at() -> None:
    facts = [
        Dimension("fact", "x.md", value, None, key) for key, value in (BOIL, YEAST)
    ]
    rule = Dimension("rule", "x.md", "Boil 60 minutes", "must", "boil time")
    told = "The boil time is 90 minutes."
    for asked in ((), tuple(facts), (rule,)):
        assert list(probed(Held(Request("?", asked, known=KNOWN), told))) == []


@pytest.mark.parametrize("key", ["", "(", "boil (", "[a", "\\", "票价（元）", "*"])
def test_whatever_a_fact_is_called_it_can_be_looked_for(key: str) -> None:
    for told in ("60 minutes", f"The {key} is 60 minutes.", f"{key}: 60", ""):
        assert list(probed(held((key, "60 minutes"), told))) == []


@pytest.mark.parametrize("piece", ["1", "1 ", "boil time ", "boil time is ", ":"])
def test_a_long_answer_simply_returns(piece: str) -> None:
    """Hostile text of the longest size is still one answer (a loop would not end)."""
    assert len(list(probed(held(BOIL, piece * (40_000 // len(piece)))))) <= 1
