"""Packing our own packs: many small ones become few, in the background.

Sizes are kept geometric, so that an object is rewritten a logarithmic number of
times however long the history grows. git itself packs (``pack-objects``: deltas);
the result is put into place with its ``.keep`` first, read back, and only then are
the packs that it contains removed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import time
from typing import TYPE_CHECKING

from gitstate.errors import CannotWrite, GitFailed, ObjectDamaged
from gitstate.git import multi_pack_index
from gitstate.git.environment import git
from gitstate.git.pack_files import PACKED_MARK, SCRATCH_STALE_S
from gitstate.git.pack_hints import hints
from gitstate.git.packs import MOST_PACKS
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence
    from pathlib import Path

    from gitstate.git.pack_files import OurPack
    from gitstate.git.packs import PackStore

_TIMEOUT_S = 600.0
_FOLDER = "packing-"
_BESIDE = MOST_PACKS - 3  # beside the merged one, the tail, and the tail before it
# A user's pack.* settings must neither split the pack nor take all cores.
PACK_FLAGS = (
    "-c", "pack.packSizeLimit=0",
    "-c", "pack.threads=1",
    "-c", "pack.window=10",
    "-c", "pack.depth=50",
    "-c", "pack.indexVersion=2",
    "-c", "core.fsync=pack,pack-metadata",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Packed:
    """What a run did: objects in the new pack, packs it replaced, packs of ours now."""

    objects: int
    replaced: int
    packs: int


def consolidate(
    store: PackStore, *, root: Path, scratch: Path, everything: bool = False
) -> Packed:
    """Merge our packs where there are too many small ones.

    ``scratch`` is a folder of ours on the same file system. Returns zeros where there
    was nothing to do or another process is packing. Raises ``GitFailed`` or
    ``CannotWrite``; then every pack is there that no other has taken the place of.
    """
    with alone(scratch) as first:
        if not first:
            return Packed(0, 0, len(store.ours()))
        store.sweep(time.time())
        _sweep(scratch)
        mend_multi_pack_index(store, root=root)
        store.remove_retired()
        doomed = [] if store.git_tidies() else _choose(store, everything=everything)
        if not doomed:
            return Packed(0, 0, len(store.ours()))
        try:
            try:
                count = _merge(store, doomed, root=root, scratch=scratch)
            except GitFailed:
                damaged = _damaged(store, doomed)
                # a damaged pack stays for fsck to tell, and holds up no other
                for name in damaged:
                    store.close(name)
                doomed = _choose(store, everything=everything, without=damaged)
                if not damaged or not doomed:
                    raise
                count = _merge(store, doomed, root=root, scratch=scratch)
        except OSError as error:
            raise CannotWrite.from_os(error, doing="pack gitstate's objects") from error
        return Packed(count, len(doomed), len(store.ours()))


def overdue(store: PackStore, packs: Sequence[OurPack] | None = None) -> bool:
    """Is there more than one tail, or more packs of ours than there may be.

    ``packs``: those that are known to stand (else it looks).
    """
    packs = store.ours() if packs is None else packs
    tails = sum(pack.tail for pack in packs)
    if tails > 1:
        tails -= len(store.superseded(packs, also_unflushed=True))
    return tails > 1 or len(packs) > MOST_PACKS


def _sweep(scratch: Path) -> None:
    """Remove the folders of packers that were killed an hour ago."""
    for folder in scratch.glob(f"{_FOLDER}*"):
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > SCRATCH_STALE_S:
                shutil.rmtree(folder)


def _damaged(store: PackStore, names: list[str]) -> set[str]:
    """Those of the packs whose bytes are not what was written."""
    present = {pack.name for pack in store.ours()}
    return {name for name in names if name in present and not store.is_whole(name)}


def _choose(
    store: PackStore, *, everything: bool, without: Container[str] = ()
) -> list[str]:
    """The packs to merge: all tails, and with them those that are small beside the sum.

    Three packs may stand beside the tails, so each is let grow to the cube root of the
    whole before it goes into the next: how often an object is written again stays in
    proportion to that root (100,000 versions: about 15 times).
    """
    packs = store.ours()
    superseded = store.superseded(packs)
    tails: list[str] = []
    rest: list[tuple[int, str]] = []
    total = 0
    for pack in packs:
        with (
            contextlib.suppress(OSError, ObjectDamaged),
            store.index(pack.name) as index,
        ):
            if pack.name in superseded or pack.name in without:
                continue
            if pack.tail:
                tails.append(pack.name)
                total += len(index)
            else:
                rest.append((len(index), pack.name))
    rest.sort()
    few = len(tails) < 2 and len(tails) + len(rest) < MOST_PACKS  # noqa: PLR2004 one tail grows
    if few and not everything:
        return []
    chosen = tails
    whole = total + sum(count for count, _ in rest)
    factor = max(2.0, 0.7 * (whole / max(total, 1)) ** (1 / 3))
    while rest and (everything or len(rest) > _BESIDE or rest[0][0] < factor * total):
        count, name = rest.pop(0)
        chosen.append(name)
        total += count
    if len(chosen) < 2 and not (everything and tails):  # noqa: PLR2004 a merge needs two
        return []
    return [*chosen, *sorted(name for name in superseded if name not in without)]


def _merge(store: PackStore, doomed: list[str], *, root: Path, scratch: Path) -> int:
    """Make one pack of all of them; returns its objects.

    A tail becomes deltas first, by itself: git never tries a delta between two objects
    that lie whole in one pack, and told to try all (``--no-reuse-delta``) over a long
    history it looks for the base of a file by its size. A tail holds a short time, in
    which sizes say enough; the merge then reuses what was found (2,000 versions of
    real edits: 0.3 KiB each, where git alone came to 0.7 and to 1.0).
    """
    packs = store.ours()
    held = store.superseded(packs)
    tails = {pack.name for pack in packs if pack.tail and pack.name not in held}
    merging = [
        _pack(store, [name], root=root, scratch=scratch, deltas="--no-reuse-delta").name
        if name in tails
        else name
        for name in doomed
    ]
    if len(set(merging)) == 1:
        with store.index(merging[0]) as index:
            return len(index) if merging != doomed else 0
    return _pack(store, merging, root=root, scratch=scratch).objects


@dataclass(frozen=True, slots=True)
class _Made:
    name: str
    objects: int


def _pack(
    store: PackStore,
    doomed: list[str],
    *,
    root: Path,
    scratch: Path,
    deltas: str = "--reuse-delta",
) -> _Made:
    """One pack in the place of others, put there before they are removed."""
    folder = scratch / f"{_FOLDER}{os.getpid()}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    try:
        base = folder / "made" / "pack"
        base.parent.mkdir()
        near = folder / "objects" / "pack"
        near.mkdir(parents=True)
        # git takes each object from the nearest pack that has it: from these, and not from
        # a retired tail, where it lies whole and no delta of it could be used again
        for old in doomed:
            for suffix in (".pack", ".idx"):
                (near / f"{old}{suffix}").symlink_to(store.folder / f"{old}{suffix}")
        args = [
            *PACK_FLAGS,
            "pack-objects",
            "--quiet",
            "--delta-base-offset",
            deltas,
        ]
        made = git(
            [*args, str(base)],
            cwd=root,
            stdin=_listing(store, doomed),
            timeout_s=_TIMEOUT_S,
            # its own temporary files too are made where no gc of the user's comes by
            variables={
                "GIT_OBJECT_DIRECTORY": str(folder / "objects"),
                "GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(store.objects_dir),
            },
        )
        name = f"pack-{made.stdout.decode('ascii').strip()}"
        # packed again as it was: then what it held beside others stays, flushed now
        doomed = [old for old in doomed if old != name]
        if not doomed:
            return _Made(name, 0)
        files = {
            f".{path.name.partition('.')[2]}": path for path in base.parent.iterdir()
        }
        for path in files.values():
            path.chmod(
                0o444 if not store.shared_bits or store.shared_bits & 0o004 else 0o440
            )
        store.adopt(
            name, {key: files[key] for key in files if key != ".keep"}, PACKED_MARK
        )
        count = _check_contains(store, name, doomed)
        if not store.named_by_multi_pack_index().isdisjoint(doomed):
            _write_multi_pack_index(store, root)
        store.retire(doomed)
        return _Made(name, count)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _listing(store: PackStore, names: list[str]) -> bytes:
    """The ids of the objects in these packs, a line each; and a name as a hint for deltas.

    By id and not by pack (``--stdin-packs``): for that git walks the whole history, to
    find the names of files as a help to its deltas, which come out no smaller.
    """
    found: dict[bytes, bytes] = {}
    for name in names:
        # already replaced by its superset, which is named too
        with contextlib.suppress(FileNotFoundError), store.index(name) as index:
            for raw in index.raw_ids():
                found.setdefault(raw, b"")
            found.update(hints(index, store.folder / f"{name}.pack"))
    rows = sorted(found.items())
    return b"".join(b"%s %s\n" % (raw.hex().encode(), hint) for raw, hint in rows)


def _quoted(path: Path) -> str:
    """A path for git's list of object directories, whatever is in its name."""
    text = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def _check_contains(store: PackStore, name: str, doomed: list[str]) -> int:
    """Read the new pack's index back; raises when an object of the old ones is not in it."""
    with store.index(name) as merged:
        held = set(merged.raw_ids())
    for old in doomed:
        # already replaced by its superset: nothing of it is removed here
        with contextlib.suppress(FileNotFoundError), store.index(old) as index:
            lacking = len(set(index.raw_ids()) - held)
            if lacking:
                raise GitFailed(
                    f"packing left out {lacking} objects; nothing was removed"
                )
    return len(held)


