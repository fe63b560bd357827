"""What changed between two versions -> the version's message; pure.

Files and headings. Subject at most 72 columns, a wide character counting two; no
line of the body can be mistaken for a trailer or a divider.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gitstate.errors import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

SUBJECT_COLUMNS = 72
_MOST_FILES = 100
_MOST_HEADINGS = 8
_HEADING = re.compile(rb"^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(rb"^ {0,3}(```+|~~~+)")
_WORDS = {
    "en": {
        "first": "first version, {count} files",
        "restored": "restored v{version}",
        "kept": "edits made while v{version} was restored",
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


def changed_headings(old: bytes, new: bytes) -> tuple[str, ...]:
    """The headings of ``new`` (and lost ones of ``old``) whose own text differs."""
    before, after = _sections(old), _sections(new)
    found = [title for title, text in after.items() if before.get(title) != text]
    found += [title for title in before if title not in after]
    return tuple(printable(title) for title in found if title)


def _sections(data: bytes) -> dict[str, bytes]:
    sections: dict[str, bytes] = {}
    title, lines, fence = "", list[bytes](), b""
    for line in data.splitlines():
        mark = _FENCE.match(line)
        if mark:
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence):
                fence = b""
        heading = None if fence or mark else _HEADING.match(line)
        if heading:
            sections[title] = sections.get(title, b"") + b"\n".join(lines)
            title, lines = heading[1].decode("utf-8", "replace"), []
        else:
            lines.append(line.rstrip())
    sections[title] = sections.get(title, b"") + b"\n".join(lines)
    return sections


def compose(  # noqa: PLR0913 what a message is made of
    version: int,
    changes: Sequence[FileChange],
    trailers: str,
    *,
    lang: str,
    lead: str | None = None,
    text: str | None = None,
) -> str:
    """The whole message of a version.

    ``lead`` stands in the subject instead of the files; ``text`` is a person's own
    (``snapshot -m``): its first line is the subject, the rest opens the body.
    """
    said = words(lang)
    own = [printable(line) for line in (text or "").strip().splitlines()]
    summary = own[0] if own else lead or _summary(changes, said)
    parts = [clip(f"state v{version}: {summary}", SUBJECT_COLUMNS)]
    rest = [f"  {line}" if line else "" for line in own[1:]]
    if (
        own
        and clip(f"state v{version}: {own[0]}", SUBJECT_COLUMNS)
        != f"state v{version}: {own[0]}"
    ):
        rest.insert(0, f"  {own[0]}")
    if rest:
        parts.append("\n".join(rest).strip("\n"))
    if changes:
        rows = [_row(change, said) for change in changes[:_MOST_FILES]]
        if len(changes) > _MOST_FILES:
            rows.append("- " + said["more"].format(count=len(changes) - _MOST_FILES))
        parts.append("\n".join([said["files"], *rows]))
    return "\n\n".join([*parts, trailers])


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


def columns(text: str) -> int:
    """How many terminal columns a text takes."""
    return sum(
        0
        if unicodedata.combining(char)
        else 2
        if unicodedata.east_asian_width(char) in "WF"
        else 1
        for char in text
    )


def clip(text: str, limit: int) -> str:
    """The text in at most ``limit`` columns, with ``…`` where it was cut."""
    if columns(text) <= limit:
        return text
    kept, used = "", 1
    for char in text:
        used += columns(char)
        if used > limit:
            break
        kept += char
    return kept.rstrip() + "…"
