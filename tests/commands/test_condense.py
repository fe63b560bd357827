"""`gitstate condense`: prints, and writes nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gitstate.documents import DECISION_LOG
from tests.engines import files_on_disk, init
from tests.inside import Said, call

if TYPE_CHECKING:
    from tests.support import Repo


def test_it_prints_what_stays(repo: Repo) -> None:
    ws = init(repo)
    call(repo.path, "rule", "add", "Never edit src/gen/, because make writes it")
    call(
        repo.path,
        "decide",
        "Use pnpm for all the packages of this repository, which most of us had used before",
        "--reason",
        "monorepo hoisting, which we measured for a week on the CI machines and at home",
        "--alternative",
        "npm: slow",
        "--alternative",
        "yarn",
    )
    before, tip = files_on_disk(ws), repo.git("rev-parse", "agent-state")
    said = call(repo.path, "condense")
    assert said.code == 0
    decision = (
        "D-0001 use pnpm for all the packages of this repository "
        "(reason: monorepo hoisting); not npm, yarn"
    )
    assert said.out.endswith(
        "\n\n01-coding-conventions.md\n"
        "  Never edit src/gen/, because make writes it\n"
        f"\n{DECISION_LOG}\n  {decision}\n"
    )
    rows = json.loads(call(repo.path, "condense", "--json").out)
    assert rows[-1] == {
        "kind": "decision",
        "strength": "medium",
        "text": decision,
        "file": DECISION_LOG,
        "line": rows[-1]["line"],
    }
    lines = repo.state.joinpath(DECISION_LOG).read_text().splitlines()
    assert lines[rows[-1]["line"] - 1].startswith("## D-0001")
    assert files_on_disk(ws) == before
    assert repo.git("rev-parse", "agent-state") == tip


def test_where_there_is_nothing_it_says_nothing(repo: Repo) -> None:
    init(repo)
    for path in repo.state.glob("0*.md"):
        path.write_text("")
    assert call(repo.path, "condense") == Said(0, "", "")
    assert call(repo.path, "condense", "--json") == Said(0, "[]\n", "")


def test_a_file_that_is_no_text_is_named(repo: Repo) -> None:
    init(repo)
    repo.write(DECISION_LOG, b"# D\n\n\xff\n")
    said = call(repo.path, "condense")
    assert said == Said(
        1,
        "",
        f"gitstate: .agent-state/{DECISION_LOG} is not UTF-8 in line 3: mend that line first\n",
    )
