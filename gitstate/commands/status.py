"""``gitstate status``: one screen on what is kept and whether it is up to date."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import click

from gitstate import background, clock, output
from gitstate.commands.common import (
    CONTEXT,
    age,
    left_out,
    open_workspace,
    skipped_json,
    title,
)
from gitstate.commands.hooks import document as document_of_hooks
from gitstate.commands.hooks import sentence as sentence_of_hooks
from gitstate.commands.status_files import rows, shortened, table
from gitstate.errors import EXIT_DONE, GitstateError, printable
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitstate.background import Seen
    from gitstate.history.line import Line
    from gitstate.history.look import Look
    from gitstate.history.versions import Version
    from gitstate.history.withheld import Text
    from gitstate.hooks.git.installer import Status as Hooks
    from gitstate.reminders import Reminder
    from gitstate.workspace import Workspace

EXAMPLES = """\
\b
Examples:
  gitstate status
  gitstate status --json | jq .version
"""
_MOST_NAMES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Everything that the screen and ``--json`` say."""

    line: str
    version: Version | None
    code_head: str | None
    look: Look
    waiting: list[Text]
    edited: list[bytes]
    daemon: Seen
    hooks: Hooks
    flagged: int
    reminders: list[Reminder]
    problems: list[str]


@click.command("status", epilog=EXAMPLES, context_settings=CONTEXT)
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
def command(*, json_: bool) -> int:
    """Show the newest version, unsaved edits, the files, and the daemon."""
    return run(json_=json_)


def run(*, json_: bool) -> int:
    """Exit 0, also where something is wrong: the screen says what."""
    ws = open_workspace()
    found = gather(ws)
    if json_:
        output.say_json(document(ws, found))
    else:
        output.say(*screen(ws, found))
    return EXIT_DONE


def gather(ws: Workspace) -> Status:
    """Look at everything; writes nothing but a reminder that has become due, or is not."""
    from gitstate import reminders  # noqa: PLC0415 after the words are parsed
    from gitstate.history import withheld  # noqa: PLC0415 as above
    from gitstate.history.line import engine_for, read_line  # noqa: PLC0415 the same
    from gitstate.history.look import load_memory, look  # noqa: PLC0415 are parsed
    from gitstate.history.snapshot import require_initialised  # noqa: PLC0415 the same
    from gitstate.history.versions import newest_first  # noqa: PLC0415 as above
    from gitstate.hooks.git import installer  # noqa: PLC0415 as above

    require_initialised(ws)
    beside = _Beside(ws)  # git's processes run while libgit2 is loaded
    daemon = background.seen(ws)
    hooks = installer.status(ws)
    with engine_for(ws) as engine:
        line = read_line(ws, engine)
        version = (
            next(newest_first(engine, line.tip, days=True), None) if line.tip else None
        )
        seen = look(ws, engine, line, load_memory(ws))
        head = engine.head().commit
        problems = _problems(ws, line, daemon)
    if hooks.problem is not None:
        problems.append(hooks.problem)
    edited = sorted(
        path
        for path in seen.parent.keys() | seen.entries.keys()
        if seen.parent.get(path) != seen.entries.get(path)
    )
    return Status(
        line=ws.line,
        version=version,
        code_head=head,
        look=seen,
        waiting=withheld.waiting(ws),
        edited=edited,
        daemon=daemon,
        hooks=hooks,
        flagged=beside.flagged(),
        reminders=reminders.read(ws),
        problems=problems,
    )


