"""Ids and bytes of objects: git's own hash-object, mktree and cat-file are the judges."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitstate.errors import ObjectDamaged
from gitstate.git.objects import (
    EXECUTABLE,
    FILE,
    LINK,
    SUBMODULE,
    TREE,
    Commit,
    Signature,
    TreeEntry,
    encode_commit,
    encode_tree,
    make,
    object_id,
    parse_commit,
    parse_tree,
)
from tests.support import Repo, make_repo

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = ("sha1", "sha256")
WHO = Signature("Ann Other", "ann@example.com", 1_700_000_000, 330)

names = st.binary(min_size=1, max_size=12).filter(
    lambda name: not {b"\0", b"/"} & {name[at : at + 1] for at in range(len(name))}
)
lines = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\n\0<>"), max_size=30
)


@pytest.fixture(scope="module", params=FORMATS)
def store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Repo, str]:
    path: Path = tmp_path_factory.mktemp("store") / request.param
    return make_repo(path, object_format=request.param, commit=False), request.param


def hash_object(repo: Repo, kind: str, data: bytes) -> str:
    return repo.git(
        "hash-object", "--literally", "-w", "-t", kind, "--stdin", stdin=data
    )


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200))
def test_a_blob_has_gits_own_id(store: tuple[Repo, str], data: bytes) -> None:
    repo, object_format = store

    assert object_id("blob", data, object_format) == hash_object(repo, "blob", data)
    assert make("blob", data, object_format).id == hash_object(repo, "blob", data)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.dictionaries(names, st.sampled_from([FILE, EXECUTABLE, LINK, TREE])),
)
def test_a_tree_is_what_mktree_makes(
    store: tuple[Repo, str], rows: dict[bytes, int]
) -> None:
    repo, object_format = store
    blob = hash_object(repo, "blob", b"x")
    tree = repo.git("mktree", stdin=b"")
    entries = [
        TreeEntry(name, mode, tree if mode == TREE else blob)
        for name, mode in rows.items()
    ]
    listing = b"".join(
        b"%06o %s %s\t%s\0"
        % (
            row.mode,
            b"tree" if row.mode == TREE else b"blob",
            row.id.encode(),
            row.name,
        )
        for row in entries
    )

    data = encode_tree(entries)

    assert object_id("tree", data, object_format) == repo.git(
        "mktree", "-z", stdin=listing
    )
    assert set(parse_tree(data, object_format)) == set(entries)
    assert encode_tree(parse_tree(data, object_format)) == data


def test_a_folder_sorts_as_if_its_name_ended_in_a_slash() -> None:
    blob = object_id("blob", b"", "sha1")
    rows = [TreeEntry(b"a0", FILE, blob), TreeEntry(b"a", TREE, blob)]
    rows += [TreeEntry(b"a.md", FILE, blob), TreeEntry(b"a-", FILE, blob)]

    found = [row.name for row in parse_tree(encode_tree(rows), "sha1")]

    assert found == [b"a-", b"a.md", b"a", b"a0"]


def test_a_tree_with_a_submodule_is_read() -> None:
    rows = [TreeEntry(b"lib", SUBMODULE, "1" * 40), TreeEntry(b"x", FILE, "2" * 40)]

    assert parse_tree(encode_tree(rows), "sha1") == rows


@pytest.mark.parametrize(
    "data",
    [
        b"100644",
        b"100644 name",
        b"100644 name\0short",
        b"1006x4 name\0" + b"a" * 20,
        b"100644 a\0" + b"a" * 20 + b"100644 b\0",
    ],
)
def test_a_damaged_tree_is_told(data: bytes) -> None:
    with pytest.raises(ObjectDamaged):
        parse_tree(data, "sha1")


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=lines,
    email=lines,
    time=st.integers(0, 2**40),
    offset=st.integers(-23 * 60 - 59, 23 * 60 + 59),
    message=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    parents=st.integers(0, 2),
)
def test_a_commit_comes_back_as_it_was_made(
    store: tuple[Repo, str],
    *,
    name: str,
    email: str,
    time: int,
    offset: int,
    message: str,
    parents: int,
) -> None:
    repo, object_format = store
    width = 40 if object_format == "sha1" else 64
    name, email = name.strip(), email.strip()
    who = Signature(name, email, time, offset)
    heads = tuple(str(at + 1) * width for at in range(parents))
    data = encode_commit("a" * width, heads, who, WHO, message)
    identity = object_id("commit", data, object_format)

    assert parse_commit(identity, data) == Commit(
        identity, "a" * width, heads, who, WHO, message
    )
    assert hash_object(repo, "commit", data) == identity


def test_git_reads_our_commit_as_we_meant_it(repo: Repo) -> None:
    object_format = repo.git("rev-parse", "--show-object-format")
    tree = repo.git("rev-parse", "HEAD^{tree}")
    data = encode_commit(tree, [], WHO, WHO, "state v1: näme\n\nbody\n")
    identity = hash_object(repo, "commit", data)

    shown = repo.git("log", "-1", "--format=%an|%ae|%ad|%B", "--date=raw", identity)

    assert shown == "Ann Other|ann@example.com|1700000000 +0530|state v1: näme\n\nbody"
    assert object_id("commit", data, object_format) == identity
    repo.git("fsck", "--strict", "--no-dangling")


def test_commits_of_others_are_read() -> None:
    signed = (
        b"tree " + b"a" * 40 + b"\nparent " + b"b" * 40 + b"\n"
        b"author A <a@b> 1 +0000\ncommitter C <c@d> 2 -0130\n"
        b"encoding latin-1\n"
        b"gpgsig -----BEGIN PGP SIGNATURE-----\n tree not a tree\n parent none\n"
        b" -----END PGP SIGNATURE-----\n\nsubject\n\nr\xe9sum\xe9\n"
    )

    found = parse_commit("c" * 40, signed)

    assert found.tree == "a" * 40
    assert found.parents == ("b" * 40,)
    assert (found.author.name, found.author.offset) == ("A", 0)
    assert (found.committer.name, found.committer.offset) == ("C", -90)
    assert (
        found.message
        == "subject\n\nr\N{REPLACEMENT CHARACTER}sum\N{REPLACEMENT CHARACTER}\n"
    )


@pytest.mark.parametrize(
    ("who", "expected"),
    [
        (b"A <a@b> 1 +0000", ("A", "a@b", 0)),
        (b" <> 1 +0000", ("", "", 0)),  # an empty name
        (b"<a@b> 1 +0000", ("", "a@b", 0)),  # no name and no space
        (b"A < b <a@b> 1 -0030", ("A < b", "a@b", -30)),
        (b"A <a@b> 1 +9999", ("A", "a@b", 0)),  # absurd, and git accepts it
        (b"\xff <\xfe> 1 +0000", ("\udcff", "\udcfe", 0)),
    ],
)
def test_odd_people_are_read(who: bytes, expected: tuple[str, str, int]) -> None:
    data = b"tree %s\nauthor %s\ncommitter %s\n\nx" % (b"a" * 40, who, who)

    found = parse_commit("c" * 40, data).author

    assert (found.name, found.email, found.offset) == expected
    assert found.moment().utcoffset() == timedelta(minutes=expected[2])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nno tree",
        b"tree " + b"a" * 40 + b"\nauthor A <a@b> 1 +0000\n\nno committer",
        b"tree " + b"a" * 40 + b"\nauthor A\ncommitter A <a@b> 1 +0000\n\n",
        b"tree \xff\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n",
        b"tree a\nauthor A <a@b> x +0000\ncommitter A <a@b> 1 +0000\n\n",
        b"tree a\nauthor A <a@b> 1 zone\ncommitter A <a@b> 1 +0000\n\n",
    ],
)
def test_a_damaged_commit_is_told(data: bytes) -> None:
    with pytest.raises(ObjectDamaged, match="cannot be parsed"):
        parse_commit("c" * 40, data)
