"""Steps and issues that an answer tells in another state than theirs; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.late import late
from gitstate.recall.enough import is_enough
from gitstate.recall.held import Contradiction, joined
from gitstate.recall.terms import has_name

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Sequence

    from gitstate.recall.held import Held
    from gitstate.recall.segments import Segment
    from gitstate.recall.subjects import Subject

_DOING = late(
    r"\bin progress\b|\b(?:i'm|i am|now) (?:in|on|at) step\b|\bworking on\b|\bwork on\b|\bdoing\b|\bcurrently\b|\bunder way\b|\bunderway\b|\bcurrent step\b|\bin the middle of\b|\b(?:am|are|is|'m|'re|'s) now \w+ing\b"
    r"|进行|正在|当前"
)
_DONE = late(
    r"\b(?:is|are|was|been|got|has|already|now|:)\s*(?:(?!not\b)\w+ )?(?:finished|done|complete|completed|closed|over)\b|^(?:finished|done|completed)\b|\b(?:i|we) (?:have |had )?(?:just |already )?(?:finished|completed)\b|\balready (?:been )?\w+ed\b"
    r"|(?:已|已经|都)(?:经)?(?:完成|做完|结束)|完成了|做完了|搞定"
)
_BEHIND = late(
    r"\bbehind (?:us|me)\b|\b(?:done|finished|completed)\b.{0,20}\b(?:are|is|so far|already)\b|^(?:done|finished|completed)$|^(?:已完成|已经完成|做完)的?"
)
_NEXT = late(r"\bnext\b|\bthen\b|\bafter that\b|下一步|接下来|然后|之后")
_IDLE = late(r"\bnothing is in progress\b|没有(?:任何)?(?:步骤)?(?:正在)?进行")
_NONE_OPEN = late(
    r"\b(?:nothing|none)(?: of them)? (?:is|are) (?:still )?open\b|\bno (?:open|known) (?:issues?|problems?)\b|没有(?:任何)?(?:未解决|遗留|已知)的?问题"
)
_FREE = late(
    r"\bno longer blocked\b|\bunblocked\b|不再?受阻|不再阻塞|\bnothing(?: is|'s)? blocked\b|\bno blockers?\b|没有(?:任何)?(?:阻塞|受阻|卡住)"
)
_TODO = late(
    r"\bstill (?:to|has to|have to|needs? to) (?:do|be \w+)\b|\bnot (?:yet )?(?:started|begun)\b|\bup next\b|待办|(?:还没|尚未|未)(?:有)?开始"
)
# of a step that is done
_LEFT = late(
    r"还没|尚未|未完成|没做|没有(?:做|完成|收集|写)|有待|以后再|放到后面|\bnot (?:yet )?(?:been )?(?:done|written|finished|started|made)\b|\byet to be\b|\b(?:hasn't|haven't|isn't|wasn't)\b|\bremains? to be\b|\bstill (?:missing|open|outstanding)\b"
)
_STUCK = late(r"\bblocked\b|\bon hold\b|\bpaused\b|受阻|阻塞|卡住|暂停")
_SOLVED = late(
    r"\b(?:is|are|was|were) (?:all |both )?done\b|\bresolved\b|\bfixed\b|\bsolved\b|\bclosed\b|\bno longer\b|\bgone\b|\bsorted(?: out)?\b|\bdone with\b|\bbehind us\b|\b(?:is|are) history\b|\bdealt with\b|\bout of the way\b|处理(?:完|好|掉)|关掉|搞定|不用管|修好|不是问题|已?解决(?!的问题|问题)|已?修复|已关闭|不再"
)
_UNSOLVED = late(
    r"\b(?:un|(?:not|isn't|aren't|wasn't|hasn't|haven't|never|nor) (?:yet |been ){0,2})(?:re)?(?:solved|fixed|closed|sorted)\b|(?:尚|还)?(?:未|没有?)(?:能|被|人)?(?:解决|修复|修好|修完|弄好|搞定|处理|关闭|好)|尚未|还没"
)
_OTHER_STEP = late(r"(?:\bstep (\d{1,3})|第 ?(\d{1,3}) ?步|步骤 ?(\d{1,3}))[^,;]*")
_STEP_NUMBER = late(
    r"\bstep (?:no\. ?|number )?(\d{1,3})\b|第 ?(\d{1,3}) ?步|步骤 ?(\d{1,3})"
)


def statuses(held: Held) -> Iterator[Contradiction]:
    """What is told to be done, in progress or open, and is not."""
    over = _numbers_over(held)
    for at, one in enumerate(held.subjects):
        run = held.covering.get(at)
        if run is not None:
            yield from _ended(held, one, run, over)
        elif one.kind == "issue":
            yield from _solved(held, one)
    blocked = [one for one in held.over if one.dimension.key.endswith(" blocked")]
    for sentence in held.answer:
        numbers = _step_numbers(sentence.text)
        other = bool(numbers) and numbers <= over and _DOING.search(sentence.text)
        doing = any(one.kind == "step" for one in held.subjects)
        idle = doing and _IDLE.search(sentence.text)
        issues = any(one.kind == "issue" for one in held.subjects)
        closed = issues and _NONE_OPEN.search(sentence.text)
        if other or idle or closed or (blocked and _FREE.search(sentence.text)):
            yield Contradiction(sentence.text)
        for part in sentence.segments:
            yield from _otherwise(held, part, sentence.text)
        yield from _listed(held, sentence.segments)


def _listed(held: Held, parts: Sequence[Segment]) -> Iterator[Contradiction]:
    """Steps in a list whose lead says of all of them what is not so of one."""
    lead = parts[0].text if parts else ""
    doing, done = _DOING.search(lead), _BEHIND.search(lead)
    if not (doing or done):
        return
    for part in parts:
        if any(one.search(part.text) for one in (_TODO, _STUCK, _NEXT)):
            return  # of what follows something else is said
        marked = _DONE.search(part.text) or _BEHIND.search(part.text)
        own = part is not parts[0] and marked is not None
        for one in () if own else held.over:
            number, _, status = one.dimension.key.partition(" ")
            if one.kind != "step" or not number.isdigit():
                continue
            if one.known_in(part.text) and (doing or status != "done"):
                yield Contradiction(part.text, one.dimension)


def _otherwise(held: Held, part: Segment, around: str) -> Iterator[Contradiction]:
    if _other_status(held, part):
        yield Contradiction(part.text)
    for one in held.over:
        if one.kind == "issue" and _told_open(held, one, part, around):
            yield Contradiction(part.text, one.dimension)


def _ended(
    held: Held, one: Subject, run: Sequence[Segment], over: set[int]
) -> Iterator[Contradiction]:
    """The step in progress told as done or blocked, an open issue as resolved."""
    if one.kind == "step":
        text = _OTHER_STEP.sub(_own_only(over), held.with_tail(run))
        if any(one_.search(text) for one_ in (_DONE, _STUCK, _TODO)):
            yield Contradiction(text, one.dimension)
    elif one.kind == "issue":
        text = _around(held, run) or held.with_tail(run)
        if _says_solved(text, one):
            yield Contradiction(text, one.dimension)


def _says_solved(text: str, one: Subject) -> bool:
    """Is an issue told as resolved, in words that are not its own."""
    return any(
        found[0] not in one.text for found in _SOLVED.finditer(_UNSOLVED.sub(" ", text))
    )


def _solved(held: Held, one: Subject) -> Iterator[Contradiction]:
    """An open issue that was not asked for by name, told as resolved."""
    key = one.dimension.key.casefold()
    for part in held.segments():
        text = part.text
        named = (bool(key) and has_name(text, key)) or is_enough(one, text)
        if named and _says_solved(text, one):
            yield Contradiction(text, one.dimension)


def _own_only(numbers: set[int]) -> Callable[[re.Match[str]], str]:
    """What is said of a step that is not in progress goes."""

    def kept(found: re.Match[str]) -> str:
        number = int(next(filter(None, found.groups())))
        return " " if number in numbers else found[0]

    return kept


def _around(held: Held, run: Sequence[Segment]) -> str:
    """A run to the end of its sentence, where that tells of this issue alone; else ""."""
    sentence = next(
        one for one in held.answer if any(part is run[0] for part in one.segments)
    )
    told = [
        one
        for one in (*held.subjects, *held.over)
        if one.kind == "issue"
        and any(
            is_enough(one, part.text)
            or (one.dimension.key and has_name(part.text, one.dimension.key.casefold()))
            for part in sentence.segments
        )
    ]
    at = next(n for n, part in enumerate(sentence.segments) if part is run[0])
    own = sentence.segments[at : at + len(run)]
    for part in sentence.segments[at + len(run) :]:
        if part.fresh:
            break
        own.append(part)
    return joined(own) if len(told) == 1 else ""


def _other_status(held: Held, part: Segment) -> bool:
    """Is a step said to be done, or in progress, that is not."""
    text = held.with_tail([part])
    numbers = _step_numbers(part.text)
    for one in held.over:
        if one.kind != "step":
            continue
        number, _, status = one.dimension.key.partition(" ")
        if numbers != {int(number)} and not (not numbers and one.known_in(part.text)):
            continue
        done = _DONE.search(text) is not None and "not " not in text
        if (done and status != "done") or (not done and _DOING.search(text)):
            return True
        if status == "done" and (_TODO.search(text) or _LEFT.search(text)):
            return True
    return False


def _numbers_over(held: Held) -> set[int]:
    return {
        int(one.dimension.key.partition(" ")[0])
        for one in held.over
        if one.kind == "step" and one.dimension.key.partition(" ")[0].isdigit()
    }


def _told_open(held: Held, one: Subject, part: Segment, around: str) -> bool:
    """Is a resolved issue told without a word that it is."""
    if _SOLVED.search(_UNSOLVED.sub(" ", around)):
        return False
    if one.dimension.key and has_name(part.text, one.dimension.key.casefold()):
        return True
    mine = [other for other in held.subjects if other.kind == "issue"]
    return is_enough(one, part.text) and not any(
        is_enough(other, part.text) for other in mine
    )


def _step_numbers(text: str) -> set[int]:
    return {int(next(filter(None, one))) for one in _STEP_NUMBER.findall(text)}
