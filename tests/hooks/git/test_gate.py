from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gitstate.hooks.git import gate
from tests.hooks.git.coding import NOTES, Coder, Ran
from tests.hooks.git.effects import Scene
from tests.support import Repo, make_repo

BLOCK = ("gitstate.gate=block",)
TASK = ".agent-state/02-current-task.md"
OLDER = "updated the files are older than the task file"


@pytest.fixture
def coder(tmp_path: Path) -> Coder:
    return Coder.begin(tmp_path)


def lines(ran: Ran) -> list[str]:
    """What gitstate said, with ids and ages taken out."""
    said = [line for line in ran.err.splitlines() if line.startswith("gitstate: ")]
    return [
        re.sub(r"\b[0-9a-f]{12}\b", "ID", re.sub(r"\d+ (s|min|h) ago", "AGE ago", line))
        for line in said
    ]


STALE = f"gitstate: {TASK} has not changed since code commit ID (v1, AGE ago); this commit changes 1 file"
AMEND = f"gitstate: update {TASK}, then: git commit --amend --no-edit"
REFUSED = f"gitstate: refused: update {TASK} and commit again, or pass once with GITSTATE_SKIP=1 git commit"


# what it says


def test_a_commit_with_an_update_is_silent(coder: Coder) -> None:
    ran = coder.commit(updated=True)
    assert (ran.code, ran.err, coder.verdict()) == (0, "", "updated")


def test_a_stale_commit_is_made_and_two_lines_are_printed(coder: Coder) -> None:
    base = coder.head()
    ran = coder.commit()
    assert (ran.code, lines(ran)) == (0, [STALE, AMEND])
    assert coder.verdict() == f"stale unchanged since code commit {base[:12]}"


@pytest.mark.parametrize("how", ["flag", "config", "environment"])
def test_block_refuses_before_the_commit(coder: Coder, how: str) -> None:
    base = coder.head()
    if how == "config":
        coder.repo.git("config", "gitstate.gate", "block")
    ran = coder.commit(
        settings=BLOCK if how == "flag" else (),
        env={"GITSTATE_GATE": "block"} if how == "environment" else {},
    )
    assert (ran.code, lines(ran), coder.head()) == (1, [STALE, REFUSED], base)
    assert coder.repo.git("diff", "--cached", "--name-only") == "code.txt"


def test_what_mends_it_mends_it(coder: Coder) -> None:
    assert coder.commit(settings=BLOCK).code == 1
    coder.update()
    assert coder.git("commit", "-q", "-m", "x", settings=BLOCK) == Ran(0, "")
    coder.commit()
    coder.update()
    ran = coder.git("commit", "--amend", "--no-edit", "-q", settings=BLOCK)
    assert (ran.code, ran.err) == (0, "")
    coder.link()
    assert coder.checks(2) == ["updated", "updated"]


@pytest.mark.parametrize("value", ["banana", "", "BLOCKED"])
def test_a_bad_value_is_the_default(coder: Coder, value: str) -> None:
    ran = coder.commit(settings=(f"gitstate.gate={value}",))
    assert (ran.code, lines(ran)) == (0, [STALE, AMEND])


def test_a_value_counts_in_any_case(coder: Coder) -> None:
    assert coder.commit(settings=("GitState.Gate=Block",)).code == 1


# by content


def test_touching_the_task_file_is_no_update(coder: Coder) -> None:
    os.utime(coder.task)
    coder.code()
    os.utime(coder.repo.path / "code.txt")
    ran = coder.git("commit", "-q", "-m", "x")
    assert lines(ran) == [STALE, AMEND]


def test_an_update_counts_for_one_commit(coder: Coder) -> None:
    said = [
        len(lines(coder.commit(updated=updated))) for updated in (True, False, True)
    ]
    assert said == [0, 2, 0]


def test_quick_commits_compare_with_each_other_before_any_is_linked(
    coder: Coder,
) -> None:
    coder.commit(updated=True)
    (coder.runtime / "baseline").unlink()  # only the spool tells
    ran = coder.commit()
    assert lines(ran) == [STALE.replace("(v1, AGE ago)", "(AGE ago)"), AMEND]


def test_the_same_text_again_after_another_is_an_update(coder: Coder) -> None:
    for text, count in (("a", 0), ("b", 0), ("a", 0), ("a", 2)):
        coder.update(text)
        assert len(lines(coder.commit())) == count, text


