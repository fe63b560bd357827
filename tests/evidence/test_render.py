# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitstate.documents import PROJECT_CONTEXT, template
from gitstate.evidence import Fact, project_context
from gitstate.evidence.render import BUDGET_BYTES

if TYPE_CHECKING:
    from gitstate.evidence.facts import Section

# pieces that begin, end or imitate something in Markdown, YAML or the template
PIECES = st.sampled_from(
    [
        *"#-+*_>`~|=<>[]()!\\&:;.\"' \n\r\t0123456789ab语：（",
        *(
            "---",
            "```",
            "~~~",
            "<!--",
            "-->",
            "<!-- commands -->",
            "## Goal",
            "1. ",
            "- [x] ",
        ),
        *(
            "(source: x)",
            "[a]: b",
            "&lt;",
            "<div>",
            "\u2028",
            "\u202e",
            "\x00",
            "\ud800",
        ),
    ]
)
TEXTS = st.lists(PIECES, min_size=1, max_size=12).map("".join)
SECTIONS: st.SearchStrategy[Section] = st.sampled_from(["facts", "commands"])
FACTS = st.builds(
    Fact,
    section=SECTIONS,
    key=st.one_of(TEXTS, st.sampled_from(["package manager", "could not be read"])),
    values=st.lists(TEXTS, min_size=1, max_size=3).map(tuple),
    sources=st.lists(TEXTS, min_size=1, max_size=2).map(tuple),
    place=st.one_of(st.just(""), TEXTS),
).map(Fact.tidied)
USEFUL = FACTS.filter(lambda fact: bool(fact.key and fact.values and fact.sources))


def without_facts(text: str) -> str:
    lines = text.split("\n")
    return "\n".join(line for line in lines if not line.startswith("- "))


@pytest.mark.parametrize("lang", ["en", "zh"])
@settings(deadline=None)  # other processes may have this machine
@given(facts=st.lists(USEFUL, max_size=20))
def test_facts_add_lines_of_their_own_and_nothing_else(
    lang: str, facts: list[Fact]
) -> None:
    bare = project_context([], template(PROJECT_CONTEXT, lang), lang)
    text = project_context(facts, template(PROJECT_CONTEXT, lang), lang)
    added = [line for line in text.split("\n") if line.startswith("- ")]
    assert len(added) <= len(facts)
    assert all(line.isprintable() for line in added)
    assert not any("<!--" in line or "-->" in line for line in added)
    assert re.sub(r"\n{2,}", "\n", without_facts(text)) == re.sub(r"\n{2,}", "\n", bare)
    assert text.count("\n\n\n") == 0


@pytest.mark.parametrize("lang", ["en", "zh"])
@settings(deadline=None)  # other processes may have this machine
@given(facts=st.lists(USEFUL, max_size=8))
def test_a_reader_of_markdown_sees_one_item_a_fact(
    lang: str, facts: list[Fact]
) -> None:
    markdown = pytest.importorskip("markdown_it").MarkdownIt()
    text = project_context(facts, template(PROJECT_CONTEXT, lang), lang)
    body = text.partition("\n---\n")[2]
    tokens = markdown.parse(body)
    lists = sum(
        any(fact.section == section for fact in facts) for section in BUDGET_BYTES
    )
    kinds = [token.type for token in tokens if token.nesting >= 0]
    assert kinds.count("heading_open") == 4
    assert kinds.count("bullet_list_open") == lists
    assert kinds.count("list_item_open") == len(facts)
    assert set(kinds) <= {
        "heading_open",
        "inline",
        "html_block",
        "bullet_list_open",
        "list_item_open",
        "paragraph_open",
    }


def test_the_budget_ends_a_section_with_the_number_of_what_is_missing() -> None:
    facts = [
        Fact("facts", "runtime", (f"x {'y' * 100} {number}",), ("file",))
        for number in range(100)
    ]
    text = project_context(facts, "<!-- facts -->\n\n", "zh")
    lines = text.strip().split("\n")
    assert lines[-1] == f"- 另有 {100 - (len(lines) - 1)} 条未列出"
    assert len("\n".join(lines[:-1]).encode()) <= BUDGET_BYTES["facts"]


def test_many_values_end_in_their_number() -> None:
    fact = Fact(
        "facts", "workspaces", tuple(f"p{n}" for n in range(30)), ("x",)
    ).tidied()
    assert fact.value == "p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, +18"
    assert fact.source == "x"
