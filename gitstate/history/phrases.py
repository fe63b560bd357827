"""Changes -> lines and short pieces of text, in English and Chinese; pure.

Around the state's own texts stand the fixed words below and no others.
"""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from gitstate.history.columns import clip, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitstate.history.change import Change, Changes, Subject

Section = Literal["progress", "decisions", "issues", "rules", "facts", "map"]
# the order in which a version tells, and a day
OF_VERSION: tuple[Section, ...] = (
    "progress",
    "decisions",
    "issues",
    "rules",
    "facts",
    "map",
)
OF_DAY: tuple[Section, ...] = ("decisions", "progress", *OF_VERSION[2:])
_SECTION_OF: dict[Subject, Section] = {
    "task": "progress",
    "step": "progress",
    "next": "progress",
    "anchor": "progress",
    "constraint": "progress",
    "blocker": "progress",
    "attempt": "progress",
    "conclusion": "progress",
    "decision": "decisions",
    "issue": "issues",
    "rule": "rules",
    "fact": "facts",
    "command": "facts",
    "file": "map",
}
_TITLES: dict[Section, tuple[str, str]] = {
    "progress": ("Progress", "进展"),
    "decisions": ("Decisions", "决策"),
    "issues": ("Issues", "问题"),
    "rules": ("Rules", "规则"),
    "facts": ("Facts", "事实"),
    "map": ("File map", "文件地图"),
}
# what is said of a change; ("*", act) of every other subject
_SAID: dict[tuple[str, str], tuple[str, str]] = {
    ("task", "started"): ("task started", "开始任务"),
    ("task", "finished"): ("task finished", "完成任务"),
    ("task", "ended"): ("task ended", "结束任务"),
    ("task", "started and finished"): ("task started and finished", "开始并完成任务"),
    ("task", "started and ended"): ("task started and ended", "开始并结束任务"),
    ("task", "changed"): ("goal", "目标"),
    ("step", "put back"): ("back to todo", "退回待办"),
    ("next", "changed"): ("next", "下一步"),
    ("anchor", "changed"): ("anchor", "锚点"),
    ("constraint", "added"): ("constraint", "约束"),
    ("constraint", "changed"): ("constraint changed", "约束修改"),
    ("constraint", "removed"): ("constraint removed", "约束删除"),
    ("blocker", "added"): ("blocker", "阻塞项"),
    ("blocker", "changed"): ("blocker changed", "阻塞项修改"),
    ("blocker", "removed"): ("blocker gone", "阻塞项解除"),
    ("attempt", "added"): ("failed", "失败的尝试"),
    ("conclusion", "added"): ("noted", "记录"),
    ("decision", "changed"): ("revised", "修订"),
    ("command", "added"): ("command added", "新增命令"),
    ("command", "changed"): ("command changed", "修改命令"),
    ("command", "removed"): ("command removed", "删除命令"),
    ("file", "added"): ("mapped", "收录"),
    ("*", "added"): ("added", "新增"),
    ("*", "changed"): ("changed", "修改"),
    ("*", "removed"): ("removed", "删除"),
    ("*", "archived"): ("archived", "归档"),
    ("*", "begun"): ("begun", "开始"),
    ("*", "done"): ("done", "完成"),
    ("*", "blocked"): ("blocked", "受阻"),
    ("*", "reopened"): ("reopened", "重新打开"),
    ("*", "made"): ("decided", "决定"),
    ("*", "proposed"): ("proposed", "提议"),
    ("*", "superseded"): ("superseded", "被取代"),
    ("*", "withdrawn"): ("withdrawn", "撤销"),
    ("*", "reinstated"): ("reinstated", "恢复"),
    ("*", "opened"): ("opened", "提出"),
    ("*", "resolved"): ("resolved", "解决"),
    ("*", "opened and resolved"): ("opened and resolved", "提出并解决"),
}
_MOST_COLUMNS = 300  # of one text in a line
_MOST_LINES = 100  # of a section
_LABELS: dict[str, tuple[str, str]] = {
    "reason": ("reason", "理由"),
    "confidence": ("confidence", "置信度"),
    "by": ("by", "取代者"),
    "was": ("was", "原为"),
    "workaround": ("workaround", "临时方案"),
    "resolution": ("resolution", "解决方式"),
    "more": ("and {count} more", "另有 {count} 条"),
}
_CONFIDENCES = {"high": ("high", "高"), "low": ("low", "低")}