def test_a_switch_of_branches_is_no_update(coder: Coder) -> None:
    """What differs from the branch's own last commit was written for another branch."""
    coder.commit(updated=True)
    coder.git("switch", "-q", "-c", "feature")
    coder.commit(updated=True)
    feature = coder.head()[:12]
    coder.link()
    coder.git("switch", "-q", "main")
    ran = coder.commit(settings=BLOCK)
    assert ran.code == 1
    assert f"has not changed since code commit {feature}; this" in ran.err
    assert coder.commit(updated=True, settings=BLOCK).code == 0
    coder.git("switch", "-q", "feature")
    assert coder.commit(settings=BLOCK).code == 1


def test_several_commits_cut_from_one_piece_of_work(coder: Coder) -> None:
    names = ["one.txt", "two.txt", "three.txt"]
    for name in names:
        coder.code(name)
        coder.backdate(coder.repo.path / name, 600)
    coder.repo.git("reset", "-q")
    coder.update()
    verdicts = []
    for name in names:
        coder.git("add", name)
        assert coder.git("commit", "-qm", name, settings=BLOCK).err == ""
        verdicts.append(coder.verdict())
    assert verdicts == ["updated", OLDER, OLDER]


@pytest.mark.parametrize("late", ["one.txt", "gone.txt"])
def test_one_younger_file_or_nothing_but_deletions_is_not_lenient(
    coder: Coder, late: str
) -> None:
    coder.code("gone.txt")
    coder.commit(updated=True)
    if late == "gone.txt":
        coder.git("rm", "-q", late)
    else:
        for name in ("one.txt", "two.txt"):
            coder.code(name)
        coder.backdate(coder.repo.path / "two.txt", 600)
    assert coder.git("commit", "-qm", "x", settings=BLOCK).code == 1


@pytest.mark.parametrize("task", ["missing", "a link", "a folder"])
def test_a_task_file_that_is_none(coder: Coder, task: str) -> None:
    coder.task.unlink()
    if task == "a link":
        coder.task.symlink_to("/etc/hostname")
    elif task == "a folder":
        coder.task.mkdir()
    coder.commit(settings=BLOCK)
    assert coder.commit(settings=BLOCK).code == 1  # it was the same at the last commit


# what is bypassed


def test_skip_passes_once_and_is_recorded(coder: Coder) -> None:
    ran = coder.commit(env={"GITSTATE_SKIP": "1"}, settings=BLOCK)
    assert (ran.code, ran.err) == (0, "")
    assert coder.verdict() == "bypassed GITSTATE_SKIP=1"
    assert coder.commit(settings=BLOCK).code == 1
    coder.link()
    assert coder.check() == "bypassed: GITSTATE_SKIP=1"


def test_no_verify_is_recorded_where_the_content_does_not_match(coder: Coder) -> None:
    coder.commit("--no-verify", settings=BLOCK)
    coder.commit("--no-verify", updated=True, settings=BLOCK)
    coder.git("commit", "-q", "--no-verify", "--allow-empty", "-m", "empty")
    coder.link()
    assert coder.checks(3) == [
        "exempt: empty commit",
        "updated",
        "bypassed: the check did not run",
    ]


# exempt, and why


@pytest.mark.parametrize("how", ["flag", "config", "environment"])
def test_gate_off(coder: Coder, how: str) -> None:
    if how == "config":
        coder.repo.git("config", "gitstate.gate", "off")
    ran = coder.commit(
        settings=("gitstate.gate=off",) if how == "flag" else (),
        env={"GITSTATE_GATE": "off"} if how == "environment" else {},
    )
    assert (ran.err, coder.verdict()) == ("", "exempt gate off")


def test_the_first_commit_of_an_unborn_branch(tmp_path: Path) -> None:
    coder = Coder.begin(tmp_path, commit=False)
    ran = coder.commit(settings=BLOCK)
    assert (ran.code, ran.err, coder.verdict()) == (0, "", "exempt first commit")
    coder.git("commit", "-q", "--amend", "-m", "x", settings=BLOCK)
    assert coder.verdict() == "exempt first commit"
    assert coder.commit(settings=BLOCK).code == 1  # it is the baseline now
    coder.link()
    assert coder.check() == "exempt: first commit"


def test_without_any_baseline(coder: Coder) -> None:
    coder.git("update-ref", "-d", NOTES)
    (coder.runtime / "baseline").unlink()
    ran = coder.commit(settings=BLOCK)
    assert (ran.code, ran.err, coder.verdict()) == (0, "", "exempt no baseline")
    assert coder.commit(settings=BLOCK).code == 1


