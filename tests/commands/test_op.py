"""``gitstate op``: operations in batches."""

from __future__ import annotations

import os

from tests.commands.kept import GOAL, NOW, Kept, now, repo
from tests.engines import files_of, files_on_disk, numbers, versions

__all__ = ["now", "repo"]


def test_operations_are_written_in_batches(repo: Kept) -> None:
    log = repo.state / "long_mem/operations.log"
    for number in range(4):
        assert repo.do(
            "op", "add", "src/core/parser.ts", "edit", f"change {number}"
        ) == ("edit src/core/parser.ts\n")
    assert not log.exists()
    assert numbers(repo.ws) == [1]
    assert (
        repo.do("op", "add", "src", "run", "yarn | tee: 3 failed") == "run src (v2)\n"
    )
    blob = "587be6b4c3f9"
    assert log.read_text() == "".join(
        f"{NOW} | src/core/parser.ts | edit {blob} | change {n}\n" for n in range(4)
    ) + (f"{NOW} | src | run | yarn | tee: 3 failed\n")
    repo.do("op", "add", "code.txt", "read", "the format")
    repo.do("op", "add", "gone.txt", "delete", "not needed")
    repo.do("task", "start", GOAL, "--step", "Locate it")
    assert log.read_text().count("\n") == 5
    assert repo.do("task", "begin", "1") == "step 1 in progress (v4)\n"
    assert log.read_text().splitlines()[5:] == [
        f"{NOW} | code.txt | read | the format",
        f"{NOW} | gone.txt | delete | not needed",
    ]
    assert files_of(repo.ws, versions(repo.ws)[0].commit.id) == files_on_disk(repo.ws)
    assert not (repo.state / ".gitstate-tmp").exists()
    assert repo.refuses("op", "add", "parser.ts", "edit", "x").endswith(
        "is it src/core/parser.ts?"
    )


def test_an_edit_of_a_folder_has_no_blob(repo: Kept) -> None:
    assert repo.do("op", "add", "src", "edit", "all of it") == "edit src\n"


def test_a_pipe_in_the_place_of_what_waits_is_not_waited_for(repo: Kept) -> None:
    scratch = repo.state / ".gitstate-tmp"
    scratch.mkdir()
    os.mkfifo(scratch / "operations")
    said = repo.refuses("op", "add", "code.txt", "read", "the format")
    assert said.startswith("cannot write in ")
    (scratch / "operations").unlink()
    assert repo.do("op", "add", "code.txt", "read", "the format") == "read code.txt\n"
