"""What was kept stays, comes back whole, and whatever stands in the way is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.reports.support import LINE, held, newest, sound, status
from tests.support import NUMBERED, Repo, gitstate, wait_for

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.report(8)
@pytest.mark.parametrize("name", ["refs/heads/agent-state.lock", "packed-refs.lock"])
@pytest.mark.parametrize("engine", ["libgit2", "git"])
def test_a_lock_that_was_left_is_told_and_gone_past_when_it_goes(
    kept: Repo, monkeypatch: pytest.MonkeyPatch, name: str, engine: str
) -> None:
    monkeypatch.setenv("GITSTATE_ENGINE", engine)
    lock = kept.path / ".git" / name
    if name == "packed-refs.lock":  # it stands in the way of a deletion only
        kept.git("branch", "-q", "-D", LINE)
    lock.touch()
    kept.write("02-current-task.md", "two")
    if name == "packed-refs.lock":
        gitstate("snapshot", cwd=kept.path)
        assert "is gone" in "".join(status(kept)["problems"])
        lock.unlink()
        gitstate("fsck", "--repair", cwd=kept.path)
    else:
        said = gitstate("snapshot", cwd=kept.path, check=False)
        assert said.returncode == 1
        assert str(lock) in said.stderr
        assert said.stderr.count("\n") == 1
        assert newest(kept) == 1
        assert str(lock) in "".join(status(kept)["problems"])
        doctor = gitstate("doctor", cwd=kept.path, check=False)
        assert doctor.returncode == 1
        assert str(lock) in doctor.stdout
        lock.unlink()
        gitstate("snapshot", cwd=kept.path)
    assert (newest(kept), held(kept)) == (2, "two")
    assert status(kept)["problems"] == []
    sound(kept)


@pytest.mark.report(8)
def test_the_daemon_tells_of_a_lock_and_recovers_by_itself(watched: Repo) -> None:
    lock = watched.path / ".git" / "refs" / "heads" / f"{LINE}.lock"
    lock.touch()
    watched.write("02-current-task.md", "two")

    def told() -> bool:
        rows = gitstate("daemon", "logs", "--json", cwd=watched.path).stdout
        return any(str(lock) in row for row in rows.splitlines())

    wait_for(told, what="the log names the lock")
    wait_for(lambda: str(lock) in "".join(status(watched)["problems"]))
    assert newest(watched) == 1
    lock.unlink()
    wait_for(lambda: held(watched) == "two", what="it recovers")
    wait_for(lambda: status(watched)["problems"] == [])
    sound(watched)


def listed(repo: Repo) -> list[tuple[int, str]]:
    """Number and commit of every version that ``log`` lists."""
    rows = json.loads(gitstate("log", "--json", cwd=repo.path).stdout)
    return [(row["version"], row["commit"]) for row in rows]


def strip_everything(repo: Repo) -> None:
    """All that a user does to make a repository small."""
    repo.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    repo.git("repack", "-q", "-a", "-d", "-f")
    repo.git("prune", "--expire=now")
    repo.git("gc", "-q", "--aggressive", "--prune=now")


@pytest.mark.report(17)
def test_every_version_that_is_listed_comes_back_after_everything_was_pruned(
    kept: Repo,
) -> None:
    texts = {1: (kept.state / "02-current-task.md").read_text()}
    for number in range(2, 7):
        texts[number] = f"text {number}\n"
        kept.write("02-current-task.md", texts[number])
        gitstate("snapshot", cwd=kept.path)
        if number == 4:
            strip_everything(kept)
    strip_everything(kept)
    kept.git("update-ref", "-d", f"refs/heads/{LINE}")
    strip_everything(kept)  # even what no ref names any more
    gitstate("fsck", "--repair", cwd=kept.path)
    rows = listed(kept)
    assert [number for number, _ in rows] == [6, 5, 4, 3, 2, 1]
    for number, commit in rows:
        for name in (f"v{number}", commit, commit[:10]):
            gitstate("restore", name, cwd=kept.path)
            text = (kept.state / "02-current-task.md").read_text()
            assert text == texts[number]
    sound(kept)


@pytest.mark.report(17)
def test_a_missing_object_is_an_error_and_changes_no_file(kept: Repo) -> None:
    kept.write("02-current-task.md", "two")
    gitstate("snapshot", cwd=kept.path)
    before = {path.name: path.read_bytes() for path in kept.state.glob("*.md")}
    for path in (kept.path / ".git" / "objects" / "pack").iterdir():
        path.unlink()
    for words in (["restore", "v1"], ["show", "v1:02-current-task.md"], ["fsck"]):
        said = gitstate(*words, cwd=kept.path, check=False)
        assert said.returncode == 1, words
        assert "restored" not in said.stdout
        assert "missing" in said.stdout + said.stderr
    after = {path.name: path.read_bytes() for path in kept.state.glob("*.md")}
    assert after == before


@pytest.mark.report(17)
@pytest.mark.parametrize("name", ["v9", "v0", "banana", "HEAD~9", "0" * 40, "", "-x"])
def test_what_does_not_exist_is_no_success(kept: Repo, name: str) -> None:
    said = gitstate("restore", "--", name, cwd=kept.path, check=False)
    assert said.returncode == 1
    assert said.stdout == ""
    assert said.stderr.count("\n") == 1
    said = gitstate("restore", "v1", "no-such-file.md", cwd=kept.path, check=False)
    assert (said.returncode, said.stdout) == (1, "")


@pytest.mark.report(18)
def test_a_restore_loses_nothing_and_leaves_nothing_that_was_not_there(
    kept: Repo,
) -> None:
    kept.write("02-current-task.md", "two")
    kept.write("notes/idea.md", "an idea")
    gitstate("snapshot", cwd=kept.path)
    # neither in a version: one that can be kept, and one that cannot
    kept.write("03-known-issues.md", "edited since")
    kept.write("untold.md", "new since")
    large = kept.write("recording.bin", b"\0" * 2_000_000)
    (kept.state / "empty").mkdir()
    said = gitstate("restore", "v1", cwd=kept.path)
    assert "saved the present as v3" in said.stdout
    assert "restored v1 as v4" in said.stdout
    found = sorted(
        str(path.relative_to(kept.state))
        for path in kept.state.rglob("*")
        if path.is_file() and ".gitstate-tmp" not in path.parts
    )
    assert found == [*NUMBERED, "recording.bin"]
    assert "recording.bin" in said.stdout + said.stderr + str(status(kept)["skipped"])
    assert large.stat().st_size == 2_000_000
    assert (kept.state / "empty").is_dir()
    gitstate("restore", "v3", cwd=kept.path)
    assert (kept.state / "03-known-issues.md").read_text() == "edited since"
    assert (kept.state / "untold.md").read_text() == "new since"
    assert (kept.state / "notes" / "idea.md").read_text() == "an idea"
    assert large.stat().st_size == 2_000_000
    sound(kept)


@pytest.mark.report(18)
def test_the_restore_of_one_file_touches_no_other(kept: Repo) -> None:
    for name in ("02-current-task.md", "03-known-issues.md"):
        kept.write(name, "two")
    gitstate("snapshot", cwd=kept.path)
    kept.write("03-known-issues.md", "edited since")
    gitstate("restore", "v1", "02-current-task.md", cwd=kept.path)
    assert (kept.state / "02-current-task.md").read_text().endswith("one\n")
    assert (kept.state / "03-known-issues.md").read_text() == "edited since"
    gitstate("restore", "v1", "notes", cwd=kept.path, check=False)
    assert sorted(path.name for path in kept.state.glob("*.md")) == list(NUMBERED)


@pytest.mark.report(18)
def test_a_restore_never_writes_through_a_link(kept: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "02-current-task.md").write_text("not ours")
    kept.write("notes/idea.md", "an idea")
    gitstate("snapshot", cwd=kept.path)
    (kept.state / "notes" / "idea.md").unlink()
    (kept.state / "notes").rmdir()
    (kept.state / "notes").symlink_to(outside)
    (kept.state / "02-current-task.md").unlink()
    (kept.state / "02-current-task.md").symlink_to(outside / "02-current-task.md")
    gitstate("restore", "v2", cwd=kept.path)
    assert (outside / "02-current-task.md").read_text() == "not ours"
    assert os.listdir(outside) == ["02-current-task.md"]  # noqa: PTH208 names alone
    assert (kept.state / "notes" / "idea.md").read_text() == "an idea"
    assert not (kept.state / "notes").is_symlink()
    gitstate("restore", "v3", cwd=kept.path)
    assert (kept.state / "notes").readlink() == outside
    assert (outside / "02-current-task.md").read_text() == "not ours"
    sound(kept)


@pytest.mark.report(23)
@pytest.mark.timeout(300)
def test_huge_and_many_files_are_named_and_the_rest_is_kept(kept: Repo) -> None:
    with (kept.state / "core.1234").open("wb") as file:
        file.truncate(2 << 30)
    many = kept.state / "cache"
    many.mkdir()
    for number in range(8000):
        (many / f"{number}").write_bytes(b"%d" % number)
    os.mkfifo(kept.state / "pipe")
    subprocess.run(["git", "init", "-q", str(kept.state / "nested")], check=True)
    kept.write("02-current-task.md", "two")
    said = gitstate("snapshot", cwd=kept.path)
    assert (newest(kept), held(kept)) == (2, "two")
    for name in ("core.1234", "pipe", "nested", "cache"):
        assert any(name in line for line in said.stderr.splitlines()), name
        assert any(name in row["path"] for row in status(kept)["skipped"]), name
        assert name in kept.git("log", "-1", "--format=%(trailers:key=Skipped)", LINE)
    assert len(said.stderr.splitlines()) < 20
    size = sum(path.stat().st_size for path in (kept.path / ".git").rglob("*"))
    assert size < 4 << 20
    kept.write("02-current-task.md", "three")
    gitstate("snapshot", cwd=kept.path)
    again = sum(path.stat().st_size for path in (kept.path / ".git").rglob("*"))
    assert again - size < 1 << 20
    sound(kept)


@pytest.mark.report(21)
def test_eight_writers_in_two_worktrees_lose_nothing(
    kept: Repo, tmp_path: Path
) -> None:
    linked = Repo(tmp_path / "linked")
    kept.git("worktree", "add", "-q", str(linked.path), "-b", "topic")
    linked.write_six()
    gitstate("init", "--no-daemon", cwd=linked.path)
    script = """