def test_an_unrelated_branch_has_no_baseline(coder: Coder) -> None:
    coder.git("switch", "-q", "--orphan", "other")
    assert coder.commit(settings=BLOCK).code == 0
    assert coder.verdict() == "exempt first commit"


def test_a_link_counts_up_to_200_commits_back(coder: Coder) -> None:
    coder.link()
    (coder.runtime / "baseline").unlink()
    base = coder.head()

    def grow(count: int) -> None:
        rows = [
            "commit refs/heads/main\ncommitter A <a@b> 1700000000 +0000\ndata 1\nx\n"
            + (f"from {base}\n" if number == 0 else "")
            for number in range(count)
        ]
        coder.repo.git(
            "fast-import", "--quiet", "--force", stdin="".join(rows).encode()
        )

    grow(199)
    assert coder.commit(settings=BLOCK).code == 1
    grow(200)
    assert coder.commit(settings=BLOCK).code == 0
    assert coder.verdict() == "exempt no baseline"


@pytest.mark.parametrize("amend", [False, True])
def test_an_empty_commit(coder: Coder, *, amend: bool) -> None:
    coder.git("commit", "-q", "--allow-empty", "-m", "x", settings=BLOCK)
    if amend:
        coder.git("commit", "-q", "--amend", "--allow-empty", "-m", "y", settings=BLOCK)
        assert coder.repo.git("log", "-1", "--format=%s") == "y"
    assert coder.verdict() == "exempt empty commit"


@pytest.mark.parametrize(
    ("patterns", "path"),
    [
        (["docs/"], "docs/a/b.md"),
        (["docs"], "docs/a/b.md"),
        (["/docs/**"], "docs/a/b.md"),
        (["*.md"], "docs/a/b.md"),
        (["**/b.md"], "b.md"),
        (["**/b.md"], "a/b.md"),
        (["docs/**/b.md"], "docs/b.md"),
        (["x", "*.lock"], "yarn.lock"),
        (["[ab].txt"], "a.txt"),
        (["ünï *"], "ünï c\nd"),
        (["-x"], "-x"),
    ],
)
def test_exempt_paths(coder: Coder, patterns: list[str], path: str) -> None:
    for pattern in patterns:
        coder.repo.git("config", "--add", "gitstate.gateExempt", pattern)
    ran = coder.commit(name=path, settings=BLOCK)
    assert (ran.code, coder.verdict()) == (0, "exempt only exempt paths")
    coder.code(path)
    assert coder.commit(settings=BLOCK).code == 1  # code beside it


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("docs", "docs2/a"), ("*.md", "a.mdx"), ("a/b.md", "b.md"), ("", "a"), ("/", "a")],
)
def test_not_exempt_paths(coder: Coder, pattern: str, path: str) -> None:
    coder.repo.git("config", "gitstate.gateExempt", pattern)
    assert coder.commit(name=path, settings=BLOCK).code == 1


def test_the_state_directory_itself_is_exempt(coder: Coder) -> None:
    coder.code(".agent-state/03-known-issues.md")
    assert coder.git("commit", "-qm", "x", settings=BLOCK).code == 0
    assert coder.verdict() == "exempt only exempt paths"


def test_the_state_directory_has_the_name_that_is_set(tmp_path: Path) -> None:
    scene = Scene.make(tmp_path)
    scene.repo.git("config", "gitstate.dir", "notes/state")
    scene.init()
    coder = Coder(scene)
    ran = coder.commit()
    assert "gitstate: notes/state/02-current-task.md has not changed" in ran.err
    (coder.repo.path / "notes/state/02-current-task.md").write_text("new")
    assert coder.commit(settings=BLOCK).code == 0
    coder.code("notes/state/03-known-issues.md")
    coder.git("commit", "-qm", "x", settings=BLOCK)
    assert coder.verdict() == "exempt only exempt paths"


def conflict(coder: Coder) -> str:
    """A branch ``other`` whose commit conflicts with HEAD's; its id."""
    coder.git("switch", "-q", "-c", "other")
    coder.commit(updated=True)
    other = coder.head()
    coder.git("switch", "-q", "main")
    coder.commit(updated=True)
    coder.link()
    return other


def test_the_end_of_a_merge(coder: Coder) -> None:
    conflict(coder)
    assert coder.git("merge", "-q", "other").code == 1
    coder.code()
    assert coder.git("commit", "-q", "--no-edit", settings=BLOCK).err == ""
    assert coder.verdict() == "exempt during merge"
    coder.git("commit", "-q", "--amend", "-m", "said better", settings=BLOCK)
    assert coder.verdict() == "exempt merge"


