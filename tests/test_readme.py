"""README.md says what exists."""

from __future__ import annotations

import os
import re
import runpy
from pathlib import Path

from gitstate import __version__, cli
from gitstate.settings import KEYS, variable_name

CHECKOUT = Path(__file__).parents[1]
README = (CHECKOUT / "README.md").read_text("utf-8")


def test_every_setting_that_works_has_its_row() -> None:
    rows = [
        [cell.strip(" `") for cell in line.strip("|").split("|")[:3]]
        for line in README.splitlines()
        if line.startswith("| `")
    ]
    used = runpy.run_path(str(CHECKOUT / "docs" / "make_man.py"))["SETTINGS"]
    expected = []
    for key in used:
        default = KEYS[key][2]
        unset = "the machine's" if key == "timezone" else "none"
        shown = {True: "true", False: "false", None: unset, (): "none"}.get(
            default, str(default)
        )
        expected.append([key, shown, variable_name(key)])
    assert rows == expected


def test_every_verb_it_names_exists() -> None:
    named = set(re.findall(r"(?:`|\$ )git(?:state| state) ([a-z]+)", README))
    assert {"log", "restore", "status", "uninstall"} <= named
    assert named <= cli.VERBS.keys()


def test_its_commands_are_there() -> None:
    assert (
        "\n./install.sh path/to/your/repository\n./install.sh --uninstall\n" in README
    )
    assert os.access(CHECKOUT / "install.sh", os.X_OK)
    assert f"installed: gitstate {__version__} in" in README


def test_ci_runs_its_test_command() -> None:
    """One line of README.md that .ci/run finds, as it looks for it."""
    script = (CHECKOUT / ".ci" / "run").read_text("utf-8")
    assert "sed -n '/^python3 -m venv .*pytest$/p' README.md" in script
    (line,) = re.findall(r"^python3 -m venv .*pytest$", README, re.MULTILINE)
    assert "pip install '.[test]'" in line
    assert os.access(CHECKOUT / ".ci" / "run", os.X_OK)
