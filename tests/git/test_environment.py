"""The one way git is called: what it inherits, and what is said when it fails."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import GitFailed, NotARepository
from gitstate.git.environment import (
    FLAGS,
    MINIMUM_GIT,
    first_line,
    git,
    git_fields,
    git_version,
    require_git,
    scrubbed,
)
from tests.support import make_repo, wait_for

if TYPE_CHECKING:
    from tests.support import Repo


def fake_git(folder: Path, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ``git`` of the test's own, first on the PATH."""
    folder.mkdir(exist_ok=True)
    script = folder / "git"
    script.write_text(f"#!/bin/sh\n{body}\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_what_a_hook_leaves_in_the_environment_is_taken_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for key in (
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_PREFIX",
        "GIT_NAMESPACE",
        "GIT_AUTHOR_DATE",
        "GIT_COMMITTER_NAME",
        "GIT_QUARANTINE_PATH",
        "GIT_EDITOR",
        "GIT_EXTERNAL_DIFF",
        "GIT_TRACE",
        "GIT_SSH_COMMAND",
        "GIT_CONFIG",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_KEY_0",
        "GIT_CONFIG_VALUE_0",
        "GIT_CONFIG_PARAMETERS",
        "GIT_DEFAULT_HASH",
        "GIT_REFLOG_ACTION",
    ):
        monkeypatch.setenv(key, "x")
    for key in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CEILING_DIRECTORIES"):
        monkeypatch.setenv(key, "kept")

    found = {key: value for key, value in scrubbed().items() if key.startswith("GIT_")}

    assert found == {
        "GIT_CONFIG_GLOBAL": "kept",
        "GIT_CONFIG_SYSTEM": "kept",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": "kept",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
    }
    assert scrubbed(network=True)["GIT_SSH_COMMAND"] == "x"
    assert scrubbed(settings=True)["GIT_CONFIG_PARAMETERS"] == "x"


def test_another_repositorys_git_dir_does_not_count(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_repo(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))

    found = git(["rev-parse", "--absolute-git-dir"], cwd=repo.path).stdout

    assert found.decode().strip() == str(repo.path / ".git")


