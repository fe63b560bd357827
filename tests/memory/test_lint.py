"""Each warning with its file and line, and what gives none."""

from __future__ import annotations

import pytest

from gitstate.documents import (
    CONVENTIONS,
    CURRENT_TASK,
    DECISION_LOG,
    FILE_MAP,
    KNOWN_ISSUES,
    NUMBERED,
    PROJECT_CONTEXT,
    template,
)
from gitstate.memory.checkable import can_be_checked, wish_in
from gitstate.memory.lint import Warned, lint
from tests.memory.shelf import Shelf

FILES = {"src/a.ts": 200, "src/": 0, "docs/x.md": 3}


def warned(texts: dict[str, str], budget_chars: int = 9000) -> list[Warned]:
    return lint(Shelf(texts), FILES.get, budget_chars=budget_chars)


def short(texts: dict[str, str]) -> list[tuple[str, int, str]]:
    return [(one.file, one.line, one.check) for one in warned(texts)]


@pytest.mark.parametrize(
    ("rule", "checked"),
    [
        ("Use structured logging", False),
        ("Write clean code", False),
        ("代码要写得清楚", False),
        ("Never edit src/gen/", True),
        ("Must run `make check`", True),
        ("Must name tests test_x.py", True),
        ("Never call parseExpr twice", True),
        ("Must run ruff before a commit", True),
        ("Never push to main", True),
        ("Lines have at most 88 columns", True),
        ("必须用 pino 写日志", True),
    ],
)
def test_what_can_be_checked(rule: str, *, checked: bool) -> None:
    assert can_be_checked(rule) is checked


@pytest.mark.parametrize(
    ("rule", "wish"),
    [
        ("Try to keep parseExpr short", "Try to"),
        ("Prefer pino", "Prefer"),
        ("Use pino where possible", "where possible"),
        ("尽量使用 pino", "尽量"),
        ("最好不要改 src/gen/", "最好"),
        ("Must use `prefer-const`", None),
        ("Never use any, because we prefer types", None),
        ("Must use pino", None),
        ("必须使用 pino", None),
    ],
)
def test_what_is_no_order(rule: str, wish: str | None) -> None:
    assert wish_in(rule) == wish


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_fresh_files_are_clean(lang: str) -> None:
    assert warned({name: template(name, lang) for name in NUMBERED}) == []


def test_rules() -> None:
    texts = {
        CONVENTIONS: "# C\n\n## Rules\n\n- Use structured logging\n- Must test in test/\n"
        "- Try to use pino\n",
        PROJECT_CONTEXT: "# P\n\n## Forbidden\n\n- 尽量不要改 src/gen/\n- Never be slow\n",
    }
    assert [(one.file, one.line, one.check, one.text) for one in warned(texts)] == [
        (
            PROJECT_CONTEXT,
            5,
            "no order",
            '"尽量" makes a wish of it: 尽量不要改 src/gen/; say Must or Never',
        ),
        (
            PROJECT_CONTEXT,
            6,
            "cannot be checked",
            "it names no path, name or command: Never be slow",
        ),
        (
            CONVENTIONS,
            5,
            "cannot be checked",
            "it names no path, name or command: Use structured logging",
        ),
        (
            CONVENTIONS,
            7,
            "no order",
            '"Try to" makes a wish of it: Try to use pino; say Must or Never',
        ),
    ]


def test_a_task_that_is_vague_and_leads_nowhere() -> None:
    text = "# T\n\n## Goal\n\nMake it better\n\n## Anchor\n\nsrc/a.ts:201\n"
    assert short({CURRENT_TASK: text}) == [
        (CURRENT_TASK, 5, "vague goal"),
        (CURRENT_TASK, 5, "no next step"),
        (CURRENT_TASK, 9, "gone"),
    ]
    done = "\n## Steps\n\n1. [done] Look\n   - Conclusion: found\n"
    assert (CURRENT_TASK, 5, "no next step") in short({CURRENT_TASK: text + done})


def test_a_task_that_leads_on() -> None:
    text = "# T\n\n## Goal\n\nFix parseExpr\n\n## Anchor\n\nsrc/a.ts:200\n"
    assert short({CURRENT_TASK: f"{text}\n## Next step\n\nCount brackets\n"}) == []
    assert short({CURRENT_TASK: f"{text}\n## Steps\n\n1. [todo] Count\n"}) == []
    assert short({CURRENT_TASK: "# T\n\nNo task.\n"}) == []


def test_places_that_are_gone() -> None:
    texts = {
        CURRENT_TASK: "# T\n\n## Anchor\n\nsrc/b.ts\n",
        FILE_MAP: "# M\n\n## Files\n\n- src/a.ts: there\n- src/: folder\n"
        "- src/c.ts: gone\n- docs/x.md:4: a line that is gone\n- src/*.ts: many\n",
    }
    assert [(one.file, one.line, one.text) for one in warned(texts)] == [
        (CURRENT_TASK, 5, "the anchor src/b.ts is not there"),
        (FILE_MAP, 7, "src/c.ts is not there"),
        (FILE_MAP, 8, "docs/x.md has 3 lines, and no line 4"),
    ]


def test_decisions_without_a_reason() -> None:
    text = (
        "# D\n\n## D-0001 Use npm\n\n- Confidence: high\n\n## D-0002 Use a\n\n- Reason: b\n"
        "\n## D-0003 Use c\n\n- Status: withdrawn\n"
    )
    assert [
        (one.line, one.check, one.text) for one in warned({DECISION_LOG: text})
    ] == [(3, "no reason", "nothing says why: D-0001 Use npm")]


