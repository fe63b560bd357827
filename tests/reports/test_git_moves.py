"""What the user does with git while there is state: neither disturbs the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.reports.support import LINE, held, newest, put, sound, status
from tests.support import NUMBERED, Repo, gitstate, wait_for

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def files(repo: Repo) -> list[str]:
    """The numbered files that are on disk."""
    if not repo.state.is_dir():
        return []
    return sorted(path.name for path in repo.state.iterdir() if path.suffix == ".md")


def listed(repo: Repo) -> list[str]:
    """The files of the newest version."""
    return repo.git("ls-tree", "-r", "--name-only", LINE).split("\n")


ALL = [f".agent-state/{name}" for name in NUMBERED]


@pytest.mark.report(9)
@pytest.mark.parametrize("track", [False, True])
@pytest.mark.parametrize(
    "words",
    [
        ["stash", "push", "--quiet", "--all"],
        ["clean", "-q", "-fdx"],
        ["clean", "-q", "-fdX"],
        ["checkout", "-q", "older"],
        ["switch", "-q", "--detach", "older"],
        ["reset", "-q", "--hard", "older"],
        ["rm", "-q", "-r", "-f", ".agent-state"],
        ["worktree", "remove", "--force", "{linked}"],
    ],
    ids=lambda words: " ".join(words[:1] + words[-1:]),
)
def test_what_git_takes_away_is_held(
    repo: Repo, tmp_path: Path, words: list[str], *, track: bool
) -> None:
    repo.git("branch", "older")
    repo.write_six()
    if track:
        repo.git("add", "-f", ".agent-state")
        repo.git("commit", "-q", "-m", "track the state")
    gitstate("init", "--no-daemon", cwd=repo.path)
    place = repo
    if "{linked}" in words:
        place = Repo(tmp_path / "linked")
        repo.git("worktree", "add", "-q", str(place.path), "-b", "topic")
        place.write_six()
        gitstate("init", "--no-daemon", cwd=place.path)
    repo.git(*(word.format(linked=place.path) for word in words), check=False)
    line = LINE if place is repo else f"{LINE}.linked"
    if place is repo:
        for _ in range(3):  # not at once, and not at a second or third look either
            gitstate("snapshot", cwd=repo.path)
    assert repo.git("ls-tree", "-r", "--name-only", line).split("\n") == ALL
    if place is not repo:
        repo.git("worktree", "add", "-q", str(place.path), "topic")
        gitstate("init", "--no-daemon", cwd=place.path)
    if files(place) != list(NUMBERED):
        if place is repo:
            vanished = {row["path"] for row in status(repo)["vanished"]}
            assert vanished == set(NUMBERED) - set(files(place))
        gitstate("restore", "HEAD", cwd=place.path)
    if place is not repo:  # a new life of the worktree begins with templates
        gitstate("restore", "v1", cwd=place.path)
    assert files(place) == list(NUMBERED)
    assert held(repo, line=line).endswith("one")
    gitstate("snapshot", cwd=place.path)
    assert status(place)["vanished"] == []
    sound(place)


@pytest.mark.report(9)
@pytest.mark.parametrize("words", [["checkout", "-q", "older"], ["stash", "-q"]])
def test_one_file_that_git_takes_away_is_no_deletion(
    kept: Repo, words: list[str]
) -> None:
    kept.git("branch", "older")
    kept.git("add", "-f", ".agent-state/02-current-task.md")
    if words[0] == "checkout":
        kept.git("commit", "-q", "-m", "track one file of the state")
    gitstate("snapshot", cwd=kept.path)
    kept.git(*words)
    assert not (kept.state / "02-current-task.md").exists()
    for _ in range(3):  # a second look is enough for a deletion, and this is none
        gitstate("snapshot", cwd=kept.path)
    assert listed(kept) == ALL
    assert newest(kept) == 1
    if words[0] == "checkout":  # the branch that tracked it is left: it is put back
        assert files(kept) == list(NUMBERED)
    else:
        gitstate("restore", "HEAD", cwd=kept.path)
        assert files(kept) == list(NUMBERED)


@pytest.mark.report(9)
def test_a_stash_that_is_popped_leaves_nothing_to_say(kept: Repo) -> None:
    kept.git("config", "gitstate.quietMs", "50")
    kept.git("stash", "push", "--quiet", "--all")
    gitstate("snapshot", cwd=kept.path)
    kept.git("stash", "pop", "--quiet")
    gitstate("snapshot", cwd=kept.path)
    assert (newest(kept), status(kept)["vanished"]) == (1, [])


@pytest.mark.report(9)
def test_setting_up_again_puts_no_template_in_the_place_of_what_was_taken(
    kept: Repo,
) -> None:
    kept.write("02-current-task.md", "my work")
    kept.write("05-file-map.md", "a file that is meant to be gone")
    kept.write("notes/more.md", "more")
    gitstate("snapshot", cwd=kept.path)
    (kept.state / "05-file-map.md").unlink()
    gitstate("snapshot", cwd=kept.path)
    kept.git("clean", "-q", "-fdx")
    told = gitstate("init", "--no-daemon", "--dry-run", cwd=kept.path).stdout
    assert "would bring back .agent-state/02-current-task.md\n" in told
    gitstate("init", "--no-daemon", cwd=kept.path)
    assert (kept.state / "02-current-task.md").read_text() == "my work"
    assert (kept.state / "notes" / "more.md").read_text() == "more"
    assert "meant to be gone" not in (kept.state / "05-file-map.md").read_text()
    assert held(kept) == "my work"
    sound(kept)


@pytest.mark.report(10)
@pytest.mark.parametrize(
    "words",
    [
        ["reset", "-q", "--hard", "HEAD~1"],
        ["reset", "-q", "--soft", "HEAD~1"],
        ["checkout", "-q", "-f", "-B", "main", "HEAD~2"],
        ["update-ref", "refs/heads/main", "HEAD~1"],
        ["commit", "-q", "--amend", "-m", "other words"],
        ["branch", "-q", "-M", "renamed"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_what_the_user_moves_stays_where_it_was_moved(
    watched: Repo, words: list[str]
) -> None:
    for number in range(3):
        watched.commit("code.txt", f"{number}\n")
    (watched.path / "code.txt").write_text("not committed\n")
    watched.git(*words)
    links = watched.path / ".git" / "gitstate" / "links"
    wait_for(lambda: not any(links.iterdir()), what="the commits are linked")
    before = surroundings(watched)
    put(watched, "two")
    wait_for(lambda: held(watched) == "two")
    first = newest(watched)
    put(watched, "three")
    wait_for(lambda: held(watched) == "three")
    assert newest(watched) == first + 1
    assert surroundings(watched) == before
    sound(watched)


def surroundings(repo: Repo) -> tuple[str, str, str, str, bytes]:
    """All that a daemon could have moved: HEAD, branches, stash, index, code."""
    return (
        repo.git("rev-parse", "--symbolic-full-name", "HEAD"),
        repo.git("for-each-ref", "refs/heads/main", "refs/heads/renamed", "refs/stash"),
        repo.git("ls-files", "--stage"),
        repo.git("status", "--porcelain"),
        (repo.path / "code.txt").read_bytes(),
    )


def diverged(repo: Repo) -> None:
    """Two branches, ``main`` and ``topic``, that changed the same line."""
    base = repo.commit("code.txt", "base\n")
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("code.txt", "topic\n")
    repo.commit("more.txt", "more\n")
    repo.git("checkout", "-q", "main")
    repo.commit("code.txt", "main\n")
    repo.git("tag", "base", base)


OPERATIONS: dict[str, tuple[list[list[str]], list[str]]] = {
    "rebase": (
        [["checkout", "-q", "topic"], ["rebase", "main"]],
        ["rebase", "--continue"],
    ),
    "rebase -i": (
        [["checkout", "-q", "topic"], ["rebase", "-i", "main"]],
        ["rebase", "--continue"],
    ),
    "merge": ([["merge", "topic"]], ["merge", "--continue"]),
    "cherry-pick": (
        [["cherry-pick", "base..topic"]],
        ["cherry-pick", "--continue"],
    ),
    "revert": (
        [["commit", "-q", "-am", "x", "--allow-empty"], ["revert", "base"]],
        ["revert", "--continue"],
    ),
    "am": ([["am", "--3way", "{patch}"]], ["am", "--continue"]),
}


@pytest.mark.report(11)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_under_way_ends_as_without_us(
    kept: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    monkeypatch.setenv("GIT_EDITOR", "true")
    monkeypatch.setenv("GIT_SEQUENCE_EDITOR", "true")
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_DATE", "2026-01-01T00:00:00+00:00")
    diverged(kept)
    patch = tmp_path / "patch"
    patch.write_text(kept.git("format-patch", "--stdout", "base..topic") + "\n")
    alone = without_us(kept, tmp_path / "alone")
    begin, resume = OPERATIONS[operation]
    begin = [[word.format(patch=patch) for word in words] for words in begin]
    for repo in (alone, kept):
        for words in begin:
            repo.git(*words, check=False)
        assert "code.txt" in repo.git("diff", "--name-only", "--diff-filter=U")
    seen = kept.git("status", "--porcelain")
    kept.write("02-current-task.md", "in the middle")
    gitstate("snapshot", cwd=kept.path)
    assert (newest(kept), held(kept)) == (2, "in the middle")
    gitstate("restore", "v1", cwd=kept.path)
    assert kept.git("status", "--porcelain") == seen
    for repo in (alone, kept):
        resolve(repo, resume)
    assert newest(kept) == 3
    branch = kept.git("rev-parse", "--abbrev-ref", "HEAD")
    assert alone.git("rev-parse", branch) == kept.git("rev-parse", branch)
    assert kept.git("log", "--format=%s", "-8", branch) == alone.git(
        "log", "--format=%s", "-8", branch
    )
    assert kept.git("status", "--porcelain", "--branch") == alone.git(
        "status", "--porcelain", "--branch"
    )
    sound(kept)


def without_us(repo: Repo, path: Path) -> Repo:
    """The same branches and tags at ``path``, with no hook and no state.

    Git's own copy: whatever still links the last commits in the background may go on.
    """
    repo.git("clone", "-q", "--no-local", str(repo.path), str(path))
    alone = Repo(path)
    alone.git("branch", "-q", "--no-track", "topic", "origin/topic")
    alone.git("remote", "remove", "origin")
    return alone


def resolve(repo: Repo, resume: Sequence[str]) -> None:
    for _ in range(4):
        if not repo.git("diff", "--name-only", "--diff-filter=U"):
            break
        (repo.path / "code.txt").write_text("both\n")
        repo.git("add", "code.txt")
        repo.git(*resume)
    assert repo.git("status").count("in progress") == 0


@pytest.mark.report(11)
def test_a_bisect_under_way(kept: Repo) -> None:
    for number in range(8):
        kept.commit("code.txt", f"{number}\n")
    kept.git("bisect", "start", "HEAD", "HEAD~7")
    for step in range(3):
        kept.write("02-current-task.md", f"step {step}")
        gitstate("snapshot", cwd=kept.path)
        good = int((kept.path / "code.txt").read_text()) < 5
        kept.git("bisect", "good" if good else "bad")
    assert kept.git("show", "refs/bisect/bad:code.txt") == "5"
    kept.git("bisect", "reset")
    assert newest(kept) == 4
    assert kept.git("rev-parse", "--abbrev-ref", "HEAD") == "main"
    sound(kept)


@pytest.mark.report(16)
def test_the_state_branch_is_checked_out_here(kept: Repo) -> None:
    tip = kept.git("rev-parse", LINE)
    kept.write("02-current-task.md", "two")
    gitstate("snapshot", cwd=kept.path)
    kept.git("checkout", "-q", "-f", LINE)
    before = kept.git("status", "--porcelain")
    kept.write("02-current-task.md", "three")
    said = gitstate("snapshot", cwd=kept.path)
    assert "checked out" in said.stderr
    # the branch is where the user's checkout has it: no phantom difference is staged
    assert kept.git("diff", "--cached", "--name-only") == before == ""
    assert kept.git("rev-parse", f"{LINE}~1") == tip
    assert newest(kept) == 2
    pending = kept.git("rev-parse", "refs/gitstate/pending/agent-state")
    kept.git("checkout", "-q", "-f", "main")
    gitstate("snapshot", cwd=kept.path)
    assert kept.git("rev-parse", LINE) == pending
    # git took the files away with the branch that tracks them: they are put back
    assert files(kept) == list(NUMBERED)
    assert (kept.state / "02-current-task.md").read_text() == "three"
    assert gitstate("show", "v3:02-current-task.md", cwd=kept.path).stdout == "three"
    sound(kept)


@pytest.mark.report(16)
def test_the_state_branch_is_checked_out_in_a_linked_worktree(
    kept: Repo, tmp_path: Path
) -> None:
    other = Repo(tmp_path / "s")
    kept.git("worktree", "add", "-q", str(other.path), LINE)
    for text in ("two", "three"):
        kept.write("02-current-task.md", text)
        gitstate("snapshot", cwd=kept.path)
    assert other.git("status", "--porcelain") == ""
    assert newest(kept) == 1
    assert "checked out" in "".join(status(kept)["problems"])
    kept.git("worktree", "remove", str(other.path))
    kept.write("02-current-task.md", "four")
    gitstate("snapshot", cwd=kept.path)
    subjects = "%(trailers:key=State-Version,valueonly,separator=)"
    assert kept.git("log", f"--format={subjects}", LINE).split() == ["4", "3", "2", "1"]
    assert kept.git("for-each-ref", "refs/gitstate/pending") == ""
    sound(kept)


@pytest.mark.report(16)
def test_the_user_can_always_delete_rename_or_check_out_the_branch(
    kept: Repo,
) -> None:
    kept.git("checkout", "-q", "-f", LINE)
    kept.git("checkout", "-q", "-f", "main")
    kept.git("branch", "-q", "-m", LINE, "elsewhere")
    kept.git("branch", "-q", "-D", "elsewhere")
    kept.write("02-current-task.md", "two")
    said = gitstate("snapshot", cwd=kept.path)
    # never made again silently, and never from v1
    assert "is gone" in said.stderr
    assert newest(kept) == 0
    gitstate("fsck", "--repair", cwd=kept.path)
    assert (newest(kept), held(kept)) == (2, "two")
    sound(kept)
