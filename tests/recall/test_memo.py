"""What was found in the state's files is remembered: for the same bytes, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from gitstate.memory import kept
from gitstate.recall import memo
from gitstate.recall.briefing import brief_for
from gitstate.recall.reading import remember
from tests.commands.kept import CONVENTIONS, ISSUES, Kept, now, repo
from tests.inside import call
from tests.memory.secrets_made_up import secrets
from tests.support import NUMBERED

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["now", "repo"]

RULE = "Never touch legacy/"
_LOADED = (
    "import sys; from pathlib import Path; from gitstate.workspace import Workspace; "
    "from gitstate.recall.briefing import brief_for; "
    "print(brief_for(Workspace.open(Path('.')), limit=9000).text); "
    "print('markdown_it' in sys.modules)"
)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are parsed, from now on."""
    names: list[str] = []

    def of_text(name: str, text: str) -> object:
        names.append(name)
        return original(name, text)

    original = kept.of_text
    monkeypatch.setattr(kept, "of_text", of_text)
    return names


def story(repo: Kept) -> None:
    repo.do("rule", "add", RULE)
    repo.do("issue", "add", "Two lock files", "--workaround", "delete one")
    repo.do("task", "start", "Mend src/core/parser.ts", "--step", "Look — 看")
    repo.do("task", "fail", "Change line 140 alone", "--reason", "breaks the other")
    repo.do("note", "Line 142 is the cause")
    repo.do("decide", "Use pnpm", "--reason", "hoisting")


def brief(repo: Kept) -> str:
    return brief_for(repo.ws, limit=9_000).text


def file_of(repo: Kept) -> Path:
    return repo.ws.runtime / "parsed"


def test_what_was_read_once_is_not_parsed_again(repo: Kept, parsed: list[str]) -> None:
    story(repo)
    first = brief(repo)
    assert parsed == [
        *NUMBERED,
        "long_mem/conclusions.md",
        "long_mem/failed-attempts.md",
    ]
    parsed.clear()
    assert brief(repo) == first
    assert parsed == []
    repo.do("rule", "add", "Log with pino")
    parsed.clear()
    assert "- Log with pino" in brief(repo)
    assert parsed == [CONVENTIONS]
    file_of(repo).unlink()
    whole = brief(repo)
    assert brief(repo) == whole


def test_then_no_parser_is_loaded(repo: Kept) -> None:
    story(repo)

    def fresh() -> tuple[str, str]:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _LOADED],
            cwd=repo.path,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        text, _, loaded = done.stdout.rstrip("\n").rpartition("\n")
        return text, loaded

    first, loaded = fresh()
    assert loaded == "True"
    assert fresh() == (first, "False")


def test_other_code_finds_it_anew(
    repo: Kept, parsed: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    story(repo)
    brief(repo)
    same = memo.code_mark()
    (tmp_path / "documents").mkdir()
    (tmp_path / "memory").mkdir()
    (tmp_path / "documents" / "rules.py").write_text("one\n")
    monkeypatch.setattr(memo, "__file__", str(tmp_path / "recall" / "memo.py"))
    other = memo.code_mark()
    (tmp_path / "documents" / "rules.py").write_text("other\n")
    assert len({same, other, memo.code_mark()}) == 3
    parsed.clear()
    brief(repo)
    assert CONVENTIONS in parsed


def test_where_the_code_cannot_be_told_nothing_is_remembered(
    repo: Kept, parsed: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    story(repo)
    whole = brief(repo)
    before = file_of(repo).read_bytes()
    monkeypatch.setattr(memo, "__file__", str(tmp_path / "gone" / "recall" / "memo.py"))
    assert memo.code_mark() == ""
    for _ in range(2):
        parsed.clear()
        assert brief(repo) == whole
        assert CONVENTIONS in parsed
    assert file_of(repo).read_bytes() == before


@pytest.mark.parametrize("damage", ["cut", "bit", "empty", "words", "rows", "folder"])
def test_a_damaged_memory_counts_for_nothing(
    repo: Kept, parsed: list[str], damage: str
) -> None:
    story(repo)
    whole = brief(repo)
    path = file_of(repo)
    data = path.read_bytes()
    at = data.index(b"Never touch")
    damaged = {
        "cut": data[: len(data) // 2],
        "bit": data.replace(b"Never touch", b"Always touch"),
        "empty": b"",
        "words": data[:at] + b"\xff\0" + data[at:],
        "rows": sha256(b'["x", []]').hexdigest().encode() + b'\n["x", []]',
    }
    path.unlink()
    if damage == "folder":
        path.mkdir()
    else:
        path.write_bytes(damaged[damage])
    parsed.clear()
    assert brief(repo) == whole
    assert CONVENTIONS in parsed


def test_what_is_in_no_version_is_not_remembered(repo: Kept) -> None:
    text, value = secrets()["aws access key"]
    story(repo)
    path = repo.state / ISSUES
    path.write_text(f"{path.read_text()}\n## I-0002 A key\n\n- Workaround: {text}\n")
    assert "holds a secret" in call(repo.path, "snapshot").err
    assert value in brief(repo)
    assert value.encode() not in file_of(repo).read_bytes()
    assert RULE.encode() in file_of(repo).read_bytes()


def test_it_is_only_the_owners(repo: Kept) -> None:
    story(repo)
    remember(repo.ws)
    assert file_of(repo).stat().st_mode & 0o777 == 0o600
    code, rows = json.loads(file_of(repo).read_bytes().partition(b"\n")[2])
    assert code == memo.code_mark()
    assert len(rows) == len(NUMBERED) + 2
