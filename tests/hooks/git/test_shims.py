"""The hooks themselves: whatever happens to the tool, git goes on, and nobody waits."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import gitstate as package
from gitstate.hooks.git import marks, texts
from tests.hooks.git.effects import ALL_OURS, Ran, Scene, add_hook
from tests.support import Repo, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

BARE = {"PATH": "/usr/bin:/bin"}
PACKAGE = Path(package.__file__).parent


@pytest.fixture
def python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Python of the hooks' own, which a test may break."""
    path = tmp_path / "env" / "bin" / "python"
    path.parent.mkdir(parents=True)
    path.symlink_to(sys.executable)
    (tmp_path / "env" / "lib").symlink_to(PACKAGE.parent)
    where = texts.Tool(path, tmp_path / "env" / "lib" / "gitstate")
    monkeypatch.setattr(texts, "this_tool", lambda: where)
    return path


def replaced(python: Path, script: str) -> None:
    python.unlink()
    add_hook(python, f"#!/bin/sh\n{script}\n")


def edited_code(scene: Scene) -> None:
    """One more line of code, and no update of the task."""
    with (scene.repo.path / "code.txt").open("a") as file:
        file.write("more\n")
    scene.repo.git("add", "code.txt")
    later = time.time() + 60
    os.utime(scene.repo.path / "code.txt", (later, later))


def verdict(scene: Scene) -> str:
    """What the hooks left of HEAD's check."""
    head = scene.repo.git("rev-parse", "HEAD")
    return (scene.runtime / "links" / f"{head}.v").read_text().strip()


def plain(ran: Ran) -> bool:
    return (ran.code, ran.err) == (0, "")


def test_updated_and_not(scene: Scene) -> None:
    scene.init()
    ran = scene.commit()
    assert (plain(ran), ran.ours, verdict(scene)) == (True, ALL_OURS, "updated")
    edited_code(scene)
    ran = scene.git("commit", "-q", "-m", "more")
    assert (ran.code, ran.ours) == (0, ALL_OURS)
    assert len(ran.err.splitlines()) == 2
    assert verdict(scene).startswith("stale ")
    head = scene.repo.git("rev-parse", "HEAD")
    task = (scene.repo.state / "02-current-task.md").read_bytes()
    assert (scene.runtime / "links" / head).read_bytes() == task
    scene.repo.git("config", "gitstate.gate", "block")
    edited_code(scene)
    ran = scene.git("commit", "-q", "-m", "more")
    assert (ran.code, ran.ours) == (1, {"pre-commit"})
    assert scene.repo.git("rev-parse", "HEAD") == head


# the tool is gone, broken, or hangs


@pytest.mark.report(12)
@pytest.mark.parametrize("updated", [True, False])
@pytest.mark.parametrize("gone", ["python", "package"])
@pytest.mark.parametrize("daemon", [True, False])
def test_the_tool_is_gone(
    scene: Scene,
    python: Path,
    updated: bool,  # noqa: FBT001 pytest's
    gone: str,
    daemon: bool,  # noqa: FBT001 pytest's
) -> None:
    scene.init()
    (python if gone == "python" else python.parents[1] / "lib").unlink()
    if not daemon:
        (scene.runtime / "daemon").unlink()
    scene.work() if updated else edited_code(scene)
    done = subprocess.run(
        ["env", "-i", f"HOME={os.environ['HOME']}", *(f"{k}={v}" for k, v in BARE.items()),
         "git", "commit", "-q", "-m", "x"],
        cwd=scene.repo.path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    quiet = updated and daemon
    assert len(done.stderr.splitlines()) == (0 if quiet else 1)
    if not quiet:
        assert f"{python.parents[1]}" in done.stderr
        assert "is gone, so this commit" in done.stderr
        assert "run `gitstate hooks install`, or switch this off: rm " in done.stderr
        scene.repo.path.joinpath(done.stderr.split("rm ")[1].strip()).unlink()
        edited_code(scene)
        assert plain(scene.git("commit", "-q", "-m", "y"))
    else:
        assert verdict(scene) == "updated"


@pytest.mark.report(12)
@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("exit 1", "the check failed"),
        ("echo Traceback >&2; exit 1", "the check failed"),
        ("exit 127", "the check failed"),
        ("kill -11 $$", "the check failed"),
        ("echo much; exit 0", ""),
    ],
)
def test_the_tool_is_broken(
    scene: Scene, python: Path, script: str, words: str
) -> None:
    scene.init()
    scene.repo.git("config", "gitstate.gate", "block")
    replaced(python, script)
    edited_code(scene)
    ran = scene.git("commit", "-m", "x")
    assert (ran.code, ran.ours) == (0, ALL_OURS)
    assert words in ran.err
    assert len(ran.err.splitlines()) == bool(words)


