"""A directory tree in a block of code: its lines -> whole paths with their comments."""

# ruff: noqa: RUF001 dashes of all kinds
from __future__ import annotations

from gitstate.late import late

_BRANCH = late(r"(?P<lead>[\s│|├└─+`\\-]*?)(?P<name>[^\s│├└─|][^\s]*)(?P<rest>.*)$")
_IS_TREE = late(r"[├└]──|[|`+\\]--")
_COMMENT = late(r"\s+(?:#|//|—|–|--?|←|<-|:)\s*(?P<text>.*)$|\s+\((?P<inner>.*)\)$")


def tree_of(lines: list[str]) -> dict[int, tuple[str, str | None]]:
    """The number of a line -> the path that it stands for, and what is said of it.

    Empty when the lines draw no tree. Files are all in it, folders only where something
    is said of them.
    """
    if not any(_IS_TREE.search(line) for line in lines):
        return {}
    found: dict[int, tuple[str, str | None]] = {}
    folders: list[tuple[int, str]] = []
    for number, line in enumerate(lines):
        branch = _BRANCH.match(line)
        if branch is None or line.lstrip()[:3] in {"```", "~~~"}:
            continue
        name, column = branch["name"], branch.start("name")
        while folders and folders[-1][0] >= column:
            folders.pop()
        above = folders[-1][1] if folders else ""
        comment = _COMMENT.match(branch["rest"])
        said = (comment["text"] or comment["inner"] or "").strip() if comment else ""
        top = name in {".", "./"} or not (column or name.endswith("/"))
        whole = "" if name in {".", "./"} else above + name
        if name.endswith("/") or top:
            folder = whole if not whole or whole.endswith("/") else f"{whole}/"
            folders.append((column, folder))
        if said or not (name.endswith("/") or top):
            found[number] = (whole, said or None)
    return {number: entry for number, entry in found.items() if entry[0]}


def with_comment(line: str, text: str) -> str:
    """A line of a drawing with another comment, or without one."""
    branch = _BRANCH.match(line)
    if branch is None:
        return line
    comment = _COMMENT.match(branch["rest"])
    head = line[: branch.start("rest")]
    if not text:
        return head
    if comment is None:
        return f"{head}  # {text}"
    group = "text" if comment["text"] is not None else "inner"
    rest = branch["rest"]
    return f"{head}{rest[: comment.start(group)]}{text}{rest[comment.end(group) :]}"
