"""Failed attempts, conclusions and the log of operations: written and read back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitstate.documents.anchors import Anchor
from gitstate.documents.attempts import Attempt
from gitstate.documents.steps import Step
from gitstate.errors import Refused
from gitstate.memory import attempts, conclusions, finishing, operations_log
from gitstate.memory.conclusions import Conclusion
from gitstate.memory.operations_log import Operation

if TYPE_CHECKING:
    from gitstate.documents.vocabulary import Lang

_TEXTS = st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=60
)
_HAND = """# Failed attempts

A line of a person.

## Fix parseExpr

* line 140 because it breaks a branch
* all anew
  Reason: too long

```
## no heading
```

## Other

| Approach | Why |
|---|---|
| by hand | slow |
"""


def test_attempts_as_people_write_them() -> None:
    assert attempts.sections(_HAND) == [
        (
            "Fix parseExpr",
            (
                Attempt("line 140", "it breaks a branch"),
                Attempt("all anew", "too long"),
            ),
        ),
        ("Other", (Attempt("by hand", "slow"),)),
    ]
    text = attempts.add(_HAND, "Fix parseExpr", Attempt("a third", "slow"), "zh")
    assert "\n```\n## no heading\n```\n" in text
    assert attempts.of_task(text, "Fix parseExpr")[-1] == Attempt("a third", "slow")
    assert attempts.of_task(text, "Other") == (Attempt("by hand", "slow"),)
    assert attempts.of_task(None, "Other") == attempts.of_task(text, None) == ()


@settings(max_examples=200, deadline=None)
@given(_TEXTS, _TEXTS, _TEXTS, st.sampled_from(["en", "zh"]))
def test_an_attempt_is_read_back_or_refused(
    goal: str, approach: str, reason: str, lang: Lang
) -> None:
    text = attempts.add(None, "Before", Attempt("one", "slow"), lang)
    try:
        text = attempts.add(text, goal, Attempt(approach, reason), lang)
    except Refused:
        return
    found = attempts.sections(text)
    assert found[0][1][0] == Attempt("one", "slow")
    assert sum(len(one) for _, one in found) == 2


def test_conclusions_of_notes_and_tasks() -> None:
    steps = [
        Step(1, "Locate it", "done", "line 142", ("a b.ts", "c.ts")),
        Step(2, "Fix it", "todo"),
    ]
    text = conclusions.add_task(None, "Fix parseExpr", steps, "zh")
    assert text is not None
    text = conclusions.add_note(text, "a note", Anchor("x.ts", 8), "en")
    text = conclusions.add_note(text, "another", None, "en")
    assert conclusions.parse(text) == [
        (
            "Fix parseExpr",
            (Conclusion("Locate it", "line 142", ("a b.ts", "c.ts")),),
        ),
        (
            "备注",
            (Conclusion("a note", anchor=Anchor("x.ts", 8)), Conclusion("another")),
        ),
    ]
    assert conclusions.add_task(text, "Other", steps[1:], "en") is None


@settings(max_examples=200, deadline=None)
@given(_TEXTS, st.sampled_from(["en", "zh"]))
def test_a_note_is_read_back_or_refused(note: str, lang: Lang) -> None:
    before = conclusions.add_note(None, "one", None, lang)
    try:
        text = conclusions.add_note(before, note, Anchor("a.ts", 3), lang)
    except Refused:
        return
    ((_, found),) = conclusions.parse(text)
    assert found[0] == Conclusion("one")
    assert "".join(found[1].text.split()) == "".join(note.split())
    assert found[1].anchor == Anchor("a.ts", 3)


def test_operations() -> None:
    one = Operation("2026-11-29T14:05:00+01:00", "a | b.ts", "edit", "x", "f" * 40)
    with pytest.raises(Refused, match="a path cannot be written on a line"):
        operations_log.line_of(one)
    good = Operation(one.time, "a b.ts", "edit", "yarn | tee\nagain", "f" * 40)
    run = Operation(one.time, "src/", "run", "", None)
    text = operations_log.appended(None, operations_log.line_of(good) + "\n")
    text = operations_log.appended(
        text.rstrip("\n"), operations_log.line_of(run) + "\n"
    )
    text += "\nno operation\na | b | moved | c\n"
    assert text.splitlines()[0] == (
        f"2026-11-29T14:05:00+01:00 | a b.ts | edit {'f' * 12} | yarn | tee again"
    )
    assert operations_log.parse(text) == [
        Operation(one.time, "a b.ts", "edit", "yarn | tee again", "f" * 12),
        run,
    ]


@pytest.mark.parametrize(
    ("goal", "name"),
    [
        ("Fix src/Core/Parser.ts!", "completed/2026-11-29-fix-src-core-parser-ts.md"),
        ("修复 parser", "completed/2026-11-29-parser.md"),
        ("修复", "completed/2026-11-29.md"),
        ("x" * 300, "completed/2026-11-29.md"),
        ("../../etc\0\n", "completed/2026-11-29-etc.md"),
    ],
)
def test_names_of_finished_tasks(goal: str, name: str) -> None:
    assert finishing.name_of(goal, "2026-11-29", ()) == name
    taken = [name.removeprefix("completed/").upper()]
    again = name.replace(".md", "-2.md")
    assert finishing.name_of(goal, "2026-11-29", taken) == again
