"""``gitstate agent``: the lifecycle hooks of coding agents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gitstate import output, settings
from gitstate.commands.common import CONTEXT, open_workspace
from gitstate.commands.family import Family
from gitstate.errors import (
    EXIT_DONE,
    EXIT_REFUSED,
    NotARepository,
    NotInitialised,
    printable,
)
from gitstate.hooks.agents import layouts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.hooks.agents.plans import Plan
    from gitstate.hooks.agents.sessions import Receipt, Session
    from gitstate.workspace import Workspace

NAME = click.Choice(list(layouts.NAMES))
_SHOWN = 3  # sessions of an agent


@click.group("agent", cls=Family, context_settings=CONTEXT)
def command() -> None:
    """The lifecycle hooks of a coding agent: it is briefed, and what it does is logged.

    They go into the project's own untracked settings of that agent, beside whatever is
    there, and are taken out exactly. The agent need not be installed yet. For any agent
    without hooks of its own there is agents-md: the rules by which the state is kept, as
    a marked block in AGENTS.md and as a skill in .agents/skills/gitstate.

    \b
    Examples:
      gitstate agent install claude-code --dry-run
      gitstate agent install claude-code
      gitstate agent install agents-md      any other agent: AGENTS.md and a skill
      gitstate agent status                 what was said, and did it arrive
      gitstate agent uninstall claude-code
    """


@command.command("install")
@click.argument("name", type=NAME)
@click.option("--dry-run", is_flag=True, help="Only show what would change, as a diff.")
@click.option(
    "--tracked", is_flag=True, help="Also into a settings file that git tracks."
)
@click.option(
    "--commands",
    is_flag=True,
    help="Only the slash command (agents-md: the skill); works before `gitstate init`.",
)
def install_command(name: str, *, dry_run: bool, tracked: bool, commands: bool) -> int:
    """Put the hooks (agents-md: the rules) into the agent's files, or update them."""
    return install(name, dry_run=dry_run, tracked=tracked, commands=commands)


def install(
    name: str, *, dry_run: bool = False, tracked: bool = False, commands: bool = False
) -> int:
    """Exit 0; raises ``Refused`` where a settings file cannot be edited."""
    from gitstate.hooks.agents import installer  # noqa: PLC0415 only for this verb

    ws = open_workspace()
    plan = installer.plan_install(ws, name, tracked=tracked, commands=commands)
    if dry_run:
        _show(plan)
        return EXIT_DONE
    if not ws.initialised and not commands:
        raise NotInitialised(
            f"gitstate is not set up in {printable(ws.root)}; run `gitstate init` "
            "(--commands needs it not)"
        )
    lines = installer.install(ws, name, tracked=tracked, commands=commands)
    output.say(*(lines or [f"nothing to do: {name} is up to date"]))
    for line in plan.says:
        output.complain(line)
    return EXIT_DONE


@command.command("uninstall")
@click.argument("name", type=NAME)
@click.option("--dry-run", is_flag=True, help="Only show what would change, as a diff.")
def uninstall_command(name: str, *, dry_run: bool) -> int:
    """Take them out; the agent's files are as they were before."""
    return uninstall(name, dry_run=dry_run)


def uninstall(name: str, *, dry_run: bool = False) -> int:
    """Exit 0, also when there is nothing of ours."""
    from gitstate.hooks.agents import installer  # noqa: PLC0415 only for this verb

    ws = open_workspace()
    if dry_run:
        _show(installer.plan_uninstall(ws, name))
        return EXIT_DONE
    output.say(*(installer.uninstall(ws, name) or ["nothing to take out"]))
    return EXIT_DONE


def _show(plan: Plan) -> None:
    output.say(*(plan.diff() or ["nothing to do"]))
    for line in plan.excluded:
        output.say(f"# info/exclude: {printable(line.rstrip())}")
    for line in plan.shown:
        output.say(f"# info/exclude, no longer: {printable(line.rstrip())}")
    for said in plan.says:
        output.say(f"# {said}")


@command.command("plugin")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
@click.option("--remove", is_flag=True, help="Take it away again.")
def plugin_command(folder: Path | None, *, remove: bool) -> int:
    """Write Claude Code's plugin into FOLDER, or bring it up to date; prints where it is.

    Hooks, the commands /gitstate:handoff and /gitstate:brief, and the skill, for every
    repository: they are silent where gitstate is not set up, and where the project's
    settings have the hooks already. Without FOLDER it is in $XDG_STATE_HOME/gitstate.

    \b
    Examples:
      claude --plugin-dir "$(gitstate agent plugin)"      for one session
      claude plugin marketplace add "$(gitstate agent plugin)"
      claude plugin install gitstate@gitstate             for good
    """
    return plugin(folder, remove=remove)