def log(old: str, new: str, more: str = "") -> str:
    return (
        f"# D\n\n## D-0001 {old}\n\n- Reason: r\n\n## D-0002 {new}\n\n- Reason: r\n{more}"
        "- Supersedes: D-0001\n"
    )


@pytest.mark.parametrize(
    ("rule", "old", "new", "name"),
    [
        ("Must install with npm", "Use npm", "Use yarn", "npm"),
        ("Never run yarn here", "Use npm", "Use yarn", "yarn"),
        ("必须用npm安装", "使用 npm", "使用 yarn", "npm"),
        ("Must use pino", "Use pino", "Never use pino", "pino"),
        ("Never call eval", "Never use eval", "Use eval in src/a.ts", "eval"),
        # not these
        ("Must install with pnpm", "Use npm", "Use yarn", None),
        ("Must install with yarn, not npm", "Use npm", "Use yarn", None),
        ("Never use npm", "Use npm", "Use yarn", None),
        ("Must use pino", "Use pino for logs", "Use pino for logs and traces", None),
        ("Must test in test/", "Use npm", "Use yarn", None),
    ],
)
def test_a_rule_that_a_superseding_decision_takes_back(
    rule: str, old: str, new: str, name: str | None
) -> None:
    texts = {CONVENTIONS: f"# C\n\n## Rules\n\n- {rule}\n", DECISION_LOG: log(old, new)}
    expected = []
    if name:
        said = (
            f"D-0002 ({new}, which supersedes D-0001) says otherwise of {name}: {rule}"
        )
        expected = [Warned(CONVENTIONS, 5, "contradiction", said)]
    assert [one for one in warned(texts) if one.check == "contradiction"] == expected


def test_what_was_superseded_may_be_archived_by_now() -> None:
    whole = log("Use npm", "Use yarn")
    start, end = whole.index("## D-0001"), whole.index("## D-0002")
    texts = {
        CONVENTIONS: "# C\n\n- Must install with npm\n",
        DECISION_LOG: whole[:start] + whole[end:],
        f"archive/{DECISION_LOG}": f"# D\n\n{whole[start:end]}",
    }
    assert short(texts) == [(CONVENTIONS, 3, "contradiction")]
    withdrawn = log("Use npm", "Use yarn", "- Status: withdrawn\n")
    texts[DECISION_LOG] = withdrawn
    assert short(texts) == []


def test_files_over_their_limits() -> None:
    head = "---\norder: 1\ncapacity: {items: 1, size: 100}\n---\n"
    rules = "".join(f"- Must keep src/{n}/\n" for n in range(9))
    texts = {
        CONVENTIONS: f"{head}# C\n\n{rules}",
        KNOWN_ISSUES: "# K\n\n"
        + "".join(f"## I-{n:04d} a.py breaks\n\n- Kind: bug\n\n" for n in range(1, 22)),
    }
    size = len(texts[CONVENTIONS].encode())
    assert warned(texts) == [
        Warned(
            CONVENTIONS,
            1,
            "over its limit",
            f"{size} of 100 bytes and 9 of 1 rules; say it in fewer words",
        ),
        Warned(
            KNOWN_ISSUES,
            1,
            "over its limit",
            "21 of 20 issues; resolve those that are gone",
        ),
    ]


@pytest.mark.parametrize(
    ("name", "text", "way"),
    [
        (DECISION_LOG, log("Use a1", "Use b2"), "`gitstate tidy` moves the older ones"),
        (DECISION_LOG, "## D-1 Use a\n\n- Reason: r\n", "say it in fewer words"),
        (
            KNOWN_ISSUES,
            "## I-1 a\n\n- Status: resolved\n",
            "`gitstate tidy` moves the resolved ones",
        ),
        (FILE_MAP, "- src/a.ts: there\n", "say it in fewer words"),
    ],
)
def test_what_to_do_with_a_file_that_is_too_large(
    name: str, text: str, way: str
) -> None:
    text = f"---\ncapacity: {{items: 20, size: 20}}\n---\n{text}"
    (one,) = warned({name: text})
    assert one.text == f"{len(text)} of 20 bytes; {way}"


def test_more_than_eight_numbered_files() -> None:
    eight = {f"{n:02d}-file.md": "# F\n" for n in range(8)}
    assert warned(eight) == []
    assert warned({**eight, "08-more.md": "# M\n", "notes.md": "# N\n"}) == [
        Warned(
            "08-more.md",
            1,
            "many files",
            "9 numbered files, more than 8: put two of them together",
        )
    ]


def test_high_strength_over_half_of_a_briefing() -> None:
    rules = "".join(f"- Must keep src/{n}/\n" for n in range(10))
    texts = {CONVENTIONS: f"# C\n\n{rules}", FILE_MAP: "- src/a.ts: there\n" * 50}
    chars = sum(len(f"Must keep src/{n}/") + 1 for n in range(10))
    assert warned(texts, budget_chars=2 * chars) == []
    assert warned(texts, budget_chars=2 * chars - 1) == [
        Warned(
            CONVENTIONS,
            1,
            "heavy",
            f"{chars} characters of high strength are more than half of a briefing of "
            f"{2 * chars - 1}; here are {chars} of them",
        )
    ]
