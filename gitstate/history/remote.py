"""Line, archive and notes to and from a remote; never anything else.

Plain ``git push`` and ``git fetch`` do the work, with the user's own credentials.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from gitstate.errors import GitFailed, RefMoved, Refused, printable
from gitstate.git.command import ref_by_git
from gitstate.git.environment import first_line, git
from gitstate.history import archive as archive_refs
from gitstate.history import notes, notes_merge
from gitstate.history.days import stands_for
from gitstate.history.diverged import contains
from gitstate.history.forward import Exchanged, forward
from gitstate.history.identity import ensure_id
from gitstate.history.line import number_of, read_line
from gitstate.history.snapshot import session

if TYPE_CHECKING:
    from gitstate.git.engine import Engine
    from gitstate.workspace import Workspace

NOTES = notes.REF
_NETWORK_S = 600.0


def remote_name(ws: Workspace, name: str | None) -> str:
    """The remote to use: the named one, else ``origin``, else the only one."""
    remotes = (
        git(["remote"], cwd=ws.root)
        .stdout.decode("utf-8", "surrogateescape")
        .split("\n")[:-1]
    )
    if name is not None:
        if name not in remotes:
            known = ", ".join(remotes) or "none"
            raise Refused(
                f"there is no remote {printable(name)!r} (known: {printable(known)})"
            )
        return name
    if "origin" in remotes:
        return "origin"
    if len(remotes) == 1:
        return remotes[0]
    if not remotes:
        raise Refused(
            "this repository has no remote; add one with `git remote add origin URL`"
        )
    raise Refused(f"which remote? name one of {printable(', '.join(remotes))}")


def tracking_ref(ws: Workspace, remote: str) -> str:
    """Where a remote's line is kept locally."""
    return f"refs/remotes/{remote}/{ws.line}"


def _fetched_notes_ref(ws: Workspace) -> str:
    """Where a remote's notes are held until they are merged."""
    return f"refs/gitstate/fetched/{ws.line}"


def push(ws: Workspace, remote: str) -> Exchanged:
    """Send the line, its archive and the notes; raises ``Refused`` where they diverged."""
    with session(ws, verb="push", wait_s=5.0) as engine:
        line = read_line(ws, engine)
        if line.trouble:
            raise Refused(line.trouble)
        if line.branch is None:
            raise Refused(
                "there is no version yet; `gitstate snapshot` makes the first"
            )
        archives = engine.refs(ws.archive_prefix)
        names = [ws.ref, *archives]
        if engine.ref(NOTES) is not None:
            names.append(NOTES)
        branch = line.branch
        lease = _lease(ws, engine, remote, branch)
    specs = [f"{name}:{name}" for name in names if name not in archives]
    specs += archive_refs.to_push(ws, remote, archives)
    args = ["push", "--porcelain", "--no-verify", *lease, remote, *specs]
    done = git(args, cwd=ws.root, check=False, network=True, timeout_s=_NETWORK_S)
    told = os.fsdecode(done.stdout)
    _tell_rejected(ws, remote, told)
    if done.returncode != 0:
        raise GitFailed(f"git push: {first_line(done.stderr)}")
    # as `git push` does for branches it knows to fetch: what the remote now has
    known = engine_ref(ws, tracking_ref(ws, remote))
    git(
        ["update-ref", tracking_ref(ws, remote), branch, *([known] if known else [])],
        cwd=ws.root,
    )
    sent = sorted(_sent(told), key=lambda name: (name != ws.ref, name == NOTES, name))
    return Exchanged(refs=tuple(sent))


def _lease(ws: Workspace, engine: Engine, remote: str, branch: str) -> list[str]:
    """What lets the remote's line be replaced by the same versions squashed.

    Only where it still is what was seen last, and all of that is in ours.
    """
    known = engine.ref(tracking_ref(ws, remote))
    number = number_of(engine, known, line=ws.line)
    if known is None or number == 0 or contains(engine, branch, known):
        return []
    if not stands_for(engine, branch, known, number):
        return []
    return [f"--force-with-lease={ws.ref}:{known}"]


