"""What an answer missed, in words, and the text of the files in which that stands."""

# ruff: noqa: RUF001 Chinese is written as it is
from __future__ import annotations

from typing import TYPE_CHECKING

from gitstate.recall.briefing import measure
from gitstate.recall.fence import fence_of, line_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitstate.recall.briefing import Unit
    from gitstate.recall.checks import Checks
    from gitstate.recall.verification import Verdict

_SHOWN = 6  # things in one text
_SAID = 200  # characters of what was said
_TEXTS = {
    "en": {
        "missing": "not said: {kind}: {text}",
        "contradicted": 'said otherwise: "{said}"; recorded: {text}',
        "unknown": 'not in the state: "{said}"',
        "more": "{count} more",
        "read": "read it with `{command}`",
    },
    "zh": {
        "missing": "没有说到：{kind}：{text}",
        "contradicted": "说法不符：“{said}”；记录为：{text}",
        "unknown": "状态中没有：“{said}”",
        "more": "另有 {count} 项",
        "read": "请用 `{command}` 阅读",
    },
}
_ZH = {
    "fact": "事实",
    "command": "命令",
    "prohibition": "禁令",
    "rule": "规则",
    "goal": "目标",
    "constraint": "约束",
    "step": "进行中的步骤",
    "next": "下一步",
    "anchor": "先打开",
    "issue": "未解决的问题",
    "workaround": "临时方案",
    "decision": "决策",
    "place": "位置",
}
_KINDS = {"zh": _ZH, "en": {one: one for one in _ZH}}


def say(lang: str, key: str, **words: object) -> str:
    """A text in the language of the state."""
    return _TEXTS[_lang(lang)][key].format(**words)


def _lang(lang: str) -> str:
    return "zh" if lang == "zh" else "en"


def missed_files(verdicts: Iterable[Verdict]) -> list[str]:
    """The files in which stands what was missed or told otherwise, in order."""
    found: dict[str, None] = {}
    for one in verdicts:
        found.update(dict.fromkeys(each.file for each in one.missing))
        for each in one.contradicted:
            if each.dimension is not None:
                found[each.dimension.file] = None
    return sorted(found)


def missed_lines(verdict: Verdict, lang: str) -> list[str]:
    """What is missing and what was told otherwise, a line each."""
    lines = [
        say(lang, "missing", kind=_KINDS[_lang(lang)][one.kind], text=one.text)
        for one in dict.fromkeys(verdict.missing)
    ]
    for one in verdict.contradicted:
        said = line_of(one.said)[:_SAID]
        if one.dimension is None:
            lines.append(say(lang, "unknown", said=said))
        else:
            lines.append(say(lang, "contradicted", said=said, text=one.dimension.text))
    return lines


def given_back(
    checks: Checks,
    verdicts: Sequence[Verdict],
    *,
    room: int,
    folder: str,
    unit: Unit = "characters",
) -> str:
    """What was missed, and the text of exactly the files that it stands in, as data.

    ``room``, in ``unit``; a file that does not fit is named with how to read it.
    """
    lines = [line for one in verdicts for line in missed_lines(one, checks.lang)]
    said = "\n".join(f"- {one}" for one in lines[:_SHOWN])
    if len(lines) > _SHOWN:
        said += "\n- " + say(checks.lang, "more", count=len(lines) - _SHOWN)
    for name in missed_files(verdicts):
        whole = [_shown(line) for line in checks.texts.get(name, "").split("\n")]
        fence = fence_of(whole)
        text = "\n".join((f"{folder}/{name}:", f"{fence}text", *whole, fence))
        if measure(f"{said}\n\n{text}", unit) > room:
            text = say(checks.lang, "read", command=f"cat {folder}/{name}")
        said += f"\n\n{text}"
    return said


def _shown(line: str) -> str:
    kept = line.rstrip()
    indent = kept[: len(kept) - len(kept.lstrip(" "))]
    return indent + line_of(kept)
