"""From a code commit to its note: ``code:HEAD~1`` and the like."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitstate.errors import UnknownVersion, printable
from gitstate.git.environment import git
from gitstate.history import notes
from gitstate.history.note import Note, parse

if TYPE_CHECKING:
    from gitstate.git.engine import Engine
    from gitstate.workspace import Workspace

PREFIX = "code:"
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def code_commit(ws: Workspace, name: str) -> str:
    """The id of the code commit that a name means; raises ``UnknownVersion``."""
    # nothing may follow the words of ":/words"
    found = _parsed(ws, name) if name.startswith(":/") else name
    commit = None if found is None else _parsed(ws, f"{found}^{{commit}}")
    if commit is None:
        raise UnknownVersion(f"{printable(name)!r} is no code commit")
    return commit


def _parsed(ws: Workspace, name: str) -> str | None:
    """The one id that a name means to git; a range means two, and ``^x`` none."""
    args = ["rev-parse", "--verify", "--quiet", "--end-of-options", name]
    said = git(args, cwd=ws.root, check=False).stdout.decode("ascii", "replace")
    return said.strip() if _ID.fullmatch(said.strip()) else None


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
