"""``gitstate uninstall``: take gitstate out of a repository; what it kept stays."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gitstate import background, exclude, lock, output
from gitstate.commands.common import CONTEXT, confirm, open_workspace
from gitstate.errors import EXIT_DONE, CannotWrite, GitstateError, Refused, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.git.engine import Engine
    from gitstate.workspace import Workspace

EXAMPLES = """\
\b
Examples:
  gitstate uninstall                keeps the state, the branch, archive and notes
  gitstate uninstall --dry-run
  gitstate uninstall --purge        removes those too, after showing what is lost
"""
_NOTES = "refs/notes/gitstate"
# The repository's id outlives an uninstall: the anchor of the kept line hangs on it.
_KEPT = {"id", "format"}
_HELD = "held"  # texts with secrets, which no version has
_WAIT_S = 5.0


@click.command("uninstall", epilog=EXAMPLES, context_settings=CONTEXT)
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--purge", is_flag=True, help="Remove the state and every version too.")
@click.option("--yes", is_flag=True, help="With --purge: do not ask.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
def command(path: Path | None, *, purge: bool, yes: bool, dry_run: bool) -> int:
    """Take out the hooks, registration and runtime files of this worktree."""
    return run(path, purge=purge, yes=yes, dry_run=dry_run)


def run(path: Path | None, *, purge: bool, yes: bool, dry_run: bool) -> int:
    """Exit 0; 1 when a purge was not confirmed."""
    from gitstate.history.line import engine_for  # noqa: PLC0415 after the words are parsed

    ws = open_workspace(path)
    with engine_for(ws) as engine:
        if purge:
            lost = _losses(ws, engine)
            output.say(*lost)
            _require_free(ws)
        if dry_run:
            output.say(*_plan(ws))
            return EXIT_DONE
        if purge and lost and not yes:
            confirm("Remove all of it for good?", otherwise="nothing was removed")
        if not purge:
            _save_last(ws)
        done = 0
        with _locked(ws):
            for line in _steps(ws, engine, purge=purge):
                output.say(line)  # at once: the next step may fail
                done += 1
    if not done:
        output.say(f"nothing to take out of {printable(ws.root)}")
    elif not purge:
        output.say(
            f"kept: {printable(ws.settings.dir)}/, the branch {printable(ws.line)}, its archive and notes, "
            "and the exclude line; `gitstate init` takes up again where it was"
        )
        if (ws.runtime / _HELD).is_dir():
            output.say(
                f"kept: {printable(ws.runtime / _HELD)}, texts with secrets that are in no version"
            )
    return EXIT_DONE


def _locked(ws: Workspace) -> contextlib.AbstractContextManager[object]:
    """No version is in the making meanwhile."""
    if not ws.shared.is_dir():
        return contextlib.nullcontext()
    return lock.held(ws.lock_path, verb="uninstall", wait_s=_WAIT_S, mode=ws.file_mode)


def _steps(ws: Workspace, engine: Engine, *, purge: bool) -> Iterator[str]:
    yield from _take_out(ws, kept=_KEPT if purge else _KEPT | {_HELD})
    if purge:
        yield from _purge(ws, engine)


def _refs(ws: Workspace, engine: Engine) -> list[tuple[str, str]]:
    names = {**engine.refs(ws.archive_prefix)}
    # what a fetch that was killed left behind goes with the rest
    wanted = {ws.ref, ws.pending_ref, f"refs/gitstate/fetched/{ws.line}"}
    if not _others(ws):  # and the lines of worktrees that were removed
        names |= engine.refs("refs/gitstate/")
        wanted |= {_NOTES, *(f"refs/heads/{line}" for line in _lines(ws))}
    names |= {name: tip for name in wanted if (tip := engine.ref(name)) is not None}
    return sorted(names.items())


def _lines(ws: Workspace) -> list[str]:
    """The lines that a purge removes: of all worktrees, where this is the last."""
    from gitstate.history.anchor import read_anchors  # noqa: PLC0415 as above

    return [ws.line] if _others(ws) else sorted({ws.line, *read_anchors(ws)})


def _losses(ws: Workspace, engine: Engine) -> list[str]:
    """What a purge removes for good, in lines; none where there is nothing."""
    here = ws.state_dir.is_dir() and not ws.state_dir.is_symlink()
    lost = [printable(ws.state_dir)] if here else []
    lost += [f"{printable(name)} ({tip[:12]})" for name, tip in _refs(ws, engine)]
    if (ws.runtime / _HELD).is_dir():
        lost.append(
            f"{printable(ws.runtime / _HELD)}: texts with secrets, in no version"
        )
    return (
        ["--purge removes for good:", *(f"  {item}" for item in lost)] if lost else []
    )


def _require_free(ws: Workspace) -> None:
    from gitstate.git.operations import holder_of  # noqa: PLC0415 as above

    for line in _lines(ws):
        if holder_of(ws.common_dir, f"refs/heads/{line}") is not None:
            raise Refused(
                f"the branch {printable(line)} is checked out; switch to another first"
            )


def _plan(ws: Workspace) -> list[str]:
    from gitstate.hooks.git import installer  # noqa: PLC0415 as above

    plan = installer.preview_uninstall(ws, only_here=_others(ws))
    from gitstate.hooks.agents import installer as agents  # noqa: PLC0415 as above

    lines = plan.in_short()
    for name in agents.installed(ws):
        lines += agents.plan_uninstall(ws, name).in_short()
    if background.seen(ws).registered:
        lines.append("would unregister the repository from the daemon")
    if ws.runtime.is_dir():
        lines.append(f"would remove {printable(ws.runtime)}")
    return lines or ["nothing to take out"]


def _save_last(ws: Workspace) -> None:
    """What was edited since the newest version gets one before the watch ends."""
    from gitstate.history.snapshot import take  # noqa: PLC0415 as above

    if not ws.initialised:
        return
    try:
        outcome = take(ws, verb="uninstall")
    except GitstateError as error:
        output.complain(f"the last edits could not be saved as a version: {error}")
        return
    if outcome.changed:
        output.say(f"saved the last edits as v{outcome.version}")


def _take_out(ws: Workspace, *, kept: set[str]) -> Iterator[str]:
    from gitstate.hooks.agents import installer as agents  # noqa: PLC0415 as above
    from gitstate.hooks.git import installer  # noqa: PLC0415 as above

    others = _others(ws)
    yield from installer.uninstall(ws, only_here=others)
    for name in agents.installed(ws):
        yield from agents.uninstall(ws, name)
    if background.unregister(ws):
        yield "unregistered the repository from the daemon"
    for folder in {ws.runtime, *([] if others else [ws.shared])}:
        if folder.is_dir() and any(path.name not in kept for path in folder.iterdir()):
            try:
                shared = {"lock", *installer.SHARED} if others else set()
                _remove(folder, kept=kept | shared)
            except OSError as error:
                raise CannotWrite.from_os(
                    error, doing=f"remove {printable(folder)}"
                ) from error
            yield f"removed the runtime files in {printable(folder)}"


def _remove(folder: Path, *, kept: set[str]) -> None:
    for path in folder.iterdir():
        if path.name in kept:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    if not any(folder.iterdir()):
        folder.rmdir()


def _others(ws: Workspace) -> bool:
    """Do other worktrees of this repository still use gitstate."""
    from gitstate.git.operations import worktree_dirs  # noqa: PLC0415 as above

    return any(
        (git_dir / "gitstate" / "life").is_file()
        for git_dir in worktree_dirs(ws.common_dir)
        if git_dir != ws.git_dir
    )


def _purge(ws: Workspace, engine: Engine) -> Iterator[str]:
    from gitstate.history.anchor import forget, write_anchor  # noqa: PLC0415 as above

    lines = _lines(ws)
    for name, tip in _refs(ws, engine):
        engine.swap_ref(name, old=tip, new=None, reason="gitstate: purge", durable=True)
        yield f"removed {printable(name)}"
    for line in lines:
        write_anchor(ws, line, None)
    if not _others(ws):
        forget(ws)
        _remove_empty(ws.common_dir / "refs" / "gitstate")
        yield from _purge_packs(engine)
        for name in ("id", "format"):
            (ws.shared / name).unlink(missing_ok=True)
        if ws.shared.is_dir() and not any(ws.shared.iterdir()):
            ws.shared.rmdir()
    if ws.state_dir.is_dir() and not ws.state_dir.is_symlink():
        try:
            shutil.rmtree(ws.state_dir)
        except OSError as error:
            doing = f"remove {printable(ws.state_dir)}"
            raise CannotWrite.from_os(error, doing=doing) from error
        yield f"removed {printable(ws.state_dir)}"
    if exclude.remove(ws):
        yield "took our line out of info/exclude"


def _remove_empty(folder: Path) -> None:
    """Folders of refs that are gone."""
    for place, _, _ in os.walk(folder, topdown=False):
        with contextlib.suppress(OSError):  # something is in it: not ours to know
            Path(place).rmdir()


def _purge_packs(engine: Engine) -> Iterator[str]:
    """Take the mark off our packs: the next gc of the user's removes what nothing names."""
    packs = engine.packs.standing()
    for pack in packs:
        (engine.packs.folder / f"{pack.name}.keep").unlink(missing_ok=True)
    if packs:
        yield f"left to git's own gc: packs of versions ({len(packs)})"