class Signs(NamedTuple):
    """The punctuation of a language."""

    colon: str
    between: str
    semicolon: str
    opening: str
    closing: str


_SIGNS = (Signs(": ", ", ", "; ", " (", ")"), Signs("：", "、", "；", "（", "）"))


def signs(lang: str) -> Signs:
    """The punctuation of ``lang``."""
    return _SIGNS[lang == "zh"]


def sections(
    changes: Changes, order: Sequence[Section], lang: str
) -> list[tuple[str, list[str]]]:
    """The sections that have something to say: title and lines.

    What was forbidden and is not any more stands first, and its section too.
    """
    found: dict[Section, list[Change]] = {}
    for one in changes.items:
        found.setdefault(_SECTION_OF[one.subject], []).append(one)
    first = [
        name for name in order if any(one.prohibition for one in found.get(name, ()))
    ]
    told = []
    for name in dict.fromkeys((*first, *order)):
        if name in found:
            lines = [line(one, lang) for one in found[name][:_MOST_LINES]]
            left = len(found[name]) - len(lines)
            if left:
                lines.append("- " + _label("more", lang).format(count=left))
            told.append(
                (_TITLES[name][lang == "zh"] + signs(lang).colon.rstrip(), lines)
            )
    return told


def line(one: Change, lang: str) -> str:
    """One change as a line of a body."""
    sign = signs(lang)
    text = _cut(one.text)
    name = f"{one.id} {text}" if one.id and one.subject != "step" else text
    if one.subject in {"decision", "issue"}:
        said = name
        if one.act != "made":
            said = f"{said_of(one, lang)} {name}"
    else:
        said = f"{said_of(one, lang)}{sign.colon}{name}"
    more = one.conclusion
    if one.subject in {"attempt", "file"}:
        more = one.reason
    if more:
        said = f"{said} – {_cut(more)}"
    if details := _details(one, lang):
        said = f"{said}{sign.opening}{sign.semicolon.join(details)}{sign.closing}"
    return f"- {said}"


def _details(one: Change, lang: str) -> list[str]:
    """What stands in the brackets behind a change."""
    colon, between = signs(lang).colon, signs(lang).between
    found: list[tuple[str, str]] = []
    if one.subject == "decision" and one.act in {"made", "proposed", "changed"}:
        if one.reason:
            found.append(("reason", _cut(one.reason)))
        if one.confidence in _CONFIDENCES:
            found.append(("confidence", _CONFIDENCES[one.confidence][lang == "zh"]))
    elif one.subject == "issue" and one.reason:
        over = "resolved" in one.act
        found.append(("resolution" if over else "workaround", _cut(one.reason)))
    details = [f"{_label(key, lang)}{colon}{value}" for key, value in found]
    if one.anchor:
        details.append(_cut(one.anchor))
    if one.by:
        by = between.join(map(_cut, one.by))
        details.append(
            f"by {by}" if lang != "zh" else f"{_label('by', lang)}{colon}{by}"
        )
    if one.was:
        details.append(f"{_label('was', lang)}{colon}{_cut(one.was)}")
    return details


def said_of(one: Change, lang: str) -> str:
    """The fixed words for what was done."""
    found = _SAID.get((one.subject, one.act)) or _SAID["*", one.act]
    return found[lang == "zh"]


def _label(key: str, lang: str) -> str:
    return _LABELS[key][lang == "zh"]


def _cut(text: str) -> str:
    return clip(one_line(text), _MOST_COLUMNS)
