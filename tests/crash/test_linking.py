"""Killed anywhere while code commits are linked: each gets its note, once and right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitstate.history import spool
from gitstate.history.note import parse
from gitstate.history.rule import TASK
from gitstate.workspace import Workspace
from tests.crash.test_points import DEATHS, until_done

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.crash.scene import Scene
    from tests.crash.stable import Ran
    from tests.support import Repo

pytestmark = pytest.mark.timeout(600)
_LONGEST = 400


def commit(repo: Repo, *words: str) -> str:
    """A code commit as the hooks leave it: the task file's bytes, then the verdict."""
    repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", *words)
    made = repo.git("rev-parse", "HEAD")
    links = repo.path / ".git" / "gitstate" / "links"
    links.mkdir(exist_ok=True)
    (links / made).write_bytes((repo.state / TASK).read_bytes())
    (links / f"{made}.v").write_text("updated\n")
    return made


def note(repo: Repo, name: str) -> tuple[str, bytes]:
    """What the note of a commit says, and the task file in its version."""
    text = repo.git("notes", "--ref=gitstate", "show", name, check=False)
    assert text.count("State-Check: ") == 1, text
    found = parse(text)
    assert found is not None
    task = repo.git("show", f"{found.commit}:.agent-state/{TASK}")
    return found.check, task.encode()


@DEATHS
def test_linking(scene: Scene, engine: str, *, everything: bool) -> None:
    """One commit, and in every other round an amend of it, which post-rewrite tells.

    Every fourth call; the two engines and the two ways to die begin at different ones.
    """
    begin = 1 + 2 * (engine == "git") + everything
    repo = scene.repo
    ws = Workspace.open(repo.path)
    known: dict[str, bytes] = {}

    def each() -> Iterator[Ran]:
        for at in range(begin, _LONGEST, 4):
            task = b"task %d" % at
            repo.write(TASK, task + b"\n")
            new = commit(repo, "--allow-empty", "-m", f"{at}")
            if len(known) % 2:
                amended = commit(repo, "--amend", "--allow-empty", "-m", f"{at} again")
                told = ws.runtime / "links" / "rewrite.1"
                told.write_text(f"amend\n{new} {amended}\n")
                new = amended
            yield scene.kill("link", at=at, everything=everything, torn=everything)
            scene.check_told_before_next()
            scene.stable.ok("link", cwd=repo.path)
            known[new] = task
            assert note(repo, new) == ("updated", task)
            assert not spool.anything(ws)

    assert until_done(each()) > 10
    scene.check()
    assert {name: note(repo, name)[1] for name in known} == known
    tip = repo.git("rev-parse", "refs/notes/gitstate")
    scene.stable.ok("link", cwd=repo.path)
    assert repo.git("rev-parse", "refs/notes/gitstate") == tip
    scene.check_swept()
    assert spool.names(ws) == []
