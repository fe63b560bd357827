"""``gitstate daemon``: the background service of all this user's repositories."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

import click

from gitstate import clock, output
from gitstate.commands.family import Family
from gitstate.errors import EXIT_DONE, EXIT_REFUSED, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitstate.daemon.presence import Presence

_FOLLOW_S = 0.3


@click.group("daemon", cls=Family, context_settings={"max_content_width": 88})
def command() -> None:
    """The background service: one for this user, for all registered repositories.

    It makes a version whenever the files of a state directory have been quiet for a
    moment. Without it everything else still works.

    \b
    Examples:
      gitstate daemon status       is it running, and how is each repository
      gitstate daemon start        start it, or restart it after an upgrade
      gitstate daemon logs -f      what it does, as it happens
      gitstate daemon install      have it come back at every login
    """


@command.command("run", short_help="be the daemon, in the foreground")
@click.option(
    "--once",
    is_flag=True,
    help="Look at every repository once, end its days that are over, then exit.",
)
def run_command(*, once: bool) -> int:
    """Be the daemon, in the foreground; Ctrl-C stops it.

    \b
    Examples:
      gitstate daemon run
      gitstate daemon run --once       from cron, where nothing may stay running
    """
    return run(once=once)


def run(*, once: bool) -> int:
    """Run in the foreground; with ``once``, 1 when a repository has a problem."""
    from gitstate.daemon import run as daemon  # noqa: PLC0415 the whole service
    from gitstate.daemon.instance import AlreadyRunning  # noqa: PLC0415 with it

    if not once:
        output.say(f"running as process {os.getpid()}; Ctrl-C stops it")
        daemon.run_forever()
        return EXIT_DONE
    try:
        problems = daemon.run_once()
    except AlreadyRunning as error:  # it does the work: nothing is wrong
        output.say(f"{error}: nothing to do")
        return EXIT_DONE
    for line in problems:
        output.complain(printable(line))
    return EXIT_REFUSED if problems else EXIT_DONE


@command.command("start", short_help="start it, or restart it after an upgrade")
def start_command() -> int:
    """Start it in the background; one of another version is restarted."""
    return start()


def start() -> int:
    """Have the daemon running."""
    from gitstate.daemon import autostart  # noqa: PLC0415 only for this verb

    done = autostart.start()
    ways = {"systemd": " by systemd", "launchd": " by launchd"}
    if done.how == "running":
        output.say(f"running already (process {done.pid})")
    else:
        verb = "restarted" if done.restarted else "started"
        output.say(f"{verb}{ways.get(done.how, '')} (process {done.pid})")
    return EXIT_DONE


@command.command("stop", short_help="save everything and stop it")
def stop_command() -> int:
    """Save everything and stop it."""
    return stop()


def stop() -> int:
    """Have no daemon running."""
    from gitstate.daemon import autostart  # noqa: PLC0415 only for this verb

    pid = autostart.stop(for_now=True).pid
    output.say("not running" if pid is None else f"stopped (process {pid})")
    return EXIT_DONE


@command.command("status", short_help="is it running, and how is each repository")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def status_command(*, as_json: bool) -> int:
    """Is it running, and how is each repository; exit code 1 when it is not running."""
    return status(as_json=as_json)


def status(*, as_json: bool) -> int:
    """Show the daemon and its repositories; 1 when it is not running."""
    from gitstate.daemon.presence import presence  # noqa: PLC0415 only for this verb

    now = presence()
    rows = _rows(now)
    if as_json:
        output.say_json({**now.as_json(), "repositories": rows})
    else:
        output.say(_headline(now), *output.aligned(map(_cells, rows), indent=2))
    return EXIT_DONE if now.running else EXIT_REFUSED


def _rows(now: Presence) -> list[dict[str, Any]]:
    """What the daemon tells of each repository, and those that it does not know yet."""
    from gitstate.daemon import registry  # noqa: PLC0415 only for this verb

    listing = registry.listing()
    for warning in listing.warnings:
        output.complain(warning)
    known = {item.root: item.as_json() for item in now.repositories}
    reason = "not seen yet" if now.running else "the daemon is not running"
    blank = {"watching": False, "mode": None, "last_scan_age_s": None, "version": None}
    rows = [
        known.get(
            str(entry.root),
            {"root": str(entry.root), **blank, "healthy": False, "problem": reason},
        )
        for entry in listing.entries
    ]
    return sorted(rows, key=lambda row: str(row["root"]))


def _headline(now: Presence) -> str:
    if not now.running:
        return "not running; `gitstate daemon start` starts it"
    words = [f"running (process {now.pid or 'of another machine or container'}"]
    if now.version is not None:
        words.append(f"gitstate {now.version}")
    if now.heartbeat_age_s is not None:
        words.append(f"heartbeat {clock.age_text(now.heartbeat_age_s)} ago")
    return f"{', '.join(words)})"


def _cells(row: Mapping[str, Any]) -> list[str]:
    age = row["last_scan_age_s"]
    how = {"watch": "watching", "poll": "polling"}.get(row["mode"], "-")
    return [
        printable(row["root"]),
        "-" if row["version"] is None else f"v{row['version']}",
        "deaf" if row["mode"] == "watch" and not row["watching"] else how,
        "-" if age is None else f"looked {clock.age_text(age)} ago",
        printable(row["problem"] or ""),
    ]


@command.command("logs", short_help="what it did: the last lines of its log")
@click.option("-n", "count", default=20, show_default=True, help="How many lines.")
@click.option("-f", "--follow", is_flag=True, help="Go on as lines come; Ctrl-C ends.")
@click.option("--json", "as_json", is_flag=True, help="The lines as they are: JSON.")
def logs_command(*, count: int, follow: bool, as_json: bool) -> int:
    """The last lines of its log, oldest first."""
    return logs(count=count, follow=follow, as_json=as_json)


def logs(*, count: int, follow: bool, as_json: bool) -> int:
    """Show the end of the log."""
    from gitstate.daemon.logs import Follower, tail  # noqa: PLC0415 only for this verb
    from gitstate.workspace import state_home  # noqa: PLC0415 the same

    follower = Follower(state_home())
    rows = tail(state_home(), count)
    while True:
        for row in rows:
            output.say(json.dumps(row) if as_json else _line(row))
        if not follow:
            return EXIT_DONE
        time.sleep(_FOLLOW_S)
        rows = follower.fresh()


def _line(row: Mapping[str, Any]) -> str:
    where = f"  {row['repository']}" if row.get("repository") else ""
    mark = {"warning": "! ", "error": "!! "}.get(str(row.get("level")), "")
    text = f"{row.get('time')}  {row.get('event')}: {mark}{row.get('message')}{where}"
    return printable(text)


@command.command("install", short_help="have it come back at every login")
def install_command() -> int:
    """Have it come back at every login, through systemd or launchd, and start it."""
    return install()


def install() -> int:
    """Write the service file; 1 where no service manager answers."""
    from gitstate.daemon import autostart  # noqa: PLC0415 only for this verb

    name, path = autostart.install()
    if name is None:
        output.complain(
            "neither systemd's user instance nor launchd answers here: the daemon "
            "runs until the next logout or restart, `gitstate daemon start` starts it"
        )
        return EXIT_REFUSED
    output.say(f"installed for {name}: {printable(path)}")
    return start()


@command.command("uninstall", short_help="take the service file out again")
def uninstall_command() -> int:
    """Take the service file out again; a running daemon goes on until it is stopped."""
    return uninstall()


def uninstall() -> int:
    """Remove the service file."""
    from gitstate.daemon import autostart  # noqa: PLC0415 only for this verb

    removed = autostart.uninstall()
    for path in removed:
        output.say(f"removed {printable(path)}")
    if not removed:
        output.say("not installed")
    return EXIT_DONE
