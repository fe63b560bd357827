"""An item told nearly as it is recorded, with one word in another's place, and what excludes what."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import re

import pytest

from gitstate.recall.alignment import nearest, words
from gitstate.recall.asking import Dimension, Kind, Request
from gitstate.recall.cleaning import clean
from gitstate.recall.contrasts import excludes
from gitstate.recall.held import Held
from gitstate.recall.variants import variants

HIVES = "Must weigh every hive within 30 minutes of sunrise"
MASH = "Mash temperature must stay below 68 degrees in the copper kettle"
SCORES = "Scores older than 90 days are archived every Sunday"
CUES = "Must store subtitle cues as milliseconds from the start of the reel"
DOME = "Close the dome shutter when the humidity is above 85 percent"
PAWN = "The engine loses a rook when white castles on the queen side"
BIKES = "Bikes that are not docked stay locked"
KNIT = "Knit the left sleeve from the outer edge to the collar"
LOANS = "A loan is extended twice at most for adult readers"
HAN_HIVE = "蜂箱每周称重一次，称重前必须先归零"
HAN_MASH = "糖化温度不得高于 68 度"
HAN_SCORE = "琴谱默认按作曲家升序排列"
HAN_DOME = "湿度超过 85% 时关闭圆顶"
HAN_LOAN = "逾期的图书不能续借"
HAN_FARE = "儿童票按成人票价的一半收取"

AS_RECORDED: list[tuple[Kind, str, str]] = [
    ("rule", HIVES, HIVES),
    ("rule", HIVES, "Every hive must be weighed within 30 minutes of sunrise."),
    ("rule", HIVES, "Weigh each hive no later than 30 minutes after sunrise."),
    (
        "constraint",
        MASH,
        "The mash temperature stays under 68 degrees in the copper kettle.",
    ),
    (
        "constraint",
        MASH,
        "In the copper kettle, the mash temperature must stay below 68 degrees.",
    ),
    ("fact", SCORES, "Scores older than 90 days get archived each Sunday."),
    ("fact", SCORES, "Every Sunday, scores older than 90 days are archived."),
    (
        "rule",
        CUES,
        "Subtitle cues must be stored as milliseconds from the start of the reel.",
    ),
    ("rule", DOME, "When the humidity is over 85 %, close the dome shutter."),
    ("issue", PAWN, "The engine loses a rook when white castles on the queen side."),
    ("issue", PAWN, "When white castles on the queen side, the engine loses a rook."),
    ("issue", BIKES, "Bikes that are not docked stay locked."),
    ("issue", BIKES, "Bikes that were never docked stay locked."),
    ("next", KNIT, "Knit the left sleeve from the outer edge to the collar."),
    ("rule", LOANS, "A loan is extended at most twice for adult readers."),
    ("rule", LOANS, "Nothing here is of loans."),
    ("rule", HAN_HIVE, HAN_HIVE),
    ("rule", HAN_HIVE, "每周给蜂箱称重一次，称重前必须先归零。"),
    ("constraint", HAN_MASH, "糖化温度不得超过 68 度。"),
    ("constraint", HAN_MASH, "糖化温度最多 68 度。"),
    ("fact", HAN_SCORE, "琴谱默认按作曲家升序排列。"),
    ("fact", HAN_SCORE, "默认情况下琴谱按作曲家升序排列。"),
    ("rule", HAN_DOME, "湿度高于 85% 时关闭圆顶。"),
    ("rule", HAN_DOME, "湿度超过 85% 时要关上圆顶。"),
    ("issue", HAN_LOAN, "逾期的图书无法续借。"),
    ("fact", HAN_FARE, "儿童票收取成人票价的一半。"),
]
OTHERWISE: list[tuple[Kind, str, str]] = [
    # another number
    ("rule", HIVES, "Must weigh every hive within 45 minutes of sunrise."),
    (
        "constraint",
        MASH,
        "Mash temperature must stay below 78 degrees in the copper kettle.",
    ),
    ("fact", SCORES, "Scores older than 60 days are archived every Sunday."),
    # another unit, time, place or state
    ("rule", HIVES, "Must weigh every hive within 30 hours of sunrise."),
    ("rule", HIVES, "Must weigh every hive within 30 minutes of sunset."),
    ("fact", SCORES, "Scores older than 90 days are archived every Monday."),
    ("fact", SCORES, "Scores older than 90 weeks are archived every Sunday."),
    ("fact", SCORES, "Scores newer than 90 days are archived every Sunday."),
    (
        "rule",
        CUES,
        "Must store subtitle cues as microseconds from the start of the reel.",
    ),
    (
        "rule",
        CUES,
        "Must store subtitle cues as milliseconds from the end of the reel.",
    ),
    ("rule", DOME, "Open the dome shutter when the humidity is above 85 percent."),
    ("issue", PAWN, "The engine loses a rook when black castles on the queen side."),
    ("next", KNIT, "Knit the right sleeve from the outer edge to the collar."),
    ("next", KNIT, "Knit the left sleeve from the inner edge to the collar."),
    ("rule", LOANS, "A loan is extended once at most for adult readers."),
    ("rule", LOANS, "A loan is extended twice at least for adult readers."),
    ("rule", LOANS, "A loan is extended twice at most for child readers."),
    ("rule", HAN_HIVE, "蜂箱每月称重一次，称重前必须先归零。"),
    ("rule", HAN_HIVE, "蜂箱每周称重两次，称重前必须先归零。"),
    ("constraint", HAN_MASH, "糖化温度不得高于 78 度。"),
    ("constraint", HAN_MASH, "糖化温度不得低于 68 度。"),
    ("fact", HAN_SCORE, "琴谱默认按作曲家降序排列。"),
    ("rule", HAN_DOME, "湿度超过 85% 时打开圆顶。"),
    # a negation less
    ("issue", BIKES, "Bikes that are docked stay locked."),
    ("issue", HAN_LOAN, "逾期的图书能续借。"),
    # two things in each other's place
    ("fact", HAN_FARE, "成人票按儿童票价的一半收取。"),
    # an unknown word, where all the rest is as it is recorded
    (
        "constraint",
        MASH,
        "Mash temperature must stay below 68 degrees in the oak kettle.",
    ),
    ("issue", PAWN, "The engine loses a bishop when white castles on the queen side."),
]


def flat(text: str) -> str:
    """A text without its commas."""
    return re.sub(r"[ ,]+", " ", text)


def held(kind: Kind, recorded: str, told: str, *, quoting: bool = True) -> Held:
    """``quoting``: the answer has something else of the state's in its own words."""
    text = f"# X\n\n- {recorded}\n"
    other = Dimension("rule", "x.md", "Must tune the harpsichord")
    quoted = {other._replace(text="must zqazq zq0zq"): other} if quoting else None
    request = Request("?", (Dimension(kind, "x.md", recorded),), known=text)
    return Held(request, told, quoted)


