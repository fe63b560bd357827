"""``gitstate doctor``: a newest version that cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.errors import EXIT_REFUSED
from tests.support import gitstate, make_repo

if TYPE_CHECKING:
    from pathlib import Path


def test_a_newest_version_that_is_lost(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "shop")
    gitstate("init", "--no-daemon", "--no-hooks", cwd=repo.path)
    tip = repo.git("rev-parse", "agent-state")
    for path in (repo.path / ".git" / "objects" / "pack").iterdir():
        path.unlink()
    done = gitstate("doctor", cwd=repo.path, check=False)
    assert done.returncode == EXIT_REFUSED
    lines = done.stdout.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("bad  newest"))
    assert lines[at].split(maxsplit=3)[3] == f"object {tip} is missing"
    assert lines[at + 1].strip() == (
        "-> gitstate fsck --repair keeps what can still be read"
    )
    assert "[Errno" not in done.stdout