def test_the_tool_hangs(scene: Scene, python: Path, tmp_path: Path) -> None:
    """Also what it leaves behind holds neither git nor who reads git's output."""
    scene.init()
    (scene.runtime / "daemon").unlink()
    pids = tmp_path / "pids"
    replaced(python, f'sleep 600 & echo "$$ $!" >>"{pids}"; wait')
    edited_code(scene)
    try:
        ran = scene.git("commit", "-m", "x")
        assert ran.code == 0
        (line,) = ran.err.splitlines()
        assert "took longer than 5 s, so this commit was not checked" in line
        assert verdict(scene) == "bypassed the check could not run"
        scene.work()
        assert plain(scene.git("commit", "-q", "-m", "y"))
        wait_for(
            lambda: len(pids.read_text().splitlines()) == 2
        )  # the check, the linker
        linker = int(pids.read_text().splitlines()[1].split()[0])
        os.kill(linker, 0)  # nobody waited for its end
    finally:
        for pid in pids.read_text().split() if pids.exists() else ():
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                continue


@pytest.mark.parametrize(
    "hook", ["post-commit", "post-rewrite", "post-merge", "pre-push"]
)
def test_others_of_ours_without_the_tool(
    scene: Scene, python: Path, hook: str, tmp_path: Path
) -> None:
    scene.repo.git("init", "-q", "--bare", str(tmp_path / "remote"))
    scene.repo.git("checkout", "-q", "-b", "topic")
    scene.repo.commit("topic.txt")
    scene.repo.git("checkout", "-q", "main")
    scene.init()
    scene.commit()
    (scene.runtime / "daemon").unlink()
    python.unlink()
    ran = {
        "post-commit": ("commit", "-q", "--no-verify", "--allow-empty", "-m", "x"),
        "post-rewrite": ("commit", "-q", "--amend", "--no-verify", "-m", "x"),
        "post-merge": ("merge", "-q", "topic", "-m", "x"),
        "pre-push": ("push", "-q", str(tmp_path / "remote"), "main"),
    }[hook]
    found = scene.git(*ran)
    assert found.code == 0
    assert found.err.count("is gone, so this ") >= 1


