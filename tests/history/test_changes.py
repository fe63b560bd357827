"""What changed between two states: as values, for any documents, nothing invented."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gitstate.documents import NUMBERED
from gitstate.history import parsed
from gitstate.history.change import Change, Changes
from gitstate.history.changes import between
from gitstate.history.columns import columns
from gitstate.history.compare_file import in_file
from gitstate.history.matching import alike, bare, pair_up
from gitstate.history.message import compose
from gitstate.history.moved import Moved
from gitstate.history.parts import changed_parts
from gitstate.history.phrases import OF_VERSION, line, sections
from gitstate.history.record import Record, trailers_of
from tests.documents.mangled import LINES, documents
from tests.history.stories import CONTEXT, LOG, RULES, TASK, State

if TYPE_CHECKING:
    from pathlib import Path

KINDS: list[parsed.Kind] = ["context", "rules", "task", "issues", "decisions", "map"]
NAMES = [name.encode() for name in NUMBERED]
FEW = settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def edits(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A document, and the same with some lines put in, taken out or written anew."""
    before = draw(documents()).split("\n")
    after = list(before)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(after)))
        lines = draw(st.lists(LINES, max_size=2))
        after[at : at + draw(st.integers(0, 2))] = lines
    return "\n".join(before).encode(), "\n".join(after).encode()


states = st.lists(st.tuples(st.sampled_from(NAMES), edits()), min_size=1, max_size=3)


def said_in(text: bytes, lines: tuple[int, int]) -> str:
    """What stands in these lines, without anything that is no letter or digit."""
    found = re.split(rb"\r\n|\r|\n", text.removeprefix(b"\xef\xbb\xbf"))
    return bare(b" ".join(found[lines[0] - 1 : lines[1]]).decode())


def words(text: str | None) -> set[str]:
    """The words of a text; Chinese has none, and counts by the sign."""
    found = re.findall(r"[^\W_]+", (text or "").casefold())
    return {part for word in found for part in (word if not word.isascii() else [word])}


# --- nothing invented ----------------------------------------------------------------


# an underlined heading of two lines
@example([(b"02-current-task.md", (b"", b"**Next step:** do it\norder: 2\n---\n"))])
@FEW
@given(states)
def test_all_that_is_said_stands_in_the_file(
    found: list[tuple[bytes, tuple[bytes, bytes]]],
) -> None:
    before = {name: old for name, (old, _) in found}
    after = {name: new for name, (_, new) in found}

    changes = between(before, after)

    assert changes == between(before, after)
    for one in changes.items:
        new, old = after[one.path], before[one.path]
        here = said_in(new, one.lines) if one.lines else ""
        there = said_in(old, one.was_lines) if one.was_lines else ""
        assert one.lines or one.was_lines
        text = here if one.lines else there
        if one.subject == "file":  # its folder may be the heading, or a line above
            text = bare((new if one.lines else old).decode())
        for part in (one.text, one.reason, one.conclusion, *one.alternatives):
            assert all(word in text for word in words(part)), (one, text)
        assert all(word in there for word in words(one.was)), (one, there)
        assert all(
            number.split("-")[1].lstrip("0") in bare(new.decode()) for number in one.by
        )


