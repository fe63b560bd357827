from __future__ import annotations

import hashlib
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitstate.errors import RefMoved
from gitstate.git.objects import FILE, TREE, TreeEntry, encode_tree, make
from gitstate.history import notes
from gitstate.history.line import engine_for
from gitstate.history.note import Note, parse
from gitstate.workspace import Workspace
from tests.engines import init
from tests.ledger import fsck
from tests.support import with_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitstate.git.engine import Engine
    from tests.support import Repo

WRITERS, EACH = 8, 200


def identity(number: int, object_format: str = "sha1") -> str:
    """An id that looks like a commit's."""
    digest = hashlib.new(object_format, b"%d" % number, usedforsecurity=False)
    return digest.hexdigest()


def add(ws: Workspace, engine: Engine, wanted: Mapping[str, str | None]) -> int:
    return notes.update(ws, engine, lambda _tree: wanted, reason="test")


def shown(repo: Repo) -> dict[str, str]:
    """Every note as git itself reads it."""
    rows = repo.git("notes", f"--ref={notes.REF}", "list").splitlines()
    pairs = [row.split() for row in rows]
    return {commit: repo.git("cat-file", "blob", blob) for blob, commit in pairs}


def cuts(repo: Repo) -> set[int]:
    """How often the names in the notes tree are cut."""
    rows = repo.git("ls-tree", "-r", "--name-only", notes.REF).splitlines()
    return {row.count("/") for row in rows}


@pytest.fixture
def ws(repo: Repo) -> Workspace:
    return init(repo)


def test_nothing_yet(engine: Engine) -> None:
    assert notes.tree_of(engine, engine.ref(notes.REF)) is None
    assert notes.read(engine, None, ["a" * 40]) == {}
    assert list(notes.listing(engine, None)) == []


def test_git_shows_what_was_written(ws: Workspace, engine: Engine, repo: Repo) -> None:
    head = repo.git("rev-parse", "HEAD")
    assert add(ws, engine, {head: "State-Line: x\nü\n"}) == 1
    log = repo.git("log", "-1", "--notes=gitstate", "--format=%N")
    assert log == "State-Line: x\nü"
    said = repo.git("log", "-1", "--format=%an %ae %s %P", notes.REF)
    assert said == "Test Person test@example.com Notes: test"


def test_the_same_again_changes_nothing(
    ws: Workspace, engine: Engine, repo: Repo
) -> None:
    wanted = {identity(1, ws.object_format): "one\n"}
    assert [add(ws, engine, wanted) for _ in range(2)] == [1, 0]
    assert repo.git("rev-list", "--count", notes.REF) == "1"


def test_taking_a_note_away(ws: Workspace, engine: Engine, repo: Repo) -> None:
    one, two = (identity(number, ws.object_format) for number in (1, 2))
    add(ws, engine, {one: "one", two: "two"})
    assert add(ws, engine, {one: None}) == 1
    assert shown(repo) == {two: "two"}
    assert add(ws, engine, {one: None}) == 0


@pytest.mark.parametrize("at_once", [True, False])
def test_the_tree_is_cut_as_git_cuts_it(
    ws: Workspace, engine: Engine, repo: Repo, *, at_once: bool
) -> None:
    ws = with_settings(ws, durable=False)
    wanted = {identity(n, ws.object_format): f"note {n}" for n in range(256)}
    if at_once:
        add(ws, engine, wanted)
    else:
        for start in range(0, 256, 64):
            add(ws, engine, dict(list(wanted.items())[start : start + 64]))
    assert cuts(repo) == {0}
    wanted[identity(256, ws.object_format)] = "note 256"
    add(ws, engine, wanted)
    assert cuts(repo) == {1}
    assert shown(repo) == wanted
    tree = notes.tree_of(engine, engine.ref(notes.REF))
    assert notes.read(engine, tree, wanted) == wanted
    assert dict(notes.listing(engine, tree)).keys() == wanted.keys()
    gone = dict.fromkeys(list(wanted)[:200])
    add(ws, engine, gone)
    assert shown(repo).keys() == wanted.keys() - gone.keys()


