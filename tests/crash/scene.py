"""One repository in which gitstate is killed again and again, and what must hold then."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.ledger import Ledger, leftovers

if TYPE_CHECKING:
    from pathlib import Path

    from tests.crash.stable import Ran, Stable
    from tests.ledger import Told
    from tests.support import Repo


@dataclass
class Scene:
    """The repository, the processes, and what they reported."""

    stable: Stable
    repo: Repo
    ledger: Ledger = field(init=False)

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.repo)

    def files(self) -> dict[str, bytes]:
        """What stands in the state directory."""
        return {
            path.relative_to(self.repo.state).as_posix(): path.read_bytes()
            for path in sorted(self.repo.state.rglob("*"))
            if path.is_file() and ".gitstate-tmp" not in path.parts
        }

    def snapshot(self, *words: str) -> Told:
        """A snapshot that must succeed; what it reports is written down."""
        ran = self.stable.ok("snapshot", "--json", *words, cwd=self.repo.path)
        said = json.loads(ran.out)
        return self.ledger.tell(said["version"], said["commit"], self.files())

    def kill(self, *words: str, at: int, everything: bool, torn: bool = False) -> Ran:
        """Run a command that is killed at its call number ``at``, if it has so many."""
        return self.stable.run(
            *words, cwd=self.repo.path, at=at, everything=everything, torn=torn
        )

    def check(self) -> None:
        """All that was reported is there, and nothing is in the way of the next one."""
        self.ledger.check()
        self.check_way()

    def check_way(self) -> None:
        """Nothing is in the way of the next command."""
        lasting = [name for name in leftovers(self.repo) if _in_the_way(name)]
        assert lasting == [], lasting

    def check_told_before_next(self) -> None:
        """Right after the kill, before anything of ours has run again."""
        self.ledger.check()

    def check_swept(self) -> None:
        """What killed processes left is gone once it is old."""
        age(self.repo.path)
        age(state_home())
        self.stable.ok("tend", cwd=self.repo.path)
        lasting = [*leftovers(self.repo), *state_home().rglob("*.tmp")]
        assert lasting == [], lasting


def _in_the_way(name: str) -> bool:
    return name.endswith((".lock", "gitstate/restore", ".gitstate-tmp"))


def state_home() -> Path:
    """gitstate's folder outside the repository."""
    from gitstate.workspace import state_home as found  # noqa: PLC0415 by the test's home

    return found()


def age(folder: Path, *, hours: float = 2) -> None:
    """Make everything in a folder look some hours older."""
    then = time.time() - hours * 3600
    for path in folder.rglob("*"):
        if not path.is_symlink():
            os.utime(path, (then, then))
