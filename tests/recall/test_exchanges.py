"""Two things of which one takes the other's place: told as recorded, or the wrong way round."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import pytest

from gitstate.recall.cleaning import clean
from gitstate.recall.exchanges import is_exchanged

YEAST = "Replace dry yeast with liquid yeast in recipes/"
FONT = "Use Noto Serif instead of Times in the captions"
CLOCK = "Use monotonic() rather than time() in the chess clock"
SWAP = "Swap the worm gear for a belt drive"
INTO = "Convert the feet into meters in every flight log"
PLACE = "use hops.csv in place of malt.csv"
PASSIVE = "The paper tickets are to be replaced by QR codes"
HAN_WITH = "用 ffmpeg 代替 mencoder"
HAN_TO = "把字幕的编码从 gbk 改成 utf-8"
HAN_SWAP = "将旧琴谱换成新琴谱"
HAN_NOT = "把 pickle 替换为 msgpack"
HAN_USE = "时钟改用 chrono::steady_clock"

AS_RECORDED = [
    (YEAST, "Replace dry yeast with liquid yeast in recipes/"),
    (YEAST, "in recipes/ liquid yeast replaces dry yeast"),
    (YEAST, "recipes/: liquid yeast instead of dry yeast"),
    (YEAST, "liquid yeast takes the place of dry yeast"),
    (YEAST, "dry yeast gives way to liquid yeast"),
    (YEAST, "swap dry yeast for liquid yeast"),
    (YEAST, "dry yeast becomes liquid yeast in recipes/"),
    (YEAST, "liquid yeast goes in where there was dry yeast"),
    (YEAST, "dry yeast is replaced by liquid yeast"),
    (YEAST, "yeast is kept in recipes/"),
    (FONT, "captions are set in Noto Serif, not in Times"),
    (FONT, "replace Times with Noto Serif"),
    (FONT, "the captions use Noto Serif rather than Times"),
    (FONT, "instead of Times, the captions get Noto Serif"),
    (FONT, "Times is swapped for Noto Serif"),
    (CLOCK, "the chess clock takes monotonic() instead of time()"),
    (CLOCK, "rather than time(), the chess clock reads monotonic()"),
    (CLOCK, "time() gets replaced by monotonic()"),
    (SWAP, "a belt drive replaces the worm gear"),
    (SWAP, "the worm gear is exchanged for a belt drive"),
    (SWAP, "belt drive instead of the worm gear"),
    (INTO, "feet become meters in the flight logs"),
    (INTO, "every flight log has its feet turned into meters"),
    (PLACE, "hops.csv replaces malt.csv"),
    (PLACE, "malt.csv goes out, hops.csv comes in"),
    (PASSIVE, "QR codes replace the paper tickets"),
    (PASSIVE, "QR codes instead of paper tickets"),
    (HAN_WITH, "mencoder 换成 ffmpeg"),
    (HAN_WITH, "ffmpeg 取代 mencoder"),
    (HAN_WITH, "用 ffmpeg，而不是 mencoder"),
    (HAN_WITH, "replace mencoder with ffmpeg"),
    (HAN_TO, "字幕编码由 gbk 改为 utf-8"),
    (HAN_TO, "用 utf-8 替换 gbk"),
    (HAN_SWAP, "新琴谱代替旧琴谱"),
    (HAN_SWAP, "旧琴谱替换为新琴谱"),
    (HAN_NOT, "用 msgpack 取代 pickle"),
    (HAN_NOT, "pickle 变成 msgpack"),
    (HAN_NOT, "msgpack instead of pickle"),
    (HAN_USE, "时钟用的是 chrono::steady_clock"),
    ("Tune the oven", "replace the oven with the tuner"),
    ("Replace a with b", ""),
    ("", "replace a with b"),
]
WRONG_WAY_ROUND = [
    (YEAST, "Replace liquid yeast with dry yeast in recipes/"),
    (YEAST, "in recipes/ dry yeast replaces liquid yeast"),
    (YEAST, "recipes/: dry yeast instead of liquid yeast"),
    (YEAST, "dry yeast takes the place of liquid yeast"),
    (YEAST, "liquid yeast gives way to dry yeast"),
    (YEAST, "swap liquid yeast for dry yeast"),
    (YEAST, "liquid yeast is replaced by dry yeast"),
    (FONT, "replace Noto Serif with Times"),
    (FONT, "the captions use Times rather than Noto Serif"),
    (FONT, "instead of Noto Serif, the captions get Times"),
    (FONT, "Noto Serif is swapped for Times"),
    (CLOCK, "the chess clock takes time() instead of monotonic()"),
    (CLOCK, "rather than monotonic(), the chess clock reads time()"),
    (CLOCK, "monotonic() gets replaced by time()"),
    (SWAP, "the worm gear replaces the belt drive"),
    (SWAP, "swap a belt drive for the worm gear"),
    (INTO, "convert the meters into feet in every flight log"),
    (INTO, "every flight log has its meters turned into feet"),
    (PLACE, "malt.csv replaces hops.csv"),
    (PLACE, "hops.csv goes out, malt.csv comes in"),
    (HAN_WITH, "ffmpeg 换成 mencoder"),
    (HAN_WITH, "mencoder 取代 ffmpeg"),
    (HAN_WITH, "用 mencoder，而不是 ffmpeg"),
    (HAN_WITH, "replace ffmpeg with mencoder"),
    (HAN_TO, "把字幕的编码从 utf-8 改成 gbk"),
    (HAN_TO, "用 gbk 替换 utf-8"),
    (HAN_SWAP, "旧琴谱代替新琴谱"),
    (HAN_SWAP, "将新琴谱换成旧琴谱"),
    (HAN_NOT, "用 pickle 取代 msgpack"),
    (HAN_NOT, "msgpack 变成 pickle"),
    (HAN_NOT, "pickle instead of msgpack"),
]


@pytest.mark.parametrize(("recorded", "told"), AS_RECORDED)
def test_the_recorded_exchange_in_other_words(recorded: str, told: str) -> None:
    assert not is_exchanged(clean(recorded), clean(told))


@pytest.mark.parametrize(("recorded", "told"), WRONG_WAY_ROUND)
def test_the_exchange_the_wrong_way_round(recorded: str, told: str) -> None:
    assert is_exchanged(clean(recorded), clean(told))


@pytest.mark.parametrize(
    "piece", ["(", "replace ", "a ", "instead of ", "swap a ", ",", ". ", "把b"]
)
def test_a_long_text_simply_returns(piece: str) -> None:
    """Hostile text of the longest size, on either side (a loop would not end)."""
    long = clean(piece * (40_000 // len(piece)))
    assert not is_exchanged(clean(YEAST), long)
    assert not is_exchanged(long, clean(YEAST))
