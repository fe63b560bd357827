"""Any other agent: a block in AGENTS.md and a skill, in and exactly out again."""

from __future__ import annotations

import importlib
import os
import re
from typing import TYPE_CHECKING

import click
import pytest
import yaml

from gitstate import cli
from gitstate.errors import GitstateError, Refused
from gitstate.hooks.agents import installer, layouts
from gitstate.recall import handoff, instructions, words
from gitstate.workspace import Workspace
from tests.hooks.agents.places import ready
from tests.support import gitstate

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo

NAME = layouts.ANY
SKILL = ".agents/skills/gitstate/SKILL.md"
BOM = b"\xef\xbb\xbf"
THEIRS = [
    b"",
    b"# Rules\n\nUse pnpm.\n",
    b"# Rules\n\nUse pnpm.",
    b"# Rules\r\n\r\nUse pnpm.\r\n",
    b"# Rules\r\n\r\nUse pnpm.",
    BOM + b"# Rules\n",
    BOM,
    b"\n\n",
    b"one\rtwo\r",
    "使用 pnpm。".encode(),
    b"```\n<!-- an open fence and an open comment\n",
]


@pytest.fixture
def ws(repo: Repo) -> Workspace:
    return Workspace.open(ready(repo).path)


def agents_md(ws: Workspace) -> Path:
    return ws.root / layouts.AGENTS_MD


@pytest.mark.parametrize("theirs", THEIRS)
def test_every_byte_of_theirs_stays_and_ours_goes(ws: Workspace, theirs: bytes) -> None:
    path = agents_md(ws)
    path.write_bytes(theirs)
    path.chmod(0o640)
    installer.install(ws, NAME)
    both = path.read_bytes()
    assert both.startswith(theirs)
    assert path.stat().st_mode & 0o777 == 0o640
    if b"\r\n" in theirs:
        assert both.count(b"\n") == both.count(b"\r\n")
    text = both.decode().replace("\r\n", "\n")
    assert all(rule in text for rule in words.protocol("en", ".agent-state"))
    assert installer.status(ws, NAME).well
    assert installer.install(ws, NAME) == []
    assert path.read_bytes() == both
    installer.uninstall(ws, NAME)
    assert path.read_bytes() == theirs
    assert not (ws.root / ".agents").exists()


@pytest.mark.parametrize("theirs", THEIRS)
def test_what_they_wrote_around_it_stays(ws: Workspace, theirs: bytes) -> None:
    path = agents_md(ws)
    path.write_bytes(theirs)
    installer.install(ws, NAME)
    both = path.read_bytes()
    # a line more before it all, another below: a last line without an end now has one
    eol = b"\r\n" if b"\r\n" in theirs else b"\n"
    head = b"" if theirs.startswith(BOM) else b"Before." + eol
    path.write_bytes(head + both + b"After." + eol)
    assert installer.status(ws, NAME).well
    assert installer.install(ws, NAME) == []
    installer.uninstall(ws, NAME)
    ended = theirs in {b"", BOM} or theirs.endswith(b"\n")
    assert path.read_bytes() == (
        head + theirs + (b"" if ended else eol) + b"After." + eol
    )


def test_a_line_before_a_block_after_no_line_end_leaves_none(ws: Workspace) -> None:
    path = agents_md(ws)
    path.write_bytes(b"Use pnpm.")
    installer.install(ws, NAME)
    path.write_bytes(b"Before.\n" + path.read_bytes())
    installer.uninstall(ws, NAME)
    assert path.read_bytes() == b"Before.\nUse pnpm."


def test_a_file_of_ours_that_they_wrote_in_stays_with_that(
    repo: Repo, ws: Workspace
) -> None:
    installer.install(ws, NAME)
    assert "AGENTS.md" not in repo.git("status", "--porcelain")
    agents_md(ws).write_bytes(agents_md(ws).read_bytes() + b"Use pnpm.\n")
    installer.uninstall(ws, NAME)
    assert agents_md(ws).read_bytes() == b"Use pnpm.\n"
    assert "?? AGENTS.md" in repo.git("status", "--porcelain")


