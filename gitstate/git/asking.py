"""Several objects by their names, from one git process: where no engine is open."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitstate.git.environment import git

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Found(NamedTuple):
    """An object: its id, its kind and its bytes."""

    id: str
    kind: str
    data: bytes


def objects(names: Sequence[str], *, cwd: Path) -> list[Found | None]:
    """What git finds under each name, in order; ``None`` where that cannot be read.

    A name is one that git resolves (``HEAD``, an id, ``<id>:<path>``), without a line
    break. Raises ``GitFailed`` where git is not there or does not end.
    """
    asked = "".join(f"{name}\n" for name in names)
    args = ["cat-file", "--batch"]
    said = git(
        args, cwd=cwd, stdin=asked.encode("utf-8", "surrogateescape"), check=False
    ).stdout
    found: list[Found | None] = []
    while len(found) < len(names):
        head, _, said = said.partition(b"\n")
        words = head.decode("utf-8", "replace").rsplit(" ", 2)
        if len(words) != len(Found._fields) or not words[2].isdigit():
            found.append(None)  # "<name> missing"; also all after one that is damaged
            continue
        identity, kind, size = words[0], words[1], int(words[2])
        whole = len(said) > size
        found.append(Found(identity, kind, said[:size]) if whole else None)
        said = said[size + 1 :]
    return found
