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


def test_several_of_ours_go_and_others_stay() -> None:
    text = json.dumps({"hooks": {"Stop": [OURS, {"x": 1}, OURS]}})
    left = json_text.load(json_text.without(text, WAY, is_ours))
    assert left == {"hooks": {"Stop": [{"x": 1}]}}


@pytest.mark.parametrize(
    "text", ["{", '{"a" 1}', "[1, 2", '{"a": nul}', "{}}", '{"a": "\n"}', "[" * 500]
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
