"""An answer -> its sentences: its lines, lists and tables, and the stance that heads them; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.late import late
from gitstate.recall.cleaning import clean
from gitstate.recall.segments import gives_stance, sentence
from gitstate.recall.stances import DENY, drop, stance_of
from gitstate.recall.terms import is_bare, terms

if TYPE_CHECKING:
    from gitstate.recall.segments import Sentence
    from gitstate.recall.stances import Stance

MOST_CHARS = 40_000  # of an answer; a longer one is no restatement
_ANSWER = 60  # characters of one to a question of its own
_HEADING = 4  # words of a line that is one without a colon
_ITEM = late(r"^[\s>]*(?:[*+•·;-]\s|\(?\d{1,3}[.)、:](?!\d)|[①-⑳])")
_BULLET = late(
    r"^(?:[\s>*+•·;]|-(?!\d))*(?:[qa]\s*:\s*)?(?:\(?\d{1,3}[.)、](?!\d)\s*|\[[ x]\]\s*|[①-⑳]\s*)?[\s>*#+]*"
)
_BOLD = late(r"\s*(?:\*\*[^*]+\*\*|__[^_]+__)\s*")
_SENTENCE = late(
    r"(?<=\S[.?])\s+(?=\S)|(?<=[^\W_]!)\s+(?=[^\W_])(?![\u4e00-\u9fff])|(?<=。)|(?<=\?)(?![a-z0-9&=])|(?<=[\u4e00-\u9fff]!)"
)
_MARKUP = late(
    r"(?!\*\.\w)[*`\"“”「」]+(?=[^\w/]|$)|(?<![\w/-])[*`\"“”「」]+|`+|(?<![\w/.])_+(?=[^\W_]+(?!\w))"
)
_NO = late(
    r"^(?:(?:a|答)\s*:\s*)?(?:no\b(?=\s*[,.!]|$)|never\b|under no circumstances\b|都?不(?:能|可以?|行|准|许|用)(?=[,.。]|$))(?:\s*[,.]?\s*neither)?"
)
_MAY = late(
    r"^(?:(?:q|问)\s*:\s*)?(?:may|can|should|could) (?:i|we|you|one)\b|^(?:(?:q|问)\s*:\s*)?(?:may|can|is it (?:ok|okay|fine|allowed) to)\b|^(?:q|问)\s*:|能不能|可不可以|可以|能|吗$"
)
_EVER = late(r",\s*ever\b")
_NUMBER = late(r"#?\d{1,3}[.)]?|#")
_DO = late(r"do|do's|dos|yes|✅|✓|要做|要|该做")
_TWICE = late(r"\s+/\s+|\s*(?=\()")


def sentences(text: str) -> list[Sentence]:
    """The sentences of an answer; work is linear in its length."""
    found: list[Sentence] = []
    scope: Stance | None = None
    columns: list[Stance | None] = []
    blank = True
    for raw in clean(text[:MOST_CHARS]).split("\n"):
        line = raw.strip()
        if not line:
            blank = True
            continue
        row = line.startswith("|")
        cells = _cells(line) if row else []
        columns = (columns or [_verdict(one) for one in cells]) if row else []
        if len(set(columns) - {None}) > 1:
            # a column for what must be, one for what must not
            pairs = zip(cells, columns, strict=False)
            found += [sentence(cell, column) for cell, column in pairs]
            continue
        item = row or _ITEM.match(raw) is not None
        bullet = None if row else _BULLET.match(line)
        line = _joined(cells) if row else line[bullet.end() if bullet else 0 :]
        line = _EVER.sub(" ever", _MARKUP.sub("", line)).strip()
        if not line:
            continue
        heading = line.endswith(":") or raw.lstrip().startswith("#")
        heading = heading or (not row and _BOLD.fullmatch(raw) is not None)
        heading = heading or (not item and _is_heading(line))
        heading = heading or (not row and line.endswith("?") and not terms(line).names)
        if heading or (blank and not item):
            scope = None
        blank = False
        parts = _answered(list(filter(None, map(str.strip, _SENTENCE.split(line)))))
        found += [sentence(part, scope) for part in parts]
        if heading:
            scope = _scope(line)
    return found


def _answered(parts: list[str]) -> list[str]:
    """A question that is asked and answered ("legacy/? Off limits.") is one sentence."""
    found: list[str] = []
    for part in parts:
        asked = bool(found) and found[-1].endswith("?")
        if asked and _NO.match(part):
            found[-1] = f"never {_MAY.sub(' ', found[-1][:-1]).strip()}"
            rest = _NO.sub("", part).strip(" ,.。")
            found += [rest] if rest else []
        elif asked and len(part) <= _ANSWER and _is_verdict(part, found[-1]):
            found[-1] = f"{found[-1][:-1]}, {part}"
        else:
            found.append(part)
    return found


def _is_verdict(text: str, asked: str) -> bool:
    """Does a text give a stance of what was asked, and name nothing else."""
    return stance_of(text)[1] and terms(drop(text)).names <= terms(asked).names


def _cells(line: str) -> list[str]:
    return [_MARKUP.sub("", one).strip() for one in line.strip("|").split("|")]


def _joined(cells: list[str]) -> str:
    """A row as a line; what only gives a stance stands over what is beside it."""
    cells = [one for one in cells if not _NUMBER.fullmatch(one)] or cells
    first = cells[0] if cells else ""
    if gives_stance(first):
        return f"{first}: {', '.join(cells[1:])}"
    last, _, rest = cells[-1].partition(",") if cells else ("", "", "")
    if len(cells) > 1 and gives_stance(last):
        more = [] if is_bare(rest) else [rest.strip()]
        return f"{last}: {', '.join([*cells[:-1], *more])}"
    return ", ".join(cells)


def _verdict(cell: str) -> Stance | None:
    """The stance that the head of a column gives."""
    if _DO.fullmatch(cell):
        return "must"
    return _scope(cell) if len(cell.split()) <= _HEADING else None


def _is_heading(line: str) -> bool:
    """A few words that give a stance and name nothing."""
    few = len(line.split()) <= _HEADING and len(line) <= 2 * _HEADING * 4
    return few and line[-1] not in ".!?。,;" and stance_of(line)[1] and is_bare(line)


def _scope(text: str) -> Stance | None:
    text = _TWICE.split(text)[0]  # "Never / 禁止:"
    if DENY.search(text):
        return "denied"
    stance, own = stance_of(text)
    return stance if own else None
