"""Is a thing of the state said in an answer, with its force; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.late import late
from gitstate.recall.enough import is_enough
from gitstate.recall.exceptions import excuses, is_turned
from gitstate.recall.held import joined
from gitstate.recall.stances import LEADING, LEFT_OUT, UNLESS_ADDED, forbidding
from gitstate.recall.terms import is_bare, light, terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitstate.recall.held import Held
    from gitstate.recall.segments import Segment
    from gitstate.recall.stances import Stance
    from gitstate.recall.subjects import Subject

_ELSEWHERE = late(
    r"\b(?:elsewhere|anywhere else|everywhere else|nowhere else|otherwise)\b|别处|其[余他它](?:地方|目录|位置|情况|代码|处)?|此外"
)
_WINDOW = 5  # neighbouring segments that may say one thing together


def cover(held: Held, one: Subject) -> Sequence[Segment] | None:
    """The neighbouring segments that say a thing; ``None`` where none do."""
    for run in _runs(held, across=one.loose):
        text = joined(
            [
                part
                for part in run
                if not (one.negative and part.stance == "none")
                and not (one.kind == "goal" and part.flips)
            ]
        )
        if one.negative and not one.bound and not _all_forbid(one, run, text):
            continue
        if not text or not one.names_in(text):
            continue
        if not is_enough(one, text) and not _by_amount(held, one, text):
            continue
        if one.bound and not _within(one, run):
            continue
        if one.other_amount_in(text) and any(
            other is not one and other.amount_in(text) for other in held.subjects
        ):
            continue  # it is said of another thing, with that one's amount
        if _another_one(held, one, text) or _other_key(held, one, text):
            return None
        if (
            _stands(one, run)
            and not one.swapped_in(text)
            and not one.other_unit_in(text)
            and not (one.negative and _weakened(held, one, run))
        ):
            return run
    return _each_tool(held, one)


def _by_amount(held: Held, one: Subject, text: str) -> bool:
    """Is a limit told by its amount, which no other thing has."""
    if one.kind != "constraint" or not one.bound:
        return False
    others = [each for each in held.subjects if each is not one]
    if one.amount_in(text):
        return not any(each.amount_in(text) for each in others)
    numbers = [name for name in one.names if name.isdigit() and len(name) > 1]
    return bool(numbers) and not any(
        name in each.names for each in others for name in numbers
    )


def _other_key(held: Held, one: Subject, text: str) -> bool:
    """Is a fact's value told of another fact."""
    if one.kind != "fact" or one.key_in(text):
        return False
    return any(
        other.kind == "fact"
        and other.dimension.key != one.dimension.key
        and other.key_in(text)
        and not (other.names and other.names_in(text))
        for other in (*held.subjects, *held.over)
    )


def _each_tool(held: Held, one: Subject) -> Sequence[Segment] | None:
    """Tools that are forbidden one by one."""
    banned = [
        part
        for part in held.segments()
        if part.stance == "never"
        and not (part.hedged or part.excepted or _weakened(held, one, [part]))
    ]
    found = [
        next((part for part in banned if one.has(part.text, name)), None)
        for name in one.tools
    ]
    return [part for part in found if part] if found and all(found) else None


def _all_forbid(one: Subject, run: Sequence[Segment], text: str) -> bool:
    """Does no segment of a run say that it is done."""
    if one.exception and is_turned(one, text):
        return True
    return all(
        part.stance in {"never", "none"}
        or part.excepted
        or is_turned(one, part.text)
        or one.reasons_in(part.text)
        or (
            part.stance == "plain"
            and bool(one.names)
            and one.kind != "constraint"
            and not one.done_in(part.text, text)
        )
        for part in run
    )


def _runs(held: Held, *, across: bool) -> Iterator[Sequence[Segment]]:
    whole: list[Segment] = []
    for sentence in held.answer:
        parts = sentence.segments
        for length in range(1, min(_WINDOW, len(parts)) + 1):
            for at in range(len(parts) - length + 1):
                yield parts[at : at + length]
        whole += parts
    alone = (
        len(held.subjects) == 1
    )  # a value in two sentences: "PostgreSQL. It listens on …"
    for length in range(2, _WINDOW) if alone else ():
        for at in range(len(whole) - length + 1):
            yield whole[at : at + length]
    if across:
        for at in range(len(whole)):
            yield whole[at : at + _WINDOW]


