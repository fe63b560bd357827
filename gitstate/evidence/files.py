"""What of a worktree may be read as evidence: tracked or plainly present, and bounded.

No link is followed, in no part of a path; nothing but regular files is opened; a file
that cannot be read or parsed is remembered with the reason, which is a fact as well.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import tomllib
from itertools import islice
from typing import TYPE_CHECKING, Any

from gitstate.errors import GitFailed
from gitstate.evidence.facts import Fact
from gitstate.git.environment import git
from gitstate.values import dataclass, field

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from gitstate.evidence.facts import Section

MAX_BYTES = 512 << 10
MAX_NAMES = 5_000
_MAX_DOTS = 300
_LISTED = "git ls-files"

# folders whose projects are not this project
FOREIGN = frozenset(
    {
        *("node_modules", "vendor", "third_party", "third-party"),
        *("test", "tests", "testdata", "fixtures", "__fixtures__", "benchmarks"),
        *("example", "examples", "samples", "templates"),
    }
)
# folders whose files were copied in
VENDORED = ("node_modules", "vendor", "third_party", "third-party")


@dataclass(slots=True)
class Files:
    """The files of one worktree; ``tracked`` are the regular ones, as paths with ``/``."""

    root: Path
    without: str = ".agent-state"
    tracked: tuple[str, ...] = ()
    unreadable: dict[str, str] = field(default_factory=dict)
    cited: dict[str, str] = field(default_factory=dict)
    _present: tuple[str, ...] = ()
    _own: tuple[str, ...] | None = None
    _read: dict[str, str | None] = field(default_factory=dict)
    _parsed: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tracked = tuple(self._list_tracked())
        self._present = tuple(self._list_root())

    def _list_tracked(self) -> Iterable[str]:
        try:
            listing = git(["ls-files", "--stage", "-z"], cwd=self.root).stdout
        except GitFailed as error:
            self.unreadable[_LISTED] = str(error)
            return []
        found = set()
        for record in listing.split(b"\0"):
            head, _, path = record.partition(b"\t")
            if head.startswith(b"100"):  # neither links nor submodules
                found.add(os.fsdecode(path))
        own = f"{self.without}/"
        return sorted(path for path in found if not path.startswith(own))

    def _list_root(self) -> Iterable[str]:
        names = []
        try:
            with os.scandir(self.root) as entries:
                for count, entry in enumerate(entries):
                    if count >= MAX_NAMES * 10:
                        break
                    if entry.is_file(follow_symlinks=False):
                        names.append(entry.name)
        except OSError as error:
            self.unreadable["."] = _reason(error)
        return sorted(names)[:MAX_NAMES]

    def own(self) -> tuple[str, ...]:
        """The tracked paths that are in no folder of copied-in files."""
        if self._own is None:
            copied = re.compile(rf"(?:.*/)?(?:{'|'.join(VENDORED)})/")
            self._own = tuple(path for path in self.tracked if not copied.match(path))
        return self._own

    def at(self, base: str) -> Place:
        """The files of one folder ("" is the root)."""
        if not base:
            return Place(self, "", self._present)
        inside = f"{base}/"
        names = (
            path[len(inside) :]
            for path in self.tracked
            if path.startswith(inside) and "/" not in path[len(inside) :]
        )
        present = (name for name in names if self.present(inside + name))
        return Place(self, base, tuple(islice(present, MAX_NAMES)))

    def present(self, path: str) -> bool:
        """Is ``path`` a regular file, with no link on the way to it."""
        try:
            with _Opened(self.root, path) as (folder, name):
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except (OSError, ValueError):
            return False
        return stat.S_ISREG(found.st_mode)

    def text(self, path: str) -> str | None:
        """The text of a file, or ``None`` where there is none that can be read."""
        if path not in self._read:
            try:
                self._read[path] = self._decode(path)
            except (FileNotFoundError, NotADirectoryError):
                self._read[path] = None
            except (OSError, ValueError) as error:
                self._read[path] = None
                self.unreadable[path] = _reason(error)
        return self._read[path]

    def _decode(self, path: str) -> str:
        with _Opened(self.root, path) as (folder, name):
            flags = (
                os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
            )
            descriptor = os.open(name, flags, dir_fd=folder)
            try:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise ValueError(_NOT_A_FILE)
                with open(descriptor, "rb", closefd=False) as stream:
                    data = stream.read(MAX_BYTES + 1)
            finally:
                os.close(descriptor)
        if len(data) > MAX_BYTES:
            raise ValueError(_TOO_LARGE)
        try:
            return data.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            raise ValueError(_NOT_UTF8) from error

    def parsed(
        self, path: str, parse: Callable[[str], Any], wrong: str
    ) -> dict[str, Any]:
        """The table in a file as ``parse`` finds it, empty where it finds none."""
        if path not in self._parsed:
            text = self.text(path)
            found: Any = {}
            if text is not None:
                try:
                    found = parse(text)
                except (ValueError, RecursionError):
                    found = None
                if not isinstance(found, dict):
                    self.unreadable[path] = wrong
            self._parsed[path] = found if isinstance(found, dict) else {}
        return self._parsed[path]

    def untracked(self, sources: Iterable[str]) -> list[str]:
        """The files among ``sources`` that git does not track, as far as it can say."""
        if _LISTED in self.unreadable:
            return []
        tracked = set(self.tracked)
        paths = (self.cited[source] for source in sources if source in self.cited)
        return sorted({path for path in paths if path not in tracked})


@dataclass(frozen=True, slots=True)
class Place:
    """One folder that holds a project: the names of its files, and reading them."""

    files: Files
    base: str
    names: tuple[str, ...]

    def path(self, name: str) -> str:
        """The path from the repository's root."""
        return f"{self.base}/{name}" if self.base else name

    def matching(self, pattern: str) -> list[str]:
        """The names that match the whole pattern."""
        compiled = re.compile(pattern)
        return [name for name in self.names if compiled.fullmatch(name)]

    def below(self) -> list[str]:
        """The tracked paths in this folder, from this folder, copied-in ones left out."""
        inside = f"{self.base}/" if self.base else ""
        own = self.files.own()
        return [path.removeprefix(inside) for path in own if path.startswith(inside)]

    def text(self, name: str) -> str:
        """A file's text, empty where there is none that can be read."""
        return self.files.text(self.path(name)) or ""

    def lines(self, name: str) -> list[str]:
        """A file's lines; what is longer than a person would write is cut."""
        return [line[:1000] for line in self.text(name).split("\n")]

    def json(self, name: str) -> dict[str, Any]:
        """The object in a JSON file."""
        return self.files.parsed(self.path(name), json.loads, _NOT_JSON)

    def jsonc(self, name: str) -> dict[str, Any]:
        """The object in a JSON file that may have comments."""
        return self.files.parsed(self.path(name), _with_comments, _NOT_JSON)

    def toml(self, name: str) -> dict[str, Any]:
        """The table in a TOML file."""
        return self.files.parsed(self.path(name), _shallow_toml, _NOT_TOML)

    def cite(self, name: str, part: str = "") -> str:
        """A file as a source, perhaps with the part of it that counts."""
        path = self.path(name)
        source = f"{path} {part}" if part else path
        self.files.cited[source] = path
        return source

    def fact(
        self, section: Section, key: str, values: Iterable[str], *sources: str
    ) -> Fact:
        """A fact about this folder."""
        return Fact(section, key, tuple(values), sources, self.base)


