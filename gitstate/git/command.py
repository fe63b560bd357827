"""The engine through git itself: for every repository that libgit2 cannot open.

sha256 ids, reftable, partial clones, and whatever extension comes next.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import time
from typing import IO, TYPE_CHECKING, cast

from gitstate.errors import (
    GitFailed,
    ObjectDamaged,
    ObjectMissing,
    RefLocked,
    RefMoved,
    printable,
)
from gitstate.git.engine import Head, Reading
from gitstate.git.environment import FLAGS, first_line, git, missing_git, scrubbed
from gitstate.git.objects import parse_commit
from gitstate.git.packs import PackStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gitstate.git.engine import Place
    from gitstate.git.objects import Commit, Kind

_LOCK_PATIENCE_S = 1.0
_LOCK_PAUSE_S = 0.02
_REF = re.compile(rb"ref:|[0-9a-f]{40}")
_STEPS = 64  # of a walk that are asked for one by one: most need fewer


class CommandEngine(Reading):
    """One repository through git; ``cat-file --batch`` stays open until ``close``."""

    name = "git"

    def __init__(self, place: Place) -> None:
        self._place = place
        self.object_format = place.object_format
        self.packs = PackStore(
            place.objects_dir, place.object_format, shared_bits=place.shared_bits
        )
        self._batch: subprocess.Popen[bytes] | None = None

    def close(self) -> None:
        """End the process that reads objects."""
        if self._batch is not None:
            _end(self._batch)
            self._batch = None

    def ref(self, name: str) -> str | None:
        """The object a ref points to, or ``None``."""
        return ref_by_git(self._place.root, name)

    def refs(self, prefix: str) -> dict[str, str]:
        """All refs whose names start with ``prefix``, by name."""
        args = ["for-each-ref", "--format=%(objectname) %(refname)"]
        rows = git(args, cwd=self._place.root).stdout.split(b"\n")[:-1]
        pairs = (os.fsdecode(row).split(" ", 1) for row in rows)
        return {name: identity for identity, name in pairs if name.startswith(prefix)}

    def swap_ref(
        self, name: str, *, old: str | None, new: str | None, reason: str, durable: bool
    ) -> None:
        """Compare-and-swap, under git's own lock file."""
        swap_by_git(self._place, name, old=old, new=new, reason=reason, durable=durable)

    def head(self) -> Head:
        """HEAD of the worktree."""
        done = git(
            ["symbolic-ref", "--quiet", "HEAD"], cwd=self._place.root, check=False
        )
        branch = os.fsdecode(done.stdout.removesuffix(b"\n"))
        return Head(branch.removeprefix("refs/heads/") or None, self.ref("HEAD"))

    def read(self, identity: str) -> tuple[Kind, bytes]:
        """An object's kind and bytes.

        A git that was killed is not taken for a damaged object: another one is asked.
        """
        try:
            return self._read(identity)
        except ObjectDamaged:
            return self._read(identity)

    def _read(self, identity: str) -> tuple[Kind, bytes]:
        process = self._reader()
        stdin, stdout = (
            cast("IO[bytes]", process.stdin),
            cast("IO[bytes]", process.stdout),
        )
        try:
            stdin.write(identity.encode() + b"\n")
            stdin.flush()
            header = stdout.readline().split()
            if len(header) == 2 and header[1] == b"missing":  # noqa: PLR2004 "<id> missing"
                raise ObjectMissing(f"object {identity} is missing")
            kind, size = cast("Kind", header[1].decode()), int(header[2])
            data = stdout.read(size)
            if len(data) != size or stdout.read(1) != b"\n":
                raise EOFError  # noqa: TRY301 one exit for every way to be cut off
        except (BrokenPipeError, EOFError, IndexError, ValueError) as error:
            # cat-file ends itself on a damaged object
            self.close()
            raise ObjectDamaged(f"object {identity} cannot be read by git") from error
        return kind, data

    def has(self, identity: str) -> bool:
        """Is the object there."""
        try:
            self.read(identity)
        except ObjectMissing:
            return False
        return True

    def walk(self, tip: str) -> Iterator[Commit]:
        """``tip`` and its first parents, newest first."""
        following: str | None = tip
        for _ in range(_STEPS):
            if following is None:
                return
            commit = self.commit(following)
            yield commit
            following = self.before(commit)
        if following is not None:
            yield from self._stream(following)

    def _stream(self, tip: str) -> Iterator[Commit]:
        """``walk`` for many commits: two processes, and no question for each."""
        with self._start("rev-list", "--first-parent", tip, "--") as ids:
            with self._start(
                "cat-file", "--batch", "--buffer", stdin=ids.stdout
            ) as raw:
                stdout = cast("IO[bytes]", raw.stdout)
                while header := stdout.readline().split():
                    if len(header) != 3:  # noqa: PLR2004 "<id> missing"
                        raise ObjectMissing(f"object {header[0].decode()} is missing")
                    data = stdout.read(int(header[2]))
                    stdout.read(1)
                    yield parse_commit(header[0].decode("ascii"), data)
                if raw.wait() != 0:  # cat-file ends itself on a damaged object
                    raise ObjectDamaged(f"the history below {tip} cannot be read")
            if ids.wait() != 0:
                raise ObjectMissing(f"the history below {tip} cannot be read")

    @contextlib.contextmanager
    def _start(
        self, *args: str, stdin: IO[bytes] | None = None
    ) -> Iterator[subprocess.Popen[bytes]]:
        process = subprocess.Popen(
            ["git", *FLAGS, *args],
            cwd=self._place.root,
            env=scrubbed(),
            stdin=stdin or subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield process
        finally:
            _end(process)

    def _reader(self) -> subprocess.Popen[bytes]:
        if self._batch is None:
            try:
                self._batch = subprocess.Popen(
                    ["git", *FLAGS, "cat-file", "--batch"],
                    cwd=self._place.root,
                    # a promised blob of a partial clone may be fetched: it was asked for
                    env=scrubbed(network=True),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            except FileNotFoundError as error:
                raise GitFailed(missing_git()) from error
        return self._batch


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        if process.stdin:
            process.stdin.close()
    process.terminate()
    for stream in (process.stdout, process.stderr):
        if stream:
            stream.close()
    process.wait()


def swap_by_git(  # noqa: PLR0913 a ref update needs all of it
    place: Place,
    name: str,
    *,
    old: str | None,
    new: str | None,
    reason: str,
    durable: bool,
) -> None:
    """``git update-ref`` as compare-and-swap; raises ``RefMoved`` or ``RefLocked``."""
    zero = "0" * (64 if place.object_format == "sha256" else 40)
    flush = ["-c", "core.fsync=reference"] if durable else []
    user, email = place.identity
    who = {"GIT_COMMITTER_NAME": user, "GIT_COMMITTER_EMAIL": email}
    if new is None:
        args = [*flush, "update-ref", "-m", reason, "-d", name, old or zero]
    else:
        args = [*flush, "update-ref", "-m", reason, name, new, old or zero]
    deadline = time.monotonic() + _LOCK_PATIENCE_S
    while True:
        done = git(args, cwd=place.root, check=False, variables=who)
        if done.returncode == 0:
            # stderr may still say "cannot lock ref …" for the reflog: no failure
            return
        text = done.stderr.decode("utf-8", "replace")
        if "reference broken" in text and old is None and _clear_broken(place, name):
            continue
        if (
            "but expected" in text
            or "reference already exists" in text
            or "unable to resolve" in text
        ):
            raise RefMoved(f"{name} is no longer at {old}")
        if "File exists" not in text and "Unable to create" not in text:
            raise GitFailed(f"{name} cannot be moved: {first_line(done.stderr)}")
        if time.monotonic() >= deadline or "File exists" not in text:
            raise RefLocked(locked_text(place, name, text))
        time.sleep(_LOCK_PAUSE_S)


def ref_by_git(root: Path, name: str) -> str | None:
    """The object that exactly this ref points to, or ``None``; the object may be lost.

    Not by rev-parse: that takes ``refs/heads/x-g1234abc`` for the commit 1234abc. Nor
    by show-ref: that knows no ref whose object is lost.
    """
    if name == "HEAD":
        args = ["rev-parse", "--verify", "--quiet", "HEAD"]
        return git(args, cwd=root, check=False).stdout.decode("ascii").strip() or None
    args = ["for-each-ref", "--format=%(objectname) %(refname)", "--", name]
    for row in git(args, cwd=root).stdout.split(b"\n"):
        identity, _, found = row.partition(b" ")
        if found == os.fsencode(name):
            return identity.decode("ascii")
    return None


def _clear_broken(place: Place, name: str) -> bool:
    """Remove the file of a ref that a power failure left without an id.

    git itself neither moves nor deletes such a ref. The ref's own lock is held.
    """
    path = place.common_dir / name
    lock = path.with_name(f"{path.name}.lock")
    with contextlib.suppress(OSError):
        os.close(os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC))
        try:
            if _REF.match(path.read_bytes()):
                return False
            path.unlink()
        finally:
            lock.unlink()
        return True
    return False


def locked_text(place: Place, name: str, text: str = "") -> str:
    """What stands in the way of a ref update, and what to do."""
    lock = place.common_dir / f"{name}.lock"
    if not lock.exists() and text:
        return (
            f"{name} cannot be locked: {first_line(text.encode())}; it is tried again"
        )
    return (
        f"{name} is locked by {printable(lock)}; it is tried again, and if no git process "
        "is running, remove that file"
    )