@pytest.mark.parametrize("path", ["/usr/bin:/bin", "/nonexistent", None])
def test_an_empty_environment(scene: Scene, path: str | None) -> None:
    scene.init()
    git = shutil.which("git")
    assert git is not None
    scene.work()
    variables = {"HOME": os.environ["HOME"], **({"PATH": path} if path else {})}
    done = subprocess.run(
        [git, "commit", "-q", "-m", "x"],
        cwd=scene.repo.path,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    if path != "/nonexistent":
        assert verdict(scene) == "updated"


# what is started


def test_the_fast_path_starts_no_python(
    scene: Scene, python: Path, tmp_path: Path
) -> None:
    scene.init()
    log = tmp_path / "started"
    replaced(python, f'echo "$*" >>"{log}"; exit 0')
    for _ in range(3):
        assert plain(scene.commit())
    assert not log.exists()


@pytest.mark.skipif(shutil.which("strace") is None, reason="no strace here")
def test_the_processes_of_a_commit(scene: Scene, tmp_path: Path) -> None:
    scene.init()
    scene.work()
    trace = tmp_path / "trace"
    command = ["strace", "-f", "-qq", "-e", "trace=execve", "-o", str(trace)]
    done = subprocess.run(
        [*command, "git", "commit", "-q", "-m", "x"],
        cwd=scene.repo.path,
        capture_output=True,
        check=False,
    )
    if done.returncode != 0 and b"ptrace" in done.stderr:
        pytest.skip("ptrace is not allowed here")
    started = [
        Path(row.split('"')[1]).name
        for row in trace.read_text().splitlines()
        if "execve(" in row and " = 0" in row
    ]
    hooks = [name for name in started if name not in {"git", "maintenance"}]
    assert hooks == ["pre-commit", "cmp", "post-commit", "tee"]
    assert started.count("git") <= 3  # commit, and its own maintenance


@pytest.mark.parametrize(
    "place", ["packed", "detached", "linked", "alias", "dots", "unborn"]
)
def test_wherever_head_is(scene: Scene, place: str, tmp_path: Path) -> None:
    """It is read from git's files where that is safe; where it is not, git is asked."""
    git = scene.repo.git
    match place:
        case "detached":
            git("checkout", "-q", "--detach")
        case "linked":
            git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "a/b")
            scene = Scene(Repo(tmp_path / "linked"), scene.log)
        case "alias":
            git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
            git("symbolic-ref", "HEAD", "refs/heads/alias")
        case "dots":
            git("checkout", "-q", "-b", "x-/ü.y")
        case "unborn":
            git("checkout", "-q", "--orphan", "new")
    scene.init()
    for number in range(3):
        if place == "packed":
            git("pack-refs", "--all")
            assert not (scene.repo.path / ".git/refs/heads/main").exists()
        assert plain(scene.commit())
        first = place == "unborn" and number == 0
        assert verdict(scene) == ("exempt first commit" if first else "updated")


def test_without_a_daemon_every_commit_is_linked(scene: Scene) -> None:
    """Commits in a row, each with an amend: the last one too, and by few processes."""
    scene.init()
    (scene.runtime / "daemon").unlink()
    for number in range(12):
        scene.work()
        scene.repo.git("commit", "-q", "-m", f"{number}")
        if number % 3 == 0:
            scene.repo.git("commit", "-q", "--amend", "-m", f"{number} again")

    def noted() -> list[str]:
        rows = scene.repo.git("log", "--notes=gitstate", "--format=%s:%N", "-z")
        return [row.split(":")[0] for row in rows.split("\0") if "State-Check" in row]

    wait_for(lambda: len(noted()) >= 13, limit_s=60)
    wait_for(lambda: not (scene.runtime / "linking").exists())
    assert list((scene.runtime / "links").iterdir()) == []


@pytest.mark.report(7)
def test_in_a_linked_worktree_each_links_its_own(scene: Scene, tmp_path: Path) -> None:
    """There git sets GIT_DIR for the hook: no child of ours goes by it."""
    linked = Scene(Repo(tmp_path / "linked"), scene.log)
    scene.repo.git("worktree", "add", "-q", str(linked.repo.path), "-b", "topic")
    for place in (scene, linked):
        place.init()
        (place.runtime / "daemon").unlink()
    for place in (scene, linked):
        place.work()
        place.repo.git("commit", "-q", "-m", f"in {place.repo.path.name}")
    for place, line in ((scene, "agent-state"), (linked, "agent-state.linked")):
        wait_for(partial(linked_as_updated, place), limit_s=60)
        note = place.repo.git("notes", "--ref=gitstate", "show")
        assert f"State-Line: {line}\n" in note


def linked_as_updated(place: Scene) -> bool:
    note = place.repo.git("notes", "--ref=gitstate", "show", check=False)
    return "State-Check: updated" in note


# which commit, and what its check came to


