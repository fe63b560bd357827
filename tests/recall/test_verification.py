"""Answers to what is asked of the state, against people's verdicts on them."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitstate.documents import header
from gitstate.recall import probes, questions
from gitstate.recall.asking import (
    Dimension,
    Kind,
    Request,
    combined,
    restatement,
)
from gitstate.recall.verification import Verdict, score

LABELLED = Path(__file__).parent / "labelled"
WRITTEN_BY_INIT = sorted(
    (Path(__file__).parents[1] / "evidence" / "expected").glob("*.md")
)
AGREE = 0.95


def rows(name: str) -> list[dict[str, Any]]:
    lines = (LABELLED / name).read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def state(name: str) -> tuple[str, str]:
    """A file's own name, and its text."""
    return name.partition("-")[2], (LABELLED / "states" / name).read_text("utf-8")


def request(row: dict[str, Any]) -> Request:
    lang = row["lang"]
    if row["kind"] == "combined":
        return combined(dict(map(state, row["state"])), lang=lang)
    name, text = state(row["state"])
    if row["kind"] == "restate":
        return restatement(text, name=name, lang=lang)
    asked = {"key": row["about"], "value": row["known"], "part": row["ask"]}
    return probes.about(text, lang=lang, **asked)


# of what came last, in domains that nobody had thought of: how many it may be wrong of,
# and the contradictions that still pass; only to become fewer
NOT_YET = {
    "held6.jsonl": (8, {"b6-zh-combined-12"}),
    "held7.jsonl": (7, set[str]()),
    "held8.jsonl": (3, set[str]()),
    "held9.jsonl": (6, set[str]()),
    "held10.jsonl": (4, set[str]()),
    "held11.jsonl": (2, set[str]()),
    "held12.jsonl": (2, set[str]()),
    "held13.jsonl": (4, set[str]()),
    "held14.jsonl": (1, set[str]()),
    "held15.jsonl": (4, set[str]()),
    "held16.jsonl": (4, set[str]()),
    "held17.jsonl": (2, set[str]()),
    "held18.jsonl": (3, set[str]()),
}


def wrong_in(name: str) -> dict[str, str]:
    """The answers of a set that it does not agree on, with their labels."""
    return {
        row["id"]: row["label"]
        for row in rows(name)
        if score(request(row), row["answer"]).accepted is not row["accepted"]
    }


def test_what_agents_really_answered_is_accepted() -> None:
    assert len(rows("given.jsonl")) >= 80
    assert wrong_in("given.jsonl") == {}


@pytest.mark.parametrize("name", NOT_YET)
def test_what_it_does_not_agree_on_becomes_less(name: str) -> None:
    most, known = NOT_YET[name]
    wrong = wrong_in(name)
    assert {one for one, label in wrong.items() if label == "contradicting"} <= known
    assert len(wrong) <= most, wrong


@pytest.mark.parametrize(
    "name",
    ["open.jsonl", *(f"held{n}.jsonl" for n in ("", 2, 3, 4, 5, 19, 20, 21, 22))],
)
def test_it_agrees_with_people_and_no_contradiction_passes(name: str) -> None:
    wrong = wrong_in(name)
    assert "contradicting" not in wrong.values(), wrong
    assert len(wrong) <= (1 - AGREE) * len(rows(name)), wrong


RULES = """\
# Coding conventions

## Rules

- Must log through pino in src/utils/logger.ts
- Never edit legacy/, because it is frozen
- Never run npm or yarn
"""
GOOD = "Log through pino in src/utils/logger.ts. Never edit legacy/. Never run npm or yarn."


def verdict(answer: str, text: str = RULES) -> Verdict:
    name = "01-coding-conventions.md"
    return score(restatement(text, name=name, lang="en"), answer)


def test_what_was_missed_is_named() -> None:
    found = verdict("Log through pino in src/utils/logger.ts. Never run npm or yarn.")
    assert [one.text for one in found.missing] == [
        "Never edit legacy/, because it is frozen"
    ]
    assert found.contradicted == ()
    assert found.said == 2
    assert not found.accepted


def test_what_is_said_otherwise_is_named_beside_what_is_recorded() -> None:
    found = verdict(f"{GOOD} Small fixes in legacy/ are fine.")
    assert found.missing == ()
    (one,) = found.contradicted
    assert one.said == "small fixes in legacy/ are fine."
    assert one.dimension is not None
    assert one.dimension.text.startswith("Never edit legacy/")


