"""What is asked back of the state: which parts of it, and in which words; pure.

A restatement asks in the words of a file's header, and that decides what is scored: where
"three rules" are asked for, any three do; prohibitions are wanted all of them.
"""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from gitstate.documents import (
    CONVENTIONS,
    CURRENT_TASK,
    DECISION_LOG,
    FILE_MAP,
    KNOWN_ISSUES,
    PROJECT_CONTEXT,
    conventions,
    current_task,
    decision_log,
    file_map,
    known_issues,
    project_context,
)
from gitstate.documents.rules import force_of
from gitstate.late import late
from gitstate.recall import questions
from gitstate.recall.clauses import parts_of
from gitstate.recall.cleaning import clean
from gitstate.recall.fence import line_of
from gitstate.recall.terms import terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitstate.documents.rules import Rule
    from gitstate.recall.clauses import Part

Kind = Literal[
    "fact",
    "command",
    "prohibition",
    "rule",
    "goal",
    "constraint",
    "step",
    "next",
    "anchor",
    "issue",
    "workaround",
    "decision",
    "place",
]
THREE = 3  # rules, places or facts where the header names no number

# "the command that runs the tests": of no command that is called "run"
_RUNS = late(r"\b(?:that|which|to) (?:runs?|starts?|builds?) (?=the\b)", re.IGNORECASE)
_OWN_ID = late(r"([A-Z]{1,8}-\d{1,6})[:：]?\s+(\S.*)", re.DOTALL)
_INSTEAD = late(r"(?:而不是|而非|不是|not\b(?! to\b)|instead of|rather than)")
# a condition that the rest stands under
_LEADS = late(
    r"(?:未经|除|如|若|在[^,;]{1,20}时|没有|(?:without|unless|except|outside|before|after|once|when|where|if|until|while|in|on|for)\b)"
)
_DEPENDS = late(r"(?:时|时候|情况下|[之以]?[前后])$")  # a part that is only one
_WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_HAN = {**{one: at for at, one in enumerate("一二三四五六七八九十", 1)}, "两": 2}
_COUNT = late(
    rf"\b(\d{{1,2}}|{'|'.join(_WORDS[1:])})\b|(?<![每任何])(\d{{1,2}}|[一两二三四五六七八九十])(?=[条个项])",
    re.IGNORECASE,
)


class Dimension(NamedTuple):
    """One thing that an answer has to say: the file it stands in, and its words there.

    ``force``: "never" or "must" where the file gives it one; ``key``: what a fact or
    command is called, an issue's or decision's id.
    """

    kind: Kind
    file: str
    text: str
    force: str | None = None
    key: str = ""


class Request(NamedTuple):
    """A question and what its answer is scored by.

    ``enough``: of these kinds so many do; of all others every one is wanted. ``over``:
    what no longer holds (steps that are not in progress, resolved issues), which an
    answer must not tell as if it did. ``known``: all that the state says, to which a name
    or number of an answer is held. ``text`` is empty where there is nothing to ask.
    """

    text: str
    dimensions: tuple[Dimension, ...] = ()
    enough: tuple[tuple[Kind, int], ...] = ()
    over: tuple[Dimension, ...] = ()
    known: str = ""


def restatement(
    text: str, *, name: str, lang: str, task: str = "", known: str = ""
) -> Request:
    """What to restate of the file called ``name`` whose whole text is ``text``.

    ``task``: the task file's text, which says which places of the map matter; ``known``:
    what other files say.
    """
    verify = questions.verify_of(text, name=name, lang=lang)
    parts, enough = _dimensions(name, text, verify, task)
    if not parts:
        return Request("")
    ask = questions.of_file(text, name=name, lang=lang)
    over = [*_steps_over(text, name), *_issues_over(text, name)]
    return Request(
        ask,
        tuple(parts),
        tuple(enough.items()),
        tuple(over),
        f"{name}\n{text}\n{known}",
    )