def test_a_cut_folder_is_cut_again(ws: Workspace, engine: Engine, repo: Repo) -> None:
    ws = with_settings(ws, durable=False)
    digits = 64 if ws.object_format == "sha256" else 40
    wanted = {f"ab{n:0{digits - 2}x}": f"note {n}" for n in range(300)}
    add(ws, engine, wanted)
    assert cuts(repo) == {19 if digits == 40 else 31} or min(cuts(repo)) >= 2
    assert shown(repo) == wanted


def test_what_git_wrote_is_read_and_kept(
    ws: Workspace, engine: Engine, repo: Repo
) -> None:
    """Any mixture: git cuts by another measure, and other names may lie there."""
    head = repo.git("rev-parse", "HEAD")
    repo.git("notes", f"--ref={notes.REF}", "add", "-m", "by git", head)
    deep, flat = identity(5, ws.object_format), identity(6, ws.object_format)
    blob = make("blob", b"by hand", ws.object_format)
    inner = make(
        "tree",
        encode_tree([TreeEntry(deep[4:].encode(), FILE, blob.id)]),
        ws.object_format,
    )
    middle = make(
        "tree",
        encode_tree([TreeEntry(deep[2:4].encode(), TREE, inner.id)]),
        ws.object_format,
    )
    top = make(
        "tree",
        encode_tree(
            [
                TreeEntry(deep[:2].encode(), TREE, middle.id),
                TreeEntry(flat.encode(), FILE, blob.id),
                TreeEntry(b"README", FILE, blob.id),
                TreeEntry(b"folder", TREE, inner.id),
            ]
        ),
        ws.object_format,
    )
    engine.write([blob, inner, middle, top], durable=False)
    commit = repo.git("commit-tree", "-m", "x", "-p", notes.REF, top.id)
    repo.git("update-ref", notes.REF, commit)
    tree = notes.tree_of(engine, engine.ref(notes.REF))
    assert notes.read(engine, tree, [deep, flat, head]) == {
        deep: "by hand",
        flat: "by hand",
    }
    third = identity(7, ws.object_format)
    add(ws, engine, {third: "ours", deep: "changed"})
    tree = notes.tree_of(engine, engine.ref(notes.REF))
    assert notes.read(engine, tree, [deep, flat, third]) == {
        deep: "changed",
        flat: "by hand",
        third: "ours",
    }
    names = repo.git("ls-tree", "--name-only", notes.REF).splitlines()
    assert {"README", "folder"} < set(names)
    assert shown(repo) == {deep: "changed", flat: "by hand", third: "ours"}
    assert "README" not in shown(repo)


def test_a_note_in_two_places_is_read_as_git_reads_it_and_mended(
    ws: Workspace, engine: Engine, repo: Repo
) -> None:
    one, other = identity(1, ws.object_format), identity(2, ws.object_format)
    texts = [f"State-Version: {n}\nState-Check: updated\n" for n in (1, 2)]
    blobs = [make("blob", text.encode(), ws.object_format) for text in texts]
    inner = make(
        "tree",
        encode_tree([TreeEntry(one[2:].encode(), FILE, blobs[0].id)]),
        ws.object_format,
    )
    top = make(
        "tree",
        encode_tree(
            [
                TreeEntry(one[:2].encode(), TREE, inner.id),
                TreeEntry(one.encode(), FILE, blobs[1].id),
            ]
        ),
        ws.object_format,
    )
    engine.write([*blobs, inner, top], durable=False)
    repo.git("update-ref", notes.REF, repo.git("commit-tree", "-m", "x", top.id))
    tree = notes.tree_of(engine, engine.ref(notes.REF))
    found = parse(notes.read(engine, tree, [one])[one])
    assert found is not None
    assert found.version == 2
    add(ws, engine, {other: "x"})  # the flat one moves down, beside the other
    tree = notes.tree_of(engine, engine.ref(notes.REF))
    joined = notes.read(engine, tree, [one])[one]
    assert sorted(joined.split("\n")) == sorted("\n".join(texts).split("\n"))
    assert cuts(repo) == {1}
    add(ws, engine, {one: "mended"})
    assert shown(repo)[one] == "mended"


