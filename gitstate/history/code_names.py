"""From a code commit to its note: ``code:HEAD~1`` and the like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.errors import UnknownVersion, printable
from gitstate.git.environment import git
from gitstate.history import notes
from gitstate.history.note import Note, parse

if TYPE_CHECKING:
    from gitstate.git.engine import Engine
    from gitstate.workspace import Workspace

PREFIX = "code:"


def code_commit(ws: Workspace, name: str) -> str:
    """The id of the code commit that a name means; raises ``UnknownVersion``."""
    wanted = f"{name}^{{commit}}"
    args = ["rev-parse", "--verify", "--quiet", "--end-of-options", wanted]
    found = git(args, cwd=ws.root, check=False).stdout.decode("ascii").strip()
    if not found:
        raise UnknownVersion(f"{printable(name)!r} is no code commit")
    return found


def note_of_code(ws: Workspace, engine: Engine, name: str) -> Note:
    """The note of the code commit that ``name`` means; raises ``UnknownVersion``."""
    commit = code_commit(ws, name)
    tree = notes.tree_of(engine, engine.ref(notes.REF))
    text = notes.read(engine, tree, [commit]).get(commit)
    found = None if text is None else parse(text)
    if found is None:
        raise UnknownVersion(
            f"code commit {commit[:12]} has no link to a version: it was made before "
            "`gitstate init`, or past the hooks"
        )
    return found
