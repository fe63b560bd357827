"""A text -> the terms that it is compared by: names, which stand as they are, and words.

Pure. A name is what has to be said exactly (a path, a function, a command, a number, a
tool); a word may be said otherwise, and is compared by its concept or its stem.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from gitstate.late import late
from gitstate.recall import concepts
from gitstate.recall.lexicon import ALIASES, EMPTY, FAMILIES, LIGHT

if TYPE_CHECKING:
    from collections.abc import Mapping

HAN = "\u4e00-\u9fff"
_TOKEN = late(
    rf"[a-z0-9]+(?:_[a-z0-9{HAN}]+)*_[a-z0-9]*[{HAN}]{{1,4}}|[{HAN}]+(?:_[{HAN}a-z0-9]+)+"
    rf"|(?<![\w-])--?[a-z](?:[\w-]|\.(?=\w))*|(?<![\w.)\]-])-\d[\d.]*|(?<![\w/.:)\]*-])/[a-z0-9_][\w./*-]*|[a-z0-9_@$.](?:[a-z0-9_@$./+#*:'-]|\(\))*|[{HAN}]+"
)
_CAMEL = late(
    r"\b(?:[a-z0-9]+[A-Z]\w*|[A-Z][a-z0-9]+(?:[A-Z]\w*)+|[A-Z]{2,}[A-Z0-9]*)\b"
)
_NAMED = late(r"[/_@$#\d*]|\w\.\w|^\.\w|^-|\(\)|::")
_ENDINGS = ("ing", "ied", "ies", "ed", "es", "s", "ly")
_WORD_MIN = 3
_HAN_LONGEST = 6  # characters of a concept's word
_LONG = 6  # letters of a word in which a slip is recognised
_HAN_EMPTY = late(
    "必须|必需|务必|一律|始终|总是|只能|只允许|应当|禁止|严禁|不得|不要|切勿|不能|不可以?|不许|不准|可以|允许|任何"
    "|的|了|在|是|和|与|或|把|将|中|里|上|下|时|都|也|请|须|勿|别|对|为|由|到|从|以|及|其|这|那|我们?|你们?|需要|要|并且?|就|即可"
)


# a word of our own, which takes the place of what an answer says word for word
STANDS_IN = late(r"zq\d+zq")
_LONG_FORMS = {short: name for name, short in ALIASES.items()}


class Terms(NamedTuple):
    """``names`` have to be said as they are; ``words`` may be said otherwise."""

    names: frozenset[str]
    words: frozenset[str]


def has_name(text: str, name: str) -> bool:
    """Does a clean text have a name, whole, in one of the forms that people give it."""
    # every form of it has its core, and most texts have not
    return (
        bool(name) and _core(name) in text and _pattern(name).search(text) is not None
    )


@lru_cache(maxsize=4096)
def _core(name: str) -> str:
    """What all forms of a name have in them."""
    if name in ALIASES:
        return ""
    return name.rstrip("/*").removesuffix("()").rsplit("/", 1)[-1]


@lru_cache(maxsize=1024)
def _pattern(name: str) -> re.Pattern[str]:
    forms = [re.escape(name)]
    bare = name.rstrip("/*")
    if bare != name and bare:
        forms.append(rf"{re.escape(bare)}(?:/\*|/)?")
    if "/" in bare and ":" not in name and len(bare.rsplit("/", 1)[-1]) > 2:  # noqa: PLR2004 kbit/s
        parts = bare.split("/")
        last = len(parts) - (
            bare != name and parts[-1].isalpha()
        )  # a folder: a common word
        ends = ("/".join(parts[at:]) for at in range(1, last))
        forms += [rf"(?<!/){re.escape(one)}" for one in ends if one]
    if name.endswith("()"):
        forms.append(re.escape(name[:-2]))
    if name.endswith(".js"):
        forms.append(re.escape(name.removesuffix(".js")))
    if name.isalpha() and name.isascii():
        forms.append(f"{name}s")
    if name in ALIASES:
        forms.append(ALIASES[name])
    left = r"(?<![a-z0-9_.-])" if name[0].isascii() else ""
    slash = "" if name in families() else "/"
    right = rf"(?![a-z0-9_]|[.{slash}-][a-z0-9])" if name[-1].isascii() else ""
    if name[-1].isdigit():
        right = r"(?![a-z0-9_]|[.:]\d)"
    return re.compile(f"{left}(?:{'|'.join(forms)}){right}")


def in_order(text: str, names: tuple[str, ...]) -> list[int]:
    """Where each of the names stands first in a clean text; -1 where it does not."""
    found = (_pattern(one).search(text) for one in names)
    return [one.start() if one else -1 for one in found]


@cache
def _stems() -> dict[str, str]:
    """The stem of a concept's word -> the concept; a word itself goes before."""
    found: dict[str, str] = {}
    for one, key in concepts.english().items():
        found.setdefault(_stem(one), key)
    return found


@cache
def families() -> dict[str, frozenset[str]]:
    """A name -> the names that stand in its place."""
    found: dict[str, frozenset[str]] = {}
    for family in FAMILIES:
        names = frozenset(family.split())
        for one in names:
            found[one] = found.get(one, frozenset()) | names - {one}
    return found


@lru_cache(maxsize=4096)
def term_of(word: str) -> str:
    """What an English word is compared as: its concept, or its stem; also with a slip."""
    exact = exact_term_of(word)
    return exact if exact[0] == "#" else _slip_of(word) or exact


def exact_term_of(word: str) -> str:
    """What a word is compared as that has no slip."""
    english, stem = concepts.english(), _stem(word)
    return english.get(word) or english.get(stem) or _stems().get(stem) or stem


