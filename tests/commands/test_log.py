"""``gitstate log FILE``: a file that no version has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.errors import EXIT_REFUSED
from tests.support import gitstate, make_repo

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_that_no_version_has(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "shop")
    gitstate("init", "--no-daemon", "--no-hooks", cwd=repo.path)
    done = gitstate("log", "nope.md", cwd=repo.path, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (
        EXIT_REFUSED,
        "",
        "gitstate: no version has a file nope.md\n",
    )
    assert gitstate("log", "--json", "nope.md", cwd=repo.path).stdout == "[]\n"
