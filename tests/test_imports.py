"""Who may import whom: the rules of docs/architecture.md, held against the source.

What is read is the package as it is installed, imports inside functions and under
``TYPE_CHECKING`` too: to name a type is to know its room.
"""

from __future__ import annotations

import ast
import importlib.metadata
import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import gitstate

ROOT = Path(gitstate.__file__).parent
# a room (a folder, or a module beside them) -> the rooms it may use
BASE = frozenset({"", "errors", "clock", "settings", "files", "late", "lock", "values"})
ROOMS: dict[str, frozenset[str]] = {
    "": frozenset(),
    "errors": frozenset(),
    "late": frozenset(),
    "values": frozenset(),
    "clock": frozenset({"errors"}),
    "files": frozenset({"errors"}),
    "lock": frozenset({"errors"}),
    "settings": frozenset({"errors", "values"}),
    "utf8": frozenset(),
    "output": frozenset({"utf8"}),
    "workspace": BASE | {"git"},
    "exclude": BASE | {"git", "workspace"},
    "bugs": BASE | {"git", "workspace"},
    "git": BASE,
    "documents": BASE,
    "evidence": BASE | {"git"},
    "memory": BASE | {"documents"},
    "history": BASE | {"git", "documents", "memory", "workspace", "exclude"},
    "recall": BASE | {"documents", "memory", "history", "workspace"},
    "scaffold": BASE | {"git", "documents", "evidence", "history", "workspace"},
    "background": BASE | {"workspace"},
    "reminders": BASE | {"workspace"},
    "map_gaps": BASE | {"git", "documents", "workspace"},
    "notification": BASE,
    "freshness": BASE | {"git", "history", "map_gaps", "reminders", "workspace"},
    "cli": BASE | {"output", "bugs", "commands", "utf8"},
    "__main__": frozenset({"cli"}),
}
FORBIDDEN: dict[str, frozenset[str]] = {
    # everything but these
    "commands": frozenset({"__main__"}),
    "hooks": frozenset({"__main__", "cli", "commands", "daemon"}),
    "daemon": frozenset({"__main__", "cli", "commands"}),
}
# a package -> the only files that may import it
ALONE = {
    "pygit2": r"git/libgit2\.py",
    "watchdog": r"daemon/(watching|inotify|observing)\.py",
    "apscheduler": r"daemon/jobs\.py",
    "detect_secrets": r"memory/scanner\.py",
    "click": r"cli\.py|commands/\w+\.py",
    "mcp": r"commands/mcp_server\.py",
}


class Import(NamedTuple):
    """One import: the file (below gitstate/), its line, the module that is named."""

    file: str
    line: int
    module: str
    relative: bool

    @property
    def room(self) -> str:
        return self.file.split("/")[0].removesuffix(".py").replace("__init__", "")

    @property
    def used_room(self) -> str | None:
        """The room of gitstate that is used; ``None`` for other packages."""
        parts = self.module.split(".")
        if parts[0] != "gitstate":
            return None
        return parts[1] if len(parts) > 1 and is_module(parts[1]) else ""


def is_module(name: str) -> bool:
    return (ROOT / name).is_dir() or (ROOT / f"{name}.py").is_file()


def files() -> list[Path]:
    # hooks and daemon are links in a checkout: glob does not follow those
    folders = [ROOT, *(ROOT / name for name in ("hooks", "daemon"))]
    return sorted({path for folder in folders for path in folder.glob("**/*.py")})


def imports_of(path: Path) -> list[Import]:
    name = path.relative_to(ROOT).as_posix()
    found = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found += [
                Import(name, node.lineno, item.name, relative=False)
                for item in node.names
            ]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            found += [
                Import(
                    name, node.lineno, f"{module}.{item.name}", relative=node.level > 0
                )
                for item in node.names
            ]
    return found


IMPORTS = [item for path in files() for item in imports_of(path)]


def shown(items: list[Import]) -> str:
    return "\n".join(f"{item.file}:{item.line} imports {item.module}" for item in items)


def test_every_room_has_a_rule() -> None:
    rooms = {item.room for item in IMPORTS}
    assert rooms - ROOMS.keys() - FORBIDDEN.keys() == set()
    assert {"git", "history", "commands", "daemon", "cli"} <= rooms


@pytest.mark.parametrize("room", sorted(ROOMS.keys() | FORBIDDEN.keys()))
def test_a_room_uses_only_what_it_may(room: str) -> None:
    def allowed(used: str) -> bool:
        if used == room:
            return True
        return used not in FORBIDDEN[room] if room in FORBIDDEN else used in ROOMS[room]

    wrong = [
        item
        for item in IMPORTS
        if item.room == room
        and item.used_room is not None
        and not allowed(item.used_room)
    ]
    assert not wrong, shown(wrong)


def test_dataclasses_are_those_that_load_fast() -> None:
    wrong = [
        item
        for item in IMPORTS
        if item.module
        in {f"dataclasses.{name}" for name in ("dataclass", "field", "replace")}
        and item.file != "values.py"
    ]
    assert not wrong, shown(wrong)


@pytest.mark.parametrize("package", sorted(ALONE))
def test_a_heavy_package_has_one_home(package: str) -> None:
    wrong = [
        item
        for item in IMPORTS
        if item.module.split(".")[0] == package
        and not re.fullmatch(ALONE[package], item.file)
    ]
    assert not wrong, shown(wrong)


def test_imports_are_absolute() -> None:
    wrong = [item for item in IMPORTS if item.relative]
    assert not wrong, shown(wrong)


def test_every_package_that_is_imported_is_declared() -> None:
    wanted = importlib.metadata.requires("git-agent-state") or []
    declared = {
        re.split(r"[^A-Za-z0-9_.-]", line)[0].lower()
        for line in wanted
        if "extra ==" not in line or re.search(r"extra == [\"']mcp[\"']", line)
    }
    shipped_by = {
        "mcp": ["mcp"],  # an extra, which needs not be there
        **importlib.metadata.packages_distributions(),
    }
    wrong = [
        item
        for item in IMPORTS
        if (top := item.module.split(".")[0]) != "gitstate"
        and top not in sys.stdlib_module_names
        and not declared & {name.lower() for name in shipped_by.get(top, ())}
    ]
    assert not wrong, shown(wrong)


def test_annotations_cost_nothing() -> None:
    without = [
        path.name
        for path in files()
        if (tree := ast.parse(path.read_bytes())).body[1:]
        and any(
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            for node in ast.walk(tree)
        )
        and "from __future__ import annotations" not in path.read_text("utf-8")
    ]
    assert without == []
