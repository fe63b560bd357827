"""Files that were changed in this task before a compaction: a word at their first edit after it.

They stand in a file of the session's own, so that an edit finds out at no cost.
"""

from __future__ import annotations

import os

from gitstate.hooks.agents import signs

TYPE_CHECKING = False  # as typing's, which costs a hook 10 ms
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitstate.hooks.agents.place import Place


def _path(place: Place, name: str) -> str:
    return os.path.join(place.agents, "first", name)


def expect(place: Place, name: str, paths: Iterable[str]) -> None:
    """From now on the first edit of each is to be told; raises ``OSError``."""
    data = b"\0".join(sorted({os.fsencode(path) for path in paths}))
    where = _path(place, name)
    if not data:
        forget(place, name)
        return
    signs.put(where, data)


def expected(place: Place, name: str) -> set[str]:
    """Those that were not edited since."""
    try:
        with open(_path(place, name), "rb") as file:
            return {os.fsdecode(one) for one in file.read().split(b"\0") if one}
    except OSError:
        return set()


def sweep(place: Place, kept: Iterable[str]) -> None:
    """Forget those of sessions that are known no more; raises ``OSError``."""
    folder = os.path.dirname(_path(place, ""))
    for name in set(os.listdir(folder)) - set(kept) if os.path.isdir(folder) else ():
        forget(place, name)


def forget(place: Place, name: str) -> None:
    """The session ended, or all of them were told."""
    signs.take(_path(place, name))