def _sent(porcelain: str) -> list[str]:
    """The refs that the remote did not have like this."""
    rows = [row.split("\t") for row in porcelain.split("\n") if "\t" in row]
    return [row[1].rpartition(":")[2] for row in rows if row[0] not in {"=", "!"}]


def _tell_rejected(ws: Workspace, remote: str, porcelain: str) -> None:
    """Raise ``Refused`` with why the remote did not take a ref, our line's first."""
    rows = [row.split("\t") for row in porcelain.split("\n") if row.startswith("!")]
    ours = f"{ws.ref}:{ws.ref}"
    for _, spec, reason in sorted(rows, key=lambda row: row[1] != ours):
        if spec == ours and reason.startswith("[rejected]"):
            raise Refused(
                f"{printable(remote)} has versions that this repository lacks: nothing of the line was "
                f"overwritten; run `gitstate fetch {printable(remote)}` first ({printable(reason)})"
            )
        name = spec.partition(":")[0]
        if name == NOTES and reason.startswith("[rejected]"):
            raise Refused(
                f"{printable(remote)} has notes that this repository lacks: none were overwritten; run "
                f"`gitstate fetch {printable(remote)}` first ({printable(reason)})"
            )
        raise Refused(
            f"{printable(remote)} did not take {printable(name)}: {printable(reason)}"
        )


def engine_ref(ws: Workspace, name: str) -> str | None:
    """One ref, through git."""
    return ref_by_git(ws.root, name)


def fetch(ws: Workspace, remote: str, *, take: bool = False) -> Exchanged:
    """Get a remote's line, archive and notes; move the local line forward where that is safe.

    The notes of both sides are merged. The local line moves only forward, only when the
    files equal its head, and the files with it. Raises ``Refused`` otherwise, after the
    remote's line was fetched and the notes were merged. With ``take`` the remote's line
    is gone on from where the two went different ways, and ours is archived whole.
    """
    listing = git(
        ["ls-remote", "--refs", remote, ws.ref, f"{ws.archive_prefix}*", NOTES],
        cwd=ws.root,
        network=True,
        timeout_s=_NETWORK_S,
    ).stdout.decode("utf-8", "surrogateescape")
    rows = [row.partition("\t") for row in listing.splitlines()]
    names = [name for _, _, name in rows]
    if ws.ref not in names:
        raise Refused(
            f"{printable(remote)} has no line {printable(ws.line)}; `gitstate push` sends ours"
        )
    specs = []
    for name in names:
        if name == ws.ref:
            specs.append(f"+{name}:{tracking_ref(ws, remote)}")
        elif name == NOTES:
            specs.append(f"+{name}:{_fetched_notes_ref(ws)}")
    theirs_kept = {n: v for v, _, n in rows if n.startswith(ws.archive_prefix)}
    specs += archive_refs.to_fetch(ws, theirs_kept)
    args = [
        "fetch",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-auto-maintenance",
        remote,
        *specs,
    ]
    done = git(args, cwd=ws.root, check=False, network=True, timeout_s=_NETWORK_S)
    theirs = engine_ref(ws, tracking_ref(ws, remote))
    if theirs is None or (done.returncode != 0 and b"rejected" not in done.stderr):
        raise GitFailed(f"git fetch: {first_line(done.stderr)}")
    with session(ws, verb="fetch", wait_s=5.0) as engine:
        ensure_id(ws)  # else nothing of a copy is known outside of it
        unreadable = _merge_notes(ws, engine, remote)
        found = forward(ws, engine, remote, theirs, tuple(names), take=take)
    if unreadable is not None:
        raise unreadable
    return found


def _merge_notes(ws: Workspace, engine: Engine, remote: str) -> Refused | None:
    """Merge the notes that were fetched; what stands against it keeps no line back."""
    held = _fetched_notes_ref(ws)
    theirs = engine.ref(held)
    if theirs is None:
        return None
    try:
        notes_merge.merge(ws, engine, theirs)
    except Refused as error:
        return Refused(f"{printable(remote)}: {error}")
    finally:
        with contextlib.suppress(RefMoved):  # another one fetches at this moment
            reason = "gitstate: fetch"
            engine.swap_ref(held, old=theirs, new=None, reason=reason, durable=False)
    return None
