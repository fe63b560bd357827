"""What stands in an answer word for word: put as plainly as it can be, there and in the question; pure.

An item in its own words needs no understanding, only what is said around it does ("… no longer
holds", "except on Fridays"). So a word of our own takes its place on both sides:
"never touch zq1zq".
"""

# ruff: noqa: RUF001 Chinese and its marks are compared as they are written
from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from gitstate.late import late
from gitstate.recall.cleaning import clean
from gitstate.recall.stances import stance_of
from gitstate.recall.subjects import without_reason
from gitstate.recall.terms import is_chinese

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitstate.recall.asking import Dimension, Request

_SHORT = 12  # letters of an item that may stand by chance; Chinese ones count twice
_MARKUP = frozenset("`*\"'“”‘’「」")
_ENDS = " .。;；,，"
_BINDS = {"rule", "prohibition", "constraint"}
_LEADS = late(
    r"(?:must not|must|never|always|do not|don't|no)\s+|必须|禁止|不得|切勿|严禁|不要|务必",
    re.IGNORECASE,
)
_SOURCE = late(r"[ ]?[(（](?:source|来源)[:：]([^()（）\n]{1,120})[)）]")
_BECAUSE = late(
    r"^[\s,，;；]*(?:(?:because|since)\b\s*|因为|由于|否则|不然)?(?:它们?|其)?",
    re.IGNORECASE,
)
_SINCE = late(
    r"[,，;；]?\s*(?:\b(?:because|since|as)\b|因为|由于)\s*(?:it|they|它们?|其)?\s*$",
    re.IGNORECASE,
)
_MINUS = late(r"(?:-|零下|负|minus|negative) ?$")
_NEAR = 12  # letters before a number
_COMMA = late(r"[,，;；]")
_LETTERS = str.maketrans("0123456789", "abcdefghij")
_FORM = r"(?:zq[a-j]+zq )?(zq\d+zq)"
_WORD = late(_FORM)
_PUT = late(rf"(?:(?:never|must|禁止|必须) )?{_FORM}")  # with its force


class Told(NamedTuple):
    """A question and an answer in which what stood word for word is put plainly.

    ``recorded``: each thing that is put plainly -> as the state has it; ``words``: that -> the
    word that stands for it.
    """

    request: Request
    answer: str
    recorded: dict[Dimension, Dimension]
    words: dict[Dimension, str]

    def restored(self, text: str) -> str:
        """A text of the answer in its own words again."""
        texts = {word: one.text for one, word in self.words.items()}
        return _PUT.sub(lambda found: texts.get(found[1], found[1]), text)

    def rest(self) -> str:
        """What stands beside it, clean."""
        return clean(_WORD.sub(" ", self.answer))


class _Plain(NamedTuple):
    """What an item is looked for as, and what takes its place."""

    text: str
    word: str
    instead: str


def told(request: Request, answer: str) -> Told:
    """What of a question is answered word for word."""
    asked = [*request.dimensions, *request.over]
    words: dict[str, str] = {}
    forms: list[_Plain] = []
    for one in asked:
        if one.kind == "anchor" or one.text in words or _is_plain(one):
            continue
        words[one.text] = word = f"zq{len(words)}zq"
        forms += _forms(one, word, request.dimensions)
    forms.sort(key=lambda form: -len(form.text))
    sources = {found[1].strip() for found in _SOURCE.finditer(request.known)}
    answer = _SOURCE.sub(
        lambda found: "" if found[1].strip() in sources else found[0],
        _WORD.sub(" ", answer),
    )
    said, found = _replaced(answer, forms)
    stands = {one: words[one.text] for one in asked if words.get(one.text) in found}
    plain = [_plainly(one, stands[one]) if one in stands else one for one in asked]
    count = len(request.dimensions)
    return Told(
        request._replace(
            dimensions=tuple(plain[:count]),
            over=tuple(plain[count:]),
            known=f"{request.known}\n{' '.join(sorted(found))}",
        ),
        said,
        {new: one for new, one in zip(plain, asked, strict=True) if new is not one},
        stands,
    )


def _beside_value(one: Dimension) -> str:
    """What a fact says behind its value: what must not be used instead; "" for nothing."""
    if one.kind != "fact":
        return ""
    value = _COMMA.split(one.text, maxsplit=1)[0]
    rest = one.text[len(value) :]
    return rest if rest and stance_of(clean(rest))[0] == "never" else ""


def _is_plain(one: Dimension) -> bool:
    """Is a fact's value understood as it is, beside what must not be used instead."""
    rest = _beside_value(one)
    return bool(rest) and not stance_of(clean(one.text.removesuffix(rest)))[1]


