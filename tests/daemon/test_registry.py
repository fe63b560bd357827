from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gitstate.daemon import registry
from gitstate.daemon.registry import Entry, Listing
from gitstate.errors import CannotWrite, Refused
from gitstate.workspace import Workspace, state_home
from tests.support import Repo, make_repo


@pytest.fixture
def ws(repo: Repo) -> Workspace:
    return Workspace.open(repo.path)


def path() -> Path:
    return state_home() / "registry.json"


def put(data: bytes) -> None:
    state_home().mkdir(parents=True, exist_ok=True)
    path().write_bytes(data)


def kept_aside() -> list[Path]:
    return sorted(state_home().glob("registry.json.damaged-*"))


def test_nothing_is_registered_and_nothing_is_made_by_asking() -> None:
    assert registry.listing() == Listing(())
    assert registry.remove(Path("/nowhere")) == (False, ())
    assert not state_home().exists()


def test_add_list_remove(ws: Workspace, tmp_path: Path) -> None:
    other = Workspace.open(make_repo(tmp_path / "other").path)
    assert registry.add(ws) == (True, ())
    assert registry.add(ws) == (False, ())
    assert registry.add(other) == (True, ())
    assert registry.listing() == Listing((Entry.of(other), Entry.of(ws)))
    assert registry.remove(ws.root) == (True, ())
    assert registry.remove(ws.root) == (False, ())
    assert registry.listing() == Listing((Entry.of(other),))
    assert stat.S_IMODE(path().stat().st_mode) == 0o600
    assert stat.S_IMODE(state_home().stat().st_mode) == 0o700


def test_an_entry_says_where_everything_is(repo: Repo) -> None:
    repo.git("worktree", "add", "-q", "../linked")
    linked = Workspace.open(repo.path.parent / "linked")
    registry.add(linked)
    row = json.loads(path().read_text())["repositories"][0]
    assert row == {
        "root": str(linked.root),
        "git_dir": str(repo.path / ".git/worktrees/linked"),
        "common_dir": str(repo.path / ".git"),
        "mount": str(registry.mount_point(linked.root)),
    }
    assert Entry.of(linked).mounted()
    assert not Entry(linked.root, linked.git_dir, linked.common_dir).mounted()


def test_a_worktree_that_moved_its_git_dir_is_one_entry(ws: Workspace) -> None:
    registry.add(ws)
    entry = Entry.of(ws)
    put(path().read_bytes().replace(b"/.git", b"/.old"))
    assert registry.add(ws) == (False, ())
    assert registry.listing().entries == (entry,)


@pytest.mark.parametrize(
    "name", [b"a\nb", b"q\"uo'te", b"\xff\xfe", "ünïcode".encode(), b"-dash", b" "]
)
def test_hostile_names_come_back_as_they_were(tmp_path: Path, name: bytes) -> None:
    repo = make_repo(tmp_path / os.fsdecode(name))
    ws = Workspace.open(repo.path)
    registry.add(ws)
    assert registry.listing().entries == (Entry.of(ws),)
    assert registry.listing().entries[0].root.samefile(repo.path)


GARBAGE = {
    "empty": b"",
    "torn": b'{"format": 1, "repositories": [{"root": "/a", "git_',
    "binary": b"\x00\xff\xfe" * 100,
    "another shape": b"[1, 2]",
    "no list": b'{"format": 1, "repositories": {"root": "/a"}}',
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_is_kept_aside_and_said_once(ws: Workspace, name: str) -> None:
    put(GARBAGE[name])
    found = registry.listing()
    assert found.entries == ()
    assert len(found.warnings) == 1
    assert "\n" not in found.warnings[0]
    assert [item.read_bytes() for item in kept_aside()] == [GARBAGE[name]]
    assert kept_aside()[0].name in found.warnings[0]
    assert registry.listing() == Listing(())
    assert registry.add(ws) == (True, ())


@pytest.mark.parametrize(
    "bad",
    [
        None,
        7,
        {},
        {"root": "relative", "git_dir": "/a", "common_dir": "/a"},
        {"root": "/a\0b", "git_dir": "/a", "common_dir": "/a"},
        {"root": "/a\ud800", "git_dir": "/a", "common_dir": "/a"},
        {"root": ["/a"], "git_dir": "/a", "common_dir": "/a"},
    ],
)
def test_good_entries_outlive_a_bad_one(ws: Workspace, bad: object) -> None:
    registry.add(ws)
    document = json.loads(path().read_text())
    document["repositories"].insert(0, bad)
    damaged = json.dumps(document).encode()
    put(damaged)
    found = registry.listing()
    assert found.entries == (Entry.of(ws),)
    assert "1 of its entries cannot be understood" in found.warnings[0]
    assert [item.read_bytes() for item in kept_aside()] == [damaged]
    assert registry.listing() == Listing((Entry.of(ws),))


def test_adding_to_garbage_loses_nothing(ws: Workspace) -> None:
    put(b"garbage")
    new, warnings = registry.add(ws)
    assert new
    assert len(warnings) == 1
    assert registry.listing() == Listing((Entry.of(ws),))
    put(b"garbage again")
    registry.listing()
    assert {item.read_bytes() for item in kept_aside()} == {
        b"garbage",
        b"garbage again",
    }


def test_what_is_no_file_is_kept_aside_too(ws: Workspace) -> None:
    state_home().mkdir(parents=True)
    path().mkdir()
    assert "not a regular file" in registry.listing().warnings[0]
    path().unlink()
    path().symlink_to("/etc/passwd")
    assert "a symbolic link" in registry.listing().warnings[0]
    path().unlink()
    os.mkfifo(path())
    assert "not a regular file" in registry.listing().warnings[0]
    assert registry.add(ws) == (True, ())


def test_a_newer_registry_is_left_alone(ws: Workspace) -> None:
    text = b'{"format": 2, "repositories": []}'
    put(text)
    with pytest.raises(Refused, match="newer gitstate"):
        registry.listing()
    with pytest.raises(Refused, match="newer gitstate"):
        registry.add(ws)
    assert path().read_bytes() == text


def test_what_cannot_be_mended_is_said_and_left(
    ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(b"garbage")
    monkeypatch.setattr(Path, "rename", _refuse)
    assert "it is not JSON" in registry.listing().warnings[0]
    with pytest.raises(CannotWrite, match="read-only"):
        registry.add(ws)
    assert path().read_bytes() == b"garbage"


def _refuse(*_: object) -> None:
    raise OSError(30, "Read-only file system")


def test_many_at_once_lose_nothing(tmp_path: Path) -> None:
    repos = [make_repo(tmp_path / f"r{number}", commit=False) for number in range(8)]
    code = (
        "import sys; from pathlib import Path; from gitstate.daemon import registry;"
        "from gitstate.workspace import Workspace;"
        "registry.add(Workspace.open(Path(sys.argv[1])))"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(repo.path)]) for repo in repos
    ]
    assert [process.wait(60) for process in running] == [0] * 8
    assert [entry.root for entry in registry.listing().entries] == [
        repo.path for repo in repos
    ]
