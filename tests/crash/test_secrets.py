"""Killed anywhere while a file with a secret is held: it stays out, and nothing of it is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gitstate.git.objects import object_id
from gitstate.history import withheld
from gitstate.workspace import Workspace
from tests.memory.secrets_made_up import ALNUM, made

if TYPE_CHECKING:
    from tests.crash.scene import Scene

pytestmark = pytest.mark.timeout(600)

NAME = "notes.md"
KEY = "gh" + "o_" + made(36, ALNUM, 77)
_LONGEST = 120
_STEP = 5


def _has_object(scene: Scene, data: bytes) -> bool:
    """Is a blob with these bytes in the repository, whoever names it."""
    identity = object_id("blob", data, "sha1")
    return scene.repo.git("cat-file", "-t", identity, check=False) == "blob"


def _waits(ws: Workspace) -> set[bytes]:
    texts = (withheld.read(ws, text) for text in withheld.waiting(ws))
    return {text for text in texts if text is not None}


def test_held(scene: Scene) -> None:
    ws = Workspace.open(scene.repo.path)
    held: list[bytes] = []
    killed = 0
    for at in range(1, _LONGEST, _STEP):
        text = f"{at}\n{KEY}\n".encode()
        held.append(text)
        scene.repo.write(NAME, text)
        scene.repo.write("other.md", f"other {at}\n")
        ran = scene.kill("snapshot", at=at, everything=True, torn=True)
        scene.stable.ok("snapshot", cwd=scene.repo.path)
        assert text in _waits(ws)
        if not ran.killed:
            break
        killed += 1
    assert killed > 5
    assert _waits(ws) == set(held)
    assert not any(_has_object(scene, text) for text in held)
    scene.check()


def test_let_in(scene: Scene) -> None:
    ws = Workspace.open(scene.repo.path)
    killed = 0
    for at in range(1, _LONGEST, _STEP):
        key = "gh" + "p_" + made(36, ALNUM, at)
        text = f"{at}\n{key}\n".encode()
        scene.repo.write(NAME, text)
        scene.stable.ok("snapshot", cwd=scene.repo.path)
        assert text in _waits(ws)
        words = ("snapshot", "--allow-secret", NAME)
        ran = scene.kill(*words, at=at, everything=True, torn=True)
        scene.stable.ok("snapshot", cwd=scene.repo.path)
        # let in by then or not: it is in one place, and in no other
        assert _has_object(scene, text) or text in _waits(ws)
        if not ran.killed:
            assert _waits(ws) <= {text}
            break
        killed += 1
        if text in _waits(ws):
            scene.stable.ok(*words, cwd=scene.repo.path)
        assert _has_object(scene, text)
        assert text not in _waits(ws)
    assert killed > 5
    scene.check()
