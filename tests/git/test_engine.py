"""What every engine promises, against repositories that git itself made and reads."""

from __future__ import annotations

import os
import subprocess
import threading
from typing import TYPE_CHECKING, Any

import pytest

from gitstate.errors import (
    GitFailed,
    GitstateError,
    ObjectDamaged,
    ObjectMissing,
    RefLocked,
    RefMoved,
)
from gitstate.git import command, libgit2
from gitstate.git.command import CommandEngine
from gitstate.git.engine import Head
from gitstate.git.objects import Signature, encode_commit, make
from gitstate.history.line import engine_for, place_of
from gitstate.workspace import Workspace
from tests.engines import init, numbers, snap
from tests.support import Repo, make_repo

if TYPE_CHECKING:
    from pathlib import Path

    from gitstate.git.engine import Engine
    from tests.engines import Kind

REF = "refs/heads/state"
WHO = Signature("A", "a@b", 1_700_000_000, 0)


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (libgit2, command):
        monkeypatch.setattr(module, "_LOCK_PATIENCE_S", 0.1)


def commits(repo: Repo, count: int) -> list[str]:
    return [repo.commit(text=f"{at}\n") for at in range(count)]


def swap(engine: Engine, old: str | None, new: str | None, name: str = REF) -> None:
    engine.swap_ref(name, old=old, new=new, reason="gitstate: test", durable=True)


def test_objects_are_read_as_git_reads_them(repo: Repo, engine: Engine) -> None:
    head = repo.git("rev-parse", "HEAD")
    tree = repo.git("rev-parse", "HEAD^{tree}")
    blob = repo.git("rev-parse", "HEAD:code.txt")
    repo.git("tag", "-a", "-m", "x", "v1")
    tag = repo.git("rev-parse", "v1")

    assert engine.read(blob) == ("blob", b"code\n")
    assert engine.blob(blob) == b"code\n"
    assert [(row.name, row.id) for row in engine.tree(tree)] == [(b"code.txt", blob)]
    assert engine.commit(head).tree == tree
    assert engine.read(tag)[0] == "tag"
    assert [engine.verify(item)[0] for item in (blob, tree, head, tag)] == [
        "blob",
        "tree",
        "commit",
        "tag",
    ]
    assert engine.has(head)


def test_an_object_that_is_missing(engine: Engine, kind: Kind) -> None:
    nothing = make("blob", b"never written", kind.object_format).id

    assert not engine.has(nothing)
    for ask in (engine.read, engine.blob, engine.tree, engine.commit, engine.verify):
        with pytest.raises(ObjectMissing, match=f"object {nothing} is missing"):
            ask(nothing)
    with pytest.raises(ObjectMissing):
        list(engine.walk(nothing))


def test_an_object_of_another_kind(repo: Repo, engine: Engine) -> None:
    head = repo.git("rev-parse", "HEAD")

    with pytest.raises(ObjectDamaged, match="is a commit, not a blob"):
        engine.blob(head)
    with pytest.raises(ObjectDamaged, match="is a commit, not a tree"):
        engine.tree(head)


