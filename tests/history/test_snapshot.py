"""The directory -> a version: what is captured, how, and what is said of the rest."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitstate.errors import GitstateError, NotInitialised, Refused
from gitstate.git.objects import EXECUTABLE, LINK
from gitstate.history.directory import Cache
from gitstate.history.line import engine_for
from gitstate.history.look import entries_of
from gitstate.history.snapshot import take
from gitstate.workspace import Workspace
from tests.engines import (
    begun,
    edit,
    files_of,
    files_on_disk,
    init,
    numbers,
    snap,
    versions,
)
from tests.support import NUMBERED, Repo, make_repo

if TYPE_CHECKING:
    from pathlib import Path

    from tests.engines import Kind


def test_the_first_version(repo: Repo) -> None:
    ws = begun(repo)
    (version,) = versions(ws)

    assert repo.git("rev-parse", "agent-state") == version.commit.id
    assert version.commit.parents == ()
    assert version.commit.message == (
        "state v1: first version, 6 files\n\nFiles:\n"
        + "".join(f"- added {name}\n" for name in NUMBERED)
        + "\nState-Version: 1\nState-Line: agent-state\nCode-Branch: main\n"
        + f"Code-Head: {repo.git('rev-parse', 'HEAD')}\nState-Lang: en\n"
    )
    assert files_of(ws, version.commit.id) == files_on_disk(ws)
    assert repo.git("status", "--porcelain", "--untracked-files=all") == ""
    repo.git("fsck", "--full", "--strict", "--no-dangling")


def test_plain_git_works_with_the_line(repo: Repo) -> None:
    ws = begun(repo)
    edit(ws, "two\n")
    name = ".agent-state/02-current-task.md"

    log = repo.git(
        "log",
        "--format=%(trailers:key=State-Version,valueonly,separator=)",
        "agent-state",
        "--",
        name,
    )
    assert log.split() == ["2", "1"]
    (ws.state_dir / "02-current-task.md").write_text("spoilt\n")
    repo.git("restore", "--source=agent-state", "--", name)
    assert (ws.state_dir / "02-current-task.md").read_text() == "two\n"


def test_nothing_changed_is_no_version(repo: Repo) -> None:
    ws = begun(repo)

    def seen() -> tuple[str, list[Path]]:
        return repo.git("for-each-ref"), sorted((ws.objects_dir / "pack").iterdir())

    before = seen()

    outcome = snap(ws)

    assert (outcome.version, outcome.changed) == (1, False)
    os.utime(ws.state_dir / "02-current-task.md", (1, 1))
    assert not snap(ws).changed
    assert seen() == before


def test_an_edit_is_a_version(repo: Repo) -> None:
    ws = begun(repo)
    head = repo.git("rev-parse", "HEAD")

    outcome = edit(ws, "# 02-current-task.md\n\n## Next\n\nsleep\n")

    newest, first = versions(ws)
    assert (outcome.version, outcome.commit, outcome.changed) == (
        2,
        newest.commit.id,
        True,
    )
    assert newest.commit.parents == (first.commit.id,)
    assert newest.commit.message == (
        "state v2: next: sleep\n\nProgress:\n- next: sleep\nFiles:\n"
        "- changed 02-current-task.md: 02-current-task.md\n\n"
        "State-Version: 2\nState-Line: agent-state\nCode-Branch: main\n"
        f"Code-Head: {head}\nState-Lang: en\n"
    )
    assert newest.commit.author == newest.commit.committer
    assert (newest.commit.author.name, newest.commit.author.email) == (
        "Test Person",
        "test@example.com",
    )
    assert files_of(ws, newest.commit.id) == files_on_disk(ws)


def test_a_persons_text_and_the_users_language(repo: Repo) -> None:
    repo.git("config", "gitstate.lang", "zh")
    ws = begun(repo)
    (ws.state_dir / "new.md").write_text("x")

    snap(ws, text="before the rewrite")

    newest = versions(ws)[0]
    assert newest.commit.message.startswith("state v2: before the rewrite\n\n文件")
    assert newest.record.lang == "zh"


def test_without_init_nothing_is_made(repo: Repo) -> None:
    repo.write_six()

    with pytest.raises(NotInitialised, match="run `gitstate init`"):
        take(Workspace.open(repo.path), verb="snapshot")

    assert repo.git("for-each-ref", "refs/heads/agent-state") == ""
    assert not (repo.path / ".git" / "gitstate").exists()


def test_a_newer_format_is_read_only(repo: Repo) -> None:
    ws = begun(repo)
    (ws.shared / "format").write_text("2\n")

    with pytest.raises(Refused, match="written by a newer gitstate"):
        edit(ws, "two\n")

    assert numbers(ws) == [1]


# --- what stands in the directory ------------------------------------------------

NAMES = [
    b"with space.md",
    b" leading and trailing ",
    b'quote".md',
    b"it's.md",
    b"new\nline.md",
    b"tab\tname.md",
    b"-leading-dash",
    b"--",
    b"\xff\xfe not utf-8",
    b"back\\slash",
    b"*glob?[x]",
    b":(top)magic",
    b"!bang",
    b"#hash",
    b".hidden",
    b"State-Version: 9",
    b"a" * 255,
    b"\x1b[31mred",
    "漢字.md".encode(),
    unicodedata.normalize("NFC", "é.md").encode(),
    unicodedata.normalize("NFD", "é.md").encode(),
    "\u202egnp.md".encode(),
    b"folder with space/\xc3\xa9/deep.md",
    b".gitignore",
    b".gitattributes",
]


def test_names_of_every_kind_are_kept(repo: Repo) -> None:
    ws = begun(repo)
    for name in NAMES:
        repo.write(os.fsdecode(name), b"name: " + ascii(name).encode())

    outcome = snap(ws)

    assert outcome.skipped == ()
    assert outcome.commit is not None
    held = {os.fsencode(k): v for k, v in files_of(ws, outcome.commit).items()}
    for name in NAMES:
        assert held[name] == b"name: " + ascii(name).encode()
    assert len(held) == 6 + len(NAMES)
    repo.git("fsck", "--full", "--strict", "--no-dangling")
    assert repo.git("status", "--porcelain", "--untracked-files=all") == ""
    assert len(versions(ws)) == 2
    assert not snap(ws).changed


@settings(
    max_examples=10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    text=st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=900)
)
def test_bytes_are_kept_as_they_are(repo: Repo, text: str) -> None:
    data = text.encode()
    (repo.path / ".gitattributes").write_text("* text=auto eol=crlf ident\n")
    ws = Workspace.open(repo.path)
    if not ws.initialised:
        repo.git("config", "core.autocrlf", "true")
        ws = begun(repo)
    (ws.state_dir / "blob").write_bytes(data)

    outcome = snap(ws)

    assert outcome.commit is not None
    assert files_of(ws, outcome.commit)["blob"] == data


def test_links_are_stored_as_links_and_never_followed(
    repo: Repo, tmp_path: Path
) -> None:
    ws = begun(repo)
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("secret")
    (ws.state_dir / "to-file").symlink_to(secret / "key")
    (ws.state_dir / "to-folder").symlink_to(secret)
    (ws.state_dir / "to-nothing").symlink_to("nothing")
    (ws.state_dir / "to-itself").symlink_to("to-itself")
    (ws.state_dir / "up").symlink_to("..")

    outcome = snap(ws)

    assert outcome.commit is not None
    assert outcome.skipped == ()
    held = files_of(ws, outcome.commit)
    assert held["to-file"] == os.fsencode(secret / "key")
    assert held["to-folder"] == os.fsencode(secret)
    assert held["up"] == b".."
    with engine_for(ws) as engine:
        entries = entries_of(ws, engine, outcome.commit)
    assert {
        path: entry.mode for path, entry in entries.items() if path[:2] == b"to"
    } == {
        b"to-file": LINK,
        b"to-folder": LINK,
        b"to-nothing": LINK,
        b"to-itself": LINK,
    }
    assert not any(data == b"secret" for data in held.values())
    repo.git("fsck", "--full", "--strict", "--no-dangling")


def test_the_execute_bit_is_kept_and_its_change_is_a_version(repo: Repo) -> None:
    ws = begun(repo)
    script = ws.state_dir / "run.sh"
    script.write_text("#!/bin/sh\n")
    first = snap(ws)
    script.chmod(0o755)

    second = snap(ws)

    assert second.version == 3
    assert versions(ws)[0].commit.message.startswith("state v3: mode of run.sh\n")
    with engine_for(ws) as engine:
        assert second.commit is not None
        assert first.commit is not None
        assert entries_of(ws, engine, second.commit)[b"run.sh"].mode == EXECUTABLE


def test_what_cannot_be_captured_is_named_and_the_rest_is_kept(repo: Repo) -> None:
    repo.git("config", "gitstate.maxFileSize", "1k")
    ws = begun(repo)
    (ws.state_dir / "large.bin").write_bytes(b"x" * 1025)
    (ws.state_dir / "just.bin").write_bytes(b"x" * 1024)
    os.mkfifo(ws.state_dir / "pipe")
    nested = make_repo(ws.state_dir / "nested")
    nested.commit("inner.md")
    (ws.state_dir / ".git").mkdir()
    (ws.state_dir / ".gitmodules").write_text("x")
    with socket.socket(socket.AF_UNIX) as listening:
        os.chdir(ws.state_dir)
        try:
            listening.bind("sock")
        finally:
            os.chdir("/")

        outcome = snap(ws)

    reasons = {
        ".git": "git allows no such name in a version",
        ".gitmodules": "git allows no such name in a version",
        "large.bin": "larger than the limit of 1 KiB",
        "nested": "a git repository of its own",
        "pipe": "a named pipe, not a file",
        "sock": "a socket, not a file",
    }
    assert {item.path.decode(): item.reason for item in outcome.skipped} == reasons
    newest = versions(ws)[0]
    assert newest.record.skipped == tuple(
        f"{path} ({reason})" for path, reason in reasons.items()
    )
    assert newest.commit.message.endswith(
        "".join(f"Skipped: {path} ({reason})\n" for path, reason in reasons.items())
    )
    assert set(files_of(ws, newest.commit.id)) == {*NUMBERED, "just.bin"}
    assert not snap(ws).changed


def test_a_file_that_grew_over_the_limit_keeps_its_last_bytes(repo: Repo) -> None:
    repo.git("config", "gitstate.maxFileSize", "1k")
    ws = begun(repo)
    task = ws.state_dir / "02-current-task.md"
    task.write_bytes(b"x" * 5000)
    (ws.state_dir / "other.md").write_text("x")

    outcome = snap(ws)

    assert outcome.commit is not None
    held = files_of(ws, outcome.commit)
    assert held["02-current-task.md"] == b"# 02-current-task.md\n\none\n"
    assert held["other.md"] == b"x"
    assert [item.path for item in outcome.skipped] == [b"02-current-task.md"]


def test_a_huge_sparse_file_costs_nothing(repo: Repo) -> None:
    ws = begun(repo)
    with (ws.state_dir / "huge").open("wb") as file:
        file.truncate(200 << 30)

    outcome = snap(ws)

    assert [item.path for item in outcome.skipped] == [b"huge"]


def test_a_file_that_becomes_a_folder_and_back(repo: Repo) -> None:
    ws = begun(repo)
    (ws.state_dir / "x").write_text("file")
    snap(ws)
    (ws.state_dir / "x").unlink()
    (ws.state_dir / "x").mkdir()
    (ws.state_dir / "x" / "y").write_text("inside")

    outcome = snap(ws)

    assert outcome.commit is not None
    assert set(files_of(ws, outcome.commit)) == {*NUMBERED, "x/y"}
    (ws.state_dir / "x" / "y").unlink()
    (ws.state_dir / "x").rmdir()
    (ws.state_dir / "x").write_text("file again")
    outcome = snap(ws)
    assert outcome.commit is not None
    assert files_of(ws, outcome.commit)["x"] == b"file again"
    repo.git("fsck", "--full", "--strict", "--no-dangling")


def test_empty_folders_are_no_change(repo: Repo) -> None:
    ws = begun(repo)
    (ws.state_dir / "archive" / "deep").mkdir(parents=True)

    assert not snap(ws).changed


@pytest.mark.parametrize("what", ["file", "link", "dangling link"])
def test_something_else_in_the_directorys_place(
    repo: Repo, tmp_path: Path, what: str
) -> None:
    ws = begun(repo)
    ws.state_dir.rename(tmp_path / "away")
    if what == "file":
        ws.state_dir.write_text("x")
    else:
        target = "away" if what == "link" else "nowhere"
        ws.state_dir.symlink_to(tmp_path / target)

    with pytest.raises(Refused, match="gitstate keeps a real folder there"):
        snap(ws)

    assert numbers(ws) == [1]
    assert files_on_disk(ws) == {} or what == "link"


def test_a_state_directory_deep_in_a_monorepo(repo: Repo) -> None:
    repo.git("config", "gitstate.dir", "services/búsqueda/.state")
    folder = repo.path / "services" / "búsqueda" / ".state"
    folder.mkdir(parents=True)
    (folder / "02-current-task.md").write_text("deep\n")
    ws = init(repo)

    listing = repo.git("ls-tree", "-r", "-z", "--name-only", "agent-state").split("\0")

    assert "services/búsqueda/.state/02-current-task.md" in listing
    assert repo.git("status", "--porcelain", "--untracked-files=all") == ""
    (folder / "02-current-task.md").write_text("deeper\n")
    assert snap(ws).version == 2


def test_a_cache_reads_again_what_changed(repo: Repo) -> None:
    ws = begun(repo)
    clock = [0.0]
    cache = Cache(clock=lambda: clock[0])
    take(ws, verb="daemon", cache=cache)
    clock[0] += 100
    take(ws, verb="daemon", cache=cache)
    clock[0] += 100
    (ws.state_dir / "02-current-task.md").write_text("two\n")
    assert take(ws, verb="daemon", cache=cache).version == 2
    clock[0] += 100
    assert not take(ws, verb="daemon", cache=cache).changed
    # the branch is put elsewhere: known by id alone, the bytes are read again
    clock[0] += 100
    (ws.state_dir / "new.md").write_text("three\n")
    outcome = take(ws, verb="daemon", cache=cache)
    assert outcome.version == 3
    assert outcome.commit is not None
    assert files_of(ws, outcome.commit) == files_on_disk(ws)


# --- who and when ----------------------------------------------------------------


def test_without_an_identity_it_is_gitstates_own(
    repo: Repo, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    monkeypatch.setenv("EMAIL", "")
    ws = begun(repo)
    edit(ws, "two\n")

    for version in versions(ws):
        assert (version.commit.author.name, version.commit.author.email) == (
            "gitstate",
            "gitstate@localhost",
        )


def test_never_signed_and_no_hook_fires(repo: Repo, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    hooks = repo.path / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in (
        "pre-commit",
        "commit-msg",
        "prepare-commit-msg",
        "post-commit",
        "post-checkout",
        "post-rewrite",
        "reference-transaction",
        "post-index-change",
        "pre-auto-gc",
        "fsmonitor-watchman",
    ):
        (hooks / name).write_text(f"#!/bin/sh\necho {name} >> {ran}\nexit 1\n")
        (hooks / name).chmod(0o755)
    repo.git("config", "commit.gpgsign", "true")
    repo.git("config", "gpg.program", "/bin/false")
    repo.git("config", "core.fsmonitor", str(hooks / "fsmonitor-watchman"))
    ws = begun(repo)
    edit(ws, "two\n")

    assert numbers(ws) == [2, 1]
    assert not ran.exists()
    assert "gpgsig" not in repo.git("cat-file", "commit", "agent-state")


def test_the_clock_can_be_stood_for(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITSTATE_NOW", "2026-11-29T14:05:00+05:30")
    ws = begun(repo)

    assert repo.git("log", "-1", "--format=%ad|%cd", "--date=raw", "agent-state") == (
        "1795941300 +0530|1795941300 +0530"
    )
    repo.git("config", "gitstate.timezone", "America/New_York")
    edit(Workspace.open(ws.root), "two\n")
    assert repo.git("log", "-1", "--format=%ai", "agent-state") == (
        "2026-11-29 03:35:00 -0500"
    )


@pytest.mark.parametrize(
    "now", ["1960-01-01T00:00:00+00:00", "0001-01-01T00:00:00+00:00"]
)
def test_a_clock_before_1970_makes_no_broken_commit(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, now: str
) -> None:
    monkeypatch.setenv("GITSTATE_NOW", now)
    begun(repo)

    repo.git("fsck", "--full", "--strict", "--no-dangling")


def test_the_umask_and_the_group(repo: Repo) -> None:
    repo.git("config", "core.sharedRepository", "group")
    before = os.umask(0o077)
    try:
        ws = begun(repo)
        edit(ws, "two\n")
    finally:
        os.umask(before)

    modes = {
        path.relative_to(ws.shared).as_posix(): path.stat().st_mode & 0o7777
        for path in (ws.shared, *ws.shared.rglob("*"))
    }
    assert modes.pop(".") == 0o2770
    assert modes["lock"] == 0o660
    assert set(modes.values()) == {0o660}
    packs = {path.stat().st_mode & 0o777 for path in ws.objects_dir.glob("pack/*")}
    assert packs == {0o440}
    for name in (ws.ref, f"logs/{ws.ref}"):
        assert (ws.common_dir / name).stat().st_mode & 0o060 == 0o060


def test_runtime_files_are_the_owners_alone(repo: Repo) -> None:
    before = os.umask(0)
    try:
        ws = begun(repo)
        edit(ws, "two\n")
    finally:
        os.umask(before)

    assert ws.shared.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in ws.shared.rglob("*")} == {0o600}


def test_nothing_of_the_users_is_touched(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "work")
    (repo.path / "staged").write_text("staged")
    repo.git("add", "staged")
    (repo.path / "code.txt").write_text("unstaged\n")
    (repo.path / "untracked").write_text("u")
    repo.git("tag", "v1")

    def seen() -> tuple[str, ...]:
        return (
            repo.git("status", "--porcelain=v2", "--branch", "--untracked-files=all"),
            repo.git("diff", "--cached"),
            repo.git("diff"),
            repo.git("for-each-ref", "--exclude=x", check=False),
            repo.git("log", "--all", "--format=%H", "--", "code.txt"),
            repo.git("stash", "list"),
            (repo.path / ".git" / "HEAD").read_text(),
            (repo.path / ".git" / "config").read_text(),
            repo.git("ls-files", "--stage", "--debug"),
        )

    repo.git("status")
    before = seen()
    ws = begun(repo)
    edit(ws, "two\n")

    assert seen() == before
    assert repo.git("for-each-ref", "--format=%(refname)").split() == [
        "refs/heads/agent-state",
        "refs/heads/main",
        "refs/heads/work",
        "refs/tags/v1",
    ]


def test_unborn_and_detached_heads(kind: Kind, tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "new", object_format=kind.object_format, commit=False)
    ws = begun(repo)
    (unborn,) = versions(ws)
    assert (unborn.record.code_branch, unborn.record.code_head) == ("main", None)

    head = repo.commit()
    repo.git("checkout", "-q", "--detach")
    edit(ws, "two\n")
    detached = versions(ws)[0]
    assert (detached.record.code_branch, detached.record.code_head) == (None, head)


def test_a_submodule_has_a_line_of_its_own(
    repo: Repo, kind: Kind, tmp_path: Path
) -> None:
    library = make_repo(tmp_path / "library", object_format=kind.object_format)
    repo.git(
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        str(library.path),
        "lib",
    )
    repo.git("commit", "-q", "-m", "with a submodule")
    inner = Repo(repo.path / "lib")
    outer_ws, inner_ws = begun(repo), begun(inner, "inner")
    edit(inner_ws, "inner two\n")

    assert inner_ws.git_dir == repo.path / ".git" / "modules" / "lib"
    assert (numbers(outer_ws), numbers(inner_ws)) == ([1], [2, 1])
    assert repo.git("status", "--porcelain", "--ignore-submodules=none") == ""
    assert library.git("for-each-ref", "refs/heads/agent-state") == ""


def test_a_partial_clone(tmp_path: Path, kind: Kind) -> None:
    if kind.engine == "libgit2":
        pytest.skip("libgit2 knows nothing of what was promised")
    origin = make_repo(tmp_path / "origin", object_format=kind.object_format)
    origin.commit("folder/file", "x")
    origin.git("config", "uploadpack.allowFilter", "true")
    subprocess.run(
        ["git", "clone", "-q", "--filter=blob:none", f"file://{origin.path}", "clone"],
        cwd=tmp_path,
        check=True,
    )
    clone = Repo(tmp_path / "clone")
    ws = begun(clone)
    assert edit(ws, "two\n").version == 2
    (tmp_path / "origin").rename(tmp_path / "gone")
    assert edit(ws, "three\n").version == 3
    assert numbers(ws) == [3, 2, 1]
    assert files_of(ws, clone.git("rev-parse", "agent-state")) == files_on_disk(ws)
    clone.git("fsck", "--no-dangling")


def test_reading_is_refused_and_the_rest_goes_on(repo: Repo) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    ws = begun(repo)
    (ws.state_dir / "closed").write_text("x")
    (ws.state_dir / "closed").chmod(0)

    assert [item.path for item in snap(ws).skipped] == [b"closed"]


REFUSED = {
    ("id", "folder"): "cannot write id: .* nothing was recorded",
    ("life", "folder"): "run `gitstate init`",
    ("life", "link"): "run `gitstate init`",
    ("format", "folder"): "format cannot be read: Is a directory",
}


@pytest.mark.parametrize("name", ["seen", "numbers", "id", "life", "format"])
@pytest.mark.parametrize("what", ["folder", "garbage", "empty", "zeros", "link"])
def test_a_runtime_file_that_is_garbled(repo: Repo, name: str, what: str) -> None:
    ws = begun(repo)
    edit(ws, "two\n")
    path = ws.runtime / name
    path.unlink(missing_ok=True)
    if what == "folder":
        path.mkdir()
        (path / "x").write_text("in the way")
    elif what == "link":
        path.symlink_to("nowhere")
    else:
        path.write_bytes(
            {"garbage": os.urandom(300), "empty": b"", "zeros": b"\0" * 300}[what]
        )

    if (name, what) in REFUSED:
        with pytest.raises(GitstateError, match=REFUSED[name, what]) as caught:
            edit(ws, "three\n")
        assert "\n" not in str(caught.value)
        assert repo.git("rev-list", "--count", "agent-state") == "2"
        return
    outcome = edit(ws, "three\n")
    assert (outcome.version, outcome.changed) == (3, True)
    assert numbers(ws) == [3, 2, 1]
    assert files_of(ws, repo.git("rev-parse", "agent-state")) == files_on_disk(ws)


def test_a_version_costs_little_time(repo: Repo) -> None:
    ws = begun(repo)
    started = time.monotonic()
    for at in range(5):
        edit(ws, f"{at}\n")
    assert time.monotonic() - started < 10