def test_bytes_that_are_no_text_survive(
    ws: Workspace, engine: Engine, repo: Repo
) -> None:
    head = repo.git("rev-parse", "HEAD")
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"\xff\n" * 3)
    repo.git("notes", f"--ref={notes.REF}", "add", "-C", blob, head)
    tree = notes.tree_of(engine, engine.ref(notes.REF))
    text = notes.read(engine, tree, [head])[head]
    add(ws, engine, {head: text + "more"})
    raw = subprocess.run(
        ["git", "notes", f"--ref={notes.REF}", "show", head],
        cwd=repo.path,
        capture_output=True,
        check=True,
    )
    assert raw.stdout == b"\xff\n" * 3 + b"more"


def move_by_git(repo: Repo, wanted: Mapping[str, str]) -> None:
    """Let git's own plumbing put a notes commit in the ref's place."""
    blobs = {
        commit: repo.git("hash-object", "-w", "--stdin", stdin=text.encode())
        for commit, text in wanted.items()
    }
    rows = "".join(f"100644 blob {blob}\t{name}\n" for name, blob in blobs.items())
    tree = repo.git("mktree", stdin=rows.encode())
    repo.git("update-ref", notes.REF, repo.git("commit-tree", "-m", "x", tree))


def test_a_faster_writer_is_asked_about_again(
    ws: Workspace, engine: Engine, repo: Repo
) -> None:
    one, two = (identity(number, ws.object_format) for number in (1, 2))
    seen: list[bool] = []

    def decide(tree: str | None) -> dict[str, str | None]:
        seen.append(bool(notes.read(engine, tree, [two])))
        if len(seen) < 3:  # somebody else is faster, twice
            move_by_git(repo, {two: f"{len(seen)}"})
        return {one: "mine"}

    notes.update(ws, engine, decide, reason="test")
    assert seen == [False, True, True]
    assert shown(repo) == {one: "mine", two: "2"}


def test_a_ref_that_never_rests(
    ws: Workspace, engine: Engine, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notes, "_PAUSE_S", 0.0)
    count = 0

    def decide(_tree: str | None) -> dict[str, str | None]:
        nonlocal count
        count += 1
        move_by_git(repo, {identity(1, ws.object_format): f"{count}"})
        return {identity(0, ws.object_format): "mine"}

    with pytest.raises(RefMoved, match="the notes move faster"):
        notes.update(ws, engine, decide, reason="test")


