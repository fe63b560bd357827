from __future__ import annotations

import json
import os
import re
import shutil
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import LockHeld
from gitstate.history import links, spool
from tests.engines import numbers
from tests.hooks.git.coding import NOTES, Coder
from tests.support import Repo, gitstate, wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from tests.engines import Kind

TASK = "02-current-task.md"


@pytest.fixture
def coder(kind: Kind, tmp_path: Path) -> Coder:
    return Coder.begin(tmp_path, object_format=kind.object_format)


def task_at(coder: Coder, name: str) -> str:
    """The task file in the version of a code commit, through the command."""
    return gitstate("show", f"code:{name}:{TASK}", cwd=coder.repo.path).stdout


def subjects(coder: Coder, count: int) -> dict[str, str]:
    """Subject -> check of the newest commits."""
    rows = coder.repo.git("log", f"-{count}", "--format=%H %s").splitlines()
    return {row.split(" ", 1)[1]: coder.check(row.split()[0]) for row in rows}


# a note


def test_init_links_head_to_the_first_version(coder: Coder) -> None:
    assert coder.check() == "exempt: first baseline"
    assert coder.note().version == 1


def test_a_note_names_the_state_of_the_commit(coder: Coder) -> None:
    coder.commit(updated=True)
    assert coder.link() == [coder.head()]
    blob = coder.repo.git("hash-object", str(coder.task))
    version = coder.repo.git("rev-parse", "agent-state")
    assert coder.text() == (
        f"State-Line: agent-state\nState-Version: 2\nState-Commit: {version}\n"
        f"State-Check: updated\nState-Task: {blob}"
    )
    assert coder.repo.git("show", f"agent-state:.agent-state/{TASK}") == "task 1"
    assert (
        coder.repo.git("log", "-1", "--notes=gitstate", "--format=%N") == coder.text()
    )


def test_working_off_twice_changes_nothing(coder: Coder) -> None:
    coder.commit(updated=True)
    coder.link()
    tip = coder.repo.git("rev-parse", NOTES)
    assert coder.link() == []
    assert coder.link(look=True) == []
    assert coder.repo.git("rev-parse", NOTES) == tip
    assert spool.names(coder.ws()) == []


def test_many_commits_make_one_notes_commit(coder: Coder) -> None:
    for updated in (True, False, True):
        coder.commit(updated=updated)
    before = int(coder.repo.git("rev-list", "--count", NOTES))
    assert len(coder.link()) == 3
    assert int(coder.repo.git("rev-list", "--count", NOTES)) == before + 1
    assert [check.partition(":")[0] for check in coder.checks(3)] == [
        "updated",
        "stale",
        "updated",
    ]


def test_while_another_holds_the_lock_it_stays_in_the_spool(coder: Coder) -> None:
    coder.commit(updated=True)
    ws = coder.ws()
    waiting = spool.names(ws)
    from gitstate import lock  # noqa: PLC0415 beside its use

    with lock.held(ws.lock_path, verb="test", wait_s=0), pytest.raises(LockHeld):
        links.process(ws, wait_s=0)
    assert spool.names(ws) == waiting
    coder.link()
    assert coder.check() == "updated"


# which version


def test_quick_commits_have_a_version_each(coder: Coder) -> None:
    """The hook keeps the task file's bytes: an edit right after the commit hides none."""
    for _ in range(3):
        coder.commit(updated=True)
        os.utime(coder.task)  # as if it was written in this moment
        time.sleep(0.01)
    coder.update("later\n")
    os.utime(coder.task)
    coder.link()
    assert [task_at(coder, f"HEAD~{n}") for n in range(3)] == [
        "task 5\n",
        "task 3\n",
        "task 1\n",
    ]
    assert [coder.note(f"HEAD~{n}").approximate for n in range(3)] == [False] * 3
    assert coder.checks(3) == ["updated"] * 3
    assert coder.repo.git("show", f"agent-state:.agent-state/{TASK}") == "later"
    assert len(numbers(coder.ws())) == 5