def test_what_they_wrote_in_a_file_of_ours_is_shown_to_git_again(
    repo: Repo, ws: Workspace
) -> None:
    installer.install(ws, NAME)
    agents_md(ws).write_bytes(agents_md(ws).read_bytes() + b"Use pnpm.\n")
    assert "AGENTS.md" not in repo.git("status", "--porcelain")
    said = gitstate("doctor", cwd=ws.root, check=False).stdout
    assert re.search(r"hint +AGENTS.md +others wrote in it, and git does not", said)
    lines = installer.install(ws, NAME)
    assert lines == ["git sees again what others wrote in"]
    assert "?? AGENTS.md" in repo.git("status", "--porcelain")
    assert installer.install(ws, NAME) == []
    assert "hint" not in gitstate("doctor", cwd=ws.root, check=False).stdout
    installer.uninstall(ws, NAME)
    assert agents_md(ws).read_bytes() == b"Use pnpm.\n"


def test_their_own_file_is_not_hidden_from_git(repo: Repo, ws: Workspace) -> None:
    agents_md(ws).write_text("Use pnpm.\n")
    before = repo.git("status", "--porcelain")
    assert "?? AGENTS.md" in before
    installer.install(ws, NAME)
    installer.install(ws, NAME)
    assert repo.git("status", "--porcelain") == before


def test_a_tracked_file_is_written_and_that_is_said(repo: Repo, ws: Workspace) -> None:
    repo.commit("AGENTS.md", "Use pnpm.\n")
    said = gitstate("agent", "install", NAME, cwd=repo.path)
    assert said.stdout == (
        f"changed AGENTS.md\nwrote {SKILL}\nlisted it in info/exclude\n"
    )
    assert said.stderr == (
        "gitstate: AGENTS.md is tracked by git: its change is yours to commit\n"
    )
    repo.git("commit", "-qam", "with the block")
    gitstate("agent", "uninstall", NAME, cwd=repo.path)
    assert agents_md(ws).read_text() == "Use pnpm.\n"


def test_a_newer_text_takes_the_older_ones_place(ws: Workspace) -> None:
    agents_md(ws).write_bytes(b"Above.\n")
    installer.install(ws, NAME)
    path = agents_md(ws)
    old = path.read_bytes().replace(b"gitstate brief", b"gitstate old-verb")
    path.write_bytes(old + b"Below.\n")
    assert installer.status(ws, NAME).old == ("AGENTS.md",)
    installer.install(ws, NAME)
    now = path.read_bytes()
    assert now.startswith(b"Above.\n<!-- >>> gitstate")
    assert now.endswith(b"<!-- <<< gitstate <<< -->\nBelow.\n")
    assert b"gitstate brief" in now
    assert b"old-verb" not in now
    installer.uninstall(ws, NAME)
    assert path.read_bytes() == b"Above.\nBelow.\n"


def test_the_language_is_the_settings(repo: Repo) -> None:
    ready(repo)
    repo.git("config", "gitstate.lang", "zh")
    ws = Workspace.open(repo.path)
    installer.install(ws, NAME)
    text = agents_md(ws).read_text()
    assert "## 工作状态" in text
    assert all(rule in text for rule in words.protocol("zh", ".agent-state"))
    assert "按编号顺序" in (ws.root / SKILL).read_text()
    repo.git("config", "gitstate.lang", "en")
    ws = Workspace.open(repo.path)
    assert not installer.status(ws, NAME).well
    installer.install(ws, NAME)
    assert "## Working state" in agents_md(ws).read_text()
    installer.uninstall(ws, NAME)
    assert not agents_md(ws).exists()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\xff\xfe#\0", "is not UTF-8"),
        (b"#\0", "is no text"),
        (b"<!-- >>> gitstate >>> x -->\nlost\n", "have no end"),
    ],
)
def test_what_cannot_be_written_in_stays(ws: Workspace, data: bytes, said: str) -> None:
    agents_md(ws).write_bytes(data)
    with pytest.raises(Refused, match=said):
        installer.install(ws, NAME)
    assert agents_md(ws).read_bytes() == data
    assert not (ws.root / ".agents").exists()
    installer.uninstall(ws, NAME)
    assert agents_md(ws).read_bytes() == data


def test_a_whole_block_behind_half_a_one_is_cut_out(ws: Workspace) -> None:
    installer.install(ws, NAME)
    path = agents_md(ws)
    half = b"<!-- >>> gitstate >>> x -->\nlost\n"
    path.write_bytes(half + path.read_bytes() + b"<!-- <<< gitstate <<< -->\nmine\n")
    installer.uninstall(ws, NAME)
    assert path.read_bytes() == half + b"<!-- <<< gitstate <<< -->\nmine\n"


