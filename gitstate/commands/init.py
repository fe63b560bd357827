"""``gitstate init``: set up a repository, or repair it. Running it again changes nothing."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gitstate import background, exclude, lock, output, scaffold
from gitstate.commands.common import (
    CONTEXT,
    left_out,
    open_workspace,
    tell,
    under_ci,
)
from gitstate.errors import EXIT_DONE, GitstateError, printable
from gitstate.git.environment import require_git
from gitstate.git.operations import holder_of, worktree_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitstate.history.adoption import Beginning
    from gitstate.workspace import Workspace

EXAMPLES = """\
\b
Examples:
  gitstate init                 the repository you are in
  gitstate init ~/src/project --dry-run
  gitstate init --lang zh       the six files in Chinese
"""


@click.command("init", epilog=EXAMPLES, context_settings=CONTEXT)
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option(
    "--lang", type=click.Choice(["en", "zh"]), help="Language of the six files."
)
@click.option("--no-hooks", is_flag=True, help="Leave git's hooks as they are.")
@click.option(
    "--no-daemon", is_flag=True, help="Neither register with the daemon nor start it."
)
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
def command(
    path: Path | None,
    lang: str | None,
    *,
    no_hooks: bool,
    no_daemon: bool,
    dry_run: bool,
) -> int:
    """Set up gitstate in a repository, or repair it; prints every change it makes."""
    return run(path, lang, no_hooks=no_hooks, no_daemon=no_daemon, dry_run=dry_run)


def run(
    path: Path | None,
    lang: str | None,
    *,
    no_hooks: bool = False,
    no_daemon: bool,
    dry_run: bool,
) -> int:
    """Exit 0; the main job runs when it returns."""
    from gitstate.commands import hooks  # noqa: PLC0415 after the words are parsed
    from gitstate.history.adoption import look_at  # noqa: PLC0415 after the words are parsed
    from gitstate.history.line import engine_for  # noqa: PLC0415 the same

    ws = open_workspace(path)
    require_git(ws.root)
    ws.check_format()
    with engine_for(ws) as engine:
        beginning = look_at(ws, engine)
    held = {printable(path) for path in beginning.missing}
    files = tuple(
        file
        for file in scaffold.plan(ws, lang or ws.settings.lang)
        if file.name not in held
    )
    if dry_run:
        _announce(ws, beginning, files, no_daemon=no_daemon)
        if not no_hooks:
            hooks.show_install(ws)
        return EXIT_DONE
    changes = _set_up(ws, beginning, lang)
    if not no_hooks:
        changes += hooks.put_in(ws)
    if not no_daemon:
        changes += _background(ws)
    if lang is not None and lang != ws.settings.lang:
        changes.append(
            f"--lang is for new files; for the messages of versions too: git config gitstate.lang {lang}"
        )
    output.say(
        *(changes or [f"nothing to do: v{beginning.version} in {printable(ws.root)}"])
    )
    return EXIT_DONE


def _announce(
    ws: Workspace,
    beginning: Beginning,
    files: tuple[scaffold.NewFile, ...],
    *,
    no_daemon: bool,
) -> None:
    lines = []
    if exclude.wanted(ws):
        lines.append(
            f"would exclude {printable(ws.settings.dir)}/ in {_exclude_name(ws)}"
        )
    if beginning.adopt_from:
        lines.append(
            f"would adopt the line {printable(beginning.adopt_from)} and its files"
        )
    else:
        lines += [f"would bring back {name}" for name in _names(ws, beginning.missing)]
        lines += [
            f"would create {printable(ws.settings.dir)}/{file.name}" for file in files
        ]
    if not beginning.version and not beginning.adopt_from:
        lines.append(f"would make v1 on the branch {printable(ws.line)}")
    if not no_daemon and not under_ci():
        now = background.seen(ws)
        if not now.registered:
            lines.append("would register the repository with the daemon")
        if not now.running:
            lines.append("would start the daemon")
    output.say(*(lines or ["nothing to do"]))


def _names(ws: Workspace, paths: Iterable[bytes]) -> list[str]:
    return [f"{printable(ws.settings.dir)}/{printable(path)}" for path in paths]


def _exclude_name(ws: Workspace) -> str:
    return printable(ws.common_dir / "info" / "exclude")


def _set_up(ws: Workspace, beginning: Beginning, lang: str | None) -> list[str]:
    from gitstate.history import adoption, links  # noqa: PLC0415 as above
    from gitstate.history.derived import take  # noqa: PLC0415 as above
    from gitstate.history.identity import ensure_id  # noqa: PLC0415 as above
    from gitstate.history.line import engine_for  # noqa: PLC0415 as above

    lines: list[str] = []
    ws.make_folders()
    adopted = False
    with lock.held(ws.lock_path, verb="init", wait_s=5.0, mode=ws.file_mode):
        lines += filter(None, [ensure_id(ws)])
        # first, so that no `git status` ever shows the directory; empty it is not shown,
        # and git matches a pattern for folders only where there is a folder
        with contextlib.suppress(OSError):  # the scaffold says what is in the way
            ws.state_dir.mkdir(parents=True, exist_ok=True)
        if exclude.wanted(ws):
            exclude.add(ws, [exclude.directory_line(ws)])
            lines.append(
                f"excluded {printable(ws.settings.dir)}/ in {_exclude_name(ws)}"
            )
        if beginning.adopt_tip is not None:
            with engine_for(ws) as engine:
                files = adoption.adopt(ws, engine, beginning.adopt_tip)
            adopted = True
            lines.append(
                f"adopted {printable(beginning.adopt_from)}: the line {printable(ws.line)} goes on "
                f"from it ({len(files)} files written)"
            )
        elif beginning.missing:
            with engine_for(ws) as engine:
                back = adoption.bring_back(ws, engine)
            lines += [
                f"brought back {name}, which was missing and is in v{beginning.version}"
                for name in _names(ws, back)
            ]
        elif beginning.new_life and beginning.version:
            whose = (
                ""
                if ws.worktree_id is None
                else ", left by an earlier worktree of this name"
            )
            lines.append(
                f"the line {printable(ws.line)} goes on after v{beginning.version}{whose}"
            )
        for name in scaffold.write(ws, scaffold.plan(ws, lang or ws.settings.lang)):
            lines.append(f"created {printable(ws.settings.dir)}/{name}")
        adoption.begin_life(ws)
    # what an earlier worktree of this name had is not missed in a new one
    another = beginning.new_life and ws.worktree_id is not None
    links.process_what_waits(ws, wait_s=5.0)
    outcome = take(ws, verb="init", deletions=another)
    tell([*outcome.notices, *map(left_out, outcome.skipped)])
    if outcome.changed or adopted:
        lines.append(
            f"made v{outcome.version} on the branch {printable(ws.line)}"
            if outcome.changed
            else f"the newest version is v{outcome.version}"
        )
    holder = holder_of(ws.common_dir, ws.ref)
    if holder is not None:
        output.complain(
            f"the branch {printable(ws.line)} is checked out in {printable(worktree_of(holder))}"
        )
    return lines


def _background(ws: Workspace) -> list[str]:
    if under_ci():
        output.complain("CI is set: the daemon is neither registered nor started")
        return []
    lines = []
    try:
        before = background.seen(ws)
        new, warnings = background.register(ws)
        tell(warnings)
        if new:
            lines.append("registered the repository with the daemon")
        started = background.start()
        if not before.running or "started" in started:
            lines.append(started)
        if not background.wait_until_watched(ws):
            output.complain(
                "the daemon has not looked at this repository yet; `gitstate status` tells"
            )
    except GitstateError as error:
        # versions are made by every command; only the background is missing
        output.complain(f"the daemon is not running: {error}")
    return lines
