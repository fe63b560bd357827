from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from gitstate.notification import notify

if TYPE_CHECKING:
    from pathlib import Path

NAME = "osascript" if sys.platform == "darwin" else "notify-send"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which programs are."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def program(place: Path, text: str) -> None:
    path = place / NAME
    path.write_text(f"#!{sys.executable}\nimport json, sys\n{text}\n")
    path.chmod(0o755)


@pytest.mark.skipif(sys.platform == "darwin", reason="notify-send is not macOS's")
def test_the_words_come_as_they_are(place: Path) -> None:
    said = place / "said"
    program(place, f"json.dump(sys.argv[1:], open({str(said)!r}, 'w'))")
    assert notify("gitstate: repo", "-a <b> & 'c' \"$(d)\"\ne")
    assert json.loads(said.read_text()) == [
        "--app-name=gitstate",
        "--",
        "gitstate: repo",
        "-a &lt;b&gt; &amp; 'c' \"$(d)\"\ne",
    ]


def test_where_there_is_no_desktop(place: Path) -> None:
    assert not notify("title", "text")
    program(place, "sys.exit(1)")
    assert not notify("title", "text")


def test_one_that_cannot_be_started(place: Path) -> None:
    (place / NAME).write_text("no program")
    (place / NAME).chmod(0o755)
    assert not notify("title", "text")
    program(place, "")
    assert not notify("title", "a\0b")
