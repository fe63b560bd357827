"""Wherever git looks for hooks: ours run there, theirs run first, and nothing is left."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from gitstate.hooks.git import installer
from gitstate.workspace import Workspace
from tests.hooks.git.effects import ALL_OURS, Ran, Scene, add_hook
from tests.hooks.git.managers import Manager, Tools
from tests.support import Repo

OWN = '#!/bin/sh\necho "{name} $0 $*" >>"$HOOK_LOG"\n'


def own(folder: Path, *names: str) -> None:
    for name in names:
        add_hook(folder / name, OWN.format(name=name))


def status(scene: Scene) -> installer.Status:
    return installer.status(Workspace.open(scene.repo.path))


def configured(place: Scene, how: str, tmp_path: Path) -> Path:
    """Set ``core.hooksPath`` in one of the ways; returns the folder."""
    folder = tmp_path / "elsewhere" / "of all"
    match how:
        case "global":
            place.repo.git("config", "--global", "core.hooksPath", str(folder))
        case "absolute":
            place.repo.git("config", "core.hooksPath", str(folder))
        case "home":
            folder = Path.home() / "my hooks"
            place.repo.git("config", "core.hooksPath", "~/my hooks")
        case "relative":
            folder = place.repo.path / ".githooks"
            place.repo.git("config", "core.hooksPath", ".githooks")
        case "with an end":
            folder = place.repo.path / ".githooks"
            place.repo.git("config", "core.hooksPath", ".githooks/")
        case "included":
            included = tmp_path / "more config"
            included.write_text(f'[core]\n\thooksPath = "{folder}"\n')
            place.repo.git("config", "include.path", str(included))
        case "this worktree":
            place.repo.git("config", "extensions.worktreeConfig", "true")
            place.repo.git("config", "--worktree", "core.hooksPath", str(folder))
        case "in the git directory":
            folder = place.git_dir / "my-hooks"
            place.repo.git("config", "core.hooksPath", ".git/my-hooks")
    return folder


WAYS = (
    "global",
    "absolute",
    "home",
    "relative",
    "with an end",
    "included",
    "this worktree",
    "in the git directory",
)


@pytest.mark.report(2, 24)
@pytest.mark.parametrize("way", WAYS)
def test_a_folder_that_is_set(
    scene: Scene, twin: Scene, way: str, tmp_path: Path
) -> None:
    tracked = way in {"relative", "with an end"}
    for place in (scene, twin):
        own(
            configured(place, way, tmp_path), "pre-commit", "commit-msg", "post-rewrite"
        )
        if tracked:
            place.repo.git("add", "-A")
            place.repo.git("commit", "-q", "--no-verify", "-m", "hooks")
    before = scene.files(".githooks")
    alone = [twin.commit(), twin.git("commit", "-q", "--amend", "-m", "other")]
    said = scene.init()
    assert "put an include into" in said
    assert "moved" not in said
    found = status(scene)
    assert (found.effective, found.missing, found.problem) == (True, (), None)
    assert found.path == Path(scene.repo.git("rev-parse", "--git-path", "hooks"))
    assert scene.repo.git("status", "--porcelain") == ""
    mine = [scene.commit(), scene.git("commit", "-q", "--amend", "-m", "other")]
    assert [ran.others for ran in mine] == [ran.others for ran in alone]
    assert [len(ran.others) for ran in mine] == [2, 3]
    assert [ran.ours for ran in mine] == [ALL_OURS, ALL_OURS | {"post-rewrite"}]
    assert scene.gitstate("hooks", "install").startswith("nothing to do")
    # a hook that theirs gets later is passed on at once
    for place in (scene, twin):
        own(configured(place, way, tmp_path), "prepare-commit-msg", "post-commit")
    assert scene.commit().others == twin.commit().others
    shown = scene.gitstate("uninstall", "--dry-run")
    assert "includeIf" in shown
    scene.gitstate("uninstall")
    for place in (scene, twin):
        for name in ("prepare-commit-msg", "post-commit"):
            (configured(place, way, tmp_path) / name).unlink(missing_ok=True)
    assert scene.files(".githooks") == before
    assert scene.commit().ours == set()
    assert status(scene).problem is None


@pytest.mark.parametrize("code", [0, 1, 5])
def test_theirs_decides_first(scene: Scene, code: int, tmp_path: Path) -> None:
    folder = configured(scene, "absolute", tmp_path)
    add_hook(folder / "pre-commit", f"#!/bin/sh\necho no >&2\nexit {code}\n")
    scene.init()
    ran = scene.commit()
    assert ran.code == (1 if code else 0)
    assert ran.err == "no\n"
    assert ran.ours == (set() if code else ALL_OURS)


def test_a_configuration_file_is_byte_for_byte_as_before(scene: Scene) -> None:
    path = scene.repo.path / ".git" / "config"
    odd = path.read_bytes() + (
        b'[CORE] # mine\n  HooksPath =.githooks ; here\n[alias]\n\tx = "!echo\\\n y"'
    )
    path.write_bytes(odd)
    path.chmod(0o640)
    own(scene.repo.path / ".githooks", "pre-commit")
    scene.init()
    assert scene.repo.git("config", "--file", ".git/config", "core.hooksPath") == (
        ".githooks"
    )
    assert scene.commit().ours == ALL_OURS
    scene.gitstate("hooks", "uninstall")
    assert path.read_bytes() == odd
    assert path.stat().st_mode & 0o777 == 0o640
    scene.init()
    scene.repo.git("config", "later.key", "value")
    scene.gitstate("hooks", "uninstall")
    assert path.read_bytes() == odd + b"\n[later]\n\tkey = value\n"


def test_git_config_is_held_by_another_git(scene: Scene) -> None:
    scene.repo.git("config", "core.hooksPath", ".githooks")
    lock = scene.repo.path / ".git" / "config.lock"
    lock.touch()
    said = scene.gitstate("init", "--no-daemon", code=1)
    assert "config.lock" in said
    lock.unlink()
    scene.init()
    assert scene.commit().ours == ALL_OURS


@pytest.mark.report(3)
@pytest.mark.parametrize("way", ["ordinary", "relative", "absolute", "global"])
@pytest.mark.parametrize("from_linked", [False, True])
def test_linked_worktrees(
    scene: Scene,
    tmp_path: Path,
    way: str,
    from_linked: bool,  # noqa: FBT001 pytest's
) -> None:
    """A relative folder is looked for in each worktree, and may be missing there."""
    if way != "ordinary":
        own(configured(scene, way, tmp_path), "pre-commit")
    linked = Scene(Repo(tmp_path / "linked"), scene.log)
    scene.repo.git("worktree", "add", "-q", str(linked.repo.path), "-b", "topic")
    places = [linked, scene] if from_linked else [scene, linked]
    shutil.rmtree(scene.repo.path / ".git" / "hooks")
    before = scene.files()
    for place in places:
        place.init()
    for place in places:
        assert status(place).problem is None
        ran = place.commit()
        assert (ran.code, ran.ours) == (0, ALL_OURS)
        theirs = way != "ordinary" and (way != "relative" or place is scene)
        assert bool(ran.others) == theirs
    places[0].gitstate("uninstall")
    assert places[0].commit().ours == set()
    assert places[1].commit().ours == ALL_OURS
    places[1].gitstate("uninstall")
    assert scene.files() == before
    assert not (scene.repo.path / ".git" / "hooks").exists()


def test_a_worktree_with_a_folder_of_its_own(scene: Scene, tmp_path: Path) -> None:
    own(configured(scene, "absolute", tmp_path), "pre-commit")
    linked = Scene(Repo(tmp_path / "linked"), scene.log)
    scene.repo.git("worktree", "add", "-q", str(linked.repo.path), "-b", "topic")
    scene.repo.git("config", "extensions.worktreeConfig", "true")
    own(tmp_path / "its own", "pre-commit", "post-commit")
    linked.repo.git("config", "--worktree", "core.hooksPath", str(tmp_path / "its own"))
    config = linked.git_dir / "config.worktree"
    before = (scene.files(), config.read_bytes())
    for place in (linked, scene):
        place.init()
    assert [len(place.commit().others) for place in (scene, linked)] == [1, 2]
    assert scene.commit().ours == linked.commit().ours == ALL_OURS
    linked.repo.git("config", "--worktree", "--unset", "core.hooksPath")
    assert "not set" not in status(scene).path.name
    assert status(linked).problem is not None
    installer.mend(Workspace.open(linked.repo.path))
    assert len(linked.commit().others) == 1
    linked.repo.git("config", "--worktree", "core.hooksPath", str(tmp_path / "its own"))
    installer.mend(Workspace.open(linked.repo.path))
    assert len(linked.commit().others) == 2
    assert linked.commit().ours == ALL_OURS
    linked.gitstate("uninstall")
    scene.gitstate("uninstall")
    assert (scene.files(), config.read_bytes()) == before


def test_the_folder_is_changed_beside_ours(scene: Scene, tmp_path: Path) -> None:
    for name in ("one", "two"):
        own(tmp_path / name, "pre-commit")
    own(scene.repo.path / ".git" / "hooks", "pre-commit")
    scene.repo.git("config", "core.hooksPath", str(tmp_path / "one"))
    scene.init()

    def mended() -> Ran:
        assert "gitstate hooks install" in scene.gitstate("snapshot")
        installer.mend(Workspace.open(scene.repo.path))
        assert "gitstate hooks install" not in scene.gitstate("snapshot")
        return scene.commit()

    scene.repo.git("config", "core.hooksPath", str(tmp_path / "two"))
    ran = mended()
    assert ran.others == [f"pre-commit {tmp_path}/two/pre-commit "]
    assert ran.ours == ALL_OURS
    scene.repo.git("config", "--unset", "core.hooksPath")
    ran = mended()
    assert ran.others == ["pre-commit .git/hooks/pre-commit "]
    assert ran.ours == ALL_OURS
    assert "include" not in (scene.repo.path / ".git" / "config").read_text()
    scene.repo.git("config", "core.hooksPath", str(tmp_path / "two"))
    ran = mended()
    assert ran.others == [f"pre-commit {tmp_path}/two/pre-commit "]
    assert ran.ours == ALL_OURS


def test_moved_and_copied(scene: Scene, tmp_path: Path) -> None:
    """There git goes by the user's own setting, and never by another repository's."""
    own(configured(scene, "relative", tmp_path), "pre-commit")
    scene.init()
    copied = Scene(Repo(tmp_path / "copy"), scene.log)
    shutil.copytree(scene.repo.path, copied.repo.path, symlinks=True)
    ran = copied.commit()
    assert (ran.others, ran.ours) == (["pre-commit .githooks/pre-commit "], set())
    moved = Scene(Repo(tmp_path / "moved"), scene.log)
    scene.repo.path.rename(moved.repo.path)
    ran = moved.commit()
    assert (ran.others, ran.ours) == (["pre-commit .githooks/pre-commit "], set())
    for place in (copied, moved):
        assert installer.mend(Workspace.open(place.repo.path)) != []
        ran = place.commit()
        assert ran.others == ["pre-commit .githooks/pre-commit "]
        assert ran.ours == ALL_OURS
        assert str(scene.repo.path) not in (place.git_dir / "config").read_text()


def test_an_ordinary_repository_may_be_moved(scene: Scene, tmp_path: Path) -> None:
    own(scene.repo.path / ".git" / "hooks", "pre-commit")
    scene.init()
    moved = Scene(Repo(tmp_path / "moved"), scene.log)
    scene.repo.path.rename(moved.repo.path)
    ran = moved.commit()
    assert (len(ran.others), ran.ours) == (1, ALL_OURS)


@pytest.mark.parametrize("value", ["/dev/null", ""])
def test_hooks_that_are_switched_off_stay_off(scene: Scene, value: str) -> None:
    scene.repo.git("config", "core.hooksPath", value)
    before = scene.files()
    said = scene.gitstate("init", "--no-daemon", code=None)
    assert "switched off" in said
    assert scene.files() == before
    assert scene.commit().ours == set()
    assert status(scene).effective is False


def test_an_ordinary_folder_by_name(scene: Scene) -> None:
    scene.repo.git("config", "core.hooksPath", ".git/hooks")
    own(scene.repo.path / ".git" / "hooks", "pre-commit")
    before = scene.files()
    assert "include" not in scene.init()
    ran = scene.commit()
    assert (len(ran.others), ran.ours) == (1, ALL_OURS)
    scene.gitstate("uninstall")
    assert scene.files() == before


@pytest.mark.report(24)
def test_a_linked_folder_is_not_written_into(scene: Scene) -> None:
    """Ours cannot be put there; the lines that are said do it."""
    shared = scene.repo.path / "githooks"
    own(shared, "pre-commit")
    scene.repo.git("add", "-A")
    scene.repo.git("commit", "-q", "--no-verify", "-m", "hooks")
    hooks = scene.repo.path / ".git" / "hooks"
    hooks.rmdir()
    hooks.symlink_to("../githooks")
    before = scene.files("githooks")
    said = scene.gitstate("init", "--no-daemon")
    scene.let_nobody_link()
    assert "add to the hook" in said
    assert scene.files("githooks") == before
    assert scene.commit().ours == set()
    for line in said.splitlines():
        name, colon, call = line.strip().partition(": ")
        if colon and call.endswith("exit"):
            path = shared / name
            text = path.read_text() if path.exists() else "#!/bin/sh\n"
            add_hook(path, text + call + "\n")
    assert status(scene).effective
    ran = scene.commit()
    assert (len(ran.others), ran.ours) == (1, ALL_OURS)
    assert scene.gitstate("hooks", "status").startswith("our hooks run")


@pytest.mark.parametrize(
    "name", ["with space", 'quo"te', "it's", "back\\slash", "st*r[1]?", "ünï", "-dash"]
)
@pytest.mark.parametrize("way", ["ordinary", "relative"])
def test_names_of_repositories(tmp_path: Path, name: str, way: str) -> None:
    scene = Scene.make(tmp_path / name)
    folder = scene.repo.path / ".git" / "hooks"
    if way == "relative":
        folder = configured(scene, way, tmp_path)
    own(folder, "pre-commit", "post-commit")
    before = scene.files()
    scene.init()
    ran = scene.commit()
    assert (ran.code, len(ran.others), ran.ours, ran.err) == (0, 2, ALL_OURS, "")
    scene.gitstate("uninstall")
    assert scene.files() == before


def test_a_line_break_in_the_name(tmp_path: Path) -> None:
    scene = Scene.make(tmp_path / "line\nbreak")
    own(configured(scene, "relative", tmp_path), "pre-commit")
    said = scene.gitstate("init", "--no-daemon")
    assert "line break" in said
    ran = scene.commit()
    assert (ran.code, len(ran.others)) == (0, 1)


def test_hooks_that_change_what_git_does(scene: Scene, tmp_path: Path) -> None:
    """They are passed on where there are any; where not, none stands there."""
    folder = configured(scene, "absolute", tmp_path)
    own(folder, "reference-transaction")
    scene.init()
    assert not (scene.runtime / "hooks" / "push-to-checkout").exists()
    ran = scene.commit()
    assert any(line.startswith("reference-transaction") for line in ran.others)
    assert ran.ours == ALL_OURS


def bare_with_worktree(tmp_path: Path) -> Repo:
    seed = Scene.make(tmp_path / "seed")
    seed.repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    bare = Repo(tmp_path / "bare.git")
    bare.git("worktree", "add", "-q", str(tmp_path / "work"), "main")
    return Repo(tmp_path / "work")


def submodule(tmp_path: Path) -> Repo:
    seed, top = Scene.make(tmp_path / "seed"), Scene.make(tmp_path / "top")
    allow = ["-c", "protocol.file.allow=always"]
    top.repo.git(*allow, "submodule", "--quiet", "add", str(seed.repo.path), "sub")
    return Repo(top.repo.path / "sub")


def elsewhere(tmp_path: Path) -> Repo:
    path = tmp_path / "apart"
    subprocess.run(
        ["git", "init", "-q", f"--separate-git-dir={tmp_path / 'gd'}", path], check=True
    )
    Repo(path).commit()
    return Repo(path)


@pytest.mark.report(3)
@pytest.mark.parametrize("kind", [bare_with_worktree, submodule, elsewhere])
@pytest.mark.parametrize("way", ["ordinary", "relative"])
def test_git_directories_in_other_places(
    tmp_path: Path,
    kind: object,
    way: str,
) -> None:
    assert callable(kind)
    scene = Scene(kind(tmp_path), tmp_path / "log")
    if way == "relative":
        own(configured(scene, way, tmp_path), "pre-commit")
    scene.init()
    ran = scene.commit()
    assert (ran.code, ran.ours, len(ran.others)) == (0, ALL_OURS, way == "relative")
    assert scene.git("commit", "-q", "--amend", "-m", "x").ours == (
        ALL_OURS | {"post-rewrite"}
    )
    scene.gitstate("uninstall")
    assert scene.commit().ours == set()


# managers under a folder that ours stands in for


@pytest.mark.network
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", ["prek", "lefthook"])
@pytest.mark.parametrize("force", [False, True])
def test_a_manager_writes_into_the_folder_that_is_set(
    scene: Scene,
    tools: Tools,
    tmp_path: Path,
    name: str,
    force: bool,  # noqa: FBT001 pytest's
) -> None:
    """Its file is adopted: it runs, ours and those that ours stands in for run before."""
    manager = Manager(name, tools.command(name))
    folder = configured(scene, "absolute", tmp_path)
    own(folder, "pre-commit", "commit-msg")
    manager.configure(scene)
    scene.init()
    theirs = scene.commit().others
    if name == "lefthook" and not force:
        with pytest.raises(AssertionError, match=r"core\.hooksPath"):
            manager.install(scene)
        assert scene.commit().others == theirs
        return
    for _ in range(3):
        manager.install(scene, force=force)
        installer.mend(Workspace.open(scene.repo.path))
        ran = scene.commit()
        assert sorted(ran.others) == sorted(
            [*theirs, "manager pre-commit", "manager post-commit"]
        )
        assert ran.ours == ALL_OURS
    manager.uninstall(scene)
    installer.mend(Workspace.open(scene.repo.path))
    ran = scene.commit()
    assert (ran.others, ran.ours) == (theirs, ALL_OURS)
    manager.install(scene, force=True)
    installer.mend(Workspace.open(scene.repo.path))
    said = scene.gitstate("uninstall")
    assert "another program put" in said
    ran = scene.commit()
    assert ran.ours == set()
    assert set(theirs) <= set(ran.others)


@pytest.mark.network
@pytest.mark.timeout(300)
def test_lefthook_takes_the_setting_away(scene: Scene, tools: Tools) -> None:
    manager = Manager("lefthook", tools.command("lefthook"))
    manager.configure(scene)
    scene.repo.git("config", "core.hooksPath", ".githooks")
    scene.init()
    subprocess.run(
        [*manager.command, "install", "--reset-hooks-path"],
        cwd=scene.repo.path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    installer.mend(Workspace.open(scene.repo.path))
    assert scene.repo.git("config", "core.hooksPath", check=False) == ""
    manager.install(scene)
    installer.mend(Workspace.open(scene.repo.path))
    ran = scene.commit()
    assert ran.others == ["manager pre-commit", "manager post-commit"]
    assert ran.ours == ALL_OURS
