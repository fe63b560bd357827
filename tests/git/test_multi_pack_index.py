"""The names in git's multi-pack-index, whatever form it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.git.multi_pack_index import pack_names

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support import Repo


def folder_of(repo: Repo) -> Path:
    return repo.path / ".git" / "objects" / "pack"


def packs(repo: Repo) -> set[str]:
    """Two packs of the user's, named by a multi-pack-index."""
    repo.git("repack", "-dq")
    repo.commit(text="more\n")
    repo.git("repack", "-dq")
    repo.git("multi-pack-index", "write")
    return {path.stem for path in folder_of(repo).glob("*.pack")}


def test_none(repo: Repo) -> None:
    assert pack_names(folder_of(repo)) == set()


def test_every_pack_and_no_other_bytes(repo: Repo) -> None:
    named = packs(repo)

    assert len(named) == 2
    assert pack_names(folder_of(repo)) == named


def test_a_chain(repo: Repo) -> None:
    named = packs(repo)
    folder = folder_of(repo)
    (folder / "multi-pack-index.d").mkdir()
    whole = folder / "multi-pack-index"
    whole.rename(folder / "multi-pack-index.d" / "multi-pack-index-1.midx")

    assert pack_names(folder) == named


def test_an_unknown_form_is_searched(repo: Repo) -> None:
    named = packs(repo)
    whole = folder_of(repo) / "multi-pack-index"
    data = whole.read_bytes()
    whole.chmod(0o600)

    for form in (b"MIDX\x09" + data[5:], data[:4] + b"\x01\x01\xff" + data[7:]):
        whole.write_bytes(form)
        assert pack_names(folder_of(repo)) == named
    for form in (b"", b"MIDX", data[:13], b"\xff" * 100):
        whole.write_bytes(form)
        assert pack_names(folder_of(repo)) == set()
