"""``gitstate init``: what it says of a language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support import gitstate, make_repo

if TYPE_CHECKING:
    from pathlib import Path

HINT = (
    "--lang is for new files; for the messages of versions too: "
    "git config gitstate.lang zh"
)


def test_a_language_for_the_files_alone_is_said(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "shop")
    words = ("init", "--lang", "zh", "--no-daemon", "--no-hooks")
    assert gitstate(*words, cwd=repo.path).stdout.splitlines()[-1] == HINT
    repo.git("config", "gitstate.lang", "zh")
    assert gitstate(*words, cwd=repo.path).stdout == (
        f"nothing to do: v1 in {repo.path}\n"
    )
