# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gitstate import scaffold
from gitstate.documents import NUMBERED, PROJECT_CONTEXT, template
from gitstate.errors import CannotWrite, Refused, UsageError
from gitstate.history.primitives import At, Way, place
from gitstate.scaffold import NewFile, plan, write
from gitstate.workspace import SCRATCH, Workspace
from tests.support import Repo


def everything(folder: Path) -> dict[str, bytes | str]:
    """All that is below ``folder``: files' bytes, links' targets, other kinds."""
    found: dict[str, bytes | str] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            found[str(path.relative_to(folder))] = f"-> {path.readlink()}"
        elif path.is_file():
            found[str(path.relative_to(folder))] = path.read_bytes()
        else:
            found[str(path.relative_to(folder))] = "folder"
    return found


ENGLISH_CONTEXT = """\
---
order: 0
title: Project context
provides: [project-context]
requires: []
strength: high
capacity: {size: 8 KiB}
archive: archive/
verify: State the languages, the package manager, the command that runs the tests, and everything that is forbidden.
---
# Project context

<!-- What holds for the whole project and seldom changes, one fact a line as `key: value`.
A line with a source was read from the repository by `gitstate init`; correct it when it is no longer true.
The task, the rules and the decisions have files of their own. Leave the header above as it is. -->

## Facts

- languages (files): TypeScript 1 (source: git ls-files)
- package manager: pnpm (source: pnpm-lock.yaml)
- test runner: vitest (source: package.json devDependencies)
- top-level folders (files): src/ 1 (source: git ls-files)

## Commands

<!-- Command lines as they are typed, one a line as `name: command`: install, build, run, test, lint. -->

- test: `pnpm test` (source: package.json scripts, vitest run)

## Forbidden

<!-- What must not be touched, run or used, one a line:
    - Never [do what] [whole path or name], because [reason]
-->
"""
CHINESE_CONTEXT = """\
---
order: 0
title: 项目概况
provides: [project-context]
requires: []
strength: high
capacity: {size: 8 KiB}
archive: archive/
verify: 说出项目使用的语言、包管理器、运行测试的命令，以及全部禁止事项。
---
# 项目概况

<!-- 对整个项目长期成立的事实，一行一条，写成“键：值”。
带“来源”的行由 `gitstate init` 从仓库中读出；一旦不再属实，就地改正。
任务、规则和决策各有自己的文件。上面的文件头不要改动。 -->

## 事实

- 语言（文件数）：TypeScript 1（来源：git ls-files）
- 包管理器：pnpm（来源：pnpm-lock.yaml）
- 测试工具：vitest（来源：package.json devDependencies）
- 顶层目录（文件数）：src/ 1（来源：git ls-files）

## 命令

<!-- 可以直接执行的命令，一行一条，写成“名称：命令”：安装、构建、运行、测试、检查。 -->

- test：`pnpm test`（来源：package.json scripts、vitest run）

## 禁止事项

<!-- 不得触碰、执行或使用的东西，一行一条：
    - 禁止［做什么］［完整路径或名称］，因为［理由］
-->
"""


@pytest.fixture
def project(tmp_path: Path) -> Repo:
    repo = Repo(tmp_path / "project")
    repo.path.mkdir()
    repo.git("init", "-q")
    for name, text in {
        "package.json": '{"scripts": {"test": "vitest run"}, "devDependencies": {"vitest": "2"}}',
        "pnpm-lock.yaml": "",
        "src/index.ts": "",
    }.items():
        repo.commit(name, text)
    return repo


@pytest.mark.parametrize(
    ("lang", "context"), [("en", ENGLISH_CONTEXT), ("zh", CHINESE_CONTEXT)]
)
def test_a_whole_new_state_directory(project: Repo, lang: str, context: str) -> None:
    workspace = Workspace.open(project.path)
    planned = plan(workspace, lang)
    assert not project.state.exists()
    assert write(workspace, planned) == NUMBERED
    expected = {name: template(name, lang).encode() for name in NUMBERED}
    assert everything(project.state) == {**expected, PROJECT_CONTEXT: context.encode()}
    assert plan(workspace, lang) == ()
    assert write(workspace, ()) == ()


def test_the_language_is_the_setting(project: Repo) -> None:
    project.git("config", "gitstate.lang", "zh")
    planned = plan(Workspace.open(project.path))
    assert planned[0] == NewFile(PROJECT_CONTEXT, CHINESE_CONTEXT.encode())
    with pytest.raises(
        UsageError, match="no templates in language fr; there are: en, zh"
    ):
        plan(Workspace.open(project.path), "fr")


def test_folders_and_files_get_the_modes_of_the_umask(repo: Repo) -> None:
    workspace = Workspace.open(repo.path)
    before = os.umask(0o022)
    try:
        write(workspace, plan(workspace))
    finally:
        os.umask(before)
    modes = [
        stat.S_IMODE(path.stat().st_mode)
        for path in (repo.state, *repo.state.iterdir())
    ]
    assert modes == [0o755, *[0o644] * 6]
    assert {path.stat().st_nlink for path in repo.state.iterdir()} == {1}


def test_only_what_is_missing_is_made(repo: Repo) -> None:
    repo.write("02-current-task.md", b"\xff mine")
    repo.write("notes/own.md", "mine too")
    (repo.state / "03-known-issues.md").symlink_to("nowhere")
    (repo.state / "04-decision-log.md").mkdir()
    os.mkfifo(repo.state / "05-file-map.md")
    before = everything(repo.state)
    workspace = Workspace.open(repo.path)
    made = ("00-project-context.md", "01-coding-conventions.md")
    assert write(workspace, plan(workspace)) == made
    after = everything(repo.state)
    assert {name: text for name, text in after.items() if name not in made} == before


