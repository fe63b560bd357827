"""What stands in a code of its own, told with other parts: values, arguments, fields, calls; pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitstate.late import late
from gitstate.recall.held import Contradiction
from gitstate.recall.lexicon import EMPTY
from gitstate.recall.relations import other_pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitstate.recall.held import Held
    from gitstate.recall.segments import Sentence
    from gitstate.recall.subjects import Subject

_OPEN = {"plain", "must"}
_ENDS = ".:-"  # of a sentence, not of a value
_VALUE = r"\s*=\s*['\"]?([\w.*:/-]+)"
_ASSIGNED = late(rf"(?<![\w.-])((?:--?)?[a-z_][\w.-]{{0,80}}){_VALUE}")
_FIELD = late(r"\b([a-z_]\w*): ([\w.]+)(?=\s*[,}])")
_SUM = late(r"(?<![\w.])([a-z_][\w.]{0,80}) ([+*/-]) (?=([a-z_\d][\w.]{0,80}))")
_PART = late(r"[^\s'\"*]+")  # of an argument, whatever marks stand around it
_CALL = late(r"(?<![\w.:])([a-z_][\w.:]{0,80})\(([^()\n]{1,200})\)")
# programs that are called like a word or a language, and what they are called with
_WORDS = frozenset(
    {"go", "make", "just", "task", "mix", "swift", "node", "python", "dart", "ruby"}
    | {"rust", "java", "ant"}
)
_CALLS = frozenset(
    {"build", "test", "install", "get", "check", "lint", "fmt", "format", "vet", "mod"}
    | {"generate", "start", "serve", "clean", "release", "compile", "exec"}
)


def written(held: Held) -> Iterator[Contradiction]:
    """What an answer has in another form than the state."""
    values, arguments = _values_of(held.known), _arguments_of(held)
    commands = [one for one in held.subjects if one.kind == "command"]
    for sentence in held.answer:
        yield from _fields(held, sentence)
        yield from _calls(arguments, sentence)
        yield from _sums(held, sentence)
        told = [part.text for part in sentence.segments if part.stance in _OPEN]
        if all(part.stance != "never" for part in sentence.segments):
            yield from _values(values, sentence.text)  # a segment may have lost its "="
        for text in told:
            yield from _values(values, text)
            for one in commands:
                yield from _programs(held, one, text)


def _values(known: dict[str, set[str]], text: str) -> Iterator[Contradiction]:
    """A name that the state gives a value, with another one."""
    for key, told in _ASSIGNED.findall(text):
        value = told.rstrip(_ENDS)
        if known.get(key) and value not in known[key]:
            yield Contradiction(f"{key}={value}")


def _values_of(known: str) -> dict[str, set[str]]:
    """A name -> the values that a text gives it."""
    found: dict[str, set[str]] = {}
    for key, value in _ASSIGNED.findall(known):
        found.setdefault(key, set()).add(value.rstrip(_ENDS))
    return found


def _fields(held: Held, sentence: Sentence) -> Iterator[Contradiction]:
    """Fields that an item gives values, each with that of another one."""
    for one in held.subjects:
        if other_pairs(_FIELD.findall(one.whole), _FIELD.findall(sentence.text)):
            yield Contradiction(sentence.text, one.dimension)


def _sums(held: Held, sentence: Sentence) -> Iterator[Contradiction]:
    """What is added up, told as taken away, or the other way round."""
    told = {(one, other): sign for one, sign, other in _SUM.findall(sentence.text)}
    for one in held.subjects if told else ():
        for left, sign, right in _SUM.findall(one.whole):
            if told.get((left, right), sign) != sign:
                yield Contradiction(sentence.text, one.dimension)


def _arguments_of(held: Held) -> dict[str, set[tuple[str, ...]]]:
    """What is called in the state -> the arguments that it is called with."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for one in held.subjects:
        for name, inside in _CALL.findall(one.whole) if one.kind != "fact" else ():
            found.setdefault(name, set()).add(_apart(inside))
    return found


def _calls(
    arguments: dict[str, set[tuple[str, ...]]], sentence: Sentence
) -> Iterator[Contradiction]:
    """A call of the state's told with other arguments, or its arguments of another call."""
    for name, inside in _CALL.findall(sentence.text) if arguments else ():
        told, own = _apart(inside), arguments.get(name)
        if own is None:
            other = any(told in each for each in arguments.values())
        else:
            other = told not in own and any(_is_changed(told, one) for one in own)
        if other and any(map(str.isalnum, inside)):
            yield Contradiction(f"{name}({inside})")


def _is_changed(told: tuple[str, ...], own: tuple[str, ...]) -> bool:
    """Are arguments in another order, or is one of them another one."""
    same = sum(one == other for one, other in zip(told, own, strict=False))
    return sorted(told) == sorted(own) or (
        len(told) == len(own) and same == len(own) - 1 and all(told)
    )


def _apart(inside: str) -> tuple[str, ...]:
    return tuple(" ".join(_PART.findall(one)) for one in inside.split(","))


def _programs(held: Held, one: Subject, text: str) -> Iterator[Contradiction]:
    """A program of a command, called with another first word."""
    program = one.text.partition(" ")[0]
    if not program:
        return  # it was struck out, or of controls alone
    for word in re.findall(rf"(?<![\w./-]){re.escape(program)} ([a-z][\w:-]*)", text):
        if word.endswith("s") or word in EMPTY:
            continue  # "uv manages", "pnpm and"
        if program in _WORDS and word not in _CALLS:
            continue  # "a go backend"
        if not re.search(
            rf"{re.escape(program)} {re.escape(word)}(?![\w-])", held.known
        ):
            yield Contradiction(f"{program} {word}")
