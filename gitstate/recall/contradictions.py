"""What an answer says otherwise than the state: force, values, names; pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitstate.late import late
from gitstate.recall.enough import is_enough
from gitstate.recall.exceptions import excuses, is_turned
from gitstate.recall.exchanges import is_exchanged
from gitstate.recall.held import Contradiction, joined
from gitstate.recall.relations import amounts
from gitstate.recall.sequence import is_reversed, is_too_late
from gitstate.recall.stances import UNLESS_ADDED, main_clause, stance_of
from gitstate.recall.terms import families, has_name, terms
from gitstate.recall.written import written

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitstate.recall.held import Held
    from gitstate.recall.segments import Segment, Sentence
    from gitstate.recall.subjects import Subject

# a negation in the middle, that does not forbid
_INNER = late(r"(?<=[\w/() ]{2})不(?![许能得准可要会让用行])([\u4e00-\u9fff]{2})")
_STANCE = "(?:禁止|不得|不要|不能|不可|不许|不准|严禁|切勿)(?:直接)?"
_FEW = 12  # what is counted with fewer digits than that is no value
_OPEN = {"plain", "must"}
_NEARLY = 0.8
_LOOSE = {"goal", "next", "step"}
# they are told, and have no force
_TOLD = frozenset(
    {"issue", "step", "goal", "place", "decision", "anchor", "workaround"}
)
_NO_BAN = late(
    r"\b(?:no|nothing|none|neither|isn't|aren't|not)\b[^,;]*\b(?:forbid\w*|prohibit\w*|bann?(?:s|ed)?)\b"
    r"|\b(?:forbids?|prohibits?|bans?) (?:nothing|none)\b"
    r"|(?:没有?|无|不)[^,;]{0,8}(?:禁止|禁令|禁区)"
)
_ORDINAL = late(
    r"\b(?:steps?|nr\.?|no\.|number|item)\s*\d{1,3}(?:-\d{1,3})?\b|第 ?\d{1,3} ?[步条个项]|步骤 ?\d{1,3}"
    r"|(?<!\d)\d{1,2} (?:\w+ )?(?:rules?|things?|prohibitions?|constraints?|items?|points?|issues?|steps?|limits?|conditions?|restrictions?|requirements?|files?|facts?)\b(?!\.\w)|(?<!\d)(?:\d{1,2} ?[条件项步]|(?:[1-9]|1[0-2]) ?[个点])(?!数)"
    r"|(?:^|[\s(,;])\(?\d{1,2}[).、](?=\s|[^\x00-\x7f\d.]|$)|\bi-\d+\b|\bd-\d+\b|[①-⑳]"
)


def contradictions(held: Held) -> Iterator[Contradiction]:
    """All that an answer says otherwise, but for states of steps and issues."""
    found = [
        *_opposed(held),
        *_otherwise(held),
        *written(held),
        *_misplaced(held),
    ]
    yield from found
    told = {one.said for one in found}
    yield from (one for one in _let_go(held) if one.said not in told)


def _let_go(held: Held) -> Iterator[Contradiction]:
    """Whatever is allowed or left open: a state has nothing of the kind but exceptions."""
    for part in held.segments():
        if part.stance not in {"may", "weak"} or not any(terms(part.text)):
            continue
        if (
            not held.forbids
            and _NO_BAN.search(part.text)
            and not terms(part.text).names
        ):
            continue  # it says of the state what is so
        reason = part.stance == "may"  # no reason is that something need not be done
        if not _is_own(held, part) and not any(
            excuses(one, part.text) or (reason and one.only_reasons_in(part.text))
            for one in held.subjects
        ):
            yield Contradiction(part.text)


def _is_own(held: Held, part: Segment) -> bool:
    """Does a thing that binds nobody say the same with the same force."""
    return any(
        one.loose
        and (one.stance == part.stance or (one.denies and part.stance == "denied"))
        and is_enough(one, part.text)
        for one in held.subjects
    )


def _opposed(held: Held) -> Iterator[Contradiction]:
    for at, run in held.covering.items():
        one = held.subjects[at]
        text = joined([*run, *_tail(held, one, run)])
        found = one.opposite_in(text) or _other_number(held, one, joined(run))
        if not found and one.other_amount_in(joined(run)):
            found = joined(run)
        if not found:
            found = _turned_around(held, at, run) or _negated(one, run)
        if found:
            yield Contradiction(found, one.dimension)
    bans = [one for one in held.over if one.negative]
    for one in (*held.subjects, *bans):
        for sentence in held.answer:
            for part in sentence.segments:
                if _against(held, one, part, sentence):
                    yield Contradiction(part.text, one.dimension)


def _negated(one: Subject, run: Sequence[Segment]) -> str:
    """What a heading forbids, told with a "not" of its own within; "" for nowhere."""
    if not one.negative or _INNER.search(one.text):
        return ""
    for part in run:
        found = _INNER.search(part.text) if part.scoped else None
        if found and not re.search(_STANCE + found[1], one.text):  # the ban once more
            return part.text
    return ""


def _turned_around(held: Held, at: int, run: Sequence[Segment]) -> str:
    """Where two things that a subject relates are told the other way round; "" for nowhere."""
    one = held.subjects[at]
    if one.negative:
        near = joined([*held.before(run), *run, *held.behind(run)])
        return near if is_too_late(one.text, near) else ""
    whole = held.clause_of(run[0]) if one.kind == "next" else ""
    if whole and (is_exchanged(one.whole, whole) or one.swapped_in(whole)):
        return whole
    for around in dict.fromkeys(held.around(at, part) for part in run):
        if is_reversed(one.text, around) or one.swapped_in(around):
            return around
    return ""


def _tail(held: Held, one: Subject, run: Sequence[Segment]) -> list[Segment]:
    """What stands right behind a run and may still speak of the same."""
    if one.kind in {"issue", "workaround", "fact", "command"}:
        return []
    others = [each for each in held.subjects if each is not one]
    return [
        part
        for part in held.behind(run)
        if (one.kind in _LOOSE or not terms(part.text).names)
        and not any(each.known_in(part.text) for each in others)
    ]


def _other_number(held: Held, one: Subject, text: str) -> str:
    """A number beside a thing that has another one, or none; "" for none."""
    if one.kind in {"step", "anchor", "place", "decision"}:
        return ""
    numbers: list[str] = re.findall(
        r"(?<![\w./:-])\d+(?:\.\d+)*(?![\w/])", _ORDINAL.sub(" ", text)
    )
    own: str = one.text if one.kind in {"goal", "next", "workaround"} else held.known
    if one.kind == "workaround":  # what it is for stands beside it
        own += "".join(f" {sub.text}" for sub in held.subjects if sub.kind == "issue")
    for each in numbers:
        if _is_same_amount(held, each, text):
            continue
        where = held.known if len(each) > 1 else own  # a list counts with one digit
        if not _has_number(where, each):
            return each
    return ""


def _against(held: Held, one: Subject, part: Segment, sentence: Sentence) -> bool:
    """Does a segment say of a thing what goes against its force."""
    text = part.text
    if one.kind == "next":
        negated = part.stance in {"never", "weak", "denied"} and not part.flips
        return negated and not one.has_stance and len(one.words & terms(text).words) > 1
    if part.stance == "none" or one.kind in _TOLD:
        return False
    if part.stance in {"may", "weak", "denied"}:
        excused = _is_own(held, part) or any(
            excuses(each, text) or each.reasons_in(text) for each in held.subjects
        )
        return one.concerned_by(text, sentence.text) and not excused
    if one.negative:
        return _is_done(held, one, part, sentence)
    if part.stance != "never":
        return one.foil_in(text)
    instead = part.flips and one.instead  # the rule has it, too
    used = part.own and not part.flips and _uses(one, text)
    return used or (not instead and _forbidden(held, one, part))


def _is_done(held: Held, one: Subject, part: Segment, sentence: Sentence) -> bool:
    """Is what is forbidden told as done."""
    if part.stance not in _OPEN or not one.done_in(part.text, sentence.text):
        return False
    if one.told_in(part.text) < _NEARLY and id(part) in held.telling:
        return False  # a command with the option that is forbidden for another one
    return not (one.exception and is_turned(one, sentence.text))


def _uses(one: Subject, text: str) -> bool:
    """Is what must not be used said to be, whatever is denied in a clause under that."""
    return one.foil_in(text) and stance_of(main_clause(text))[0] in {
        "plain",
        "must",
        "may",
    }


def _forbidden(held: Held, one: Subject, part: Segment) -> bool:
    """Does a segment forbid what is demanded, or deny a value."""
    text = part.text
    if one.kind == "rule":
        concerned = one.named_in(text) and not (part.excepted or one.bound)
        return concerned and not any(each.named_in(text) for each in held.bans)
    fact = one.kind in {"fact", "command"} and not one.foil_in(text)
    if not fact or not one.names_in(text) or not is_enough(one, text):
        return False
    banned = any(is_enough(each, text) and each.names_in(text) for each in held.bans)
    return not (banned or one.limits(text))


def _otherwise(held: Held) -> Iterator[Contradiction]:
    """Names and numbers of which the state knows nothing."""
    files = tuple({one.dimension.file for one in held.subjects if one.dimension.file})
    for sentence in held.answer:
        for part in sentence.segments:
            yield from _other_digits(held, part.text)
            text = _ORDINAL.sub(" ", part.text)
            for name in sorted(terms(text).names):
                if name.endswith(files):
                    continue  # what it speaks of
                if sentence.text.startswith((f"{name}:", f"{name} :")):
                    continue  # what the answer calls a row of its own
                if name not in held.recorded:
                    held.recorded[name] = _stands_in(held.known, name)
                if held.recorded[name] or _is_same_amount(held, name, part.text):
                    continue
                excepted = UNLESS_ADDED.search(part.text) is not None
                if part.stance == "never" and not excepted and not _is_line(held, name):
                    continue
                yield Contradiction(name)


def _is_line(held: Held, name: str) -> bool:
    """Is a name a line of a file of the state's."""
    path, _, line = name.rpartition(":")
    return (
        line.isdigit() and bool(path) and has_name(held.known.replace(":", " "), path)
    )