@pytest.mark.parametrize("damage", ["truncated", "garbage", "empty", "other bytes"])
def test_a_damaged_object_is_told_and_the_next_one_is_read(
    repo: Repo, engine: Engine, damage: str
) -> None:
    good = repo.git("rev-parse", "HEAD")
    other = repo.git("hash-object", "-w", "--stdin", stdin=b"other bytes")
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"bytes of a blob" * 99)
    path = repo.path / ".git" / "objects" / blob[:2] / blob[2:]
    path.chmod(0o644)
    whole = path.read_bytes()
    elsewhere = repo.path / ".git" / "objects" / other[:2] / other[2:]
    path.write_bytes(
        {
            "truncated": whole[: len(whole) // 2],
            "garbage": b"garbage" * 20,
            "empty": b"",
            "other bytes": elsewhere.read_bytes(),
        }[damage]
    )

    with pytest.raises((ObjectDamaged, ObjectMissing), match=blob):
        engine.verify(blob)

    assert engine.commit(good).id == good
    assert engine.verify(other) == ("blob", b"other bytes")


def test_what_is_written_can_be_read_by_both(
    repo: Repo, engine: Engine, kind: Kind
) -> None:
    objects = [make("blob", b"%d" % at * 50, kind.object_format) for at in range(5)]

    engine.write(objects, durable=True)

    for item in objects:
        assert engine.verify(item.id) == ("blob", item.data)
        assert repo.git("cat-file", "blob", item.id).encode() == item.data
    repo.git("fsck", "--full", "--strict", "--no-dangling")
    assert repo.git("count-objects", "-v").splitlines()[0] == "count: 3"


def test_walk_follows_first_parents(repo: Repo, engine: Engine) -> None:
    first = repo.git("rev-parse", "HEAD")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side.txt")
    repo.git("checkout", "-q", "main")
    second = repo.commit(text="2\n")
    repo.git("merge", "-q", "--no-edit", "side")
    merge = repo.git("rev-parse", "HEAD")

    assert [commit.id for commit in engine.walk(merge)] == [merge, second, first]
    assert next(engine.walk(merge)).id == merge  # left early, nothing hangs
    assert engine.commit(merge).parents[0] == second


def test_walk_reads_odd_messages(repo: Repo, engine: Engine, kind: Kind) -> None:
    tree = repo.git("rev-parse", "HEAD^{tree}")
    tip: list[str] = []
    made: list[str] = []
    for message in (
        "",
        "\n",
        "one\n\n\n\ntwo\n",
        "\x0c\x1c\x85\u2028\nx",
        "no newline",
    ):
        commit = make(
            "commit", encode_commit(tree, tip, WHO, WHO, message), kind.object_format
        )
        engine.write([commit], durable=False)
        tip = [commit.id]
        made.append(message)

    assert [commit.message for commit in engine.walk(tip[0])] == made[::-1]


def test_refs(repo: Repo, engine: Engine) -> None:
    head = repo.git("rev-parse", "HEAD")
    repo.git("branch", "state.one")
    repo.git("update-ref", "refs/gitstate/x/y", head)

    assert engine.ref("refs/heads/main") == head
    assert engine.ref("refs/heads/none") is None
    assert engine.refs("refs/heads/state") == {"refs/heads/state.one": head}
    assert engine.refs("refs/gitstate/") == {"refs/gitstate/x/y": head}
    repo.git("pack-refs", "--all")
    assert engine.refs("refs/heads/") == {
        "refs/heads/main": head,
        "refs/heads/state.one": head,
    }
    assert engine.ref("refs/heads/state.one") == head


def test_broken_refs_of_others_stand_in_nobodys_way(repo: Repo, engine: Engine) -> None:
    head = repo.git("rev-parse", "HEAD")
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/pruned")
    (repo.path / ".git" / "refs" / "heads" / "empty").write_text("")
    (repo.path / ".git" / "refs" / "heads" / "zeros").write_bytes(b"\0" * 41)
    (repo.path / ".git" / "refs" / "heads" / "stale.lock").write_text("")

    assert engine.refs("refs/heads/main") == {"refs/heads/main": head}
    assert engine.refs("refs/heads/")["refs/heads/main"] == head
    assert "refs/remotes/origin/HEAD" not in engine.refs("refs/")
    assert engine.ref("refs/remotes/origin/HEAD") is None


@pytest.mark.parametrize("name", ["b\u2028r", "b\x85r", "b\u00a0", "b\u3000", "é"])
def test_odd_branch_names(repo: Repo, engine: Engine, name: str) -> None:
    repo.git("checkout", "-q", "-b", name)
    head = repo.git("rev-parse", "HEAD")

    assert engine.head() == Head(name, head)
    assert engine.ref(f"refs/heads/{name}") == head
    assert engine.refs("refs/heads/b" if name[0] == "b" else "refs/heads/é") == {
        f"refs/heads/{name}": head
    }


def test_a_branch_name_that_is_not_utf_8(repo: Repo, engine: Engine) -> None:
    head = repo.git("rev-parse", "HEAD")
    name = os.fsdecode(b"caf\xe9")
    repo.git("checkout", "-q", "-b", name)

    assert engine.head() == Head(name, head)
    assert engine.ref(f"refs/heads/{name}") == head
    assert engine.refs("refs/heads/caf") == {f"refs/heads/{name}": head}
    assert engine.refs("refs/heads/main") == {"refs/heads/main": head}


def test_head_detached_and_unborn(repo: Repo, engine: Engine) -> None:
    head = repo.git("rev-parse", "HEAD")

    assert engine.head() == Head("main", head)
    repo.git("checkout", "-q", "--detach")
    assert engine.head() == Head(None, head)
    repo.git("checkout", "-q", "--orphan", "new/born")
    assert engine.head() == Head("new/born", None)


def test_a_ref_is_made_moved_and_removed(repo: Repo, engine: Engine) -> None:
    one, two = commits(repo, 2)

    swap(engine, None, one)
    assert repo.git("rev-parse", REF) == engine.ref(REF) == one
    swap(engine, one, two)
    assert repo.git("rev-parse", REF) == engine.ref(REF) == two
    repo.git("pack-refs", "--all")
    swap(engine, two, one)
    assert engine.ref(REF) == one
    reflog = repo.git("log", "-g", "--format=%gs|%gn|%ge", REF).splitlines()
    assert reflog == ["gitstate: test|Test Person|test@example.com"] * 3
    swap(engine, one, None)
    assert engine.ref(REF) is None
    assert repo.git("for-each-ref", REF) == ""


def test_a_ref_that_is_not_where_it_was_expected(repo: Repo, engine: Engine) -> None:
    one, two, three = commits(repo, 3)

    with pytest.raises(RefMoved):
        swap(engine, one, two)  # there is none
    repo.git("update-ref", REF, one)
    for old, new in ((None, two), (two, three), (two, None)):
        with pytest.raises(RefMoved, match=f"{REF} is no longer at"):
            swap(engine, old, new)
    assert engine.ref(REF) == one


def test_of_many_swaps_from_one_value_one_wins(repo: Repo, kind: Kind) -> None:
    ids = commits(repo, 9)
    repo.git("update-ref", REF, ids[0])
    ws = Workspace.open(repo.path)
    assert kind.object_format == ws.object_format
    won: list[str] = []

    def race(new: str) -> None:
        with engine_for(ws) as mine:
            try:
                swap(mine, ids[0], new)
            except (RefMoved, RefLocked):
                return
            won.append(new)

    threads = [threading.Thread(target=race, args=(new,)) for new in ids[1:]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert won == [repo.git("rev-parse", REF)]


@pytest.mark.parametrize("exists", [True, False])
def test_a_stale_lock_is_named_and_gone_it_hinders_no_more(
    repo: Repo, engine: Engine, *, exists: bool
) -> None:
    one, two = commits(repo, 2)
    if exists:
        repo.git("update-ref", REF, one)
    old = one if exists else None
    lock = repo.path / ".git" / f"{REF}.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.write_text("")

    with pytest.raises(RefLocked, match="remove that file") as caught:
        swap(engine, old, two)

    assert str(lock) in str(caught.value)
    assert engine.ref(REF) == old
    lock.unlink()
    swap(engine, old, two)
    assert engine.ref(REF) == two


def test_a_lock_that_is_gone_in_time_is_waited_for(
    repo: Repo, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = commits(repo, 2)
    repo.git("update-ref", REF, one)
    lock = repo.path / ".git" / f"{REF}.lock"
    lock.write_text("")
    for module in (libgit2, command):
        monkeypatch.setattr(module, "_LOCK_PATIENCE_S", 20.0)
    timer = threading.Timer(0.2, lock.unlink)
    timer.start()

    swap(engine, one, two)

    timer.join()
    assert engine.ref(REF) == two


def test_a_folder_of_refs_in_the_way(repo: Repo, engine: Engine) -> None:
    one, two = commits(repo, 2)
    repo.git("update-ref", f"{REF}/below", one)

    with pytest.raises(GitFailed, match=REF):
        swap(engine, None, two)
    with pytest.raises(GitFailed, match=f"{REF}/below/deeper"):
        swap(engine, None, two, f"{REF}/below/deeper")


@pytest.mark.parametrize("left", [b"", b"\0" * 41, b"garbage\n"], ids=["", "0", "g"])
def test_a_ref_that_a_power_failure_left_empty(
    repo: Repo, engine: Engine, left: bytes
) -> None:
    one, two = commits(repo, 2)
    repo.git("update-ref", REF, one)
    (repo.path / ".git" / REF).write_bytes(left)

    assert engine.ref(REF) is None
    swap(engine, None, two)
    assert engine.ref(REF) == two


def test_no_hook_of_the_users_runs(repo: Repo, engine: Engine) -> None:
    one, two = commits(repo, 2)
    ran = repo.path / "ran"
    for name in ("reference-transaction", "post-update", "update", "pre-commit"):
        hook = repo.path / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {ran}\nexit 1\n")
        hook.chmod(0o755)

    swap(engine, None, one)
    swap(engine, one, two)
    swap(engine, two, None)

    assert not ran.exists()


@pytest.mark.parametrize(
    ("name", "email"),
    [
        (".", "."),
        ("'\"", "x@y"),
        ("\udcff", "\udcfe@x"),
        ("Ü <b>\n", "<u@x>"),
        ("  ", "a@b"),
    ],
)
def test_odd_identities(repo: Repo, kind: Kind, name: str, email: str) -> None:
    one, two = commits(repo, 2)
    repo.git("config", "user.name", name)
    repo.git("config", "user.email", email)
    ws = Workspace.open(repo.path)

    with engine_for(ws) as engine:
        assert engine.name == kind.engine
        swap(engine, None, one)
        swap(engine, one, two)
        who = Signature(*ws.identity(), 1_700_000_000, 0)
        tree = engine.commit(one).tree
        data = encode_commit(tree, [], who, who, "x")
        engine.write([make("commit", data, kind.object_format)], durable=False)
    repo.git("fsck", "--strict", "--no-dangling")


def test_a_linked_worktree_sees_its_own_head(
    repo: Repo, kind: Kind, tmp_path: Path
) -> None:
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    here = repo.commit(text="main moved\n")

    with engine_for(Workspace.open(tmp_path / "side")) as engine:
        assert engine.name == kind.engine
        assert engine.head().branch == "side"
        swap(engine, None, here)
    assert repo.git("rev-parse", REF) == here


def test_the_engine_is_one_that_can_read_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITSTATE_ENGINE", raising=False)
    chosen = {}
    for name, options in (
        ("plain", []),
        ("sha256", ["extensions.objectFormat", "sha256"]),
        ("partial", ["extensions.partialClone", "origin"]),
        ("promised", ["remote.Upstream.promisor", "true"]),
        ("worktree config", ["extensions.worktreeConfig", "true"]),
    ):
        object_format = "sha256" if name == "sha256" else "sha1"
        repo = make_repo(tmp_path / name, object_format=object_format)
        if options and name != "sha256":
            repo.git("config", "core.repositoryFormatVersion", "1")
            repo.git("config", *options)
        with engine_for(Workspace.open(repo.path)) as engine:
            chosen[name] = engine.name
            assert engine.commit(repo.git("rev-parse", "HEAD")).tree

    assert chosen == {
        "plain": "libgit2",
        "sha256": "git",
        "partial": "git",
        "promised": "git",
        "worktree config": "libgit2",
    }


def test_libgit2_can_be_insisted_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITSTATE_ENGINE", "libgit2")
    repo = make_repo(tmp_path / "partial")
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", "extensions.partialClone", "origin")

    with pytest.raises(GitFailed, match="libgit2 cannot open"):
        engine_for(Workspace.open(repo.path))


@pytest.fixture
def promised(tmp_path: Path, home: Path) -> Repo:
    origin = make_repo(tmp_path / "origin")
    origin.git("config", "uploadpack.allowFilter", "true")
    origin.git("config", "uploadpack.allowAnySHA1InWant", "true")
    origin.commit(text="old\n")
    origin.commit(text="new\n")
    clone = make_repo(tmp_path / "clone", commit=False)
    clone.git("remote", "add", "origin", f"file://{origin.path}")
    clone.git("fetch", "-q", "--filter=blob:none", "origin")
    clone.git("reset", "-q", "--hard", "origin/main")
    assert home
    return clone


def test_a_promised_blob_is_fetched(promised: Repo) -> None:
    old = promised.git("rev-parse", "HEAD~1:code.txt")

    with CommandEngine(place_of(Workspace.open(promised.path))) as engine:
        assert engine.blob(old) == b"old\n"


def test_a_promised_blob_whose_promisor_is_away(promised: Repo, tmp_path: Path) -> None:
    old = promised.git("rev-parse", "HEAD~1:code.txt")
    (tmp_path / "origin").rename(tmp_path / "away")

    with CommandEngine(place_of(Workspace.open(promised.path))) as engine:
        with pytest.raises(GitstateError, match=old):
            engine.blob(old)
        assert engine.head().branch == "main"


def test_a_git_that_is_killed_is_no_damaged_object(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = repo.git("rev-parse", "HEAD")
    started: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def popen(*words: Any, **more: Any) -> subprocess.Popen[bytes]:
        started.append(real(*words, **more))
        return started[-1]

    with CommandEngine(place_of(Workspace.open(repo.path))) as engine:
        monkeypatch.setattr(subprocess, "Popen", popen)
        tree = engine.commit(head).tree
        (reader,) = started
        reader.kill()
        reader.wait()
        assert engine.read(tree)[0] == "tree"
        monkeypatch.undo()


def test_a_ref_whose_object_is_lost_is_where_it_is(repo: Repo, engine: Engine) -> None:
    lost = repo.commit(text="lost\n")
    repo.git("update-ref", REF, lost)
    other = repo.git("rev-parse", "HEAD~1")
    (repo.path / ".git" / "objects" / lost[:2] / lost[2:]).unlink()

    assert engine.ref(REF) == lost
    assert engine.refs("refs/heads/") == {REF: lost, "refs/heads/main": lost}
    assert engine.head() == Head("main", lost)
    swap(engine, lost, other)
    assert engine.ref(REF) == other


def test_no_name_is_taken_for_a_description(repo: Repo, engine: Engine) -> None:
    """``x-g1234abc`` is also how git describe names the commit 1234abc."""
    head = repo.git("rev-parse", "HEAD")

    assert engine.ref(f"refs/heads/state.fix-g{head[:10]}") is None
    assert engine.ref("refs/heads/main^") is None
    assert engine.ref("refs/heads/main@{0}") is None


def test_a_repository_with_reftable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITSTATE_ENGINE", raising=False)
    (tmp_path / "r").mkdir()
    repo = Repo(tmp_path / "r")
    repo.git("init", "-q", "-b", "main", "--ref-format=reftable", check=False)
    if not (repo.path / ".git" / "reftable").is_dir():
        pytest.skip("this git has no reftable")
    repo.write_six()
    ws = init(repo)
    repo.write("02-current-task.md", "two\n")
    assert snap(ws).version == 2
    assert numbers(ws) == [2, 1]
    with engine_for(ws) as engine:
        assert engine.name == "git"