def test_a_verdict_is_of_one_commit(scene: Scene) -> None:
    """What a commit left that failed after its check is not the next one's."""
    hook = scene.repo.path / ".git" / "hooks" / "commit-msg"
    add_hook(hook, "#!/bin/sh\nexit 1\n")
    scene.init()
    scene.work()
    ran = scene.git("commit", "-q", "-m", "x")
    assert (ran.code, ran.ours) == (1, {"pre-commit"})
    assert scene.git("commit", "-q", "--no-verify", "-m", "x").code == 0
    assert verdict(scene) == "unseen"
    hook.unlink()
    assert scene.commit().code == 0
    assert verdict(scene) == "updated"
    assert (
        scene.git("commit", "-q", "--no-verify", "--allow-empty", "-m", "x").code == 0
    )
    assert verdict(scene) == "unseen"


def test_passing_once(scene: Scene) -> None:
    scene.init()
    scene.repo.git("config", "gitstate.gate", "block")
    scene.commit()
    edited_code(scene)
    assert scene.git("commit", "-q", "-m", "x").code == 1
    ran = scene.git("commit", "-q", "-m", "x", env={"GITSTATE_SKIP": "1"})
    assert plain(ran)
    assert verdict(scene) == "bypassed GITSTATE_SKIP=1"


