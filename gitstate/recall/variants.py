"""What is told nearly as it is recorded, but for a word that makes it something else; pure.

Where most of an item stands in an answer, in its order, what stands at the place of a word that
is lacking took its place: another number, the other of two times, units, places or
states, a negation more or less, two things in each other's place. The nearer the rest is
to the item, the less may an unknown word stand for one of its own.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from gitstate.late import late
from gitstate.recall.alignment import nearest, terms_in, words
from gitstate.recall.contrasts import excludes
from gitstate.recall.held import Contradiction, joined
from gitstate.recall.lexicon import EMPTY
from gitstate.recall.terms import is_chinese, light

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitstate.recall.alignment import Alignment, Place, Word
    from gitstate.recall.held import Held
    from gitstate.recall.subjects import Subject

# a name or number: what stands in the place of one is looked at elsewhere
_NAME = late(r"[a-z0-9][/_.:()-]+[a-z0-9(]|^-?\d|^zq|\(\)$|^[<>=+*-]+$")
_IDENTIFIER = late(r"[a-z0-9][/_.:-]+[a-z0-9]|\(\)$")
_ORDINAL = late(r"\bthe (first|second|third|last)\b")
_WHEN = late(r"\b(?:when|if|where|once|while)\b|时(?!间)|如果|若")
_UNLESS = late(r"\b(?:unless|except)\b|除非|除外")
_COMPARED = late(r"[<>≤≥]")
_LEAST = 3  # words of an item in which one more or less can be told
_MOST = 5  # … and in which an unknown one can
_NEAR = 0.7  # of an item, to hold every word against it
_NEARER = 0.8  # of a goal, which is told more freely
_FEW = 4  # words that another one can be told with
_THREE, _TWICE = 3, 2
_BEGIN = 4  # letters that words of one family begin with
_TOLD = {"goal", "next", "step", "issue", "workaround", "decision", "fact"}
_NO = frozenset(["not", "no", "never", "without", "不", "没", "未", "非", "none"])
# what says as much as a negation
_TURNS = (
    "only except unless silently ignore skip refuse exclude unchanged same fail lack 只 仅 除 除外 例外 排除 忽略 跳过"
    " zero 零 无 悄悄 静默 默默 不变 一样 保持 拒绝 缺"
)
# they give force, order or place, which are looked at elsewhere
_ELSEWHERE = (
    "must never always always should shall before after once when if while then first until unless with within instead rather"
    " except exception outside inside ahead prior 必须 禁止 不得 严禁 切勿 务必 应当 一律 先 再 然后 之前 之后 以前 以后 前 后 时 例外 除外 接着 最后"
    " 仍 仍然 还 都 就 会 能 可以 要 得 做 到 给 让 被 其中 现在 目前 正在 单次 每次 优先 每个 向 往 经 通过 照 按 走 过 看 跑 报 出 起 来"
    " goal next step workaround open issue constraint current currently immediately set pull max hold extension"
    " 接下来 下一步 目标 约束 临时方案 未解决 问题"
)
_VERBS = "call calls calling named called 调用 调 叫 名 名为"  # which one is told by what is called


def variants(held: Held) -> Iterator[Contradiction]:
    """What an answer tells with another word in the place of the recorded one."""
    for at, one in enumerate(held.subjects):
        own, han = words(one.text), is_chinese(one.text)
        if len(own) < _LEAST:
            continue
        run = held.covering.get(at)
        texts = [text for text in held.texts if is_chinese(text) == han]
        found = nearest(own, [joined(run), *texts] if run else texts)
        exact = bool(held.quoted) or one.kind == "fact"
        if (
            found
            and _is_variant(one, found, exact=exact)
            and not _tells_another(held, one, found)
        ):
            yield Contradiction(found.text, one.dimension)


def _is_variant(one: Subject, found: Alignment, *, exact: bool) -> bool:
    """Is another thing told; ``exact``: the answer has the state's own words, it is told freely else."""
    places = found.places()
    replaced = [place for place in places if place.replaced]
    return (
        _other_limit(one.text, replaced)
        or _exchanged(replaced)
        or _other_ordinal(one.text, found.text)
        or _other_condition(one, found.text)
        or any(_excluded(found, place) for place in places)
        or _other_name(found, replaced)
        or (exact and _is_inexact(one, found, places))
    )


def _is_inexact(one: Subject, found: Alignment, places: Sequence[Place]) -> bool:
    """Is a negation lacking, or a word there that is not known to say the same."""
    least = _NEARER if one.kind == "goal" else _NEAR
    return (
        one.kind in _TOLD and any(_turned(found, place) for place in places)
    ) or _is_strange(found, [each for each in places if each.replaced], least=least)


def _tells_another(held: Held, one: Subject, found: Alignment) -> bool:
    """Is another thing told there, more than this one."""
    told = found.same / len(found.own)
    return any(
        other is not one and other.told_in(found.text) > told for other in held.subjects
    )


