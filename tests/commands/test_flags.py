"""``gitstate flags``, with its whole output."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.hooks.git.coding import NOTES, Coder
from tests.inside import Said, call

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def coder(tmp_path: Path) -> Coder:
    """Two flagged commits above an updated one; the last one waits for its link."""
    coder = Coder.begin(tmp_path)
    coder.commit(updated=True)
    coder.code()
    coder.git("commit", "-q", "-m", "one")
    coder.link()
    coder.code()
    coder.git("commit", "-q", "-m", "two\x1b[31m", env={"GITSTATE_SKIP": "1"})
    return coder


def test_the_list(coder: Coder) -> None:
    one, two, base = coder.head("HEAD~1"), coder.head(), coder.head("HEAD~2")
    assert call(coder.repo.path, "flags") == Said(
        0,
        f"{two[:12]}  bypassed  v2  two\\x1b[31m  GITSTATE_SKIP=1\n"
        f"{one[:12]}  stale     v2  one          unchanged since code commit {base[:12]}\n",
        "",
    )


def test_the_list_for_scripts(coder: Coder) -> None:
    said = call(coder.repo.path, "flags", "--json")
    assert (said.code, said.err) == (0, "")
    base = coder.head("HEAD~2")
    assert json.loads(said.out) == [
        {
            "commit": coder.head(),
            "subject": "two\\x1b[31m",
            "check": "bypassed",
            "version": 2,
            "reason": "GITSTATE_SKIP=1",
        },
        {
            "commit": coder.head("HEAD~1"),
            "subject": "one",
            "check": "stale",
            "version": 2,
            "reason": f"unchanged since code commit {base[:12]}",
        },
    ]
    said = call(coder.repo.path, "flags", "HEAD~1..HEAD~1", "--json")
    assert json.loads(said.out) == []


def test_a_range(coder: Coder) -> None:
    said = call(coder.repo.path, "flags", "HEAD~1..HEAD")
    assert (said.code, len(said.lines)) == (0, 1)
    assert call(coder.repo.path, "flags", "HEAD~2") == Said(
        0, "no code commit is flagged\n", ""
    )


def test_settling(coder: Coder) -> None:
    words = ["--resolve", "HEAD~1", "--reason", "  only\nformatting "]
    assert call(coder.repo.path, "flags", *words) == Said(
        0, f"settled {coder.head('HEAD~1')[:12]}: only\\nformatting\n", ""
    )
    assert len(call(coder.repo.path, "flags").lines) == 1
    again = call(coder.repo.path, "flags", *words)
    assert (again.code, again.out) == (1, "")
    assert again.err == (
        f"gitstate: code commit {coder.head('HEAD~1')[:12]} is not flagged: it is exempt\n"
    )


@pytest.mark.parametrize(
    "words",
    [
        ["--resolve", "HEAD"],
        ["--reason", "why"],
        ["--resolve", "HEAD", "--reason", " "],
    ],
)
def test_settling_takes_both_words(coder: Coder, words: list[str]) -> None:
    said = call(coder.repo.path, "flags", *words)
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        'gitstate: a flag is settled with both: --resolve COMMIT --reason "why"\n'
    )


def test_what_is_unknown(coder: Coder) -> None:
    for words in (["a..b"], ["--", "--all"]):
        said = call(coder.repo.path, "flags", *words)
        assert said == Said(
            1, "", f"gitstate: {words[-1]!r} is no range of code commits\n"
        )
    said = call(coder.repo.path, "flags", "--resolve", "nothing", "--reason", "why")
    assert said == Said(1, "", "gitstate: 'nothing' is no code commit\n")


def test_while_the_lock_is_held_it_lists_what_is_linked(coder: Coder) -> None:
    from gitstate import lock  # noqa: PLC0415 beside its use

    with lock.held(coder.ws().lock_path, verb="test", wait_s=0):
        said = call(coder.repo.path, "flags")
        assert (said.code, len(said.lines), said.err) == (0, 1, "")


def test_without_any_notes(coder: Coder) -> None:
    coder.repo.git("update-ref", "-d", NOTES)
    for path in (coder.runtime / "links").iterdir():
        path.unlink()
    (coder.runtime / "notes").unlink()
    assert call(coder.repo.path, "flags") == Said(0, "no code commit is flagged\n", "")


def test_where_gitstate_is_not_set_up(tmp_path: Path, coder: Coder) -> None:
    coder.git("worktree", "add", "-q", "../tree")
    said = call(tmp_path / "tree", "flags")
    assert (said.code, said.err) == (0, "")
    assert len(said.lines) == 1  # commits are everybody's