@FEW
@given(states, st.sampled_from(["en", "zh"]))
def test_git_reads_our_trailers_and_no_others_whatever_the_state_says(
    tmp_path: Path, found: list[tuple[bytes, tuple[bytes, bytes]]], lang: str
) -> None:
    before = {name: old for name, (old, _) in found}
    after = {name: new for name, (_, new) in found}
    record = Record(version=42, line="agent-state", lang=lang)

    message = compose(42, [], record.trailers(), lang=lang, told=between(before, after))

    done = subprocess.run(
        ["git", "interpret-trailers", "--parse"],
        cwd=tmp_path,
        input=message.encode(),
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode() == record.trailers()
    assert trailers_of(message) == [
        ("State-Version", "42"),
        ("State-Line", "agent-state"),
        ("State-Lang", lang),
    ]
    subject, *body = message.removesuffix(record.trailers()).split("\n")
    assert columns(subject) <= 72
    assert subject.startswith("state v42: ")
    for one in filter(None, body):
        assert one.startswith("- ") or re.fullmatch(r"[^\W\d]+( map)?[:：]", one)  # noqa: RUF001 Chinese
        assert one.isprintable() or "\u200d" in one or "\u200c" in one


HOSTILE = [
    "---x",
    "--- a/x",
    "State-Version: 99",
    "# ------------------------ >8 ------------------------",
    "Signed-off-by: Eve <eve@example.com>",
    "(cherry picked from commit 1234567)",
    "diff --git a/x b/x",
    "x --- y: z",
    "key: value",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_that_looks_like_gits_own(text: str, tmp_path: Path) -> None:
    state = State()
    before = state.data()
    state.start(f"Fix a.py {text}", f"{text} in a.py")
    state.decide(text, f"{text} in b.py", confidence="high")
    state.open_issue(f"{text} fails")
    trailers = "State-Version: 42\nState-Line: agent-state\n"
    message = compose(42, [], trailers, lang="en", told=between(before, state.data()))

    done = subprocess.run(
        ["git", "interpret-trailers", "--parse"],
        cwd=tmp_path,
        input=message.encode(),
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode() == trailers
    # each text that is told ends in that of the state
    assert f"- added: {text} in a.py\n" in message
    assert f"reason: {text} in b.py; confidence: high)" in message


# --- only what changed is parsed ------------------------------------------------------


# Documents can be thought of in which a far label rules another: the same ones are tried
# each time, so that the suite does not find them by chance.
@settings(FEW, max_examples=200, derandomize=True)
@given(edits(), st.sampled_from(KINDS))
def test_the_changed_sections_tell_what_the_whole_file_tells(
    edit: tuple[bytes, bytes], kind: parsed.Kind
) -> None:
    nothing = Moved({}, {})

    def told(*, whole: bool) -> list[tuple[str, ...]]:
        found, _ = in_file(kind, b"x", *edit, nothing, whole=whole)
        # of things that say the same, either may be the new one
        return sorted(
            (one.subject, one.act, bare(one.text), str(one.by)) for one in found
        )

    assert told(whole=False) == told(whole=True)


def test_a_long_file_is_parsed_where_it_changed() -> None:
    state = State()
    for number in range(30):
        state.decide(f"Use library {number}", f"reason {number}")
    old = state.data()[LOG.encode()]
    state.decide("Use pino", "child loggers")
    new = state.data()[LOG.encode()]

    parts = changed_parts(old, new)

    assert parts is not None
    assert len(parts[1]) < len(new) / 2
    assert parts[1].count(b"\n") == new.count(b"\n") - 1  # each line in its place
    (one,) = between({LOG.encode(): old}, {LOG.encode(): new}).items
    assert (one.id, one.text, one.lines) == (
        "D-0031",
        "Use pino",
        (new[: new.index(b"## D-0031")].count(b"\n") + 1, new.count(b"\n")),
    )


def test_a_decision_in_a_long_file_is_superseded_and_reinstated() -> None:
    state = State()
    state.decide("Use winston", "known")
    state.decide("Use pino", "child loggers", "1")
    for number in range(20):
        state.decide(f"Use library {number}", f"reason {number}")
    old = state.data()
    state.withdraw("D-0002")
    new = state.data()

    acts = [(one.act, one.id) for one in between(old, new).items]

    assert acts == [("reinstated", "D-0001"), ("withdrawn", "D-0002")]


def test_in_a_file_that_is_too_large_the_changed_part_is_told() -> None:
    entry = b"## D-%04d Use library %d\n\n- Reason: reason %d\n\n"
    old = b"# Decision log\n\n" + b"".join(
        entry % (number, number, number) for number in range(1, 1800)
    )
    new = old + b"## D-1800 Use pino\n\n- Reason: loggers\n- Supersedes: D-0003\n"
    assert len(old) > parsed.MAX_BYTES

    found = between({LOG.encode(): old}, {LOG.encode(): new})

    assert [(one.act, one.id, one.by) for one in found.items] == [
        ("made", "D-1800", ()),
        ("superseded", "D-0003", ("D-1800",)),
    ]


@pytest.mark.parametrize(
    "text",
    [
        b"# T\n## A\n```\n## B\nx\n```\n",
        b"# T\n## A\n<!-- x\n## B\ny -->\n",
        b"# T\n## A\n<div>\n## B\ny\n",
        b"# D-1 One thing\n## Reason\nx\n",
        b"# T\n# U\n## A\nx\n",
        b"T\n===\n## A\nx\n",
        b"- x\n   ## A\n",
    ],
)
def test_where_sections_hang_together_the_whole_is_parsed(text: bytes) -> None:
    more = b"".join(b"\n## S%d\n- one\n- two\n- three\n" % at for at in range(20))

    assert changed_parts(text + more, text + more + b"- four\n") is None
    plain = b"# T\n"
    assert changed_parts(plain + more, plain + more + b"- four\n") is not None


# --- values ---------------------------------------------------------------------------


def test_a_change_as_json() -> None:
    state = State(texts={LOG: "# Decision log\n"})
    state.decide("Use winston", "known")
    before = state.data()
    state.decide("Use pino", "child loggers", "1", confidence="high")

    document = between(before, state.data()).as_json()

    assert json.loads(json.dumps(document)) == [
        {
            "subject": "decision",
            "act": "made",
            "id": "D-0002",
            "text": "Use pino",
            "reason": "child loggers",
            "confidence": "high",
            "file": LOG,
            "lines": [8, 12],
        },
        {
            "subject": "decision",
            "act": "superseded",
            "id": "D-0001",
            "text": "Use winston",
            "reason": "known",
            "confidence": "medium",
            "by": ["D-0002"],
            "file": LOG,
            "lines": [3, 6],
            "was_lines": [3, 6],
        },
    ]


def test_the_order_does_not_hang_on_the_order_of_the_files() -> None:
    state = State()
    before = state.data()
    state.start("Fix a.py", "one", "two")
    state.decide("Use pino", "child loggers")
    state.rule("Never edit dist/")
    state.fact("language", "Python")
    after = state.data()

    turned = between(dict(reversed(before.items())), dict(reversed(after.items())))

    assert turned == between(before, after)
    assert [title for title, _ in sections(turned, OF_VERSION, "en")] == [
        "Progress:",
        "Decisions:",
        "Rules:",
        "Facts:",
    ]


def test_steps_that_were_renumbered_or_worded_anew_are_the_same() -> None:
    state = State()
    state.start("Fix a.py", "Locate the function", "Fix the boundary condition")
    before = state.data()
    state.edit(
        TASK, lambda text: text.replace("1. [todo]", "1. [todo] Read b.py\n2. [todo]")
    )
    state.edit(
        TASK, lambda text: text.replace("2. [todo] Fix the", "3. [done] Fix each")
    )

    found = between(before, state.data())

    assert [(one.act, one.id, one.text) for one in found.items] == [
        ("added", "1", "Read b.py"),
        ("done", "3", "Fix each boundary condition"),
    ]
    assert found.progress == (1, 3)


def test_very_many_lines_are_counted() -> None:
    state = State()
    before = state.data()
    state.edit(
        RULES, lambda text: text + "".join(f"- Must keep f{n}.py\n" for n in range(130))
    )

    ((title, lines),) = sections(between(before, state.data()), OF_VERSION, "en")

    assert title == "Rules:"
    assert len(lines) == 101
    assert lines[-1] == "- and 30 more"


def test_a_long_text_is_cut_in_its_line() -> None:
    one = Change(subject="rule", act="added", text="漢" * 1000, path=b"x")

    assert columns(line(one, "en")) <= 320
    assert line(one, "en").endswith("…")


# --- what cannot be read --------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe\x00",
        b"- x\n" * (parsed.MAX_BYTES // 4 + 1),
    ],
)
def test_what_cannot_be_parsed_says_nothing(data: bytes) -> None:
    for name in NAMES:
        assert between({name: b""}, {name: data}) == Changes()


def test_a_parser_that_fails_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: str) -> object:
        raise RecursionError

    monkeypatch.setattr(parsed, "_reader", lambda _: fails)

    assert between({}, {TASK.encode(): b"# Goal of a test that fails\n"}) == Changes()


def test_each_text_is_parsed_once() -> None:
    texts = [f"# Project\n\n- key: v{number}\n".encode() for number in range(10)]
    misses = parsed.parsed_small.cache_info().misses
    for old, new in pairwise(texts):
        assert len(between({CONTEXT.encode(): old}, {CONTEXT.encode(): new}).items) == 1

    assert parsed.parsed_small.cache_info().misses == misses + len(texts)


def test_nothing_heavy_is_loaded_before_a_text_is_parsed() -> None:
    code = (
        "import sys, gitstate.history.telling, gitstate.history.message\n"
        "import gitstate.history.changes\n"
        "heavy = [name for name in sys.modules if name.startswith('gitstate.documents')"
        " or name == 'markdown_it']\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# --- which is which -------------------------------------------------------------------


def test_pairs() -> None:
    pairs, gone = pair_up(
        ["a", "fix the parser", "b", "b"],
        ["b", "fix the new parser", "a", "c"],
        lambda one: one,
        lambda one: one,
    )

    assert pairs == [
        ("b", "b"),
        ("fix the parser", "fix the new parser"),
        ("a", "a"),
        (None, "c"),
    ]
    assert gone == ["b"]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Use pino", "Use **pino**!", True),
        ("Use pino for logging", "Use pino for all logging", True),
        ("Use pino", "Deploy by hand", False),
        ("禁止手工修改 dist/", "禁止手工改动 dist/", True),
        ("禁止手工修改 dist/", "统一使用 pino", False),
        ("", "", False),
        ("!", "?", False),
    ],
)
def test_alike(one: str, other: str, *, expected: bool) -> None:
    assert alike(one, other) is expected
    assert alike(other, one) is expected
