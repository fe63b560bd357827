"""Is it an amend: told from the words that the commit's own process was started with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitstate.hooks.git import ancestry
from tests.hooks.git.effects import add_hook
from tests.support import Repo, make_repo, wait_for

if TYPE_CHECKING:
    from collections.abc import Sequence

PLACE = Path(ancestry.__file__).parents[3]


# the words of git commit


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("git commit", []),
        ("git commit -m x", ["-m", "x"]),
        ("/usr/lib/git-core/git commit --amend", ["--amend"]),
        ("/usr/lib/git-core/git-commit --amend", ["--amend"]),
        ("git.exe commit -a", ["-a"]),
        ("git -c a=b -C d commit -q", ["-q"]),
        ("git --git-dir x --work-tree y --namespace z commit -q", ["-q"]),
        ("git --git-dir=x --no-pager -p --literal-pathspecs commit -q", ["-q"]),
        ("git -c commit commit -q", ["-q"]),
        ("git -c alias.commit=x --config-env a=B commit -q", ["-q"]),
        ("git commit commit", ["commit"]),
        ("git", None),
        ("git -c a=b", None),
        ("git -c", None),
        ("git push", None),
        ("git -c commit push", None),
        ("git stash push -m commit", None),
        ("git commit-tree x", None),
        ("git rebase --continue", None),
        ("sh -c git commit --amend", None),
        ("sh .git/hooks/pre-commit", None),
        ("vim commit", None),
        ("", None),
    ],
)
def test_which_process_is_git_commit(words: str, options: list[str] | None) -> None:
    assert ancestry.commit_options(words.split()) == options


AMENDING = [
    "--amend",
    "--amend --no-edit",
    "-m x --amend",
    "-mx --amend",
    "-am x --amend",
    "--am",
    "--ame",
    "--amen",
    "--no-amend --amend",
    "-C HEAD --amend",
    "--reuse-message HEAD --amend",
    "--fixup HEAD --amend",
    "-S --amend",
    "-u --amend",
    "-uno --amend",
    "-Smykey --amend",
    "-t file --amend",
    "--cleanup verbatim --amend",
    "--date now --author me --amend",
    "--pathspec-from-file x --amend",
    "x --amend",
]
OTHERS = [
    "",
    "-m --amend",
    "-am --amend",
    "-m--amend",
    "-F --amend",
    "-c --amend",
    "-C --amend",
    "-t --amend",
    "-qam --amend",
    "--message --amend",
    "--mes --amend",
    "--message=--amend",
    "--author --amend",
    "--fixup --amend",
    "--squash --amend",
    "--trailer --amend",
    "-- --amend",
    "--amend --no-amend",
    "--amend --no-ame",
    "--a",
    "--amended",
    "--fixup=amend:HEAD",
    "amend",
    "-amend",
]


@pytest.mark.parametrize("words", AMENDING)
def test_options_that_amend(words: str) -> None:
    assert ancestry.amends(words.split())


@pytest.mark.parametrize("words", OTHERS)
def test_options_that_do_not(words: str) -> None:
    assert not ancestry.amends(words.split())


@pytest.mark.parametrize(
    ("words", "amends"),
    [
        ("-q -a", False),
        ("-m add a parser", False),
        ("-m do not use amend", False),
        ("--amend", True),
        ("--amend --no-edit -q", True),
        ("-a --amend --no-edit", True),
        ("--amend --no-amend", False),
        ("-m say --amend", None),
        ("--amend -m said better", None),
        ("-am x --amend", None),
        ("--message=say --amend", None),
        ("-F file --amend", None),
    ],
)
def test_of_a_list_that_was_cut_at_every_blank(
    words: str,
    amends: bool | None,  # noqa: FBT001 pytest's
) -> None:
    """Where it could be either way it says so: then nothing is refused."""
    assert ancestry.amends_at_a_guess(words.split()) is amends


# the processes above


def test_a_process_and_its_parent() -> None:
    script = "import sys; sys.stdin.read()"
    words = [sys.executable, "-c", script, "a b", "", "ü\n"]
    process = subprocess.Popen(words, stdin=subprocess.PIPE)
    try:
        if ancestry._from_proc(process.pid) is None:  # noqa: SLF001 what reads /proc
            pytest.skip("no /proc here")
        wait_for(  # it has no words yet while it is being started
            lambda: ancestry._from_proc(process.pid) == (os.getpid(), words)  # noqa: SLF001 the same
        )
        if shutil.which("ps") is None:
            pytest.skip("no ps here")
        told = ancestry._from_ps(process.pid)  # noqa: SLF001 what reads ps
        assert told is not None
        assert told[0] == os.getpid()
        assert told[1][:2] == [sys.executable, "-c"]
        assert "a" in told[1]
    finally:
        process.communicate()
    assert ancestry._from_ps(process.pid) is None  # noqa: SLF001 the same
    assert ancestry._from_proc(process.pid) is None  # noqa: SLF001 the same


def test_this_test_is_below_no_commit() -> None:
    assert ancestry.is_amend() is None


@pytest.fixture
def told(tmp_path: Path) -> Repo:
    """A repository whose pre-commit hook writes what it thinks into ``told``."""
    repo = make_repo(tmp_path / "repo")
    program = (
        f"import sys; sys.path.insert(0, {str(PLACE)!r})\n"
        "from gitstate.hooks.git.ancestry import is_amend\n"
        "open('told', 'w').write(str(is_amend()))\n"
    )
    (tmp_path / "ask.py").write_text(program)
    add_hook(
        repo.path / ".git" / "hooks" / "pre-commit",
        f"#!/bin/sh\n'{sys.executable}' -I '{tmp_path}/ask.py'\n",
    )
    repo.git("config", "alias.fix", "commit --amend --no-edit")
    repo.git("config", "alias.fixx", "fix -q")
    repo.git("config", "alias.again", "!git commit --amend -m again")
    repo.git("config", "alias.ci", "commit --allow-empty")
    (repo.path / "message").write_text("said\n")
    return repo


def answer(
    repo: Repo, words: Sequence[str], env: dict[str, str] | None = None
) -> str | None:
    """What the hook of this command thought; ``None`` where it did not run."""
    path = repo.path / "told"
    path.unlink(missing_ok=True)
    subprocess.run(
        words,
        cwd=repo.path,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return path.read_text() if path.exists() else None


@pytest.mark.parametrize(
    "words",
    [
        ["git", "commit", "--amend", "--no-edit"],
        ["git", "commit", "--amend", "-m", "message"],
        ["git", "commit", "--amend", "-F", "message"],
        ["git", "-c", "x.y=z", "commit", "--amend", "--no-edit"],
        ["sh", "-c", "git commit --amend --no-edit"],
        ["sh", "-c", "git commit --amend -m 'a message'; true"],
        ["sh", "-c", 'eval "$0"', "exec git commit --amend -m x"],
        ["git", "fix"],
        ["git", "fixx"],
        ["git", "again"],
        ["git", "-c", "alias.x=!f() { git commit --amend --no-edit; }; f", "x"],
        ["env", "git", "commit", "--amend", "--no-edit"],
        [sys.executable, "-c", "import os; os.system('git commit --amend -m x')"],
    ],
    ids=" ".join,
)
def test_an_amend_however_it_is_started(told: Repo, words: list[str]) -> None:
    assert answer(told, words) == "True"
    assert told.git("rev-list", "--count", "HEAD") == "1"


@pytest.mark.parametrize(
    "words",
    [
        ["git", "commit", "--allow-empty", "-m", "--amend"],
        ["git", "commit", "--allow-empty", "-F", "message"],
        ["sh", "-c", "git commit --allow-empty -m x # --amend"],
        ["git", "ci", "-m", "--amend"],
        ["git", "-c", "alias.x=!git commit --allow-empty -m amend #", "x", "--amend"],
    ],
    ids=" ".join,
)
def test_what_is_none_however_it_is_started(told: Repo, words: list[str]) -> None:
    assert answer(told, words) == "False"
    assert told.git("rev-list", "--count", "HEAD") == "2"


def test_the_nearest_commit_counts(told: Repo) -> None:
    """A commit that an editor of an amend makes is none, and the other way round."""
    inner = "git commit --allow-empty -m x"
    amend = ["git", "commit", "--amend"]
    assert answer(told, amend, {"GIT_EDITOR": f"rm -f told; {inner}; true"}) == "False"
    outer = ["git", "commit", "--allow-empty"]
    inner = "git commit --amend --no-edit"
    assert answer(told, outer, {"GIT_EDITOR": f"rm -f told; {inner}; true"}) == "True"


@pytest.mark.parametrize("words", [["{hook}"], ["sh", "{hook}"], ["env", "{hook}"]])
def test_a_client_that_runs_the_hook_itself(told: Repo, words: list[str]) -> None:
    """git gui and the like: no ancestor is ``git commit``, so nobody knows."""
    hook = str(told.path / ".git" / "hooks" / "pre-commit")
    assert answer(told, [word.format(hook=hook) for word in words]) == "None"


def test_ancestors_that_cannot_be_read(
    told: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of another user, or hidden (``hidepid``): the walk ends there, and nobody knows."""
    readable = {os.getppid()}
    real = ancestry._from_proc  # noqa: SLF001 what reads /proc

    def hidden(pid: int) -> tuple[int, list[str]] | None:
        return real(pid) if pid in readable else None

    monkeypatch.setattr(ancestry, "_from_proc", hidden)
    assert ancestry.is_amend() is None
    assert told.git("rev-list", "--count", "HEAD") == "1"


@pytest.mark.parametrize(
    ("listing", "amends"),
    [
        ({7: (1, "git commit --amend --no-edit")}, True),
        ({7: (6, "sh .git/hooks/pre-commit"), 6: (1, "git commit -q")}, False),
        ({7: (1, "git commit --amend -m say it")}, None),
        ({7: (6, "python x")}, None),
        ({7: (7, "a loop")}, None),
        ({7: (0, "launchd")}, None),
    ],
)
def test_where_only_ps_tells(
    monkeypatch: pytest.MonkeyPatch,
    listing: dict[int, tuple[int, str]],
    amends: bool | None,  # noqa: FBT001 pytest's
) -> None:
    """macOS has no ``/proc``; ``ps`` does not say where a word ends."""

    def from_ps(pid: int) -> tuple[int, list[str]] | None:
        found = listing.get(pid)
        return None if found is None else (found[0], found[1].split())

    monkeypatch.setattr(os, "getppid", lambda: 7)
    monkeypatch.setattr(os.path, "isdir", lambda path: path != "/proc/self")
    monkeypatch.setattr(ancestry, "_from_proc", lambda _: None)
    monkeypatch.setattr(ancestry, "_from_ps", from_ps)
    assert ancestry.is_amend() is amends
