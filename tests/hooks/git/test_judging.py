"""What the check reads: notes that others wrote, what waits in the spool, files and times."""

from __future__ import annotations

import hashlib
import os
import subprocess
import time
from pathlib import Path

import pytest

from gitstate.git.environment import run_here
from gitstate.history.rule import CHECKS
from gitstate.hooks.git import judging
from gitstate.hooks.git.config import Config
from gitstate.hooks.git.judging import Waiting, blob_id, check_of, judge, records_of
from tests.hooks.git.coding import Coder
from tests.support import make_repo

COMMIT = "a" * 40


def record(**fields: str) -> str:
    return "".join(f"State-{key.title()}: {value}\n" for key, value in fields.items())


# notes


@pytest.mark.parametrize(
    ("text", "checks"),
    [
        ("", []),
        ("seen by me\n", []),
        (record(check="stale"), ["stale"]),
        (record(line="x", version="1", check="updated"), ["updated"]),
        (record(check="banana"), []),
        (record(check="STALE"), []),
        (" State-Check: stale\n", []),
        ("State-Check:stale\n", []),
        (record(check="stale") + record(check="updated"), ["stale", "updated"]),
        (
            record(line="x", check="updated") + "\n" + record(line="y", check="exempt"),
            ["updated", "exempt"],
        ),
        (record(line="x") + record(line="y", check="stale"), ["stale"]),
        (record(check="stale") + "a remark\nState-Other: x\n", ["stale"]),
        ("State-Check: stale  \r\n", ["stale"]),
    ],
)
def test_the_records_of_a_note(text: str, checks: list[str]) -> None:
    assert [row["State-Check"] for row in records_of(text)] == checks


def test_of_several_records_the_weakest_check_counts() -> None:
    everything = [record(line="x", check=check) for check in CHECKS]
    while everything:
        text = "".join(reversed(everything))
        assert check_of(text) == CHECKS[-len(everything)]
        del everything[0]
    assert check_of("") == check_of("banana") == ""


# what waits


def waiting(folder: Path, verdict: str | bytes | None, task: bytes | None) -> Waiting:
    links = folder / "gitstate" / "links"
    links.mkdir(parents=True, exist_ok=True)
    if verdict is not None:
        data = verdict if isinstance(verdict, bytes) else verdict.encode()
        (links / f"{COMMIT}.v").write_bytes(data)
    if task is not None:
        (links / COMMIT).write_bytes(task)
    return Waiting(str(folder))


@pytest.mark.parametrize(
    ("verdict", "check", "reason"),
    [
        ("updated\n", "updated", ""),
        ("stale unchanged since x\n", "stale", "unchanged since x"),
        ("bypassed GITSTATE_SKIP=1\n", "bypassed", "GITSTATE_SKIP=1"),
        ("unseen\n", "", ""),
        ("unseen during revert\n", "exempt", "during revert"),
        ("", "", ""),
        ("\n", "", ""),
        (b"\xff\xfe stale\n", "", "stale"),
    ],
)
def test_a_verdict_that_waits(
    tmp_path: Path, verdict: str | bytes, check: str, reason: str
) -> None:
    found = waiting(tmp_path, verdict, b"task\n").link(COMMIT)
    assert found is not None
    assert (found.check, found.reason, found.commit) == (check, reason, COMMIT)
    assert (
        found.task == hashlib.sha1(b"blob 5\0task\n", usedforsecurity=False).hexdigest()
    )


def test_what_does_not_wait(tmp_path: Path) -> None:
    assert Waiting(str(tmp_path / "nowhere")).link(COMMIT) is None
    assert waiting(tmp_path, None, b"no verdict yet").link(COMMIT) is None
    found = waiting(tmp_path, "stale\n", None)
    (tmp_path / "gitstate" / "links" / COMMIT).unlink()
    linked = found.link(COMMIT)
    assert linked is not None
    assert linked.task == "-"
    assert found.check("b" * 40) == ""
    (tmp_path / "gitstate" / "links" / f"{COMMIT}.v").unlink()  # linked meanwhile
    assert found.link(COMMIT) is None
    assert found.check(COMMIT) == ""


def test_rewrites_that_wait(tmp_path: Path) -> None:
    assert not waiting(tmp_path, "stale\n", None).rewrites
    (tmp_path / "gitstate" / "links" / "rewrite.12").touch()
    assert Waiting(str(tmp_path)).rewrites


# files


@pytest.mark.parametrize("sha256", [False, True])
def test_a_file_has_the_id_that_git_gives_it(tmp_path: Path, *, sha256: bool) -> None:
    form = "sha256" if sha256 else "sha1"
    repo = make_repo(tmp_path / "repo", object_format=form, commit=False)
    for data in (b"", b"task\n", b"\0\xff" * 5000):
        path = tmp_path / "file"
        path.write_bytes(data)
        wanted = repo.git("hash-object", "--no-filters", str(path))
        assert blob_id(str(path), sha256=sha256) == wanted


