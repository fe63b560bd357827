"""Facts -> the Markdown of ``00-project-context.md``; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gitstate.evidence.facts import code, harmless

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitstate.evidence.facts import Fact, Section

# The file is given back whole after every compaction: it must leave room for the task.
BUDGET_BYTES: dict[Section, int] = {"facts": 2560, "commands": 1536}
_SECTIONS: tuple[Section, ...] = ("facts", "commands")


class _Words(NamedTuple):
    colon: str
    comma: str
    place: str
    source: str
    more: str
    known: dict[str, str]

    def of(self, text: str) -> str | None:
        """A text of gitstate's own in this language; ``None`` for anything else."""
        return self.known.get(text)


_ZH = _Words(
    "：",  # noqa: RUF001 Chinese
    "、",
    "（{}）",  # noqa: RUF001 Chinese
    "（来源：{}）",  # noqa: RUF001 Chinese
    "另有 {} 条未列出",
    {
        "languages (files)": "语言（文件数）",  # noqa: RUF001 Chinese
        "package manager": "包管理器",
        "conflicting package managers": "互相矛盾的包管理器",
        "runtime": "运行环境",
        "conflicting runtimes": "互相矛盾的运行环境",
        "test runner": "测试工具",
        "linters and formatters": "检查与格式化工具",
        "workspaces": "工作区",
        "monorepo tool": "monorepo 工具",
        "entry points": "入口",
        "CI": "持续集成",
        "top-level folders (files)": "顶层目录（文件数）",  # noqa: RUF001 Chinese
        "agent instructions": "给编码代理的说明",
        "more projects": "其他子项目",
        "more scripts": "其他脚本",
        "read but not tracked": "已读取但未被 git 跟踪",
        "could not be read": "无法读取",
        "not a regular file": "不是普通文件",
        "larger than 512 KiB": "超过 512 KiB",
        "not UTF-8": "不是 UTF-8",
        "not a JSON object": "不是 JSON 对象",
        "not TOML": "不是 TOML",
        "a link, not followed": "是链接，未跟随",  # noqa: RUF001 Chinese
        "permission denied": "没有权限",
    },
)
_EN = _Words(
    ": ",
    ", ",
    " ({})",
    " (source: {})",
    "{} more are not listed here",
    {text: text for text in _ZH.known},
)
WORDS = {"en": _EN, "zh": _ZH}


def project_context(facts: Sequence[Fact], template: str, lang: str) -> str:
    """``template`` (the text of ``00-project-context.md``) with these facts in place."""
    words = WORDS[lang]
    for section in _SECTIONS:
        lines = _lines(
            [fact for fact in facts if fact.section == section], section, words
        )
        text = "".join(f"{line}\n" for line in lines)
        template = template.replace(
            f"<!-- {section} -->\n\n", f"{text}\n" if text else "", 1
        )
    return template


def _lines(facts: Sequence[Fact], section: Section, words: _Words) -> list[str]:
    lines: list[str] = []
    room = BUDGET_BYTES[section]
    for fact in facts:
        line = _line(fact, words)
        room -= len(line.encode()) + 1
        if room < 0:
            lines.append(f"- {words.more.format(len(facts) - len(lines))}")
            break
        lines.append(line)
    return lines


def _line(fact: Fact, words: _Words) -> str:
    own = fact.section == "facts" or fact.key == "more scripts"
    key = words.of(fact.key) if own else None
    show: Callable[[str], str] = code if fact.section == "commands" else harmless
    values = words.comma.join(
        (fact.key == "could not be read" and words.of(value)) or show(value)
        for value in fact.values
    )
    place = words.place.format(harmless(fact.place)) if fact.place else ""
    source = words.source.format(words.comma.join(map(harmless, fact.sources)))
    return f"- {key or harmless(fact.key, at_start=True)}{place}{words.colon}{values}{source}"
