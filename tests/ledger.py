"""What a writer was told that exists, held against the repository by git alone."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from tests.support import Repo

_FIELDS = "%H%x00%P%x00%(trailers:key=State-Version,valueonly)%x00%s%x01"


@dataclass(frozen=True)
class Told:
    """A version that was reported, and the bytes it must hold: path -> bytes."""

    number: int
    commit: str
    files: Mapping[str, bytes]


@dataclass
class Ledger:
    """The reports about one line of a repository."""

    repo: Repo
    line: str = "agent-state"
    told: list[Told] = field(default_factory=list)
    _read: int = 0  # how many of them were held against the repository's bytes

    def tell(self, number: int, commit: str, files: Mapping[str, bytes]) -> Told:
        """Write down a report."""
        found = Told(number, commit, dict(files))
        self.told.append(found)
        return found

    def check(self) -> dict[int, str]:
        """All that must hold; returns the line as number -> commit, newest first.

        The bytes of a report are read once: from then on the version's id stands for
        them, and git's own fsck holds every object against its id.
        """
        fsck(self.repo)
        return self.check_line(anew=False)

    def check_line(self, *, anew: bool = True) -> dict[int, str]:
        """The line is linear, its numbers are unique, every report is on it.

        ``anew``: the bytes of every report are read, also of those that once were.
        """
        found = line_of(self.repo, f"refs/heads/{self.line}")
        wrong = [told for told in self.told if found.get(told.number) != told.commit]
        assert not wrong, (wrong, found)
        self._check_bytes(self.told if anew else self.told[self._read :])
        self._read = len(self.told)
        return found

    def _check_bytes(self, reports: Sequence[Told]) -> None:
        wanted = [
            (f"{told.commit}:.agent-state/{name}", data)
            for told in reports
            for name, data in told.files.items()
        ]
        held = contents(self.repo, [name for name, _ in wanted])
        wrong = [
            (name, have)
            for (name, data), have in zip(wanted, held, strict=True)
            if data != have
        ]
        assert wrong == [], wrong


def line_of(repo: Repo, ref: str) -> dict[int, str]:
    """A line as number -> commit, newest first; it must be linear and count down."""
    listing = repo.git("log", f"--format={_FIELDS}", ref, "--")
    found: dict[int, str] = {}
    above = None
    rows = [row.lstrip("\n").split("\0") for row in listing.split("\x01")[:-1]]
    for at, (commit, parents, number, subject) in enumerate(rows):
        below = [rows[at + 1][0]] if at + 1 < len(rows) else []
        assert parents.split() == below, f"{subject}: parents {parents!r}"
        version = int(number.strip())
        assert above is None or version < above, f"v{version} below v{above}"
        assert subject.startswith(f"state v{version}: "), subject
        found[version] = commit
        above = version
    return found


def contents(repo: Repo, names: Iterable[str]) -> list[bytes | None]:
    """The blobs of these names (``COMMIT:PATH``), ``None`` for what is missing."""
    done = subprocess.run(
        ["git", "cat-file", "--batch"],
        cwd=repo.path,
        input="".join(f"{name}\n" for name in names).encode(),
        capture_output=True,
        check=True,
    )
    found: list[bytes | None] = []
    rest = done.stdout
    while rest:
        head, _, rest = rest.partition(b"\n")
        size = re.fullmatch(rb"[0-9a-f]+ blob ([0-9]+)", head)
        if size is None:
            found.append(None)
            continue
        end = int(size[1])
        found.append(rest[:end])
        rest = rest[end + 1 :]
    return found


def fsck(repo: Repo) -> None:
    """``git fsck`` finds nothing to say."""
    words = ["git", "fsck", "--full", "--strict", "--no-dangling", "--no-progress"]
    done = subprocess.run(
        words, cwd=repo.path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done


def leftovers(repo: Repo) -> list[str]:
    """Temporary files of gitstate's anywhere in the repository."""
    git_dir = repo.path / ".git"
    patterns = {
        git_dir: (
            "objects/pack/gitstate-tmp-*",
            "**/gitstate/*.tmp",
            "**/gitstate/packing-*",
            "**/gitstate/restore",
            "info/*.tmp",
            "refs/**/*.lock",
        ),
        repo.path: (".agent-state/.gitstate-tmp",),
    }
    found = [
        path.relative_to(repo.path)
        for folder, wanted in patterns.items()
        for pattern in wanted
        for path in folder.glob(pattern)
    ]
    return sorted(map(str, [*found, *lone_pack_files(git_dir)]))


def lone_pack_files(git_dir: Path) -> list[Path]:
    """Files of packs that are not whole."""
    folder = git_dir / "objects" / "pack"
    names = {path.name for path in folder.glob("pack-*")}
    return [
        (folder / name).relative_to(git_dir.parent)
        for name in names
        if not {f"{name.partition('.')[0]}.idx", f"{name.partition('.')[0]}.pack"}
        <= names
    ]