@pytest.mark.parametrize("kind", ["gone", "link", "folder", "fifo"])
def test_what_is_no_file_has_none(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "task"
    match kind:
        case "link":
            path.symlink_to("/etc/hostname")
        case "folder":
            path.mkdir()
        case "fifo":
            os.mkfifo(path)
    expected = {"fifo": blob_of_nothing()}.get(kind, "-")
    assert blob_id(str(path), sha256=False) == expected


def blob_of_nothing() -> str:
    """A fifo that nobody writes to reads as empty, and nothing waits for a writer."""
    return hashlib.sha1(b"blob 0\0", usedforsecurity=False).hexdigest()


def test_older_than_the_task_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, when in (("old", 100), ("same", 200), ("new", 300), ("task", 200)):
        Path(name).touch()
        os.utime(name, (when, when))
    Path("link").symlink_to("new")
    os.utime("link", (100, 100), follow_symlinks=False)
    lenient = {
        "old": True,
        "link": True,
        "old gone": True,
        "gone": False,
        "same": False,
        "old same": False,
        "old new": False,
    }
    found = {
        names: judging._older_than_task(names.split(), "task")  # noqa: SLF001 the rule itself
        for names in lenient
    }
    assert found == lenient
    assert not judging._older_than_task(["old"], "no task")  # noqa: SLF001 the same
    monkeypatch.setattr(judging, "_MOST_FILES", 1)
    assert not judging._older_than_task(["old", "old"], "task")  # noqa: SLF001 the same


def test_ages() -> None:
    now = int(time.time())
    ages = {
        "banana": "0 s",
        "": "0 s",
        str(now + 1000): "0 s",
        str(now - 30 * 60 - 5): "30 min",
        str(now - 3600 - 5): "1 h",
        str(now - 47 * 3600 - 5): "47 h",
        str(now - 48 * 3600 - 5): "2 days",
        "0": f"{now // 86400} days",
    }
    assert {when: judging._age(when) for when in ages} == ages  # noqa: SLF001 its words


# the whole, in this process


def judged(coder: Coder, monkeypatch: pytest.MonkeyPatch, head: str) -> tuple[str, str]:
    monkeypatch.chdir(coder.repo.path)
    verdict = judge(str(coder.repo.path / ".git"), head, Config())
    return verdict.check, verdict.reason


SIGNS = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "rebase-apply/applying": "am",
}


def test_every_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    coder = Coder.begin(tmp_path)
    head = coder.head()
    git_dir = coder.repo.path / ".git"
    coder.code("docs/a.md")
    stale = ("stale", f"unchanged since code commit {head[:12]}")
    assert judged(coder, monkeypatch, head) == stale
    for sign, name in SIGNS.items():
        path = git_dir / sign
        path.parent.mkdir(exist_ok=True)
        path.touch()
        assert judged(coder, monkeypatch, head) == ("exempt", f"during {name}")
        path.unlink()
        if path.parent != git_dir:
            path.parent.rmdir()
    assert judged(coder, monkeypatch, "") == ("exempt", "first commit")
    coder.repo.git("config", "gitstate.gateExempt", "docs")
    assert judged(coder, monkeypatch, head) == ("exempt", "only exempt paths")
    coder.repo.git("config", "--unset", "gitstate.gateExempt")
    coder.repo.git("config", "gitstate.gate", "off")
    assert judged(coder, monkeypatch, head) == ("exempt", "gate off")
    coder.repo.git("config", "gitstate.gate", "warn")
    coder.backdate(coder.repo.path / "docs/a.md", 7200)
    assert judged(coder, monkeypatch, head) == (
        "updated",
        "the files are older than the task file",
    )
    coder.update()
    assert judged(coder, monkeypatch, head) == ("updated", "")
    coder.repo.git("rm", "-q", "--cached", "docs/a.md")
    assert judged(coder, monkeypatch, head) == ("exempt", "empty commit")


def test_a_baseline_of_this_worktree_that_is_not_an_ancestor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    coder = Coder.begin(tmp_path)
    coder.update("used elsewhere\n")
    coder.code()
    head = coder.head()
    assert judged(coder, monkeypatch, head) == ("updated", "")
    (coder.runtime / "baseline").write_text(f"{COMMIT}\n")
    (coder.runtime / "baseline-task").write_text("used elsewhere\n")
    assert judged(coder, monkeypatch, head) == (
        "stale",
        f"unchanged since code commit {COMMIT[:12]}",
    )
    (coder.runtime / "baseline").write_bytes(b"\xff\n")
    assert judged(coder, monkeypatch, head) == ("updated", "")
    (coder.runtime / "baseline").write_text(f"{COMMIT}\n")
    (coder.runtime / "baseline-task").unlink()
    assert judged(coder, monkeypatch, head) == ("updated", "")


def test_of_a_long_line_without_notes_200_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In two looks, the second at what is left of them."""
    coder = Coder.begin(tmp_path)
    coder.repo.git("update-ref", "-d", "refs/notes/gitstate")
    rows = "".join(
        f"commit refs/heads/main\ncommitter A <a@b> {1700000000 + n} +0000\ndata 1\nx\n"
        + (f"from {coder.head()}\n" if n == 0 else "")
        for n in range(300)
    )
    coder.repo.git("fast-import", "--quiet", "--force", stdin=rows.encode())
    coder.code()
    asked: list[list[str]] = []

    def counted(args: list[str], **words: object) -> bytes:
        asked.append([word for word in args if word.startswith(("--skip", "--max"))])
        return run_here(args, **words)  # type: ignore[arg-type]

    monkeypatch.setattr("gitstate.hooks.git.judging.run_here", counted)
    (coder.runtime / "baseline").unlink()
    assert judged(coder, monkeypatch, coder.head()) == ("exempt", "no baseline")
    assert [words for words in asked if words] == [
        ["--skip=0", "--max-count=8"],
        ["--skip=8", "--max-count=192"],
    ]


def test_a_directory_that_is_no_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    from gitstate.errors import GitFailed  # noqa: PLC0415 beside its use

    with pytest.raises(GitFailed, match="git log: exit code 128"):
        judge(str(tmp_path), COMMIT, Config())
    assert subprocess.run(
        ["git", "status"], capture_output=True, check=False
    ).returncode