def test_a_cherry_pick(coder: Coder) -> None:
    other = conflict(coder)
    assert coder.git("cherry-pick", other).code == 1
    coder.code()
    assert coder.git("commit", "-q", "--no-edit", settings=BLOCK).code == 0
    assert coder.verdict() == "exempt during cherry-pick"


def test_a_revert(coder: Coder) -> None:
    conflict(coder)
    coder.commit(updated=True)
    assert coder.git("revert", "--no-edit", "HEAD~1").code == 1
    coder.code()
    assert coder.git("commit", "-q", "--no-edit", settings=BLOCK).code == 0
    assert coder.verdict() == "exempt during revert"


@pytest.mark.parametrize("backend", ["--merge", "--apply"])
def test_inside_a_rebase(coder: Coder, backend: str) -> None:
    conflict(coder)
    assert coder.git("rebase", "-q", backend, "other").code == 1
    coder.code()
    coder.repo.git("config", "gitstate.gate", "block")
    assert coder.git("commit", "-q", "-m", "in between").code == 0
    coder.code("more.txt")
    assert coder.git("commit", "-q", "-m", "another").code == 0


def test_inside_an_am(coder: Coder, tmp_path: Path) -> None:
    other = conflict(coder)
    patch = coder.repo.git("format-patch", "-1", "-o", str(tmp_path), other)
    assert coder.git("am", "-q", patch).code != 0
    coder.code()
    assert coder.git("commit", "-q", "-m", "by hand", settings=BLOCK).code == 0
    assert (coder.runtime / "gate").read_text() == "exempt during am\n"


# amends

AMENDING = [
    ["commit", "-q", "--amend", "--no-edit"],
    ["commit", "-q", "--amend", "-m", "message"],
    ["commit", "-q", "-m", "message", "--amend"],
    ["commit", "-q", "--am", "-m", "message"],
    ["commit", "-q", "--ame", "--no-edit", "code.txt"],
    ["-c", "core.pager=cat", "commit", "-q", "--amend", "--no-edit"],
    ["--no-pager", "-C", ".", "commit", "-q", "--amend", "--no-edit"],
    ["fix", "-q"],
    ["again"],
    ["commit", "-q", "--no-amend", "--amend", "--no-edit"],
    ["commit", "-q", "-aF", "/dev/null", "--amend", "--allow-empty-message"],
]
NOT_AMENDING = [
    ["commit", "-q", "-m", "--amend"],
    ["commit", "-qam", "--amend"],
    ["commit", "-qm--amend"],
    ["commit", "-q", "--message", "--amend"],
    ["commit", "-q", "--message=--amend"],
    ["commit", "-q", "--mess", "--amend"],
    ["commit", "-q", "-m", "x", "--", "--amend"],
    ["commit", "-q", "-m", "x", "--amend", "--no-amend"],
    ["commit", "-q", "-m", "x", "--author", "--amend <a@b>"],
    ["commit", "-q", "-m", "x", "--trailer", "--amend: x"],
    ["commit", "-q", "--fixup=amend:HEAD", "-m", "x"],
]


@pytest.fixture
def amender(coder: Coder) -> Coder:
    """HEAD is a commit that came with an update, and something is staged."""
    coder.repo.git("config", "alias.fix", "commit --amend --no-edit")
    coder.repo.git("config", "alias.again", "!git commit -q --amend --no-edit")
    coder.commit(updated=True)
    coder.link()
    (coder.repo.path / "--amend").write_text("a path\n")
    coder.git("add", "--", "--amend")
    coder.code()
    return coder


@pytest.mark.parametrize("words", AMENDING, ids=" ".join)
def test_an_amend_is_compared_with_the_first_parent(
    amender: Coder, words: list[str]
) -> None:
    ran = amender.git(*words, settings=BLOCK)
    assert (ran.code, lines(ran)) == (0, [])
    assert amender.repo.git("rev-list", "--count", "HEAD") == "2"
    amender.link()
    assert amender.check() == "updated"


@pytest.mark.parametrize("words", NOT_AMENDING, ids=" ".join)
def test_what_only_looks_like_an_amend(amender: Coder, words: list[str]) -> None:
    ran = amender.git(*words, settings=BLOCK)
    assert (ran.code, len(lines(ran))) == (1, 2)


