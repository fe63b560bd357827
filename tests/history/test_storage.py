"""Storage that says no: nothing recorded, nothing harmed, one line, and it recovers."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitstate.cli import main
from gitstate.workspace import Workspace
from tests.engines import begun, edit, files_of, files_on_disk, numbers, snap, versions
from tests.history.contents import as_nobody, needs_root
from tests.support import Repo, gitstate, make_repo

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.engines import Kind

TASK = "02-current-task.md"


def here(repo: Repo, *words: str) -> tuple[int, str, str]:
    """The command in this process: exit code, stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    os.chdir(repo.path)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    return code, out.getvalue(), err.getvalue()


def open_to_all(*folders: Path) -> None:
    """Let every account reach the test's folders."""
    top = Path(tempfile.gettempdir())
    for folder in folders:
        for part in (folder, *folder.parents):
            if top in part.parents:
                part.chmod(0o755)


@pytest.fixture
def mountable() -> None:
    """Skips the test where this account may mount nothing in a namespace of its own."""
    done = (
        subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False)
        if shutil.which("unshare")
        else None
    )
    if done is None or done.returncode != 0:
        pytest.skip("needs unshare -m")


def in_namespace(script: str, *words: str | Path, cwd: Path | None = None) -> str:
    """Run a shell script with mounts of its own; its output, both streams."""
    done = subprocess.run(
        ["unshare", "-m", "sh", "-eu", "-c", script, "sh", *words],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="surrogateescape",
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "Traceback" not in done.stdout, done.stdout
    return done.stdout


PYTHON = f"{sys.executable} -m gitstate"


def test_a_read_only_file_system(repo: Repo, mountable: None) -> None:
    ws = begun(repo)
    edit(ws, "two\n")
    (ws.state_dir / TASK).write_text("not yet in a version\n")
    before = repo.git("for-each-ref"), files_on_disk(ws)

    said = in_namespace(
        'mount --bind "$1" "$1"\nmount -o remount,ro,bind "$1"\ncd "$1"\n'
        "code=0\n"
        f"for verb in snapshot 'restore v1' 'fsck --repair' 'init --no-hooks --no-daemon'; do\n"
        f'  {PYTHON} $verb || code=$?; echo "= $verb: $code"; code=0\n'
        "done\n"
        f"for verb in status log show 'show v1' diff fsck 'restore v1 --dry-run'; do\n"
        f'  {PYTHON} $verb >/dev/null; echo "= $verb: $?"\n'
        "done\n",
        repo.path,
    )

    lock = "gitstate: cannot take gitstate's lock: the file system is read-only"
    lines = said.splitlines()
    refused = [line for line in lines if line.startswith("gitstate: ")]
    assert [line.split(" (")[0] for line in refused] == [lock] * 4
    assert all(line.endswith("; nothing was recorded") for line in refused)
    assert [line for line in lines if line.startswith("=")] == [
        "= snapshot: 1",
        "= restore v1: 1",
        "= fsck --repair: 1",
        "= init --no-hooks --no-daemon: 1",
        "= status: 0",
        "= log: 0",
        "= show: 0",
        "= show v1: 0",
        "= diff: 0",
        "= fsck: 0",
        "= restore v1 --dry-run: 0",
    ]
    assert mountable is None
    assert before == (repo.git("for-each-ref"), files_on_disk(ws))
    assert snap(ws).version == 3


def test_a_read_only_git_dir(repo: Repo, mountable: None) -> None:
    """As an agent's sandbox has it: the files can be written, ``.git`` cannot."""
    ws = begun(repo)

    said = in_namespace(
        'mount --bind "$1/.git" "$1/.git"\nmount -o remount,ro,bind "$1/.git"\n'
        f'cd "$1"\necho edited > .agent-state/{TASK}\n'
        f"{PYTHON} snapshot || echo exit $?\n"
        f"{PYTHON} status\n",
        repo.path,
    )

    assert "gitstate: cannot take gitstate's lock: the file system is read-only" in said
    assert "exit 1" in said
    assert f"not yet in a version: {TASK}" in said
    assert mountable is None
    outcome = snap(ws)
    assert outcome.version == 2
    assert outcome.commit is not None
    assert files_of(ws, outcome.commit)[TASK] == b"edited\n"


@needs_root
def test_a_repository_of_another_account(
    kind: Kind, tmp_path: Path, home: Path
) -> None:
    """Readable and not writable; git's safe.directory lets us in."""
    open_to_all(tmp_path, home)
    repo = make_repo(tmp_path / "repo", object_format=kind.object_format)
    ws = begun(repo)
    edit(ws, "two\n")
    (home / ".gitconfig").write_text("[safe]\n\tdirectory = *\n")
    (home / ".gitconfig").chmod(0o644)
    repo.write(TASK, "three\n")

    here(repo, "log")  # what is imported late is imported now

    def snapshot() -> None:
        code, _, err = here(repo, "snapshot")
        assert code == 1, err
        assert "permission denied" in err
        assert err.count("\n") == 1, err

    as_nobody(snapshot)

    assert numbers(ws) == [2, 1]
    assert snap(ws).version == 3


@needs_root
def test_gits_own_refusal_is_shown(tmp_path: Path, home: Path) -> None:
    open_to_all(tmp_path, home)
    repo = make_repo(tmp_path / "repo")
    begun(repo)

    here(repo, "status")

    def status() -> None:
        code, _, err = here(repo, "status")
        assert code == 1
        assert "safe.directory" in err
        assert err.count("\n") == 1, err

    as_nobody(status)


@needs_root
def test_state_files_that_cannot_be_read_are_named(
    kind: Kind, tmp_path: Path, home: Path
) -> None:
    open_to_all(tmp_path, home)
    repo = make_repo(tmp_path / "repo", object_format=kind.object_format)
    ws = begun(repo)
    repo.write("closed.md", "secret\n").chmod(0)
    (ws.state_dir / "closed").mkdir(mode=0)
    for path in (repo.path, *repo.path.rglob("*")):
        os.chown(path, 65534, 65534, follow_symlinks=False)
    state = tmp_path / "state"
    state.mkdir()
    os.chown(state, 65534, 65534)

    here(repo, "log")

    def snapshot() -> None:
        os.environ["XDG_STATE_HOME"] = str(state)
        # this process's libgit2 remembers the home of the first test in it
        os.environ.pop("GITSTATE_ENGINE")
        code, _, err = here(repo, "snapshot")
        assert code == 0, err
        assert err.splitlines() == [
            "gitstate: left out: closed (cannot be read: permission denied)",
            "gitstate: left out: closed.md (cannot be read: permission denied)",
        ]

    as_nobody(snapshot)
    (ws.state_dir / "closed").chmod(0o755)


# --- a full disk -------------------------------------------------------------------


@contextlib.contextmanager
def full(folder: Path) -> Iterator[None]:
    """A folder's file system without a free byte."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"\0" * 4096)
    try:
        yield
    finally:
        filler.unlink()


@pytest.fixture
def small(mountable: None, tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder],
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.skip("may not mount a tmpfs")
    assert mountable is None
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def test_a_full_disk_records_nothing_and_harms_nothing(kind: Kind, small: Path) -> None:
    repo = make_repo(small / "repo", object_format=kind.object_format)
    ws = begun(repo)
    edit(ws, "two\n")
    (ws.state_dir / TASK).write_text("not yet in a version\n" * 500)
    before = repo.git("for-each-ref"), files_on_disk(ws)
    packs = sorted((ws.objects_dir / "pack").iterdir())

    with full(small):
        for _ in range(3):
            done = gitstate("snapshot", cwd=repo.path, check=False)
            assert (done.returncode, done.stdout) == (1, "")
            assert "the disk is full" in done.stderr
            assert done.stderr.endswith("; nothing was recorded\n")
            assert done.stderr.count("\n") == 1, done.stderr
        assert "not yet in a version" in gitstate("status", cwd=repo.path).stdout
        assert gitstate("log", cwd=repo.path).stdout.count("\n") == 2
        done = gitstate("restore", "v1", cwd=repo.path, check=False)
        assert done.returncode == 1
        assert "the disk is full" in done.stderr
        assert before == (repo.git("for-each-ref"), files_on_disk(ws))
        assert sorted((ws.objects_dir / "pack").iterdir()) == packs
        assert not list(ws.runtime.glob("*.tmp"))

    assert snap(ws).version == 3
    assert files_of(ws, versions(ws)[0].commit.id) == files_on_disk(ws)
    repo.git("fsck", "--full", "--strict", "--no-dangling")


def test_a_disk_that_is_full_while_a_restore_writes(kind: Kind, small: Path) -> None:
    repo = make_repo(small / "repo", object_format=kind.object_format)
    ws = begun(repo)
    (ws.state_dir / "large.bin").write_text(os.urandom(350_000).hex())
    snap(ws)
    (ws.state_dir / "large.bin").write_bytes(b"small now\n")
    (ws.state_dir / TASK).write_text("three\n")
    snap(ws)
    before = files_on_disk(ws)
    hog = small / "hog"
    free = shutil.disk_usage(small).free
    hog.write_bytes(b"\0" * (free - 300_000))

    done = gitstate("restore", "v2", cwd=repo.path, check=False)

    assert done.returncode == 1
    assert "the disk is full" in done.stderr
    assert files_on_disk(ws) == before
    hog.unlink()
    assert snap(ws).notices == ()
    assert numbers(ws) == [3, 2, 1]
    done = gitstate("restore", "v2", cwd=repo.path)
    assert len(files_on_disk(ws)["large.bin"]) == 700_000


def test_init_on_a_full_disk(kind: Kind, small: Path) -> None:
    repo = make_repo(small / "repo", object_format=kind.object_format)

    with full(small):
        done = gitstate("init", "--no-hooks", "--no-daemon", cwd=repo.path, check=False)
        assert done.returncode == 1
        assert "the disk is full" in done.stderr
        assert done.stderr.count("\n") == 1, done.stderr

    done = gitstate("init", "--no-hooks", "--no-daemon", cwd=repo.path)
    assert "made v1 on the branch agent-state" in done.stdout
    ws = Workspace.open(repo.path)
    assert numbers(ws) == [1]
    assert all(data for data in files_on_disk(ws).values())


def test_a_home_that_is_full(
    repo: Repo, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The anchor cannot be kept; the version is made, and the cache tells of it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(small))
    ws = begun(repo)

    with full(small):
        assert edit(ws, "two\n").version == 2
        assert edit(ws, "three\n").version == 3
        repo.git("branch", "-D", "agent-state")
        outcome = edit(ws, "four\n")

    assert outcome.version == 4
    assert outcome.notices[0].startswith("the branch agent-state is gone")
