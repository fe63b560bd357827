"""What one thing of the state is recognised by in an answer: names, words, force; pure."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from gitstate.late import late
from gitstate.recall.cleaning import clean
from gitstate.recall.enough import MARKED
from gitstate.recall.exceptions import is_excepted, is_turned
from gitstate.recall.lexicon import OPPOSITES
from gitstate.recall.relations import (
    amounts,
    direction,
    has_word,
    swapped,
    unit_words,
    units,
)
from gitstate.recall.sequence import is_reversed
from gitstate.recall.stances import DENY, SOFT, stance_of
from gitstate.recall.terms import (
    camel,
    families,
    has_name,
    light,
    share,
    terms,
)
from gitstate.recall.values import Value, latin, value_of

if TYPE_CHECKING:
    from gitstate.recall.asking import Dimension

_REASON = late(
    r"[,，;；]?\s*(?:because|since|so that|otherwise|like|for example|e\.g\.|such as)\b.*$|[，,；;]?(?:因为|由于|以便|否则|不然|以免|免得|例如|比如).*$"
    r"|\((?:source|来源)[^)]*\)|（(?:source|来源)[^）]*）",
    re.IGNORECASE | re.DOTALL,
)
# of what has a purpose of its own only why it is so
_WHY = late(
    r"[,，;；]?\s*(?:because|since)\b.*$|[，,；;]?(?:因为|由于|否则|不然).*$|\((?:source|来源)[^)]*\)|（(?:source|来源)[^）]*）",
    re.IGNORECASE | re.DOTALL,
)
STRESS = late(
    r"[,;] not even\b[^,;.]*$|[，,；;](?:哪怕|即使)[^，,；;。]*$", re.IGNORECASE
)
_AT_LINE = late(
    r"[,，]?\s*(?:在|at|in)?\s*[A-Za-z0-9_./-]{1,200}\.\w{1,12}:\d{1,7}\s*(?:处|行)?"
)
_EXCEPTION = late(
    r"[,，]?\s*\b(?:without|unless|except|outside)\b.*$|[，,]([^，,]*(?:除外|以外|之外)).*$|除了?([^，,]+?)(?:以外|之外|外)",
    re.IGNORECASE,
)
_KEEP = late(r"\b(?:keep|retain|preserve|leave|stay|remain)(?:s|ing)?\b|保持|保留|维持")
_VERB = late(
    r"^(?:never|must not|do not|don't|禁止|切勿|不得|不要|不能|不可|不许|严禁)\s*(?:直接)?([a-z]+|[\u4e00-\u9fff]{2})"
)
_LINE = late(r":\d+$")
_TOOL_VERBS = terms("run use install 运行 使用 安装 add").words
_UNDOING = (
    terms("delete revert undo disable cancel skip").words | terms("删除 撤销").words
)
# what to do rather than what is forbidden
_INSTEAD = late(
    r";.*$|,\s*(?:(?:only|use|must|always|write|instead|but)\b|只能|只用|应当?|必须|改用|请用|要用).*$"
)
_INSTEAD_OF = late(
    r"[,;]? ?(?:\b(?:instead of|rather than)\b|而不是|而非).*$|[,;] not\b(?! (?:to|even)\b)[^,;]*"
)
_CLAUSES = late(r"[,;]\s*|\band\b|(?:并且|同时|而且)")
_IT = late(r"\b(?:it|them|they|that|those)\b|[它其]")
_ONCE = late(
    r"\bonce\b|\bone time\b|\bsingle time\b|[一单1] ?[次遍回]|不会?重复|第 ?[二2] ?次|绝不重复|两次"
)
_EVERY = late(r"\bevery time\b|\beach (?:time|retry)\b|\bon every\b|每次|每一次")
_BUT_FOR = late(
    r"\bexcept\b|\bother than\b|\beverything but\b|除[^,;]{1,20}?(?:之外|以外)"
)
# between the words of a command
_BETWEEN = r"[\s,]+(?:(?:with|the|flag|option|using|and|,|带上|加上|加|参数)\s+){0,3}"
# what leads from one step to the next, and says nothing of what is in one
_GOES_ON = late(
    r"(?:^|[,;:]\s*)(?:so |and )?(?:then|next|after that|afterwards|接下来|紧接着|接着|然后|随后)"
)
_HALF, _MOST, _NEARLY = 0.5, 0.6, 0.7
_ADDING = terms("new").words
_EDITING = terms("edit").words
_FEW = 2  # terms of a verdict
_LOOSE = frozenset(
    {"goal", "next", "step", "issue", "workaround", "decision", "place", "anchor"}
)


class Subject:
    """A dimension, ready to be looked for in clean text."""

    def __init__(self, dimension: Dimension) -> None:
        self.dimension = dimension
        self.kind = dimension.kind
        self.loose = self.kind in _LOOSE
        raw = (_WHY if self.loose else _REASON).sub("", dimension.text)
        why = dimension.text[len(raw) :]
        raw = STRESS.sub("", raw)
        self.why = terms(clean(why)).words if why else frozenset[str]()
        self.exception: frozenset[str] = frozenset()
        self.exception_names: frozenset[str] = frozenset()
        value = value_of(dimension, raw) if self.kind == "fact" else Value(raw)
        raw, self.foils, self.foil_words, self.version = value
        if self.kind == "next":
            raw = _AT_LINE.sub(" ", raw)
        self.text = clean(raw)
        self.instead = _INSTEAD_OF.search(self.text) is not None
        stance, self.has_stance = stance_of(_INSTEAD_OF.sub("", self.text))
        forbidden = self.kind == "prohibition" and dimension.force == "never"
        demanded = self.kind == "rule" and dimension.force == "must"
        self.negative = forbidden or (
            self.kind in {"prohibition", "rule", "constraint"}
            and stance == "never"
            and not demanded
        )
        self.stance = stance
        self.soft = SOFT.search(self.text) is not None
        self.denies = DENY.search(self.text) is not None
        self.bound = direction(self.text, negated=self.negative)
        main = self.text
        if self.negative or self.kind == "rule":
            found = _EXCEPTION.search(raw)
            if found:
                spoken = terms(clean(found[0]))
                self.exception = spoken.names or spoken.words
                self.exception_names = spoken.names
                main = clean(raw[: found.start()] + raw[found.end() :])
        if self.negative:
            main = _INSTEAD.sub("", main)
        named = camel(raw)
        self.short = self.kind == "fact" and len(main.split()) <= 3  # noqa: PLR2004 no sentence
        if self.short:
            written = frozenset(main.replace(",", " ").replace("、", " ").split())
            named |= written - unit_words()
        found_ = terms(main, named | latin(main))
        self.foils -= found_.names
        self.names = tuple(sorted(found_.names))
        self.words = self._weighty(found_.words)
        if self.kind == "fact" and not any(found_):  # "go": it says nothing else
            self.names = tuple(sorted(main.split()))
        self.keeps = self.negative and (
            _KEEP.search(self.text) is not None or bool(self.words & _EDITING)
        )

    def _weighty(self, words: frozenset[str]) -> frozenset[str]:
        """The words that have to be said."""
        if self.negative and not self.names:  # "never use …": what must not be used
            return words - _TOOL_VERBS or words
        if self.kind == "fact":
            return words - terms("次").words or words  # 200 次操作
        return words

    @cached_property
    def whole(self) -> str:
        """All that the state says of it, clean."""
        return clean(self.dimension.text)

    @cached_property
    def parts(self) -> list[frozenset[str]]:
        """The words of each of its clauses that has two at least; none of a single clause."""
        found = [terms(each).words for each in _CLAUSES.split(self.text)]
        return [one for one in found if len(one) > 1] if len(found) > 1 else []

    @cached_property
    def all(self) -> frozenset[str]:
        """Names and words."""
        return frozenset(self.names) | self.words

    def names_in(self, text: str) -> bool:
        """Are the names there that have to be."""
        if self.kind == "command":
            if not self.text.strip():
                return False  # it was struck out, or of controls alone
            words = [_word_of(one) for one in self.text.split() if one != "--"]
            return re.search(_BETWEEN.join(words), text) is not None
        if self.loose:
            return self._loose_in(text)
        whole = all(has_name(text, one) for one in self._wanted)
        if self.kind == "fact":
            return bool(self.names or self.words) and whole
        if self.kind == "constraint":
            return whole or self._share(text, self.words) >= _HALF
        return whole and is_excepted(self, text)

    @cached_property
    def _wanted(self) -> tuple[str, ...]:
        """The names that have to be there: of a tool that is used in one place, the place."""
        if self.kind != "rule" or not any("/" in one for one in self.names):
            return self.names
        return tuple(one for one in self.names if one not in families())

    def _loose_in(self, text: str) -> bool:
        """The names without which a goal, a place or a line to open is another one."""
        if self.kind == "anchor":
            file, line = self.text, ""
            if _LINE.search(self.text):
                file, _, line = self.text.rpartition(":")
            at = re.search(rf"(?<!\d){line}(?!\d)", text) if line else True
            return has_name(text.replace(":", " "), file) and at is not None
        if self.kind == "place":
            return all(has_name(text, one) for one in self.names[:1])
        own = [one for one in self.names if MARKED.search(one)]
        lacks = own and not any(has_name(text, one) for one in own)
        if self.kind == "workaround" and lacks:
            return False
        once = _ONCE.search(self.text) is not None
        if once and (_EVERY.search(text) or not _ONCE.search(text)):
            return False
        if _BUT_FOR.search(text) and not _BUT_FOR.search(self.text):
            return False
        return self.kind != "goal" or all(
            has_name(text, one)
            for one in self.names
            if "/" not in one and re.search(r"[\d_]", one)
        )

    def known_in(self, text: str) -> bool:
        """Is nearly all of it there."""
        return self._share(text, self.all) >= _MOST

    def told_in(self, text: str) -> float:
        """How much of it is there, of 1."""
        return self._share(text, self.all)

    def words_in(self, text: str) -> float:
        """How many of its words are there."""
        return self._share(text, self.words) * len(self.words)

    def has(self, text: str, name: str) -> bool:
        """Is a name there."""
        return has_name(text, name)

    def other_digits_in(self, text: str) -> bool:
        """Are its names there, with another number."""
        digits = [one for one in self.names if one[0].isdigit()]
        names = [one for one in self.names if not one[0].isdigit()]
        if len(digits) != 1 or not names:
            return False
        if not all(has_name(text, one) for one in names):
            return False
        said = re.findall(r"(?<![\w./:-])\d+(?:[.:]\d+)*(?!\w)", text)
        return bool(said) and digits[0] not in said

    def other_version_in(self, text: str) -> bool:
        """Does its tool stand there with a version that is not its own, nor a part of it."""
        if not self.version:
            return False
        said: list[str] = re.findall(
            rf"(?<![\w./@-]){re.escape(self.text)}[\s@,:]{{0,3}}"
            r"(?:(?:version|v|的?版本)(?: is|是|为)?)?\s*(\d+(?:\.\d+)*)(?!\w)",
            text,
        )
        own = f"{self.version}."
        return any(
            not own.startswith(f"{one}.") and not one.startswith(own) for one in said
        )

    def touches(self, text: str) -> bool:
        """Is anything of it there."""
        return self._share(text, self.all | self.exception) > 0

    def reasons_in(self, text: str) -> bool:
        """Does a segment give the reason only."""
        few = len(self.why & terms(text).words) <= 1
        return not few and self._share(text, self.why) >= _HALF

    def only_reasons_in(self, text: str) -> bool:
        """Does a segment say nothing but the reason."""
        said = terms(text)
        return self.reasons_in(text) and len(said.words - self.why - light()) <= 1

    def named_in(self, text: str) -> bool:
        """Is a name of it there, or nearly all its words where it has none."""
        if self.names:
            return any(has_name(text, one) for one in self.names)
        return self._share(text, self.words) >= _NEARLY

    def done_in(self, text: str, around: str) -> bool:
        """Does a sentence that forbids nothing say that what is forbidden is done."""
        if is_turned(self, text) or self.reasons_in(text):
            return False
        it = _IT.search(text) and self._alone_in(text) and self.known_in(around)
        if it or any(has_name(text, one) for one in self.tools):
            return True
        if not self.names:
            there = self._share(text, self.words)
            rest = there >= _MOST and self._share(around, self.words) == 1
            return len(self.words) > 1 and (there >= _NEARLY or rest)
        if not all(has_name(text, one) for one in self.names):
            named = all(has_name(around, one) for one in self.names)
            near = named and not terms(text).names and self.acts_in(text)
            said = terms(text).words
            anew = bool(said & _ADDING - self.words)  # what is done instead
            few = len(self.words & said) <= 1 or anew
            return near and not few and self._share(text, self.words) >= _MOST
        if self.bound:
            return direction(text, negated=False) == -self.bound
        known = _VERB.match(self.text) is not None
        return self.acts_in(text) if known else self._share(text, self.words) >= _HALF

    def _alone_in(self, text: str) -> bool:
        """Does a text have the verb of what is forbidden, and nothing else: "it is retried"."""
        said = terms(text)
        bare = not said.names and said.words <= self.words | light()
        return bare and self.acts_in(text)

    @cached_property
    def tools(self) -> tuple[str, ...]:
        """The tools that must not be used, where that is all that is forbidden."""
        named = [one for one in self.names if one in families()]
        whole = len(named) == len(self.names) and self.words <= _TOOL_VERBS
        return self.names if whole and self.kind == "prohibition" else ()

    def acts_in(self, text: str) -> bool:
        """Is the verb of what is forbidden there."""
        verb = _VERB.match(self.text)
        if not verb:
            return False
        words = terms(verb[1]).words
        return bool(words & terms(text).words)

    def foil_in(self, text: str) -> bool:
        """Is what must not be used instead there."""
        return any(has_name(text, one) for one in self.foils) or (
            len(self.foil_words) > 1 and self._share(text, self.foil_words) == 1
        )

    def concerned_by(self, text: str, around: str) -> bool:
        """Does a segment that allows or takes back something speak of this."""
        if self.kind in {"fact", "command"}:
            wanted = [*self.names, *self.foils]
            return any(has_name(text, one) for one in wanted)
        if self.names and any(has_name(text, one) for one in self.names):
            return True
        least = 0.5 if len(self.words) > 2 else 0.9  # noqa: PLR2004
        return self._share(text, self.words) >= least or (
            sum(map(len, terms(text)))
            <= _FEW  # "that is fine": of what stands around it
            and self.named_in(around)
        )

    def bound_in(self, text: str, *, negated: bool) -> bool:
        """Is a limit there on the same side."""
        return direction(text, negated=negated) == self.bound

    def key_in(self, text: str) -> bool:
        """Is what a fact is called there."""
        return has_name(
            text, clean(self.dimension.key).partition("(")[0].strip() or "-"
        )

    def other_unit_in(self, text: str) -> bool:
        """Does one of its numbers stand there in another unit."""
        own, said = units(self.text), units(text)
        return any(
            number in said and not said[number] & unit for number, unit in own.items()
        )

    def other_amount_in(self, text: str) -> bool:
        """Does another amount stand there of what it has one of, in whatever unit."""
        if not self._amounts:
            return False
        said = amounts(text)
        return any(
            kind in said and not said[kind] & own for kind, own in self._amounts.items()
        )

    def amount_in(self, text: str) -> bool:
        """Does an amount of its own stand there."""
        said = amounts(text) if self._amounts else {}
        return any(said.get(kind, set()) & own for kind, own in self._amounts.items())

    @cached_property
    def _amounts(self) -> dict[str, set[float]]:
        return amounts(self.text)

    def swapped_in(self, text: str) -> bool:
        """Do two of its names stand in each other's place."""
        names = () if self.loose else self.names
        return swapped(self.text, text, names)

    def limits(self, text: str) -> bool:
        """Does a text that forbids something give a fact's limit."""
        return self.kind == "fact" and direction(text, negated=True) != 0

    def opposite_in(self, text: str) -> str:
        """A word that says the opposite of one of this; "" for none."""
        if self.kind in {"next", "step", "goal"}:
            undone = terms(text).words & _UNDOING
            if undone and not undone & self.words:
                return text
        said = _GOES_ON.sub(" , ", text) if self.kind in {"next", "step"} else text
        turned = not self.negative and is_reversed(self.text, said)
        if turned or self._sibling_in(text):
            return text
        for one, other in OPPOSITES:
            for word, against in ((one, other), (other, one)):
                if (
                    has_word(self.text, word)
                    and not has_word(self.text, against)
                    and has_word(text, against)
                    and not has_word(text, word)
                    and not terms(word).words & terms(text).words
                ):
                    return text
        return ""

    def _sibling_in(self, text: str) -> bool:
        """Does another of its kind stand where a name of it should."""
        return any(
            not has_name(text, name)
            and any(has_name(text, one) for one in families().get(name, ()))
            for name in self.names
        )

    def _share(self, text: str, wanted: frozenset[str]) -> float:
        """How many of the terms are in a text, of 1."""
        return share(text, wanted)


def without_reason(text: str) -> str:
    """A text of the state without its reason and source."""
    return _WHY.sub("", text)


def _word_of(word: str) -> str:
    """A pattern for a word of a command, which a mark in it may have parted."""
    found = re.escape(word).replace("=", r"(?:=|\s*,\s*)")
    return f":?{found[1:]}" if found.startswith(":") else found
