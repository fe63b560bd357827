"""install.sh, for real: in a home of its own, with the package index."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitstate import __version__
from tests.machine import CHECKOUT, Machine, copy_checkout, set_version, tree
from tests.support import Repo, make_repo, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.timeout(600)
NOW = f"gitstate {__version__}"


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables that share caches; skips, with pip's reason, without an index."""
    folder = tmp_path_factory.mktemp("caches")
    variables = {
        "PIP_CACHE_DIR": str(folder / "pip"),
        "PIP_NO_COMPILE": "1",  # what is not run need not be compiled
        "UV_CACHE_DIR": str(folder / "uv"),
        "UV_LINK_MODE": "copy",
    }
    probe: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--no-deps",
        "-d",
        folder,
        "platformdirs",
    ]
    done = subprocess.run(
        probe,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.skip(f"the package index cannot be reached: {done.stderr.strip()}")
    return variables


@pytest.fixture(scope="session")
def installers(index: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with uv and pipx in it."""
    folder = tmp_path_factory.mktemp("installers")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run(
        [folder / "bin" / "pip", "install", "-q", "uv", "pipx"],
        env={**os.environ, **index},
        check=True,
    )
    return folder / "bin"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def online(machine: Machine, index: dict[str, str]) -> Iterator[Machine]:
    machine.variables.update(index)
    yield machine
    if (machine.bin / "gitstate").exists():
        machine.run("gitstate", "daemon", "stop", check=False)


@pytest.mark.network
def test_install_again_upgrade_and_uninstall(online: Machine, tmp_path: Path) -> None:
    checkout = copy_checkout(tmp_path / "check out")
    sources = tree(checkout)
    (online.home / ".bashrc").write_text("# the user's own\n")
    before = tree(online.home)

    done = online.install("--with", "venv", checkout=checkout)
    assert done.stderr == ""
    assert done.stdout == (
        f"installing {NOW} with venv ...\ninstalled: {NOW} in {online.bin}\n"
    )
    assert online.version() == NOW
    assert tree(checkout) == sources
    for shell, files in {
        "bash": [
            "share/bash-completion/completions/gitstate",
            "share/bash-completion/completions/git-state",
        ],
        "zsh": [
            "share/zsh/site-functions/_gitstate",
            "share/zsh/site-functions/_git-state",
        ],
        "fish": [
            "../.config/fish/completions/gitstate.fish",
            "../.config/fish/completions/git-state.fish",
        ],
    }.items():
        script = online.run("gitstate", "completion", shell).stdout
        for file in files:
            assert (online.home / ".local" / file).read_text() == script

    first = online.environments()
    names = {name for name in tree(online.home) if "/env-" not in name}
    online.install("--with", "venv", checkout=checkout)
    assert len(online.environments()) == 1
    assert online.environments() != first
    assert {name for name in tree(online.home) if "/env-" not in name} == names

    set_version(checkout, "99.0")
    kill_upgrades(online, checkout)
    assert "gitstate 99.0 in" in online.install(checkout=checkout).stdout
    assert online.version() == "gitstate 99.0"
    assert len(online.environments()) == 1

    for file in ("pyproject.toml", "gitstate/__init__.py"):
        good = (checkout / file).read_text()
        (checkout / file).write_text(good + "\nthis is neither TOML nor Python\n")
        running = tree(online.home)
        done = online.install(checkout=checkout, check=False)
        assert done.returncode == 1
        assert done.stderr.splitlines()[-2:] == [
            "install.sh: venv could not install it (its last words stand above)",
            "install.sh: nothing was changed: gitstate 99.0 is still installed",
        ]
        assert online.version() == "gitstate 99.0"
        assert tree(online.home) == running
        (checkout / file).write_text(good)

    would = online.install("--uninstall", "--dry-run").stdout
    assert f"would remove {online.bin}/gitstate\n" in would
    assert online.version() == "gitstate 99.0"
    done = online.install("--uninstall")
    assert done.stderr == ""
    assert done.stdout.startswith("gitstate was removed.\n")
    assert "`gitstate uninstall REPO`" in done.stdout
    assert without_state(tree(online.home)) == before
    done = online.install("--uninstall")
    assert done.stdout.startswith("nothing to remove: ")


def kill_upgrades(machine: Machine, checkout: Path) -> None:
    """Kill an upgrade in its middle, in two ways; what was there goes on."""
    for signal_number in (signal.SIGKILL, signal.SIGTERM):
        with subprocess.Popen(
            ["sh", checkout / "install.sh"],
            env=machine.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as running:
            wait_for(lambda: len(machine.environments()) == 2, limit_s=60)
            os.killpg(running.pid, signal_number)
        assert running.returncode != 0
        assert machine.version() == NOW
        if signal_number == signal.SIGTERM:
            assert len(machine.environments()) == 1
        else:
            shutil.rmtree(machine.data / "gitstate" / machine.environments()[1])
    of_a_killed_run = "env-20200101000000-999999999"
    (machine.data / "gitstate" / of_a_killed_run).mkdir()


def without_state(found: dict[str, str]) -> dict[str, str]:
    """Without what the command, and not install.sh, wrote: it is kept on purpose."""
    state = (".local/state", ".cache")
    kept = {name: what for name, what in found.items() if not name.startswith(state)}
    return {name: what for name, what in kept.items() if name != ".local"}


def shows_the_man_page(machine: Machine) -> None:
    if shutil.which("man"):
        words = {"MANPAGER": "cat", "LC_ALL": "C.UTF-8"}
        shown = machine.run("git", "state", "--help", env=words)
        assert shown.stdout.startswith("GIT-STATE(1)")
    assert "bring" in machine.run("git", "state", "-h").stdout


def daemon(machine: Machine) -> dict[str, object]:
    done = machine.run("gitstate", "daemon", "status", "--json", check=False)
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def versions(repo: Repo) -> list[str]:
    return repo.git("log", "--format=%s", "agent-state", check=False).splitlines()


@pytest.mark.network
def test_the_main_job_runs_when_it_returns(online: Machine, tmp_path: Path) -> None:
    checkout = copy_checkout(tmp_path / "checkout")
    repo = make_repo(tmp_path / "a repo")
    online.install("--with", "venv", "a repo", checkout=checkout)
    first = daemon(online)
    assert first["running"] is True
    assert len(versions(repo)) == 1
    shows_the_man_page(online)

    task = repo.state / "02-current-task.md"
    task.write_text(task.read_text() + "\nedited\n")
    wait_for(lambda: len(versions(repo)) == 2, limit_s=60, what="a version of the edit")

    set_version(checkout, "99.0")
    online.install(checkout=checkout)
    second = daemon(online)
    assert second["running"] is True
    assert second["pid"] != first["pid"]
    task.write_text(task.read_text() + "\nedited again\n")
    wait_for(
        lambda: len(versions(repo)) == 3, limit_s=60, what="a version after the upgrade"
    )

    state = beside_runtime(tree(repo.path))
    plugin = Path(online.run("gitstate", "agent", "plugin").stdout.strip())
    assert plugin.is_dir()
    said = online.install("--uninstall").stdout
    assert said.endswith(f"with hooks that do nothing now:\n  {repo.path}\n")
    assert not plugin.exists()
    wait_for(lambda: not alive(second["pid"]), what="the end of the daemon")
    assert not (
        online.home / ".config" / "systemd" / "user" / "gitstate.service"
    ).exists()
    assert beside_runtime(tree(repo.path)) == state
    assert len(versions(repo)) == 3


def beside_runtime(files: dict[str, str]) -> dict[str, str]:
    """Without the runtime files, which the daemon may write until it ends."""
    return {
        path: what
        for path, what in files.items()
        if not path.startswith(".git/gitstate/")
    }


def alive(pid: object) -> bool:
    try:
        os.kill(int(str(pid)), 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2:3]


@pytest.mark.network
@pytest.mark.parametrize("method", ["uv", "pipx"])
def test_uv_and_pipx(
    method: str, online: Machine, installers: Path, tmp_path: Path
) -> None:
    checkout = copy_checkout(tmp_path / "checkout")
    online.tool(method, f'exec "{installers / method}" "$@"')
    online.variables.update(
        XDG_DATA_HOME=str(online.home / "data"),
        XDG_CONFIG_HOME=str(online.home / "config"),
        XDG_BIN_HOME=str(online.bin),
    )
    online.install("--with", method, checkout=checkout)
    assert online.version() == NOW
    assert (online.home / "data" / "man" / "man1" / "git-state.1").is_file()
    assert (online.home / "config" / "fish" / "completions" / "gitstate.fish").is_file()

    set_version(checkout, "99.0")
    done = online.install(checkout=checkout)  # the same way as before
    assert done.stdout.startswith(f"installing gitstate 99.0 with {method} ...\n")
    assert online.version() == "gitstate 99.0"

    (checkout / "gitstate" / "cli.py").write_text("raise SystemExit('broken')\n")
    set_version(checkout, "99.1")
    done = online.install(checkout=checkout, check=False)
    assert done.returncode == 1
    assert "nothing was changed: gitstate 99.0 is still installed" in done.stderr
    assert online.version() == "gitstate 99.0"

    assert online.install("--uninstall").stderr == ""
    assert list(online.bin.parent.rglob("*git*state*")) == []
    assert list((online.home / "config").rglob("*")) == []
    left = [path.name for path in (online.home / "data").rglob("*") if path.is_file()]
    assert [
        name for name in left if not name.startswith(".") and name != "CACHEDIR.TAG"
    ] == []


@pytest.mark.network
def test_another_way_replaces_the_first(online: Machine, installers: Path) -> None:
    online.tool("uv", f'exec "{installers / "uv"}" "$@"')
    online.install("--with", "uv")
    online.install("--with", "venv")
    assert online.version() == NOW
    assert len(online.environments()) == 1
    assert not (online.data / "uv" / "tools" / "git-agent-state").exists()
    online.install("--with", "uv")
    assert online.version() == NOW
    assert online.environments() == []


@pytest.mark.network
def test_prefix(online: Machine, tmp_path: Path) -> None:
    prefix = tmp_path / "pre fix"
    done = online.install("--with", "venv", "--prefix", "pre fix")
    assert f'export PATH="{prefix}/bin:$PATH"' in done.stdout
    assert f"this line to {online.home}/.bashrc:" in done.stdout
    assert online.run(prefix / "bin" / "gitstate", "--version").stdout.strip() == NOW
    assert (prefix / "share" / "man" / "man1" / "git-state.1").is_file()
    assert list(online.home.iterdir()) == []
    online.install("--uninstall", "--prefix", prefix)
    assert not prefix.exists()


def test_help_and_a_dry_run_change_nothing(machine: Machine) -> None:
    shown = machine.install("--help").stdout
    assert shown.startswith("usage: ./install.sh ")
    for option in ("--with", "--prefix", "--uninstall", "--dry-run"):
        assert f"  {option}" in shown
    done = machine.install("--dry-run", "--with", "venv")
    assert done.stdout.splitlines() == [
        f"would install {NOW} with venv",
        f"would put into {machine.bin}: gitstate git-state",
        f"would put into {machine.data}/man/man1: git-state.1 gitstate.1",
        (
            f"would put completion into {machine.data}/bash-completion/completions,"
            f" {machine.data}/zsh/site-functions and {machine.home}/.config/fish/completions"
        ),
        f"would record that in {machine.data}/gitstate/manifest",
    ]
    assert machine.install("--uninstall").stdout == (
        f"nothing to remove: this script installed nothing below {machine.data}\n"
    )
    assert list(machine.home.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--what"], "there is no option --what"),
        (["--with"], "--with needs a value"),
        (["--with", "brew"], "--with is uv, pipx or venv"),
        (["a", "b"], "one repository at a time; b is too much"),
        ([""], "REPO is empty"),
        (
            ["--uninstall", "a"],
            "--uninstall takes no repository; `gitstate uninstall REPO` does",
        ),
    ],
)
def test_wrong_words(words: list[str], line: str, machine: Machine) -> None:
    done = machine.install(*words, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"install.sh: {line} (see ./install.sh --help)\n"


def refusal(machine: Machine, *words: str | Path) -> str:
    """The one line of a run that is refused and writes nothing."""
    before = tree(machine.home)
    done = machine.install(*words, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert tree(machine.home) == before
    assert done.stderr.count("\n") == 1
    return done.stderr.strip()


def test_git_is_too_old(machine: Machine) -> None:
    machine.tool("git", "echo git version 2.25.1")
    assert refusal(machine) == (
        "install.sh: git version 2.25.1 is too old; gitstate needs git 2.34 or later"
    )
    for fine in ("2.34.0", "2.100.1 (Apple Git-154)", "3.0"):
        machine.tool("git", f"echo 'git version {fine}'")
        machine.install("--dry-run", "--with", "venv")


def test_no_git(machine: Machine) -> None:
    for name in ("sh", "dirname", "sed", "cat", "grep"):
        (machine.tools / name).symlink_to(shutil.which(name) or "")
    machine.variables["PATH"] = str(machine.tools)
    assert refusal(machine) == (
        "install.sh: git was not found; gitstate needs git 2.34 or later"
    )


def test_no_python_that_will_do(machine: Machine) -> None:
    for name in ("python3", *(f"python3.{minor}" for minor in range(11, 15))):
        machine.tool(name, "echo is 3.9")
    assert refusal(machine, "--with", "venv") == (
        "install.sh: gitstate needs Python 3.11 or later with venv and ensurepip (on Debian "
        "and Ubuntu: apt install python3-venv), or uv; python3 is 3.9; python3.14 is 3.9; "
        "python3.13 is 3.9; python3.12 is 3.9; python3.11 is 3.9"
    )


def test_a_method_that_is_not_there(machine: Machine) -> None:
    machine.tool("uv", "exit 1")
    assert refusal(machine, "--with", "uv") == (
        "install.sh: uv was not found, or it does not run"
    )


def test_not_a_repository(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    machine.variables["GIT_CEILING_DIRECTORIES"] = str(tmp_path)
    assert refusal(machine, "folder") == "install.sh: folder is not a git repository"
    assert refusal(machine, "--", "-x") == "install.sh: -x is not a git repository"


def test_anothers_command_is_not_replaced(machine: Machine) -> None:
    machine.bin.mkdir(parents=True)
    (machine.bin / "git-state").write_text("another's")
    assert refusal(machine) == (
        f"install.sh: {machine.bin}/git-state is not from this script: move it away first"
    )


def test_not_a_checkout(machine: Machine, tmp_path: Path) -> None:
    shutil.copy(CHECKOUT / "install.sh", tmp_path)
    done = machine.install(checkout=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (
        1,
        (
            f"install.sh: {tmp_path} is no checkout of gitstate: "
            "run install.sh where it lies in one\n"
        ),
    )