def mend_multi_pack_index(store: PackStore, *, root: Path) -> None:
    """Where a multi-pack-index names packs that are gone, have git write it anew."""
    if store.lost_to_multi_pack_index():
        _write_multi_pack_index(store, root, lost=True)


def _write_multi_pack_index(
    store: PackStore, root: Path, *, lost: bool = False
) -> None:
    """Write the user's multi-pack-index anew, without packs of ours.

    Deleting a pack that it names makes ``git fsck`` exit 32.
    """
    ours = {pack.name for pack in store.standing()}
    kept = [
        path.name
        for path in sorted(store.folder.glob("*.idx"))
        if path.name.removesuffix(".idx") not in ours
    ]
    if not kept:  # git writes none of nothing
        for path in multi_pack_index.files(store.folder):
            path.unlink(missing_ok=True)
        return
    args = ["multi-pack-index", "write", "--stdin-packs", "--no-progress"]
    stdin = "".join(f"{name}\n" for name in kept).encode()
    rounds = [args]
    if any(store.folder.glob("multi-pack-index-*.bitmap")):
        # git makes no bitmap where it finds one of packs that are gone: without it first
        rounds = [args, [*args, "--bitmap"]] if lost else [[*args, "--bitmap"]]
    with contextlib.suppress(GitFailed):  # what it still names then simply stays
        for words in rounds:
            git(words, cwd=root, stdin=stdin, timeout_s=_TIMEOUT_S)


@contextlib.contextmanager
def alone(scratch: Path) -> Iterator[bool]:
    """Is this the only process that packs here: flock on the folder itself.

    Raises ``CannotWrite``.
    """
    try:
        fd = os.open(scratch, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise CannotWrite.from_os(error, doing="pack gitstate's objects") from error
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        except OSError:  # no flock here: two packers do double work, and no harm
            pass
        yield True
    finally:
        os.close(fd)
