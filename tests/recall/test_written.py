"""Values, fields, calls and programs that an answer writes otherwise than the state."""

from __future__ import annotations

import pytest

from gitstate.recall.asking import Dimension, Kind, Request
from gitstate.recall.held import Held
from gitstate.recall.written import written

BREW = "Run the kettle with boil_minutes=60 and --hops=cascade"
DOME = "Set DOME_MODE=closed before the telescope parks"
FIELDS = "Send {speed: slow, door: left} to the tram controller"
CALL = "Call tune(string, cents) for each piano key"
TWO = "Draw arcs with arc(center, radius) and arc(center, radius, sweep)"
HAN = "启动酿造机时设置 mash_temp=68"
HAN_CALL = "调音时调用 retune(弦号, 音分)"

AS_RECORDED: list[tuple[Kind, str, str]] = [
    ("rule", BREW, "boil_minutes=60, --hops=cascade"),
    ("rule", BREW, "With `boil_minutes = 60` and `--hops=cascade` the kettle runs."),
    ("rule", BREW, "Never run it with boil_minutes=90."),
    ("rule", BREW, "boil_minutes=90 is forbidden."),
    ("rule", BREW, "Set malt=pale, which nobody recorded."),
    ("rule", BREW, "boil_minutes is 60"),
    ("rule", DOME, "DOME_MODE=closed is set before the telescope parks"),
    ("rule", DOME, "export DOME_MODE='closed'"),
    ("rule", FIELDS, "{speed: slow, door: left} is what the tram controller gets"),
    ("rule", FIELDS, "the tram controller gets {door: left, speed: slow}"),
    ("rule", CALL, "for each piano key, tune(string, cents) is called"),
    ("rule", CALL, "tune(string,cents) is called"),
    ("rule", CALL, "tune() is called for each piano key"),
    ("rule", CALL, "fret(cents, string) is another thing"),
    ("rule", TWO, "arc(center, radius) and arc(center, radius, sweep) draw arcs"),
    ("rule", HAN, "启动酿造机时 mash_temp=68"),
    ("rule", HAN, "不得设置 mash_temp=78"),
    ("rule", HAN_CALL, "调音时用 retune(弦号, 音分)"),
    ("command", "mix test --trace", "mix test --trace"),
    ("command", "zola build", "Build it with `zola build`."),
    ("command", "zola build", "zola builds the site"),
    ("command", "zola build", "zola and sass build the site"),
    ("command", "zola build", "Never run zola serve."),
    ("command", "go test ./...", "It is a go backend, tested with go test ./..."),
    ("command", "go test ./...", "go brews are a game"),
    ("command", "make score", "The tests are run with make score"),
]
OTHERWISE: list[tuple[Kind, str, str, str]] = [
    ("rule", BREW, "Run the kettle with boil_minutes=90", "boil_minutes=90"),
    ("rule", BREW, "boil_minutes = 90 and --hops=cascade", "boil_minutes=90"),
    ("rule", BREW, "boil_minutes=60 and --hops=saaz", "--hops=saaz"),
    ("rule", DOME, "Set DOME_MODE=open before the telescope parks", "dome_mode=open"),
    ("rule", DOME, 'export DOME_MODE="open"', "dome_mode=open"),
    (
        "rule",
        CALL,
        "Call tune(cents, string) for each piano key",
        "tune(cents, string)",
    ),
    (
        "rule",
        CALL,
        "It is forbidden not to call tune(cents, string)",
        "tune(cents, string)",
    ),
    ("rule", TWO, "arc(radius, center) draws arcs", "arc(radius, center)"),
    ("rule", HAN, "启动酿造机时设置 mash_temp=78", "mash_temp=78"),
    ("rule", HAN_CALL, "调音时调用 retune(音分, 弦号)", "retune(音分, 弦号)"),
    ("command", "zola build", "Build it with `zola serve`.", "zola serve"),
    ("command", "zola build", "用 zola serve 构建", "zola serve"),
    ("command", "go test ./...", "The tests are run with go build ./...", "go build"),
    ("command", "make test", "运行 make check", "make check"),
]
TOLD_OTHERWISE = [
    (FIELDS, "the tram controller gets {speed: left, door: slow}"),
    ("档位字段写成 {gear: low, lamp: off}", "档位字段写成 {gear: off, lamp: low}"),
    ("Start the reel at cue.last + 1", "Start the reel at cue.last - 1"),
    ("Show the level as flow - leak", "Show the level as flow + leak"),
    ("起始下标改为 reel.last + 1", "起始下标改为 reel.last - 1"),
]


def held(kind: Kind, recorded: str, told: str) -> Held:
    text = f"# X\n\n- {recorded}\n"
    return Held(Request("?", (Dimension(kind, "x.md", recorded),), known=text), told)


@pytest.mark.parametrize(("kind", "recorded", "told"), AS_RECORDED)
def test_what_is_written_as_the_state_has_it(
    kind: Kind, recorded: str, told: str
) -> None:
    assert list(written(held(kind, recorded, told))) == []


@pytest.mark.parametrize(("kind", "recorded", "told", "otherwise"), OTHERWISE)
def test_what_is_written_otherwise_is_named(
    kind: Kind, recorded: str, told: str, otherwise: str
) -> None:
    found = list(written(held(kind, recorded, told)))
    assert {one.said for one in found} == {otherwise}
    assert {one.dimension for one in found} == {None}


@pytest.mark.parametrize(("recorded", "told"), TOLD_OTHERWISE)
def test_fields_and_sums_told_otherwise_are_of_their_item(
    recorded: str, told: str
) -> None:
    (found,) = written(held("rule", recorded, told))
    assert found.dimension == Dimension("rule", "x.md", recorded)


def test_each_value_that_the_state_gives_is_its_own() -> None:
    asked = (Dimension("rule", "x.md", "dev runs with lamp=dim"),)
    known = "- dev runs with lamp=dim\n- the stage runs with lamp=bright\n"
    request = Request("?", asked, known=known)
    assert list(written(Held(request, "the stage has lamp=bright, dev lamp=dim"))) == []
    (found,) = written(Held(request, "dev runs with lamp=off"))
    assert found.said == "lamp=off"


@pytest.mark.parametrize(
    "piece", ["a", "a=", "=", "(", "a(", "a,", "a(b,", "{a: b, ", ": ", "--", "zola "]
)
def test_a_long_answer_simply_returns(piece: str) -> None:
    """Hostile text of the longest size is still one answer (a loop would not end)."""
    answer = piece * (40_000 // len(piece))
    assert list(written(held("rule", CALL, answer))) == []
    found = {one.said for one in written(held("command", "zola build", answer))}
    assert found == ({"zola zola"} if piece == "zola " else set())