@pytest.mark.parametrize("words", AMENDING, ids=" ".join)
def test_a_stale_commit_stays_stale_when_it_is_amended(
    coder: Coder, words: list[str]
) -> None:
    coder.repo.git("config", "alias.fix", "commit --amend --no-edit")
    coder.repo.git("config", "alias.again", "!git commit -q --amend --no-edit")
    coder.commit()
    coder.code()
    assert coder.git(*words, settings=BLOCK).code == 1
    assert coder.git(*words).code == 0
    coder.link()
    assert coder.note().check == "stale"


def test_an_amend_after_the_update_was_taken_back(coder: Coder) -> None:
    before = coder.task.read_text()
    coder.commit(updated=True)
    coder.update(before)
    coder.commit("--amend")
    coder.link()
    assert coder.note().check == "stale"  # decided anew, whatever was let through


def test_an_amend_keeps_what_another_branch_used_up(coder: Coder) -> None:
    coder.commit(updated=True)
    coder.git("switch", "-q", "-c", "feature")
    coder.commit(updated=True)
    coder.git("switch", "-q", "main")
    coder.commit("--no-verify")
    coder.link()
    assert coder.note().check == "bypassed"
    assert coder.commit("--amend", settings=BLOCK).code == 1


def test_an_amend_on_a_branch_that_was_left(coder: Coder) -> None:
    """It had an update of its own; that the newest belongs to another branch is no matter."""
    coder.commit(updated=True)
    coder.git("switch", "-q", "-c", "feature")
    coder.commit(updated=True)
    coder.link()
    coder.git("switch", "-q", "main")
    assert coder.commit("--amend", settings=BLOCK).code == 0
    coder.link()
    assert coder.check() == "updated"


def test_where_no_ancestor_can_be_read_it_passes_with_the_two_lines(
    coder: Coder,
) -> None:
    """git gui and the like run the hook themselves."""
    coder.repo.git("config", "gitstate.gate", "block")
    coder.code()
    done = subprocess.run(
        [coder.repo.path / ".git" / "hooks" / "pre-commit"],
        cwd=coder.repo.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, lines(Ran(0, done.stderr))) == (
        0,
        [STALE, AMEND],
    )


# the index that git commits from


def test_commit_a_sees_what_it_will_commit(coder: Coder) -> None:
    coder.repo.git("config", "gitstate.gateExempt", "*.md")
    coder.commit(updated=True, name="a.md")
    (coder.repo.path / "a.md").write_text("changed\n")
    assert coder.git("commit", "-qam", "x", settings=BLOCK).code == 0
    assert coder.verdict() == "exempt only exempt paths"
    (coder.repo.path / "code.txt").write_text("changed\n")
    assert coder.git("commit", "-qam", "x", settings=BLOCK).code == 1
    assert coder.git("commit", "-qam", "x").code == 0
    assert coder.repo.git("fsck", "--strict") == ""
    assert coder.repo.git("status", "--porcelain") == ""


def test_commit_path_is_judged_by_that_path(coder: Coder) -> None:
    coder.repo.git("config", "gitstate.gateExempt", "*.md")
    coder.code("a.md")
    coder.code("code.txt")
    assert coder.git("commit", "-qm", "x", "code.txt", settings=BLOCK).code == 1
    assert coder.git("commit", "-qm", "x", "a.md", settings=BLOCK).code == 0
    assert coder.verdict() == "exempt only exempt paths"
    assert coder.repo.git("status", "--porcelain") == "M  code.txt"


def test_a_linked_worktree_has_a_state_of_its_own(coder: Coder, tmp_path: Path) -> None:
    coder.git("worktree", "add", "-q", "../tree")
    tree = Coder(Scene(Repo(tmp_path / "tree"), tmp_path / "log"))
    assert tree.commit(settings=BLOCK).code == 0  # not set up: nothing is checked
    tree.scene.gitstate("init", "--no-daemon")
    tree.scene.let_nobody_link()
    assert tree.commit(settings=BLOCK).code == 1
    assert tree.commit(updated=True, settings=BLOCK).code == 0
    (tree.repo.path / "code.txt").write_text("again\n")
    assert tree.git("commit", "-qam", "x", settings=BLOCK).code == 1
    assert tree.git("commit", "-q", "--amend", "-m", "x", settings=BLOCK).code == 0
    assert coder.commit(settings=BLOCK).code == 1
    assert coder.commit(updated=True, settings=BLOCK).code == 0


