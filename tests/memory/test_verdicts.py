"""What was found is found once: in this process, and in the next one by a small file."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING

import pytest

from gitstate.memory import screening, verdicts
from gitstate.memory.verdicts import Verdicts
from tests.memory.secrets_made_up import secrets

if TYPE_CHECKING:
    from pathlib import Path

TEXT, VALUE = secrets()["github ghp"]
DATA = f"# Task\n\n{TEXT}\n".encode()
CLEAN = b"# Task\n\nno such thing\n"
LOOKS_LIKE = b"AKIA is the prefix, AKIAXXXXXXXXXXXXXXXX an example\n"


@pytest.fixture(autouse=True)
def new_process(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Nothing is known yet, as in a process that begins."""
    known: dict[str, object] = {}
    monkeypatch.setattr(verdicts, "_known", known)
    return known


def never(_: bytes) -> tuple[screening.Finding, ...]:
    raise AssertionError("screened again")


def test_the_file_spares_the_next_process_the_scanner(
    tmp_path: Path, new_process: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "screened"
    first = Verdicts(path)
    found = {name: first.of(name, lambda data=data: data) for name, data in texts()}  # type: ignore[misc]
    first.save()

    assert found["clean"] == found["looks like"] == ()
    assert [item.line for item in found["held"] or ()] == [3]
    document = json.loads(path.read_text())
    assert document["rules"] == screening.detectors()
    assert document["texts"].keys() == {"held", "looks like"}  # the clean one is no row
    assert VALUE not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600

    new_process.clear()
    monkeypatch.setattr(screening, "screen", never)
    second = Verdicts(path)
    assert {
        name: second.of(name, lambda data=data: data)  # type: ignore[misc]
        for name, data in texts()
    } == found


def texts() -> list[tuple[str, bytes]]:
    return [("held", DATA), ("clean", CLEAN), ("looks like", LOOKS_LIKE)]


def test_the_same_process_does_not_even_read_the_bytes(tmp_path: Path) -> None:
    found = Verdicts(tmp_path / "screened").of("id", lambda: DATA)
    assert found
    assert Verdicts(tmp_path / "screened").of("id", lambda: None) == found
    assert Verdicts(tmp_path / "screened").of("other", lambda: None) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"rules": "another", "texts": {"id": []}}',
        '{"rules": RULES, "texts": {"id": [[1]]}}',
        '{"rules": RULES, "texts": [3]}',
        '{"rules": RULES}',
    ],
)
def test_a_file_of_other_rules_or_garbled_says_nothing(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "screened"
    path.write_text(text.replace("RULES", json.dumps(screening.detectors())))
    found = Verdicts(path)
    assert found.of("id", lambda: DATA)
    found.save()
    assert json.loads(path.read_text())["texts"].keys() == {"id"}


def test_it_is_bounded_and_may_be_unwritable(
    tmp_path: Path, new_process: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verdicts, "_ROWS", 3)
    monkeypatch.setattr(verdicts, "_KNOWN", 3)
    found = Verdicts(tmp_path / "screened")
    for at in range(6):
        assert found.of(str(at), lambda: DATA)
    found.save()
    rows = json.loads((tmp_path / "screened").read_text())["texts"]
    assert list(rows) == ["3", "4", "5"] == list(new_process)

    nowhere = Verdicts(tmp_path / "no" / "screened")
    assert nowhere.of("x", lambda: DATA)
    nowhere.save()