def _excluded(found: Alignment, place: Place) -> bool:
    """Does a word stand there that excludes the one that is lacking."""
    new = beside(place.new, found.own)
    return len(new) <= _FEW and any(
        excludes(lost.term, one.term)
        for lost in beside(place.lost, found.said)
        for one in new
    )


def beside(these: Sequence[Word], others: Sequence[Word]) -> list[Word]:
    """The words of the one that are nowhere in the other."""
    terms = {one.term for one in others}
    return [one for one in these if one.term not in terms]


def _other_limit(text: str, places: Sequence[Place]) -> bool:
    """Is a limit on the other side; what is forbidden is told of from its other one."""
    signs = {("<=", ">="), (">=", "<="), ("+", "-"), ("-", "+")}
    if _COMPARED.search(text):
        signs |= {("<", ">"), (">", "<")}
    return any(
        (lost.term, new.term) in signs
        for place in places
        for lost in place.lost
        for new in place.new
    )


def _other_ordinal(text: str, said: str) -> bool:
    """Is of several things another one meant as well: the second, where the first is recorded."""
    own, told = set(_ORDINAL.findall(text)), set(_ORDINAL.findall(said))
    return bool(own) and bool(told - own)


def _other_condition(one: Subject, said: str) -> bool:
    """Is what holds when something is so told of all but that."""
    return (
        _WHEN.search(one.text) is not None
        and not one.negative
        and _UNLESS.search(said) is not None
        and not _UNLESS.search(one.whole)
    )


def _exchanged(places: Sequence[Place]) -> bool:
    """Did what stands at two places change them."""
    sides = [(_content(one.lost), _content(one.new)) for one in places]
    return any(
        lost & other_new and new & other_lost
        for at, (lost, new) in enumerate(sides)
        for other_lost, other_new in sides[at + 1 :]
    )


def _content(these: Sequence[Word]) -> frozenset[str]:
    return frozenset(one.term for one in these) - _common()


@cache
def _common() -> frozenset[str]:
    """What stands anywhere."""
    return EMPTY | frozenset("的了在是和与或把将里时也为以及其并中之上下到从不")


def _turned(found: Alignment, place: Place) -> bool:
    """Is a negation lacking, and nothing there that says as much."""
    lost = beside(place.lost, found.said)
    return any(_denies(one.term) for one in lost) and not any(
        one.term in terms_in(_TURNS) or _denies(one.term) for one in place.around
    )


def _denies(term: str) -> bool:
    return term in _NO or (len(term) > 1 and term[0] in "不未无非没")


def _other_name(found: Alignment, places: Sequence[Place]) -> bool:
    """Does a name stand in the place of another one, that is no part of it, in what is near."""
    if found.same < _NEAR * len(found.own) or len(found.said) > _TWICE * len(found.own):
        return False
    for place in places:
        lost = [one.written for one in beside(place.lost, found.said) if is_name(one)]
        new = [one.written for one in beside(place.new, found.own) if is_name(one)]
        if lost and new and not any(a in b or b in a for a in lost for b in new):
            return True
    return False


def is_name(one: Word) -> bool:
    """Is a word a name: by its form."""
    return _IDENTIFIER.search(one.written) is not None


def _is_strange(found: Alignment, places: Sequence[Place], *, least: float) -> bool:
    """Does a word that is not known to say the same stand for one, where the rest is near."""
    if len(found.own) < _MOST or found.same < least * len(found.own):
        return False
    if len(found.said) > _TWICE * len(found.own):
        return False  # it tells of more
    for place in places:
        lost = [one for one in beside(place.lost, found.said) if _weighs(one)]
        new = [one for one in beside(place.new, found.own) if _weighs(one)]
        if not lost or not 0 < len(new) <= _THREE or len(lost) > _THREE:
            continue
        if not any(akin(other, one) for one in lost for other in new):
            return True
    return False


def _weighs(one: Word) -> bool:
    """Does a word say anything that is not looked at elsewhere."""
    return (
        says(one) and one.term not in light() and one.term not in terms_in(_ELSEWHERE)
    )


def says(one: Word) -> bool:
    """Does a word say anything at all, and is no name."""
    return not (
        one.bare
        or one.written in _written(_VERBS)
        or one.term in _common()
        or not _written(_ELSEWHERE).isdisjoint(
            (one.written, one.written.removesuffix("s"))
        )
        or _NAME.search(one.written) is not None
    )


@cache
def _written(text: str) -> frozenset[str]:
    return frozenset(text.split())


def akin(one: Word, other: Word) -> bool:
    """Are two words of one family: 发送 and 发, expire and expiry; 直梯 and 扶梯 are not."""
    if _denies(one.term) and _denies(other.term):
        return True
    if is_chinese(one.written) or is_chinese(other.written):
        return one.written[0] in other.written or other.written[0] == one.written[0]
    if one.term[0] == other.term[0] == "#":
        return False  # each is known to say something else
    short = min(_BEGIN, len(one.written), len(other.written))  # dev, development
    return short >= _THREE and one.written[:short] == other.written[:short]
