"""Texts made shorter: narrative goes, what forbids stays word for word."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitstate.memory.outcome import outcome
from gitstate.memory.shortening import core, forceful, left_out, names, sentences


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("use pnpm", "use pnpm"),
        (
            (
                "After three days of benchmarks on CI, and some discussion, we decided to use "
                "pnpm for all packages, which all of us had used before. It was fun."
            ),
            "use pnpm for all packages",
        ),
        (
            (
                "monorepo hoisting: npm duplicates packages in each workspace, and we measured "
                "3 GB of node_modules on CI; yarn's PnP broke two tools"
            ),
            "monorepo hoisting",
        ),
        (
            "We decided to use pnpm, not npm or yarn, since installs are a good deal faster",
            "use pnpm, not npm or yarn",
        ),
        (
            "We talked about it for a long time. In the end we decided to use pino for logs.",
            "use pino for logs",
        ),
        (
            "If CI is set in the environment of the process, use the plain reporter of pytest",
            "If CI is set in the environment of the process, use the plain reporter of pytest",
        ),
        (
            "经过长时间的讨论和三天的测试，我们决定采用 pnpm 作为包管理器，因为大家以前都用过它，效果一直都很好，速度也快，磁盘占用也小得多",
            "采用 pnpm 作为包管理器",
        ),
        (
            "Colours look nice in a terminal, and never may one be written into a file of ours",
            "Colours look nice in a terminal, and never may one be written into a file of ours",
        ),
    ],
)
def test_what_a_text_says_first_or_decides(text: str, said: str) -> None:
    assert core(text) == said


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three? `four` is it.", ["One.", "Two!", "Three?", "`four` is it."]),
        ("Never edit e.g. src/gen by hand.", ["Never edit e.g. src/gen by hand."]),
        ("It needs 3.5 GB. no more", ["It needs 3.5 GB. no more"]),
        ("一。二！三", ["一。", "二！", "三"]),
        ("a\n\nb", ["a", "b"]),
        ("", []),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


def test_what_goes_on_with_a_prohibition_stays_with_it() -> None:
    text = (
        "We tried. Never push to main. Not even hotfixes. Nice. 禁止改 a.ts。除非先问。"
    )
    assert forceful(text) == [
        "Never push to main.",
        "Not even hotfixes.",
        "禁止改 a.ts。",
        "除非先问。",
    ]


def test_paths_and_commands_survive() -> None:
    text = "see `npm i`, src/a.ts:12, pnpm-lock.yaml, e.g. 1.2.3 and src/a.ts:12 again"
    assert names(text) == ["`npm i`", "src/a.ts:12", "pnpm-lock.yaml"]
    assert left_out("src/a.ts:12", text) == ["see `npm i`, pnpm-lock.yaml"]


@pytest.mark.parametrize(
    ("summary", "said"),
    [
        ("pnpm test: 3 failed, 12 passed in parser.test.ts", "pnpm test: failed"),
        ("pnpm test: 12 passed, 0 failed", "pnpm test: succeeded"),
        ("mypy: no errors", "mypy: succeeded"),
        ("构建: 报错 3 处", "构建: failed"),
        ("构建: 全部通过", "构建: succeeded"),
        ("ls: two files", "ls: outcome not said"),
        ("green", "succeeded"),
    ],
)
def test_of_output_only_whether_it_succeeded(summary: str, said: str) -> None:
    assert outcome(summary) == said


NARRATIVE = st.sampled_from(
    [
        "We talked about it for a long time.",
        "It took three days, and nobody liked the first result, which was slow.",
        "The build was red on Monday!",
        "Then it worked, e.g. on Linux.",
        "大家讨论了很久，效果一直很好。",
        "Why was that so?",
        "see src/core/parser.ts:142 and `pnpm test`",
    ]
)
PROHIBITION = st.builds(
    str.format,
    st.sampled_from(
        [
            "Never edit {}, because make writes it.",
            "Do not run {} on CI.",
            "You must not touch {} by hand!",
            "{} is off-limits.",
            "Under no circumstances push {}.",
            "No one may delete {}; no exceptions.",
            "In e.g. {} don't log secrets.",
            "After the release, {} must not change, i.e. it is frozen.",
            "禁止直接修改 {}。",
            "任何情况下都不得删除 {}！",
            "不允许在 {} 里写日志。",
            "切勿提交 {}，否则会泄露",
        ]
    ),
    st.sampled_from(["src/gen/api.ts", "main", "the lock file", "`dist/`", "数据库"]),
)


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A text with prohibitions in it, in any place."""
    parts = draw(st.lists(st.one_of(NARRATIVE, PROHIBITION), min_size=1, max_size=7))
    forbidden = [one for one in parts if one in set(parts) and forceful(one)]
    return " ".join(parts), forbidden


@settings(max_examples=300, deadline=None)
@given(texts())
def test_no_prohibition_is_weakened_or_dropped(drawn: tuple[str, list[str]]) -> None:
    text, forbidden = drawn
    said = core(text)
    whole = "; ".join([said, *left_out(said, text)])
    for one in forbidden:
        assert one in whole


@settings(max_examples=200, deadline=None)
@given(PROHIBITION)
def test_each_of_them_is_known_as_one(text: str) -> None:
    assert forceful(text) == [text]
