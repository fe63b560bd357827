"""The check of a code commit: does it come with an update of the task file.

The shims start this file (``python -I -S gate.py …``) only where their own fast path
could not tell. It imports no site-packages and little else: 40 ms is the budget,
git's processes included. Whatever goes wrong here, the user's commit goes through.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":  # started as a file: find the package this file lies in
    sys.path[:0] = [
        os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))
    ]

from gitstate import utf8
from gitstate.hooks.git.config import Config
from gitstate.hooks.git.judging import judge

TYPE_CHECKING = False  # as typing's, which costs 10 ms
if TYPE_CHECKING:
    from gitstate.hooks.git.judging import Verdict


def pre_commit(git_dir: str, head: str) -> int:
    """Exit code 1 only where the gate is ``block`` and the commit is stale."""
    verdict = judge(git_dir, head, Config())
    leave(git_dir, verdict)
    for line in verdict.lines:
        sys.stderr.write(f"gitstate: {line}\n")
    return 1 if verdict.refused else 0


def leave(git_dir: str, verdict: Verdict) -> None:
    """Leave the verdict for post-commit."""
    path = os.path.join(git_dir, "gitstate", "gate")
    with open(path, "w", encoding="utf-8", errors="replace") as file:
        file.write(f"{verdict.check} {verdict.reason}".strip() + "\n")


def main(words: list[str]) -> int:
    """``gate.py pre-commit GIT_DIR [HEAD]`` or ``gate.py pre-push REMOTE [URL]``.

    At the worktree's top, where git starts its hooks.
    """
    verb, *rest = words or [""]
    if verb == "pre-commit":
        return pre_commit(rest[0], rest[1] if len(rest) > 1 else "")
    if verb == "pre-push":
        from gitstate.hooks.git.outgoing import pre_push  # noqa: PLC0415 only at a push

        return pre_push(rest[0])
    return 0


if __name__ == "__main__":
    try:
        utf8.required()
        CODE = main(sys.argv[1:])
    except Exception as error:  # noqa: BLE001 a broken check never blocks a commit
        sys.stderr.write(
            f"gitstate: the check failed ({type(error).__name__}: {error}); it was passed; "
            "`gitstate doctor` says more\n"
        )
        CODE = 0
    sys.exit(CODE)