class _Beside:
    """What git alone has to be asked, in a thread of its own."""

    def __init__(self, ws: Workspace) -> None:
        self._ws = ws
        self._found = 0
        self._error: GitstateError | None = None
        self._thread = threading.Thread(target=self._ask, name="status")
        self._thread.start()

    def _ask(self) -> None:
        from gitstate import freshness  # noqa: PLC0415 after the words are parsed
        from gitstate.history import flags  # noqa: PLC0415 the same

        try:
            self._found = flags.count(self._ws)
        except GitstateError as error:
            self._error = error
        freshness.check(self._ws)

    def flagged(self) -> int:
        """How many commits are flagged; the freshness check is done then as well."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._found


def _problems(ws: Workspace, line: Line, daemon: Seen) -> list[str]:
    from gitstate.git.command import locked_text  # noqa: PLC0415 as above
    from gitstate.history.line import place_of  # noqa: PLC0415 as above
    from gitstate.history.snapshot import waiting_notice  # noqa: PLC0415 as above

    problems = [text for text in (line.trouble, waiting_notice(ws, line)) if text]
    problems += [
        locked_text(place_of(ws), ref)
        for ref in (ws.ref, ws.pending_ref)
        if (ws.common_dir / f"{ref}.lock").exists()
    ]
    if (ws.runtime / "restore").exists():
        problems.append("a restore was interrupted; the next version finishes it")
    if daemon.problem:
        # its notices, joined: what was just seen here is not said twice
        news = daemon.problem
        for text in problems:
            news = news.replace(text, "")
        if news.strip("; "):
            problems.append(news.strip("; "))
    elif daemon.running and daemon.registered and not daemon.watching:
        problems.append(
            "the daemon runs, but does not look after this repository; `gitstate doctor`"
        )
    return problems


def document(ws: Workspace, found: Status) -> dict[str, Any]:
    """The document of ``status --json``."""
    version = found.version
    return {
        "version": version.number if version else None,
        "commit": version.commit.id if version else None,
        "line": found.line,
        "dirty": bool(found.edited),
        "edited": [printable(path) for path in found.edited],
        "age_s": _age_s(version),
        "code_head": found.code_head,
        "files": rows(ws, found.look, found.edited),
        "daemon": {
            "running": found.daemon.running,
            "pid": found.daemon.pid,
            "heartbeat_age_s": found.daemon.heartbeat_age_s,
            "registered": found.daemon.registered,
            "watching": found.daemon.watching,
            "mode": found.daemon.mode,
        },
        "hooks": document_of_hooks(found.hooks),
        "flags": {"stale": found.flagged},
        "reminders": [item.text for item in found.reminders],
        "skipped": [skipped_json(item) for item in found.look.scan.skipped],
        "waiting": [
            {"path": printable(text.path), "file": printable(text.place)}
            for text in found.waiting
        ],
        "vanished": [
            {"path": printable(path), "reason": item.reason}
            for path, item in sorted(found.look.verdict.memory.vanished.items())
        ],
        "problems": found.problems,
    }


def _age_s(version: Version | None) -> int | None:
    if version is None:
        return None
    return max(0, int(clock.epoch_now() - version.commit.author.time))


def screen(ws: Workspace, found: Status) -> list[str]:
    """The lines of the screen."""
    version = found.version
    lines = []
    if version is None:
        lines.append("no version yet; `gitstate snapshot` makes the first")
    else:
        newest = output.paint(f"v{version.number}", "yellow")
        moment = version.commit.author.moment()
        lines.append(
            f"{newest} {version.commit.id[:12]} on {printable(found.line)}, {age(moment)} old"
        )
        lines.append(f"  {title(version)}")
    if found.edited:
        lines.append(f"not yet in a version: {_listed(found.edited)}")
    elif found.look.scan.skipped:
        lines.append("all edits are in it, but for what is left out (below)")
    else:
        lines.append("all edits are in it")
    lines += ["", *table(rows(ws, found.look, found.edited)), ""]
    lines.append(f"daemon: {_daemon_line(found.daemon)}")
    lines.append(f"hooks: {sentence_of_hooks(found.hooks)}")
    if found.flagged:
        one = found.flagged == 1
        what = "1 code commit" if one else f"{found.flagged} code commits"
        lines.append(
            f"flags: {what} without a task update; `gitstate flags` lists them"
        )
    lines += [
        output.paint(f"reminder: {item.text}", "yellow") for item in found.reminders
    ]
    for item in found.look.scan.skipped:
        lines.append(output.paint(left_out(item), "yellow"))
    lines += _waiting_lines(found)
    vanished = found.look.verdict.memory.vanished
    if vanished:
        names = _listed(sorted(vanished))
        reason = next(iter(vanished.values())).reason
        lines.append(output.paint(f"vanished: {names} ({reason})", "red"))
        lines.append(
            "  `gitstate restore HEAD` brings them back; `gitstate snapshot --deletions` if they are meant to be gone"
        )
    lines += [output.paint(f"problem: {text}", "red") for text in found.problems]
    return lines


def _waiting_lines(found: Status) -> list[str]:
    """The texts beside history, of which the files hold others by now: a line a path."""
    now = {item.content.id for item in found.look.held}
    earlier: dict[bytes, list[Text]] = {}
    for text in found.waiting:
        if text.id not in now:
            earlier.setdefault(text.path, []).append(text)
    return [
        output.paint(
            f"waiting: {shortened(printable(path))} held a secret; {len(texts)} of its texts "
            f"{'is' if len(texts) == 1 else 'are'} in {printable(texts[0].place.parent)}",
            "yellow",
        )
        for path, texts in sorted(earlier.items())
    ]


def _listed(paths: Sequence[bytes]) -> str:
    """The first names of many; ``--json`` has them all."""
    more = len(paths) - _MOST_NAMES
    names = [shortened(printable(path)) for path in paths[:_MOST_NAMES]]
    return ", ".join([*names, *([f"and {more:,} more"] if more > 0 else [])])


def _daemon_line(daemon: Seen) -> str:
    if not daemon.running:
        return "not running; `gitstate daemon start`"
    if not daemon.registered:
        return f"runs (pid {daemon.pid}), but not for this repository; `gitstate init`"
    how = {"watch": "watching", "poll": "polling"}.get(daemon.mode or "", "starting")
    beat = (
        ""
        if daemon.heartbeat_age_s is None
        else f", heartbeat {clock.age_text(daemon.heartbeat_age_s)} ago"
    )
    return f"{how if daemon.watching else 'not watching'} (pid {daemon.pid}{beat})"