@pytest.mark.parametrize(
    ("answer", "accepted"),
    [
        ("{}", True),
        ("{}\nI'll keep to all of them.", True),
        ("These rules were lifted:\n{}", False),
        ("Outdated, no longer valid:\n{}", False),
        ("Only suggestions, none of them binding:\n{}", False),
        ("{}\nThe rule on legacy/ no longer holds.", False),
        ("{}\nBut I will edit legacy/ for this task.", False),
        ("{} unless asked", False),
        ("never zqazq zq0zq\nzq1zq zq2zq", False),  # the words that we put there
    ],
)
def test_what_is_said_around_a_word_for_word_answer(
    answer: str, *, accepted: bool
) -> None:
    own = "\n".join(f"- {one}" for one in RULES.split("\n- ")[1:]).strip()
    assert verdict(answer.format(own)).accepted is accepted


def test_what_is_recorded_is_named_as_the_state_has_it() -> None:
    text = (
        "# Current task\n\n## Steps\n\n1. [in progress] Keep the reading across a restart\n"
        "2. [todo] Publish the restored reading to the broker\n"
    )
    asked = restatement(text, name="02-current-task.md", lang="en")
    found = score(asked, "In progress: Publish the restored reading to the broker")
    named = {one.dimension.text for one in found.contradicted if one.dimension}
    assert named == {"Publish the restored reading to the broker"}


LIMITED = "# Rules\n\n- Callbacks must return within 200 ms\n- Never publish retained messages on irrigate/#\n"


@pytest.mark.parametrize(
    ("answer", "accepted"),
    [
        (
            "Callbacks return within 200 ms. Never publish retained messages on irrigate/#.",
            True,
        ),
        (
            "Callbacks return within 2 seconds. Never publish retained messages on irrigate/#.",
            False,
        ),
        (
            "Callbacks return within 200 ms. Messages on irrigate/# must be published as retained.",
            False,
        ),
    ],
)
def test_an_amount_is_compared_in_whatever_unit(answer: str, *, accepted: bool) -> None:
    assert verdict(answer, LIMITED).accepted is accepted


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "\x00\x1b[2J",
        "I know all the rules.",
        "legacy/ was mentioned, npm and yarn too, and pino in src/utils/logger.ts.",
        GOOD * 1000,
        "~~" + GOOD + "~~",
        GOOD.replace("Never", "You may"),
        GOOD.replace("edit legacy/", "edit le\u200bgacy2/"),
        f"Is it so that I must {GOOD.lower().replace('.', ',')}?",
        RULES[:0] + "Rules: a, b, c",
    ],
)
def test_what_is_no_answer_is_not_accepted(answer: str) -> None:
    assert not verdict(answer).accepted


def test_the_file_itself_word_for_word_is_accepted() -> None:
    assert verdict(RULES).accepted
    assert verdict(GOOD).accepted
    assert verdict(GOOD.upper()).accepted


