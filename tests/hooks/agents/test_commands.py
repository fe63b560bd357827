"""Slash commands of a project: put in alone, before anything else is set up."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import pytest
import yaml

from gitstate.hooks.agents import adapters, installer, layouts
from gitstate.recall import handoff
from gitstate.workspace import Workspace
from tests.hooks.agents.places import ready
from tests.support import gitstate

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo

AGENTS = [*layouts.COMMANDS, layouts.ANY]


def everything(root: Path) -> set[Path]:
    return {path for path in root.rglob("*") if ".git" not in path.parts}


@pytest.mark.parametrize("agent", AGENTS)
def test_it_needs_no_init_and_leaves_no_trace(repo: Repo, agent: str) -> None:
    root = repo.path
    before, status = everything(root), repo.git("status", "--porcelain")
    exclude = (root / ".git/info/exclude").read_bytes()
    said = gitstate("agent", "install", agent, "--commands", cwd=root).stdout
    (path,) = layouts.of(agent).texts
    assert said == f"wrote {path}\nlisted it in info/exclude\n"
    assert repo.git("status", "--porcelain") == status
    assert (root / path).read_text().count("gitstate handoff") >= 1
    ws = Workspace.open(root)
    assert not ws.initialised
    assert installer.status(ws, agent).well
    again = gitstate("agent", "install", agent, "--commands", cwd=root).stdout
    assert again == f"nothing to do: {agent} is up to date\n"
    gone = gitstate("agent", "uninstall", agent, cwd=root).stdout
    assert gone == f"removed {path}\n"
    assert everything(root) == before
    assert (root / ".git/info/exclude").read_bytes() == exclude


@pytest.mark.parametrize("agent", sorted({*adapters.NAMES} - {*layouts.COMMANDS}))
def test_a_client_without_such_is_told(repo: Repo, agent: str) -> None:
    done = gitstate("agent", "install", agent, "--commands", cwd=repo.path, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"gitstate: {agent} has no slash commands of a project; as a skill: "
        "gitstate agent install agents-md --commands\n"
    )


def test_the_whole_is_put_in_later_and_goes_as_one(repo: Repo) -> None:
    root = repo.path
    gitstate("agent", "install", "claude-code", "--commands", cwd=root)
    done = gitstate("agent", "install", "claude-code", cwd=root, check=False)
    assert done.returncode == 1
    assert "--commands needs it not" in done.stderr
    ready(repo)
    ws = Workspace.open(root)
    gitstate("agent", "install", "claude-code", cwd=root)
    assert (root / ".claude/settings.local.json").exists()
    # and the commands alone once more take nothing away
    gitstate("agent", "install", "claude-code", "--commands", cwd=root)
    assert installer.status(ws, "claude-code").well
    said = gitstate("doctor", cwd=root, check=False).stdout
    assert "claude-code's hooks  up to date" in said
    gitstate("uninstall", cwd=root)
    assert not (root / ".claude").exists()


def test_a_command_of_theirs_with_the_name_stays(repo: Repo) -> None:
    path = repo.path / layouts.COMMANDS["claude-code"]
    path.parent.mkdir(parents=True)
    path.write_text("mine\n")
    repo.git("add", str(path))
    said = gitstate("agent", "install", "claude-code", "--commands", cwd=repo.path)
    assert "is there already, and stays as it is" in said.stderr
    gitstate("agent", "uninstall", "claude-code", cwd=repo.path)
    assert path.read_text() == "mine\n"


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("agent", layouts.COMMANDS)
def test_every_form_can_be_read(agent: str, lang: str) -> None:
    ((path, text),) = layouts.of(agent, lang=lang).texts.items()
    if path.endswith(".toml"):
        found = tomllib.loads(text)
        description, prompt = found["description"], found["prompt"]
    else:
        _, front, prompt = text.split("---\n", 2)
        description = yaml.safe_load(front)["description"]
    assert json.dumps(description)
    assert all(part in prompt for part in handoff.asked_for(lang))
    # clients put arguments and shell output in the place of these
    assert not any(mark in prompt for mark in ("{{", "!{", "@{", "$", "!`"))
