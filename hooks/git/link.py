"""Linking commits in a process of its own, where no daemon does (``python -I link.py``).

Afterwards it does what the daemon would have: is the task file older than the work. A
daemon that the machine's restart has ended is started again.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":  # started as a file, perhaps with -S
    import site

    site.main()
    sys.path[:0] = [
        os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))
    ]

from gitstate import utf8

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitstate.workspace import Workspace

_ROUNDS = 100


def main(words: list[str]) -> int:
    """``link.py [--look] [--try] [TIP…]``, at the worktree's top: what the hooks left.

    ``--look``: also the commits that came past the hooks, on the way to HEAD and the tips.
    ``--try``: for whoever waits: only if nobody holds the lock, and nothing else.
    """
    from pathlib import Path  # noqa: PLC0415 after the path is set

    from gitstate.errors import GitstateError  # noqa: PLC0415 the same
    from gitstate.history import links, spool  # noqa: PLC0415 the same
    from gitstate.workspace import Workspace  # noqa: PLC0415 the same

    waited_for = "--try" in words
    wait_s = 0.0 if waited_for else 20.0
    look = "--look" in words
    tips = [word for word in words if not word.startswith("-")]
    try:
        ws = Workspace.open(Path.cwd())
        for _ in range(_ROUNDS):
            before = spool.names(ws)
            links.process(ws, look=look, tips=tips, wait_s=wait_s)
            # From here on a hook starts another one of us; what one left before that,
            # relying on us, is seen by the next look.
            (ws.runtime / "linking").unlink(missing_ok=True)
            if spool.names(ws) in ([], before):
                break
    except (GitstateError, OSError):
        return 1  # it stays in the spool: the next one works it off
    if not waited_for:
        _look_after(ws)
    return 0


def _look_after(ws: Workspace) -> None:
    import contextlib  # noqa: PLC0415 the last thing done

    from gitstate import background, freshness, notification  # noqa: PLC0415 the same
    from gitstate.errors import GitstateError, printable  # noqa: PLC0415 the same

    raised = freshness.check(ws)
    if raised is not None and ws.settings.notify:
        notification.notify(f"gitstate: {printable(ws.root.name)}", raised.text)
    with contextlib.suppress(GitstateError):
        background.revive(ws)  # nothing else does where no login starts it


if __name__ == "__main__":
    try:
        utf8.required()
        CODE = main(sys.argv[1:])
    except Exception:  # noqa: BLE001 nobody reads what a detached process says
        CODE = 3
    sys.exit(CODE)