import sys
from pathlib import Path
from gitstate.history.snapshot import take
from gitstate.workspace import Workspace
ws = Workspace.open(Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    (ws.state_dir / f"{sys.argv[2]}.md").write_text(f"{number}\\n")
    print(take(ws, verb="test", wait_s=60).version, flush=True)
"""
    count = 15
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(repo.path), f"w{number}", str(count)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
        for repo in (kept, linked)
    ]
    told: dict[int, list[int]] = {}
    for position, writer in enumerate(writers):
        out, err = writer.communicate(timeout=110)
        assert (writer.returncode, err) == (0, "")
        told[position] = [int(word) for word in out.split()]
    for repo, line, half in ((kept, LINE, 0), (linked, f"{LINE}.linked", 1)):
        trailer = "%(trailers:key=State-Version,valueonly,separator=)"
        shown = repo.git("log", "--first-parent", f"--format={trailer}", line).split()
        assert [int(word) for word in shown] == list(range(len(shown), 0, -1))
        reported = {
            number
            for position, numbers in told.items()
            if position % 2 == half
            for number in numbers
        }
        assert reported <= set(range(1, len(shown) + 1))
        for number in range(4):
            assert held(repo, f"w{number}.md", line) == f"{count - 1}"
        assert repo.git("rev-list", "--min-parents=2", line) == ""
        sound(repo)
