"""``long_mem/conclusions.md``: what was found out, where no open step holds it; pure.

Notes that belong to no step, and below each finished task's goal its steps' conclusions::

    # Conclusions

    ## Notes

    - The tokenizer drops a trailing comma
      - Anchor: src/core/tokens.ts:88

    ## Fix nested brackets in src/core/parser.ts parseExpr

    - Locate the function that reports the error
      - Conclusion: root cause in parseExpr, line 142
      - Files: src/core/parser.ts
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.documents.anchors import Anchor, anchor_of, anchor_text
from gitstate.documents.fields import Coverage, Reader, value_of
from gitstate.documents.inline import (
    guard,
    guard_value,
    join,
    one_line,
    unguard,
    visible,
)
from gitstate.documents.items import groups
from gitstate.documents.paths import path_text, paths
from gitstate.documents.sections import Outline, outline
from gitstate.documents.splice import verified
from gitstate.documents.vocabulary import Lang, vocabulary
from gitstate.documents.writing import colon, language
from gitstate.memory import sectioned
from gitstate.memory.sectioned import place_of, with_item
from gitstate.memory.short_words import words
from gitstate.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gitstate.documents.fields import Field
    from gitstate.documents.steps import Step

_TITLES: Mapping[Lang, str] = {"en": "# Conclusions", "zh": "# 结论"}


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A note, or a step of a finished task with what came of it."""

    text: str
    conclusion: str | None = None
    files: tuple[str, ...] = ()
    anchor: Anchor | None = None


def parse(text: str) -> list[tuple[str, tuple[Conclusion, ...]]]:
    """The headings with the conclusions below each, in the file's order; never fails."""
    source = outline(text)
    read = Coverage(source)
    return [
        (title, _conclusions(source, part, read))
        for title, part in sectioned.sections(source)
    ]


def add_note(text: str | None, note: str, anchor: Anchor | None, lang: Lang) -> str:
    """The file with one more note; a new one is in ``lang``. Raises ``Refused``."""
    source, lang = _begun(text, lang)
    new = Conclusion(one_line(note, of="note"), anchor=anchor)
    return _with(source, words(lang).notes, [new], lang)


def add_task(
    text: str | None, goal: str, steps: Iterable[Step], lang: Lang
) -> str | None:
    """The file with a finished task's conclusions; ``None`` where it has none."""
    new = [
        Conclusion(one.text, one.conclusion, one.files)
        for one in steps
        if one.conclusion
    ]
    if not new:
        return None
    source, lang = _begun(text, lang)
    return _with(source, one_line(goal, of="goal"), new, lang)


def _begun(text: str | None, lang: Lang) -> tuple[Outline, Lang]:
    if text is None or not text.strip():
        return outline(f"{_TITLES[lang]}\n"), lang
    source = outline(text)
    return source, language(source)


def _with(source: Outline, title: str, new: list[Conclusion], lang: Lang) -> str:
    expected = parse(source.text)
    place = place_of(expected, title)
    if place is None:
        expected.append((title, tuple(new)))
    else:
        expected[place] = (title, (*expected[place][1], *new))
    lines = [line for one in new for line in _lines(one, lang)]
    return verified(with_item(source, title, lines), expected, parse)


def _lines(one: Conclusion, lang: Lang) -> list[str]:
    words, between = vocabulary("conclusion"), "、" if lang == "zh" else ", "
    parts = {
        "conclusion": guard_value(one.conclusion or ""),
        "files": between.join(map(path_text, one.files)),
        "anchor": "" if one.anchor is None else anchor_text(one.anchor),
    }
    return [
        f"- {guard(one.text)}",
        *(
            f"  - {words.name(key, lang)}{colon(lang)}{value}"
            for key, value in parts.items()
            if value
        ),
    ]


def _conclusions(
    source: Outline, part: Field, read: Coverage
) -> tuple[Conclusion, ...]:
    found = []
    for group in groups(source, part):
        reader = Reader(source, vocabulary("conclusion"))
        for index in group.nested:
            reader.take(index)
        said = {
            one.key: value_of(source, one, read) for one in reader.fields if one.key
        }
        found.append(
            Conclusion(
                unguard(visible(join(source.blocks[group.index].rows))),
                said.get("conclusion") or None,
                paths(said.get("files", "")),
                anchor_of(said.get("anchor", "")),
            )
        )
    return tuple(found)
