"""Into settings and out again: merged, shown, excluded, and exactly taken out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gitstate.errors import Refused
from gitstate.hooks.agents import installer, layouts
from gitstate.workspace import Workspace
from tests.hooks.agents.places import ready
from tests.support import Repo, gitstate

if TYPE_CHECKING:
    from pathlib import Path

AGENTS = list(layouts.NAMES)
# those whose settings are a file that people write in too
MERGED = [name for name in AGENTS if layouts.of(name).entries]
THEIRS = b'// mine\n{\n  "a": [1, 2],\n  "hooks": {"Stop": [{"x": 1}]} /* b */\n}\n'


@pytest.fixture
def ws(repo: Repo) -> Workspace:
    return Workspace.open(ready(repo).path)


def main_file(agent: str) -> str:
    return layouts.of(agent).paths[0]


def test_every_agent_is_known() -> None:
    from gitstate.hooks.agents import adapters  # noqa: PLC0415 two tables

    assert [*adapters.NAMES, layouts.ANY] == AGENTS


@pytest.mark.parametrize("agent", AGENTS)
def test_it_leaves_no_trace(ws: Workspace, agent: str) -> None:
    before = {path for path in ws.root.rglob("*") if ".git" not in path.parts}
    exclude = (ws.common_dir / "info" / "exclude").read_bytes()
    assert installer.install(ws, agent)
    assert installer.status(ws, agent).well
    assert installer.installed(ws) == [agent]
    status = ws.root.joinpath(main_file(agent))
    assert status.exists()
    assert installer.install(ws, agent) == []
    installer.uninstall(ws, agent)
    after = {path for path in ws.root.rglob("*") if ".git" not in path.parts}
    assert after == before
    assert (ws.common_dir / "info" / "exclude").read_bytes() == exclude
    assert installer.installed(ws) == []


@pytest.mark.parametrize("agent", AGENTS)
def test_git_shows_nothing_of_it(repo: Repo, ws: Workspace, agent: str) -> None:
    before = repo.git("status", "--porcelain")
    installer.install(ws, agent)
    assert repo.git("status", "--porcelain") == before


@pytest.mark.parametrize("agent", MERGED)
def test_settings_are_merged_and_byte_identical_afterwards(
    ws: Workspace, agent: str
) -> None:
    path = ws.root / main_file(agent)
    path.parent.mkdir(parents=True)
    path.write_bytes(THEIRS)
    path.chmod(0o640)
    plan = installer.plan_install(ws, agent)
    assert path.read_bytes() == THEIRS
    assert not any(line.startswith("-//") for line in plan.diff())
    installer.install(ws, agent)
    assert path.read_bytes().startswith(b"// mine\n")
    assert path.stat().st_mode & 0o777 == 0o640
    installer.uninstall(ws, agent)
    assert path.read_bytes() == THEIRS


@pytest.mark.parametrize("agent", MERGED)
def test_what_was_edited_since_stays_and_ours_goes(ws: Workspace, agent: str) -> None:
    installer.install(ws, agent)
    path = ws.root / main_file(agent)
    settings = json.loads(path.read_text())
    settings["theirs"] = {"later": True}
    path.write_text(json.dumps(settings))
    installer.uninstall(ws, agent)
    assert json.loads(path.read_text()) == {"theirs": {"later": True}}


def test_what_the_client_wrote_into_a_file_of_ours_goes_with_it(ws: Workspace) -> None:
    installer.install(ws, "qwen-code")
    path = ws.root / ".qwen" / "settings.json"
    whole = {"$version": 4, **json.loads(path.read_text())}
    path.write_text(json.dumps(whole, indent=4))
    assert installer.status(ws, "qwen-code").well
    installer.uninstall(ws, "qwen-code")
    assert not path.parent.exists()
    installer.install(ws, "qwen-code")
    path.write_text(
        json.dumps({"$version": 4, "model": {}, **json.loads(path.read_text())})
    )
    installer.uninstall(ws, "qwen-code")
    assert json.loads(path.read_text()) == {"$version": 4, "model": {}}


def test_how_much_codex_lets_through_is_the_users(ws: Workspace) -> None:
    installer.install(ws, "codex")
    path = ws.root / ".codex" / "hooks.json"
    whole = json.loads(path.read_text())
    for group in whole["hooks"]["SessionStart"]:
        group["hooks"][0]["additionalContextLimit"] = 9_000
    path.write_text(json.dumps(whole))
    assert installer.status(ws, "codex").well
    assert installer.install(ws, "codex") == []
    assert json.loads(path.read_text()) == whole


def put_in(ws: Workspace, agent: str, event: str) -> tuple[Path, dict[str, Any], Any]:
    """An agent's settings file with our hooks, what it says, and the groups of an event."""
    installer.install(ws, agent)
    path = ws.root / main_file(agent)
    whole = json.loads(path.read_text())
    return path, whole, whole["hooks"][event]