class _Opened:
    """The folder that holds ``path``, opened part by part without following a link."""

    def __init__(self, root: Path, path: str) -> None:
        *self.parents, self.name = path.split("/")
        self.root = root
        self.folder = -1

    def __enter__(self) -> tuple[int, str]:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
        self.folder = os.open(self.root, flags)
        try:
            for part in self.parents:
                inner = os.open(part, flags | os.O_NOFOLLOW, dir_fd=self.folder)
                os.close(self.folder)
                self.folder = inner
        except OSError:
            os.close(self.folder)
            raise
        return self.folder, self.name

    def __exit__(self, *_: object) -> None:
        os.close(self.folder)


_NOT_A_FILE = "not a regular file"
_TOO_LARGE = "larger than 512 KiB"
_NOT_UTF8 = "not UTF-8"
_NOT_JSON = "not a JSON object"
_NOT_TOML = "not TOML"
_A_LINK = "a link, not followed"
_NO_PERMISSION = "permission denied"


def _reason(error: OSError | ValueError) -> str:
    if not isinstance(error, OSError):
        return str(error)
    known = {
        errno.ELOOP: _A_LINK,
        errno.EACCES: _NO_PERMISSION,
        errno.EPERM: _NO_PERMISSION,
        errno.ENXIO: _NOT_A_FILE,
        errno.EISDIR: _NOT_A_FILE,
    }
    return known.get(error.errno or 0, error.strerror or "no reason given")


# Each alternative takes what is left when its end is missing: a scan that had to start
# again behind every quote would take minutes.
_STRING = r'"(?:\\.|[^"\\])*"?'
_COMMENT = re.compile(rf"(?s){_STRING}|//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?")
_TRAILING_COMMA = re.compile(rf"(?s){_STRING}|,(?=\s*[}}\]])")


def _with_comments(text: str) -> Any:  # noqa: ANN401 JSON
    for pattern in (_COMMENT, _TRAILING_COMMA):
        text = pattern.sub(lambda found: found[0] if found[0][0] == '"' else " ", text)
    return json.loads(text)


def _shallow_toml(text: str) -> dict[str, Any]:
    # tomllib takes quadratic time for a key of many parts: minutes for one line
    if any(line.count(".") > _MAX_DOTS for line in text.split("\n")):
        raise ValueError
    return tomllib.loads(text)