def combined(texts: Mapping[str, str], *, lang: str) -> Request:
    """One question over the files: which step, what next, which known issue."""
    task, issues = texts.get(CURRENT_TASK, ""), texts.get(KNOWN_ISSUES, "")
    parts = [one for one in _of_task(task) if one.kind in {"step", "next"}]
    parts += _of_issues(issues, workarounds=False)
    if not parts:
        return Request("")
    over = (
        *_steps_over(task, CURRENT_TASK),
        *_issues_over(issues, KNOWN_ISSUES),
        *(
            one
            for one in _of_issues(issues, workarounds=True)
            if one.kind == "workaround"
        ),
    )
    known = "\n".join([*texts, *texts.values()])
    return Request(questions.of_all(lang), tuple(parts), (("issue", 1),), over, known)


def _slug(name: str) -> str:
    return name.rsplit("/", 1)[-1].lstrip("0123456789-_. ")


def _dimensions(
    name: str, text: str, verify: str, task: str
) -> tuple[list[Dimension], dict[Kind, int]]:
    slug = _slug(name)
    if slug == PROJECT_CONTEXT[3:]:
        return _of_context(text, verify)
    if slug == CURRENT_TASK[3:]:
        return _of_task(text), {}
    if slug == KNOWN_ISSUES[3:]:
        return _of_issues(text, workarounds=True), {}
    if slug == DECISION_LOG[3:]:
        return _of_decisions(text), {}
    if slug == FILE_MAP[3:]:
        return _of_map(text, task)
    rules = [
        one
        for one in conventions.parse(text).rules
        if slug == CONVENTIONS[3:] or one.force
    ]
    count = _count(verify)
    parts = [part for one in rules for part in of_rule(one, name)]
    return parts, {"rule": count} if count else {}


def _count(verify: str) -> int:
    """How many are asked for; 0 for all."""
    found = _COUNT.search(verify)
    if not found:
        return 0
    said = (found[1] or found[2]).lower()
    return (
        _HAN.get(said) or (_WORDS.index(said) + 1 if said in _WORDS else 0) or int(said)
    )


def of_rule(rule: Rule, file: str, kind: Kind | None = None) -> list[Dimension]:
    """A rule; of one that demands one thing and forbids another, both."""
    text = line_of(rule.text)
    parts = _apart(text)
    behind = [one for one in parts[1:] if one.forbids]
    how = behind and not parts[0].forbids and not any(map(_forbids_a_name, behind))
    if how and kind is None:
        return [Dimension("rule", file, text, "must")]  # "store grams, never cups"
    said = kind or ("prohibition" if rule.force == "never" else "rule")
    return [
        Dimension("prohibition", file, part.text, "never")
        if part.forbids
        else Dimension("rule", file, part.text, force_of(part.text))
        for part in parts
    ] or [Dimension(said, file, text, rule.force)]


def _forbids_a_name(part: Part) -> bool:
    """Does a part forbid something that has a name, and is more than how to do the rest."""
    names = terms(clean(part.text)).names
    return part.forbids and any(not one.isdigit() for one in names)


def _apart(text: str) -> list[Part]:
    """The parts of a rule that each have to be said.

    What only says what to do instead of something ("write a new one"), or instead of what
    ("而不是 LiveData"), goes with the rest.
    """
    if _LEADS.match(clean(text)):
        return []
    parts = [
        one
        for at, one in enumerate(parts_of(text))
        if at == 0
        or (
            (one.forbids or terms(clean(one.text)).names)
            and not _INSTEAD.match(clean(one.text))
        )
    ]
    if parts and _DEPENDS.search(clean(parts[0].text).strip()):
        return []  # what the rest depends on: "where it was not raised, never …"
    return parts if len(parts) > 1 else []


def _asked(key: str, verify: str) -> bool:
    """Does a question speak of what a fact or command is called."""
    name = clean(key.split("(", maxsplit=1)[0].split("（", maxsplit=1)[0])
    if name.strip() >= "\u4e00":
        return name.strip() in clean(verify)  # of "打包", 包 is another word
    wanted = terms(name)
    asked = terms(clean(verify))
    both = wanted.names | wanted.words
    return bool(both) and both <= asked.names | asked.words


