"""README.md says what exists, and its sessions print what it shows."""

from __future__ import annotations

import os
import re
import runpy
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitstate import __version__, cli
from gitstate.settings import KEYS, variable_name
from tests.engines import begun, init
from tests.history.simulated import at
from tests.inside import call
from tests.told import run, told

if TYPE_CHECKING:
    from tests.support import Repo

CHECKOUT = Path(__file__).parents[1]
README = (CHECKOUT / "README.md").read_text("utf-8")


def test_every_setting_that_works_has_its_row() -> None:
    rows = [
        [cell.strip(" `") for cell in line.strip("|").split("|")[:3]]
        for line in README.splitlines()
        if line.startswith("| `")
    ]
    used = runpy.run_path(str(CHECKOUT / "docs" / "make_man.py"))["SETTINGS"]
    expected = []
    for key in used:
        default = KEYS[key][2]
        unset = "the machine's" if key == "timezone" else "none"
        shown = {True: "true", False: "false", None: unset, (): "none"}.get(
            default, str(default)
        )
        expected.append([key, shown, variable_name(key)])
    assert rows == expected


def test_every_verb_it_names_exists() -> None:
    named = set(re.findall(r"(?:`|\$ )git(?:state| state) ([a-z]+)", README))
    assert {"log", "restore", "status", "uninstall"} <= named
    assert named <= cli.VERBS.keys()


def test_its_commands_are_there() -> None:
    assert (
        "\n./install.sh path/to/your/repository\n./install.sh --uninstall\n" in README
    )
    assert os.access(CHECKOUT / "install.sh", os.X_OK)
    assert f"installed: gitstate {__version__} in" in README


def test_ci_runs_its_test_command() -> None:
    """One line of README.md that .ci/run finds, as it looks for it."""
    script = (CHECKOUT / ".ci" / "run").read_text("utf-8")
    assert "sed -n '/^python3 -m venv .*pytest$/p' README.md" in script
    (line,) = re.findall(r"^python3 -m venv .*pytest$", README, re.MULTILINE)
    assert "pip install '.[test]'" in line
    assert os.access(CHECKOUT / ".ci" / "run", os.X_OK)


# --- its sessions ----------------------------------------------------------------

_ID = re.compile(r"\b[0-9a-f]{12}\b")
_DAEMON = "registered the repository with the daemon\n"
_NO_DAEMON = "gitstate: CI is set: the daemon is neither registered nor started\n"


def session(title: str) -> list[tuple[str, str]]:
    """The commands of a section's first session, each with what it prints."""
    _, _, section = README.partition(f"\n## {title}\n")
    block = re.search(r"^```console\n.*?^```$", section, re.MULTILINE | re.DOTALL)
    assert block is not None, title
    return told(block[0])


def require(title: str, repo: Repo) -> None:
    """Run a session and find it as it is shown, but for ids."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    for command, output in session(title):
        said = _ID.sub("…", run(command, repo.path).replace(_NO_DAEMON, ""))
        shown = _ID.sub("…", output.replace(_DAEMON, ""))
        assert (command, said) == (command, shown)


def done(repo: Repo, *words: str) -> None:
    said = call(repo.path, *words)
    assert (said.code, said.err) == (0, ""), (words, said)


def test_writing_state(repo: Repo) -> None:
    repo.commit("src/core/parser.ts", "x\n" * 150)
    init(repo)
    require("Writing state", repo)


def test_one_commit_a_day(repo: Repo) -> None:
    with at("2026-11-27T14:00:00+01:00"):
        begun(repo)
    with at("2026-11-28T09:00:00+01:00"):
        done(repo, "squash")
        steps = [word for step in "abcdefgh" for word in ("--step", step)]
        done(repo, "task", "start", "Fix parseExpr in src/core/parser.ts", *steps)
        for number in range(1, 4):
            done(repo, "task", "begin", str(number))
            done(repo, "task", "done", str(number), f"parseExpr, line {number}")
        done(repo, "decide", "Use pnpm", "--reason", "monorepo hoisting")
        done(repo, "decide", "Use pino", "--reason", "child loggers")
        for number in range(7):
            done(repo, "fact", "set", f"port {number}", f"808{number}")
    with at("2026-11-29T09:12:00+01:00"):
        done(repo, "task", "next", "Count open brackets in parseExpr")
        require("One commit a day", repo)


def test_worktrees(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "1")
    with at("2026-11-29T14:05:00+01:00"):
        assert call(repo.path, "init").err == _NO_DAEMON
    with at("2026-11-29T14:20:00+01:00"):
        done(repo, "rule", "add", "Never edit legacy/")
    with at("2026-11-29T14:30:00+01:00"):
        require("Worktrees", repo)
    ours = repo.git("rev-parse", "agent-state")
    side = repo.path.parent / "shop-fix"
    said = call(side, "restore", ours[:12])
    assert said.out.splitlines()[0] == "restored v2 of agent-state as v2"
    assert (
        "Never edit legacy/" in call(side, "show", "HEAD:01-coding-conventions.md").out
    )
    repo.git("worktree", "remove", "--force", str(side))
    repo.git("worktree", "add", "-q", "-b", "other", str(side))
    said = call(repo.path, "init", str(side))
    assert "made v3 on the branch agent-state.shop-fix" in said.out


def test_agents(repo: Repo) -> None:
    init(repo)
    require("Agents", repo)
