"""pre-push: what goes out without a matching task update, and what must not go out by accident."""

from __future__ import annotations

import os
import sys

from gitstate.errors import printable
from gitstate.git.environment import git, run_here
from gitstate.history import rule
from gitstate.hooks.git.config import Config
from gitstate.hooks.git.judging import NOTES, Waiting, check_of

TYPE_CHECKING = False  # as typing's, which costs 10 ms
if TYPE_CHECKING:
    from collections.abc import Iterable

_SHOWN = 5
_SUBJECT = 40
_LINK_S = 10.0
_MOST_TIPS = 1000  # words that any system takes on one command line


class Ref:
    """One pushed ref, as git tells it on standard input."""

    __slots__ = ("local", "local_id", "remote", "remote_id")

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

    __slots__ = ("check", "first_parent", "id", "subject")

    def __init__(
        self, identity: str, first_parent: str, subject: str, check: str
    ) -> None:
        self.id = identity
        self.first_parent = first_parent
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
    published = [ref for ref in refs if ref.new and _is_ours(ref, config)]
    if published and not config.push:
        names = ", ".join(printable(ref.remote) for ref in published[:_SHOWN])
        more = len(published) - _SHOWN
        names += f" and {more} more" if more > 0 else ""
        _say(
            f"nothing was sent: this push would publish the agent's state to {_shown(remote)} "
            f"({names}); allow it with `git config gitstate.push true`, or send it with "
            "`gitstate push`"
        )
        return 1
    if config.gate_push == "off" or os.environ.get("GITSTATE_SKIP") == "1":
        return 0
    if not any(_is_judged(ref, config) for ref in refs):
        return 0
    git_dir = os.fsdecode(run_here(["rev-parse", "--absolute-git-dir"])).rstrip("\n")
    if not os.path.exists(os.path.join(git_dir, "gitstate", "life")):
        return 0  # set up in another worktree only
    found = _settled(refs, remote, config, git_dir)
    flagged = [item for item in found if item.flagged]
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


def _is_ours(ref: Ref, config: Config) -> bool:
    """Is it ours here or there: also our line that goes out under another name."""
    return not ref.deletion and any(
        is_ours(name, config) for name in (ref.local, ref.remote)
    )


def _is_judged(ref: Ref, config: Config) -> bool:
    tag = ref.remote.startswith("refs/tags/")
    return not (ref.deletion or tag or _is_ours(ref, config))


def _settled(
    refs: list[Ref], remote: str, config: Config, git_dir: str
) -> list[Outgoing]:
    """The new commits of these refs, after those that wait for a link have got one."""
    found = outgoing(refs, remote, config, git_dir)
    tips = _unlinked_tips(found)
    if not tips and not Waiting(git_dir).rewrites:
        return found
    _link(tips)
    return outgoing(refs, remote, config, git_dir)


def _unlinked_tips(found: Iterable[Outgoing]) -> list[str]:
    """Of the commits without a link those from which, by first parents, all are reached."""
    without = [item for item in found if not item.check]
    below = {item.first_parent for item in without}
    return [item.id for item in without if item.id not in below]


def outgoing(
    refs: list[Ref], remote: str, config: Config, git_dir: str
) -> list[Outgoing]:
    """The commits that the judged ones of these refs newly bring to the remote, newest first.

    New is what neither an old value of the pushed refs nor any branch reaches that is
    known of the remote. One git process for all of them, however many. Raises
    ``GitFailed``.
    """
    waiting = Waiting(git_dir)
    tips = {ref.local_id for ref in refs if _is_judged(ref, config)}
    # also of those that go, or are not judged: the remote has it all
    there = {ref.remote_id for ref in refs if not ref.new}
    # versions of the state are no code, under whatever name they go out
    without = [*sorted(there), f"refs/heads/{config.branch}"]
    done = git(
        [
            "log",
            f"--notes={NOTES}",
            "--no-show-signature",
            "--encoding=UTF-8",
            "--format=%H %P%x00%s%x00%N%x00",
            "--ignore-missing",  # an old value that was never fetched
            "--stdin",
            "--not",
            *_branches_of(remote, config),
            f"--glob=refs/heads/{config.branch}.*",
            "--glob=refs/gitstate/*",
            "--",
        ],
        cwd=".",
        stdin=os.fsencode(
            "".join([f"{name}\n" for name in tips] + [f"^{name}\n" for name in without])
        ),
    )
    fields = done.stdout.decode("utf-8", "surrogateescape").split("\0")
    found = []
    for ids, subject, note in zip(
        fields[0::3], fields[1::3], fields[2::3], strict=False
    ):
        identity, first_parent, *_ = [*ids.split(), ""]
        check = check_of(note) or waiting.check(identity)
        found.append(Outgoing(identity, first_parent, subject, check))
    return found


def _branches_of(remote: str, config: Config) -> list[str]:
    """The words for what is known of a remote: of this name, or of this URL."""
    names = {name for name, _ in config.remotes}
    found = []
    for name in sorted(names):
        if remote == name or (remote not in names and (name, remote) in config.remotes):
            inside = (other for other in sorted(names) if other.startswith(f"{name}/"))
            found += [
                *(f"--exclude={other}/*" for other in inside),
                f"--remotes={name}",
            ]
    return found


def _shown(remote: str) -> str:
    """A remote for a person: a URL may hold a password, which git does not show either."""
    scheme, separator, rest = remote.partition("://")
    host, slash, path = rest.partition("/")
    if separator and "@" in host:
        remote = f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"
    return printable(remote)


def _link(tips: list[str]) -> None:
    """Work off what waits, so that the last commits count; never for long."""
    import subprocess  # noqa: PLC0415 only where something waits

    entry = os.path.join(os.path.dirname(os.path.abspath(__file__)), "link.py")
    try:
        subprocess.run(
            [sys.executable, "-I", entry, "--try", "--look", *tips[:_MOST_TIPS]],
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
