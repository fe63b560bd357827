"""``gitstate doctor``: what is broken, and how to mend it."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

import click

from gitstate import background, exclude, output
from gitstate.commands.check import Check
from gitstate.commands.common import CONTEXT, confirm, open_workspace
from gitstate.errors import (
    EXIT_DONE,
    EXIT_REFUSED,
    GitstateError,
    ObjectDamaged,
    ObjectMissing,
    printable,
)
from gitstate.git.environment import MINIMUM_GIT, git_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitstate.workspace import Workspace

EXAMPLES = """\
\b
Examples:
  gitstate doctor
  gitstate doctor --json
  gitstate doctor --prove           do the hooks run: by a commit in a scratch clone
"""


@click.command("doctor", epilog=EXAMPLES, context_settings=CONTEXT)
@click.option(
    "--prove",
    is_flag=True,
    help="Make a throw-away commit in a scratch clone and count the hooks that ran.",
)
@click.option("--yes", is_flag=True, help="With --prove: do not ask.")
@click.option("--json", "json_", is_flag=True, help="One JSON document.")
def command(*, prove: bool, yes: bool, json_: bool) -> int:
    """Look at everything gitstate needs, and say how to mend what is broken."""
    return run(prove=prove, yes=yes, json_=json_)


def run(*, prove: bool = False, yes: bool = False, json_: bool) -> int:
    """Exit 0 when all is well, 1 otherwise."""
    ws = open_workspace()
    if prove and not yes:
        _ask(ws)
    looks = (*_LOOKS, _proof) if prove else _LOOKS
    checks = [found for look in looks for found in _safely(look, ws)]
    ok = all(check.ok for check in checks)
    if json_:
        found = [
            {
                "name": item.name,
                "ok": item.ok,
                "advice": item.advice,
                "text": item.text,
                "mend": item.mend,
            }
            for item in checks
        ]
        output.say_json({"ok": ok, "checks": found})
        return EXIT_DONE if ok else EXIT_REFUSED
    rows = [
        [
            _verdict(item),
            item.name,
            item.text,
        ]
        for item in checks
    ]
    for line, item in zip(output.aligned(rows), checks, strict=True):
        output.say(line)
        if item.mend and (item.advice or not item.ok):
            output.say(f"     -> {item.mend}")
    return EXIT_DONE if ok else EXIT_REFUSED


def _verdict(item: Check) -> str:
    if not item.ok:
        return output.paint("bad", "red")
    return (
        output.paint("hint", "yellow") if item.advice else output.paint("ok", "green")
    )


def _safely(look: Callable[[Workspace], Iterator[Check]], ws: Workspace) -> list[Check]:
    name = look.__name__.removeprefix("_").replace("_", " ")
    try:
        return list(look(ws))
    except OSError as error:
        where = f": {printable(error.filename)}" if error.filename else ""
        return [Check(name, ok=False, text=f"{(error.strerror or '').lower()}{where}")]
    except GitstateError as error:
        return [Check(name, ok=False, text=printable(error))]


def _git(ws: Workspace) -> Iterator[Check]:
    found = git_version(ws.root)
    needed = ".".join(map(str, MINIMUM_GIT))
    text = ".".join(map(str, found))
    yield Check("git", found >= MINIMUM_GIT, text, f"install git {needed} or later")


def _engine(ws: Workspace) -> Iterator[Check]:
    from gitstate.history.line import engine_for  # noqa: PLC0415 after the words are parsed

    with engine_for(ws) as engine:
        why = (
            ""
            if engine.name == "libgit2"
            else " (libgit2 cannot read this repository: slower, the same results)"
        )
        yield Check("engine", ok=True, text=f"{engine.name}, {ws.object_format}{why}")


def _set_up(ws: Workspace) -> Iterator[Check]:
    yield Check("set up", ws.initialised, printable(ws.root), "gitstate init")
    if ws.initialised:
        ws.check_format()


def _directory(ws: Workspace) -> Iterator[Check]:
    from gitstate.history.look import scan_state  # noqa: PLC0415 as above

    found = scan_state(ws)
    yield Check(
        "state directory",
        found.present,
        f"{printable(ws.settings.dir)}, {output.several(len(found.files), 'file')}",
        "gitstate restore HEAD brings it back",
    )
    for item in found.skipped:
        yield Check("left out", ok=False, text=f"{printable(item.path)}: {item.reason}")
    ignored = exclude.tracked(ws) or not exclude.wanted(ws)
    yield Check(
        "ignored by git", ignored, "in info/exclude, or as you set it", "gitstate init"
    )


def _line(ws: Workspace) -> Iterator[Check]:
    from gitstate.git.operations import worktree_of  # noqa: PLC0415 as above
    from gitstate.history import diverged  # noqa: PLC0415 as above
    from gitstate.history.line import engine_for, read_line  # noqa: PLC0415 as above

    with engine_for(ws) as engine:
        line = read_line(ws, engine)
        yield Check(
            "line",
            line.trouble is None and line.holder is None,
            line.trouble
            or (
                f"{printable(ws.line)} is checked out in {printable(worktree_of(line.holder))}"
                if line.holder
                else ""
            )
            or f"{printable(ws.line)} at v{line.version}",
            "gitstate fsck --repair"
            if line.trouble
            else "switch that worktree to another branch",
        )
        if line.tip is not None:
            try:
                engine.tree(engine.commit(line.tip).tree)
            except (ObjectDamaged, ObjectMissing) as error:
                mend = "gitstate fsck --repair keeps what can still be read"
                yield Check("newest version", ok=False, text=str(error), mend=mend)
            for remote, text, mend in diverged.remotes(ws, engine, line.tip):
                yield Check(
                    f"line of {printable(remote)}", ok=False, text=text, mend=mend
                )
        packs = engine.packs.ours()
        yield Check("packs", ok=True, text=f"{len(packs)} of ours")


def _writing(ws: Workspace) -> Iterator[Check]:
    for name, folder in (("git directory", ws.git_dir), ("objects", ws.objects_dir)):
        writable = os.access(folder, os.W_OK)
        yield Check(
            name, writable, printable(folder), "it is read-only: no version can be made"
        )
    for ref in (ws.ref, ws.pending_ref):
        path = ws.common_dir / f"{ref}.lock"
        if path.exists():
            yield Check(
                "ref lock",
                ok=False,
                text=printable(path),
                mend="if no git runs, remove it",
            )
    if ws.shared.is_dir():
        yield _flock(ws)


def _flock(ws: Workspace) -> Check:
    fd = os.open(ws.shared, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return Check("flock", ok=True, text="works (another process packs right now)")
    except OSError as error:
        return Check(
            "flock",
            ok=True,
            text=f"not on this file system ({error.strerror}): the compare-and-swap alone protects the line",
        )
    finally:
        os.close(fd)
    return Check("flock", ok=True, text="works")


def _daemon(ws: Workspace) -> Iterator[Check]:
    now = background.seen(ws)
    yield Check(
        "daemon",
        now.running,
        f"pid {now.pid}"
        if now.running
        else "not running: versions are made by commands alone",
        "gitstate daemon start",
    )
    if now.running:
        yield Check("registered", now.registered, printable(ws.root), "gitstate init")
    if now.running and now.registered:
        text = now.problem or (
            f"by {now.mode}" if now.watching else "not yet, or no longer"
        )
        yield Check("watching", now.watching, text, "gitstate daemon logs")


def _hooks(ws: Workspace) -> Iterator[Check]:
    from gitstate.commands.hooks import sentence  # noqa: PLC0415 as above
    from gitstate.hooks.git import installer  # noqa: PLC0415 as above

    found = installer.status(ws)
    if not found.wanted:
        yield Check("hooks", ok=True, text=sentence(found))
        return
    well = found.problem is None
    text = sentence(found) if well else found.problem or ""
    yield Check("hooks", well, text, "gitstate hooks install")
    if well:
        old = installer.preview_install(ws).changes
        yield Check(
            "hooks' text",
            not old,
            "of another version or place of gitstate" if old else "up to date",
            "gitstate hooks install",
        )


def _agents(ws: Workspace) -> Iterator[Check]:
    from gitstate.commands.doctor_agents import look  # noqa: PLC0415 as above

    yield from look(ws)


def _ask(ws: Workspace) -> None:
    """Name the hooks of others that a commit runs; raises ``Refused`` without a yes."""
    from gitstate.hooks.git import installer, proof  # noqa: PLC0415 as above

    others = [path for path in installer.foreign(ws) if path.name in proof.DURING]
    if others:
        click.echo("Hooks of others that will run, in a scratch clone:", err=True)
        for path in others:
            click.echo(f"  {printable(path)}", err=True)
        confirm("Run them?", otherwise="nothing was run")


def _proof(ws: Workspace) -> Iterator[Check]:
    from gitstate.hooks.git import proof  # noqa: PLC0415 as above

    found = proof.prove(ws)
    mend = "gitstate hooks install"
    if found.code != 0:
        mend = "see what the hooks of others say; ours never stop git"
    yield Check("proof", found.proved, found.text, mend)


def _anchor(ws: Workspace) -> Iterator[Check]:
    from gitstate.history.anchor import read_anchors  # noqa: PLC0415 as above
    from gitstate.history.identity import heads_folder  # noqa: PLC0415 as above

    anchors = read_anchors(ws)
    yield Check(
        "anchor",
        ws.line in anchors or not ws.initialised,
        printable(heads_folder()),
        "it cannot be written or read there: a deleted branch is then found by the cache alone",
    )


_LOOKS = (
    _git,
    _engine,
    _set_up,
    _directory,
    _line,
    _writing,
    _anchor,
    _hooks,
    _agents,
    _daemon,
)
