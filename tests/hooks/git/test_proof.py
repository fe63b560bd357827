"""``doctor --prove``: what a real commit runs, with everybody's hooks as they are."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gitstate.hooks.git import installer, proof
from gitstate.workspace import Workspace
from tests.hooks.git.effects import Scene, add_hook
from tests.hooks.git.managers import NAMES, Manager, Tools
from tests.hooks.git.test_places import WAYS, configured, own
from tests.support import command, wait_for

BOTH = (("pre-commit", 0), ("post-commit", 0))
OURS = ("pre-commit", "post-commit")


def proved(scene: Scene, **words: float) -> proof.Proof:
    """A proof, and that it leaves the repository alone."""
    scene.log.unlink(missing_ok=True)
    tip = scene.repo.git("for-each-ref", "--format=%(refname) %(objectname)")
    found = proof.prove(Workspace.open(scene.repo.path), **words)
    assert scene.repo.git("for-each-ref", "--format=%(refname) %(objectname)") == tip
    assert scene.repo.git("status", "--porcelain") == ""
    return found


@pytest.fixture(autouse=True)
def logged(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOOK_LOG", str(scene.log))


def test_ours_alone(scene: Scene) -> None:
    none = proved(scene)
    assert (none.started, none.ours, none.proved) == ((), (), False)
    scene.init()
    found = proved(scene)
    assert found == proof.Proof(started=BOTH, ours=OURS, code=0, said="")
    assert found.proved
    scene.gitstate("hooks", "uninstall")
    assert not proved(scene).proved


@pytest.mark.parametrize("way", WAYS)
def test_with_a_folder_that_is_set(scene: Scene, way: str, tmp_path: Path) -> None:
    own(configured(scene, way, tmp_path), "pre-commit", "commit-msg")
    if way in {"relative", "with an end"}:
        (scene.repo.path / ".git" / "info" / "exclude").write_text(".githooks\n")
    scene.init()
    found = proved(scene)
    assert found.proved
    ran = [line.split()[0] for line in scene.log.read_text().splitlines()]
    assert ran == ["pre-commit", "commit-msg"]


@pytest.mark.network
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", NAMES)
def test_with_the_managers(scene: Scene, tools: Tools, name: str) -> None:
    manager = Manager(name, tools.command(name))
    manager.configure(scene)
    manager.install(scene)
    scene.init()
    found = proved(scene)
    assert found.proved
    assert scene.log.read_text() == "manager pre-commit\nmanager post-commit\n"
    manager.install(scene, force=True)
    if name != "husky":  # its install is overridden by ours
        assert proved(scene).ours == ()


def test_a_hook_of_others_refuses(scene: Scene) -> None:
    folder = scene.repo.path / ".git" / "hooks"
    add_hook(folder / "commit-msg", "#!/bin/sh\necho no, never >&2\nexit 3\n")
    scene.init()
    found = proved(scene)
    assert found == proof.Proof(
        started=(("pre-commit", 0), ("commit-msg", 3)),
        ours=("pre-commit",),
        code=1,
        said="no, never",
    )
    assert found.text == (
        "git ran pre-commit (0), commit-msg (3); ours among them: pre-commit; "
        "git commit ended with 1: no, never"
    )


def gone(pid: int) -> bool:
    """Has a process ended, be it that nobody has asked for its exit code yet."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"


def test_a_hook_that_hangs_is_ended(scene: Scene, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    folder = scene.repo.path / ".git" / "hooks"
    add_hook(folder / "commit-msg", f'#!/bin/sh\necho $$ >"{pid}"\nsleep 600\n')
    scene.init()
    found = proved(scene, limit_s=3)
    assert (found.code, found.ours) == (None, ("pre-commit",))
    assert "the time was up" in found.text
    wait_for(lambda: gone(int(pid.read_text())), what="the end of the hook")


def test_before_the_first_commit(tmp_path: Path) -> None:
    scene = Scene.make(tmp_path / "empty")
    scene.repo.git("update-ref", "-d", "HEAD")
    scene.init()
    assert proof.prove(Workspace.open(scene.repo.path)).proved


def test_a_check_that_blocks_lets_the_proof_through(scene: Scene) -> None:
    scene.init()
    scene.repo.git("config", "gitstate.gate", "block")
    assert proved(scene).proved


def doctor(scene: Scene, *words: str, stdin: str = "") -> tuple[int, str, str]:
    done = subprocess.run(
        command("doctor", *words),
        cwd=scene.repo.path,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_it_names_the_others_and_asks(scene: Scene) -> None:
    folder = scene.repo.path / ".git" / "hooks"
    own(folder, "commit-msg", "pre-rebase")
    scene.init()
    for answer in ("", "n\n"):
        code, out, err = doctor(scene, "--prove", stdin=answer)
        assert (code, out) == (1, "")
        assert f"  {folder}/commit-msg\n" in err
        assert "pre-rebase" not in err
        assert "nothing was run" in err
        assert not scene.log.exists()
    code, out, err = doctor(scene, "--prove", stdin="y\n")
    assert "proof" in out
    assert scene.log.read_text().startswith("commit-msg ")
    code, out, err = doctor(scene, "--prove", "--yes", "--json")
    assert err == ""
    (check,) = [c for c in json.loads(out)["checks"] if c["name"] == "proof"]
    assert check["ok"]
    assert check["text"] == (
        "git ran pre-commit (0), commit-msg (0), post-commit (0); "
        "ours among them: pre-commit, post-commit"
    )


def checks(scene: Scene) -> dict[str, bool]:
    _, out, _ = doctor(scene, "--json")
    return {row["name"]: row["ok"] for row in json.loads(out)["checks"]}


def test_what_the_doctor_says_of_hooks(scene: Scene) -> None:
    scene.gitstate("init", "--no-daemon", "--no-hooks")
    assert checks(scene)["hooks"] is True
    scene.init()
    assert checks(scene)["hooks"] is True
    assert checks(scene)["hooks' text"] is True
    path = scene.repo.path / ".git" / "hooks" / "pre-commit"
    text = path.read_text()
    path.write_text(text.replace(f"python={sys.executable}", "python=/old/python"))
    assert checks(scene)["hooks' text"] is False
    assert installer.status(Workspace.open(scene.repo.path)).problem is None
    path.unlink()
    assert checks(scene)["hooks"] is False
    scene.gitstate("hooks", "install")
    assert path.read_text() == text
    assert checks(scene)["hooks' text"] is True