def test_a_file_that_appears_meanwhile_is_kept(repo: Repo) -> None:
    workspace = Workspace.open(repo.path)
    planned = plan(workspace)
    repo.write("01-coding-conventions.md", "written between plan and write")
    (repo.state / "04-decision-log.md").symlink_to("../code.txt")
    made = tuple(name for name in NUMBERED if name[:2] not in {"01", "04"})
    assert write(workspace, planned) == made
    assert (
        repo.state / "01-coding-conventions.md"
    ).read_text() == "written between plan and write"
    assert (repo.state / "04-decision-log.md").readlink() == Path("../code.txt")
    assert (repo.path / "code.txt").read_text() == "code\n"
    assert sorted(path.name for path in repo.state.iterdir()) == list(NUMBERED)


def test_ten_at_once_make_each_file_once(repo: Repo) -> None:
    workspace = Workspace.open(repo.path)
    planned = plan(workspace)
    made: list[str] = []
    failed: list[BaseException] = []
    start = threading.Barrier(10)

    def run(number: int) -> None:
        mine = [NewFile(file.name, file.data + b"%d\n" % number) for file in planned]
        start.wait()
        try:
            made.extend(write(workspace, mine))
        except BaseException as error:  # noqa: BLE001 reported below
            failed.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert sorted(made) == list(NUMBERED)
    assert sorted(path.name for path in repo.state.iterdir()) == list(NUMBERED)


def test_a_state_directory_deeper_in_the_worktree(repo: Repo) -> None:
    repo.git("config", "gitstate.dir", "tools/agent/état")
    workspace = Workspace.open(repo.path)
    assert write(workspace, plan(workspace)) == NUMBERED
    found = sorted(path.name for path in (repo.path / "tools/agent/état").iterdir())
    assert found == list(NUMBERED)


@pytest.mark.parametrize("setting", [".agent-state", "deep/state"])
@pytest.mark.parametrize("kind", ["link", "file"])
def test_no_folder_where_one_is_needed(
    repo: Repo, tmp_path: Path, setting: str, kind: str
) -> None:
    repo.git("config", "gitstate.dir", setting)
    workspace = Workspace.open(repo.path)
    planned = plan(workspace)
    outside = tmp_path / "outside"
    outside.mkdir()
    taken = repo.path / setting.split("/", maxsplit=1)[0]
    if kind == "link":
        taken.symlink_to(outside)
    else:
        taken.write_text("a file")
    line = (
        f"{taken} is a {kind}; gitstate keeps a real folder there: "
        "move it away, or set gitstate.dir to another name"
    )
    for attempt in (lambda: plan(workspace), lambda: write(workspace, planned)):
        with pytest.raises(Refused) as caught:
            attempt()
        assert str(caught.value) == line
    assert everything(outside) == {}


def test_a_link_in_place_of_the_scratch_folder(repo: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    repo.state.mkdir()
    (repo.state / SCRATCH).symlink_to(outside)
    workspace = Workspace.open(repo.path)
    with pytest.raises(Refused, match="is a link or a file"):
        write(workspace, plan(workspace))
    assert everything(outside) == {}
    assert everything(repo.state) == {SCRATCH: f"-> {outside}"}


def test_a_file_system_that_refuses(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = Workspace.open(repo.path)

    def full(source: At, target: At, way: Way) -> None:
        if target.name.startswith(b"03"):
            raise OSError(28, "No space left on device")
        place(source, target, way)

    monkeypatch.setattr(scaffold, "place", full)
    with pytest.raises(CannotWrite) as caught:
        write(workspace, plan(workspace))
    assert str(caught.value) == (
        f"cannot write to {repo.state}: the disk is full; nothing was recorded"
    )
    assert sorted(path.name for path in repo.state.iterdir()) == list(NUMBERED[:3])
    monkeypatch.undo()
    assert write(workspace, plan(workspace)) == NUMBERED[3:]


def test_killed_in_the_middle_it_is_finished_by_the_next_run(repo: Repo) -> None:
    program = (
        "import os\n"
        "from pathlib import Path\n"
        "from gitstate import scaffold\n"
        "from gitstate.workspace import Workspace\n"
        "real, workspace = scaffold.place, Workspace.open(Path())\n"
        "def place(source, target, way):\n"
        "    if target.name.startswith(b'03'):\n"
        "        os.kill(os.getpid(), 9)\n"
        "    real(source, target, way)\n"
        "scaffold.place = place\n"
        "scaffold.write(workspace, scaffold.plan(workspace))\n"
    )
    killed = subprocess.run([sys.executable, "-c", program], cwd=repo.path, check=False)
    assert killed.returncode == -signal.SIGKILL
    half = {name: template(name, "en").encode() for name in NUMBERED[1:3]}
    found = everything(repo.state)
    assert {name: found[name] for name in half} == half
    workspace = Workspace.open(repo.path)
    assert write(workspace, plan(workspace)) == NUMBERED[3:]
    assert everything(repo.state).items() >= found.items()


def test_a_folder_that_may_not_be_written(repo: Repo) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    workspace = Workspace.open(repo.path)
    repo.path.chmod(0o555)
    try:
        with pytest.raises(CannotWrite, match="permission denied"):
            write(workspace, plan(workspace))
    finally:
        repo.path.chmod(0o755)
