"""Claude Code's plugin: hooks, commands and the skill, for every repository of a user.

The folder is a marketplace of one plugin too, so that it can be installed for good
(https://code.claude.com/docs/en/plugins). Its hooks name the Python and the place of
this gitstate: it is written for one machine.
"""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

from gitstate import __version__
from gitstate.errors import CannotWrite, Refused, printable
from gitstate.files import read_json, replace_file
from gitstate.hooks.agents import beside, layouts
from gitstate.recall import instructions
from gitstate.workspace import state_home

if TYPE_CHECKING:
    from pathlib import Path

NAME = "gitstate"
_MANIFEST = ".claude-plugin/plugin.json"
_SAYS = "The working state of coding agents, kept outside the model and given back after a compaction"

_README = """\
# gitstate for Claude Code

Gives the working state of a repository (goal, steps, rules, decisions, next step) back to the
model when a session begins and after each compaction of the context, logs which files were read
and edited, and asks for the state to be written before a turn ends that changed code.

It is silent in a repository in which `gitstate init` has not been run, and where the project's
settings have the same hooks (`gitstate agent install claude-code`). `/gitstate:handoff` works
everywhere; `/gitstate:brief` reads the state again.

Written by `gitstate agent plugin`, for the gitstate of this machine: run that again after an
upgrade. `gitstate agent plugin --remove` takes it away. It uses no network.
"""


def default_folder() -> Path:
    """Where it is written when nobody says where."""
    return state_home() / "plugins" / "claude-code"


def files(lang: str = "en") -> dict[str, str]:
    """Path in the folder -> text."""
    hooks: dict[str, list[object]] = {}
    for event, group in layouts.claude_groups(beside.PLUGIN):
        hooks.setdefault(event, []).append(group)
    manifest = {
        "name": NAME,
        "version": __version__,
        "description": _SAYS,
        "author": {"name": NAME},
        "license": "MIT",
    }
    market = {
        "name": NAME,
        "owner": {"name": NAME},
        "description": _SAYS,
        "plugins": [{"name": NAME, "source": "./", "description": _SAYS}],
    }
    folder = ".agent-state"
    return {
        _MANIFEST: _json(manifest),
        ".claude-plugin/marketplace.json": _json(market),
        "README.md": _README,
        "hooks/hooks.json": _json({"description": _SAYS, "hooks": hooks}),
        **{
            f"commands/{name}.md": instructions.markdown_command(lang, name)
            for name in ("handoff", "brief")
        },
        f"skills/{instructions.SKILL}/SKILL.md": instructions.skill(lang, folder),
    }


def write(folder: Path, lang: str) -> list[str]:
    """Write what is not there yet, or of another version; the names of what was.

    Raises ``Refused`` where the folder is somebody else's, and ``CannotWrite``.
    """
    _require_ours(folder)
    changed = []
    for name, text in files(lang).items():
        path, data = folder / name, text.encode()
        try:
            if path.is_file() and path.read_bytes() == data:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _failed(folder, error) from error
        replace_file(path, data, mode=0o644)
        changed.append(name)
    return changed


def remove(folder: Path) -> bool:
    """Take it away, and the folder where nothing else is in it; was it there."""
    _require_ours(folder)
    if not (folder / _MANIFEST).is_file():
        return False
    names = list(files())
    try:
        for name in sorted(
            names, key=lambda one: one == _MANIFEST
        ):  # it names the rest
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise _failed(folder, error) from error
    for name in names:
        parent = (folder / name).parent
        while parent != folder.parent:
            with contextlib.suppress(OSError):  # something else is in it
                parent.rmdir()
            parent = parent.parent
    return True


def is_current(folder: Path) -> bool:
    """Is it what this version would write, in either language."""
    return any(
        all(_text(folder / name) == text for name, text in files(lang).items())
        for lang in ("en", "zh")
    )


def _require_ours(folder: Path) -> None:
    try:
        there = any(folder.iterdir())
    except FileNotFoundError:
        return
    except OSError as error:
        raise _failed(folder, error) from error
    if there and (read_json(folder / _MANIFEST) or {}).get("name") != NAME:
        raise Refused(
            f"{printable(folder)} is not empty, and no plugin of gitstate; "
            "name another folder"
        )


def _text(path: Path) -> str | None:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _failed(folder: Path, error: OSError) -> CannotWrite:
    return CannotWrite.from_os(error, doing=f"write {printable(folder)}")
