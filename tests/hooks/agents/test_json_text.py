"""Settings are edited as text: what is not ours stays byte for byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitstate.errors import Refused
from gitstate.hooks.agents import json_text

WAY = ("hooks", "Stop")
OURS = {"hooks": [{"type": "command", "command": "ours"}]}


def is_ours(value: object) -> bool:
    return value == OURS


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{\n  "a": 1\n}\n',
        '{"a":1}',
        '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{"x": 1} // mine\n\t\t],\n\t}\n}\n',
        '// head\n{\n  "a": [1, 2,], /* b */\n  "hooks": {"Stop": [{"x": 1}]}\n}',
        '{\n    "hooks": {\n        "Start": []\n    }\n}',
        '{"a": "}]\\"//"}',
        '{\r\n  "a": 1\r\n}\r\n',
        '\ufeff{\n  "a": 1\n}\n',
        "{\n  // nothing yet\n}\n",
        '{\n  "hooks": {\n    /* nothing yet */\n  }\n}\n',
        '{\n  "a": 1, // why\n  // and more\n}\n',
        '{\r  "a": 1 // why\r}\r',
    ],
)
def test_in_and_out_again(text: str) -> None:
    changed = json_text.appended(text, WAY, OURS)
    loaded = json_text.load(changed)
    assert isinstance(loaded, dict)
    assert loaded["hooks"]["Stop"][-1] == OURS
    assert json_text.without(changed, WAY, is_ours) == text


def test_what_was_there_before_is_where_it_was() -> None:
    text = '{\n  "b": 1, // why\n  "a": 2\n}\n'
    assert json_text.appended(text, WAY, 1).startswith(
        '{\n  "b": 1, // why\n  "a": 2,\n'
    )


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{OURS, // one\n "a": 1}', '{// one\n "a": 1}'),
        ('{"b": 2, // two\n OURS, // one\n "a": 1}', '{"b": 2, // two\n // one\n "a": 1}'),
        ('{"b": 2, // two\n OURS // one\n}', '{"b": 2 // two\n  // one\n}'),
        ('{"b": 2, // two\n OURS\n}', '{"b": 2 // two\n}'),
        ('{"b": 2, // two\n OURS,\n}', '{"b": 2, // two\n}'),
        ('{"b": 2, /* two */ OURS}', '{"b": 2 /* two */ }'),
        ("{ /* none */ OURS, }", "{ /* none */  }"),
    ],
)  # fmt: skip
def test_comments_that_were_written_beside_ours_stay(text: str, left: str) -> None:
    text = text.replace("OURS", f'"hooks": {{"Stop": [{json.dumps(OURS)}]}}')
    assert json_text.without(text, WAY, is_ours) == left
    json_text.parse(left)


def test_line_ends_are_the_files_own() -> None:
    changed = json_text.appended('{\r\n  "a": 1\r\n}\r\n', WAY, OURS)
    assert changed.count("\n") == changed.count("\r\n") > 5


def test_a_value_is_replaced_where_it_stands() -> None:
    text = '{\n  "a": [\n    {\n      "x": 1\n    }, // one\n    {"x": 2}\n  ]\n}\n'
    one, two = json_text.parse(text).members[0].members
    assert json_text.replaced(text, [(one, {"y": 3}), (two, {"y": 4})]) == (
        '{\n  "a": [\n    {\n      "y": 3\n    }, // one\n    {"y": 4}\n  ]\n}\n'
    )


def test_several_of_ours_go_and_others_stay() -> None:
    text = json.dumps({"hooks": {"Stop": [OURS, {"x": 1}, OURS]}})
    left = json_text.load(json_text.without(text, WAY, is_ours))
    assert left == {"hooks": {"Stop": [{"x": 1}]}}


@pytest.mark.parametrize(
    "text",
    [
        "{",
        r'{"\q": 1}',
        r'{"a": "\q"}',
        '{"a" 1}',
        "[1, 2",
        '{"a": nul}',
        "{}}",
        '{"a": "\n"}',
        "[" * 500,
    ],
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        json_text.appended(text, WAY, 1)


def test_another_kind_of_value_on_the_way_is_refused() -> None:
    for text in ('{"hooks": []}', '{"hooks": {"Stop": {}}}', "[]"):
        with pytest.raises(Refused):
            json_text.appended(text, WAY, 1)


@given(
    st.dictionaries(
        st.text(max_size=5),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=8),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.text(max_size=3), inner, max_size=3)
            ),
            max_leaves=8,
        ),
        max_size=4,
    ),
    st.sampled_from([None, 2, "\t"]),
)
def test_any_document(value: dict[str, object], indent: int | str | None) -> None:
    value.pop("hooks", None)
    text = json.dumps(value, indent=indent)
    assert json_text.load(text) == value
    changed = json_text.appended(text, WAY, OURS)
    assert json.loads(changed) == {**value, "hooks": {"Stop": [OURS]}}
    assert json.loads(json_text.without(changed, WAY, is_ours)) == value
