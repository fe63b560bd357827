"""pre-push: what goes out without a matching task update, and what must not go out by accident."""

from __future__ import annotations

import os
import sys

from gitstate.errors import GitFailed, printable
from gitstate.git.environment import run_here
from gitstate.history import rule
from gitstate.hooks.git.config import Config
from gitstate.hooks.git.judging import NOTES, Waiting, check_of

TYPE_CHECKING = False  # as typing's, which costs 10 ms
if TYPE_CHECKING:
    from collections.abc import Iterable

_SHOWN = 5
_SUBJECT = 40
_LINK_S = 10.0


class Ref:
    """One pushed ref, as git tells it on standard input."""

    def __init__(self, line: str) -> None:
        # what is pushed may be any expression, with spaces in it
        self.local, self.local_id, self.remote, self.remote_id = line.rsplit(" ", 3)

    @property
    def deletion(self) -> bool:
        """Does it take the remote's ref away."""
        return not self.local_id.strip("0")

    @property
    def new(self) -> bool:
        """Does the remote not have it yet."""
        return not self.remote_id.strip("0")


class Outgoing:
    """A code commit that the remote does not have yet; ``check`` is empty before its link."""

    __slots__ = ("check", "id", "subject")

    def __init__(self, identity: str, subject: str, check: str) -> None:
        self.id = identity
        self.subject = subject
        self.check = check

    @property
    def flagged(self) -> bool:
        """Did it come without an update."""
        return self.check in {rule.STALE, rule.BYPASSED}


def pre_push(remote: str) -> int:
    """Exit code 1 where the push is refused."""
    lines = sys.stdin.buffer.read().split(b"\n")
    refs = [Ref(os.fsdecode(line)) for line in lines if line.count(b" ") > 2]  # noqa: PLR2004 four fields
    config = Config()
    ours = sorted({ref.remote for ref in refs if is_ours(ref.remote, config)})
    first = [ref.remote for ref in refs if ref.new and not ref.deletion]
    published = [name for name in ours if name in first]
    if published and not config.push:
        names = ", ".join(map(printable, published[:_SHOWN]))
        more = len(published) - _SHOWN
        names += f" and {more} more" if more > 0 else ""
        _say(
            f"this push would publish the agent's state to {printable(remote)}: {names}; nothing was sent",
            "allow it with: git config gitstate.push true (or send it with: gitstate push)",
        )
        return 1
    if config.gate_push == "off" or os.environ.get("GITSTATE_SKIP") == "1":
        return 0
    judged = [
        ref
        for ref in refs
        if not ref.deletion and ref.remote not in ours and not _is_tag(ref)
    ]
    if not judged:
        return 0
    flagged = [item for item in _settled(judged, remote) if item.flagged]
    return _tell(flagged, config) if flagged else 0


def _tell(flagged: list[Outgoing], config: Config) -> int:
    shown = ", ".join(
        f"{item.id[:12]} ({printable(item.subject[:_SUBJECT])})"
        for item in flagged[:_SHOWN]
    )
    more = len(flagged) - _SHOWN
    shown += f" and {more} more" if more > 0 else ""
    count = "1 commit goes" if len(flagged) == 1 else f"{len(flagged)} commits go"
    what = f"{count} out without an update of {config.dir}/{rule.TASK}: {shown}"
    if config.gate_push == "block":
        _say(
            what,
            "refused: settle each with gitstate flags --resolve COMMIT --reason TEXT, or push once with GITSTATE_SKIP=1 git push",
        )
        return 1
    _say(what, "settle one with: gitstate flags --resolve COMMIT --reason TEXT")
    return 0


def is_ours(name: str, config: Config) -> bool:
    """Is a ref the line of a worktree, an archive, or the notes."""
    line = f"refs/heads/{config.branch}"
    return name in {line, NOTES} or name.startswith((f"{line}.", "refs/gitstate/"))


def _is_tag(ref: Ref) -> bool:
    return ref.remote.startswith("refs/tags/") or ref.local.startswith("refs/tags/")


def _settled(refs: list[Ref], remote: str) -> list[Outgoing]:
    """The new commits of these refs, after those that wait for a link have got one."""
    found = outgoing(refs, remote)
    if all(item.check for item in found):
        return found
    _link(dict.fromkeys(ref.local_id for ref in refs))
    return outgoing(refs, remote)


def outgoing(refs: list[Ref], remote: str) -> list[Outgoing]:
    """The commits that these refs newly bring to the remote, newest first."""
    git_dir = run_here(["rev-parse", "--absolute-git-dir"]).rstrip(b"\n")
    waiting = Waiting(os.fsdecode(git_dir))
    found: dict[str, Outgoing] = {}
    for ref in refs:
        without = [f"--remotes={remote}"]
        if not ref.new and _has(ref.remote_id):
            without.append(ref.remote_id)
        args = [
            "log",
            f"--notes={NOTES}",
            "--no-show-signature",
            "--encoding=UTF-8",
            "--format=%H%x00%s%x00%N%x00",
        ]
        out = run_here([*args, ref.local_id, "--not", *without, "--"], check=False)
        fields = out.decode("utf-8", "surrogateescape").split("\0")
        for identity, subject, note in zip(
            fields[0::3], fields[1::3], fields[2::3], strict=False
        ):
            commit = identity.strip()
            if commit not in found:
                check = check_of(note) or waiting.check(commit)
                found[commit] = Outgoing(commit, subject, check)
    return list(found.values())


def _has(identity: str) -> bool:
    try:
        run_here(["cat-file", "-e", f"{identity}^{{commit}}"])
    except GitFailed:
        return False
    return True


def _link(tips: Iterable[str]) -> None:
    """Work off what waits, so that the last commits count; never for long."""
    import subprocess  # noqa: PLC0415 only where something waits

    entry = os.path.join(os.path.dirname(os.path.abspath(__file__)), "link.py")
    try:
        subprocess.run(
            [sys.executable, "-I", entry, "--try", "--look", *tips],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_LINK_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return  # then the push is judged by what is linked already


def _say(*lines: str) -> None:
    for line in lines:
        sys.stderr.write(f"gitstate: {line}\n")
