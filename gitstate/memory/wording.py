"""What is too vague to be written down, and the line that says so, with an example; pure."""

from __future__ import annotations

import re

from gitstate.documents.vocabulary import says_nothing
from gitstate.errors import Refused, printable
from gitstate.late import late

CONCLUSION_MAX = 200  # characters, on one line

# compiled when they are needed: most verbs need none of them
_NAMES = (
    r"`[^`]+`",
    r"[\"“「『《][^\"”」』》]+[\"”」』》]",
    r"[\w.@~-]*\w/[\w.@-]*\w|\w/(?=\s|$)",  # src/a, packages/
    r"(?<![\w.])\.?\w[\w-]*(?:\.\w[\w-]*)*\.[A-Za-z][A-Za-z0-9]{0,9}\b",
    r"(?<!\S)\.[A-Za-z]\w+",  # .env
    r"[A-Za-z]\w*_\w+|_\w+",
    r"\b[a-z]+[A-Z]\w*|\b[A-Z][a-z0-9]+[A-Z]\w*",
    r"[A-Za-z]\w*\(\)|\w::\w|(?<!\S)--?[A-Za-z][\w-]*|#\d+",
    r"\b[A-Za-z]+-?\d[\w.]*",  # D-0007, v2, utf8
    r"\b(?!(?:OK|TODO|TBD|ASAP|WIP|FYI|FIXME)\b)[A-Z][A-Z0-9]+s?\b",
    r"(?<=[a-z0-9,;:)] )[A-Z][a-z]+",  # a name inside a sentence
)
_READ = 2000  # characters of a text in which a name is looked for
_NOT_FILES = r"(?i)\b(?:e\.g|i\.e|a\.k\.a|etc|vs|cf)\b\.?"
_CJK = late("[\u2e80-\u9fff\uf900-\ufaff]")
_LATIN = late(r"[A-Za-z]{2,}")
_BREAKS = late(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def names_something(text: str) -> bool:
    """Does a text name a file, a function or another thing one could look for.

    In Chinese a Latin word is a name; in English it takes the form of one.
    """
    text = re.sub(_NOT_FILES, " ", text[:_READ])
    if any(re.search(form, text) for form in _NAMES):
        return True
    return _CJK.search(text) is not None and _LATIN.search(text) is not None


def goal(text: str) -> str:
    """A goal that names something; raises ``Refused``."""
    return _named(
        text,
        "goal",
        'gitstate task start "Fix nested brackets in src/core/parser.ts parseExpr"',
    )


def next_step(text: str) -> str:
    """A next step that names something; raises ``Refused``."""
    return _named(
        text,
        "next step",
        'gitstate task next "Count open brackets in parseExpr, src/core/parser.ts:142"',
    )


def _named(text: str, what: str, example: str) -> str:
    text = one_line(text, what, example)
    if not names_something(text):
        raise Refused(
            f"the {what} names no file, function or other thing: {printable(text)}; "
            f"name one, like: {example}"
        )
    return text


def step(text: str) -> str:
    """A step on one line; raises ``Refused``."""
    return one_line(text, "step", 'gitstate task step "Fix the boundary condition"')


def conclusion(text: str | None, example: str) -> str:
    """A conclusion on one line of at most ``CONCLUSION_MAX``; raises ``Refused``."""
    if text is None or says_nothing(text):
        raise Refused(
            f"a conclusion is missing: what was found or changed? Like: {example}"
        )
    return within(one_line(text, "conclusion", example), "conclusion", example)


def within(text: str, what: str, example: str) -> str:
    """A text of at most ``CONCLUSION_MAX`` characters; raises ``Refused``."""
    if len(text) > CONCLUSION_MAX:
        raise Refused(
            f"the {what} has {len(text)} characters; say it in one line of at most "
            f"{CONCLUSION_MAX}, like: {example}"
        )
    return text


def reason(text: str | None, what: str, example: str) -> str:
    """A reason that says something; raises ``Refused``."""
    if text is None or says_nothing(text):
        raise Refused(f"{what} needs its reason, like: {example}")
    return one_line(text, "reason", example)


def one_line(text: str, what: str, example: str) -> str:
    """A text that says something, on one line; raises ``Refused``."""
    text = text.strip()
    if says_nothing(text):
        raise Refused(f"the {what} says nothing; say it like: {example}")
    lines = [line for line in _BREAKS.split(text) if line.strip()]
    if len(lines) > 1:
        raise Refused(
            f"the {what} has {len(lines)} lines; say it in one, like: {example}"
        )
    return text


def whole_path(path: str, example: str) -> str:
    """A path as it is written from the repository's root; raises ``Refused``.

    Whether anything is there is not known here.
    """
    parts = path.split("/")
    if (
        not path.strip()
        or _BREAKS.search(path)
        or "\0" in path
        or path.startswith(("/", "~"))
        or re.match(r"[A-Za-z]:[\\/]", path)
        or any(part in {".", ".."} for part in parts)
        or "" in parts[:-1]
    ):
        raise Refused(
            f"not a whole path from the repository's root: {printable(path)}; "
            f"write it like: {example}"
        )
    return path