def test_a_link_a_folder_and_no_permission_are_one_line_each(
    ws: Workspace, tmp_path: Path
) -> None:
    path = agents_md(ws)
    (tmp_path / "real.md").write_text("Use pnpm.\n")
    for kind in ("link", "folder", "pipe"):
        if kind == "link":
            path.symlink_to(tmp_path / "real.md")
        elif kind == "folder":
            path.mkdir()
        else:
            os.mkfifo(path)
        done = gitstate("agent", "install", NAME, cwd=ws.root, check=False)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
        assert "AGENTS.md is " in done.stderr
        if kind == "folder":
            path.rmdir()
        else:
            path.unlink()
    assert (tmp_path / "real.md").read_text() == "Use pnpm.\n"
    if os.geteuid() != 0:
        path.write_text("x")
        path.chmod(0)
        with pytest.raises(GitstateError):
            installer.install(ws, NAME)


def test_a_skill_of_theirs_is_not_touched(ws: Workspace) -> None:
    theirs = ws.root / SKILL
    theirs.parent.mkdir(parents=True)
    theirs.write_text("mine\n")
    said = gitstate("agent", "install", NAME, cwd=ws.root)
    assert f"{SKILL} is there already, and stays as it is" in said.stderr
    assert theirs.read_text() == "mine\n"
    assert installer.status(ws, NAME).well
    gitstate("agent", "uninstall", NAME, cwd=ws.root)
    assert theirs.read_text() == "mine\n"


def test_a_skill_that_they_edited_is_left(ws: Workspace) -> None:
    installer.install(ws, NAME)
    skill = ws.root / SKILL
    skill.write_text(skill.read_text() + "More of mine.\n")
    lines = installer.uninstall(ws, NAME)
    assert f"{SKILL} was edited since, and stays" in lines
    assert skill.read_text().endswith("More of mine.\n")
    assert not agents_md(ws).exists()


def test_dry_run_status_and_uninstalling_it_all(ws: Workspace) -> None:
    shown = gitstate("agent", "install", NAME, "--dry-run", cwd=ws.root).stdout
    assert "+++ b/AGENTS.md" in shown
    assert f"+++ b/{SKILL}" in shown
    assert not agents_md(ws).exists()
    done = gitstate("agent", "status", NAME, cwd=ws.root, check=False)
    assert (done.returncode, done.stdout) == (1, "agents-md: not installed\n")
    gitstate("agent", "install", NAME, cwd=ws.root)
    assert gitstate("agent", "status", cwd=ws.root).stdout == "agents-md: installed\n"
    said = gitstate("doctor", cwd=ws.root, check=False).stdout
    assert re.search(r"ok +agents-md's text +up to date", said)
    gitstate("uninstall", cwd=ws.root)
    assert not agents_md(ws).exists()
    assert not (ws.root / ".agents").exists()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_skill_is_in_the_portable_layout(lang: str) -> None:
    text = instructions.skill(lang, ".agent-state")
    _, front, body = text.split("---\n", 2)
    found = yaml.safe_load(front)
    assert found["name"] == SKILL.split("/")[-2]
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", found["name"])
    assert 1 <= len(found["description"]) <= 1024
    assert body.count("\n") < 100
    assert all(rule in body for rule in words.protocol(lang, ".agent-state"))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_verb_that_is_named_exists(lang: str) -> None:
    text = instructions.skill(lang, "d") + instructions.block(lang, "d")
    text += instructions.prompt(lang, "handoff") + instructions.prompt(lang, "brief")
    named = set(re.findall(r"`gitstate\s+([a-z]+)(?:\s+([a-z]+))?", text))
    assert {("brief", ""), ("handoff", ""), ("task", "fail")} <= named
    for verb, below in named:
        command = importlib.import_module(cli.VERBS[verb].module).command
        if isinstance(command, click.Group):
            assert below in command.commands


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_handoff_is_asked_for_in_the_words_of_the_verb(lang: str) -> None:
    text = instructions.prompt(lang, "handoff")
    assert all(part in text for part in handoff.asked_for(lang))
    assert f"{handoff.MOST_CHARS:,}" in text
    assert ".agent-state/long_mem/handoff.md" in text