def _is_same_amount(held: Held, number: str, text: str) -> bool:
    """Is a number an amount of the state's in another unit: 15 minutes of 900 seconds."""
    if not number.replace(".", "").isdigit():
        return False
    told = amounts(" ".join(re.findall(rf"(?<![\d.]){re.escape(number)} ?\S+", text)))
    known = amounts(held.known) if told else {}
    return bool(told) and all(
        own <= known.get(kind, set()) for kind, own in told.items()
    )


def _misplaced(held: Held) -> Iterator[Contradiction]:
    """A workaround that is told of another issue."""
    order = {id(part): at for at, part in enumerate(held.segments())}
    starts = {
        at: order[id(run[0])]
        for at, run in held.covering.items()
        if held.subjects[at].kind in {"issue", "workaround"}
    }
    issues = {at: n for at, n in starts.items() if held.subjects[at].kind == "issue"}
    for at, start in starts.items():
        if held.subjects[at].kind != "workaround" or len(issues) < 2:  # noqa: PLR2004
            continue
        before = [one for one, n in issues.items() if n <= start]
        owner = max(before, key=issues.__getitem__) if before else None
        if owner is not None and owner != at - 1 and at - 1 in issues:
            yield Contradiction(held.subjects[at].text, held.subjects[at].dimension)