HOSTILE = [
    "",
    "(",
    "[x(",
    "*",
    "~~x~~",
    "\x00",
    "C:/x(.py:12",
    "a:b(",
    "1",
    ":",
    "不",
    "`",
    "--",
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("kind", get_args(Kind))
def test_whatever_a_state_says_can_be_looked_for(kind: Kind, text: str) -> None:
    whole = f"Never use {text} in src/x({text}.py:12, unless {text} is {text}"
    for said in (text, whole):
        one = Dimension(kind, "x.md", said, "never", text)
        over = (
            Dimension("step", "x.md", said, None, "2 done"),
            Dimension("issue", "x.md", said, None, text),
        )
        request = Request("?", (one, one), (), over, said)
        for answer in (text, whole, "", "Step 2 is done: " + said):
            assert score(request, answer).said in {0, 2}


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_state_and_no_answer_stops_the_scorer(data: st.DataObject) -> None:
    word = st.sampled_from(
        [*HOSTILE, "never", "a/b.ts:3", "npm", "用", "步骤 3", "|", "\n", "- ", "# "]
    )
    texts = st.lists(word | st.text(max_size=6), max_size=25).map(" ".join)
    rules, answer = data.draw(texts), data.draw(texts)
    for name in (
        "00-project-context.md",
        "01-coding-conventions.md",
        "02-current-task.md",
    ):
        text = (
            f"# x\n\n## Rules\n\n- Must {rules}\n- a: {rules}\n\n## Goal\n\n{rules}\n"
        )
        verdict = score(restatement(text, name=name, lang="zh"), answer)
        assert verdict.said >= 0


def test_a_file_that_says_nothing_asks_nothing() -> None:
    for text in ("", "# Coding conventions\n", "\x00\xff", "---\nverify: x\n---\n"):
        assert restatement(text, name="01-coding-conventions.md", lang="zh").text == ""
    assert combined({}, lang="en").text == ""
    assert probes.probes("", lang="en") == []


def test_the_question_is_in_the_words_of_the_header() -> None:
    text = "---\nverify: List two rules.\n---\n" + RULES
    asked = restatement(text, name="01-coding-conventions.md", lang="en")
    assert (
        asked.text
        == "01-coding-conventions.md, from memory, in its own words, one item a line: List two rules."
    )
    assert asked.enough == (("rule", 2),)


def test_a_long_answer_costs_no_more_than_its_length() -> None:
    """Hostile text of the longest size is still one answer (a loop would not end)."""
    for piece in (
        "legacy/, ",
        "never not ",
        "(((",
        "a: ",
        "不",
        "| a ",
        "use x instead of ",
    ):
        assert not verdict(piece * (30_000 // len(piece))).accepted


@pytest.mark.parametrize("piece", ["5", "12345678901", "a", "a1b2", " ", "\n", "- x\n"])
def test_what_was_answered_stands_before_whatever_comes_behind_it(piece: str) -> None:
    assert verdict(f"{GOOD}\n\n{piece * (6_000 // len(piece))}").missing == ()


@pytest.mark.parametrize(
    "line",
    [
        "List two rules.",
        "true",
        "5",
        "null",
        "'List: two'",
        "List two rules. # and no more",
        "List\n  two rules.",
        "|\n  List two rules.",
        "[a, b]",
        "",
        "列出两条规则。",
        "2026-11-30",
        "~",
        "a: b",
        "List two\r",
    ],
)
def test_a_headers_words_are_those_that_yaml_reads(line: str) -> None:
    name = "01-coding-conventions.md"
    text = f"---\norder: 1\nverify: {line}\nstrength: high\n---\n{RULES}"
    read = header.read(name, text).header.verify
    default = questions.verify_of("", name=name, lang="en")
    assert questions.verify_of(text, name=name, lang="en") == (read or default)


def context(
    facts: str, commands: str = "", forbidden: str = "", lang: str = "en"
) -> str:
    heads = {
        "en": ("Facts", "Commands", "Forbidden"),
        "zh": ("事实", "命令", "禁止事项"),
    }
    parts = zip(heads[lang], (facts, commands, forbidden), strict=True)
    return "# Project context\n\n" + "\n".join(
        f"## {head}\n\n{part.strip()}\n" for head, part in parts
    )


@pytest.mark.parametrize("path", WRITTEN_BY_INIT, ids=lambda path: path.stem)
def test_what_init_writes_down_can_be_told_back(path: Path) -> None:
    """Each fact in its own words, without the counts of files, as a person would say it."""
    lang = path.suffixes[0][1:]
    facts, commands = path.read_text("utf-8").split("----")
    text = context(facts, commands, lang=lang)
    lost = []
    for probe in probes.probes(text, lang=lang):
        key, value = probe.dimensions[0].key, probe.dimensions[0].text
        if "files" in key or "文件数" in key:
            value = re.sub(r"(?<=[\w/]) \d+(?=[,、]|$)", "", value)
        sentence = f"{key}是{value}。" if lang == "zh" else f"The {key} is {value}."
        lost += [said for said in (value, sentence) if not score(probe, said).accepted]
    assert lost == []


@pytest.mark.parametrize(
    ("said", "accepted"),
    [
        ("pnpm", True),
        ("pnpm 9", True),
        ("pnpm@9.12.3", True),
        ("pnpm, version 9.12", True),
        ("用 pnpm", True),
        ("pnpm 8", False),
        ("pnpm 9.12.4", False),
        ("pnpm@8.0.0", False),
        ("pnpm 的版本是 8", False),
        ("npm", False),
        ("It is not pnpm.", False),
    ],
)
def test_which_tool_it_is_does_not_ask_for_its_version(
    said: str, *, accepted: bool
) -> None:
    text = context("- package manager: pnpm 9.12.3\n- runtime: node 20.11.1")
    package, runtime = probes.probes(text, lang="en")
    assert score(package, said).accepted is accepted
    assert not score(runtime, "node").accepted


def test_of_what_stands_there_twice_one_is_enough() -> None:
    text = context("- runtime: node 20.11.1\n- runtime: `node >=20.10`\n")
    (probe,) = probes.probes(text, lang="en")
    for said in ("node 20.11.1", "node >=20.10"):
        assert score(probe, said).accepted
    assert not score(probe, "node 18.0.1").accepted


@pytest.mark.parametrize(
    "said",
    [
        "Nothing is forbidden.",
        "There are no prohibitions.",
        "The project context forbids nothing.",
        "没有禁止事项。",
    ],
)
def test_that_nothing_is_forbidden_is_right_where_nothing_is(said: str) -> None:
    name = "00-project-context.md"
    answer = f"The language is Go, the tests are run with `go test ./...`. {said}"

    def found(forbidden: str = "", known: str = "") -> bool:
        text = context(
            "- languages (files): Go 3", "- test: `go test ./...`", forbidden
        )
        return score(
            restatement(text, name=name, lang="en", known=known), answer
        ).accepted

    template = (
        "<!-- What must not be touched:\n    - Never [do what], because [reason]\n-->"
    )
    assert found()
    assert found(template, "- Reason: npm is never needed")
    assert not found("- Never edit legacy/")
    assert not found(known=RULES)  # another file forbids something


MIXED = {
    "Must log through src/utils/logger.ts, never console.log": (
        "All logging goes through src/utils/logger.ts; console.log is forbidden.",
        "Logging: src/utils/logger.ts only. Forbidden: console.log.",
    ),
    "Use pnpm, never npm or yarn": (
        "Use pnpm. Never use npm or yarn.",
        "The package manager is pnpm; npm and yarn are off limits.",
    ),
    "Never use console.log, use src/utils/logger.ts instead": (
        "console.log is banned. Log with src/utils/logger.ts.",
    ),
    "Do not use any in src/, use unknown instead": (),
    "All dates are UTC, never local time": (),
    "Must write tests in tests/, not in src/": (),
    "必须通过 src/utils/logger.ts 记录日志，不得使用 console.log": (
        "日志走 src/utils/logger.ts，禁止 console.log",
    ),
    "禁止使用 npm 或 yarn，只用 pnpm": ("只用 pnpm，不得使用 npm 或 yarn",),
    "数据库访问必须经过 repository 层，不得直接写 SQL": (),
}
NOT_BOTH = {
    "Must log through src/utils/logger.ts, never console.log": (
        "Must log through console.log, never src/utils/logger.ts",
        "Must log through src/utils/logger.ts",
        "never console.log",
        "Log with console.log; src/utils/logger.ts is forbidden",
        "Never log through src/utils/logger.ts, never console.log",
        "Must log through src/utils/logger.ts, console.log is fine in tests",
    ),
    "Use pnpm, never npm or yarn": (
        "Use npm, never pnpm or yarn",
        "Use pnpm or npm, never yarn",
        "Use pnpm.",
        "Never use pnpm",
    ),
    "必须通过 src/utils/logger.ts 记录日志，不得使用 console.log": (
        "必须通过 console.log 记录日志，不得使用 src/utils/logger.ts",
        "日志走 src/utils/logger.ts",
        "可以用 console.log",
    ),
}


def of_one(rule: str, said: str) -> bool:
    for name in ("01-coding-conventions.md", "06-more.md"):
        text = f"# X\n\n## Rules\n\n- {rule}\n"
        found = score(restatement(text, name=name, lang="en", known=text), said)
        if not found.accepted:
            return False
    return True


@pytest.mark.parametrize("rule", MIXED)
def test_a_rule_that_demands_and_forbids_is_said_in_both_its_parts(rule: str) -> None:
    for said in (rule, f"- {rule}", f"State check: {rule}.", *MIXED[rule]):
        assert of_one(rule, said), said


@pytest.mark.parametrize("rule", NOT_BOTH)
def test_and_is_not_said_by_one_of_them_nor_the_other_way_round(rule: str) -> None:
    for said in NOT_BOTH[rule]:
        assert not of_one(rule, said), said


def test_a_constraint_has_two_parts_as_well() -> None:
    rule = "Keep E_MODULE_REASON, never rename a code"
    text = f"# Task\n\n## Goal\n\nFix parseExpr\n\n## Constraints\n\n- {rule}\n"
    asked = restatement(text, name="02-current-task.md", lang="en", known=text)
    assert [(one.kind, one.text) for one in asked.dimensions] == [
        ("goal", "Fix parseExpr"),
        ("constraint", "Keep E_MODULE_REASON"),
        ("constraint", "never rename a code"),
    ]
    assert score(asked, f"Fix parseExpr. {rule}.").accepted
    assert not score(asked, "Fix parseExpr. Keep E_MODULE_REASON.").accepted


@pytest.mark.parametrize(
    ("rule", "against"),
    [
        ("Only the release bot may push tags", "Anyone may push tags"),
        (
            "Must use async/await instead of callbacks in src/",
            "Must use callbacks instead of async/await in src/",
        ),
        ("Never skip the hooks (--no-verify)", "You may skip the hooks"),
        ("除非修复安全问题，否则禁止修改 legacy/", "可以修改 legacy/"),
        ("禁止跳过钩子（--no-verify）", "可以跳过钩子"),
    ],
)
def test_a_rule_in_its_own_words_is_never_held_against_anybody(
    rule: str, against: str
) -> None:
    """Also where a form of words is not understood; what goes against it still is."""
    assert of_one(rule, rule)
    assert of_one(rule, f"State check:\n1. {rule}\n")
    assert not of_one(rule, against)
    text = f"{RULES}- {rule}\n"
    assert verdict(f"{GOOD} {rule}", text).accepted
    assert not verdict(rule, text).accepted
    assert not verdict("I know all the rules.", text).accepted
