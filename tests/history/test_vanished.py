"""What git takes away is held and comes back; what a person deletes is deleted."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from gitstate.history.restore import restore
from gitstate.history.snapshot import take
from tests.engines import (
    begun,
    edit,
    files_of,
    files_on_disk,
    init,
    numbers,
    snap,
    versions,
)
from tests.support import NUMBERED, Repo

if TYPE_CHECKING:
    from collections.abc import Callable

    from gitstate.workspace import Workspace

TASK = "02-current-task.md"


def newest(ws: Workspace) -> dict[str, bytes]:
    return files_of(ws, versions(ws)[0].commit.id)


def tracked(repo: Repo) -> Workspace:
    """A repository whose branch ``with`` tracks the directory and ``main`` does not."""
    repo.git("checkout", "-q", "-b", "with")
    repo.write_six("tracked")
    repo.git("add", ".agent-state")
    repo.git("commit", "-q", "-m", "track the state")
    ws = init(repo)
    assert repo.git("status", "--porcelain") == ""
    return ws


# --- a person's deletions ---------------------------------------------------------


def test_a_single_deletion_takes_two_looks_of_the_daemon(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws = begun(repo)
    (ws.state_dir / "05-file-map.md").unlink()
    monkeypatch.setenv("GITSTATE_NOW", "2026-11-29T14:05:00+00:00")

    first = take(ws, verb="daemon")
    assert (first.changed, first.vanished) == (False, ())
    assert not take(ws, verb="daemon").changed  # at once is no second look

    monkeypatch.setenv("GITSTATE_NOW", "2026-11-29T14:05:30+00:00")
    second = take(ws, verb="daemon")
    assert second.version == 2
    assert versions(ws)[0].commit.message.startswith("state v2: removed file-map\n")
    assert set(newest(ws)) == set(NUMBERED) - {"05-file-map.md"}
    assert not take(ws, verb="daemon").changed


def test_an_edit_beside_a_first_missing_file_keeps_it_in_the_version(
    repo: Repo,
) -> None:
    ws = begun(repo)
    (ws.state_dir / "05-file-map.md").unlink()
    (ws.state_dir / TASK).write_text("two\n")

    outcome = take(ws, verb="daemon")

    assert outcome.version == 2
    assert newest(ws)["05-file-map.md"] == b"# 05-file-map.md\n\none\n"
    assert newest(ws)[TASK] == b"two\n"


def test_the_command_counts_as_the_second_look(repo: Repo) -> None:
    ws = begun(repo)
    (ws.state_dir / "05-file-map.md").unlink()

    assert snap(ws).version == 2
    assert "05-file-map.md" not in newest(ws)


def test_a_rename_is_seen_as_one(repo: Repo) -> None:
    ws = begun(repo)
    (ws.state_dir / "05-file-map.md").rename(ws.state_dir / "09-file-map.md")

    snap(ws)

    assert set(newest(ws)) == {*NUMBERED[:-1], "09-file-map.md"}


def test_several_numbered_files_are_held_until_it_is_said_that_it_is_meant(
    repo: Repo,
) -> None:
    ws = begun(repo)
    gone = {"04-decision-log.md", "05-file-map.md"}
    for name in gone:
        (ws.state_dir / name).unlink()

    for _ in range(3):
        outcome = snap(ws)
        assert not outcome.changed
        assert {path.decode() for path in outcome.vanished} == gone
    edit(ws, "meanwhile\n")
    assert set(newest(ws)) == set(NUMBERED)

    meant = snap(ws, deletions=True)
    assert (meant.version, meant.vanished) == (3, ())
    assert set(newest(ws)) == set(NUMBERED) - gone
    assert snap(ws).vanished == ()


def test_a_restore_brings_back_what_vanished(repo: Repo) -> None:
    ws = begun(repo)
    shutil.rmtree(ws.state_dir)
    assert len(snap(ws).vanished) == 6

    restore(ws, "HEAD")

    assert set(files_on_disk(ws)) == set(NUMBERED)
    assert snap(ws).vanished == ()
    assert numbers(ws)[0] <= 2


def test_init_brings_back_what_vanished_and_puts_no_template_over_it(
    repo: Repo,
) -> None:
    ws = begun(repo)
    shutil.rmtree(ws.state_dir)

    init(repo)

    assert files_on_disk(ws) == newest(ws)
    assert files_on_disk(ws)[TASK] == b"# 02-current-task.md\n\none\n"


# --- git's doings -----------------------------------------------------------------


@pytest.mark.report(9)
@pytest.mark.parametrize(
    "command",
    [("stash", "-a"), ("stash", "-u"), ("clean", "-fdxq"), ("clean", "-fdq")],
    ids=" ".join,
)
def test_stash_and_clean(repo: Repo, command: tuple[str, ...]) -> None:
    ws = begun(repo)
    snap(ws)
    (repo.path / "code.txt").write_text("work\n")
    (repo.path / "untracked").write_text("work\n")
    before = files_on_disk(ws)

    repo.git(*command)
    gone = not ws.state_dir.exists()
    outcome = snap(ws)

    # what is excluded is not stashed by -u nor cleaned without -x
    assert gone == (command in {("stash", "-a"), ("clean", "-fdxq")})
    assert (outcome.version, outcome.changed) == (1, False)
    assert {path.decode() for path in outcome.vanished} == (
        set(NUMBERED) if gone else set()
    )
    assert newest(ws) == before
    if command[0] == "stash":
        repo.git("stash", "pop")
    elif gone:
        restore(ws, "HEAD")
    assert files_on_disk(ws) == before
    assert snap(ws).vanished == ()


@pytest.mark.report(9)
def test_stash_u_takes_a_directory_that_is_not_ignored(repo: Repo) -> None:
    (repo.path / ".gitignore").write_text("!/.agent-state/\n")
    repo.git("add", ".gitignore")
    repo.git("commit", "-q", "-m", "un-ignore")
    ws = begun(repo)
    snap(ws)
    before = files_on_disk(ws)

    repo.git("stash", "-u")
    assert not ws.state_dir.exists()
    outcome = snap(ws)

    assert not outcome.changed
    assert len(outcome.vanished) == 6
    repo.git("stash", "pop")
    assert files_on_disk(ws) == before
    assert snap(ws) == snap(ws)
    assert snap(ws).vanished == ()


@pytest.mark.report(9)
def test_leaving_a_branch_that_tracks_the_directory(repo: Repo) -> None:
    ws = tracked(repo)
    (ws.state_dir / "notes.md").write_text("untracked\n")
    edit(ws, "edited on the branch\n")
    repo.git("add", "-A", ".agent-state")
    repo.git("commit", "-q", "-m", "state with code")
    snap(ws)
    before = files_on_disk(ws)

    repo.git("checkout", "-q", "main")
    assert not ws.state_dir.exists()
    outcome = snap(ws)

    assert {path.decode() for path in outcome.put_back} == {*NUMBERED, "notes.md"}
    assert outcome.vanished == ()
    assert files_on_disk(ws) == before
    assert repo.git("status", "--porcelain", "-uall") == ""
    # going back works without a word of git's, and so does leaving again
    repo.git("checkout", "-q", "with")
    assert files_on_disk(ws) == before
    assert repo.git("status", "--porcelain", "-uall") == ""
    assert not snap(ws).changed
    repo.git("checkout", "-q", "main")
    assert len(snap(ws).put_back) == 7
    assert files_on_disk(ws) == before
    repo.git("merge", "-q", "with")
    assert repo.git("status", "--porcelain", "-uall") == ""


def test_files_a_branch_left_behind_and_took_away(repo: Repo) -> None:
    """Tracked files go, others stay: each by its own fate."""
    ws = tracked(repo)
    (ws.state_dir / "mine.md").write_text("untracked\n")
    snap(ws)

    repo.git("checkout", "-q", "main")
    assert set(files_on_disk(ws)) == {"mine.md"}
    outcome = snap(ws)

    assert len(outcome.put_back) == 6
    assert set(files_on_disk(ws)) == {*NUMBERED, "mine.md"}


def test_an_older_version_of_tracked_files_is_an_edit(repo: Repo) -> None:
    ws = tracked(repo)
    edit(ws, "newer\n")
    repo.git("commit", "-q", "-am", "newer")

    repo.git("checkout", "-q", "HEAD~1")
    outcome = snap(ws)

    assert outcome.version == 3
    assert newest(ws)[TASK] == b"# 02-current-task.md\n\ntracked\n"


def test_git_rm_on_a_branch_that_tracks_is_a_vanishing_that_is_kept(
    repo: Repo,
) -> None:
    """A commit that removes the directory moves HEAD: held, and put back as untracked."""
    ws = tracked(repo)

    repo.git("rm", "-q", "-r", "--cached", ".agent-state")
    repo.git("commit", "-q", "-m", "no longer tracked")
    assert set(files_on_disk(ws)) == set(NUMBERED)
    assert not snap(ws).changed

    repo.git("checkout", "-q", "HEAD~1", "-f")
    repo.git("checkout", "-q", "with", "-f")
    outcome = snap(ws)
    # between two looks HEAD was elsewhere and is back: nobody can know what was meant
    assert len(outcome.vanished) == 6
    restore(ws, "HEAD")
    assert set(files_on_disk(ws)) == set(NUMBERED)


def test_a_restore_on_a_branch_that_lacks_the_directory(repo: Repo) -> None:
    ws = tracked(repo)
    snap(ws)
    repo.git("checkout", "-q", "main")
    repo.git("commit", "-q", "--allow-empty", "-m", "elsewhere")

    restore(ws, "v1")

    assert set(files_on_disk(ws)) == set(NUMBERED)
    assert repo.git("status", "--porcelain", "-uall") == ""
    repo.git("checkout", "-q", "with")
    assert set(files_on_disk(ws)) == set(NUMBERED)


def test_a_nested_state_directory_comes_back_with_its_folders(repo: Repo) -> None:
    repo.git("config", "gitstate.dir", "a/b/.state")
    ws = init(repo)
    edit(ws, "deep\n")
    before = files_on_disk(ws)
    shutil.rmtree(repo.path / "a")
    assert len(snap(ws).vanished) == 6

    restore(ws, "HEAD")

    assert files_on_disk(ws) == before


def test_the_commit_that_was_left_is_gone(repo: Repo) -> None:
    """The branch that tracked is deleted and pruned before the next look."""
    ws = tracked(repo)
    snap(ws)
    repo.git("checkout", "-q", "main")
    repo.git("branch", "-D", "with")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")

    outcome = snap(ws)

    assert not outcome.changed
    assert len(outcome.vanished) == 6
    restore(ws, "HEAD")
    assert set(files_on_disk(ws)) == set(NUMBERED)


@pytest.mark.report(10)
def test_a_reset_hard_is_the_users(repo: Repo) -> None:
    ws = begun(repo)
    first = repo.git("rev-parse", "HEAD")
    repo.commit(text="two\n")
    snap(ws)

    repo.git("reset", "-q", "--hard", "HEAD~1")
    edit(ws, "after the reset\n")

    assert repo.git("rev-parse", "HEAD") == first
    assert repo.git("status", "--porcelain", "-uall") == ""
    assert versions(ws)[0].record.code_head == first


# --- operations under way ----------------------------------------------------------


def conflict(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.commit(text="theirs\n")
    repo.commit("more.txt", text="theirs\n")
    repo.git("checkout", "-q", "main")
    repo.commit(text="ours\n")


def rebase(repo: Repo) -> Callable[[], None]:
    conflict(repo)
    repo.git("checkout", "-q", "side")
    repo.git("rebase", "main", check=False)
    return lambda: resolve(repo, "rebase", "--continue")


def merge(repo: Repo) -> Callable[[], None]:
    conflict(repo)
    repo.git("merge", "side", check=False)
    return lambda: resolve(repo, "merge", "--continue")


def cherry_pick(repo: Repo) -> Callable[[], None]:
    conflict(repo)
    repo.git("cherry-pick", "main..side", check=False)
    return lambda: resolve(repo, "cherry-pick", "--continue")


def revert(repo: Repo) -> Callable[[], None]:
    repo.commit(text="2\n")
    repo.commit(text="3\n")
    repo.git("revert", "--no-edit", "HEAD~1", check=False)
    return lambda: resolve(repo, "revert", "--continue")


def am(repo: Repo) -> Callable[[], None]:
    conflict(repo)
    patch = repo.git("format-patch", "--stdout", "main..side")
    repo.git("am", "-q", check=False, stdin=patch.encode() + b"\n")
    return lambda: resolve(repo, "am", "--continue")


def bisect(repo: Repo) -> Callable[[], None]:
    for at in range(4):
        repo.commit(text=f"{at}\n")
    repo.git("bisect", "start", "HEAD", "HEAD~4")

    def finish() -> None:
        repo.git("bisect", "good")
        repo.git("bisect", "good")
        repo.git("bisect", "reset")

    return finish


def resolve(repo: Repo, *command: str) -> None:
    (repo.path / "code.txt").write_text("resolved\n")
    repo.git("add", "code.txt")
    repo.git("-c", "core.editor=true", *command)


@pytest.mark.report(11)
@pytest.mark.parametrize(
    "start",
    [rebase, merge, cherry_pick, revert, am, bisect],
    ids=lambda one: one.__name__,
)
def test_versions_land_while_an_operation_is_under_way_and_do_not_disturb_it(
    repo: Repo, start: Callable[[Repo], Callable[[], None]]
) -> None:
    ws = begun(repo)
    snap(ws)
    finish = start(repo)

    def seen() -> tuple[str, ...]:
        return (
            repo.git("status", "--porcelain=v2", "--branch"),
            repo.git("ls-files", "--stage"),
            repo.git("rev-parse", "HEAD"),
            (repo.path / "code.txt").read_text(),
        )

    before = seen()
    assert edit(ws, "in the middle\n").version == 2
    (ws.state_dir / "05-file-map.md").unlink()
    held = snap(ws)
    assert (held.changed, held.vanished) == (False, (b"05-file-map.md",))
    (ws.state_dir / "05-file-map.md").write_text("back\n")
    assert snap(ws).version == 3
    assert seen() == before

    finish()

    assert repo.git("status", "--porcelain", "-uall") == ""
    assert not (repo.path / ".git" / "MERGE_HEAD").exists()
    assert edit(ws, "afterwards\n").version == 4
    assert numbers(ws) == [4, 3, 2, 1]
    repo.git("fsck", "--full", "--strict", "--no-dangling")


def test_a_rebase_of_a_branch_that_tracks_the_directory(repo: Repo) -> None:
    """Replayed commits take files away and bring them: nothing is lost nor disturbed."""
    ws = tracked(repo)
    edit(ws, "work\n")
    repo.git("commit", "-q", "-am", "work on the state")
    repo.git("checkout", "-q", "main")
    repo.commit(text="main moved\n")
    repo.git("checkout", "-q", "with")
    snap(ws)
    want = files_on_disk(ws)

    repo.git("rebase", "-q", "--exec", "false", "main", check=False)
    during = snap(ws)
    assert during.put_back == ()  # not while git is at work
    for _ in range(9):
        if (
            repo.git("rebase", "--continue", check=False)
            or not (repo.path / ".git" / "rebase-merge").exists()
        ):
            break
    repo.git("rebase", "--continue", check=False)
    snap(ws)

    assert not (repo.path / ".git" / "rebase-merge").exists()
    assert files_on_disk(ws) == want
    assert repo.git("status", "--porcelain", "-uall") == ""


def test_a_checkout_of_the_state_branch_and_back(repo: Repo) -> None:
    """Between two looks HEAD was there and is back: held, not deleted, not guessed."""
    ws = begun(repo)
    snap(ws)
    repo.git("checkout", "-q", "agent-state")
    repo.git("checkout", "-q", "main")
    assert not ws.state_dir.exists()

    outcome = snap(ws)

    assert not outcome.changed
    assert len(outcome.vanished) + len(outcome.put_back) == 6
    restore(ws, "HEAD")
    assert files_on_disk(ws) == newest(ws)


def test_put_back_writes_over_nothing(repo: Repo) -> None:
    ws = tracked(repo)
    snap(ws)
    repo.git("checkout", "-q", "main")
    ws.state_dir.mkdir()
    (ws.state_dir / TASK).write_text("written after the checkout\n")
    (ws.state_dir / "05-file-map.md").mkdir()
    (ws.state_dir / "05-file-map.md" / "x").write_text("inside\n")

    outcome = snap(ws)

    found = files_on_disk(ws)
    assert found[TASK] == b"written after the checkout\n"
    assert found["05-file-map.md/x"] == b"inside\n"
    assert set(found) == {*NUMBERED[:-1], "05-file-map.md/x"}
    assert outcome.changed
    snap(ws)
    assert newest(ws) == found


def test_put_back_follows_no_link(repo: Repo) -> None:
    ws = tracked(repo)
    (ws.state_dir / "sub").mkdir()
    (ws.state_dir / "sub" / "file").write_text("x\n")
    repo.git("add", "-A", ".agent-state")
    repo.git("commit", "-q", "-m", "sub")
    snap(ws)
    repo.git("checkout", "-q", "main")
    outside = repo.path.parent / "outside"
    outside.mkdir()
    ws.state_dir.mkdir()
    (ws.state_dir / "sub").symlink_to(outside)

    snap(ws)

    assert list(outside.iterdir()) == []
