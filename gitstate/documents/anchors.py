"""The place to open first: a file and a line, in the ways in which it is written."""

# ruff: noqa: RUF001 Chinese is compared as it is written
from __future__ import annotations

import re

from gitstate.documents.fields import Lines
from gitstate.documents.paths import path_text
from gitstate.documents.vocabulary import says_nothing
from gitstate.errors import Refused, printable
from gitstate.late import late
from gitstate.values import dataclass, field

_FILE_LABEL = late(r"(?:file|path|文件|路径)\s*[:：]\s*", re.IGNORECASE)
_LINK = late(r"\[(?P<name>[^\]]{0,400})\]\(<?(?P<path>[^()<>]{1,400})>?\)")
_CODE = late(r"(?P<ticks>`+)(?P<path>[^`]{1,400})(?P=ticks)")
_WORD = late(r"(?P<path>[^\s,，;；()（）、`]{1,400})")
_WITH_LINE = late(
    r"(.+?)(?::[Ll]?(\d{1,7})(?:[:-][Ll]?\d{1,7}){0,2}|#L(\d{1,7})(?:-L?\d{1,7})?):?"
)
_LINE = late(
    r"^:[Ll]?(\d{1,7})|(?:\b(?:line|lines|l)|第|行号?|#L)[\s:：.]{0,3}(\d{1,7})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A file, whole from the repository's root, and a line in it."""

    file: str
    line: int | None = None
    lines: Lines = field(default=Lines(0, 0), compare=False)


def anchor_of(text: str) -> Anchor | None:
    """``src/a.ts:142``, `` `src/a.ts` line 142``, ``[a](src/a.ts#L142)``; else ``None``."""
    text = _FILE_LABEL.sub("", text.strip(), count=1)
    found = _LINK.match(text) or _CODE.match(text) or _WORD.match(text)
    if found is None or says_nothing(found["path"]):
        return None
    file, rest = found["path"].strip(), text[found.end() :]
    name = found.groupdict().get("name") or ""
    if ":" in name and not _WITH_LINE.fullmatch(file):
        rest = f"{name[name.rindex(':') :]} {rest}"
    with_line = _WITH_LINE.fullmatch(file)
    if with_line:
        return Anchor(with_line[1], int(with_line[2] or with_line[3]))
    line = _LINE.search(rest)
    file = file.rstrip(":：")
    return Anchor(file, int(line[1] or line[2]) if line else None) if file else None


def anchor_text(anchor: Anchor) -> str:
    """The anchor as ``anchor_of`` reads it; raises ``Refused`` where there is no way."""
    text = path_text(anchor.file)
    if anchor.line is not None:
        text = f"{text}:{anchor.line}"
    if anchor_of(text) != anchor:
        raise Refused(f"not the path of a file: {printable(anchor.file)}")
    return text