def test_restore_brings_back_the_state_of_a_commit(coder: Coder) -> None:
    coder.repo.write("03-known-issues.md", "issue one\n")
    coder.commit(updated=True)
    coder.link()
    coder.repo.write("03-known-issues.md", "issue two\n")
    coder.commit(updated=True)
    gitstate(
        "restore", "code:HEAD~1", cwd=coder.repo.path
    )  # works off the spool itself
    assert coder.task.read_text() == "task 1\n"
    assert (coder.repo.state / "03-known-issues.md").read_text() == "issue one\n"
    gitstate("restore", "code:HEAD", cwd=coder.repo.path)
    assert coder.task.read_text() == "task 3\n"
    assert (coder.repo.state / "03-known-issues.md").read_text() == "issue two\n"


def test_it_is_approximate_where_another_file_was_written_since(coder: Coder) -> None:
    coder.commit(updated=True)
    time.sleep(0.02)
    coder.repo.write("03-known-issues.md", "after the commit\n")
    coder.link()
    note = coder.note()
    assert note.approximate
    assert note.version == 2
    assert "State-Approximate: yes" in coder.text()
    assert task_at(coder, "HEAD") == "task 1\n"
    shown = gitstate("show", "code:HEAD:03-known-issues.md", cwd=coder.repo.path).stdout
    assert "after the commit" not in shown
    assert len(numbers(coder.ws())) == 3  # the present has its own


def test_it_is_exact_where_a_file_was_only_touched(coder: Coder) -> None:
    coder.commit(updated=True)
    time.sleep(0.02)
    os.utime(coder.repo.state / "03-known-issues.md")
    coder.link()
    assert not coder.note().approximate


def test_a_version_that_was_there_before_the_commit(coder: Coder) -> None:
    coder.update()
    gitstate("snapshot", cwd=coder.repo.path)
    coder.commit()
    time.sleep(1.1)  # versions know whole seconds
    coder.update()
    os.utime(coder.task)
    (coder.runtime / "links" / f"{coder.head()}.v").touch()
    gitstate("snapshot", cwd=coder.repo.path)
    assert (coder.note().version, coder.note().approximate) == (2, False)


def test_the_state_of_the_commit_with_no_task_file(coder: Coder) -> None:
    coder.task.unlink()
    coder.commit()
    coder.link()
    assert coder.note().task == "-"
    assert coder.check() == "updated"
    coder.commit()
    coder.link()
    assert coder.note().check == "stale"


# what git does to commits: the rows of the hook tables


def test_an_amend_without_a_message_and_with_one(coder: Coder) -> None:
    coder.commit(updated=True)
    old = coder.head()
    coder.git("commit", "-q", "--amend", "-m", "said better")
    coder.git("commit", "-q", "--amend", "--no-edit", "--date=now")
    coder.link()
    assert coder.checks(2) == ["updated", "exempt: first baseline"]
    assert coder.check(old) == "updated"  # as git: the old one keeps its own


def test_an_amend_that_makes_the_same_commit(coder: Coder) -> None:
    date = {"GIT_COMMITTER_DATE": f"{int(time.time())} +0000"}
    coder.commit(updated=True, env=date)
    head = coder.head()
    coder.git("commit", "-q", "--amend", "--no-edit", env=date)
    assert coder.head() == head
    coder.link()
    assert coder.check() == "updated"


def test_an_amend_that_is_told_late(coder: Coder) -> None:
    """The commit may be linked between post-commit and post-rewrite."""
    coder.commit(updated=True)
    old = coder.head()
    coder.link()
    coder.git("commit", "-q", "--amend", "-m", "said better")
    told = next((coder.runtime / "links").glob("rewrite.*"))
    text = told.read_text()
    told.unlink()
    coder.link()
    told.write_text(text)
    coder.link()
    assert text == f"amend\n{old} {coder.head()}\n"
    assert coder.checks(2) == ["updated", "exempt: first baseline"]
    assert coder.commit(settings=("gitstate.gate=block",)).code == 1


def test_an_amend_past_the_check(coder: Coder) -> None:
    coder.commit(updated=True)
    coder.commit("--no-verify", "--amend")
    coder.link()
    assert coder.check() == "updated"
    coder.commit("--no-verify")
    coder.commit("--no-verify", "--amend")
    coder.link()
    assert coder.check() == "bypassed: the check did not run"
    coder.commit("--no-verify", "--amend", updated=True)
    coder.link()
    assert coder.check() == "updated"