def _plainly(one: Dimension, word: str) -> Dimension:
    text, _ = _instead(one, word)
    return one._replace(text=text)


def _instead(one: Dimension, word: str) -> tuple[str, str]:
    """An item put plainly: whole, and without the word that gives its force."""
    if one.kind in {"command", "fact"}:
        return word + _beside_value(one), word
    core = f"{word.translate(_LETTERS)} {word}"  # a word of its own, and a name
    if one.kind not in _BINDS:
        return core, core
    text = clean(without_reason(one.text))
    never = one.force == "never" or (not one.force and stance_of(text)[0] == "never")
    if is_chinese(one.text):
        return f"{'禁止' if never else '必须'} {core}", core
    return f"{'never' if never else 'must'} {core}", core


def _forms(one: Dimension, word: str, asked: Sequence[Dimension]) -> Iterator[_Plain]:
    """What an item is looked for as: with and without its reason, and its leading word."""
    whole, core = _instead(one, word)
    anchors = [each.text for each in asked if each.kind == "anchor"]
    beside = "".join(f" ({each})" for each in anchors if each in one.text)
    main = without_reason(one.text).strip().rstrip(_ENDS)
    full = one.text.strip().rstrip(_ENDS)
    for text in dict.fromkeys([full, main] if one.kind in _BINDS else [full]):
        yield _Plain(_folded(text)[0], word, whole + beside)
    if rest := _beside_value(one):
        yield _Plain(_folded(full.removesuffix(rest.rstrip(_ENDS)))[0], word, core)
    if one.kind in _BINDS and len(full) > len(main):
        # why it is so needs no understanding
        yield _Plain(_folded(_BECAUSE.sub("", full[len(main) :]))[0], "", "")
    lead = _LEADS.search(main)
    if one.kind in _BINDS and lead and (lead.start() == 0 or is_chinese(main)):
        for text in dict.fromkeys([full, main]):
            bare = (text[: lead.start()] + text[lead.end() :]).strip()
            yield _Plain(_folded(bare)[0], word, core + beside)


def _folded(text: str) -> tuple[str, list[int]]:
    """A text without case, width, markup and more than one blank, and where each letter stood."""
    found: list[str] = []
    places: list[int] = []
    for at, letter in enumerate(text):
        if letter in _MARKUP and not (letter == "*" and _is_glob(text, at)):
            continue
        if letter.isspace():
            if letter != "\n" and found and found[-1] == " ":
                continue
            folded = "\n" if letter == "\n" else " "
        else:
            folded = unicodedata.normalize("NFKC", letter).casefold()
        for one in folded:
            found.append(one)
            places.append(at)
    return "".join(found), places


def _is_glob(text: str, at: int) -> bool:
    """Is a star one of a pattern of paths: src/*, *.py."""
    return text[at - 1 : at] in {"/", "."} or text[at + 1 : at + 2] in {"/", "."}


def _replaced(answer: str, forms: Sequence[_Plain]) -> tuple[str, set[str]]:
    """An answer with plain words in the place of items; which of them are there."""
    text, places = _folded(answer)
    taken: list[tuple[int, int, str]] = []
    found: set[str] = set()
    free = bytearray(len(text))
    for form in forms:
        if len(form.text.encode("gbk", "replace")) < _SHORT:
            continue
        at = text.find(form.text)
        while at >= 0:
            end = at + len(form.text)
            if not any(free[at:end]) and _is_whole(text, at, end):
                free[at:end] = b"\1" * (end - at)
                taken.append((places[at], places[end - 1] + 1, form.instead))
                found |= {form.word} - {""}
            at = text.find(form.text, end)
    said: list[str] = []
    last = 0
    for start, end, instead in sorted(taken):
        before = answer[last:start] if instead else _SINCE.sub("", answer[last:start])
        said += [before, f" {instead} " if is_chinese(instead) else instead]
        last = end
    return "".join([*said, answer[last:]]), found


def _is_whole(text: str, start: int, end: int) -> bool:
    """Do no letters go on at either end of a part of a text."""
    before, after = text[start - 1 : start], text[end : end + 1]
    first, last = text[start], text[end - 1]
    if first.isdigit() and _MINUS.search(text[max(start - _NEAR, 0) : start]):
        return False
    if _joins(before, first) or _joins(after, last):
        return False
    if after in {".", ":", "-", "/"} and text[end + 1 : end + 2].isalnum():
        return not last.isascii()
    return True


def _joins(letter: str, other: str) -> bool:
    """Would two letters be of one word; Chinese ones always could, and do not."""
    return bool(letter) and all(
        one.isascii() and (one.isalnum() or one in "_/") for one in (letter, other)
    )
