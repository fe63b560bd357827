"""What is shipped: the wheel and the source archive, and nothing else in them."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import gitstate
from gitstate import __version__
from tests.machine import CHECKOUT, copy_checkout

pytestmark = pytest.mark.timeout(600)
INFO = f"git_agent_state-{__version__}.dist-info"
DATA = f"git_agent_state-{__version__}.data"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a source archive, and the wheel that was made from it."""
    folder = tmp_path_factory.mktemp("dist")
    checkout = copy_checkout(tmp_path_factory.mktemp("source") / "checkout")
    for name in ("tests", "docs", "MANIFEST.in"):
        (checkout / name).symlink_to(CHECKOUT / name)
    done = subprocess.run(
        [sys.executable, "-m", "build", "--outdir", folder, checkout],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0 and "setuptools" in done.stderr + done.stdout:
        pytest.skip(f"the build's own packages cannot be had: {done.stderr[-500:]}")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    (path,) = built.glob("*.whl")
    return path


def sources() -> set[str]:
    """Every file that belongs into the package, by its name in it."""
    names = set()
    for folder, where in (("gitstate", ""), ("hooks", "hooks/"), ("daemon", "daemon/")):
        root = CHECKOUT / folder
        for path in root.rglob("*"):
            if path.is_file() and not path.is_symlink() and path.suffix != ".pyc":
                names.add(f"gitstate/{where}{path.relative_to(root).as_posix()}")
    return names


@pytest.mark.network
def test_the_wheel_has_the_package_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name for name in names if name.startswith("gitstate/")} == sources()
    assert names - sources() == {
        f"{DATA}/data/share/man/man1/git-state.1",
        f"{DATA}/data/share/man/man1/gitstate.1",
        f"{INFO}/METADATA",
        f"{INFO}/RECORD",
        f"{INFO}/WHEEL",
        f"{INFO}/entry_points.txt",
        f"{INFO}/licenses/LICENSE",
        f"{INFO}/top_level.txt",
    }
    assert {
        "gitstate/py.typed",
        "gitstate/daemon/service.py",
        "gitstate/hooks/__init__.py",
    } <= names
    assert "gitstate/documents/templates/zh/02-current-task.md" in names


@pytest.mark.network
def test_the_source_archive_has_the_same(built: Path) -> None:
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        members = {
            member.name.partition("/")[2]: member
            for member in archive.getmembers()
            if not member.isdir()
        }
    own = {name for name in members if not name.startswith("git_agent_state.egg-info/")}
    assert own == sources() | {
        "LICENSE",
        "MANIFEST.in",
        "PKG-INFO",
        "README.md",
        "pyproject.toml",
        "setup.cfg",
    }
    assert all(member.isfile() for member in members.values())


@pytest.mark.network
def test_an_installed_wheel_runs(wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", tmp_path], check=True)
    done = subprocess.run(
        [tmp_path / "bin" / "pip", "install", "-q", wheel],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.skip(f"the package index cannot be reached: {done.stderr.strip()}")
    assert (tmp_path / "share" / "man" / "man1" / "git-state.1").is_file()
    for name in ("gitstate", "git-state"):
        shown = subprocess.run(
            [tmp_path / "bin" / name, "--version"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert shown.stdout == f"gitstate {__version__}\n"
    code = (
        "import importlib.util as u\n"
        "print([n for n in ('hooks', 'daemon', 'tests', 'docs') if u.find_spec(n)])\n"
        "import gitstate.hooks, gitstate.daemon.run, gitstate.git.libgit2\n"
        "print(gitstate.daemon.run.__name__)\n"
    )
    shown = subprocess.run(
        [tmp_path / "bin" / "python", "-I", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout == "[]\ngitstate.daemon.run\n"


def test_two_links_and_no_copies() -> None:
    for name in ("hooks", "daemon"):
        link = CHECKOUT / "gitstate" / name
        assert link.is_symlink()
        assert str(link.readlink()) == f"../{name}"


def test_the_project_file() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["name"] == "git-agent-state"
    assert project["requires-python"] == ">=3.11"
    assert project["scripts"] == {
        "gitstate": "gitstate.cli:program",
        "git-state": "gitstate.cli:program",
    }
    for line in project["dependencies"]:
        assert ">=" in line, f"{line} has no lower bound"


def test_the_licence_and_the_changelog_are_there() -> None:
    assert (CHECKOUT / "LICENSE").read_text("utf-8").startswith("MIT License")
    changelog = (CHECKOUT / "CHANGELOG.md").read_text("utf-8")
    assert f"## {__version__} (" in changelog


def test_nothing_names_a_registry() -> None:
    """Where packages come from is the user's configuration, not ours."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=CHECKOUT, capture_output=True, check=False
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    words = [
        word.encode()
        for word in ("pypi" + ".org", "index-" + "url", "registry" + ".npm")
    ]
    found = [
        os.fsdecode(name)
        for name in listed.stdout.split(b"\0")
        if name
        and (path := CHECKOUT / os.fsdecode(name)).is_file()
        and any(word in path.read_bytes() for word in words)
    ]
    assert found == []


@pytest.mark.skipif(not os.environ.get("GITSTATE_TESTS_INSTALLED"), reason="only in CI")
def test_what_is_tested_is_what_is_installed() -> None:
    assert not Path(gitstate.__file__).is_relative_to(CHECKOUT / "gitstate")