def stack(coder: Coder) -> None:
    """On ``topic``: updated, stale, updated; on ``main``: one commit beside them."""
    coder.git("switch", "-q", "-c", "topic")
    for number, updated in enumerate((True, False, True)):
        if updated:
            coder.update()
        coder.code(f"{number}.txt")
        coder.git("commit", "-q", "-m", f"c{number}")
    coder.link()
    coder.git("switch", "-q", "main")
    coder.commit(updated=True, name="main.txt")
    coder.link()
    coder.git("switch", "-q", "topic")


CHECKS = {"c0": "updated", "c1": "stale", "c2": "updated"}


def kinds_of(coder: Coder, count: int) -> dict[str, str]:
    return {
        name: text.partition(":")[0] for name, text in subjects(coder, count).items()
    }


@pytest.mark.parametrize("backend", ["--merge", "--apply"])
def test_a_rebase_keeps_the_notes(coder: Coder, backend: str) -> None:
    stack(coder)
    texts = [coder.text(f"HEAD~{n}") for n in range(3)]
    assert coder.git("rebase", "-q", backend, "main").code == 0
    waiting = spool.names(coder.ws())
    assert [name.partition(".")[0] for name in waiting] == ["rewrite"]
    before = int(coder.repo.git("rev-list", "--count", NOTES))
    coder.link()
    assert [coder.text(f"HEAD~{n}") for n in range(3)] == texts
    assert int(coder.repo.git("rev-list", "--count", NOTES)) == before + 1
    assert kinds_of(coder, 3) == CHECKS
    # the baseline went with it: this is the state of c2
    assert (coder.runtime / "baseline").read_text().strip() != coder.head()
    assert coder.commit(settings=("gitstate.gate=block",)).code == 1


def test_the_baseline_follows_a_rebase(coder: Coder) -> None:
    coder.commit(updated=True, name="main.txt")
    coder.git("switch", "-q", "-c", "topic", "HEAD~1")
    coder.commit(updated=True)
    coder.link()
    coder.git("rebase", "-q", "main")
    coder.link()
    assert (coder.runtime / "baseline").read_text().strip() == coder.head()
    assert coder.commit("--amend", settings=("gitstate.gate=block",)).code == 0
    assert coder.commit(settings=("gitstate.gate=block",)).code == 1


def edited_list(coder: Coder, *commands: str) -> dict[str, str]:
    """An editor for ``rebase -i`` that writes these commands; ``c0`` stands for its id."""
    ids = {
        row.split()[1]: row.split()[0]
        for row in coder.repo.git("log", "--format=%H %s").splitlines()
    }
    rows = [re.sub(r"\bc\d\b", lambda found: ids[found[0]], row) for row in commands]
    path = coder.repo.path.parent / "todo"
    path.write_text("".join(f"{row}\n" for row in rows))
    return {"GIT_SEQUENCE_EDITOR": f"cp '{path}'", "GIT_EDITOR": "true"}


def test_squash_and_fixup_join_to_the_newest_version_and_the_weakest_check(
    coder: Coder,
) -> None:
    stack(coder)
    newest = coder.note().version
    env = edited_list(coder, "pick c0", "squash c1", "fixup c2")
    assert coder.git("rebase", "-q", "-i", "main", env=env).code == 0
    coder.link()
    assert coder.repo.git("rev-list", "--count", "main..HEAD") == "1"
    note = coder.note()
    assert (note.version, note.check) == (newest, "stale")
    assert coder.text().count("State-Check") == 1


def test_reordered_reworded_and_dropped(coder: Coder) -> None:
    stack(coder)
    env = {
        **edited_list(coder, "reword c2", "pick c1"),
        "GIT_EDITOR": "sed -i 1s/c2/new/",
    }
    assert coder.git("rebase", "-q", "-i", "main", env=env).code == 0
    coder.link()
    assert kinds_of(coder, 2) == {"new": "updated", "c1": "stale"}


def test_commits_of_a_stop_inside_a_rebase(coder: Coder) -> None:
    stack(coder)
    env = edited_list(coder, "pick c0", "edit c1", "pick c2")
    coder.git("rebase", "-q", "-i", "main", env=env)
    coder.code("extra.txt")
    coder.git("commit", "-q", "-m", "extra")
    coder.code("1.txt")
    coder.git("commit", "-q", "--amend", "-m", "extra again")
    assert coder.git("rebase", "--continue", env=env).code == 0
    coder.link(look=True)
    # git holds the commit at HEAD when it goes on for the successor of c1
    assert kinds_of(coder, 4) == {**CHECKS, "c1": "exempt", "extra again": "stale"}
    assert coder.check("HEAD~2") == "exempt: during rebase"