def plugin(folder: Path | None, *, remove: bool = False) -> int:
    """Exit 0; raises ``Refused`` where the folder is somebody else's."""
    from gitstate.hooks.agents import plugin as made  # noqa: PLC0415 only for this verb

    where = (folder or made.default_folder()).absolute()
    if remove:
        gone = made.remove(where)
        output.say(f"removed {printable(where)}" if gone else "nothing to remove")
        return EXIT_DONE
    made.write(where, _language())
    output.say(printable(where))
    return EXIT_DONE


def _language() -> str:
    """The language that is set here; outside of a repository too."""
    try:
        return open_workspace().settings.lang
    except NotARepository:
        return settings.load({})[0].lang


@command.command("status")
@click.argument("name", type=NAME, required=False)
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
def status_command(name: str | None, *, json_: bool) -> int:
    """What the hooks said in each session, and whether it reached the model.

    Exit code 1 when NAME's hooks are not in, or a briefing was not received.
    """
    return status(name, json_=json_)


def status(name: str | None, *, json_: bool) -> int:
    """Exit 1 where something does not work."""
    ws = open_workspace()
    names = [name] if name else list(layouts.NAMES)
    rows = [_row(ws, one) for one in names]
    rows = [
        row
        for row in rows
        if name or row["installed"] or row["plugin"] or row["sessions"]
    ]
    if json_:
        output.say_json(rows)
    else:
        for row in rows:
            output.say(*_lines(row))
        if not rows:
            output.say("no agent is installed (`gitstate agent install NAME`)")
    bad = any(
        (name and not row["installed"] and not row["plugin"])
        or any(one["not_received"] for one in row["sessions"][:1])
        for row in rows
    )
    return EXIT_REFUSED if bad else EXIT_DONE


def _row(ws: Workspace, name: str) -> dict[str, Any]:
    from gitstate.hooks.agents import beside, installer, receipts  # noqa: PLC0415 only for this verb
    from gitstate.hooks.agents.place import Place  # noqa: PLC0415 the same

    found = installer.status(ws, name)
    place = Place(str(ws.root), str(ws.runtime))
    plugin = beside.seen(place) if name == "claude-code" else ""
    return {
        "agent": name,
        "installed": found.installed,
        "plugin": printable(plugin) or None,
        "up_to_date": found.well,
        "missing": list(found.missing),
        "old": list(found.old),
        "sessions": [_session(one) for one in receipts.current(ws, name)],
    }


def _session(one: Session) -> dict[str, Any]:
    return {
        "session": printable(one.session),
        "fired": one.fired,
        "injected": len(one.receipts),
        "received": sum(item.received is True for item in one.receipts),
        "not_received": sum(item.received is False for item in one.receipts),
        "verified": sum(item.verified is True for item in one.receipts),
        "compactions": one.track.compactions,
        "blocks": one.blocks,
        "turns": one.track.turns,
        "briefings": [_receipt(item) for item in one.receipts],
    }


def _receipt(item: Receipt) -> dict[str, Any]:
    return {
        "id": item.id,
        "reason": item.reason,
        "turn": item.turn,
        "version": item.version,
        "characters": item.chars,
        "received": item.received,
        "verified": item.verified,
    }


def _lines(row: dict[str, Any]) -> Iterator[str]:
    state = "not installed"
    if row["installed"]:
        state = "installed"
        if not row["up_to_date"]:
            state += f", not up to date: `gitstate agent install {row['agent']}`"
    elif row["plugin"]:
        state = f"by the plugin in {row['plugin']}"
    yield f"{row['agent']}: {state}"
    for one in row["sessions"][:_SHOWN]:
        yield (
            f"  session {one['session']}: fired {one['fired']}, injected {one['injected']}, "
            f"received {one['received']}, verified {one['verified']}; "
            f"{output.several(one['turns'], 'turn')}, "
            f"{output.several(one['compactions'], 'compaction')}"
        )
        for item in one["briefings"]:
            yield f"    briefing {item['id']} ({item['reason']}, turn {item['turn']}): {_said(item)}"


def _said(item: dict[str, Any]) -> str:
    if item["received"] is None:
        return "not known yet"
    if not item["received"]:
        return "not received"
    if item["verified"] is None:
        return "received"
    return "received, verified" if item["verified"] else "received, not taken in"