def _within_another(key: str, named: Sequence[Dimension]) -> bool:
    """Is what a thing is called only a part of what another one is: "package" manager."""
    own = terms(clean(key))
    others = (terms(clean(one.key)) for one in named if one.key != key)
    return any(own.names <= one.names and own.words < one.words for one in others)


def _of_context(text: str, verify: str) -> tuple[list[Dimension], dict[Kind, int]]:
    """The facts and commands that the header names, and all that is forbidden."""
    found = project_context.parse(text)
    facts = [
        Dimension("fact", PROJECT_CONTEXT, line_of(one.value), None, one.key)
        for one in found.facts
        if one.key
    ]
    commands = [
        Dimension("command", PROJECT_CONTEXT, line_of(one.command), None, one.name)
        for one in found.commands
        if one.name
    ]
    verify = _RUNS.sub(" ", verify)
    found_in = [one for one in (*facts, *commands) if _asked(one.key, verify)]
    named = [one for one in found_in if not _within_another(one.key, found_in)]
    bans = [
        part
        for one in found.forbidden
        for part in of_rule(one, PROJECT_CONTEXT, "prohibition")
    ]
    if named:
        return [*named, *bans], {}
    return [*facts, *commands, *bans], {"fact": THREE, "command": 1}


def _of_task(text: str) -> list[Dimension]:
    task = current_task.parse(text)

    def part(kind: Kind, said: str) -> Dimension:
        return Dimension(kind, CURRENT_TASK, line_of(said))

    parts = [part("goal", task.goal.text)] if task.goal else []
    for one in task.constraints:
        both = [each.text for each in _apart(line_of(one.text))]
        parts += [part("constraint", said) for said in both or [one.text]]
    doing = [one for one in task.steps if one.status == "in_progress"]
    parts += [part("step", one.text) for one in doing]
    if task.next:
        parts.append(part("next", task.next.text))
    if task.anchor:
        line = f":{task.anchor.line}" if task.anchor.line else ""
        parts.append(part("anchor", f"{task.anchor.file}{line}"))
    return parts


def _steps_over(text: str, name: str) -> list[Dimension]:
    if _slug(name) != CURRENT_TASK[3:]:
        return []
    return [
        Dimension(
            "step", CURRENT_TASK, line_of(one.text), None, f"{one.number} {one.status}"
        )
        for one in current_task.parse(text).steps
        if one.status != "in_progress"
    ]


def _issue(title: str, id_: str | None) -> Dimension:
    """An issue, without the number that a team gives it itself."""
    own = _OWN_ID.match(title)
    said = own[2] if own and not id_ else title
    key = id_ or (own[1] if own else "")
    return Dimension("issue", KNOWN_ISSUES, line_of(said), None, key)


def _of_issues(text: str, *, workarounds: bool) -> list[Dimension]:
    parts = []
    for one in known_issues.parse(text).open():
        if one.title:
            parts.append(_issue(one.title, one.id))
        if workarounds and one.workaround:
            said = line_of(one.workaround)
            parts.append(Dimension("workaround", KNOWN_ISSUES, said))
    return parts


def _issues_over(text: str, name: str) -> list[Dimension]:
    if _slug(name) != KNOWN_ISSUES[3:]:
        return []
    found = known_issues.parse(text)
    still = {id(one) for one in found.open()}
    return [
        _issue(one.title, one.id)
        for one in found.issues
        if id(one) not in still and one.title
    ]


def _of_decisions(text: str) -> list[Dimension]:
    return [
        Dimension("decision", DECISION_LOG, line_of(one.decision), None, one.id or "")
        for one in decision_log.parse(text).live()
        if one.decision
    ]


def _of_map(text: str, task: str) -> tuple[list[Dimension], dict[Kind, int]]:
    """The places of the task, all of them; where it names none, any three."""
    entries = [one for one in file_map.parse(text).entries if one.path]
    concerned = [one for one in entries if one.path in task] if task else []
    parts = [
        Dimension(
            "place", FILE_MAP, line_of(f"{one.path}: {one.role or ''}".rstrip(": "))
        )
        for one in concerned or entries
    ]
    return parts, {"place": len(parts) if concerned else THREE}