def test_in_a_submodule_and_of_one(coder: Coder, tmp_path: Path) -> None:
    inner = make_repo(tmp_path / "inner")
    add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q"]
    coder.repo.git(*add, str(inner.path), "sub")
    coder.repo.git("config", "diff.ignoreSubmodules", "all")
    assert coder.git("commit", "-qm", "add it", settings=BLOCK).code == 1
    coder.update()
    assert coder.git("commit", "-qm", "add it", settings=BLOCK).code == 0
    sub = Coder(Scene(Repo(coder.repo.path / "sub"), tmp_path / "log"))
    sub.scene.gitstate("init", "--no-daemon")
    sub.scene.let_nobody_link()
    assert sub.commit(settings=BLOCK).code == 1
    assert sub.commit(updated=True, settings=BLOCK).code == 0
    coder.git("add", "sub")
    assert coder.git("commit", "-qm", "move it", settings=BLOCK).code == 1


@pytest.mark.parametrize("name", ["-", "--cached", "a\nb", 'q"\\', "ü", "a\x01"])
def test_names_of_any_kind(coder: Coder, name: str) -> None:
    coder.code(name)
    ran = coder.git("commit", "-qm", "x")
    assert lines(ran) == [STALE, AMEND]


def test_a_name_that_is_no_text(coder: Coder) -> None:
    (coder.repo.path / os.fsdecode(b"\xff\xfe")).write_text("x")
    coder.git("add", ".")
    assert lines(coder.git("commit", "-qm", "x")) == [STALE, AMEND]


# notes that others wrote


@pytest.mark.parametrize(
    "text",
    ["", "banana", "State-Task: x\n", "State-Check: stale\n\x00", "State-Line: \n" * 9],
)
def test_a_note_that_says_nothing_is_none(coder: Coder, text: str) -> None:
    (coder.runtime / "baseline").unlink()
    blob = coder.repo.git("hash-object", "-w", "--stdin", stdin=text.encode())
    coder.repo.git("notes", f"--ref={NOTES}", "add", "-f", "-C", blob, "HEAD")
    coder.commit(settings=BLOCK)
    assert coder.verdict() == "exempt no baseline"


def test_joined_records_count_as_the_newest(coder: Coder) -> None:
    coder.commit(updated=True)
    coder.link()
    older = coder.text("HEAD~1")
    coder.repo.git("notes", f"--ref={NOTES}", "append", "-m", older, "HEAD")
    (coder.runtime / "baseline").unlink()
    ran = coder.commit(settings=BLOCK)
    assert ran.code == 1
    assert "(v2, " in ran.err


# where it runs


def test_with_an_empty_environment(coder: Coder) -> None:
    coder.code()
    identity = [
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@b",
        "-c",
        "gitstate.gate=block",
    ]
    git = shutil.which("git")
    assert git
    done = subprocess.run(
        ["env", "-i", git, *identity, "commit", "-qm", "x"],
        cwd=coder.repo.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, lines(Ran(0, done.stderr))) == (
        1,
        [STALE, REFUSED],
    )


def test_from_a_folder_inside(coder: Coder) -> None:
    coder.code("deep/er/file.txt")
    done = subprocess.run(
        ["git", "commit", "-qm", "x"],
        cwd=coder.repo.path / "deep",
        capture_output=True,
        text=True,
        check=False,
    )
    assert lines(Ran(0, done.stderr)) == [STALE, AMEND]


def test_it_imports_nothing_that_costs() -> None:
    costly = {
        "asyncio", "click", "dataclasses", "enum", "hashlib", "inspect", "json", "pathlib",
        "platformdirs", "pygit2", "re", "shutil", "signal", "subprocess", "tempfile",
        "threading", "typing",
    }  # fmt: skip
    place = str(Path(gate.__file__).parents[3])
    program = (
        f"import sys; sys.path.insert(0, {place!r}); before = set(sys.modules)\n"
        "import gitstate.hooks.git.gate; print(*(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert "gitstate.hooks.git.judging" in loaded
    assert loaded & costly == set()


def test_whatever_breaks_the_commit_goes_through(coder: Coder) -> None:
    """A git directory that is no longer what it was when the hook started."""
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            gate.__file__,
            "pre-commit",
            "/no/where",
            "f" * 40,
        ],
        cwd=coder.repo.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == (
        "gitstate: the check failed (GitFailed: git log: exit code 128); it was passed; "
        "`gitstate doctor` says more\n"
    )
