"""pre-push: what goes out without a matching task update, and what must not go out by accident."""

from __future__ import annotations

import os
import subprocess
import sys

from gitstate.git.environment import git
from gitstate.hooks.git.gate import NOTES, Config

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_SHOWN = 5
_LINK_S = 10.0


class Ref:
    """One pushed ref, as git tells it on standard input."""

    def __init__(self, line: str) -> None:
        self.local, self.local_id, self.remote, self.remote_id = line.split(" ")

    @property
    def deletion(self) -> bool:
        """Does it take the remote's ref away."""
        return set(self.local_id) == {"0"}


def pre_push(root: str, remote: str, _url: str) -> int:
    """Exit code 1 where the push is refused."""
    refs = [Ref(line) for line in sys.stdin.read().splitlines() if line.count(" ") == 3]  # noqa: PLR2004 four fields
    config = Config(root)
    ours = sorted(
        {ref.remote for ref in refs if is_ours(ref.remote, config) and not ref.deletion}
    )
    if ours and not config.push:
        _say(
            f"this push would publish the agent's state ({', '.join(ours[:_SHOWN])}); nothing was sent"
        )
        _say(
            "allow it with: git config gitstate.push true (or send it with: gitstate push)"
        )
        return 1
    if config.gate_push == "off" or os.environ.get("GITSTATE_SKIP") == "1":
        return 0
    judged = [
        ref
        for ref in refs
        if not ref.deletion and not is_ours(ref.remote, config) and not _is_tag(ref)
    ]
    if not judged:
        return 0
    _link_first(root)
    stale = {
        commit: subject
        for ref in judged
        for commit, subject in stale_commits(root, ref, remote)
    }
    if not stale:
        return 0
    shown = ", ".join(
        f"{commit[:12]} ({subject[:40]})"
        for commit, subject in list(stale.items())[:_SHOWN]
    )
    more = f" and {len(stale) - _SHOWN} more" if len(stale) > _SHOWN else ""
    count = "1 commit goes" if len(stale) == 1 else f"{len(stale)} commits go"
    _say(
        f"{count} out without an update of {config.dir}/02-current-task.md: {shown}{more}"
    )
    if config.gate_push == "block":
        _say(
            "refused: resolve them (gitstate flags --resolve COMMIT --reason TEXT), or push once with GITSTATE_SKIP=1"
        )
        return 1
    _say(
        "list them with: gitstate flags; settle one with: gitstate flags --resolve COMMIT --reason TEXT"
    )
    return 0


def is_ours(name: str, config: Config) -> bool:
    """Is a ref the line of a worktree, an archive, or the notes."""
    line = f"refs/heads/{config.branch}"
    return name in {line, NOTES} or name.startswith((f"{line}.", "refs/gitstate/"))


def _is_tag(ref: Ref) -> bool:
    return ref.remote.startswith("refs/tags/") or ref.local.startswith("refs/tags/")


def stale_commits(root: str, ref: Ref, remote: str) -> list[tuple[str, str]]:
    """The stale ones among the commits that this ref newly brings: id and subject."""
    without = ["--not", f"--remotes={remote}"]
    if set(ref.remote_id) != {"0"} and _has(root, ref.remote_id):
        without.append(ref.remote_id)
    done = git(
        [
            "log",
            f"--notes={NOTES}",
            "--no-show-signature",
            "--format=%H%x00%s%x00%N%x00",
            ref.local_id,
            *without,
            "--",
        ],
        cwd=root,
        check=False,
        timeout_s=30,
    )
    fields = done.stdout.decode("utf-8", "replace").split("\0")
    return [
        (commit.strip(), subject)
        for commit, subject, text in zip(
            fields[0::3], fields[1::3], fields[2::3], strict=False
        )
        if "State-Check: stale" in text
    ]


def _has(root: str, identity: str) -> bool:
    return git(["cat-file", "-e", identity], cwd=root, check=False).returncode == 0


def _link_first(root: str) -> None:
    """Work off what waits, so that the last commits count; never for long."""
    entry = os.path.join(os.path.dirname(os.path.abspath(__file__)), "link.py")
    try:
        subprocess.run(
            [sys.executable, "-I", entry, "--look", "--try"],
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_LINK_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return  # then the push is judged by what is linked already


def _say(*lines: str) -> None:
    _write(f"gitstate: {line}\n" for line in lines)


def _write(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stderr.write(line)
