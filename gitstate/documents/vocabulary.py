"""The words of the state files, looked up: a label as it was written -> its key."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from gitstate.documents.labels import TABLES, Names
from gitstate.late import late

Lang = Literal["en", "zh"]
LONGEST = 40  # characters; a longer text is a sentence, not a label

_LEADING_NUMBER = late(r"(?:\d{1,3}|第?[一二三四五六七八九十]{1,3}) (?=\S)")
_NOTHING = 24  # characters of the longest way to say that there is nothing
_WORD = late(r"[^\W_]")
_NOT_WORDS = late(r"[\W_]+")
# "Goal / 目标", "Goal (short)", "Steps - parser": the first part is the label
_TWO_LANGUAGES = late(r"([a-z ]+?) ?([\u4e00-\u9fff]+)|([\u4e00-\u9fff]+) ?([a-z ]+)")
_PARTS = late(r"\s*[/|(（\[【,，]|\s+[–—-]+\s")


@lru_cache(maxsize=4096)
def normal(text: str) -> str:
    """A label as it is compared: lower case, plain width, words and nothing else."""
    text = unicodedata.normalize("NFKC", text).replace("\ufe0f", "")
    text = _NOT_WORDS.sub(" ", text.casefold()).strip() or text.strip()
    found = _LEADING_NUMBER.match(text)
    return text[found.end() :] if found else text


class Vocabulary(NamedTuple):
    """The names of one kind of thing: what is read, and what is written."""

    keys: dict[str, str]  # a name as ``normal`` gives it -> its key
    written: dict[str, tuple[str, str]]  # a key -> its name in English, in Chinese

    def key(self, text: str) -> str | None:
        """The key that ``text`` as a whole names; ``None`` when it is no label."""
        if len(text) > LONGEST:
            return None
        return self.keys.get(normal(text))

    def key_in_part(self, text: str) -> str | None:
        """The key of ``text``, or else of its first part: ``Goal / 目标``, ``Goal (1)``."""
        if len(text) > LONGEST:
            return None
        found = self.keys.get(normal(text))
        if found is None and (parts := _PARTS.search(text)) and parts.start():
            found = self.keys.get(normal(text[: parts.start()]))
        if found is not None or text.isascii():
            return found
        if both := _TWO_LANGUAGES.fullmatch(normal(text)):
            keys = {self.keys.get(part) for part in both.groups() if part}
            found = keys.pop() if len(keys) == 1 else None
        return found

    def name(self, key: str, lang: Lang) -> str:
        """What gitstate writes for ``key``."""
        return self.written[key][lang == "zh"]


def _vocabulary(names: Names) -> Vocabulary:
    keys: dict[str, str] = {}
    written = {}
    for key, (english, chinese) in names.items():
        for name in (*english.split("|"), *chinese.split("|")):
            keys.setdefault(normal(name), key)
        written[key] = (english.split("|")[0], chinese.split("|")[0])
    return Vocabulary(keys, written)


@cache
def vocabulary(name: str) -> Vocabulary:
    """The vocabulary of that name: ``task``, ``step``, ``decision``, ``kind`` ..."""
    return _vocabulary(TABLES[name])


def says_nothing(text: str) -> bool:
    """Whether ``text`` is empty or only says that there is nothing."""
    if _WORD.search(text) is None:
        return True
    return len(text) <= _NOTHING and vocabulary("nothing").key(text) is not None
