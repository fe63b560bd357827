"""git-state(1) says what the command does, in every verb and option."""

from __future__ import annotations

import importlib
import runpy
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

import gitstate
from gitstate import cli

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(gitstate.__file__).parent / "share" / "git-state.1"
CHECKOUT = Path(__file__).parents[1]


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every verb and every verb of a verb, by its words."""
    todo = [
        (name, importlib.import_module(row.module).command)
        for name, row in cli.VERBS.items()
    ]
    while todo:
        name, command = todo.pop(0)
        yield name, command
        if isinstance(command, click.Group):
            todo += [(f"{name} {inner}", it) for inner, it in command.commands.items()]


def test_every_verb_and_option_is_in_it() -> None:
    sections = {}
    for section in PAGE.read_text("utf-8").replace("\\-", "-").split("\n.SS ")[1:]:
        title, _, text = section.partition("\n")
        sections[title.strip('"').partition(" [")[0].split("{")[0].strip()] = text
    for name, command in commands():
        (text,) = [
            text for title, text in sections.items() if title.split(" NAME")[0] == name
        ]
        for parameter in command.params:
            if isinstance(parameter, click.Option) and not parameter.hidden:
                assert parameter.help, f"{name} {parameter.opts}"
                term = ", ".join([*parameter.opts, *parameter.secondary_opts])
                assert f"\n.TP\n\\fB{term}" in text, f"{name} {term}"


def test_a_list_of_verbs_tells_each_with_its_whole_sentence() -> None:
    """In the order of the source, and never cut where the line ends."""
    for name, command in commands():
        if not isinstance(command, click.Group):
            continue
        text = command.get_help(click.Context(command, info_name=name))
        said = "".join(text.partition("Commands:\n")[2].split())  # lines end anywhere
        rows = [
            (inner, it.get_short_help_str(999))
            for inner, it in command.commands.items()
        ]
        whole = "".join(f"{inner}{row}" for inner, row in rows)
        assert said == whole.replace(" ", ""), name
        assert all(row and not row.endswith("...") for _, row in rows), name


def test_it_is_what_its_script_writes() -> None:
    script = CHECKOUT / "docs" / "make_man.py"
    assert PAGE.read_text("utf-8") == runpy.run_path(str(script))["page"](), (
        "run: python docs/make_man.py"
    )


@pytest.mark.skipif(shutil.which("man") is None, reason="there is no man here")
def test_man_can_show_it(tmp_path: Path) -> None:
    folder = tmp_path / "man" / "man1"
    folder.mkdir(parents=True)
    for page in PAGE.parent.glob("*.1"):
        shutil.copy(page, folder)
    for name in ("git-state", "gitstate"):
        done = subprocess.run(
            ["man", "--warnings", "-M", tmp_path / "man", name],
            env={
                "MANPAGER": "cat",
                "MANWIDTH": "80",
                "PATH": "/usr/bin:/bin",
                "LC_ALL": "C.UTF-8",
            },
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == ""
        assert done.stdout.startswith("GIT-STATE(1)")
        assert (
            "git-state, gitstate - versions of a coding agent's working state"
            in done.stdout
        )