def test_what_the_user_set_outlives_an_upgrade_and_all_stand_where_they_stood(
    ws: Workspace,
) -> None:
    path, whole, groups = put_in(ws, "codex", "PostToolUse")
    for at, group in enumerate(groups):
        group["hooks"][0]["additionalContextLimit"] = 9_000 + at
    theirs = {"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]}
    groups.append(theirs)
    expected = json.dumps(whole)
    path.write_text(expected.replace("/bin/python", "/gone/python"))
    assert not installer.status(ws, "codex").well
    installer.install(ws, "codex")
    assert json.loads(path.read_text()) == whole
    # the number of ours is another one: they are put in anew
    whole["hooks"]["PostToolUse"] = [groups[1], theirs]
    path.write_text(json.dumps(whole))
    installer.install(ws, "codex")
    now = json.loads(path.read_text())["hooks"]["PostToolUse"]
    del groups[0]["hooks"][0]["additionalContextLimit"]  # it was gone
    assert now == [theirs, groups[0], groups[1]]
    installer.uninstall(ws, "codex")
    assert json.loads(path.read_text()) == {"hooks": {"PostToolUse": [theirs]}}


@pytest.mark.parametrize("agent", MERGED)
def test_a_hook_of_theirs_in_a_group_of_ours_stays(ws: Workspace, agent: str) -> None:
    mine = {"type": "command", "command": "python3 .claude/hooks/agents/hook.py start"}
    path, whole, groups = put_in(ws, agent, "SessionStart")
    groups[0]["hooks"].insert(0, mine)
    path.write_text(json.dumps(whole, indent=2))
    assert installer.status(ws, agent).well
    assert installer.install(ws, agent) == []
    path.write_text(path.read_text().replace("/bin/python", "/gone/python"))
    installer.install(ws, agent)
    assert json.loads(path.read_text()) == whole
    installer.uninstall(ws, agent)
    assert json.loads(path.read_text()) == {
        "hooks": {"SessionStart": [{"hooks": [mine]}]}
    }
    installer.uninstall(ws, agent)
    assert json.loads(path.read_text())["hooks"]["SessionStart"][0]["hooks"] == [mine]


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":1,"hooks":{"Stop":[]}}',
        b'{"hooks": {"Stop": [{"x": 0}]}, "hooks": {"Stop": [1], "Stop": [{"x": 2}]}}',
        b"\xef\xbb\xbf{\r\n}\r\n",
        b"",
        b" \n\n",
        b'{"hooks": {"PostToolUse": [{"hooks": 5}, {"matcher": 5, "hooks": [[1]]}, 7]}}',
    ],
)
def test_odd_settings_are_up_to_date_at_once_and_the_same_again(
    ws: Workspace, data: bytes
) -> None:
    path = ws.root / main_file("claude-code")
    path.parent.mkdir()
    path.write_bytes(data)
    path.chmod(0o400)
    installer.install(ws, "claude-code")
    assert installer.status(ws, "claude-code").well
    assert installer.install(ws, "claude-code") == []
    assert path.stat().st_mode & 0o777 == 0o400
    installer.uninstall(ws, "claude-code")
    assert path.read_bytes() == data


def test_what_cannot_be_read_any_more_keeps_nothing_else_in(
    repo: Repo, ws: Workspace, tmp_path: Path
) -> None:
    path, *_ = put_in(ws, "gemini-cli", "SessionStart")
    moved = tmp_path / "settings.json"
    path.rename(moved)
    path.symlink_to(moved)
    said = gitstate("agent", "uninstall", "gemini-cli", cwd=repo.path)
    assert "removed .gemini/gitstate.ignore\n" in said.stdout
    assert "settings.json is a link" in said.stdout
    path.unlink()
    moved.rename(path)
    installer.uninstall(ws, "gemini-cli")
    assert not path.parent.exists()
    assert installer.installed(ws) == []


@pytest.mark.parametrize(
    "damage",
    ["{", '{"files": 5, "folders": {}, "excluded": [1]}', '{"files": {"PATH": {"before": "x", "after": 5}}}'],
)  # fmt: skip
def test_a_damaged_record_stops_nothing(ws: Workspace, damage: str) -> None:
    path, *_ = put_in(ws, "claude-code", "Stop")
    record = ws.runtime / "agents" / "installed-claude-code.json"
    record.write_text(damage.replace("PATH", main_file("claude-code")))
    assert installer.status(ws, "claude-code").well
    installer.install(ws, "claude-code")
    installer.uninstall(ws, "claude-code")
    assert json.loads(path.read_text()) == {}


