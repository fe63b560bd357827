"""The user's hooks, settings and environment: none of them reaches a version."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.reports.support import LINE, held, newest, put, sound, status
from tests.support import Repo, gitstate, make_repo, wait_for

HOOKS = (
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "pre-merge-commit",
    "post-merge",
    "post-checkout",
    "post-rewrite",
    "post-index-change",
    "pre-auto-gc",
    "pre-push",
    "reference-transaction",
    "fsmonitor-watchman",
)


def add_hook(folder: Path, name: str, body: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


@pytest.mark.report(1)
@pytest.mark.parametrize("engine", ["libgit2", "git"])
@pytest.mark.parametrize("where", ["hooks", "elsewhere"])
def test_no_hook_of_the_users_runs_or_stops_anything(
    repo: Repo,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    engine: str,
    where: str,
) -> None:
    monkeypatch.setenv("GITSTATE_ENGINE", engine)
    ran = tmp_path / "ran"
    folder = repo.path / ".git" / "hooks"
    if where == "elsewhere":
        folder = tmp_path / "hooks of all repositories"
        repo.git("config", "core.hooksPath", str(folder))
    remote = make_repo(tmp_path / "remote", commit=False)
    repo.git("remote", "add", "origin", str(remote.path))
    for name in HOOKS:
        add_hook(folder, name, f'echo {name} >>"{ran}"\nexit 1')
    repo.git("config", "core.fsmonitor", str(folder / "fsmonitor-watchman"))
    repo.write_six()
    gitstate("init", "--no-daemon", cwd=repo.path)
    repo.write("02-current-task.md", "two")
    gitstate("snapshot", cwd=repo.path)
    gitstate("restore", "v1", cwd=repo.path)
    gitstate("status", cwd=repo.path)
    gitstate("push", "origin", cwd=repo.path)
    gitstate("fetch", "origin", cwd=repo.path)
    tip = repo.git("rev-parse", LINE)
    repo.git("-c", "core.hooksPath=/dev/null", "branch", "-q", "-D", LINE)
    gitstate("fsck", "--repair", cwd=repo.path)
    gitstate("doctor", cwd=repo.path, check=False)
    assert repo.git("rev-parse", LINE) == tip
    assert remote.git("rev-parse", LINE) == tip
    assert newest(repo) == 3
    assert not ran.exists(), ran.read_text()


@pytest.mark.report(3)
@pytest.mark.parametrize("hooks", [True, False])
def test_setting_up_in_a_linked_worktree(
    repo: Repo, tmp_path: Path, *, hooks: bool
) -> None:
    if not hooks:
        shutil.rmtree(repo.path / ".git" / "hooks")
    linked = Repo(tmp_path / "linked")
    repo.git("worktree", "add", "-q", str(linked.path), "-b", "topic")
    (linked.path / "below").mkdir()
    linked.write_six()
    gitstate("init", "--no-daemon", cwd=linked.path / "below")
    linked.write("02-current-task.md", "two")
    gitstate("snapshot", cwd=linked.path)
    assert newest(repo, f"{LINE}.linked") == 2
    assert newest(repo) == 0
    assert linked.git("status", "--porcelain") == ""
    assert "nothing to do" in gitstate("init", "--no-daemon", cwd=linked.path).stdout
    sound(linked)


@pytest.mark.report(3)
def test_setting_up_where_the_git_directory_is_elsewhere(tmp_path: Path) -> None:
    apart = make_repo(tmp_path / "apart")
    apart.git("init", "-q", f"--separate-git-dir={tmp_path / 'the git dir'}")
    outer = make_repo(tmp_path / "outer")
    allowed = ("-c", "protocol.file.allow=always")
    outer.git(*allowed, "submodule", "--quiet", "add", str(apart.path), "sub")
    for found in (apart, Repo(outer.path / "sub")):
        assert (found.path / ".git").is_file()
        found.write_six()
        gitstate("init", "--no-daemon", cwd=found.path)
        assert newest(found) == 1
        assert found.git("status", "--porcelain") == ""
        sound(found)


@pytest.mark.report(6)
@pytest.mark.parametrize(
    "words", [["-am", "x"], ["-m", "x", "code.txt"], ["-m", "x", "--amend", "-a"]]
)
@pytest.mark.parametrize("hook", ["pre-commit", "commit-msg", "post-commit"])
def test_a_hook_of_the_users_that_makes_a_version(
    kept: Repo, words: list[str], hook: str
) -> None:
    run = f'"{sys.executable}" -m gitstate snapshot >/dev/null || exit 1'
    add_hook(kept.path / ".git" / "hooks", hook, run)
    kept.write("02-current-task.md", "two")
    kept.commit("other.txt")
    (kept.path / "code.txt").write_text("changed\n")
    (kept.path / "other.txt").write_text("changed too\n")
    kept.write("02-current-task.md", "three")
    kept.git("commit", "-q", *words)
    assert held(kept) == "three"
    assert kept.git("show", "HEAD:code.txt") == "changed"
    others = "changed too" if "code.txt" not in words else "code"
    assert kept.git("show", "HEAD:other.txt") == others
    assert kept.git("diff", "--cached", "--name-only") == ""
    assert kept.git("ls-tree", "-r", "--name-only", "HEAD").split() == [
        "code.txt",
        "other.txt",
    ]
    sound(kept)


@pytest.mark.report(7)
@pytest.mark.usefixtures("quick")
def test_a_daemon_started_from_a_hook_in_a_worktree_writes_each_repository_its_own(
    tmp_path: Path,
) -> None:
    first, second = make_repo(tmp_path / "first"), make_repo(tmp_path / "second")
    for repo in (first, second):
        repo.write_six()
        gitstate("init", "--no-daemon", cwd=repo.path)
    linked = Repo(tmp_path / "linked")
    first.git("worktree", "add", "-q", str(linked.path), "-b", "topic")
    linked.write_six("linked")
    run = f'"{sys.executable}" -m gitstate'
    log = tmp_path / "log"
    add_hook(
        first.path / ".git" / "hooks",
        "post-commit",
        f'env >"{log}"; {run} init "{linked.path}"; {run} init "{second.path}"',
    )
    try:
        linked.commit("more.txt")
        assert "GIT_DIR=" in log.read_text()
        pid = status(second)["daemon"]["pid"]
        if sys.platform == "linux":
            environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            assert [row for row in environment if row.startswith(b"GIT_")] == []
        put(second, "of the second")
        put(linked, "of the linked worktree")
        wait_for(lambda: held(second) == "of the second")
        theirs = f"{LINE}.linked"
        wait_for(lambda: held(first, line=theirs) == "of the linked worktree")
        assert held(first).endswith("one")
        assert [newest(first), newest(first, theirs), newest(second)] == [1, 2, 2]
        assert second.git("for-each-ref", "--format=%(refname)").split() == [
            "refs/heads/agent-state",
            "refs/heads/main",
            "refs/notes/gitstate",
        ]
    finally:
        gitstate("daemon", "stop", cwd=tmp_path)
    for repo in (first, linked, second):
        sound(repo)


@pytest.mark.report(13)
@pytest.mark.parametrize("engine", ["libgit2", "git"])
@pytest.mark.parametrize("user", ["", "[user]\n\tuseConfigOnly = true\n"])
def test_a_user_without_a_name_gets_versions(
    repo: Repo, home: Path, monkeypatch: pytest.MonkeyPatch, engine: str, user: str
) -> None:
    monkeypatch.setenv("GITSTATE_ENGINE", engine)
    (home / ".gitconfig").write_text(user)
    repo.write_six()
    gitstate("init", "--no-daemon", cwd=repo.path)
    repo.write("02-current-task.md", "two")
    gitstate("snapshot", cwd=repo.path)
    shown = repo.git("log", "--format=%an <%ae> %cn <%ce>", LINE)
    own = "gitstate <gitstate@localhost>"
    assert shown.split("\n") == [f"{own} {own}"] * 2
    sound(repo)


@pytest.mark.report(13)
@pytest.mark.parametrize(
    ("name", "email"),
    [("a <b>", "x"), ("\u00e9 \u4e2d", "e@x"), (" ", "e@x"), ("n", "")],
)
def test_an_odd_name_makes_no_broken_version(kept: Repo, name: str, email: str) -> None:
    kept.git("config", "user.name", name)
    kept.git("config", "user.email", email)
    kept.write("02-current-task.md", "two")
    gitstate("snapshot", cwd=kept.path)
    assert newest(kept) == 2
    sound(kept)


@pytest.mark.report(14)
@pytest.mark.parametrize("engine", ["libgit2", "git"])
def test_nothing_is_signed_and_nobody_is_asked(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    monkeypatch.setenv("GITSTATE_ENGINE", engine)
    asked = tmp_path / "asked"
    add_hook(tmp_path, "program", f'echo "$@" >>"{asked}"\nexit 1')
    program = str(tmp_path / "program")
    for key, value in {
        "commit.gpgsign": "true",
        "tag.gpgsign": "true",
        "push.gpgsign": "if-asked",
        "gpg.program": program,
        "gpg.format": "openpgp",
        "user.signingkey": "0123456789ABCDEF",
        "core.askPass": program,
        "core.editor": program,
        "sequence.editor": program,
        "core.pager": program,
    }.items():
        repo.git("config", key, value)
    repo.write_six()
    gitstate("init", "--no-daemon", cwd=repo.path)
    repo.write("02-current-task.md", "two")
    gitstate("snapshot", cwd=repo.path)
    gitstate("restore", "v1", cwd=repo.path)
    gitstate("log", cwd=repo.path)
    assert newest(repo) == 3
    assert "gpgsig" not in repo.git("cat-file", "commit", LINE)
    assert not asked.exists(), asked.read_text()


@pytest.mark.report(15)
@pytest.mark.parametrize("shape", ["sha256", "reftable", "partial clone"])
def test_a_repository_that_libgit2_cannot_open(tmp_path: Path, shape: str) -> None:
    repo = unusual(tmp_path, shape)
    repo.write_six()
    gitstate("init", "--no-daemon", cwd=repo.path)
    repo.write("02-current-task.md", "two")
    gitstate("snapshot", cwd=repo.path)
    gitstate("restore", "v1", cwd=repo.path)
    assert repo.state.joinpath("02-current-task.md").read_text().endswith("one\n")
    gitstate("restore", "v2", cwd=repo.path)
    assert repo.state.joinpath("02-current-task.md").read_text() == "two"
    assert gitstate("show", "v2:02-current-task.md", cwd=repo.path).stdout == "two"
    assert newest(repo) == 4
    repo.git("branch", "-q", "-D", LINE)
    gitstate("fsck", "--repair", cwd=repo.path)
    assert newest(repo) == 4
    assert repo.git("status", "--porcelain") == ""
    sound(repo)


def unusual(tmp_path: Path, shape: str) -> Repo:
    repo = Repo(tmp_path / "repo")
    if shape == "sha256":
        return make_repo(repo.path, object_format="sha256")
    if shape == "reftable":
        repo.path.mkdir()
        made = repo.git("init", "-q", "--ref-format=reftable", check=False)
        if not (repo.path / ".git" / "reftable").exists():
            pytest.skip(f"this git has no reftable {made}")
        repo.commit()
        return repo
    origin = make_repo(tmp_path / "origin")
    origin.git("config", "uploadpack.allowFilter", "true")
    url = f"file://{origin.path}"
    origin.git(
        "clone", "-q", "--filter=blob:none", "--no-checkout", url, str(repo.path)
    )
    repo.git("checkout", "-q", "main")
    assert "partialclone" in (repo.path / ".git" / "config").read_text().lower()
    return repo


@pytest.mark.report(14)
def test_a_remote_that_wants_a_password_is_asked_for_it_by_nobody_in_the_background(
    kept: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A version never reaches for the network, whatever the remote."""
    monkeypatch.setenv("GIT_ASKPASS", "/bin/false")
    kept.git("remote", "add", "origin", "https://localhost:1/nothing")
    kept.git("config", "gitstate.push", "true")
    kept.write("02-current-task.md", "two")
    gitstate("snapshot", cwd=kept.path)
    assert newest(kept) == 2
    assert kept.git("for-each-ref", "--format=%(refname)").split() == [
        "refs/heads/agent-state",
        "refs/heads/main",
        "refs/notes/gitstate",
    ]
