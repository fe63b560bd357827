"""What others do to the store behind gitstate's back is named by ``gitstate fsck``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import Repo, gitstate

if TYPE_CHECKING:
    from collections.abc import Callable

ADAPTER = "tests.conformance.adapter:GitstateAdapter"
EDITS = [
    "T1 content tamper",
    "T2 tail truncation",
    "T3 middle deletion",
    "T4 reordering",
    "T5 forged insertion",
    "T6 cross-context replay",
    "T7 rollback replay",
    "T8 metadata tamper",
    "T9 snapshot rollback",
]


@pytest.mark.timeout(600)
def test_agmi_check_sees_all_nine_edits_refused(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    report = tmp_path / "row.json"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "agmi.check"),
            *("--adapter", ADAPTER, "--json", str(report)),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads(report.read_text())["edits"]
    # REPORTED is agmi's word for a refusal by a check that has to be asked for
    assert [(row["edit"], row["verdict"]) for row in rows] == [
        (edit, "REPORTED") for edit in EDITS
    ], rows


@pytest.fixture
def three(repo: Repo) -> Repo:
    """Three versions: one, two, three."""
    repo.write_six("one")
    gitstate("init", "--no-daemon", cwd=repo.path)
    for tag in ("two", "three"):
        repo.write("02-current-task.md", f"# Task\n\n{tag}\n")
        gitstate("snapshot", cwd=repo.path)
    return repo


def fsck(repo: Repo) -> tuple[int, dict[str, Any]]:
    done = gitstate("fsck", "--json", cwd=repo.path, check=False)
    return done.returncode, json.loads(done.stdout)


def kinds(repo: Repo) -> tuple[int, list[str]]:
    code, found = fsck(repo)
    return code, [problem["kind"] for problem in found["problems"]]


def test_a_whole_line_is_accepted(three: Repo) -> None:
    code, found = fsck(three)
    assert (code, found["ok"], found["versions"], found["problems"]) == (0, True, 3, [])


def test_an_edit_is_listed_and_no_problem(three: Repo) -> None:
    three.write("02-current-task.md", "# Task\n\nfour\n")
    code, found = fsck(three)
    assert (code, found["problems"]) == (0, [])
    assert found["edited"] == ["02-current-task.md"]


def rolled_back(repo: Repo) -> None:
    """The state directory as it was at v2, put there by a copy and no restore."""
    shutil.rmtree(repo.state)
    repo.write_six("one")
    repo.write("02-current-task.md", "# Task\n\ntwo\n")


def test_the_rollback_of_the_state_directory(three: Repo) -> None:
    rolled_back(three)
    assert kinds(three) == (1, ["rolled back"])
    gitstate("restore", "v3", cwd=three.path)
    assert kinds(three) == (0, [])


def test_the_rollback_of_the_directory_and_of_the_branch_with_it(three: Repo) -> None:
    rolled_back(three)
    three.git("update-ref", "refs/heads/agent-state", "agent-state~1")
    code, found = kinds(three)
    assert code == 1
    assert found[0] == "moved"
    repaired = gitstate("fsck", "--repair", cwd=three.path, check=False)
    assert "put the branch agent-state back to v3" in repaired.stdout
    gitstate("restore", "v3", cwd=three.path)
    assert kinds(three) == (0, [])
    assert three.git("show", "agent-state:.agent-state/02-current-task.md").endswith(
        "three"
    )


def test_the_rollback_of_the_whole_repository(three: Repo, tmp_path: Path) -> None:
    older = tmp_path / "older"
    shutil.copytree(three.path, older, symlinks=True)
    three.write("02-current-task.md", "# Task\n\nfour\n")
    gitstate("snapshot", cwd=three.path)
    shutil.rmtree(three.path)
    older.rename(three.path)
    code, found = fsck(three)
    assert code == 1
    assert [problem["kind"] for problem in found["problems"]] == ["moved"]
    assert "v4" in found["problems"][0]["text"]
    assert "earlier copy" in found["problems"][0]["text"]
    # and afterwards the line goes on, with a number that was never used
    gitstate("fsck", "--repair", cwd=three.path)
    three.write("02-current-task.md", "# Task\n\nfive\n")
    assert gitstate("snapshot", cwd=three.path).stdout.startswith("v5 ")
    assert kinds(three) == (0, [])


def test_a_forged_version_stays_named_after_others_were_built_on_it(
    three: Repo,
) -> None:
    forged = forge(three)
    three.write("02-current-task.md", "# Task\n\nfive\n")
    gitstate("snapshot", cwd=three.path)
    code, found = fsck(three)
    assert code == 1
    assert [problem["kind"] for problem in found["problems"]] == ["stranger"]
    assert f"v4 ({forged[:12]})" in found["problems"][0]["text"]
    gitstate("fsck", "--repair", cwd=three.path)
    assert kinds(three) == (0, [])
    assert three.git("rev-parse", "agent-state~1") == forged


def forge(repo: Repo) -> str:
    """A v4 with all that a version has, made with git alone."""
    raw = repo.git("cat-file", "commit", "agent-state")
    head, _, message = raw.partition("\n\n")
    rows = [row for row in head.split("\n") if not row.startswith("parent ")]
    rows.insert(1, f"parent {repo.git('rev-parse', 'agent-state')}")
    text = "\n".join(rows) + "\n\n" + message.replace("v3", "v4")
    text = text.replace("State-Version: 3", "State-Version: 4") + "\n"
    args = ("hash-object", "-t", "commit", "-w", "--stdin")
    forged = repo.git(*args, stdin=text.encode())
    repo.git("update-ref", "refs/heads/agent-state", forged)
    return forged


def lose_the_id(repo: Repo) -> None:
    (repo.path / ".git" / "gitstate" / "id").unlink()


def change_the_id(repo: Repo) -> None:
    path = repo.path / ".git" / "gitstate" / "id"
    found = json.loads(path.read_bytes())
    path.write_text(json.dumps({**found, "id": "0" * 32}))


def lose_the_cache(repo: Repo) -> None:
    (repo.path / ".git" / "gitstate" / "numbers").unlink(missing_ok=True)


@pytest.mark.parametrize("more", [lose_the_id, change_the_id, lose_the_cache])
@pytest.mark.parametrize("snapshot_first", [False, True])
def test_what_lies_in_the_repository_cannot_hide_a_rollback(
    three: Repo, more: Callable[[Repo], None], *, snapshot_first: bool
) -> None:
    three.git("update-ref", "refs/heads/agent-state", "agent-state~1")
    more(three)
    lose_the_cache(three)
    if snapshot_first:
        gitstate("snapshot", cwd=three.path)
    code, found = kinds(three)
    assert code == 1
    assert found[0] == "moved"


def test_a_version_by_a_process_that_was_killed_before_it_was_recorded(
    three: Repo, home: Path
) -> None:
    (heads,) = [path for path in heads_of(home) if path.is_file()]
    before = heads.read_bytes()
    three.write("02-current-task.md", "# Task\n\nfour\n")
    gitstate("snapshot", cwd=three.path)
    # as it is when the process ends between the ref and the record of it
    heads.write_bytes(before)
    (
        heads.with_name(f"{heads.name}.coming") / three.git("rev-parse", "agent-state")
    ).touch()
    assert kinds(three) == (0, [])
    three.write("02-current-task.md", "# Task\n\nfive\n")
    assert gitstate("snapshot", cwd=three.path).stdout.startswith("v5 ")
    assert kinds(three) == (0, [])


def test_the_branch_is_deleted_after_a_version_that_was_not_recorded(
    three: Repo, home: Path
) -> None:
    (heads,) = [path for path in heads_of(home) if path.is_file()]
    before = heads.read_bytes()
    three.write("02-current-task.md", "# Task\n\nfour\n")
    gitstate("snapshot", cwd=three.path)
    newest = three.git("rev-parse", "agent-state")
    heads.write_bytes(before)
    (heads.with_name(f"{heads.name}.coming") / newest).touch()
    lose_the_cache(three)
    three.git("update-ref", "-d", "refs/heads/agent-state")
    assert kinds(three) == (1, ["moved"])
    gitstate("fsck", "--repair", cwd=three.path)
    assert three.git("rev-parse", "agent-state") == newest


def heads_of(home: Path) -> list[Path]:
    return sorted((home / ".state" / "gitstate" / "heads").iterdir())


def test_bytes_of_an_object_that_were_changed_in_place(three: Repo) -> None:
    packs = three.path / ".git" / "objects" / "pack"
    for pack in list(packs.glob("*.pack")):
        data = bytearray(pack.read_bytes())
        data[len(data) // 2] ^= 0xFF
        pack.chmod(0o644)
        pack.write_bytes(data)
    code, found = kinds(three)
    assert code == 1
    assert "damaged" in found