def test_git_sees_nothing_of_it_in_another_worktree_either(
    repo: Repo, ws: Workspace, tmp_path: Path
) -> None:
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = ready(Repo(tmp_path / "linked"))
    other = Workspace.open(linked.path)
    before = linked.git("status", "--porcelain")
    for each in (ws, other):
        installer.install(each, "claude-code")
    installer.uninstall(ws, "claude-code")
    assert linked.git("status", "--porcelain") == before
    installer.uninstall(other, "claude-code")
    assert b".claude" not in (ws.common_dir / "info" / "exclude").read_bytes()


def test_hooks_of_an_older_version_are_found_and_replaced(ws: Workspace) -> None:
    installer.install(ws, "claude-code")
    path = ws.root / main_file("claude-code")
    path.write_text(path.read_text().replace("/bin/python", "/gone/python"))
    found = installer.status(ws, "claude-code")
    assert (found.installed, found.well, found.old) == (
        True,
        False,
        (main_file("claude-code"),),
    )
    said = gitstate("doctor", cwd=ws.root, check=False).stdout
    assert "of another version or place of gitstate" in said
    installer.install(ws, "claude-code")
    assert installer.status(ws, "claude-code").well
    installer.uninstall(ws, "claude-code")
    assert not path.exists()


def test_doctor_tells_of_hooks_that_codex_skips(ws: Workspace, home: Path) -> None:
    installer.install(ws, "codex")
    assert "skips such silently" in gitstate("doctor", cwd=ws.root, check=False).stdout
    (home / ".codex").mkdir()
    trusted = (
        f'[hooks.state."{ws.root}/.codex/hooks.json:Stop:0:0"]\ntrusted_hash = "x"\n'
    )
    (home / ".codex" / "config.toml").write_text(trusted)
    assert "skips such" not in gitstate("doctor", cwd=ws.root, check=False).stdout


@pytest.mark.parametrize(
    "data", [b"{", b"[]", b"\xff", b'{"hooks": 5}', b'{"hooks": {"Stop": {}}}']
)
def test_settings_that_cannot_be_merged_stay_as_they_are(
    ws: Workspace, data: bytes
) -> None:
    path = ws.root / main_file("claude-code")
    path.parent.mkdir()
    path.write_bytes(data)
    with pytest.raises(Refused, match="nothing was changed"):
        installer.install(ws, "claude-code")
    assert path.read_bytes() == data


def test_a_link_and_a_tracked_file_are_refused(
    repo: Repo, ws: Workspace, tmp_path: Path
) -> None:
    path = ws.root / main_file("claude-code")
    path.parent.mkdir()
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused, match="is a link"):
        installer.install(ws, "claude-code")
    path.unlink()
    path.write_text("{}")
    repo.git("add", "-f", str(path))
    with pytest.raises(Refused, match="is tracked by git"):
        installer.install(ws, "claude-code")
    installer.install(ws, "claude-code", tracked=True)
    assert installer.status(ws, "claude-code").well


def test_uninstalling_gitstate_takes_them_out_too(ws: Workspace) -> None:
    installer.install(ws, "gemini-cli")
    gitstate("uninstall", cwd=ws.root)
    assert not (ws.root / ".gemini").exists()


def test_the_verb(ws: Workspace) -> None:
    shown = gitstate("agent", "install", "claude-code", "--dry-run", cwd=ws.root).stdout
    assert "+++ b/.claude/settings.local.json" in shown
    assert not (ws.root / ".claude").exists()
    assert (
        gitstate("agent", "status", "claude-code", cwd=ws.root, check=False).returncode
        == 1
    )
    said = gitstate("agent", "install", "claude-code", cwd=ws.root).stdout
    assert said == (
        "wrote .claude/settings.local.json\n"
        "wrote .claude/commands/gitstate/handoff.md\n"
        "listed them in info/exclude\n"
    )
    assert gitstate("agent", "status", cwd=ws.root).stdout == "claude-code: installed\n"
    gone = gitstate(
        "agent", "uninstall", "claude-code", "--dry-run", cwd=ws.root
    ).stdout
    assert "+++ /dev/null" in gone
    assert gitstate("agent", "uninstall", "claude-code", cwd=ws.root).stdout == (
        "removed .claude/settings.local.json\n"
        "removed .claude/commands/gitstate/handoff.md\n"
    )