def test_git_speaks_english_whatever_the_users_language(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("LANGUAGE", "de")

    with pytest.raises(GitFailed, match=r"git log: .*(unknown|ambiguous)"):
        git(["log", "nothing"], cwd=repo.path)


def test_no_user_hook_monitor_or_signature_runs(repo: Repo, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    for name in ("pre-commit", "commit-msg", "post-commit", "reference-transaction"):
        hook = repo.path / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {ran}\nexit 1\n")
        hook.chmod(0o755)
    repo.git("config", "core.fsmonitor", str(hook))
    repo.git("config", "commit.gpgsign", "true")
    repo.git("config", "gpg.program", "/bin/false")

    git(["status"], cwd=repo.path)
    git(["commit", "--allow-empty", "-m", "x"], cwd=repo.path)

    assert not ran.exists()
    assert "gpgsig" not in repo.git("cat-file", "commit", "HEAD")


def test_the_index_is_not_locked_for_a_refresh(repo: Repo) -> None:
    index = repo.path / ".git" / "index"
    os.utime(repo.path / "code.txt", (1, 1))
    before = index.stat().st_mtime_ns

    git(["status"], cwd=repo.path)

    assert index.stat().st_mtime_ns == before


def test_gits_own_words_are_in_the_error(repo: Repo) -> None:
    with pytest.raises(GitFailed) as caught:
        git(["cat-file", "blob", "nothing"], cwd=repo.path)

    assert str(caught.value) == "git cat-file: Not a valid object name nothing"
    assert git(["cat-file", "-e", "x"], cwd=repo.path, check=False).returncode == 128


@pytest.mark.parametrize(
    ("stderr", "expected"),
    [
        (b"", ""),
        (b"\n\n", ""),
        (b"hint: x\nfatal: no\nerror: y\n", "no"),
        (b"warning: a\nerror: y\n", "y"),
        (b"something\nelse\n", "something"),
        (b"fatal: \x1b[31m\xff\n", "\\x1b[31m\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_the_telling_line_of_stderr(stderr: bytes, expected: str) -> None:
    assert first_line(stderr) == expected


def test_a_silent_failure_has_its_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_git(tmp_path / "bin", "exit 7", monkeypatch)

    with pytest.raises(GitFailed, match="git x: exit code 7"):
        git(["x"], cwd=tmp_path)


def test_without_git_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(GitFailed) as caught:
        git(["version"], cwd=tmp_path)

    needed = ".".join(map(str, MINIMUM_GIT))
    assert str(caught.value) == (
        f"git was not found on the PATH; install git {needed} or later"
    )


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(NotARepository, match="no such directory"):
        git(["version"], cwd=tmp_path / "nothing")
    with pytest.raises(NotARepository, match="not a directory"):
        git(["version"], cwd=tmp_path / "file")


def test_a_git_that_takes_too_long_is_ended_gently(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = tmp_path / "said"
    body = f"trap 'echo term > {said}; exit 0' TERM\necho $$ > {tmp_path}/pid\n"
    body += "while :; do sleep 0.05; done"
    fake_git(tmp_path / "bin", body, monkeypatch)

    with pytest.raises(GitFailed, match=r"git x took longer than 0\.5 s"):
        git(["x"], cwd=tmp_path, timeout_s=0.5)

    assert said.read_text() == "term\n"


def test_a_git_that_ignores_sigterm_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitstate.git.environment._TERM_GRACE_S", 0.2)
    fake_git(
        tmp_path / "bin",
        f"trap '' TERM\necho $$ > {tmp_path}/pid\nexec sleep 60",
        monkeypatch,
    )

    with pytest.raises(GitFailed, match="took longer"):
        git(["x"], cwd=tmp_path, timeout_s=0.5)

    pid = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_an_interrupt_does_not_leave_git_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_git(tmp_path / "bin", f"echo $$ > {tmp_path}/pid\nexec sleep 60", monkeypatch)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gitstate.git.environment._TERM_GRACE_S", 1.0)
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            git(["x"], cwd=tmp_path, timeout_s=30)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

    pid = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 5

    def gone() -> bool:
        return not Path(f"/proc/{pid}").exists() or time.monotonic() > deadline

    wait_for(gone)
    assert not Path(f"/proc/{pid}").exists()


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("git version 2.39.5", (2, 39, 5)),
        ("git version 2.39.5 (Apple Git-154)", (2, 39, 5)),
        ("git version 2.48.0.rc1.5.gabc", (2, 48, 0)),
        ("git version 2.34", (2, 34)),
        ("git version 2.34.1.windows.1", (2, 34, 1)),
        ("git version", ()),
        ("", ()),
    ],
)
def test_the_version_of_git(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    said: str,
    expected: tuple[int, ...],
) -> None:
    fake_git(tmp_path / "bin", f"echo '{said}'", monkeypatch)

    assert git_version(tmp_path) == expected


def test_an_old_git_is_refused_with_the_version_that_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_git(tmp_path / "bin", "echo 'git version 2.20.1'", monkeypatch)

    with pytest.raises(
        GitFailed, match=r"git 2\.20\.1 is too old: gitstate needs git 2\.34 or later"
    ):
        require_git(tmp_path)


def test_the_git_of_this_machine_will_do(tmp_path: Path) -> None:
    assert require_git(tmp_path) >= MINIMUM_GIT


def test_our_flags_are_pairs_that_git_takes(tmp_path: Path) -> None:
    assert FLAGS[::2] == ("-c",) * (len(FLAGS) // 2)
    listing = git(["config", "--list"], cwd=tmp_path).stdout.decode().lower().split()
    for flag in FLAGS[1::2]:
        assert flag.lower() in listing


# fields as they come


def test_fields_of_any_kind(repo: Repo) -> None:
    names = [b"-n", b"a\nb", b"code.txt", b"\xff"]
    for name in names:
        Path(os.fsdecode(os.fsencode(repo.path) + b"/" + name)).write_text("x")
    args = ["ls-files", "-z", "--cached", "--others"]
    assert sorted(git_fields(args, cwd=repo.path)) == names
    assert list(git_fields([*args, "--", "none"], cwd=repo.path)) == []


def test_whoever_has_seen_enough_ends_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_git(
        tmp_path / "bin",
        f"echo $$ >{tmp_path}/pid; while :; do printf 'one\\0two\\0'; done",
        monkeypatch,
    )
    fields = git_fields(["ls-files"], cwd=tmp_path)
    assert [next(fields), next(fields)] == [b"one", b"two"]
    fields.close()  # type: ignore[attr-defined]
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


@pytest.mark.parametrize("body", ["sleep 60", "exec >&-; sleep 60"])
def test_fields_that_do_not_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    fake_git(tmp_path / "bin", f"exec 2>&-; printf 'one\\0'; {body}", monkeypatch)
    fields = git_fields(["ls-files"], cwd=tmp_path, timeout_s=0.5)
    assert next(fields) == b"one"
    with pytest.raises(GitFailed, match=r"ls-files took longer than 0\.5 s"):
        next(fields)


def test_fields_of_a_git_that_fails(repo: Repo, tmp_path: Path) -> None:
    with pytest.raises(GitFailed, match="git ls-files: exit code"):
        list(git_fields(["ls-files", "--no-such"], cwd=repo.path))
    with pytest.raises(GitFailed):
        list(git_fields(["ls-files"], cwd=tmp_path / "none"))
