"""What changed between two versions -> the version's message; pure.

In words of state where they are known, else files and headings. Subject at most 72
columns, a wide character counting two; no line of the body can be mistaken for a trailer
or a divider.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gitstate.errors import printable
from gitstate.history.change import NOTHING
from gitstate.history.columns import clip, columns
from gitstate.history.phrases import OF_VERSION, sections, signs
from gitstate.history.subjects import summary
from gitstate.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitstate.history.change import Changes
    from gitstate.history.phrases import Section

SUBJECT_COLUMNS = 72
_MOST_FILES = 100
_MOST_HEADINGS = 8
_WORDS = {
    "en": {
        "first": "first version, {count} files",
        "restored": "restored v{version}",
        "kept": "edits made while v{version} was restored",
        "left": "a text that was displaced while files were written",
        "let_in": "let in what {name} held before",
        "put_back": "put back {count} files",
        "added": "added",
        "changed": "changed",
        "removed": "removed",
        "mode": "mode of",
        "files": "Files:",
        "more": "and {count} more",
        "none": "no file changed",
    },
    "zh": {
        "first": "第一个版本，{count} 个文件",  # noqa: RUF001 Chinese
        "restored": "恢复到 v{version}",
        "kept": "恢复 v{version} 期间的编辑",
        "left": "写入文件时被替换下来的文本",
        "let_in": "放行 {name} 此前的内容",
        "put_back": "放回 {count} 个文件",
        "added": "新增",
        "changed": "修改",
        "removed": "删除",
        "mode": "权限",
        "files": "文件：",  # noqa: RUF001 Chinese
        "more": "另有 {count} 个",
        "none": "文件未变",
    },
}


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file that differs: how, and under which headings (of Markdown files)."""

    path: bytes
    kind: str  # added, changed, removed, mode
    headings: tuple[str, ...] = ()


def words(lang: str) -> dict[str, str]:
    """The fixed words of a language."""
    return _WORDS.get(lang, _WORDS["en"])


def compose(  # noqa: PLR0913 what a message is made of
    version: int,
    changes: Sequence[FileChange],
    trailers: str,
    *,
    lang: str,
    lead: str | None = None,
    text: str | None = None,
    told: Changes = NOTHING,
) -> str:
    """The whole message of a version.

    ``told`` is said in words of state; ``changes`` are the files that have more to say
    than that. ``lead`` stands in the subject instead; ``text`` is a person's own
    (``snapshot -m``): its first line is the subject, the rest opens the body.
    """
    said = words(lang)
    own = [printable(line) for line in (text or "").strip().splitlines()]
    head = f"state v{version}: "
    if own or lead:
        subject = clip(head + (own[0] if own else lead or ""), SUBJECT_COLUMNS)
    elif told.items:
        subject = head + _in_words(
            told, changes, lang, room=SUBJECT_COLUMNS - columns(head)
        )
    else:
        subject = clip(head + _summary(changes, said), SUBJECT_COLUMNS)
    parts = [subject]
    rest = [f"  {line}" if line else "" for line in own[1:]]
    if own and subject != head + own[0]:
        rest.insert(0, f"  {own[0]}")
    if rest:
        parts.append("\n".join(rest).strip("\n"))
    body = body_of(told, changes, lang)
    return "\n\n".join([*parts, *([body] if body else []), trailers])


def _in_words(
    told: Changes, changes: Sequence[FileChange], lang: str, *, room: int
) -> str:
    """The subject in words; where a numbered file is gone, that, not what was in it."""
    gone = [one for one in changes if one.kind == "removed" and _is_numbered(one.path)]
    if not gone or told.items[0].prohibition:
        return summary(told, room, lang)
    paths = {one.path for one in gone}
    rest = tuple(one for one in told.items if one.path not in paths)
    said = [_summary(gone, words(lang))]
    if rest:
        said.append(summary(replace(told, items=rest), room, lang))
    return clip(signs(lang).semicolon.join(said), room)


def _is_numbered(path: bytes) -> bool:
    return re.match(rb"[0-9]{1,6}[-_. ]", path) is not None


def body_of(
    told: Changes,
    changes: Sequence[FileChange],
    lang: str,
    order: Sequence[Section] = OF_VERSION,
) -> str:
    """What changed: the sections in words of state, then the files; "" for nothing."""
    lines = []
    for title, rows in sections(told, order, lang):
        lines += [title, *rows]
    if changes:
        said = words(lang)
        lines += [
            said["files"],
            *(_row(change, said) for change in changes[:_MOST_FILES]),
        ]
        left = len(changes) - _MOST_FILES
        if left > 0:
            lines.append("- " + said["more"].format(count=left))
    return "\n".join(lines)


def _summary(changes: Sequence[FileChange], said: dict[str, str]) -> str:
    if not changes:
        return said["none"]
    pieces = []
    for change in changes:
        name = _short(change.path)
        if change.kind == "changed":
            inside = ", ".join(change.headings[:_MOST_HEADINGS])
            pieces.append(f"{name} ({inside})" if inside else name)
        else:
            pieces.append(f"{said[change.kind]} {name}")
    return "; ".join(pieces)


def _short(path: bytes) -> str:
    return re.sub(r"^\d+-|\.md$", "", printable(path))


def _row(change: FileChange, said: dict[str, str]) -> str:
    row = f"- {said[change.kind]} {printable(change.path)}"
    if not change.headings:
        return row
    shown = [
        clip(heading, SUBJECT_COLUMNS) for heading in change.headings[:_MOST_HEADINGS]
    ]
    if len(change.headings) > _MOST_HEADINGS:
        shown.append(said["more"].format(count=len(change.headings) - _MOST_HEADINGS))
    return f"{row}: {'; '.join(shown)}"
