"""Long walks: what is read one by one and what is streamed is the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitstate.errors import ObjectDamaged, ObjectMissing
from gitstate.git.objects import Signature, encode_commit, make

if TYPE_CHECKING:
    from gitstate.git.engine import Engine
    from tests.support import Repo

WHO = Signature("A Person", "a@example.com", 1_700_000_000, 60)
LENGTH = 150


def history(repo: Repo, engine: Engine) -> list[tuple[str, str]]:
    """A line of commits, newest first: id and message."""
    tree = repo.git("rev-parse", "HEAD^{tree}")
    made: list[tuple[str, str]] = []
    objects = []
    for number in range(LENGTH):
        message = f"state v{number}: x\n\n    indented\n\n\nState-Version: {number}\n"
        parents = [made[-1][0]] if made else []
        data = encode_commit(tree, parents, WHO, WHO, message)
        objects.append(make("commit", data, engine.object_format))
        made.append((objects[-1].id, message))
    engine.write(objects, durable=False)
    return made[::-1]


def test_a_long_walk_gives_every_commit_byte_for_byte(
    repo: Repo, engine: Engine
) -> None:
    made = history(repo, engine)

    found = [(commit.id, commit.message) for commit in engine.walk(made[0][0])]

    assert found == made


def test_a_long_walk_may_be_left_at_any_moment(repo: Repo, engine: Engine) -> None:
    made = history(repo, engine)

    for count in (1, 64, 65, 100):
        walk = engine.walk(made[0][0])
        assert [next(walk).id for _ in range(count)] == [
            identity for identity, _ in made[:count]
        ]
        del walk
    assert engine.commit(made[-1][0]).message == made[-1][1]


@pytest.mark.parametrize("depth", [10, 100])
def test_a_gap_in_history_is_an_error_and_no_end(
    repo: Repo, engine: Engine, depth: int
) -> None:
    tree = repo.git("rev-parse", "HEAD^{tree}")
    parent = "1" * len(tree)
    objects = []
    for number in range(depth):
        data = encode_commit(tree, [parent], WHO, WHO, f"{number}\n")
        objects.append(make("commit", data, engine.object_format))
        parent = objects[-1].id
    engine.write(objects, durable=False)

    with pytest.raises((ObjectMissing, ObjectDamaged)):
        list(engine.walk(parent))
