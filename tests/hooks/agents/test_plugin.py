"""Claude Code's plugin: written, taken away, and silent beside the same hooks in settings."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitstate import __version__
from gitstate.commands.doctor_agents import look
from gitstate.errors import Refused
from gitstate.hooks.agents import beside, installer, plugin, spool
from gitstate.workspace import Workspace
from tests.hooks.agents.places import Client, ready, recorded
from tests.support import gitstate

if TYPE_CHECKING:
    from tests.support import Repo

AGENT = "claude-code"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "a folder" / "plugin"
    plugin.write(path, "en")
    return path


@pytest.fixture
def client(
    repo: Repo,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Client:
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(repo.path))
    monkeypatch.setenv(beside.ROOT, str(folder))
    found = Client(ready(repo), capsys, monkeypatch)
    found.words = (beside.PLUGIN,)
    return found


def commands(folder: Path) -> dict[str, list[str]]:
    hooks = json.loads((folder / "hooks" / "hooks.json").read_text())["hooks"]
    return {
        event: [hook["command"] for group in groups for hook in group["hooks"]]
        for event, groups in hooks.items()
    }


def test_it_is_written_once_and_taken_away(folder: Path) -> None:
    manifest = json.loads((folder / ".claude-plugin" / "plugin.json").read_text())
    assert (manifest["name"], manifest["version"]) == ("gitstate", __version__)
    assert "Hand over the task" in (folder / "commands" / "handoff.md").read_text()
    assert "name: gitstate\n" in (folder / "skills/gitstate/SKILL.md").read_text()
    assert plugin.write(folder, "en") == []
    assert plugin.write(folder, "zh") == [
        "commands/handoff.md",
        "commands/brief.md",
        "skills/gitstate/SKILL.md",
    ]
    assert plugin.is_current(folder)
    assert plugin.remove(folder)
    assert not folder.exists()
    assert folder.parent.exists()
    assert not plugin.remove(folder)


def test_what_others_have_in_it_stays(folder: Path) -> None:
    (folder / "commands" / "mine.md").write_text("mine\n")
    assert plugin.remove(folder)
    assert [path.name for path in folder.rglob("*")] == ["commands", "mine.md"]
    with pytest.raises(Refused, match="is not empty, and no plugin of gitstate"):
        plugin.write(folder, "en")
    with pytest.raises(Refused, match="is not empty"):
        plugin.remove(folder)


def test_every_command_says_that_it_is_the_plugins(folder: Path) -> None:
    found = commands(folder)
    assert {"SessionStart", "PreCompact", "PostToolUse", "Stop"} <= set(found)
    for each in found.values():
        for command in each:
            words = shlex.split(command)
            assert words[-3:] == [beside.PLUGIN, "||", ":"]


def test_the_verb_prints_where_it_is(tmp_path: Path) -> None:
    # outside of any repository
    where = gitstate("agent", "plugin", cwd=tmp_path).stdout.rstrip("\n")
    assert plugin.is_current(Path(where))
    assert Path(where).is_relative_to(os.environ["XDG_STATE_HOME"])
    assert gitstate("agent", "plugin", cwd=tmp_path).stdout == f"{where}\n"
    said = gitstate("agent", "plugin", "--remove", cwd=tmp_path).stdout
    assert said == f"removed {where}\n"
    said = gitstate("agent", "plugin", "--remove", cwd=tmp_path).stdout
    assert said == "nothing to remove\n"
    gitstate("agent", "plugin", "here", cwd=tmp_path)
    assert plugin.is_current(tmp_path / "here")


def test_it_speaks_where_no_settings_do(client: Client) -> None:
    assert "Never call npm" in client.context("SessionStart", "SessionStart-startup")
    (row,) = json.loads(
        gitstate("agent", "status", AGENT, "--json", cwd=client.repo.path).stdout
    )
    assert (row["installed"], row["plugin"]) == (False, os.environ[beside.ROOT])
    assert row["sessions"][0]["injected"] == 1


@pytest.mark.parametrize("where", ["settings.local.json", "settings.json", "home"])
def test_it_is_silent_beside_the_same_hooks_in_settings(
    client: Client, home: Path, where: str
) -> None:
    root = client.repo.path
    installer.install(Workspace.open(root), AGENT)
    settings = root / ".claude" / "settings.local.json"
    if where != "settings.local.json":
        target = (home if where == "home" else root) / ".claude" / "settings.json"
        target.parent.mkdir(exist_ok=True)
        settings.rename(target)
    assert client.tell("SessionStart", "SessionStart-startup") == ""
    assert client.tell("Stop") == ""
    assert not (root / ".git/gitstate/agents/sessions").exists()
    assert beside.seen(client.place) == ""
    client.words = ()
    assert "Never call npm" in client.context("SessionStart", "SessionStart-startup")


def test_one_use_of_a_tool_is_logged_once(client: Client, folder: Path) -> None:
    root = client.repo.path
    wire = recorded(AGENT, "PostToolUse-Read", client.repo)
    (command,) = (one for one in commands(folder)["PostToolUse"] if "tool.sh" in one)

    def fire(line: str) -> int:
        subprocess.run(
            ["sh", "-c", line], input=json.dumps(wire), text=True, check=True, cwd=root
        )
        return len(list(Path(spool.folder(client.place)).iterdir()))

    assert fire(command) == 1
    settings = root / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"command": "python3 /x/hooks/agents/hook.py start"}')
    assert not beside.stands_aside(client.place, str(root))  # that is somebody else's
    assert fire(command) == 2
    installer.install(Workspace.open(root), AGENT)
    assert beside.stands_aside(client.place, str(root))
    assert fire(command) == 2
    own = command.replace(f" {beside.PLUGIN} ", " ")
    assert own != command
    assert fire(own) == 3


def test_doctor_tells_of_a_plugin_of_an_older_version(
    client: Client, folder: Path
) -> None:
    client.tell("SessionStart", "SessionStart-startup")

    def doctor() -> list[tuple[str, bool, str]]:
        checks = look(Workspace.open(client.repo.path))
        return [
            (one.name, one.ok, one.text)
            for one in checks
            if one.name == "claude-code's plugin"
        ]

    assert doctor() == [("claude-code's plugin", True, f"{folder}: up to date")]
    hooks = folder / "hooks" / "hooks.json"
    hooks.write_text(hooks.read_text().replace("/bin/python", "/gone/python"))
    ((_, ok, text),) = doctor()
    assert (ok, text) == (False, f"{folder}: of another version or place of gitstate")
    plugin.write(folder, "en")
    assert [ok for _, ok, _ in doctor()] == [True]
    plugin.remove(folder)
    assert doctor() == []
