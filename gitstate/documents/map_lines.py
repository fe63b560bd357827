"""One line of a file map: ``path: role; uses: a, b; used by: c``, read and written."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re
from functools import cache

from gitstate.documents.entries import inline_parts
from gitstate.documents.inline import guard_label, leading_code, unguard_label, wrapped
from gitstate.documents.paths import path, path_text
from gitstate.documents.vocabulary import Vocabulary, vocabulary
from gitstate.late import late

# "src/a.ts:" or "src/a.ts —" or "src/a.ts (" with the path before it
_PATH = late(
    r"(?P<link>\[[^\]]{1,400}\]\(<?[^()<>]{1,400}>?\))"
    r"|(?:\*\*)?(?P<plain>[^\s:：`*;；()（）|]{1,1024}(?::[^\s:：`*;；()（）|]+)*)(?:\*\*)?"
    r"(?=\s*[:：]|\s*[;；(（]|\s+(?:—|–|--?|->|→|=|#)\s|\s*$)"
)
_BETWEEN = late(r"\s*(?:[:：]|(?:—|–|--?|->|→|=|#)(?=\s))\s*")
_LOOKS_LIKE_PATH = late(r"[^\s]*[/.][^\s]*|[A-Z][A-Za-z]*file|[\w-]+/")


def taken_apart(text: str, base: str) -> tuple[str, list[tuple[str, str]]] | None:
    """``path: role; uses: a, b``: the path, and what is said of it with its labels.

    ``None`` where there is no path first; ``base`` is the folder in whose list it stands.
    """
    text, inline = inline_parts(text, _words())
    code = leading_code(text)
    found = None if code else _PATH.match(text)
    if code:
        name, rest = code[0], text[code[1] :]
    elif found:
        name, rest = found["plain"], text[found.end() :]
        if found["link"]:
            name = path(found["link"])
        elif not _LOOKS_LIKE_PATH.fullmatch(name):
            return None
    else:
        return None
    between = _BETWEEN.match(rest)
    if (
        code
        and rest
        and not between
        and rest.lstrip()[:1] not in {";", "；", "(", "（"}
    ):
        return None  # a sentence that begins with a code span
    rest = rest[between.end() :] if between else rest
    return whole_path(name, base), [*_relations(rest), *inline.items()]


def whole_path(name: str, base: str) -> str:
    """A name in the list of a folder as a path from the root, if it is not one yet."""
    name = name.removeprefix("./")
    top = name.partition("/")
    whole = top[1] and top[2] and base.startswith(f"{top[0]}/")
    return name if whole or not base or name == base else base + name


def _relations(text: str) -> list[tuple[str, str]]:
    """The role and the labelled lists of an entry's line."""
    first = _labels().match(text)
    key, start = "role", 0
    if first and not first["guards"]:
        key, start = _key(first["name"]), first.end()
    said: list[tuple[str, str]] = []
    for found in _labels().finditer(text, start):
        if not found["mark"] or found["guards"]:
            continue
        said.append((key, text[start : found.start()].strip()))
        key, start = _key(found["name"]), found.end()
    said.append((key, text[start:].strip()))
    return [
        (one, _role(value) if one == "role" else value) for one, value in said if value
    ]


@cache
def _labels() -> re.Pattern[str]:
    """What finds a label on an entry's line: at its start, or behind a semicolon."""
    names = [name for name, key in _words().keys.items() if key != "path"]
    said = "|".join(
        re.escape(name).replace(r"\ ", r"[ \t_-]")
        for name in sorted(names, key=len)[::-1]
    )
    return late(
        rf"(?:^|(?P<guards>\\*)(?P<mark>[;；])\s*)(?:\*\*)?(?P<name>{said})(?:\*\*)?"
        r"[ \t]*[:：](?:\*\*)?\s*",
        re.IGNORECASE,
    )


def _key(name: str) -> str:
    return _words().key(name) or "role"


def _role(text: str) -> str:
    """A role without its guards and without brackets around it."""
    role = unguard_label(text, _words())
    if "\\" in role:
        role = _labels().sub(
            lambda found: found[0][1:] if found["guards"] else found[0], role
        )
    return _brackets(role)


def own_path_text(path: str) -> str:
    """An entry's path as it is written so that it is seen to be one."""
    written = path_text(path)
    plain = written == path and _LOOKS_LIKE_PATH.fullmatch(path)
    return path if plain else wrapped(path)


def guarded_role(role: str) -> str:
    """A role as it is written on an entry's line."""
    role = guard_label(role, _words())
    if _brackets(role) != role:
        role = f"\\{role}"
    role = _labels().sub(
        lambda found: f"\\{found[0]}" if found["mark"] else found[0], role
    )
    return f"{role} " if role.endswith("\\") else role


def _brackets(role: str) -> str:
    """A role that stands in brackets, without them."""
    inside = role[1:-1]
    if re.match(r"\\+[(（]", role):
        return role[1:]
    whole = role[:1] in {"(", "（"} and role[-1:] in {")", "）"}
    return inside.strip() if whole and not set(inside) & set("()（）") else role


@cache
def _words() -> Vocabulary:
    return vocabulary("file")