def test_a_rebase_over_a_conflict(coder: Coder) -> None:
    coder.git("switch", "-q", "-c", "topic")
    coder.commit(updated=True)
    coder.link()
    coder.git("switch", "-q", "main")
    coder.commit(updated=True)
    coder.link()
    coder.git("switch", "-q", "topic")
    assert coder.git("rebase", "-q", "main").code == 1
    coder.repo.write(TASK, "written in the middle\n")
    coder.code()
    env = {"GIT_EDITOR": "true"}
    assert coder.git("rebase", "--continue", env=env).code == 0
    coder.link()
    assert coder.checks(2) == ["updated", "updated"]


def test_clean_cherry_picks(coder: Coder) -> None:
    stack(coder)
    coder.git("switch", "-q", "main")
    assert coder.git("cherry-pick", "topic~2", "topic~1").code == 0
    coder.link()
    assert coder.checks(3) == [
        "exempt: during cherry-pick",
        "exempt: during cherry-pick",
        "updated",
    ]
    assert coder.commit(settings=("gitstate.gate=block",)).code == 1


@pytest.mark.parametrize("reflog", ["true", "false"])
def test_a_clean_revert(coder: Coder, reflog: str) -> None:
    coder.repo.git("config", "core.logAllRefUpdates", reflog)
    coder.commit(updated=True)
    coder.link()
    if reflog == "false":
        shutil.rmtree(coder.repo.path / ".git" / "logs")
    assert coder.git("revert", "--no-edit", "HEAD").code == 0
    coder.link()
    assert coder.check() == "exempt: during revert"


def test_cherry_pick_continue(coder: Coder) -> None:
    coder.git("switch", "-q", "-c", "topic")
    coder.commit(updated=True)
    coder.git("switch", "-q", "main")
    coder.commit(updated=True)
    coder.git("cherry-pick", "topic")
    coder.code()
    assert coder.git("cherry-pick", "--continue", env={"GIT_EDITOR": "true"}).code == 0
    coder.link()
    assert coder.check() == "exempt: during cherry-pick"


def test_merges(coder: Coder) -> None:
    stack(coder)
    coder.git("switch", "-q", "main")
    assert coder.git("merge", "-q", "--no-edit", "topic").code == 0
    assert spool.names(coder.ws()) == ["look"]
    coder.link()
    assert coder.checks(2) == ["exempt: merge", "updated"]
    assert not coder.note().approximate
    coder.git("switch", "-q", "-c", "fast", "topic")
    coder.git("merge", "-q", "main")
    coder.link()
    assert coder.check() == "exempt: merge"


def test_a_merge_over_a_conflict(coder: Coder) -> None:
    coder.git("switch", "-q", "-c", "topic")
    coder.commit(updated=True)
    coder.git("switch", "-q", "main")
    coder.commit(updated=True)
    coder.git("merge", "-q", "topic")
    coder.code()
    coder.git("commit", "-q", "--no-edit")
    coder.link()
    assert coder.check() == "exempt: during merge"


def test_a_fast_forward_to_commits_that_are_linked(coder: Coder) -> None:
    stack(coder)
    coder.git("switch", "-q", "main")
    coder.git("reset", "-q", "--hard", "topic~3")
    tip = coder.repo.git("rev-parse", NOTES)
    coder.git("merge", "-q", "topic")
    coder.link()
    assert coder.repo.git("rev-parse", NOTES) == tip


def test_a_pull(coder: Coder, tmp_path: Path) -> None:
    coder.git("clone", "-q", str(coder.repo.path), str(tmp_path / "theirs"))
    theirs = Repo(tmp_path / "theirs")
    theirs.git("config", "user.email", "test@example.com")  # even the same person
    theirs.commit("theirs.txt")
    theirs.commit("theirs.txt", "again\n")
    coder.commit(updated=True)
    pull = ["pull", "-q", "--no-edit", str(theirs.path), "main"]
    assert coder.git(*pull, settings=("pull.rebase=false",)).code == 0
    coder.link()
    assert coder.checks(2) == ["exempt: merge", "updated"]
    theirs.git("pull", "-q", str(coder.repo.path), "main")
    theirs.commit("theirs.txt", "once more\n")
    assert coder.git(*pull).code == 0
    coder.link()
    assert coder.check() == "exempt: came from elsewhere"
    assert coder.commit(settings=("gitstate.gate=block",)).code == 1


