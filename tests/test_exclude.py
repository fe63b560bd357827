"""Our lines in info/exclude: git itself says what they do."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from gitstate import exclude
from gitstate.errors import CannotWrite
from gitstate.workspace import Workspace
from tests.support import gitstate

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo

MARK = "# gitstate: the agent's state is versioned on a branch of its own\n"


def text(repo: Repo) -> str:
    return (repo.path / ".git" / "info" / "exclude").read_text()


def test_the_line_hides_the_directory_and_comes_once(repo: Repo) -> None:
    repo.write_six()
    ws = Workspace.open(repo.path)
    before = text(repo)
    assert "?? .agent-state/" in repo.git("status", "--porcelain")
    assert exclude.wanted(ws)

    assert exclude.add(ws, [exclude.directory_line(ws)]) == [b"/.agent-state/\n"]

    assert text(repo) == before + MARK + "/.agent-state/\n"
    assert repo.git("status", "--porcelain", "-uall") == ""
    assert not exclude.wanted(ws)
    assert exclude.add(ws, [exclude.directory_line(ws)]) == []
    assert text(repo) == before + MARK + "/.agent-state/\n"
    assert exclude.remove(ws)
    assert text(repo) == before
    assert not exclude.remove(ws)


@pytest.mark.parametrize(
    "pattern",
    [".agent-state", ".agent-state/", "!.agent-state/", ".*", "/.agent-state/*"],
)
def test_a_pattern_of_the_users_decides(repo: Repo, pattern: str) -> None:
    (repo.path / ".gitignore").write_text(f"{pattern}\n")
    repo.state.mkdir()

    assert not exclude.wanted(Workspace.open(repo.path))


def test_a_tracked_directory_is_the_users(repo: Repo) -> None:
    repo.write_six()
    repo.git("add", ".agent-state")
    ws = Workspace.open(repo.path)

    assert exclude.tracked(ws)
    assert not exclude.wanted(ws)


def test_a_last_line_without_a_newline_and_no_file(repo: Repo) -> None:
    ws = Workspace.open(repo.path)
    path = repo.path / ".git" / "info" / "exclude"
    path.write_text("*.o")
    exclude.add(ws, [b"/x/\n"])
    assert path.read_text() == f"*.o\n{MARK}/x/\n"

    path.unlink()
    path.parent.rmdir()
    exclude.add(ws, [b"/x/\n"])
    assert path.read_text() == f"{MARK}/x/\n"


def test_bytes_of_the_users_stay_as_they_are(repo: Repo) -> None:
    ws = Workspace.open(repo.path)
    path = repo.path / ".git" / "info" / "exclude"
    theirs = b"\xff latin\r\n# gitstate is nice\n/.agent-statement/\n\n\n"
    path.write_bytes(theirs)
    path.chmod(0o640)

    exclude.add(ws, [exclude.directory_line(ws)])
    assert path.read_bytes().startswith(theirs)
    exclude.remove(ws)

    assert path.read_bytes() == theirs
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(repo: Repo) -> None:
    ws = Workspace.open(repo.path)
    path = repo.path / ".git" / "info" / "exclude"
    shared = repo.path.parent / "shared-excludes"
    path.rename(shared)
    path.symlink_to(shared)

    exclude.add(ws, [exclude.directory_line(ws)])

    assert path.is_symlink()
    assert shared.read_text().endswith("/.agent-state/\n")


NAMES = [
    b"plain.md",
    b"a b",
    b"trailing ",
    b"two trailing  ",
    b"*.md",
    b"w?ld",
    b"[x]",
    b"back\\slash",
    b"#hash",
    b"!bang",
    b"-dash",
    b"\xff",
    b"tab\t",
    "é".encode(),
    b"sub/deep*",
    b"return\r",
]


def test_exact_lines_hide_exactly_their_file(repo: Repo) -> None:
    ws = Workspace.open(repo.path)
    for name in NAMES:
        repo.write(os.fsdecode(name), "x")
    others = [b"xmd", b"wild", b"x", b"backslash", b"sub/deeper", b"two trailing"]
    for name in others:
        repo.write(os.fsdecode(name), "x")

    exclude.add(ws, exclude.path_lines(ws, NAMES))

    listing = repo.git("ls-files", "-z", "--others", "--exclude-standard")
    assert sorted(listing.split("\0")[:-1]) == sorted(
        os.fsdecode(b".agent-state/" + name) for name in others
    )
    assert exclude.path_lines(ws, [b"new\nline"]) == []  # no pattern can say it


def test_a_state_directory_of_another_name(repo: Repo) -> None:
    repo.git("config", "gitstate.dir", "a [b]/s p")
    ws = Workspace.open(repo.path)
    folder = repo.path / "a [b]" / "s p"
    folder.mkdir(parents=True)
    (folder / "x").write_text("x")

    exclude.add(ws, [exclude.directory_line(ws)])

    assert repo.git("status", "--porcelain", "-uall") == ""
    assert not exclude.tracked(ws)


def test_a_file_that_cannot_be_read_or_written(repo: Repo) -> None:
    ws = Workspace.open(repo.path)
    path = repo.path / ".git" / "info" / "exclude"
    path.unlink()
    path.mkdir()

    with pytest.raises(CannotWrite, match="cannot read info/exclude"):
        exclude.add(ws, [b"/x/\n"])


@pytest.mark.parametrize("pattern", ["!.agent-state/", "!/.agent-state"])
def test_init_in_a_repository_that_un_ignores_the_directory(
    repo: Repo, pattern: str
) -> None:
    (repo.path / ".gitignore").write_text(f"{pattern}\n")

    done = gitstate("init", "--no-hooks", "--no-daemon", cwd=repo.path)

    assert "excluded" not in done.stdout
    assert MARK not in text(repo)
    assert "?? .agent-state/" in repo.git("status", "--porcelain")
    assert repo.git("rev-list", "--count", "agent-state") == "1"


def test_two_at_once_lose_no_line(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an `init` in one worktree beside an agent's install in another."""
    ws, real = Workspace.open(repo.path), exclude._write  # noqa: SLF001 where the other comes in
    exclude.add(ws, [b"/old\n"])
    other = threading.Thread(target=lambda: exclude.add(ws, [b"/theirs\n"]))

    def write(path: Path, data: bytes) -> None:
        if b"/ours\n" in data and not other.ident:
            other.start()
            other.join(0.5)  # it has written by then, unless it waits for us
        real(path, data)

    monkeypatch.setattr(exclude, "_write", write)
    exclude.add(ws, [b"/ours\n"])
    other.join()
    assert text(repo).endswith("/old\n/ours\n/theirs\n")
    exclude.take_out(ws, [b"/old\n", b"/theirs\n"])
    assert text(repo).endswith(f"{MARK}/ours\n")
