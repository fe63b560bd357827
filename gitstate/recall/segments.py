"""A sentence -> segments in each of which one stance holds; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.late import late
from gitstate.recall.stances import DENY, drop, main_clause, stance_of
from gitstate.recall.terms import HAN, STANDS_IN, is_bare, terms
from gitstate.values import dataclass, field

if TYPE_CHECKING:
    from gitstate.recall.stances import Stance

_PARENS = late(r"\(([^()]*(?:\(\)[^()]*)*)\)")
_SPLIT = late(
    r"\s*[,、;]\s*(?!\d{3}\b)|\s+\(?\d{1,2}\)\s+|(?<!anywhere)(?<!everywhere)(?<!anything)(?<!everything)(?<!nothing)(?<!nobody)\s+(?=but\b)|\s*(?:(?<=\s):|:(?=\s)|(?<=[^\x00-\x7f]):|:(?=[^\x00-\x7f]))\s*|\s+--?\s+|(?<=\w)\s+/\s+(?=\w)|\s*=>\s*|\s*=(?=\w)|\s+=\s+"
    r"|\s+(?=(?:yet|however|whereas|while|although|instead of|rather than|as opposed to|other than|apart from|save for|except|unless|because|since|otherwise|so that|when|if|as long as|in case|provided)\b)"
    r"|\s+(?=and (?:never|not|no|do not|don't|must|always|only|avoid)\b)"
    rf"|(?<=[{HAN}a-z0-9])(?=但是?(?![{HAN}]{{0,2}}是)|而不是|而非|因为|由于|除非|否则|如果|只要)|(?<=时候)|(?<=情况下)|(?=[,、]若)"
)
_AND = late(r"\s+and\s+|而且|并且|同时")
_HEDGE = late(
    r"\bmaybe\b|\bperhaps\b|\bprobably\b|\bmight\b|\bnot (?:quite |entirely |so |too )?(?:sure|certain)\b|\bunsure\b|\btry(?:ing)? (?:to|not to)\b"
    r"|\bpreferabl[ey]\b|\b(?:if|where|when) possible\b|\busually\b|\bgenerally\b|\bideally\b|\bpossibly\b|\bnormally\b|\bsomehow\b|\bor so\b|\bsomething like\b|\bor similar\b"
    r"|\bi guess\b|\bi believe\b|\bi think\b|\bi assume\b|\bi suppose\b|\bas far as i\b|\bwhen(?:ever)? convenient\b|可能|大概|也许|尽量|最好|不确定|好像|似乎|一般|通常|或许|原则上|应该是|大约|差不多|记不清|之类"
)
_UNTIL = late(r"\b(?:until|before)\b.*$|直到.*$")
_MENTION = late(
    r"\bmention\w*|\btalk(?:s|ed)? about\b|\bcame up\b|\bsomething (?:about|with|on)\b|\b(?:rule|note|line|section|part|entry|something|guidance|info\w*)s? (?:about|on|concerning|regarding)\b"
    r"|\bconcern\w*|\bdeals? with\b|\brelates? to\b|\bspeaks? of\b|提到(?! ?\d)|提及|有关|关于|涉及|说过|讲到|谈到"
)
_UNLESS = late(
    r"\bunless\b|\bexcept\b|\bif (?:really |absolutely |strictly )?(?:needed|necessary|required|you (?:must|need|have))\b"
    r"|\bwhen (?:needed|necessary)\b|\bfor now\b|\bonly (?:if|when|in|for)\b|\bas long as\b|\boutside\b|\bwithout\b|除非|除外|例外|没有.{1,20}不|不受此限|不在此列|除了?|必要时|特殊情况|如有需要|需要时|以外|之外|只在|仅在|\bbefore\b|\buntil\b|\bshort of\b"
)
_FLIP = late(
    r"^(?:instead of|rather than|as opposed to|other than|而不是|而非|代替|取代)|^(?:not\b(?! (?:without|even)\b)|不是)"
)
_SO = late(r"^(?:and )?so (?:is|are|does|do)\b|^同样")
# a clause of its own, whatever the heading over it says
_CLAUSE = late(
    r"(?<!that )(?<!which )\b(?:is|are|was|were|gets?) (?!not\b|never\b|to\b|all\b)\w+(?:ed|en|t|de)\b|\b(?:we|you|they|people|developers)\b"
    r"|\b(?:is|are) (?:all )?done\b|由[^,;]{1,10}(?:推|改|写|维护|执行|负责|提交|更新|运行)"
)
_BUT = late(r"^(?:but|yet|however|whereas|while|although|但是?)")
_REASON = late(
    r"^(?:\(|because|since|otherwise|so (?:that|no|nothing)\b|as (?:they|it|the|these|those)|which|who|that|因为|由于|否则|(?:要)?不然|以便|这样)"
)
# why it is so: what somebody else is able to do
_ABLE = late(
    r"(?:because|since) (?!(?:you|we|i|one|it|they|this|that|anyone|anybody|everyone|nobody)\b)[^,;]{1,60}?\b(?:can|could|may|might)\b(?! be (?!\w+ by))"
)
_ASIDE = late(r"(?:they|it|these|this|would|the)\b|以免|会")
_OR = late(r"^(?:or|nor|或者?)")
_ACTS = late(
    r"\b(?:is|are|was|were|goes|go|gets?|i|we|i'll|it's|that's|there's|they're|let's|use|edit|change|run|call|log|write|commit|push|import|touch|belongs?|holds?|add|keep|put|wrap|name|store)\b|是|为|用|走|写|改|存|打|访问|(?<![不需])要|应|会|仍|照样|直接|就|先|跑|加(?!载)|设为|执行|运行"
)
_LATER = late(r"\b(?:are|is) (?:all|both|each|equally|also)\b|\btoo\b|都|均")
_FINITE = late(
    r"\b(?:is|are|was|were|stays?|has|have|gets?|must|should|can|may|will|do|does|don't|goes|go|i|we|it|they)\b"
)


_COUNT = late(r"(?<![\w.])\d{1,2}(?![\w.])")
_THUS = late(r"(?:and )?(?:so|thus|hence|therefore)|所以|因此|于是")
_LISTS = late(
    r"\bthings?$|(?:\d|几|这些?|下列|以下)[件条点样项]?(?:事|规则|约束|要求|红线)?情?$|如下$"
)
_WHY = late(
    r"[,;]\s*(?=(?:it|its|they|their|this|that|these|those|because|since|因为|它)\b)"
)
_TELLS = late(r"(?:the|it|it's|they|those|these|that|this|its)\b")
_OF_ITS_OWN = late(r"^(?:never|no|don't|do not|禁止使用|不使用|切勿) ?\w")


# a clause that says of what it speaks
_SUBJECT = late(
    r"^(?!(?:that|this|those|these|it|they|all|both|each|either|everything|which|none|neither|any|the (?:same|rest|latter|former|last))\b)[\w./-]+ (?:is|are)\b"
)


@dataclass(slots=True)
class Segment:
    """A part of a sentence and its stance.

    ``hedged``: it says so only perhaps; ``excepted``: with an exception; ``own``: its own
    words give the stance; ``flips``: it names what is not done instead;
    ``fresh``: a semicolon stands before it; ``comma``: a comma does, which
    in Chinese parts clauses and not what is listed; ``scoped``: a heading forbids it.
    """

    text: str
    stance: Stance
    own: bool = False
    hedged: bool = False
    excepted: bool = False
    flips: bool = False
    fresh: bool = False
    comma: bool = False
    scoped: bool = False


@dataclass(slots=True)
class Sentence:
    """A clean sentence and its segments."""

    text: str
    segments: list[Segment] = field(default_factory=list)


def gives_stance(text: str) -> bool:
    """Does a text give a stance, and say nothing else."""
    return stance_of(text)[1] and is_bare(_COUNT.sub(" ", drop(text)))


class _Reader:
    """The segments of one sentence, from left to right.

    ``scope``: the stance that a heading or what stands before a colon gives; ``last``:
    that of the segment before.
    """

    def __init__(self, scope: Stance | None, *, asked: bool) -> None:
        self.scope = self.last = scope
        self.denied = scope == "denied"  # whatever a line under it says
        self.asked = asked
        self.reason = self.led = False
        self.first = True

    def read(self, part: str, *, colon: bool, listed: bool) -> Segment:
        """One segment; ``colon``: one follows; ``listed``: an "or" comes behind it."""
        own_stance, own = stance_of(part)
        stance = own_stance
        lead = self.scope is not None
        first, self.first = self.first, False
        self.reason = (_REASON.match(part) is not None and not first) or (
            self.reason and not own and not lead
        )
        if self.denied or DENY.search(_UNTIL.sub("", part)):
            stance, own = "denied", True
        elif not own:
            stance = self._inherited(part, listed=listed)
        told = stance in {"never", "must"} and not terms(part).names
        if self.reason and (not own or told or _ABLE.match(part)):
            stance = "none"
        flips = _FLIP.match(part) is not None and (
            sum(map(len, terms(part))) > 1  # "not allowed" is a verdict
        )
        if not flips and not self.reason:
            self.last = stance
        self.led = self.led or own
        if colon:
            bare = is_bare(drop(part)) and not _THUS.fullmatch(
                part
            )  # "Off the table, no matter what: …"
            carried = own or (bare and self.led and not self.reason)
            self.scope = self.last = self.last if carried else None
        return Segment(
            part,
            "none" if stance != "denied" and _MENTION.search(part) else stance,
            own,
            hedged=self.asked or _HEDGE.search(part) is not None,
            excepted=_UNLESS.search(part) is not None,
            flips=flips,
            scoped=self.scope == "never",
        )

    def _inherited(self, part: str, *, listed: bool) -> Stance:
        """The stance of a segment that has no word for one."""
        last = self.last
        if last and _FLIP.match(part):
            return "never" if last in {"plain", "must", "may"} else "must"
        if last and part.startswith("while "):
            return (
                last  # when it holds; what is said against it has a stance of its own
            )
        if _BUT.match(part):
            self.scope = None
            return "plain"
        if self.scope:
            own_clause = _CLAUSE.search(main_clause(part)) and not _UNLESS.search(part)
            return "plain" if own_clause else self.scope
        goes_on = not _ACTS.search(part) or _SO.match(part)
        if last and (goes_on or (last == "never" and listed)):
            return last
        return "plain"


def sentence(text: str, scope: Stance | None) -> Sentence:
    """A clean sentence; ``scope``: the stance that stands over it."""
    found = Sentence(text)
    flat, asides = _lifted(text)
    parts, colons, marks = _parts(flat)
    reader = _Reader(scope, asked=text.endswith("?"))
    ors = [at for at, one in enumerate(parts) if _OR.match(one)]
    for at, part in enumerate(parts):
        listed = any(one >= at for one in ors)
        if marks[at] == ";":
            reader.reason = False
            reader.last = reader.last if reader.scope else None
        lists = gives_stance(part) or (stance_of(part)[1] and _LISTS.search(part))
        dash = marks[at + 1 : at + 2] == ["-"] and bool(lists)
        segment = reader.read(part, colon=colons[at] or dash, listed=listed)
        if marks[at] == "-" and at and _TELLS.match(part) and not segment.own:
            segment.stance = "none"  # why, or what it is
        segment.fresh, segment.comma = marks[at] == ";", marks[at] == ","
        found.segments.append(segment)
    _look_ahead(found.segments)
    for one in asides:
        main, *why = _WHY.split(one, maxsplit=1)
        found.segments += [_aside(main), *(Segment(text, "none") for text in why)]
    return found


def _aside(text: str) -> Segment:
    stance, own = stance_of(text)
    told = _CLAUSE.search(text) is not None and not _ASIDE.match(text)
    if _REASON.match(text) or not (own or told or STANDS_IN.search(text)):
        stance = "none"
    if DENY.search(_UNTIL.sub("", text)):
        stance = "denied"
    return Segment(text, stance, own, excepted=_UNLESS.search(text) is not None)


def _lifted(text: str) -> tuple[str, list[str]]:
    """A sentence without the asides that have a stance of their own, and these."""
    asides: list[str] = []
    flat = ""
    at = 0
    for found in _PARENS.finditer(text):
        inside = found[1].strip()
        if not inside:
            continue
        flat += text[at : found.start()]
        _, own = stance_of(inside)
        if (
            any(
                one(inside)
                for one in (
                    _ASIDE.match,
                    DENY.search,
                    _REASON.match,
                    _CLAUSE.search,
                )
            )
            or own
            or (STANDS_IN.search(inside) and not text[found.end() :].strip(" .。"))
        ):
            asides.append(inside)
            if _UNLESS.search(inside):
                flat += f" {inside.replace(',', ' ')} "
                asides.pop()
        else:
            flat += f" {inside} "
        at = found.end()
    return flat + text[at:], asides


def _parts(text: str) -> tuple[list[str], list[bool], list[str]]:
    """The segments of a sentence; which a colon follows, and the mark before each."""
    parts: list[str] = []
    colons: list[bool] = []
    before = [""]
    at = 0
    for found in _SPLIT.finditer(text):
        if found.start() <= at and not text[at : found.start()].strip():
            at = found.end()
            continue
        parts.append(text[at : found.start()].strip())
        colons.append(":" in found[0] or "=" in found[0])
        before.append(found[0].strip()[:1])
        at = found.end()
    if text[at:].strip():
        parts.append(text[at:].strip())
        colons.append(False)
    return _apart(parts, colons, before)


def _apart(
    parts: list[str], colons: list[bool], before: list[str]
) -> tuple[list[str], list[bool], list[str]]:
    """Two stances that an "and" joins are two segments."""
    found: list[str] = []
    follow: list[bool] = []
    marks: list[str] = []
    for part, colon, mark in zip(parts, colons, before, strict=False):
        pieces = _AND.split(part)
        at = 0
        while at < len(pieces) - 1:
            both = pieces[at : at + 2]
            if all(_FINITE.search(one) or stance_of(one)[1] for one in both):
                at += 1
            else:
                pieces[at : at + 2] = [" and ".join(both)]
        found += pieces
        follow += [False] * (len(pieces) - 1) + [colon]
        marks += [mark] + [""] * (len(pieces) - 1)
    return found, follow, marks


def _look_ahead(segments: list[Segment]) -> None:
    """What is only listed takes the stance that is said of the whole list behind it."""
    shared = False
    for at in range(len(segments) - 2, -1, -1):
        one, after = segments[at], segments[at + 1]
        listed = one.stance == "plain" or (one.stance, after.stance) == (
            "must",
            "never",
        )
        if one.own or not listed or after.stance not in {"never", "must"}:
            shared = False
            continue
        if after.flips:
            continue
        if (
            (after.comma or after.fresh)
            and _OF_ITS_OWN.match(after.text)
            and any(terms(drop(after.text)))
        ):
            shared = False  # "pnpm, never npm": what is forbidden stands behind
            continue
        shared = shared or _LATER.search(after.text) is not None
        if _SUBJECT.match(after.text):
            shared = False  # "esy is out": it speaks of something else
            continue
        spoken = terms(after.text)
        bare = after.own and not (spoken.names and not after.excepted)
        only = bare and len(spoken.words) <= 1  # a verdict and nothing else
        if after.comma and max(after.text) >= "\u4e00" and len(spoken.names) > 1:
            shared = False  # a list of its own: the one before it has other marks
            continue
        shared = shared or only
        if shared or (bare and not _ACTS.search(one.text)):
            one.stance = after.stance