def test_more_than_200_commits_at_once(coder: Coder) -> None:
    base = coder.head()
    now = int(time.time())
    rows = [
        f"commit refs/heads/bulk\ncommitter A <a@b> {now} +0000\ndata 1\nx\n"
        + (f"from {base}\n" if number == 0 else "")
        for number in range(250)
    ]
    coder.repo.git("fast-import", "--quiet", stdin="".join(rows).encode())
    coder.git("merge", "-q", "bulk")
    assert len(coder.link()) == 200
    assert coder.check() == "exempt: came from elsewhere"
    assert coder.check("HEAD~199") == "exempt: came from elsewhere"
    assert coder.check("HEAD~200") == ""
    assert coder.commit(settings=("gitstate.gate=block",)).code == 1


def test_am(coder: Coder, tmp_path: Path) -> None:
    stack(coder)
    coder.repo.git("format-patch", "-q", "-2", "-o", str(tmp_path / "p"))
    coder.git("switch", "-q", "main")
    patches = sorted(map(str, (tmp_path / "p").iterdir()))
    assert (
        coder.git("am", "-q", "--committer-date-is-author-date", *patches[:1]).code == 0
    )
    assert coder.git("am", "-q", *patches[1:]).code == 0
    assert spool.names(coder.ws()) == []  # no hook of ours runs
    coder.link(look=True)
    assert coder.checks(3) == ["exempt: during am", "exempt: during am", "updated"]


# past the hooks

OFF = ("core.hooksPath=/dev/null",)


def test_commits_past_the_hooks(coder: Coder) -> None:
    coder.commit(settings=OFF)
    coder.commit(updated=True, settings=OFF)
    coder.git("commit", "-q", "--allow-empty", "-m", "empty", settings=OFF)
    coder.repo.git("config", "gitstate.gateExempt", "*.md")
    coder.commit(name="x.md", settings=OFF)
    assert coder.checks(4) == [""] * 4
    assert len(coder.link(look=True)) == 4
    # all were made at a time at which the state was the present one
    assert coder.checks(4) == [
        "exempt: only exempt paths",
        "exempt: empty commit",
        "bypassed: made past the hooks",
        "updated",
    ]


def test_a_commit_past_the_hooks_and_a_state_that_moved_on(
    coder: Coder, monkeypatch: pytest.MonkeyPatch
) -> None:
    coder.commit(settings=OFF)
    later = datetime.now(UTC) + timedelta(minutes=5)
    monkeypatch.setenv("GITSTATE_NOW", later.isoformat())
    os.utime(coder.task, (time.time() + 10, time.time() + 10))
    coder.repo.write("03-known-issues.md", "later\n")
    os.utime(coder.repo.state / "03-known-issues.md", (time.time() + 9,) * 2)
    coder.link(look=True)
    assert coder.check() == "bypassed: made past the hooks"
    assert (coder.note().version, coder.note().approximate) == (1, True)


def test_from_before_gitstate_nothing_is_linked(coder: Coder) -> None:
    old = {"GIT_COMMITTER_DATE": "2001-01-01T00:00:00Z"}
    coder.git("switch", "-q", "--orphan", "old")
    for _ in range(2):
        coder.commit(settings=OFF, env=old)
    coder.link(look=True)
    assert coder.checks(2) == ["", ""]


def test_other_tips_are_looked_at_where_they_are_named(coder: Coder) -> None:
    coder.git("switch", "-q", "-c", "topic")
    coder.commit(settings=OFF)
    coder.git("switch", "-q", "main")
    assert coder.link(look=True) == []
    topic = coder.head("topic")
    assert coder.link(look=True, tips=(topic, "f" * len(topic))) == [topic]
    assert coder.check("topic") == "bypassed: made past the hooks"