def _slip_of(word: str) -> str:
    """The concept of a word that a letter is missing or wrong in; "" for none."""
    if len(word) < _LONG or not word.isalpha():
        return ""
    near = concepts.beginning().get(word[:2], ())
    return next((concepts.english()[one] for one in near if slips(one, word)), "")


def slips(word: str, said: str) -> bool:
    """Is a long word said with one letter too few or too many, or two changed places."""
    if min(len(word), len(said)) < _LONG or word[:2] != said[:2] or not word.isalpha():
        return False
    if len(word) == len(said):
        odd = [at for at in range(len(word)) if word[at] != said[at]]
        return len(odd) == 2 and sorted(word) == sorted(said)  # noqa: PLR2004 they changed places
    short, long = sorted((word, said), key=len)
    return len(long) - len(short) == 1 and any(
        long[:at] + long[at + 1 :] == short for at in range(len(long))
    )


def _stem(word: str) -> str:
    for end in _ENDINGS:
        if word.endswith(end) and len(word) - len(end) >= _WORD_MIN:
            stem = word[: -len(end)]
            stem = f"{stem}y" if end in {"ies", "ied"} else stem
            if len(stem) > _WORD_MIN and stem[-1] == stem[-2] and stem[-1] not in "sl":
                stem = stem[:-1]
            return stem.removesuffix("e")
    return word.removesuffix("e") if len(word) > _WORD_MIN else word


def camel(text: str) -> frozenset[str]:
    """Names by their capitals, of a text that is not clean yet; folded."""
    return frozenset(one.casefold() for one in _CAMEL.findall(text))


@lru_cache(maxsize=2048)
def terms(text: str, known: frozenset[str] = frozenset()) -> Terms:
    """The terms of a clean text; ``known``: names that do not look like one."""
    names: set[str] = set()
    words: set[str] = set()
    for found in _TOKEN.finditer(text):
        word = found[0]
        if word[0] >= "\u4e00" and "_" not in word:
            words |= chinese(word)
            continue
        word = _stripped(word)
        if not word or (word in EMPTY and word not in known):
            continue
        parts = word.split("/")
        if len(parts) > 1 and all(one in families() for one in parts):
            names.update(parts)
        elif (
            _NAMED.search(word) is not None
            or word in families()
            or word in known
            or word[0].isdigit()
        ):
            names.add(word)
        elif len(word) > 1:
            words |= {
                term_of(one)
                for one in re.split(r"[-'/]", word)
                if one not in EMPTY and len(one) > 1
            }
    return Terms(
        frozenset(_LONG_FORMS.get(one, one) for one in names), frozenset(words)
    )


def _stripped(token: str) -> str:
    """A token without the marks that are not of a name."""
    word = token.strip("./:'").rstrip("-(") or ""
    if not word.endswith("++"):  # of a language
        word = word.strip("+")
    if word.endswith(")") and not word.endswith("()"):
        word = word.rstrip(")")
    word = word.removesuffix("'s")
    if not word:
        return ""
    hidden = token.startswith(".") and not token.startswith("./")
    if hidden and not word.startswith("."):
        word = f".{word}"
    if token.startswith("/"):
        word = f"/{word}"
    return f"{word}/" if token.rstrip(".:'").endswith("/") else word


@cache
def light() -> frozenset[str]:
    """The words that add nothing to what they stand beside."""
    return terms(LIGHT).words


def is_bare(text: str) -> bool:
    """Does a clean text say nothing of what it speaks of."""
    spoken = terms(text)
    return not spoken.names and spoken.words <= light()


@lru_cache(maxsize=16_384)
def share(text: str, wanted: frozenset[str]) -> float:
    """How many of the terms are in a clean text, of 1; asked again and again of one text."""
    if not wanted:
        return 0.0
    spoken = terms(text)
    found = sum(
        one in spoken.words
        or one in spoken.names
        or (one[0] != "#" and has_name(text, one))
        or (one[0] >= "\u4e00" and all(letter in text for letter in one))
        or any(slips(one, each) for each in spoken.words)
        for one in wanted
    )
    return found / len(wanted)


def is_chinese(text: str) -> bool:
    """Has a text any Chinese."""
    return any("\u4e00" <= letter <= "\u9fff" for letter in text)


def chinese(text: str) -> set[str]:
    """The words of a Chinese text: concepts, and of the rest each two characters."""
    found: set[str] = set()
    # a word may have a character in it that says nothing alone: 下载, 到期
    rest = _taken(text, _spanning(), found)
    for part in filter(None, _HAN_EMPTY.split(rest)):
        for piece in _taken(part, concepts.chinese(), found).split():
            if len(piece) > 1:
                found |= {piece[at : at + 2] for at in range(len(piece) - 1)}
    return found


@cache
def _spanning() -> dict[str, str]:
    """The words of the concepts that have an empty part in them."""
    return {
        word: key
        for word, key in concepts.chinese().items()
        if len(word) > 1
        and _HAN_EMPTY.search(word)
        and _HAN_EMPTY.fullmatch(word) is None
    }


def _taken(text: str, words: Mapping[str, str], found: set[str]) -> str:
    """A text without the words that are taken out of it, the longest first."""
    for size in range(min(_HAN_LONGEST, len(text)), 0, -1):
        at = 0
        while at <= len(text) - size:
            key = words.get(text[at : at + size])
            if key:
                found.add(key)
                text = f"{text[:at]} {text[at + size :]}"
            at += 1
    return text