def _stands_in(known: str, name: str) -> bool:
    """Does the state have a name or number, or may an answer have it without that."""
    if name[0].isdigit() and not name.strip("0123456789:-.~"):
        return all(
            _has_number(known, one) or (one.isdigit() and int(one) <= _FEW)
            for one in re.findall(r"\d+(?:[:.]\d+)*", name)
        )
    if name[0].isdigit():
        number = re.sub(r"-[a-z]+$", "", name)  # "2-place"
        few = all(one.isdigit() and int(one) <= _FEW for one in number.split("/"))
        return few or _has_number(known, number)  # so many are counted, not recorded
    tool, at, version = name.partition("@")
    if at and tool in families() and version[:1].isdigit():
        return _stands_in(known, tool) and _has_number(known, version)
    if "://" in name:
        return all(_has_number(known, one) for one in re.findall(r"\d+", name))
    if name.isalpha():
        siblings = families().get(name)
        stands = re.search(rf"(?<![a-z0-9_]){name}(?![a-z0-9_])", known) is not None
        # a tool that no other one of its kind is recorded for stands in nothing's place
        return stands or (
            siblings is not None
            and not any(re.search(rf"\b{re.escape(one)}\b", known) for one in siblings)
        )
    parts = re.split(r"[/.]", name)
    short = all(len(one) <= 1 for one in parts)  # i/o, e.g.
    if "/" in name and all(one.isalpha() for one in parts):  # loading/unloading
        short = short or not re.search(rf"(?<![\w.-]){re.escape(parts[0])}/", known)
    folder = re.search(rf"(?<![\w.-]){re.escape(name.rstrip('/'))}/", known)
    part = name.isalnum() and re.search(  # of leafnet-v7
        rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", known
    )
    return bool(short or folder or part) or has_name(known, name)


def _has_number(known: str, number: str) -> bool:
    return re.search(rf"(?<![\d.]){re.escape(number)}(?!\d)", known) is not None


def _other_digits(held: Held, text: str) -> Iterator[Contradiction]:
    """A thing with a number, told with another one."""
    for one in (*held.subjects, *held.over):
        other = (
            one.kind == "workaround"
            and one.other_digits_in(text)
            and not any(
                each.kind == "issue" and is_enough(each, text) for each in held.subjects
            )
        )
        if other or one.other_version_in(text):
            yield Contradiction(text, one.dimension)
