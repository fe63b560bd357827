"""The task as JSON: its schema, the validator of our own, and what an import refuses."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitstate.documents import CURRENT_TASK, template
from gitstate.documents.attempts import Attempt
from gitstate.documents.edit_task import set_goal
from gitstate.errors import Refused
from gitstate.memory import task_import
from gitstate.memory.schema import problems, task_schema
from gitstate.memory.task_state import (
    SCHEMA,
    derived,
    is_of,
    read,
    rendered,
    says_something,
)

SOURCE = "a" * 40
ISSUE = """{"goal": "修复 parser 在嵌套括号场景下的解析错误", "subtasks": [{"id": 1, "desc": "定位报错函数", "status": "done",
"conclusion": "根因在 parseExpr, line 142"}, {"id": 2, "desc": "修复边界条件", "status": "in_progress", "files_touched": ["src/core/parser.ts"]}, {"id": 3,
"desc": "补充单元测试", "status": "todo"}], "failed_attempts": [{"approach": "直接改 line 140 的判断条件", "reason": "破坏了另一条分支"}]}"""
WHOLE: dict[str, Any] = {
    "schema": SCHEMA,
    "source": SOURCE,
    "goal": "Fix parseExpr",
    "constraints": ["Keep E_MODULE"],
    "subtasks": [
        {
            "id": 1,
            "desc": "Locate it",
            "status": "done",
            "conclusion": "line 142",
            "files_touched": ["src/a.ts"],
        }
    ],
    "next": "Count brackets in parseExpr",
    "anchor": {"file": "src/a.ts", "line": 142},
    "blockers": ["ops"],
    "failed_attempts": [{"approach": "line 140", "reason": "breaks the other"}],
}


# what our validator knows
WORDS = frozenset(
    {
        "$schema",
        "$id",
        "title",
        "description",
        "type",
        "required",
        "properties",
        "additionalProperties",
        "items",
        "const",
        "enum",
        "pattern",
        "minLength",
        "minimum",
    }
)


def accept(path: str) -> str:
    return path


def fits(document: object) -> bool:
    return jsonschema.Draft202012Validator(task_schema()).is_valid(document)  # type: ignore[no-any-return]


def test_the_schema_is_one_and_says_nothing_that_our_validator_does_not_know() -> None:
    jsonschema.Draft202012Validator.check_schema(task_schema())
    assert task_schema()["properties"]["schema"] == {
        "description": "The form of this document.",
        "const": SCHEMA,
    }

    def words(part: dict[str, Any]) -> set[str]:
        found = set(part)
        for name in part.get("properties", {}):
            found |= words(part["properties"][name])
        return found | (words(part["items"]) if "items" in part else set())

    assert words(task_schema()) <= WORDS


def described(part: dict[str, Any], path: str = "") -> list[tuple[str, str]]:
    """Every field below a part of the schema, by its path, with its description."""
    found = []
    for name, inner in part.get("properties", {}).items():
        where = f"{path}.{name}".lstrip(".")
        found.append((where, inner["description"]))
        found += described(inner, where)
    return found + (described(part["items"], f"{path}[]") if "items" in part else [])


def test_the_documentation_says_what_the_schema_says() -> None:
    text = (Path(__file__).parents[2] / "docs" / "state-files.md").read_text("utf-8")
    section = text.partition("## task-state.json")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([^`]+)` \| (.+) \|$", section, re.MULTILINE)
    assert rows == described(task_schema())
    statuses = task_schema()["properties"]["subtasks"]["items"]["properties"]["status"]
    for status in statuses["enum"]:
        assert f"`{status}`" in section


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"goal": ""}, "$.goal"),
        ({"goal": 3}, "$.goal"),
        ({"source": "zz"}, "$.source"),
        ({"schema": "task-state/2"}, "$.schema"),
        ({"constraints": "x"}, "$.constraints"),
        ({"constraints": [None]}, "$.constraints[0]"),
        ({"anchor": {"file": "a"}}, "$.anchor.line"),
        ({"anchor": {"file": "a", "line": -1}}, "$.anchor.line"),
        ({"anchor": {"file": "a", "line": True}}, "$.anchor.line"),
        ({"anchor": {"file": "a", "line": 1.5}}, "$.anchor.line"),
        ({"subtasks": [{"id": 1}]}, "$.subtasks[0].desc"),
        ({"subtasks": {}}, "$.subtasks"),
        ({"extra": 1}, "$.extra"),
        ({"failed_attempts": [{"approach": "", "reason": None}]}, None),
    ],
)
def test_what_does_not_fit(change: dict[str, Any], path: str | None) -> None:
    found = WHOLE | change
    assert not fits(found)
    said = [where for where, _ in problems(found, task_schema())]
    assert said[0] == (path or "$.failed_attempts[0].approach")


_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 9),
    st.sampled_from([1.0, 1.5, "", "x", "todo", "done", SOURCE, SCHEMA]),
)
_KEYS = st.sampled_from(
    [*WHOLE, "id", "desc", "status", "conclusion", "files_touched", "file", "line", "y"]
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(_KEYS, inner, max_size=5)
    ),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_our_validator_and_jsonschema_agree(data: st.DataObject) -> None:
    found = copy.deepcopy(WHOLE)
    place: Any = found
    while True:  # change one place somewhere in a document that fits
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            break
        key = data.draw(st.sampled_from(keys))
        inner = place[key]
        if not isinstance(inner, dict | list) or data.draw(st.booleans()):
            place[key] = data.draw(_VALUES)
            break
        place = inner
    assert fits(found) == (not list(problems(found, task_schema())))


@settings(max_examples=100, deadline=None)
@given(_VALUES)
def test_they_agree_on_anything(found: object) -> None:
    assert fits(found) == (not list(problems(found, task_schema())))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_template_says_nothing(lang: str) -> None:
    found = derived(template(CURRENT_TASK, lang), None, SOURCE)
    assert fits(found)
    assert not says_something(found)
    assert read(rendered(found)) == found


def test_what_is_derived_fits_whatever_the_file_says() -> None:
    text = "# Task\n\nGoal: x\n\n## Steps\n\n0. [done]\n1. \n1. a\n\n## Anchor\n\na:0\n"
    assert fits(derived(text, "## x\n- a\n", SOURCE))


def test_failed_attempts_of_both_files_once_each() -> None:
    text = set_goal(template(CURRENT_TASK, "en"), "Fix parseExpr")
    text += (
        "\n## Failed attempts\n\n- line 140 — breaks the other\n- all anew — too long\n"
    )
    other = "# F\n\n## Another\n\n- no\n\n## Fix parseExpr\n\n- line 140\n  - Reason: breaks the other\n- x\n"
    assert derived(text, other, SOURCE)["failed_attempts"] == [
        {"approach": "line 140", "reason": "breaks the other"},
        {"approach": "all anew", "reason": "too long"},
        {"approach": "x", "reason": None},
    ]


@pytest.mark.parametrize("text", [None, "", "[1]", "{", '{"schema": "other"}', "nul"])
def test_what_is_none_of_ours_is_derived_anew(text: str | None) -> None:
    assert not is_of(text, SOURCE)
    assert is_of(rendered(WHOLE), SOURCE)
    assert not is_of(rendered(WHOLE), "b" * 40)


def test_the_form_of_a_person_goes_in_as_it_stands() -> None:
    text, failed = task_import.written(
        template(CURRENT_TASK, "zh"), task_import.read(ISSUE.encode()), accept
    )
    said = derived(text, None, SOURCE)
    given_ = json.loads(ISSUE)
    assert said["goal"] == given_["goal"]
    assert [
        {key: step[key] for key in given} | {"id": step["id"]}
        for step, given in zip(said["subtasks"], given_["subtasks"], strict=True)
    ] == given_["subtasks"]
    assert failed == [Attempt("直接改 line 140 的判断条件", "破坏了另一条分支")]


def test_what_is_derived_can_be_imported() -> None:
    found = task_import.read(json.dumps(WHOLE).encode())
    text, failed = task_import.written(template(CURRENT_TASK, "en"), found, accept)
    again = derived(text, None, SOURCE)
    assert again | {"failed_attempts": WHOLE["failed_attempts"]} == WHOLE
    assert [(one.approach, one.reason) for one in failed] == [
        ("line 140", "breaks the other")
    ]


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"\xff", "no task: not UTF-8 at byte 0"),
        (b"[" * 100_000, "no task: it is nested too deep"),
        (b'{"goal": }', "no JSON: Expecting value in line 1, column 10"),
        (b"[]", "$: [] where an object belongs"),
        (b"{}", "$.goal: it is missing"),
        (b'{"goal": null}', "$.goal: a task has a goal"),
        (
            b'{"goal": "Fix the bug"}',
            (
                "$.goal: the goal names no file, function or other thing: Fix the bug; name "
                'one, like: gitstate task start "Fix nested brackets in src/core/parser.ts '
                'parseExpr"'
            ),
        ),
        (
            b'{"goal": "Fix a_b", "subtasks": [{"id": 2, "desc": "x"}]}',
            "$.subtasks[0].id: 2 where 1 belongs: number them 1, 2, 3",
        ),
        (
            b'{"goal": "Fix a_b", "subtasks": [{"id": 1, "desc": "x", "status": "fini"}]}',
            '$.subtasks[0].status: "fini" is none of todo, in_progress, done, blocked',
        ),
        (
            b'{"goal": "Fix a_b", "subtasks": [{"id": 1, "desc": "x", "status": "done"}]}',
            (
                "$.subtasks[0].conclusion: a done step has one, like: root cause in "
                "parseExpr, line 142"
            ),
        ),
        (
            b'{"goal": "Fix a_b", "subtasks": [7]}',
            "$.subtasks[0]: 7 where an object belongs",
        ),
        (
            b'{"goal": "Fix a_b", "color": 7}',
            (
                "$.color: no such field; the fields are: schema, source, goal, constraints, "
                "subtasks, next, anchor, blockers, failed_attempts"
            ),
        ),
        (
            b'{"goal": "Fix a_b", "failed_attempts": [{"approach": "x"}]}',
            (
                "$.failed_attempts[0].reason: a failed attempt needs its reason, like: it "
                "broke a branch"
            ),
        ),
        (
            b'{"goal": "Fix a_b", "constraints": ["  "]}',
            "$.constraints[0]: the constraint says nothing: (empty)",
        ),
    ],
)
def test_an_import_names_the_field_that_is_wrong(data: bytes, line: str) -> None:
    with pytest.raises(Refused) as refused:
        task_import.written(
            template(CURRENT_TASK, "en"), task_import.read(data), accept
        )
    assert str(refused.value) == line


def test_an_import_over_a_task_is_refused() -> None:
    text = set_goal(template(CURRENT_TASK, "en"), "Fix parseExpr")
    with pytest.raises(Refused, match="there is a task already: Fix parseExpr"):
        task_import.written(text, task_import.read(ISSUE.encode()), accept)