@pytest.mark.timeout(600)
def test_eight_writers_of_200_notes_each(
    repo: Repo, ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the processes find this module, and whatever gitstate is installed
    monkeypatch.setattr(sys, "path", [*sys.path, str(Path(__file__).parents[2])])
    engine = os.environ["GITSTATE_ENGINE"]
    each = EACH if engine == "libgit2" else EACH // 10  # a git process a ref
    context = multiprocessing.get_context("spawn")
    writers = [
        context.Process(target=write_some, args=(ws.root, number * EACH, engine, each))
        for number in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * WRITERS
    numbers = [w * EACH + n for w in range(WRITERS) for n in range(each)]
    expected = {identity(n, ws.object_format): f"note {n}" for n in numbers}
    assert shown_quickly(repo) == expected
    fsck(repo)


def write_some(root: Path, first: int, engine: str, each: int) -> None:
    os.environ["GITSTATE_ENGINE"] = engine
    ws = with_settings(Workspace.open(root), durable=False)
    with engine_for(ws) as found:
        for number in range(first, first + each):
            add(ws, found, {identity(number, ws.object_format): f"note {number}"})


def shown_quickly(repo: Repo) -> dict[str, str]:
    """Every note, read by one process of git."""
    rows = repo.git("notes", f"--ref={notes.REF}", "list").splitlines()
    pairs = [row.split() for row in rows]
    texts = repo.git(
        "cat-file", "--batch", stdin="".join(f"{blob}\n" for blob, _ in pairs).encode()
    ).splitlines()
    return {commit: text for (_, commit), text in zip(pairs, texts[1::2], strict=True)}


def test_notes_that_git_writes_meanwhile(repo: Repo, ws: Workspace) -> None:
    """git compares nothing when it moves the ref: what it overwrote comes back."""
    ids = [repo.commit(text=f"{n}\n") for n in range(40)]
    git = subprocess.Popen(
        [
            "sh",
            "-c",
            'for id; do git notes --ref="$0" add -m "by git" "$id" || exit; done',
            notes.REF,
            *ids,
        ],
        cwd=repo.path,
    )
    mine: dict[str, str] = {}
    with engine_for(ws) as engine:
        while git.poll() is None or len(mine) < 40:
            name = identity(len(mine), ws.object_format)
            mine[name] = Note(
                line="x", version=len(mine), commit="", check="updated"
            ).text()
            add(ws, engine, {name: mine[name]})
        add(ws, engine, {})  # whoever writes next brings back what is missing
    assert git.returncode == 0
    found = shown_quickly_by_id(repo)
    assert mine.keys() <= found
    assert set(ids) <= found


def test_a_commit_of_gits_that_descends_from_ours_and_lacks_it(
    ws: Workspace, engine: Engine, repo: Repo
) -> None:
    """git reads the notes, and some time later the commit that becomes the parent."""
    one, two, three, four = (identity(n, ws.object_format) for n in range(1, 5))
    add(ws, engine, {one: "one"})
    old = repo.git("rev-parse", f"{notes.REF}^{{tree}}")
    add(ws, engine, {two: "two"})
    said = "Notes added by 'git notes add'"
    theirs = repo.git("commit-tree", "-m", said, "-p", notes.REF, old)
    repo.git("update-ref", notes.REF, theirs)
    assert shown(repo) == {one: "one"}
    add(ws, engine, {three: "three"})
    assert shown(repo) == {one: "one", two: "two", three: "three"}
    add(ws, engine, {four: "four", two: None})
    assert shown(repo) == {one: "one", three: "three", four: "four"}
    repo.git("update-ref", notes.REF, theirs)
    add(ws, engine, {})
    assert shown(repo) == {one: "one", three: "three", four: "four"}


def test_what_somebody_takes_away_with_git_stays_away(
    ws: Workspace, engine: Engine, repo: Repo
) -> None:
    one, two = repo.git("rev-parse", "HEAD"), identity(2, ws.object_format)
    add(ws, engine, {one: "one", two: "two"})
    repo.git("notes", f"--ref={notes.REF}", "remove", one)
    add(ws, engine, {identity(3, ws.object_format): "three"})
    add(ws, engine, {identity(4, ws.object_format): "four"})
    assert one not in shown(repo)
    assert len(shown(repo)) == 3


def test_what_git_overwrites_between_two_commits_of_ours_comes_back(
    repo: Repo, ws: Workspace
) -> None:
    one, two = (identity(n, ws.object_format) for n in range(2))
    text = Note(line="x", version=1, commit="", check="updated").text()
    nothing = repo.git("mktree", stdin=b"")
    by_git = [repo.git("commit-tree", "-m", "by git", nothing)]
    by_git.append(repo.git("commit-tree", "-m", "by git", "-p", by_git[0], nothing))

    def decide(_tree: str | None) -> Mapping[str, str]:
        if len(by_git) == 1:
            repo.git("update-ref", notes.REF, by_git.pop())
        return {two: text}

    with engine_for(ws) as engine:
        add(ws, engine, {one: text})
        repo.git("update-ref", notes.REF, by_git.pop(0))
        notes.update(ws, engine, decide, reason="test")
        assert shown(repo) == {two: text.strip()}
        add(ws, engine, {})
    assert shown(repo) == {one: text.strip(), two: text.strip()}


def shown_quickly_by_id(repo: Repo) -> set[str]:
    rows = repo.git("notes", f"--ref={notes.REF}", "list").splitlines()
    return {row.split()[1] for row in rows}
