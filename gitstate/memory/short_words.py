"""The fixed words around the state's own where it is made shorter, in both languages; pure."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

from typing import NamedTuple


class Words(NamedTuple):
    """The words of a language, with the state's own in their places.

    ``todo`` to ``blocked``: how the state of a step is marked, as in the task file;
    ``notes``: the heading of what belongs to no task.
    """

    todo: str
    in_progress: str
    done: str
    blocked: str
    reason: str
    failed: str
    meanwhile: str
    rejected: str
    superseded: str
    withdrawn: str
    weigh: str
    see: str
    never: str
    must: str
    uses: str
    used_by: str
    tested_by: str
    generated_from: str
    between: str
    semicolon: str
    notes: str

    def status(self, name: str) -> str:
        """How a step is marked whose status is ``name``."""
        found: str = getattr(self, name)
        return found


ENGLISH = Words(
    todo="todo",
    in_progress="in progress",
    done="done",
    blocked="blocked",
    reason="{text} (reason: {reason})",
    failed="{text} (failed: {reason})",
    meanwhile="{text} (meanwhile: {workaround})",
    rejected="not {names}",
    superseded="superseded",
    withdrawn="withdrawn",
    weigh="confidence: low, to be weighed again",
    see="see {names}",
    never="Never: {text}",
    must="Must: {text}",
    uses="uses {paths}",
    used_by="used by {paths}",
    tested_by="tested by {paths}",
    generated_from="generated from {paths}",
    between=", ",
    semicolon="; ",
    notes="Notes",
)
_ZH = Words(
    todo="待办",
    in_progress="进行中",
    done="已完成",
    blocked="受阻",
    reason="{text}（理由：{reason}）",
    failed="{text}（失败：{reason}）",
    meanwhile="{text}（临时办法：{workaround}）",
    rejected="不选 {names}",
    superseded="已被取代",
    withdrawn="已撤销",
    weigh="置信度：低，行动前重新权衡",
    see="见 {names}",
    never="禁止：{text}",
    must="必须：{text}",
    uses="使用 {paths}",
    used_by="被 {paths} 使用",
    tested_by="由 {paths} 测试",
    generated_from="由 {paths} 生成",
    between="、",
    semicolon="；",
    notes="备注",
)


def words(lang: str) -> Words:
    """The words of ``lang`` (``en`` or ``zh``)."""
    return _ZH if lang == "zh" else ENGLISH