@pytest.mark.parametrize(("kind", "recorded", "told"), AS_RECORDED)
def test_the_recorded_item_is_no_variant_of_itself(
    kind: Kind, recorded: str, told: str
) -> None:
    assert list(variants(held(kind, recorded, told))) == []


@pytest.mark.parametrize(("kind", "recorded", "told"), OTHERWISE)
def test_another_word_in_the_place_of_a_recorded_one(
    kind: Kind, recorded: str, told: str
) -> None:
    (found,) = variants(held(kind, recorded, told))
    assert found.dimension == Dimension(kind, "x.md", recorded)
    assert flat(found.said) == flat(clean(told))


FREELY: list[tuple[Kind, str, str]] = [
    ("issue", PAWN, "The engine loses a tower when white castles on the queen side."),
    ("issue", BIKES, "Bikes that are left undocked stay locked."),
    (
        "constraint",
        MASH,
        "Mash temperature must stay below 68 degrees in the copper pot.",
    ),
    ("step", KNIT, "Knit the left arm from the outer edge to the collar."),
]


@pytest.mark.parametrize(("kind", "recorded", "told"), FREELY)
def test_an_answer_that_is_told_freely_has_words_of_its_own(
    kind: Kind, recorded: str, told: str
) -> None:
    assert list(variants(held(kind, recorded, told, quoting=False))) == []
    assert len(list(variants(held(kind, recorded, told)))) == 1


@pytest.mark.parametrize(
    ("kind", "recorded", "told"),
    [
        ("rule", HIVES, "Must weigh every hive within 90 minutes of sunrise."),
        ("next", KNIT, "Knit the left sleeve from the inner edge to the collar."),
        ("step", "Stop when the dome is open", "Stop unless the dome is open"),
    ],
)
def test_what_excludes_it_is_another_thing_however_it_is_told(
    kind: Kind, recorded: str, told: str
) -> None:
    assert len(list(variants(held(kind, recorded, told, quoting=False)))) == 1


def test_each_item_is_held_against_what_is_nearest_to_it() -> None:
    first, other = "Feed the north hives on Monday", "Feed the south hives on Friday"
    asked = tuple(Dimension("rule", "x.md", one) for one in (first, other))
    request = Request("?", asked, known=f"- {first}\n- {other}\n")
    assert list(variants(Held(request, f"{first}. {other}."))) == []
    assert list(variants(Held(request, f"{other}. {first}."))) == []
    (found,) = variants(Held(request, f"{first}. Feed the south hives on Sunday."))
    assert found.dimension == asked[1]


