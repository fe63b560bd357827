"""What nothing of ours needs any more is given back to git, which judges it itself.

The packs stay where they are, without their ``.keep``, once one new pack holds all that
our refs reach: from then on the user's own ``git gc`` removes what nothing reaches at
all, with its own times of grace. Nothing is removed here: git does not write again what
it finds in a pack of ours, so only git knows what its own refs need of it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from typing import TYPE_CHECKING

from gitstate.errors import CannotWrite, GitFailed
from gitstate.git.environment import git
from gitstate.git.pack_files import PACKED_MARK
from gitstate.git.packing import PACK_FLAGS, alone

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from gitstate.git.packs import PackStore

_TIMEOUT_S = 600.0


def let_go(store: PackStore, *, root: Path, scratch: Path, tips: Iterable[str]) -> int:
    """Keep what ``tips`` reach in one pack, and let go of the others; how many those are.

    With the repository's lock held: an object that no ref names yet would be let go
    too. Raises ``GitFailed`` or ``CannotWrite``; then all is kept as it was.
    """
    with alone(scratch) as first:
        if not first:
            return 0
        others = store.standing()  # those in retirement hold the same, and longer
        folder = scratch / f"packing-{os.getpid()}"
        shutil.rmtree(folder, ignore_errors=True)
        try:
            folder.mkdir(mode=0o700)
            name = _pack(store, folder, root, sorted(set(tips)))
            for pack in others:
                if pack.name != name:
                    (store.folder / f"{pack.name}.keep").unlink(missing_ok=True)
        except OSError as error:
            raise CannotWrite.from_os(error, doing="pack gitstate's objects") from error
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return sum(pack.name != name for pack in others)


def _pack(store: PackStore, folder: Path, root: Path, tips: list[str]) -> str:
    args = [*PACK_FLAGS, "pack-objects", "--quiet", "--revs", "--delta-base-offset"]
    made = git(
        [*args, str(folder / "pack")],
        cwd=root,
        stdin="".join(f"{tip}\n" for tip in tips).encode(),
        timeout_s=_TIMEOUT_S,
    )
    name = f"pack-{made.stdout.decode('ascii').strip()}"
    files = {f".{path.name.partition('.')[2]}": path for path in folder.iterdir()}
    for path in files.values():
        path.chmod(
            0o444 if not store.shared_bits or store.shared_bits & 0o004 else 0o440
        )
    store.adopt(name, files, PACKED_MARK)
    with contextlib.suppress(FileNotFoundError), store.index(name) as index:
        if all(tip in index for tip in tips):
            return name
    raise GitFailed("packing left out a version; nothing was let go")
