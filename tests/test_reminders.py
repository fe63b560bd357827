from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from gitstate import reminders
from gitstate.reminders import Reminder
from tests.engines import begun

if TYPE_CHECKING:
    from gitstate.workspace import Workspace
    from tests.support import Repo

NOON = "2026-11-29T12:00:00+00:00"


@pytest.fixture
def ws(repo: Repo) -> Workspace:
    return begun(repo)


def test_one_of_a_kind_and_standstill(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITSTATE_NOW", NOON)
    first = Reminder(kind="a", text="do it", since=1795953600.0, standstill="1")
    assert reminders.raise_once(ws, "a", "do it", standstill="1") == first
    assert reminders.raise_once(ws, "a", "do it now", standstill="1") is None
    assert reminders.read(ws) == [first]
    assert reminders.find(ws, "a") == first
    assert reminders.find(ws, "b") is None


def test_another_standstill_takes_the_place(ws: Workspace) -> None:
    reminders.raise_once(ws, "a", "do it", standstill="1")
    again = reminders.raise_once(ws, "a", "do it", standstill="2")
    assert again is not None
    assert reminders.read(ws) == [again]


def test_kinds_stand_beside_each_other_oldest_first(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for hour, kind in ((14, "late"), (12, "early"), (13, "middle")):
        monkeypatch.setenv("GITSTATE_NOW", f"2026-11-29T{hour}:00:00+00:00")
        reminders.raise_once(ws, kind, "x", standstill="")
    assert [item.kind for item in reminders.read(ws)] == ["early", "middle", "late"]


def test_the_last_one_leaves_no_file(ws: Workspace) -> None:
    reminders.raise_once(ws, "a", "do it", standstill="1")
    path = ws.runtime / "reminders"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not reminders.clear(ws, "b")
    assert reminders.clear(ws, "a")
    assert not path.exists()
    assert not reminders.clear(ws, "a")


@pytest.mark.parametrize(
    "text", ["", "[]", '{"a": 1}', '{"a": {"text": "x"}}', '{"a": {"since": "x"}}']
)
def test_what_cannot_be_understood_is_none(ws: Workspace, text: str) -> None:
    (ws.runtime / "reminders").write_text(text)
    assert reminders.read(ws) == []
    assert reminders.raise_once(ws, "b", "do it", standstill="1") is not None
    assert [item.kind for item in reminders.read(ws)] == ["b"]