@pytest.mark.parametrize(
    ("own", "texts", "expected"),
    [
        (
            "weigh the hive at dawn",
            ["brew the mash", "weigh a hive at dusk"],
            "weigh a hive at dusk",
        ),
        (
            "weigh the hive at dawn",
            ["weigh a hive at dusk", "weigh the hive at dawn"],
            "weigh the hive at dawn",
        ),
        ("weigh the hive at dawn", ["brew the mash at noon"], None),
        ("weigh the hive at dawn", ["hive " * 40 + "weigh dawn"], None),
        ("weigh the hive at dawn", [], None),
        ("清晨给蜂箱称重", ["晚上煮麦芽", "傍晚给蜂箱称重"], "傍晚给蜂箱称重"),
    ],
)
def test_the_nearest_text_is_the_one_that_has_most_of_an_item(
    own: str, texts: list[str], expected: str | None
) -> None:
    found = nearest(words(own), texts)
    assert (found.text if found else None) == expected


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("at most 30 bees", "<="),
        ("no more than 30 bees", "<="),
        ("up to 30 bees", "<="),
        ("within 30 minutes", "<="),
        ("must not exceed 30", "<="),
        ("at least 30 bees", ">="),
        ("no fewer than 30 bees", ">="),
        ("under 30 bees", "<"),
        ("fewer than 30 bees", "<"),
        ("over 30 bees", ">"),
        ("more than 30 bees", ">"),
        ("不得超过 30 只", "<="),
        ("最多 30 只", "<="),
        ("30 分钟以内", "<="),
        ("不少于 30 只", ">="),
        ("至少 30 只", ">="),
        ("少于 30 只", "<"),
        ("超过 30 只", ">"),
    ],
)
def test_a_limit_is_its_sign_in_either_language(text: str, sign: str) -> None:
    found = [one.term for one in words(clean(text))]
    assert [one for one in found if one in {"<=", ">=", "<", ">"}] == [sign]


EXCLUDE = [
    ("30", "45"),
    ("30", "-30"),
    ("1.5", "1.50"),
    ("monday", "sunday"),
    ("left", "right"),
    ("north", "east"),
    ("inner", "outer"),
    ("milliseconds", "microseconds"),
    ("daily", "weekly"),
    ("grams", "kilograms"),
    ("celsius", "fahrenheit"),
    ("wholesale", "retail"),
    ("red", "green"),
    ("landscape", "portrait"),
    ("average", "median"),
    ("gzip", "zstd"),
    ("tcp", "udp"),
    ("q1", "q3"),
    ("dx", "dy"),
    ("周一", "周五"),
    ("左侧", "右侧"),
    ("升序", "降序"),
    ("毫秒", "微秒"),
    ("每天", "每周"),
    ("公斤", "克"),
    ("口服", "注射"),
    ("批发", "零售"),
    ("红色", "绿色"),
]
DO_NOT = [
    ("30", "30"),
    ("monday", "monday"),
    ("hive", "kettle"),
    ("left", "monday"),
    ("30", "monday"),
    ("delete", "remove"),
    ("north", "northern"),
    ("grams", "gram"),
    ("teacher", "instructor"),
    ("gzip", "tcp"),
    ("ab", "abc"),
    ("dx", "ey"),
    ("周一", "星期一"),
    ("公斤", "千克"),
    ("左侧", "左边"),
    ("红色", "周一"),
    ("蜂箱", "麦芽"),
]


def term(word: str) -> str:
    """The one term of a word."""
    (one,) = words(clean(word))
    return one.term


@pytest.mark.parametrize(("one", "other"), EXCLUDE)
def test_two_words_that_exclude_each_other(one: str, other: str) -> None:
    assert excludes(term(one), term(other))
    assert excludes(term(other), term(one))


def test_a_sign_excludes_the_other() -> None:
    assert excludes("+", "-")
    assert excludes("-", "+")
    assert not excludes("+", "+")


@pytest.mark.parametrize(("one", "other"), DO_NOT)
def test_two_words_that_may_be_of_one_thing(one: str, other: str) -> None:
    mine, theirs = (
        [each.term for each in words(clean(each_))] for each_ in (one, other)
    )
    assert not any(excludes(own, told) for own in mine for told in theirs)
    assert not any(excludes(told, own) for own in mine for told in theirs)


@pytest.mark.parametrize("piece", ["1", "hive ", "- ", "<", "at most ", "(", "- 周\n"])
def test_a_long_answer_simply_returns(piece: str) -> None:
    """Hostile text of the longest size is still one answer (a loop would not end)."""
    answer = piece * (40_000 // len(piece))
    assert list(variants(held("rule", HIVES, answer))) == []