def test_without_a_reflog_it_is_judged_by_whose_commit_it_is(coder: Coder) -> None:
    coder.repo.git("config", "core.logAllRefUpdates", "false")
    shutil.rmtree(coder.repo.path / ".git" / "logs")
    coder.commit(settings=OFF)
    coder.commit(settings=(*OFF, "user.email=other@example.com"))
    coder.commit("--date=2001-01-01T00:00:00Z", settings=OFF)
    coder.link(look=True)
    assert coder.checks(3) == [
        "exempt: came from elsewhere",
        "exempt: came from elsewhere",
        "bypassed: made past the hooks",
    ]


# odd times and places


def test_commits_that_vanish(coder: Coder) -> None:
    base = coder.head()
    coder.commit(updated=True)
    gone = coder.head()
    coder.git("reset", "-q", "--hard", base)
    coder.repo.git("reflog", "expire", "--expire=now", "--all")
    coder.repo.git("gc", "-q", "--prune=now")
    assert coder.git("cat-file", "-e", gone).code == 1
    (coder.runtime / "links" / "rewrite.1").write_text(
        f"amend\n{gone} {'f' * len(gone)}\nrebase\n\n{gone}\n"
    )
    coder.link()
    assert spool.names(coder.ws()) == []
    assert coder.check() == "exempt: first baseline"


def test_git_that_joins_notes_itself(coder: Coder) -> None:
    coder.repo.git("config", "notes.rewriteRef", "refs/notes/*")
    stack(coder)
    coder.git("commit", "-q", "--amend", "-m", "c2 again")
    coder.link()
    assert coder.check() == "updated"
    env = edited_list(coder, "pick c0", "squash c1")
    assert coder.git("rebase", "-q", "-i", "main", env=env).code == 0
    assert coder.text().count("State-Check") == 2
    coder.link()
    assert coder.note().check == "stale"
    assert coder.text().count("State-Check") == 1


def test_a_remark_of_the_users_stays_in_the_note(coder: Coder) -> None:
    coder.commit(updated=True)
    coder.link()
    coder.repo.git("notes", f"--ref={NOTES}", "append", "-m", "seen by me", "HEAD")
    coder.git("commit", "-q", "--amend", "-m", "x")
    coder.link()
    assert coder.text(coder.head("HEAD@{1}")).endswith("\n\nseen by me")
    coder.git("rebase", "-q", "--force-rebase", "HEAD~1")
    coder.link()
    assert coder.check() == "updated"


def test_notes_that_git_overwrote_come_back(coder: Coder) -> None:
    before = coder.repo.git("rev-parse", NOTES)
    coder.commit(updated=True)
    coder.link()
    coder.repo.git("update-ref", NOTES, before)  # as a writer that compares nothing
    coder.repo.git("notes", f"--ref={NOTES}", "append", "-m", "by git", "HEAD~1")
    first = coder.head()
    coder.commit()
    coder.link()
    assert coder.check(first) == "updated"
    assert coder.note().check == "stale"
    assert "by git" in coder.text("HEAD~2")


def test_a_worktree_keeps_its_own_line(coder: Coder, tmp_path: Path) -> None:
    coder.git("worktree", "add", "-q", "../tree")
    from tests.hooks.git.effects import Scene  # noqa: PLC0415 beside its use

    tree = Coder(Scene(Repo(tmp_path / "tree"), tmp_path / "log"))
    tree.scene.gitstate("init", "--no-daemon")
    tree.scene.let_nobody_link()
    tree.commit(updated=True)
    tree.link()
    assert (tree.note().line, tree.check()) == ("agent-state.tree", "updated")
    coder.git("merge", "-q", "tree")
    coder.link()
    assert task_at(coder, "HEAD") == "task 1\n"  # of the other worktree's line


def test_the_detached_child_links(coder: Coder) -> None:
    (coder.runtime / "daemon").unlink()
    coder.commit(updated=True)
    wait_for(lambda: coder.text() != "", what="the note")
    assert coder.check() == "updated"
    coder.git("commit", "-q", "--amend", "-m", "x")
    wait_for(lambda: coder.text() != "", what="the note of the amended commit")
    wait_for(lambda: spool.names(coder.ws()) == [])
    assert coder.check() == "updated"
    coder.commit()
    wait_for(lambda: spool.names(coder.ws()) == [])
    found = gitstate("flags", "--json", cwd=coder.repo.path).stdout
    assert [row["commit"] for row in json.loads(found)] == [coder.head()]