def _stands(one: Subject, run: Sequence[Segment]) -> bool:
    """Does it stand there with its force, and for sure."""
    of_it = [
        part
        for part in run
        if one.touches(part.text) or (one.negative and _is_verdict(part))
    ]
    if any(part.hedged and not one.soft for part in of_it):
        return False
    if any(part.stance == "denied" and not one.denies for part in of_it):
        return False
    stances = {part.stance for part in of_it}
    if one.negative:
        return _is_banned(one, run, stances)
    if one.kind in {"rule", "constraint"}:
        stances = {part.stance for part in of_it if not part.flips}
        turned = all(part.excepted for part in of_it if part.stance == "never")
        return (
            not {"may", "weak"} & stances
            and ("never" not in stances or turned or bool(one.bound))
            and bool(stances - {"none"})
        )
    bad = {"may", "weak", "never"} if not one.has_stance else set[str]()
    if one.loose:
        stances = {one.stance for one in of_it if not one.flips} or stances
    if one.kind == "workaround" and not any(part.own for part in of_it):
        bad -= {"never"}  # the "not" of what goes wrong, which stands before it
    if one.bound or one.limits(joined(of_it)):
        bad -= {"never"}
    if one.kind == "goal":
        bad = {"may", "weak"} - {one.stance}
    if one.kind == "issue":
        bad = {"weak"}  # most of them are told with a "not"
    return not bad & stances and (
        stances != {"none"} or one.kind not in {"fact", "command"}
    )


def _is_verdict(part: Segment) -> bool:
    """Does a segment forbid, and say nothing else: "hands off"."""
    return part.own and part.stance == "never" and is_bare(forbidding(part.text))


def _is_banned(one: Subject, run: Sequence[Segment], stances: set[Stance]) -> bool:
    """Do the segments of a run that speak of a prohibition forbid it."""
    may = {"may", "weak"} & stances
    if one.bound:
        return not may
    if one.exception and _ELSEWHERE.search(joined(run)):
        stances = {part.stance for part in run}  # "allowed in tests/, nowhere else"
    banned = "never" in stances or is_turned(one, joined(run))
    return banned and not (may and not one.exception)


def _another_one(held: Held, one: Subject, text: str) -> bool:
    """Are the names of one rule said in the words of another one."""
    if one.kind not in {"rule", "prohibition"} or not one.names:
        return False
    own = one.words_in(text)
    return any(
        other.words_in(text) > max(own, 1)
        for other in held.subjects
        if other is not one
        and other.kind == one.kind
        and other.names
        and not all(other.has(text, name) for name in other.names)
    )


def _weakened(held: Held, one: Subject, run: Sequence[Segment]) -> bool:
    """Is an exception made that the state does not make."""
    said = [
        part
        for part in run
        if any(
            found[0] not in one.whole
            for pattern in (UNLESS_ADDED, LEFT_OUT, LEADING)
            for found in pattern.finditer(part.text)
        )
    ]
    said += [
        part
        for part in held.behind(run)
        if UNLESS_ADDED.match(part.text)
        or (LEFT_OUT.search(part.text) and not terms(part.text).names)
    ]
    said += [part for part in held.before(run) if LEADING.match(part.text)]
    return any(
        not excuses(one, part.text)
        and not _in_words_of(one, part.text)
        and not one.reasons_in(part.text)
        for part in said
    )


def _in_words_of(one: Subject, text: str) -> bool:
    """Is a condition one of the rule's own, in its words."""
    spoken = terms(text)
    own = spoken.words & one.words
    return bool(own) and not spoken.names and spoken.words <= own | light()


def _within(one: Subject, run: Sequence[Segment]) -> bool:
    """Is a limit on the same side; a heading may or may not turn it around."""
    text = joined(run)
    negated = not one.loose and any(part.stance == "never" for part in run)
    own = any(part.stance == "never" and part.own for part in run)
    return one.bound_in(text, negated=negated) or (
        not own and one.bound_in(text, negated=False)
    )