def test_the_first_commit_of_all(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    repo.path.mkdir()
    repo.git("init", "-q")
    scene = Scene(repo, tmp_path / "log")
    scene.init()
    ran = scene.commit()
    assert (plain(ran), ran.ours) == (True, ALL_OURS)
    assert verdict(scene) == "exempt first commit"
    assert scene.commit().ours == ALL_OURS
    assert verdict(scene) == "updated"


@pytest.mark.report(11)
@pytest.mark.parametrize("gate", ["warn", "block"])
def test_a_cherry_pick_a_revert_and_a_merge(scene: Scene, gate: str) -> None:
    scene.repo.git("checkout", "-q", "-b", "topic")
    for name in ("one", "two"):
        scene.repo.commit(f"{name}.txt")
    scene.repo.git("checkout", "-q", "main")
    scene.init()
    scene.repo.git("config", "gitstate.gate", gate)
    scene.commit()
    ran = scene.git("cherry-pick", "topic~1")
    assert (plain(ran), ran.ours) == (True, {"post-commit"})
    assert verdict(scene) == "unseen during cherry-pick"
    ran = scene.git("revert", "--no-edit", "HEAD")
    assert (plain(ran), ran.ours) == (True, {"post-commit"})
    assert verdict(scene) == "unseen during revert"
    ran = scene.git("merge", "-q", "topic", "-m", "merge")
    assert (plain(ran), ran.ours) == (True, {"post-merge"})


@pytest.mark.report(11)
@pytest.mark.parametrize("gate", ["warn", "block"])
def test_a_rebase_with_a_conflict_ends_as_without_us(
    scene: Scene, twin: Scene, gate: str
) -> None:
    trees = []
    for place in (scene, twin):
        place.repo.git("checkout", "-q", "-b", "topic")
        place.repo.commit("code.txt", "of the topic\n")
        place.repo.commit("more.txt")
        place.repo.git("checkout", "-q", "main")
        place.repo.commit("code.txt", "of main\n")
        place.repo.git("checkout", "-q", "topic")
        if place is scene:
            place.init()
            place.repo.git("config", "gitstate.gate", gate)
        assert place.git("rebase", "-q", "main").code == 1
        (place.repo.path / "code.txt").write_text("of both\n")
        place.repo.git("add", "code.txt")
        ran = place.git("rebase", "--continue", env={"GIT_EDITOR": "true"})
        assert ran.code == 0
        trees.append(place.repo.git("rev-parse", "HEAD^{tree}", "HEAD~1^{tree}"))
        assert place.repo.git("status", "--porcelain") == ""
    assert trees[0] == trees[1]
    assert not any((scene.runtime / "links").glob("*.v"))
    (told,) = (scene.runtime / "links").glob("rewrite.*")
    rows = told.read_text().splitlines()
    assert rows[0] == "rebase"
    assert [row.split()[1] for row in rows[1:]] == scene.repo.git(
        "rev-list", "--reverse", "main..topic"
    ).split()


def test_a_rebase_of_hundreds_of_commits(
    scene: Scene, python: Path, tmp_path: Path
) -> None:
    """Nothing is started for any of them but at the end, once."""
    scene.repo.git("checkout", "-q", "-b", "topic")
    text = "".join(
        f"commit refs/heads/topic\ncommitter T <t@e> {1_700_000_000 + n} +0000\n"
        f"data 2\nn\n{'from refs/heads/main^0' if n == 0 else ''}\n"
        f"M 644 inline f{n}\ndata 2\nx\n\n"
        for n in range(200)
    )
    scene.repo.git("checkout", "-q", "main")
    scene.repo.git("branch", "-q", "-D", "topic")
    scene.repo.git("fast-import", "--quiet", stdin=text.encode())
    scene.init()
    scene.commit()
    (scene.runtime / "daemon").unlink()
    scene.repo.git("checkout", "-q", "topic")
    log = tmp_path / "started"
    replaced(python, f'echo "$*" >>"{log}"; exit 0')
    ran = scene.git("rebase", "-q", "main", timeout=110)
    assert ran.code == 0
    assert ran.ours == {"post-rewrite"}
    (told,) = (scene.runtime / "links").glob("rewrite.*")
    assert len(told.read_text().splitlines()) == 201
    wait_for(log.exists)
    assert len(log.read_text().splitlines()) == 1


@pytest.mark.report(6)
@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize(
    "words", [["-a"], ["docs/a.md"], ["-i", "docs/a.md"], ["-o", "docs/a.md"]]
)
def test_the_index_that_git_commits_from(
    scene: Scene,
    words: list[str],
    linked: bool,  # noqa: FBT001 pytest's
    tmp_path: Path,
) -> None:
    """``commit -a`` and ``commit PATH`` use another one: the check sees what they see."""
    scene.repo.commit("docs/a.md")
    if linked:
        path = tmp_path / "linked"
        scene.repo.git("worktree", "add", "-q", str(path), "-b", "topic")
        scene = Scene(Repo(path), scene.log)
    scene.init()
    scene.repo.git("config", "gitstate.gateExempt", "docs/*")
    scene.commit()
    edited_code(scene)
    docs = scene.repo.path / "docs" / "a.md"
    docs.write_text("more\n")
    later = time.time() + 60
    os.utime(docs, (later, later))
    ran = scene.git("commit", "-q", "-m", "x", *words)
    assert (ran.code, ran.ours) == (0, ALL_OURS)
    only = words in (["docs/a.md"], ["-o", "docs/a.md"])
    assert verdict(scene).split()[0] == ("exempt" if only else "stale")
    assert scene.repo.git("show", "HEAD:docs/a.md") == "more"
    assert scene.repo.git("diff", "--cached", "--name-only") == (
        "code.txt" if only else ""
    )
    scene.repo.git("fsck", "--strict")


# what may stand in the way


def test_a_worktree_without_gitstate_is_left_alone(
    scene: Scene, tmp_path: Path
) -> None:
    scene.init()
    linked = Scene(Repo(tmp_path / "linked"), scene.log)
    scene.repo.git("worktree", "add", "-q", str(linked.repo.path), "-b", "topic")
    ran = linked.commit()
    assert (plain(ran), ran.ours) == (True, set())
    assert not linked.runtime.exists()


def test_a_state_directory_of_another_name(scene: Scene) -> None:
    scene.repo.git("config", "gitstate.dir", "docs/the state")
    scene.init()
    for text in ("one", "two"):
        task = scene.repo.path / "docs" / "the state" / "02-current-task.md"
        task.write_text(text)
        (scene.repo.path / "code.txt").write_text(text)
        assert plain(scene.git("commit", "-q", "-a", "-m", text))
        assert verdict(scene) == "updated"
        head = scene.repo.git("rev-parse", "HEAD")
        assert (scene.runtime / "links" / head).read_text() == text
    scene.repo.git("config", "--unset", "gitstate.dir")
    scene.init()
    assert plain(scene.commit())
    assert verdict(scene) == "updated"


@pytest.mark.parametrize("kind", ["fifo", "link", "folder", "gone"])
def test_a_task_file_that_is_none(scene: Scene, kind: str) -> None:
    scene.init()
    scene.commit()
    task = scene.repo.state / "02-current-task.md"
    task.unlink()
    match kind:
        case "fifo":
            os.mkfifo(task)
        case "link":
            task.symlink_to("/etc/passwd")
        case "folder":
            task.mkdir()
    edited_code(scene)
    ran = scene.git("commit", "-q", "-m", "x", timeout=20)
    assert (ran.code, ran.ours) == (0, ALL_OURS)
    head = scene.repo.git("rev-parse", "HEAD")
    assert not (scene.runtime / "links" / head).exists()
    assert (scene.runtime / "links" / f"{head}.v").exists()


def test_programs_that_are_missing(scene: Scene, tmp_path: Path) -> None:
    """Where there is no cmp (containers), the check takes the slow way."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("git", "sh", "tee", "sleep", "cat"):
        found = shutil.which(name)
        assert found is not None
        (tools / name).symlink_to(found)
    scene.init()
    scene.work()
    ran = scene.git("commit", "-q", "-m", "x", env={"PATH": str(tools)})
    assert plain(ran)
    assert verdict(scene) == "updated"


@contextmanager
def read_only(path: Path) -> Iterator[None]:
    if os.geteuid() == 0:
        pytest.skip("root writes everywhere")
    path.chmod(0o500)
    try:
        yield
    finally:
        path.chmod(0o700)


def test_a_runtime_folder_that_cannot_be_written(scene: Scene) -> None:
    scene.init()
    scene.work()
    with read_only(scene.runtime):
        assert scene.git("commit", "-q", "-m", "x").code == 0


# every shell, and the checker


@pytest.mark.parametrize(
    "shell", ["dash", "bash --posix", "busybox sh", "ksh", "zsh -y"]
)
def test_every_shell(scene: Scene, shell: str) -> None:
    words = shell.split()
    if shutil.which(words[0]) is None:
        pytest.skip(f"no {words[0]} here")
    scene.init()
    hooks = scene.repo.path / ".git" / "hooks"
    for path in list(hooks.iterdir()):
        text = path.read_text().replace("#!/bin/sh\n", f"#!/usr/bin/env -S {shell}\n")
        path.write_text(text)
    ran = scene.commit()
    assert (plain(ran), ran.ours) == (True, ALL_OURS)
    edited_code(scene)
    ran = scene.git("commit", "-q", "-m", "x")
    assert (ran.code, ran.ours) == (0, ALL_OURS)
    assert verdict(scene).startswith("stale ")
    assert len(ran.err.splitlines()) == 2
    assert scene.git("commit", "-q", "--amend", "-m", "y").ours == (
        ALL_OURS | {"post-rewrite"}
    )


def test_the_checker_finds_nothing_in_what_is_installed(tmp_path: Path) -> None:
    checker = Path(sys.executable).with_name("shellcheck")
    if not checker.exists():
        pytest.skip("no shellcheck here")
    tool = texts.Tool(Path("/some where/python"), Path("/some/gitstate"))
    own = b"#!/bin/sh\necho own\n"
    files = []
    for name in texts.EVERY:
        for kind, theirs in (
            ("alone", texts.Theirs.none()),
            ("beside", texts.Theirs.beside(f"{name}.gitstate-kept")),
            ("instead", texts.Theirs.at("/an other/hook")),
        ):
            path = tmp_path / f"{name}-{kind}"
            path.write_bytes(texts.hook(name, tool, theirs))
            files.append(path)
        path = tmp_path / f"{name}-in"
        lines = texts.block(name, f"../gitstate/shims/{name}")
        path.write_bytes(marks.put_in(own, lines))
        files.append(path)
    done = subprocess.run(
        [checker, "--norc", *files], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
