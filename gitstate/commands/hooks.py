"""``gitstate hooks``: git's hooks of this repository, ours beside everybody else's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gitstate import output
from gitstate.commands.common import open_workspace
from gitstate.commands.family import Family
from gitstate.errors import EXIT_DONE, EXIT_REFUSED, NotInitialised, printable

if TYPE_CHECKING:
    from gitstate.hooks.git.changes import Plan
    from gitstate.hooks.git.installer import Status
    from gitstate.workspace import Workspace


@click.group("hooks", cls=Family, context_settings={"max_content_width": 88})
def command() -> None:
    """Ours among git's hooks: they notice a code commit that left the task file behind.

    They stand beside whatever is there (a hook of your own, pre-commit, prek, lefthook,
    husky), in the folder that git really looks in.

    \b
    Examples:
      gitstate hooks status                 do they run, and where
      gitstate hooks install --dry-run      what would change, as a diff
      gitstate hooks uninstall              every file as it was before
    """


@command.command("install")
@click.option("--dry-run", is_flag=True, help="Only show what would change, as a diff.")
def install_command(*, dry_run: bool) -> int:
    """Put our hooks in, or mend them; exit code 1 where they do not run then."""
    return install(dry_run=dry_run)


def install(*, dry_run: bool) -> int:
    """Exit 0 when all of ours run."""
    from gitstate.hooks.git import installer  # noqa: PLC0415 only for this verb

    ws = open_workspace()
    if dry_run:
        show(installer.preview_install(ws))
        return EXIT_DONE
    if not ws.initialised:
        message = f"gitstate is not set up in {printable(ws.root)}; run `gitstate init`"
        raise NotInitialised(message)
    lines = put_in(ws)
    found = installer.status(open_workspace(ws.root))
    output.say(*(lines or ["nothing to do: " + sentence(found)]))
    return EXIT_DONE if found.effective else EXIT_REFUSED


@command.command("uninstall")
@click.option("--dry-run", is_flag=True, help="Only show what would change, as a diff.")
def uninstall_command(*, dry_run: bool) -> int:
    """Take our hooks out of every worktree; each file is as it was before."""
    return uninstall(dry_run=dry_run)


def uninstall(*, dry_run: bool) -> int:
    """Exit 0, also when there is nothing of ours."""
    from gitstate.hooks.git import installer  # noqa: PLC0415 only for this verb

    ws = open_workspace()
    if dry_run:
        show(installer.preview_uninstall(ws))
        return EXIT_DONE
    output.say(*(installer.uninstall(ws) or ["nothing to take out"]))
    return EXIT_DONE


@command.command("status")
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
def status_command(*, json_: bool) -> int:
    """Do our hooks run, and where does git look; exit code 1 when one does not."""
    return status(json_=json_)


def status(*, json_: bool) -> int:
    """Exit 1 when git would not run one of ours."""
    from gitstate.hooks.git import installer  # noqa: PLC0415 only for this verb

    ws = open_workspace()
    found = installer.status(ws)
    if json_:
        others = [printable(path) for path in installer.foreign(ws)]
        output.say_json({**document(found), "wanted": found.wanted, "others": others})
    else:
        output.say(sentence(found))
        if found.problem:
            output.complain(found.problem)
        for path in installer.foreign(ws):
            output.say(f"  beside them: {printable(path)}")
    return EXIT_DONE if found.effective else EXIT_REFUSED


def document(found: Status) -> dict[str, Any]:
    """The fields of ``hooks`` in ``gitstate status --json``."""
    return {
        "effective": found.effective,
        "path": printable(found.path),
        "through": None if found.through is None else printable(found.through),
        "missing": list(found.missing),
    }


def sentence(found: Status) -> str:
    """One line on the hooks for people."""
    where = printable(found.path)
    if found.through is not None:
        where += f", which runs {printable(found.through)} first"
    if found.effective:
        return f"our hooks run in {where}"
    if found.wanted:
        return f"not run: {', '.join(found.missing)} (git looks in {where})"
    return f"not installed (git looks in {where}); `gitstate hooks install`"


def put_in(ws: Workspace) -> list[str]:
    """Put our hooks in, with the baseline that they compare with; a line a change."""
    from gitstate.history.baseline import first_baseline  # noqa: PLC0415 only for this verb
    from gitstate.history.snapshot import session  # noqa: PLC0415 the same
    from gitstate.hooks.git import installer  # noqa: PLC0415 the same

    lines = installer.install(ws)
    if not (ws.runtime / "baseline").exists():
        with session(ws, verb="hooks", wait_s=5.0) as engine:
            first_baseline(ws, engine)
    return lines


def show_install(ws: Workspace) -> None:
    """What ``put_in`` would change: what is a person's own as a diff, the rest by name."""
    from gitstate.hooks.git import installer  # noqa: PLC0415 only for this verb

    output.say(*installer.preview_install(ws).in_short())


def show(plan: Plan) -> None:
    """A plan as its diff, and below it what is said of it."""
    output.say(*(plan.diff() or ["nothing to do"]))
    for line in plan.lines:
        output.say(f"# {line}")
