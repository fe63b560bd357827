from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitstate import __version__, bugs


def caught(error: BaseException) -> BaseException:
    def fail() -> None:
        raise error

    try:
        fail()
    except BaseException as same:  # noqa: BLE001 whatever the test raises
        return same
    return error


PLAN = "the agent's secret plan"


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["snapshot", "-m", PLAN], ["snapshot", "-m", "…"]),
        (["snapshot", f"-m{PLAN}"], ["snapshot", "-m…"]),
        (["log", f"--grep={PLAN}", "-n", "3"], ["log", "--grep=…", "-n", "…"]),
        (["show", "v3:" + PLAN, "--json"], ["show", "…", "--json"]),
        (["--", PLAN, f"--{PLAN}"], ["--", "…", "…"]),
        (["log", "init"], ["log", "init"]),
    ],
)
def test_words_without_their_values(words: list[str], kept: list[str]) -> None:
    verbs = {"snapshot", "log", "show", "init"}
    assert bugs.without_values(words, verbs) == kept


@pytest.mark.parametrize(
    ("error", "last"),
    [
        (ValueError(f"bad value: '{PLAN}'"), "ValueError: bad value: '…'"),
        (ValueError(f"{PLAN!r}"), "ValueError: '…'"),
        (KeyError(PLAN), "KeyError: '…'"),
        (KeyError(b"it's"), "KeyError: '…'"),
        (
            FileNotFoundError(2, "No such file", PLAN),
            "FileNotFoundError: No such file",
        ),
        (AttributeError("'A' has no 'b'"), "AttributeError: 'A' has no 'b'"),
        (RuntimeError(), "RuntimeError"),
        (UnicodeDecodeError("utf-8", PLAN.encode(), 0, 1, "bad"), None),
    ],
)
def test_a_report_quotes_no_text(error: BaseException, last: str | None) -> None:
    text = bugs.report(caught(error), ["log", PLAN])
    assert PLAN not in text
    assert "secret" not in text
    if last is not None:
        assert text.splitlines()[-1] == last


def test_a_report_says_where_and_with_what(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(Path(__file__).parent))
    lines = bugs.report(caught(ValueError("x")), ["log"], verbs={"log"}).splitlines()
    assert lines[0] == f"gitstate {__version__}: ValueError"
    keys = ["when", "call", "python", "platform", "git", "packages", "encodings"]
    assert [line.split()[0] for line in lines[2:9]] == keys
    assert lines[3].split() == ["call", "gitstate", "log"]
    assert "pygit2 " in lines[7]
    assert any('File "~/test_bugs.py"' in line for line in lines)  # not whose home


def test_causes_and_groups_are_in_the_report() -> None:
    error = RuntimeError("outer")
    error.__cause__ = caught(KeyError("inner"))
    group = ExceptionGroup("many", [OSError(28, "No space"), error])
    lines = bugs.report(caught(group), []).splitlines()
    told = [line for line in lines if line and not line.startswith(" ")][8:]
    assert told == [
        "ExceptionGroup: many (2 sub-exceptions)",
        "1 of 2:",
        "OSError: No space",
        "2 of 2:",
        "KeyError: '…'",
        "which led to:",
        "RuntimeError: outer",
    ]


def test_one_report_a_place_and_not_too_many(home: Path) -> None:
    folder = home / ".state" / "gitstate" / "bugs"
    first = bugs.write_report(caught(ValueError("one")), ["log"])
    assert bugs.write_report(caught(ValueError("two")), ["log"]) == first
    assert [path.name for path in folder.iterdir()] == [first.name]
    os.utime(first, (0, 0))
    for number in range(bugs.KEPT):
        other = folder / f"Error-{number}.txt"
        other.write_text("")
    last = bugs.write_report(caught(TypeError("three")), ["log"])
    names = {path.name for path in folder.iterdir()}
    assert len(names) == bugs.KEPT
    assert first.name not in names
    assert last.name in names


def test_a_report_without_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert "git        none (GitFailed)\n" in bugs.report(caught(ValueError()), [])
