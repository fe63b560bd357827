"""Which files a shell command reads and writes, as far as its words show it; pure.

No shell is imitated: what cannot be told from the words is not told.
"""

from __future__ import annotations

import bisect
import itertools
import os
import re
import shlex

TYPE_CHECKING = False  # as typing's, which costs a hook 10 ms
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Use = tuple[str, str]  # an action of the operations log (or GIT), and a path
GIT = "git"  # git wrote files as it has them: the path, or whatever is below it

_READERS = frozenset(
    {"cat", "head", "tail", "less", "more", "bat", "nl", "tac", "od", "xxd"}
)
_SEARCHERS = frozenset({"rg", "grep", "egrep", "fgrep", "ag", "ack"})
_ENDS = frozenset({";", "&&", "||", "|", "&", "|&", "\n", "(", ")"})
_LONGEST = 20_000  # characters of a command that are looked at
_LONGEST_PATCH = 1 << 20
_PATCHED = re.compile(
    r"^\*\*\* (Add|Update|Delete) File: (.+?)\s*$|^\*\*\* (Move to): (.+?)\s*$",
    re.MULTILINE,
)
_ACTIONS = {"Add": "create", "Update": "edit", "Delete": "delete", "Move to": "create"}
# options that take a word of their own
_WITH_WORD = {
    "head": "nc", "tail": "nc", "sed": "efl",
    "rg": "efgtTmABCjrM", "grep": "efmABC", "egrep": "efmABC", "fgrep": "efmABC",
    "git": "Ccms",
}  # fmt: skip
# what of "git stash" leaves the files alone
_STASHES = frozenset({"list", "show", "drop", "clear", "create", "store"})
_HERE = re.compile(r"(?<!<)<<-?[ \t]*(?:(['\"])([\w.-]+)\1|\\?([A-Za-z_][\w.-]*))")


def patched(text: str) -> list[Use]:
    """The files that a patch in apply_patch's format names."""
    return [
        (_ACTIONS[one[1] or one[3]], one[2] or one[4])
        for one in _PATCHED.finditer(text)
    ]


def uses(command: str, cwd: str = "") -> list[Use]:
    """The reads and edits that a command's words show; paths joined to its folder."""
    if "*** Begin Patch" in command[:_LONGEST]:
        found = patched(command[:_LONGEST_PATCH])
        return [(action, os.path.join(cwd, path)) for action, path in found]
    found = []
    for words in _simple(_without_texts(command)):
        if words[0] == "cd" and len(words) == 2:  # noqa: PLR2004 the word and its folder
            cwd = os.path.join(cwd, words[1])
            continue
        found += [
            (action, os.path.join(cwd, path))
            for action, path in _of_one(words)
            if path and path != "-" and not _unknown(path)
        ]
    return list(dict.fromkeys(found))


def _without_texts(command: str) -> str:
    """A command's begin without the texts that it hands over (``<<EOF``)."""
    lines = command[:_LONGEST].split("\n")
    ends: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        ends.setdefault(line.strip(), []).append(at)
    kept, at = [], 0
    while at < len(lines):
        kept.append(lines[at])
        for one in _HERE.finditer(lines[at]):
            later = ends.get(one[2] or one[3], [])
            index = bisect.bisect_right(later, at)
            if index < len(later):
                at = later[index]
            elif len(command) > _LONGEST:
                return "\n".join(kept)  # it ends behind what is looked at
        at += 1
    return "\n".join(kept)


def _unknown(path: str) -> bool:
    """Would the shell make something else of it, or is it no file."""
    return any(char in path for char in "$*?`{<>\n") or path.startswith("/dev/")


def _simple(command: str) -> Iterator[list[str]]:
    """The words of each simple command; ``bash -c`` is looked into."""
    lexer = shlex.shlex(
        command.replace("\n", " ; "), posix=True, punctuation_chars=True
    )
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    try:
        for word in lexer:
            if word in _ENDS or set(word) <= set(";&|()"):
                yield from _unpacked(words)
                words = []
            else:
                words.append(word)
    except ValueError:  # a quote that is never closed
        return
    yield from _unpacked(words)


def _unpacked(words: list[str]) -> Iterator[list[str]]:
    while words and (
        words[0] in {"sudo", "env", "command", "time", "nice", "exec"}
        or re.fullmatch(r"\w+=.*", words[0], re.DOTALL)
    ):
        words = words[1:]
    if not words:
        return
    name = os.path.basename(words[0])
    if name in {"bash", "sh", "zsh", "dash"}:
        for option, said in itertools.pairwise(words):
            if re.fullmatch(r"-\w*c", option):
                yield from _simple(said)
                return
    yield [name, *words[1:]]


def _of_one(words: Sequence[str]) -> Iterator[Use]:
    name, rest = words[0], list(words[1:])
    plain: list[str] = []
    options: list[str] = []
    while rest:
        word = rest.pop(0)
        if (word and set(word) <= set("<>&")) or re.fullmatch(r"[<>]+&?\d*", word):
            target = rest.pop(0) if rest else ""
            if ">" in word and not word.endswith("&") and not target.isdigit():
                yield "edit", target
            elif word == "<":
                yield "read", target
        elif word == "--":
            plain += [one for one in rest if not set(one) <= set("<>&")]
            break
        elif word.startswith("-") and len(word) > 1:
            options.append(word)
            takes = _WITH_WORD.get(name, "")
            if len(word) == 2 and word[1] in takes and rest:  # noqa: PLR2004 -e WORD
                rest.pop(0)
        elif word.isdigit() and rest[:1] and set(rest[0]) <= set("<>&"):
            continue  # 2>file
        else:
            plain.append(word)
    yield from _by_name(name, plain, options)


def _by_name(name: str, plain: list[str], options: list[str]) -> Iterator[Use]:
    given = any(
        re.match(r"-\w*[ef]$|--(regexp|expression|file)", one) for one in options
    )
    if name in _READERS:
        yield from (("read", one) for one in plain)
    elif name in _SEARCHERS:
        # a folder is no file that was read
        files = plain if given else plain[1:]
        yield from (
            ("read", one) for one in files if "." in os.path.basename(one.rstrip("/"))
        )
    elif name == "sed":
        inside = any(re.match(r"-\w*i|--in-place", one) for one in options)
        action = "edit" if inside else "read"
        yield from ((action, one) for one in (plain if given else plain[1:]))
    elif name == "perl" and any(re.match(r"-\w*i", one) for one in options):
        yield from (("edit", one) for one in (plain if given else plain[1:]))
    elif name in {"tee", "touch", "truncate"}:
        yield from (("edit", one) for one in plain)
    elif name == "rm":
        yield from (("delete", one) for one in plain)
    elif name in {"mv", "cp"} and len(plain) == 2:  # noqa: PLR2004 from and to
        yield ("delete" if name == "mv" else "read", plain[0])
        if not plain[1].endswith("/"):
            yield "edit", plain[1]
    elif name == GIT and plain:
        yield from ((GIT, one) for one in _by_git(plain[0], plain[1:], set(options)))


def _by_git(verb: str, plain: list[str], options: set[str]) -> list[str]:
    """What git puts back; a branch or a commit among it is no file."""
    if verb == "checkout" and not options & {"-b", "-B", "--orphan"}:
        return plain
    if verb == "restore":
        index = options & {"-S", "--staged"} and not options & {"-W", "--worktree"}
        return [] if index else plain
    if verb == "stash" and not _STASHES & set(plain[:1]):
        return ["."]
    return (
        ["."] if verb == "revert" or (verb == "reset" and "--hard" in options) else []
    )
